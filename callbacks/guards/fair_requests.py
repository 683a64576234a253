"""Requests answered fairly: the queue of the embedded server, and places under other servers.

The order of the queue is fair between networks and visitors, and it puts off what there is no
thread for. Servers without a queue of their own, such as gunicorn, hand every request to a thread
at once; what would take one of the last ones is to be sent again in a second.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from threading import BoundedSemaphore, Lock
from time import monotonic
from typing import Any

import flask

from callbacks.addresses import Body, requested_address
from callbacks.guards.error_answers import BUSY, REPEAT_AFTER_S, sentence
from callbacks.guards.held_connections import can_hold
from callbacks.services import Served, services

# Requests that take seconds, at a time.
MOST_HEAVY = 2
# Who has waited longer is told so; proxies end what takes a minute.
MOST_WAITED_S = 20.0

HEAVY_WAITS_S = 5.0
_PLACES = "melm_places"


@dataclass(frozen=True)
class Client:
    """A client that waits for an answer: a network, and a visitor there by its cookies."""

    network: str
    visitor: str
    is_heavy: bool = False
    is_prompt: bool = False
    has_file: bool = False


@dataclass(frozen=True)
class RequestLimits:
    """Limits on the requests that are answered at the same time.

    Attributes
    ----------
    of_network : int
        So that threads are left for others. Prompt ones count by themselves.
    not_prompt : int
        In total, so that threads are left for prompt ones.
    heavy_of_network, heavy : int
        Of those that take long, of one network and in total.
    files : int
        In total, of those that only store a file: they wait for none of the heavy ones.
    """

    of_network: int
    not_prompt: int
    heavy_of_network: int = 1
    heavy: int = MOST_HEAVY
    files: int = 1


def not_prompt_threads(threads: int) -> int:
    """Return how many threads may answer what is not prompt: all but a quarter."""
    return threads - threads // 4


def client_of(channel: Any) -> Client:
    """Return who sent the oldest request of a connection.

    Parameters
    ----------
    channel : waitress.channel.HTTPChannel
        Its requests are `ArrivingRequest`.
    """
    request = channel.requests[0]
    # To refuse one takes no time.
    is_heavy = request.address.is_heavy and request.error is None
    has_file = is_heavy and request.address.body is Body.FILE
    cookies = request.headers.get("COOKIE", "")
    is_prompt = request.address.is_prompt
    return Client(request.network, cookies, is_heavy and not has_file, is_prompt, has_file)


class FairQueue:
    """The queue of waitress's dispatcher, which calls all but `finish` with its lock held.

    It is as long as there are requests that may be answered now. The next one is of the network
    with the fewest in answer, then of such a visitor, then of who was refused before, then of the
    one who has waited longest. One that has waited too long is refused.

    Parameters
    ----------
    limits : RequestLimits
    who : callable
        The client of a task, which has methods `service`, `refuse_late` and `cancel`.
    wake : callable
        Called without a lock when a task is done, and another may have become ready.
    """

    def __init__(
        self, limits: RequestLimits, who: Callable[[Any], Client], wake: Callable[[], None]
    ) -> None:
        self._limits, self._who, self._wake = limits, who, wake
        # In the order in which they were served; with the time at which each task came.
        self._waiting: dict[Client, deque[tuple[Any, float]]] = {}
        self._at_work = Counter[Client]()
        # Who was refused, and when: whoever asks again soon has waited longer than all others.
        self._refused: dict[Client, float] = {}
        self._lock = Lock()

    def append(self, task: Any) -> None:
        """Add a task."""
        with self._lock:
            tasks = self._waiting.setdefault(self._who(task), deque())
            tasks.append((task, monotonic()))

    def popleft(self) -> _Turn:
        """Return the next task, which counts for its client until it is done."""
        with self._lock:
            client, is_late = min(self._ready(), key=self._load)
            tasks = self._waiting.pop(client)
            task, _ = tasks.popleft()
            if tasks:
                self._waiting[client] = tasks  # behind all others
            self._at_work[client] += 1
            self._note(client, is_late=is_late)
        return _Turn(task, client, self, is_late)

    def __len__(self) -> int:
        with self._lock:
            return sum(len(self._waiting[client]) for client, _ in self._ready())

    def finish(self, client: Client) -> None:
        """Count one task of a client less."""
        with self._lock:
            self._at_work[client] -= 1
            self._at_work += Counter()  # without those that are zero
        self._wake()

    def _note(self, client: Client, *, is_late: bool) -> None:
        now = monotonic()
        self._refused.pop(client, None)
        if is_late:
            refused = self._refused.items()
            self._refused = {
                other: refused_s for other, refused_s in refused if now - refused_s < MOST_WAITED_S
            }
            self._refused[client] = now

    def _ready(self) -> Iterator[tuple[Client, bool]]:
        """The clients whose next task may be answered, and whether that is to be refused."""
        limits, late_s = self._limits, monotonic() - MOST_WAITED_S
        for client, tasks in self._waiting.items():
            alike = [
                answered
                for answered in self._at_work.elements()
                if answered.is_prompt == client.is_prompt
            ]
            here = [other for other in alike if _is_here(other, client)]
            has_place = len(here) < limits.of_network
            if not client.is_prompt:
                has_place = has_place and len(alike) < limits.not_prompt
            if client.is_heavy:
                heavy = [other for other in alike if other.is_heavy]
                n_heavy_here = sum(_is_here(other, client) for other in heavy)
                has_place = has_place and len(heavy) < limits.heavy
                has_place = has_place and n_heavy_here < limits.heavy_of_network
            if client.has_file:
                has_place = has_place and sum(other.has_file for other in alike) < limits.files
            if has_place or tasks[0][1] < late_s:
                yield client, not has_place

    def _load(self, ready: tuple[Client, bool]) -> tuple[int, int, bool]:
        client, _ = ready
        here = sum(n for other, n in self._at_work.items() if _is_here(other, client))
        return here, self._at_work[client], client not in self._refused


@dataclass(frozen=True)
class _Turn:
    """A task that tells the queue when it is done."""

    task: Any
    client: Client
    queue: FairQueue
    is_late: bool = False

    def service(self) -> None:
        try:
            if self.is_late:
                self.task.refuse_late()
            else:
                self.task.service()
        finally:
            self.queue.finish(self.client)

    def cancel(self) -> None:
        self.task.cancel()


def _is_here(other: Client, client: Client) -> bool:
    return other.network == client.network


class Places:
    """The threads of a process that may answer what is not prompt.

    Parameters
    ----------
    threads : int
        Of the process.
    """

    def __init__(self, threads: int) -> None:
        self._all = BoundedSemaphore(not_prompt_threads(threads))
        self._heavy = BoundedSemaphore(MOST_HEAVY)
        self._waiting = BoundedSemaphore(1)

    def take(self, taken: ExitStack, *, is_heavy: bool) -> bool:
        """Take a place until the stack is closed; return whether there was one.

        For one of those that draw or read for seconds a single request waits, for a while.
        """
        if not _taken(self._all, taken):
            return False
        if not is_heavy or _taken(self._heavy, taken):
            return True
        with ExitStack() as waiting:
            if not _taken(self._waiting, waiting):
                return False
            return _taken(self._heavy, taken, HEAVY_WAITS_S)


def _taken(places: BoundedSemaphore, taken: ExitStack, waits_s: float | None = None) -> bool:
    has_place = places.acquire(blocking=waits_s is not None, timeout=waits_s)
    if has_place:
        taken.callback(places.release)
    return has_place


def register(app: Served) -> None:
    """Connect the check, which runs before every route."""
    app.server.before_request(partial(admit, Places(services().settings.threads)))
    app.server.teardown_request(leave)


def admit(places: Places) -> tuple[dict[str, str], int, dict[str, str]] | None:
    """Let a request in where a thread is left for what is prompt."""
    address = requested_address()
    if address.is_prompt or can_hold():
        return None
    taken = ExitStack()
    setattr(flask.g, _PLACES, taken)
    if places.take(taken, is_heavy=address.is_heavy):
        return None
    after = str(REPEAT_AFTER_S)
    # The page repeats its requests; of a document that is opened, browsers do.
    return sentence(BUSY), 503, {"Retry-After": after, "Refresh": after}


def leave(_: BaseException | None) -> None:
    """Leave the place of a request."""
    taken = flask.g.pop(_PLACES, None)
    if taken is not None:
        taken.close()
