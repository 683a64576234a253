"""Requests under servers that have no queue of their own, such as gunicorn: some threads stay free.

The embedded server puts off what it has no thread for (`fair_requests`). Others hand every request
to a thread at once; what would take one of the last ones is to be sent again in a second.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from threading import BoundedSemaphore

import flask
from dash import Dash

from callbacks.addresses import requested_address
from callbacks.guards.error_answers import BUSY, REPEAT_AFTER_S, sentence
from callbacks.guards.fair_requests import MOST_HEAVY, not_prompt_threads
from callbacks.guards.held_connections import can_hold
from callbacks.services import services

HEAVY_WAITS_S = 5.0
_PLACES = "melm_places"


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


def register(app: Dash) -> None:
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
