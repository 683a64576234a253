"""Work for somebody who may leave before it is done, and then ends.

Who asks is known where a request arrives; what takes long asks between its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar


class AbandonedError(Exception):
    """Nobody waits any more for what is being made."""


_has_left: ContextVar[Callable[[], bool]] = ContextVar("has_left", default=lambda: False)


@contextmanager
def made_for(has_left: Callable[[], bool]) -> Generator[None]:
    """Within, `go_on` ends what is made once whoever waits for it has left.

    Parameters
    ----------
    has_left : callable
        Takes a few microseconds.
    """
    token = _has_left.set(has_left)
    try:
        yield
    finally:
        _has_left.reset(token)


def go_on() -> None:
    """Go on with work that takes long; elsewhere than in a request, always.

    Not within what others wait for, too.

    Raises
    ------
    AbandonedError
        If whoever asked for it has left.

    Examples
    --------
    >>> from melm_studio.abandonment import AbandonedError, go_on, made_for
    >>> go_on()
    >>> with made_for(lambda: True):
    ...     go_on()
    Traceback (most recent call last):
    melm_studio.abandonment.AbandonedError
    """
    if _has_left.get()():
        raise AbandonedError
