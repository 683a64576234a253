"""Types that msgspec converts to, in programs with several threads."""

from __future__ import annotations

from threading import Lock
from typing import Any, TypeVar

import msgspec

_T = TypeVar("_T", bound=Any)

_learning = Lock()
_known: set[Any] = set()


def known_type(kind: _T) -> _T:
    """Return a type when msgspec has read the annotations of all that it holds.

    msgspec 0.22 enters a Struct into its table before it has read the annotations. A second thread
    that meets the same Struct meanwhile follows a pointer to nothing, and the process dies. So
    every type passes through here on its way to `msgspec.convert` or `decode`, which for the first
    time it does alone.

    Parameters
    ----------
    kind : type
        A Struct, or any other type that msgspec converts to.

    Returns
    -------
    type
        The same.

    Examples
    --------
    >>> import msgspec
    >>> msgspec.convert(["1"], known_type(list[int]), strict=False)
    [1]
    """
    if kind not in _known:
        with _learning:
            msgspec.json.Decoder(kind)
            _known.add(kind)
    return kind
