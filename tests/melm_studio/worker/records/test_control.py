"""What is asked of a run adds up."""

from __future__ import annotations

import pytest

from melm_studio.worker.records.control import Control, Order


@pytest.mark.parametrize("order", Order)
def test_a_control_survives_the_round_trip(order):
    assert Control.from_bytes(Control(order, 3).to_bytes()) == Control(order, 3)


def test_going_on_forgets_no_step_that_was_asked_for():
    assert Control().stepped().resumed().stepped() == Control(Order.PAUSE, 2)


@pytest.mark.parametrize("change", [Control.paused, Control.stepped, Control.resumed])
def test_a_cancelled_run_stays_cancelled(change):
    assert change(Control().cancelled()).is_cancelled
