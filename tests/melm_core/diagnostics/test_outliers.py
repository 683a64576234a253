"""T² reproduces a published example, Q an exact distribution; both keep their error rates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi2
from sklearn.datasets import load_wine

from melm_core.base import UserError
from melm_core.datasets import pure_noise
from melm_core.diagnostics import PlaneDistances, SuspectLabels, residual_limit
from melm_core.diagnostics.outliers import predictive_limit
from melm_core.evaluation import Refits, Study
from melm_core.linalg import random_components

# Tracy, Young and Mason (1992): impurity, temperature, concentration of 14 runs of a process; the
# SAS/QC User's Guide reprints them under "Multivariate Control Charts".
PROCESS = np.array(
    [
        (14.92, 85.77, 42.26),
        (16.90, 83.77, 43.44),
        (17.38, 84.46, 42.74),
        (16.90, 86.27, 43.60),
        (16.92, 85.23, 43.18),
        (16.71, 83.81, 43.72),
        (17.07, 86.08, 43.33),
        (16.93, 85.85, 43.41),
        (16.71, 85.73, 43.28),
        (16.88, 86.27, 42.59),
        (16.73, 83.46, 44.00),
        (17.07, 85.81, 42.78),
        (17.60, 85.92, 43.11),
        (16.90, 84.23, 43.48),
    ]
)
PUBLISHED_T2 = [10.93, 2.04, 5.58, 3.86, 0.04, 2.25, 1.44, 1.21, 0.68, 2.17, 4.17, 1.40, 2.33, 0.90]


def test_score_distances_and_their_limit_are_those_of_tracy_young_and_mason() -> None:
    distances = PlaneDistances.of(PROCESS, np.eye(3))
    assert distances.score_distance(PROCESS).round(2).tolist() == PUBLISHED_T2
    assert distances.score_limit(0.995) == pytest.approx(8.55, abs=0.005)


def test_the_contributions_of_the_features_add_up_to_the_score_distance() -> None:
    distances = PlaneDistances.of(PROCESS, np.array([[1.0, 0.2, 0.0], [0.0, 1.0, -0.5]]))
    total = distances.contributions(PROCESS).sum(axis=1)
    assert total == pytest.approx(distances.score_distance(PROCESS))


def exceedance(limit: float, variances: np.ndarray) -> float:
    """The probability that a sum of squares of Gaussian variables is above a limit, by Imhof."""

    def integrand(u: float) -> float:
        angle = np.arctan(variances * u).sum() / 2 - limit * u / 2
        return float(np.sin(angle) / (u * np.prod(1 + (variances * u) ** 2) ** 0.25))

    end = 200.0 / variances.min() ** 0.5  # what is beyond is below 1e-6
    return 0.5 + quad(integrand, 0, end, limit=5_000)[0] / np.pi


def test_the_exceedance_of_a_chi_squared_variable_is_the_tabulated_one() -> None:
    assert exceedance(18.307, np.ones(10)) == pytest.approx(0.05, abs=1e-4)


@pytest.mark.parametrize("level", [0.95, 0.99])
@pytest.mark.parametrize("variances", [np.ones(5), np.geomspace(1, 10, 6), np.arange(1.0, 13.0)])
def test_the_residual_limit_is_exceeded_as_often_as_it_says_or_somewhat_less(
    variances: np.ndarray, level: float
) -> None:
    moments = tuple(float((variances**power).sum()) for power in (1, 2, 3))
    found = exceedance(residual_limit(moments, level), variances)
    assert 0.75 * (1 - level) < found < 1.02 * (1 - level)


@pytest.mark.parametrize("n_features", [6, 80])
def test_one_new_row_in_a_hundred_exceeds_each_limit(n_features: int) -> None:
    rng = np.random.default_rng(0)
    spread = np.geomspace(1, 5, n_features)
    fitted, new = (rng.normal(size=(n, n_features)) * spread for n in (2_000, 20_000))
    distances = PlaneDistances.of(fitted, random_components(2, n_features, rng))
    is_far = distances.score_distance(new) > distances.score_limit(is_new=True)
    is_off = distances.residual(new) > distances.residual_limit()
    assert is_far.mean() == pytest.approx(0.01, abs=0.004)
    assert is_off.mean() == pytest.approx(0.01, abs=0.004)


def test_the_limit_holds_where_one_direction_dominates_many() -> None:
    variances = np.array([100.0, *[1.0] * 1_000])
    rng = np.random.default_rng(0)
    drawn = (rng.normal(size=(5_000, 1_001)) ** 2) @ variances
    moments = tuple(float((variances**power).sum()) for power in (1, 2, 3))
    assert 1 - 2 * moments[0] * moments[2] / (3 * moments[1] ** 2) < 0
    assert np.mean(drawn > residual_limit(moments)) == pytest.approx(0.01, abs=0.005)


def test_a_plane_of_all_features_leaves_no_residual() -> None:
    X = np.random.default_rng(0).normal(size=(10, 2))
    distances = PlaneDistances.of(X, np.array([[1.0, 0.5], [0.0, 1.0]]))
    assert distances.residual(X).tolist() == [0.0] * 10
    assert distances.residual_limit() == np.inf


def test_too_few_rows_are_refused_with_the_number_needed() -> None:
    with pytest.raises(UserError, match="at least 4 rows; there are 3"):
        PlaneDistances.of(np.eye(3), np.eye(2, 3))


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(30, 4), (40, 200)])
def test_one_new_row_in_a_hundred_exceeds_each_limit_of_a_fitted_plane(
    shape: tuple[int, int],
) -> None:
    far, off = [], []
    for seed in range(12):
        X, y = pure_noise(shape[0] + 2_000, shape[1], 2, seed)
        X, new, y = X[: shape[0]], X[shape[0] :], y[: shape[0]]
        refits = Refits.of(Study("lda", X, y))
        plane, new = refits.distances(), refits.whole.preparation.apply(new)
        far.append(np.mean(plane.score_distance(new) > plane.score_limit(is_new=True)))
        off.append(np.mean(plane.residual(new) > plane.residual_limit(is_new=True)))
    assert 0.004 < np.mean(far) < 0.025
    assert 0.004 < np.mean(off) < 0.025


def test_left_out_rows_are_as_far_as_new_ones_where_features_are_many() -> None:
    refits = Refits.of(Study("lda", *pure_noise(40, 400, 2)))
    prepared = refits.whole.preparation.apply(refits.study.rows.X)
    fixed = PlaneDistances.of(prepared, refits.whole.components)
    plane = refits.distances()
    assert plane.score_limit(is_new=True) < 0.3 * fixed.score_limit(is_new=True)
    assert plane.score_limit() == fixed.score_limit()
    assert refits.left_out.is_extrapolated


def test_rows_of_a_group_are_left_out_together() -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 3)
    y = groups % 2
    X = rng.standard_normal((20, 100))[groups] + 0.1 * rng.standard_normal((60, 100))
    apart, together = (
        Refits.of(Study("lda", X, y, groups=own)).left_out for own in (np.arange(60), groups)
    )
    assert np.median(together.scores) < 0.5 * np.median(apart.scores)


def test_a_large_table_leaves_enough_rows_out() -> None:
    left_out = Refits.of(Study("lda", *pure_noise(1_000, 3, 2))).left_out
    assert len(left_out.scores) == 1_000
    assert not left_out.is_extrapolated


@pytest.mark.parametrize(("n_values", "most"), [(40, 0.035), (120, 0.015), (400, 0.013)])
@pytest.mark.parametrize("deviation", [1.0, 2.0])  # of logarithms: heavier than normal squares
def test_one_more_distance_with_a_heavy_tail_is_seldom_beyond_the_limit(
    n_values: int, most: float, deviation: float
) -> None:
    rng = np.random.default_rng(0)
    beyond = [
        np.mean(np.log(predictive_limit(np.exp(deviation * logs[0]))) < deviation * logs[1])
        for logs in rng.standard_normal((200, 2, n_values))
    ]
    assert 0.003 < np.mean(beyond) < most


def test_the_limit_of_normal_squares_is_hardly_changed_by_the_largest_ones() -> None:
    rng = np.random.default_rng(0)
    draws = rng.chisquare(3, size=(400, 120))
    beyond = [1.0 - chi2.cdf(predictive_limit(values), 3) for values in draws]
    assert 0.006 < np.mean(beyond) < 0.013
    ties = np.repeat([1.0, 2.0, 3.0], 100)
    assert predictive_limit(ties) >= 3.0


def scored(n_rows, distance, n_wrong, seed):
    """Log densities of two normal classes, labels, and which are wrong."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n_rows) % 2
    x = rng.standard_normal(n_rows) + distance * truth
    wrong = np.zeros(n_rows, dtype=bool)
    wrong[rng.permutation(n_rows)[:n_wrong]] = True
    logs = -0.5 * np.square(x[:, None] - [0.0, distance])
    return logs, np.where(wrong, 1 - truth, truth), wrong


