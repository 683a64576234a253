"""The kernel width that a run is recommended, from the inner folds of a run on the same rows."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from melm_studio.runs.records.outcome import FitOutcome, GammaPath
from melm_studio.runs.records.run import can_choose_gamma, gamma_advice
from tests.melm_studio.runs.helpers import run_of

PATH = GammaPath(
    gammas=(2.0, 1.0),
    accuracies=(0.8, 0.7),
    standard_errors=(0.1, 0.1),
    n_folds=5,
    chosen=2.0,
    level=(2.0,),
)


def chosen(path=PATH, **changes):
    return replace(run_of(gamma="auto", **changes), outcome=FitOutcome(gamma_path=path))


def test_a_run_is_recommended_what_another_one_on_the_same_rows_has_chosen():
    assert gamma_advice(run_of(gamma=0.5, n_init=3), [chosen()]) == PATH


def test_the_newest_choice_counts_and_that_of_the_run_itself_most():
    newer, own = replace(PATH, chosen=1.0), replace(PATH, chosen=0.5)
    assert gamma_advice(run_of(), [chosen(), chosen(newer)]) == newer
    assert gamma_advice(chosen(own), [chosen(), chosen(newer)]) == own


@pytest.mark.parametrize(
    "changes", [{"data_id": "other"}, {"held_out": 0.4}, {"random_state": 7}, {"n_components": 3}]
)
def test_a_choice_on_other_rows_or_of_another_kind_of_plane_does_not_count(changes):
    assert gamma_advice(run_of(), [chosen(**changes)]) is None


def test_a_choice_that_is_not_made_yet_does_not_count():
    assert (
        gamma_advice(run_of(), [chosen(replace(PATH, chosen=None)), run_of(gamma="auto")]) is None
    )


def test_only_a_method_with_a_kernel_width_can_choose_it():
    assert can_choose_gamma(run_of(method="melm"))
    assert not can_choose_gamma(run_of(method="pca"))
    assert gamma_advice(run_of(method="pca"), [chosen(method="pca")]) is None
