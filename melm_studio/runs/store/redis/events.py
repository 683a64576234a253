"""The planes of runs on Redis: a list for each run, to which only a run at work appends."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from melm_studio.configuration.redis_address import RedisAddress
from melm_studio.runs.records.run import PlaneEvent
from melm_studio.runs.store.protocol import RunEndedError
from melm_studio.runs.store.redis.client import Client, Pipeline, transact

# An event contains its own sequence number, so the client guesses it: the script returns nothing if
# the guess was right, else the number to guess next, or -1 if the run has ended.
APPEND = """
if not redis.call("ZSCORE", KEYS[1], ARGV[1]) then
    return -1
end
local length = redis.call("LLEN", KEYS[2])
if length ~= tonumber(ARGV[2]) then
    return length
end
redis.call("RPUSH", KEYS[2], ARGV[3])
redis.call("INCRBY", KEYS[3], #ARGV[3])
return false
"""
ENDED = -1


class RedisEvents:
    """The events of all runs on a server, in the order of their sequence numbers."""

    def __init__(self, client: Client, address: RedisAddress) -> None:
        self._redis, self._address = client, address
        self._append_script = client.register_script(APPEND)

    def append(self, run_id: str, event: PlaneEvent) -> int:
        """Append to a run that has not ended; return the sequence number."""
        keys = [self._address.key("unfinished"), self._list(run_id), self._size(run_id)]
        guess: int | None = self.count(run_id)
        while guess is not None:
            sequence = guess
            raw = replace(event, sequence=sequence).to_bytes()
            guess = self._append_script(keys, [run_id, sequence, raw])
            if guess == ENDED:
                raise RunEndedError(run_id)
        return sequence

    def put_all(self, run_id: str, events: Sequence[PlaneEvent]) -> None:
        """Append the events of a run that has ended elsewhere."""

        def put(pipe: Pipeline) -> None:
            first = pipe.llen(self._list(run_id))
            raw = [replace(one, sequence=first + i).to_bytes() for i, one in enumerate(events)]
            pipe.multi()
            pipe.rpush(self._list(run_id), *raw)
            pipe.incrby(self._size(run_id), sum(map(len, raw)))

        transact(self._redis, put, self._list(run_id))

    def count(self, run_id: str) -> int:
        """Return how many events the run has."""
        return self._redis.llen(self._list(run_id))

    def n_bytes(self, run_id: str) -> int:
        """Return how many bytes they take."""
        return int(self._redis.get(self._size(run_id)) or 0)

    def after(self, run_id: str, sequence: int, limit: int | None) -> list[PlaneEvent]:
        """Return the events after a sequence number, at most so many."""
        if limit == 0:
            return []
        last = -1 if limit is None else sequence + limit
        found = self._redis.lrange(self._list(run_id), sequence + 1, last)
        return [*filter(None, map(PlaneEvent.readable, found))]

    def at(self, run_id: str, place: int) -> PlaneEvent | None:
        """Return the event at a place of the list; -1 is the last one."""
        raw = self._redis.lindex(self._list(run_id), place)
        return None if raw is None else PlaneEvent.readable(raw)

    def _list(self, run_id: str) -> str:
        return self._address.key("events", run_id)

    def _size(self, run_id: str) -> str:
        return self._address.key("bytes", run_id)
