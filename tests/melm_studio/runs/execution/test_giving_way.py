"""A run that gives way waits for its turn, and can be stopped meanwhile."""

from __future__ import annotations

from collections import deque

import pytest

from melm_studio.runs.execution.giving_way import POLL_S, PausePoint, after_giving_way
from melm_studio.runs.records.run import Command, RunRequest, RunState
from melm_studio.runs.store.attempts import requeue
from melm_studio.runs.store.protocol import RunEndedError
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


class Script(ManualClock):
    """A clock; each sleep does the next thing that a user would do meanwhile."""

    def __init__(self, *actions):
        super().__init__()
        self.actions = deque(actions)

    def sleep(self, seconds):
        super().sleep(seconds)
        if self.actions:
            self.actions.popleft()()


def idle():
    """Let a poll pass."""


def state(store, run_id):
    return store.get(run_id).state


def test_a_run_that_is_not_paused_does_not_wait(store, run_id):
    clock = Script()
    point = PausePoint(store, run_id, clock)
    assert point.passed().command is Command.GO
    assert (clock.now_s, point.waited_s, point.is_held) == (0.0, 0.0, False)


def test_a_paused_run_waits_until_it_may_go_on_and_counts_the_time(store, run_id):
    seen = []
    clock = Script(
        idle,
        lambda: seen.append(state(store, run_id)),
        lambda: store.update_request(run_id, RunRequest.resumed),
    )
    point = PausePoint(store, run_id, clock)
    store.update_request(run_id, RunRequest.paused)
    assert point.passed().command is Command.GO
    assert seen == [RunState.PAUSED]
    assert state(store, run_id) is RunState.RUNNING
    assert point.waited_s == pytest.approx(3 * POLL_S)


def test_every_step_lets_one_plane_pass_and_the_run_stays_paused(store, run_id):
    clock = Script(
        lambda: store.update_request(run_id, RunRequest.stepped),
        lambda: store.update_request(run_id, RunRequest.resumed),
    )
    point = PausePoint(store, run_id, clock)
    store.update_request(run_id, RunRequest.paused)
    assert point.passed().is_paused
    assert state(store, run_id) is RunState.PAUSED
    assert point.passed().command is Command.GO
    assert clock.now_s == pytest.approx(2 * POLL_S)


def test_two_steps_asked_at_once_let_two_planes_pass(store, run_id):
    def ask_twice():
        store.update_request(run_id, RunRequest.stepped)
        store.update_request(run_id, RunRequest.stepped)

    clock = Script(ask_twice, lambda: store.update_request(run_id, RunRequest.resumed))
    point = PausePoint(store, run_id, clock)
    store.update_request(run_id, RunRequest.paused)
    assert [point.passed().is_paused for _ in range(3)] == [True, True, False]
    assert clock.now_s == pytest.approx(2 * POLL_S)


def test_a_step_that_the_run_went_on_from_is_not_owed_later(store, run_id):
    clock = Script(lambda: store.update_request(run_id, RunRequest.resumed))
    point = PausePoint(store, run_id, clock)
    store.update_request(run_id, RunRequest.stepped)
    store.update_request(run_id, RunRequest.resumed)
    point.passed()
    store.update_request(run_id, RunRequest.paused)
    assert point.passed().command is Command.GO
    assert clock.now_s == pytest.approx(POLL_S)


def test_a_request_to_stop_ends_the_pause(store, run_id):
    point = PausePoint(store, run_id, Script(lambda: store.cancel(run_id)))
    store.update_request(run_id, RunRequest.paused)
    assert point.passed().is_cancelled


def test_a_run_that_somebody_else_ended_does_not_wait_for_ever(store, run_id):
    def lose():
        store.transition(run_id, {RunState.PAUSED}, state=RunState.LOST)

    point = PausePoint(store, run_id, Script(lose))
    store.update_request(run_id, RunRequest.paused)
    with pytest.raises(RunEndedError):
        point.passed()


@pytest.mark.fault
def test_a_forgotten_pause_ends_by_itself(store, run_id):
    an_hour_s = 3_600
    point = PausePoint(store, run_id, Script(), poll_s=an_hour_s / 4)
    store.update_request(run_id, RunRequest.paused)
    assert point.passed().command is Command.GO
    assert an_hour_s <= point.waited_s <= 1.5 * an_hour_s
