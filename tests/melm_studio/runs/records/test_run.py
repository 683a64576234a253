"""What is asked of a run adds up."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from msgspec.structs import replace

from melm_core.recipe import MOST_CURVED
from melm_studio.runs.records.outcome import FitOutcome, GammaPath
from melm_studio.runs.records.run import (
    Command,
    PlaneEvent,
    RunRecord,
    RunRequest,
    RunState,
    new_analysis,
)
from tests.melm_studio.runs.helpers import plane, run_of

PATH = GammaPath(
    gammas=(4.0,), accuracies=(0.9,), standard_errors=(0.1,), n_folds=5, chosen=4.0, level=(4.0,)
)


@pytest.mark.parametrize("order", Command)
def test_a_control_survives_the_round_trip(order):
    assert RunRequest.from_bytes(RunRequest(order, 3).to_bytes()) == RunRequest(order, 3)


def test_going_on_forgets_no_step_that_was_asked_for():
    assert RunRequest().stepped().resumed().stepped() == RunRequest(Command.PAUSE, 2)


@pytest.mark.parametrize("change", [RunRequest.paused, RunRequest.stepped, RunRequest.resumed])
def test_a_cancelled_run_stays_cancelled(change):
    assert change(RunRequest().cancelled()).is_cancelled


def test_a_record_survives_the_round_trip():
    record = replace(
        run_of("zoë"), state=RunState.FAILED, message="Zażółć", outcome=FitOutcome(n_starts=2)
    )
    assert RunRecord.from_bytes(record.to_bytes()) == record


def test_a_check_has_the_kernel_width_that_its_run_chose():
    run = replace(run_of(gamma="auto"), outcome=FitOutcome(n_starts=2, gamma_path=PATH))
    assert new_analysis(run, "check").gamma == 4.0
    assert new_analysis(run_of(gamma="auto"), "check").gamma == 2.0


def test_one_feature_alone_is_not_bent():
    run = run_of(method="lda")
    able = {n: replace(run, n_features=n).can_bend for n in (1, 2, MOST_CURVED, MOST_CURVED + 1)}
    assert able == {1: False, 2: True, MOST_CURVED: True, MOST_CURVED + 1: False}


def test_a_record_is_json_and_not_a_pickle():
    raw = run_of().to_bytes()
    assert raw.startswith(b"{")
    with pytest.raises(pickle.UnpicklingError):
        pickle.loads(raw)  # noqa: S301 - the point is that it is none


@given(
    components=hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6)),
    objective=st.floats(allow_nan=False),
)
def test_an_event_survives_bit_for_bit(components, objective):
    event = plane(objective, components=components, sequence=3, is_final=True)
    back = PlaneEvent.from_bytes(event.to_bytes())
    assert back.components.dtype == np.float64
    assert back.components.shape == components.shape
    assert back.components.tobytes() == components.tobytes()
    for name in ("sequence", "objective", "best_objective", "stage", "elapsed_s", "is_final"):
        assert getattr(back, name) == getattr(event, name)


def test_an_event_of_a_transposed_array_keeps_its_rows():
    components = np.arange(10.0).reshape(5, 2).T
    back = PlaneEvent.from_bytes(plane(components=components).to_bytes())
    np.testing.assert_array_equal(back.components, components)


def test_every_run_has_a_name_of_its_own_that_is_long_enough_not_to_be_guessed():
    names = {run_of().run_id for _ in range(100)}
    assert len(names) == 100
    assert min(map(len, names)) >= 21


@pytest.mark.parametrize(
    ("state", "is_final", "is_cut_short"),
    [
        (RunState.QUEUED, False, False),
        (RunState.RUNNING, False, False),
        (RunState.PAUSED, False, False),
        (RunState.DONE, True, False),
        (RunState.FAILED, True, True),
        (RunState.CANCELLED, True, True),
        (RunState.LOST, True, True),
    ],
)
def test_a_state_knows_whether_it_is_final_and_whether_its_work_was_done(
    state, is_final, is_cut_short
):
    assert (state.is_final, state.is_cut_short) == (is_final, is_cut_short)
