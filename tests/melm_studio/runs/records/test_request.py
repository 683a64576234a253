"""What is asked of a run adds up."""

from __future__ import annotations

import pytest

from melm_studio.runs.records.request import Command, RunRequest


@pytest.mark.parametrize("order", Command)
def test_a_control_survives_the_round_trip(order):
    assert RunRequest.from_bytes(RunRequest(order, 3).to_bytes()) == RunRequest(order, 3)


def test_going_on_forgets_no_step_that_was_asked_for():
    assert RunRequest().stepped().resumed().stepped() == RunRequest(Command.PAUSE, 2)


@pytest.mark.parametrize("change", [RunRequest.paused, RunRequest.stepped, RunRequest.resumed])
def test_a_cancelled_run_stays_cancelled(change):
    assert change(RunRequest().cancelled()).is_cancelled
