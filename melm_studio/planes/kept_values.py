"""Values that are computed once for all who ask for them, and of which the last are kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from functools import partial, wraps
from threading import Condition
from typing import Any, TypeVar, cast

from cachetools import LRUCache, cached

Method = TypeVar("Method", bound=Callable[..., Any])


def kept(
    most: int, key: Callable[..., Hashable], size: Callable[[Any], int] = lambda _: 1
) -> Callable[[Method], Method]:
    """Keep the last values of a method, of each object for itself.

    Who asks for one that is being computed waits for it. No value of None is kept, which may be
    another one soon, and none where the method raises an error.

    Parameters
    ----------
    most : int
        The number of values that are kept, or the sum of their sizes.
    key : callable
        What a value depends on, of the object and the arguments: equal keys share one.
    size : callable, optional
        The size of a value, at most `most`.

    Examples
    --------
    >>> class Roots:
    ...     n_computed = 0
    ...
    ...     @kept(2, key=lambda roots, number: abs(number))
    ...     def of(self, number: float) -> float:
    ...         self.n_computed += 1
    ...         return abs(number) ** 0.5
    >>> roots = Roots()
    >>> roots.of(9.0), roots.of(-9.0), roots.n_computed
    (3.0, 3.0, 1)
    """

    def size_of(value: Any) -> float:
        return math.inf if value is None else size(value)

    def decorated(method: Method) -> Method:
        name = f"_kept_{method.__name__}"

        @wraps(method)
        def found(owner: Any, *arguments: Any) -> Any:
            values = vars(owner)
            if name not in values:
                keeping = cached(LRUCache(most, size_of), partial(key, owner), None, Condition())
                values.setdefault(name, keeping(partial(method, owner)))
            return values[name](*arguments)

        return cast(Method, found)

    return decorated
