"""The state of a run in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from melm_core.methods import METHODS, SHARED, STARTS, Choice, Setting
from melm_studio.views.types import Scores
from melm_studio.worker.records.run import PlaneEvent, RunRecord, RunState

REPRODUCED_TO = 1e-9


def title(record: RunRecord) -> str:
    """What distinguishes a run from the others on the page, as "MELM, γ 1, seed 0"."""
    method = METHODS[record.method]
    label = f"{method.label} refined" if "init" in record.parameters else method.label
    parts = [label, f"γ {record.parameters['gamma']:.3g}"]
    if method.takes("random_state") or record.parameters["held_out"]:
        parts.append(f"seed {record.parameters['random_state']}")
    return ", ".join([*parts, *_own_settings(record), *_preparation(record)])


def _preparation(record: RunRecord) -> list[str]:
    """What was done otherwise than usual to the data."""
    return [] if record.source.get("standardise", True) else ["not standardised"]


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


def kept_sentence(names: Sequence[str], share: float) -> str:
    """What a plane of these features alone keeps of the divergence."""
    *others, last = names
    listed = f"{', '.join(others)} and {last}" if others else last
    return f"{listed} alone keep {share:.0%} of the divergence."


def reproduced_sentence(expected: float, found: float) -> tuple[bool, str]:
    """Whether a divergence is what it was elsewhere, and that in words."""
    difference = abs(found - expected)
    if difference <= REPRODUCED_TO * max(1.0, abs(expected)):
        return True, f"Reproduced: divergence {found:.5g}, equal to {REPRODUCED_TO:g}."
    told = f"divergence {found:.5g} here and {expected:.5g} where the view was made"
    return False, f"Not reproduced: {told}, a difference of {difference:.2g}."


def scores_in_words(divergence: float, scores: Scores) -> str:
    """Divergence and accuracy, each with its held-out twin, without a full stop."""
    pairs = {
        "divergence": (divergence, scores.divergence_unseen),
        "accuracy": (scores.accuracy_seen, scores.accuracy_unseen),
    }
    return ", ".join(f"{name} {_twins(*pair)}" for name, pair in pairs.items())


def _twins(seen: float, unseen: float | None) -> str:
    return f"{seen:#.3g} seen" + ("" if unseen is None else f" and {unseen:#.3g} unseen")


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
        return "Starting" if event is None else _at_work(event).capitalize()
    if record.state is RunState.PAUSED:
        return "Paused" if event is None else f"Paused, {_at_work(event)}"
    if record.state is RunState.DONE and event is not None:
        return _finished(record, event)
    return record.message


def _at_work(event: PlaneEvent) -> str:
    rate = event.n_evaluations / max(event.elapsed_s, 1e-3)
    pace = f"{event.elapsed_s:.1f} s, {_grouped(round(rate))} evaluations a second"
    return f"{event.stage}, {pace}, best {event.best_objective:.3f}"


def _finished(record: RunRecord, event: PlaneEvent) -> str:
    if not METHODS[record.method].streams:
        return "Found in one step"
    counts = [_counted(event.n_evaluations, "evaluation"), f"{event.elapsed_s:.1f} s"]
    if METHODS[record.method].takes(STARTS.name):
        counts.insert(0, _starts(record))
    return ", ".join(counts)


def _starts(record: RunRecord) -> str:
    """How many there were, and how many of them are known to end in this plane."""
    n_starts = record.outcome.get("starts", record.parameters[STARTS.name])
    counted, n_agreeing = _counted(n_starts, "start"), record.outcome.get("agreeing")
    if n_agreeing is None or n_starts == 1:
        return counted
    # Starts that were left behind on the way there are not known to agree.
    share = "all" if n_agreeing == n_starts else f"at least {n_agreeing} of"
    return f"Reached by {share} {counted}"


def _counted(number: int, noun: str) -> str:
    return f"{_grouped(number)} {noun}" if number == 1 else f"{_grouped(number)} {noun}s"


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
