"""The held-out curve of a run does not depend on when it is asked for."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from melm_studio.planes.plane_scores import measured_planes
from melm_studio.runs.records.run import PlaneEvent

STEPS = [0.1, 0.3, 0.31, 0.32, 0.2, 0.25, 0.5, 0.9, 0.4, 0.91, 0.96, 1.2, 1.1, 1.2]


def history(objectives):
    bests = np.maximum.accumulate(objectives)
    return [
        PlaneEvent(
            components=np.eye(2),
            objective=objective,
            best_objective=best,
            start=1,
            n_starts=1,
            iteration=i,
            n_evaluations=i,
            stage="search",
            fraction=0.5,
            elapsed_s=0.0,
            sequence=i,
            is_final=i == len(objectives) - 1,
        )
        for i, (objective, best) in enumerate(zip(objectives, bests, strict=True))
    ]


@pytest.mark.parametrize("at", range(len(STEPS)))
def test_the_planes_are_the_same_however_the_history_is_asked_for(at):
    events = history(STEPS)
    parts = measured_planes(events[:at], None)
    parts += measured_planes(events[at:], events[at - 1] if at else None)
    assert [event.sequence for event in parts] == [
        event.sequence for event in measured_planes(events, None)
    ]


def test_only_planes_that_are_the_best_so_far_are_measured():
    found = measured_planes(history(STEPS), None)
    assert all(event.objective == event.best_objective for event in found)
    assert [event.sequence for event in found] == [0, 1, 2, 3, 6, 7, 10, 11, 13]


def test_the_first_plane_over_more_rows_is_measured_though_its_divergence_is_lower():
    on_sample, on_all_rows = history([0.5, 1.2]), history([0.9, 0.9, 1.0])
    events = [replace(event, n_sampled=2_000, is_final=False) for event in on_sample]
    events += [replace(event, sequence=event.sequence + 2) for event in on_all_rows]
    assert [event.sequence for event in measured_planes(events, None)] == [0, 1, 2, 4]


def test_a_long_run_has_some_dozens_of_measured_planes():
    rising = history(np.linspace(0.001, 3.0, 2_000).tolist())
    assert len(measured_planes(rising, None)) <= 220


def test_planes_worth_nothing_are_measured_once():
    assert len(measured_planes(history([0.0, 1e-9, -0.5, 1e-3, 0.0]), None)) == 2
