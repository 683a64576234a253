"""A run that gives way waits for its turn, and can be stopped meanwhile."""

from __future__ import annotations

import pytest

from melm_studio.runs.execution.giving_way import after_giving_way
from melm_studio.runs.records.run import RunState
from melm_studio.runs.store.attempts import requeue
from melm_studio.runs.store.protocol import RunEndedError
from melm_studio.workers.pause import PausePoint
from tests.melm_studio.runs.helpers import ManualClock


class ScriptedClock(ManualClock):
    """A clock during whose sleeps others act."""

    def __init__(self, *acts):
        super().__init__()
        self.acts = list(acts)

    def sleep(self, seconds):
        super().sleep(seconds)
        self.acts.pop(0)()


def request_turn(store, run_id, *, gives_way):
    store.update_request(run_id, lambda request: request.giving_way(gives_way))


@pytest.mark.fault
def test_a_run_waits_until_it_is_its_turn_and_says_so(store, run_id):
    seen = []
    clock = ScriptedClock(
        lambda: seen.append(store.get(run_id).gave_way_s),
        lambda: request_turn(store, run_id, gives_way=False),
    )
    request_turn(store, run_id, gives_way=True)
    request = after_giving_way(store, run_id, clock, attempt=0)
    assert not request.is_cancelled
    assert seen == [0.0]
    assert store.get(run_id).gave_way_s is None


def test_a_run_that_waits_for_its_turn_can_be_cancelled_for_a_reason(store, run_id):
    clock = ScriptedClock(
        lambda: store.update_request(run_id, lambda request: request.cancelled("Too long."))
    )
    request_turn(store, run_id, gives_way=True)
    request = after_giving_way(store, run_id, clock, attempt=0)
    assert (request.is_cancelled, request.reason) == (True, "Too long.")


def test_a_run_that_was_ended_meanwhile_stops(store, run_id):
    clock = ScriptedClock(lambda: store.transition(run_id, {RunState.RUNNING}, state=RunState.LOST))
    request_turn(store, run_id, gives_way=True)
    with pytest.raises(RunEndedError):
        after_giving_way(store, run_id, clock, attempt=0)


def test_an_attempt_that_another_worker_took_over_stops(store, run_id):
    requeue(store, store.get(run_id), n_losses=1)
    with pytest.raises(RunEndedError):
        after_giving_way(store, run_id, ManualClock(), attempt=0)
    assert not after_giving_way(store, run_id, ManualClock(), attempt=1).is_cancelled


def test_the_time_of_others_is_not_counted(store, run_id):
    clock = ScriptedClock(lambda: request_turn(store, run_id, gives_way=False))
    request_turn(store, run_id, gives_way=True)
    point = PausePoint(store, run_id, clock)
    point.passed()
    assert point.waited_s == clock.now_s > 0