def test_wrong_labels_far_from_their_class_are_found_with_the_class_they_look_like():
    logs, y, wrong = scored(200, 5.0, 10, 0)
    found = SuspectLabels.of(logs, y)
    assert set(np.flatnonzero(wrong)) <= set(found.rows)
    assert found.false_share <= 0.25
    np.testing.assert_array_equal(found.other, 1 - y[found.rows])
    assert "rows look mislabeled; expect" in found.words


@pytest.mark.parametrize("distance", [0.0, 1.0, 2.0, 4.0])
def test_overlap_alone_makes_no_suspects(distance):
    listed = [len(SuspectLabels.of(*scored(200, distance, 0, seed)[:2]).rows) for seed in range(40)]
    assert np.mean(np.array(listed) > 0) <= 0.1


@pytest.mark.parametrize("distance", [1.0, 2.0])
def test_wrong_labels_within_overlap_make_no_list(distance):
    listed = [
        len(SuspectLabels.of(*scored(200, distance, 10, seed)[:2]).rows) for seed in range(40)
    ]
    assert np.mean(np.array(listed) > 0) <= 0.1


def test_a_larger_false_share_makes_no_shorter_list():
    for seed in range(10):
        logs, y, _ = scored(200, 4.0, 10, seed)
        short, middle, long = (
            SuspectLabels.of(logs, y, false_share=own) for own in (0.1, 0.25, 0.5)
        )
        assert len(short.rows) <= len(middle.rows) <= len(long.rows)


