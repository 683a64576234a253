"""The state of a run in words."""

from __future__ import annotations

from melm_core.methods import METHODS
from worker.records import PlaneEvent, RunRecord, RunState


def title(record: RunRecord) -> str:
    """What distinguishes a run from the others on the page, as "MELM, γ 1, seed 0"."""
    method = METHODS[record.method]
    parts = [method.label, f"γ {record.parameters['gamma']:.3g}"]
    if method.takes("random_state") or record.parameters["held_out"]:
        parts.append(f"seed {record.parameters['random_state']}")
    return ", ".join(parts)


def drawn_sentence(n_drawn: int, n_rows: int) -> str:
    """Says so where not every row is drawn as a point."""
    if n_drawn == n_rows:
        return ""
    return f"{_grouped(n_drawn)} of {_grouped(n_rows)} rows drawn; contours hold all"


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
    return (
        f"{_counted(record.parameters['n_init'], 'start')}, "
        f"{_counted(event.n_evaluations, 'evaluation')}, {event.elapsed_s:.1f} s"
    )


def _counted(number: int, noun: str) -> str:
    return f"{_grouped(number)} {noun}" if number == 1 else f"{_grouped(number)} {noun}s"


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
