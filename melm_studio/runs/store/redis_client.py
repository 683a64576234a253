"""The connection to a Redis server: it reconnects, and raises an error when it cannot."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar, cast

import redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry

from melm_studio.configuration.limits import DiskFullError
from melm_studio.runs.store.protocol import StoreUnavailableError

CONNECT_S = 2.0
# For one command, including the transfer of the largest upload at 100 Mbit a second. A server that
# is silent must not keep a worker from its runs for long (`SLOW_AFTER_S` of the pool).
ANSWER_S = 10.0
RETRY_S = 0.1

_CANNOT_SAVE = "MISCONF "

_T = TypeVar("_T")


class Commands(Protocol):
    """The commands in use; redis-py's own types leave open whether an answer is bytes or text."""

    def info(self, section: str) -> dict[str, Any]: ...
    def get(self, name: str) -> bytes | None: ...
    def set(self, name: str, value: bytes | float, *, nx: bool = ...) -> object: ...
    def mget(self, keys: Sequence[str]) -> list[bytes | None]: ...
    def exists(self, *names: str) -> int: ...
    def unlink(self, *names: str) -> object: ...
    def delete(self, *names: str) -> object: ...
    def llen(self, name: str) -> int: ...
    def lrange(self, name: str, start: int, end: int) -> list[bytes]: ...
    def rpush(self, name: str, *values: str | bytes) -> object: ...
    def zadd(self, name: str, mapping: dict[str, float]) -> object: ...
    def zrange(self, name: str, start: int, end: int) -> list[bytes]: ...
    def zrangebyscore(self, name: str, least: float | str, most: float) -> list[bytes]: ...
    def zrem(self, name: str, *values: str) -> object: ...
    def sadd(self, name: str, *values: str) -> object: ...
    def srem(self, name: str, *values: str) -> object: ...
    def smembers(self, name: str) -> Collection[bytes]: ...
    def hget(self, name: str, key: str) -> bytes | None: ...
    def hgetall(self, name: str) -> dict[bytes, bytes]: ...
    def hvals(self, name: str) -> list[bytes]: ...
    def hset(self, name: str, key: str, value: bytes) -> object: ...
    def hdel(self, name: str, *keys: str) -> object: ...
    def hincrby(self, name: str, key: str, amount: int) -> object: ...
    def hincrbyfloat(self, name: str, key: str, amount: float) -> object: ...


class Pipeline(Commands, Protocol):
    """Commands answer at once before `multi`, and are one transaction after it."""

    def watch(self, *names: str) -> object: ...
    def multi(self) -> None: ...


class Batch(Commands, AbstractContextManager["Batch"], Protocol):
    """Commands that are sent, and answered, together."""

    def execute(self) -> list[Any]: ...


class Script(Protocol):
    """A Lua script on the server."""

    def __call__(
        self, keys: Sequence[str], args: Sequence[Any], client: Commands | None = ...
    ) -> Any: ...


class Client(Commands, Protocol):
    """A client of many threads."""

    connection_pool: redis.ConnectionPool

    def register_script(self, script: str) -> Script: ...
    def pipeline(self, *, transaction: bool) -> Batch: ...
    def transaction(
        self, func: Callable[[Pipeline], _T], *watches: str, value_from_callable: bool
    ) -> _T: ...


def open_client(url: str, patience_s: float) -> Client:
    """Return a client that keeps trying to reach the server for `patience_s` seconds.

    It may be used by several threads, and by the children of a fork.
    """
    client = redis.Redis.from_url(
        url,
        retry=_Patience(ConstantBackoff(RETRY_S), round(patience_s / RETRY_S)),
        socket_connect_timeout=CONNECT_S,
        socket_timeout=ANSWER_S,
    )
    return cast("Client", client)


def transact(client: Client, change: Callable[[Pipeline], _T], *watched: str) -> _T:
    """Return what `change` returns, which is repeated until no watched key changed meanwhile."""
    return client.transaction(change, *watched, value_from_callable=True)


class _Patience(Retry):
    """The retry policy of every command, including those that open a connection for another one.

    What an inner attempt raises is final, so attempts do not multiply.
    """

    def call_with_retry(
        self, do: Callable[[], _T], fail: Callable[..., Any], *options: Any, **named: Any
    ) -> _T:
        """Return what `do` returns.

        A refused connection takes no time, and an answer that does not come takes `ANSWER_S`, so
        time is what is bounded.
        """
        end_s = time.monotonic() + self.get_retries() * RETRY_S

        def fail_in_time(error: Exception, *count: int) -> None:
            fail(error, *count)
            if time.monotonic() > end_s:
                raise error

        try:
            return super().call_with_retry(do, fail_in_time, *options, **named)
        except (redis.ConnectionError, redis.TimeoutError) as error:
            raise StoreUnavailableError from error
        except redis.ResponseError as error:
            if isinstance(error, redis.OutOfMemoryError) or _CANNOT_SAVE in str(error):
                raise DiskFullError from error
            raise
