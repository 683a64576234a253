"""Learning curves say what more rows would give, and refuse where they cannot."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.base import UserError
from melm_core.datasets import pure_noise
from melm_core.evaluation import Study, Unchanged, rows_needed
from melm_core.evaluation.learning_curve import PowerLaws
from tests.melm_core.evaluation.honest_examples import Needs


def two_classes(n_rows: int, n_features: int, distance: float, seed: int = 0):
    stream = np.random.default_rng(seed)
    y = np.arange(n_rows) % 2
    X = stream.standard_normal((n_rows, n_features))
    X[:, 0] += distance * y
    return X, y


def test_a_power_law_is_recovered_and_never_exceeds_one():
    sizes = np.array([10.0, 20.0, 40.0, 80.0, 160.0])
    exact = 0.9 - 0.3 * (sizes / 160.0) ** -0.5 / 3.0
    laws = PowerLaws.of(sizes, np.vstack([exact, np.linspace(0.6, 0.99, 5)]))
    assert laws.shares(np.array([640.0]))[0, 0] == pytest.approx(0.85, abs=0.01)
    assert laws.shares(np.array([1e9])).max() <= 1.0


def test_rows_of_a_clear_difference_are_enough():
    found = rows_needed(Study("lda", *two_classes(90, 3, 4.0)), n_repeats=1)
    assert found.is_shown
    assert found.is_flat
    assert found.sentence.startswith("More rows will hardly help: the curve is flat at")
    assert found.needed <= found.n_units


@pytest.mark.slow
def test_a_curve_that_rises_says_what_more_rows_give():
    found = rows_needed(Study("plsda", *two_classes(60, 40, 2.5)), n_repeats=2)
    expected, lower, upper = found.expected
    assert (lower < expected).all()
    assert (expected < upper).all()
    assert found.expectation(1).startswith("60 more rows: ")


def test_what_is_not_shown_says_how_many_rows_would_show_it():
    found = rows_needed(Study("plsda", *pure_noise(60, 30, 2)), n_repeats=1)
    assert not found.is_shown
    assert found.sentence.startswith("Not shown with 60 rows")
    assert found.needed_lower <= found.needed <= found.needed_upper


def test_patients_are_counted_and_stay_whole():
    X, _ = two_classes(160, 4, 3.0)
    patients = np.arange(160) // 4
    labels = (patients % 2)[:, None]
    found = rows_needed(Study("lda", X + 3.0 * labels, labels[:, 0], groups=patients), n_repeats=1)
    assert found.n_units == 40
    assert found.sizes[-1] == pytest.approx(32)
    assert found.unit == "group"


def test_a_class_with_few_patients_is_refused_with_the_way_out():
    X, y = two_classes(90, 3, 2.0)
    patients = np.arange(90) // 10 * 2 + y
    with pytest.raises(UserError, match=r"has 9 groups, and a learning curve needs 10.*Add groups"):
        rows_needed(Study("lda", X, y, groups=patients))


@pytest.mark.slow
def test_no_forecast_is_made_of_a_share_that_falls_with_more_rows():
    # Without regularization, a discriminant is worst where rows are as many as features.
    found = rows_needed(Study("lda", *two_classes(60, 46, 5.0)), n_repeats=3)
    assert found.falls
    assert "says nothing of more rows" in found.sentence


@pytest.mark.slow
@pytest.mark.parametrize(("distance", "seed"), [(1.5, 6), (2.0, 9)])
def test_a_curve_that_rises_again_after_a_fall_is_not_flat(distance, seed):
    # Training rows are first fewer than features, then as many, then more.
    found = rows_needed(Study("lda", *two_classes(80, 40, distance, seed)), n_repeats=2)
    assert found.is_shown
    assert min(found.shares[2:]) < found.shares[1] < found.shares[-1] + 0.1
    assert "hardly help" not in found.sentence


def test_a_callback_sees_every_size_and_may_end_it():
    class EnoughError(Exception):
        pass

    seen = []

    def after_size(found, n_done, n_all):
        seen.append((n_done, n_all))
        if n_done == 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        rows_needed(Study("lda", *two_classes(60, 3, 2.0)), n_repeats=2, callback=after_size)
    assert seen == [(1, 12), (2, 12), (3, 12)]


def test_rows_of_a_fold_that_cannot_be_fitted_are_not_told_wrongly():
    X, y = two_classes(90, 3, 6.0)
    X[8, 2] = 100.0  # of a column that says nothing
    found = rows_needed(Study(Needs(column=2), X, y, preparation=Unchanged()), n_repeats=1)
    assert found.share > 0.95
    assert any("The largest row is missing" in note for note in found.notes)
