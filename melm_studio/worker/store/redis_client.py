"""The connection to a Redis server: it comes back by itself, and says when it cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import redis
from redis.backoff import ConstantBackoff
from redis.retry import Retry

from melm_studio.worker.records.limits import DiskFullError
from melm_studio.worker.store.protocol import StoreUnavailableError

CONNECT_S = 2.0
# Of one command, the transport of the largest upload included.
ANSWER_S = 60.0
RETRY_S = 0.1

# Their own types leave open whether answers are bytes or text; here they are bytes.
Client: TypeAlias = Any
Pipeline: TypeAlias = Any

_CANNOT_SAVE = "MISCONF "

_T = TypeVar("_T")


def open_client(url: str, patience_s: float) -> Client:
    """Return a client that tries for so long to reach the server, then says that it cannot.

    It may be used by several threads, and by the children of a fork.
    """
    return redis.Redis.from_url(
        url,
        retry=_Patience(ConstantBackoff(RETRY_S), round(patience_s / RETRY_S)),
        socket_connect_timeout=CONNECT_S,
        socket_timeout=ANSWER_S,
    )


class _Patience(Retry):
    """Every command passes here, those that open a connection within another one's attempt too.

    What an inner attempt raises is final, so attempts do not multiply.
    """

    def call_with_retry(
        self, do: Callable[[], _T], fail: Callable[..., Any], *options: Any, **named: Any
    ) -> _T:
        """Return what `do` returns."""
        try:
            return super().call_with_retry(do, fail, *options, **named)
        except (redis.ConnectionError, redis.TimeoutError) as error:
            raise StoreUnavailableError from error
        except redis.ResponseError as error:
            if isinstance(error, redis.OutOfMemoryError) or _CANNOT_SAVE in str(error):
                raise DiskFullError from error
            raise
