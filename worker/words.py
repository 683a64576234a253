"""The state of a run in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from melm_core.methods import METHODS
from melm_core.parameters import SHARED, STARTS, Choice, Setting
from worker.records import PlaneEvent, RunRecord, RunState


def title(record: RunRecord) -> str:
    """What distinguishes a run from the others on the page, as "MELM, γ 1, seed 0"."""
    method = METHODS[record.method]
    label = f"{method.label} refined" if "init" in record.parameters else method.label
    parts = [label, f"γ {record.parameters['gamma']:.3g}"]
    if method.takes("random_state") or record.parameters["held_out"]:
        parts.append(f"seed {record.parameters['random_state']}")
    return ", ".join([*parts, *_own_settings(record)])


def _own_settings(record: RunRecord) -> list[str]:
    """What was set otherwise than by default, beyond the kernel width, the starts and the seed."""
    return [
        _in_words(setting, record.parameters[setting.name])
        for setting in METHODS[record.method].parameters
        if setting.name not in SHARED
        and record.parameters.get(setting.name, setting.default) != setting.default
    ]


def _in_words(setting: Setting, value: Any) -> str:
    if isinstance(setting, Choice):
        return setting.options[value].lower()
    return f"{setting.label.lower()} {value:.3g}"


def drawn_sentence(n_drawn: int, n_rows: int) -> str:
    """Says so where not every row is drawn as a point."""
    if n_drawn == n_rows:
        return ""
    return f"{_grouped(n_drawn)} of {_grouped(n_rows)} rows drawn; contours hold all"


def surface_sentence(summary: str, cautions: Sequence[str], n_fitted: int, n_seen: int) -> str:
    """What is known of a decision surface, and what it was fitted to if that is not every row."""
    part = (
        [] if n_fitted == n_seen else [f"Fitted to {_grouped(n_fitted)} of {_grouped(n_seen)} rows"]
    )
    return ". ".join([summary, *part, *cautions])


def state_sentence(record: RunRecord, event: PlaneEvent | None) -> str:
    """How far the run is, with its newest plane if there is one."""
    if record.state is RunState.QUEUED:
        return "Waiting for a free worker"
    if record.state is RunState.RUNNING:
        return "Starting" if event is None else _at_work(event)
    if record.state is RunState.DONE and event is not None:
        return _finished(record, event)
    return record.message


def _at_work(event: PlaneEvent) -> str:
    stage = event.stage.capitalize()
    return f"{stage}, {event.elapsed_s:.1f} s, best {event.best_objective:.3f}"


def _finished(record: RunRecord, event: PlaneEvent) -> str:
    if not METHODS[record.method].streams:
        return "Found in one step"
    counts = [_counted(event.n_evaluations, "evaluation"), f"{event.elapsed_s:.1f} s"]
    if METHODS[record.method].takes(STARTS.name):
        counts.insert(0, _counted(record.parameters[STARTS.name], "start"))
    return ", ".join(counts)


def _counted(number: int, noun: str) -> str:
    return f"{_grouped(number)} {noun}" if number == 1 else f"{_grouped(number)} {noun}s"


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
