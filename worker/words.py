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
        f"Done: {_counted(event.n_starts, 'start')}, "
        f"{_counted(event.n_evaluations, 'evaluation')}, {event.elapsed_s:.1f} s"
    )


def _counted(number: int, noun: str) -> str:
    grouped = f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    return f"{grouped} {noun}" if number == 1 else f"{grouped} {noun}s"
