"""Functions whose values are computed once, however many requests want them at the same time."""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition
from typing import Any, TypeVar, cast

from cachetools import LRUCache, cached

Function = TypeVar("Function", bound=Callable[..., Any])


def shared(function: Function, most: int, size: Callable[[Any], int] | None = None) -> Function:
    """Cache the last values of a function; a request for one that is being computed waits.

    Parameters
    ----------
    function : callable
        With hashable arguments. Where it raises an error, nothing is kept.
    most : int
        The number of values that are kept, or the sum of their sizes.
    size : callable, optional
        The size of a value, at most `most`.
    """
    cache: LRUCache[Any, Any] = LRUCache(most, getsizeof=size)
    return cast(Function, cached(cache, condition=Condition())(function))
