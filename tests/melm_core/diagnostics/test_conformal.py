"""Sets of classes that hold the true one as often as promised, and may be empty."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from melm_core import DiscriminantPlane
from melm_core.base import UserError
from melm_core.density import tempered_shares
from melm_core.diagnostics import ConformalScores, Evidence, Reliability, in_set
from melm_core.evaluation import ConformalClassifier

PLANE = make_pipeline(StandardScaler(), DiscriminantPlane())
WINE = load_wine(return_X_y=True)


@pytest.fixture(scope="module")
def wine():
    return ConformalClassifier(PLANE, n_folds=5).fit(*WINE)


def two_classes(n, rng, shift=1.2):
    X, y = rng.normal(size=(n, 4)), np.arange(n) % 2
    X[:, 0] += shift * y
    return X, y


@pytest.mark.slow
def test_sets_hold_the_class_of_new_rows_as_often_as_promised():
    covered, empty = [], []
    for seed in range(12):
        X, y = two_classes(1_100, np.random.default_rng(seed))
        sets = ConformalClassifier(PLANE, n_folds=10).fit(X[:100], y[:100]).predict_set(X[100:])
        covered.append(sets[np.arange(1_000), y[100:]].mean())
        empty.append((~sets.any(axis=1)).mean())
    assert 0.87 < np.mean(covered) < 0.93
    assert np.mean(empty) < 0.03


@pytest.mark.slow
def test_rows_of_a_rare_class_are_covered_as_often_as_others():
    of_classes = []
    for seed in range(12):
        X, y = two_classes(2_000, np.random.default_rng(seed))
        own = np.r_[np.flatnonzero(y == 0)[:200], np.flatnonzero(y == 1)[:30]]
        new = np.setdiff1d(np.arange(len(y)), own)
        sets = ConformalClassifier(PLANE, n_folds=10).fit(X[own], y[own]).predict_set(X[new])
        of_classes.append([sets[y[new] == code, code].mean() for code in (0, 1)])
    assert min(np.mean(of_classes, axis=0)) > 0.87


@pytest.mark.slow
@pytest.mark.parametrize(("n", "slack"), [(22, 0.1), (102, 0.05)])
def test_coverage_spreads_over_tables_as_published(n, slack):
    """With so many rows, coverage is within the slack of 90 % in at least 90 % of tables.

    Table 1 of A. N. Angelopoulos, S. Bates: A gentle introduction to conformal prediction, 2021, by
    the Beta distribution of V. Vovk: Conditional validity of inductive conformal predictors, 2012.
    Fits do not differ here, as in split conformal prediction, of which both are.
    """
    stream, within = np.random.default_rng(0), []
    for _ in range(600):
        x = -1.0 - 8.0 * stream.random(n)
        held_out = Evidence(np.column_stack([x, np.zeros(n)]), None, has_densities=False)
        scores = ConformalScores(held_out, np.zeros(n, dtype=int), np.arange(n) % 5)
        new = -1.0 - 8.0 * np.linspace(0.0, 1.0, 2_001)
        of_new = Evidence(np.column_stack([new, np.zeros(2_001)]), None, has_densities=False)
        coverage = in_set(scores.p_values([of_new] * 5)[:, :1], 0.9).mean()
        within.append(abs(coverage - 0.9) <= slack)
    n_missed = int(0.1 * (n + 1))
    published = np.diff(beta(n + 1 - n_missed, n_missed).cdf([0.9 - slack, 0.9 + slack]))[0]
    assert published > 0.9
    assert np.mean(within) == pytest.approx(published, abs=0.03)


def test_a_row_with_a_value_times_20_is_of_no_class(wine):
    far = np.repeat(WINE[0][:1], 13, axis=0)
    far[np.arange(13), np.arange(13)] *= 20.0
    away = np.abs(np.diagonal(far) - WINE[0].mean(axis=0))
    is_far = away > 15.0 * WINE[0].std(axis=0)
    assert is_far.sum() >= 8
    assert not wine.predict_set(far)[is_far].any()
    assert wine.predict_set(WINE[0][:1]).tolist() == [[True, False, False]]


def test_rows_that_are_told_apart_are_of_one_class_and_hardly_any_of_none(wine):
    assert wine.coverage_.n_empty <= 5
    assert wine.coverage_.n_several <= 5
    assert wine.coverage_.share >= 0.95
    assert "90 % were promised" in wine.coverage_.sentence


def test_no_number_is_finer_than_the_rows_of_a_class_allow():
    X, y = two_classes(200, np.random.default_rng(0), shift=9.0)
    own = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:6]]
    model = ConformalClassifier(PLANE, n_folds=3).fit(X[own], y[own])
    assert "at least 6 of 7 can be promised" in model.notes_[0]
    assert model.predict_set(X[:20])[:, 1].all()


@pytest.mark.parametrize("has_groups", [False, True])
@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9, 0.95, 0.99])
def test_limits_give_the_sets_of_p_values_where_fits_do_not_differ(coverage, has_groups):
    """Ties, a class with too few rows for most coverages, and exactly enough ones for 90 %."""
    stream = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], [60, 19, 9])
    logs = stream.normal(size=(len(y), 3)).round(1) - 3.0 * (np.arange(3) != y[:, None])
    evidence = Evidence(logs, stream.chisquare(4, len(y)), has_densities=True)
    groups = np.arange(len(y)) // 3 if has_groups else None
    scores = ConformalScores(evidence, y, np.arange(len(y)) % 5, groups)
    new = Evidence(8.0 * stream.normal(size=(400, 3)), stream.chisquare(9, 400), has_densities=True)
    for judged in (evidence, new):
        expected = in_set(scores.p_values([judged] * 5), coverage)
        found = scores.limits(coverage).sets(judged.logs, judged.residuals)
        np.testing.assert_array_equal(found, expected)


def test_rows_of_a_group_count_once():
    stream = np.random.default_rng(0)
    patient = np.repeat(np.arange(16), 20)
    X = 3.0 * stream.normal(size=(16, 3))[patient] + stream.normal(size=(320, 3))
    model = ConformalClassifier(PLANE, n_folds=4).fit(X, patient % 2, patient)
    assert model.refits_.conformal.n_units.tolist() == [8, 8]
    assert len(model.notes_) == 2
    for group in range(16):
        assert len(np.unique(model.refits_.fold_of_rows[patient == group])) == 1


def test_probabilities_are_calibrated_by_rows_held_out():
    stream = np.random.default_rng(0)
    X, y = stream.normal(size=(120, 30)), np.arange(120) % 2
    model = ConformalClassifier(PLANE, n_folds=5).fit(X, y)
    refits = model.refits_
    before = Reliability.of(tempered_shares(refits.log_densities, 1.0), refits.y)
    after = refits.reliability
    assert before.confidence - before.accuracy > 0.15
    assert abs(after.confidence - after.accuracy) < 0.08
    assert after.brier < before.brier
    assert 0.0 < after.brier_error < 0.1
    assert model.predict_proba(stream.normal(size=(200, 30))).max(axis=1).mean() < 0.7


def test_a_classifier_is_taken_by_its_probabilities():
    X, y = two_classes(150, np.random.default_rng(0))
    model = ConformalClassifier(LogisticRegression(), n_folds=5).fit(X, y)
    assert model.coverage_.share >= 0.87
    assert model.predict_set(X).any(axis=1).all()


def test_an_estimator_without_coordinates_and_probabilities_is_refused_with_the_way_out():
    with pytest.raises(UserError, match="CalibratedClassifierCV"):
        ConformalClassifier(RidgeClassifier()).fit(*WINE)
    with pytest.raises(UserError, match=r"coverage=90 must be between 0 and 1"):
        ConformalClassifier(PLANE, coverage=90).fit(*WINE)


def evidence_of(x):
    """Of two classes on a line."""
    return Evidence(-0.5 * np.square(x[:, None] - [0.0, 2.0]), None, has_densities=True)


def test_rows_of_a_single_split_are_compared_with_each_other():
    rng, y = np.random.default_rng(0), np.arange(60) % 2
    scores = ConformalScores(evidence_of(2.0 * y + rng.standard_normal(60)), y, np.zeros(60, int))
    strange = scores.nonconformity(scores.evidence)
    for row, p_values in enumerate(scores.held_out_p_values()):
        for code in (0, 1):
            others = (y == code) & (np.arange(60) != row)
            as_strange = strange[others, code] >= strange[row, code]
            assert p_values[code] == pytest.approx((1 + as_strange.sum()) / (1 + others.sum()))


def test_in_a_single_split_a_group_is_compared_with_others():
    rng, y, groups = np.random.default_rng(0), np.arange(60) % 2, np.arange(60) // 6
    evidence = evidence_of(2.0 * y + rng.standard_normal(60))
    scores = ConformalScores(evidence, y, np.zeros(60, int), groups)
    strange, found = scores.nonconformity(evidence), scores.held_out_p_values()
    for row in (0, 25, 59):
        for code in (0, 1):
            others = (y == code) & (groups != groups[row])  # nine groups with three rows each
            as_strange = (strange[others, code] >= strange[row, code]).sum() / 3
            assert found[row, code] == pytest.approx((1 + as_strange) / (1 + 9))


def test_new_rows_are_compared_with_the_folds_that_could_be_fitted():
    rng, y = np.random.default_rng(0), np.arange(40) % 2
    fold = np.where(np.arange(40) < 20, 0, 2)  # the second could not be fitted
    evidence = evidence_of(2.0 * y + rng.standard_normal(40))
    scores, new = ConformalScores(evidence, y, fold), evidence_of(np.array([0.1, 9.0]))
    renumbered = ConformalScores(evidence, y, fold // 2)
    np.testing.assert_array_equal(scores.p_values([new] * 2), renumbered.p_values([new] * 2))
    assert scores.p_values([new] * 2).min() == pytest.approx(1 / 21)
