"""The results that a run keeps beside its planes, read as one of their kind."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from typing import TypeVar

from melm_core.base import UserError
from melm_studio.configuration.messages import RESULTS_UNREADABLE
from melm_studio.record import UNREADABLE
from melm_studio.runs.store.protocol import RunStore

_T = TypeVar("_T")

_UNREADABLE = (*UNREADABLE, KeyError, EOFError, zipfile.BadZipFile)


class ReportUnreadableError(UserError):
    """The results of a run are damaged, or another version wrote them."""

    def __init__(self) -> None:
        super().__init__(RESULTS_UNREADABLE)


def stored_report(store: RunStore, run_id: str, read: Callable[[bytes], _T]) -> _T | None:
    """Return the report of a run; None before the first.

    Raises
    ------
    ReportUnreadableError
        If `read` cannot read it.
    """
    raw = store.report(run_id)
    try:
        return None if raw is None else read(raw)
    except _UNREADABLE:
        raise ReportUnreadableError from None