def heavy(n_rows, distance, n_wrong, seed):
    """As `scored`, with tails of t with 3 degrees of freedom, in a plane."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n_rows) % 2
    places = rng.standard_t(3.0, (n_rows, 2)) / np.sqrt(3.0)
    places[:, 0] += distance * truth
    wrong = np.arange(n_rows) < n_wrong
    away = places[:, None] - np.array([[0.0, 0.0], [distance, 0.0]])
    logs = -0.5 * np.square(away).sum(axis=2)  # as if they were normal
    return logs, np.where(wrong, 1 - truth, truth), wrong


def test_strays_of_heavy_tails_make_no_suspects():
    listed = [len(SuspectLabels.of(*heavy(200, 4.0, 0, seed)[:2]).rows) for seed in range(60)]
    assert np.mean(np.array(listed) > 0) <= 0.1


def test_with_heavy_tails_wrong_labels_are_still_found():
    found = [SuspectLabels.of(*heavy(200, 6.0, 10, seed)[:2]) for seed in range(20)]
    assert np.mean([len(own.rows) > 0 for own in found]) > 0.7


@pytest.mark.parametrize("n_wrong", [0, 10])
def test_swapped_labels_of_wine_are_mostly_found(n_wrong):
    X, y = load_wine(return_X_y=True)
    hits, false, estimated = 0, 0, 0.0
    for seed in range(3):
        stream = np.random.default_rng(seed)
        wrong = stream.permutation(len(y))[:n_wrong]
        labels = y.copy()
        labels[wrong] = (y[wrong] + stream.integers(1, 3, n_wrong)) % 3
        found = Refits.of(Study("lda", X, labels, random_state=seed)).suspects()
        hits += np.isin(wrong, found.rows).sum()
        false += (~np.isin(found.rows, wrong)).sum()
        estimated += found.n_false
    assert hits >= 0.9 * 3 * n_wrong
    assert abs(false - estimated) <= 0.1 * (hits + false)


def test_no_more_of_a_list_are_false_than_it_says():
    false, estimated = [], []
    for seed in range(40):
        logs, y, wrong = scored(200, 4.0, 10, seed)
        found = SuspectLabels.of(logs, y)
        false.append((~wrong[found.rows]).sum())
        estimated.append(found.n_false)
        assert found.false_share <= 0.25
    assert np.mean(false) <= np.mean(estimated) + 1.0  # of 10 to 15


def test_a_class_of_few_rows_is_not_suspected():
    logs, y, _ = scored(200, 6.0, 0, 0)
    y[:5] = 2
    assert not np.isin(SuspectLabels.of(np.c_[logs, np.full(200, -9.0)], y).rows, range(5)).any()


def test_a_share_beyond_1_is_refused():
    with pytest.raises(ValueError, match=r"false_share=1\.5"):
        SuspectLabels.of(*scored(60, 1.0, 0, 0)[:2], false_share=1.5)
