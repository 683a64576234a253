"""How far a run about another one is, as the dialogs beside the picture show it."""

from __future__ import annotations

from typing import Any

from melm_studio.configuration.messages import WAITS
from melm_studio.runs.records.run import RunRecord, RunState


def progress_of(current: RunRecord, fraction: float, stage: str = "") -> dict[str, Any]:
    """What every such answer says of its run.

    Parameters
    ----------
    current : RunRecord
        The run about another one.
    fraction : float
        Share of its work that is done.
    stage : str
        What it is at, where it has no message.
    """
    is_waiting = current.state is RunState.QUEUED
    return {
        "is_final": current.state.is_final,
        "can_begin": current.state.is_cut_short,
        "fraction": fraction,
        "stage": WAITS.capitalize() if is_waiting else current.message or stage,
    }
