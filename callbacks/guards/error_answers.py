"""The answer to an error, the same for every route: a status and a sentence."""

from __future__ import annotations

import flask
from werkzeug.exceptions import InternalServerError, NotFound

from callbacks.identity import NotGrantedError
from callbacks.services import Served, services
from melm_core.base import UserError
from melm_studio.configuration.limits import DiskFullError, LimitReachedError
from melm_studio.configuration.messages import DATA_GONE
from melm_studio.planes.run_planes import DataGoneError
from melm_studio.reading import StillReadingError
from melm_studio.runs.store.protocol import StoreUnavailableError

_FAULT = (
    "The studio made an error, which is in its log. Reload the page and try again; runs continue "
    "without it."
)


# A request is repeated by itself where it says so soon; the page reads this.
REPEAT_AFTER_S, LATER_S = 1, 30
BUSY = "The studio is busy. It will answer soon."
_NOT_FOUND = "There is nothing of that name, or it is not yours."
_OF_PROGRAMS = "/api/"


def register(app: Served) -> None:
    """Connect the answers."""
    for error, answer in (
        (UserError, refuse),
        (NotGrantedError, refuse_entry),
        (LimitReachedError, refuse_at_limit),
        (DataGoneError, data_gone),
        (StoreUnavailableError, unavailable),
        (StillReadingError, still_reading),
        (NotFound, missing),
        (InternalServerError, fault),
    ):
        app.server.register_error_handler(error, answer)


def refuse(error: UserError) -> tuple[dict[str, str], int]:
    """A value in the request breaks a rule."""
    return sentence(str(error)), 400


def refuse_entry(error: NotGrantedError) -> tuple[dict[str, str], int]:
    """A request is not let in, or may not do what it asks."""
    return sentence(str(error)), error.status


def refuse_at_limit(error: LimitReachedError) -> tuple[dict[str, str], int]:
    """There is no room for what was requested."""
    return sentence(str(error)), 507 if isinstance(error, DiskFullError) else 409


def data_gone(error: DataGoneError) -> tuple[dict[str, str], int]:
    """The data of a run are no longer stored."""
    return sentence(DATA_GONE.format(days=services().settings.days_kept)), 404


def unavailable(error: StoreUnavailableError) -> tuple[dict[str, str], int]:
    """The store does not answer."""
    return sentence(str(error)), 503


def still_reading(error: StillReadingError) -> tuple[dict[str, str], int, dict[str, str]]:
    """The request is to be repeated, which the page and the client of programs do."""
    after_s = REPEAT_AFTER_S if error.is_waiting else LATER_S
    return sentence(str(error)), 503, {"Retry-After": str(after_s)}


def missing(error: NotFound) -> NotFound | tuple[dict[str, str], int]:
    """Answer that an address does not exist: to programs by a sentence, to browsers by a page."""
    is_program = flask.request.path.startswith(_OF_PROGRAMS)
    return (sentence(_NOT_FOUND), 404) if is_program else error


def fault(error: InternalServerError) -> tuple[dict[str, str], int]:
    """The studio itself is wrong; Flask has logged the traceback."""
    return sentence(_FAULT), 500


def sentence(text: str) -> dict[str, str]:
    """Return the body of an answer; uploads read "error", panels "words"."""
    return {"words": text, "error": text}
