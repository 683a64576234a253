"""Values that requests share, computed once, and the runs that are drawn alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Condition
from typing import Any, Protocol, TypeVar, cast

from cachetools import LRUCache, cached

from melm_core.methods import METHODS
from melm_studio.runs.records.run import RunRecord

Function = TypeVar("Function", bound=Callable[..., Any])

# Prepared data sets in a cache, in bytes and in number.
MAX_VIEWER_BYTES = 2**30
MAX_VIEWERS = 16


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


class _Rows(Protocol):
    """Rows of a viewer, as far as known."""

    n_rows: int
    feature_names: tuple[str, ...]


@dataclass(frozen=True)
class ViewerKey:
    """A run, equal to every other run that can share its viewer."""

    key: tuple[object, ...]
    record: RunRecord = field(compare=False)

    @classmethod
    def of(cls, record: RunRecord) -> ViewerKey:
        """Return the key of a run; the kernel width does not matter."""
        parameters = record.parameters
        key: tuple[object, ...] = (
            record.owner,
            record.data_id,
            parameters.held_out,
            parameters.random_state,
            parameters.n_components,
            record.is_curved,
        )
        if not METHODS[record.method].is_linear:
            key = (*key, record.method, *sorted(parameters.values.items()))
        return cls(key, record)


def size_of(viewer: _Rows) -> int:
    """The bytes of a viewer, which holds a wide table twice, as far as the cache counts them."""
    n_bytes = 2 * 8 * viewer.n_rows * len(viewer.feature_names)
    return min(MAX_VIEWER_BYTES, max(n_bytes, MAX_VIEWER_BYTES // MAX_VIEWERS))
