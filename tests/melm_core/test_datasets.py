"""Random data have the properties that their docstrings state."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from scipy.stats import multivariate_normal

from melm_core.datasets import (
    SECOND_CENTER,
    batches,
    crescents,
    five_gaussians,
    five_mixtures,
    hidden_drawing,
    masked_gaussians,
    moderation,
    pure_noise,
    two_gaussians,
    two_mixtures,
)
from melm_core.evaluation import Refits, Study, Unchanged, permutation_test
from melm_core.melm import MELM

GENERATORS = [five_gaussians, five_mixtures, two_gaussians, two_mixtures]
MANY = 40


def many(generator):
    draws = [generator(seed) for seed in range(MANY)]
    return np.vstack([X for X, _ in draws]), np.concatenate([y for _, y in draws])


@pytest.mark.parametrize("generator", GENERATORS)
def test_the_seed_decides_everything(generator):
    one, again, other = generator(3), generator(3), generator(4)
    np.testing.assert_array_equal(one[0], again[0])
    np.testing.assert_array_equal(one[1], again[1])
    assert one[0].shape != other[0].shape or not np.allclose(one[0], other[0])


@pytest.mark.parametrize(("generator", "n_features"), [(five_gaussians, 20), (five_mixtures, 10)])
def test_the_five_classes_have_200_to_400_rows_each(generator, n_features):
    sizes = [np.bincount(generator(seed)[1]) for seed in range(20)]
    assert {len(row) for row in sizes} == {5}
    assert 200 <= np.min(sizes) < 230
    assert 370 < np.max(sizes) <= 400
    assert generator(0)[0].shape[1] == n_features


@pytest.mark.parametrize(
    ("generator", "sizes"), [(two_gaussians, [200, 100]), (two_mixtures, [300, 200])]
)
def test_the_two_classes_have_the_sizes_of_the_paper(generator, sizes):
    X, y = generator(0)
    assert X.shape == (sum(sizes), 10)
    assert np.bincount(y).tolist() == sizes


def test_the_means_of_the_five_gaussians_lie_on_the_sphere_of_radius_three():
    lengths = []
    for seed in range(10):
        X, y = five_gaussians(seed)
        lengths += [np.linalg.norm(X[y == code].mean(axis=0)) for code in range(5)]
    np.testing.assert_allclose(lengths, 3.0, atol=0.35)


def test_the_spread_of_the_five_gaussians_grows_from_class_to_class():
    X, y = five_gaussians(0)
    widest = [np.linalg.eigvalsh(np.cov(X[y == code].T))[-1] for code in range(5)]
    mean = [np.trace(np.cov(X[y == code].T)) / 20 for code in range(5)]
    np.testing.assert_allclose(mean, [0.5, 1.0, 1.5, 2.0, 2.5], rtol=0.35)
    assert widest == sorted(widest)


def test_the_two_gaussians_differ_in_two_directions_by_the_covariances_of_the_paper():
    X, y = two_gaussians(0)
    for code, expected in ((0, [0.3, 2.0]), (1, [0.3, 4.0])):
        variances = np.linalg.eigvalsh(np.cov(X[y == code].T))
        np.testing.assert_allclose(variances[[0, -1]], expected, rtol=0.35)
        np.testing.assert_allclose(X[y == code].mean(axis=0), 0, atol=0.6)


def test_the_axes_of_the_two_gaussians_are_turned():
    X, y = two_gaussians(0)
    correlations = np.corrcoef(X[y == 1].T) - np.eye(10)
    assert np.abs(correlations).max() > 0.3


def test_the_two_mixtures_have_the_means_and_variances_of_the_paper():
    X, y = many(two_mixtures)
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=0.1)
    np.testing.assert_allclose(X[:, 2:].std(axis=0), 1, atol=0.02)
    # Equal shares: variance within plus the variance of the centers.
    np.testing.assert_allclose(X[y == 0, :2].var(axis=0), 0.1 + 8 / 3, rtol=0.03)
    np.testing.assert_allclose(X[y == 1, :2].var(axis=0), [0.5 + 1, 0.5 + 4], rtol=0.03)


def bayes_accuracy(X, y, densities):
    joint = np.column_stack(
        [np.log(np.mean(y == code)) + log for code, log in enumerate(densities)]
    )
    return np.mean(joint.argmax(axis=1) == y)


def test_the_best_possible_accuracy_on_the_two_mixtures_is_that_of_the_specification():
    X, y = many(two_mixtures)
    logs = []
    for variance, centers in ((0.1, [[-2, -2], [0, 0], [2, 2]]), (0.5, [[-1, -2], [1, 2]])):
        parts = [multivariate_normal(c, variance * np.eye(2)).pdf(X[:, :2]) for c in centers]
        logs.append(np.log(np.mean(parts, axis=0)))
    assert bayes_accuracy(X, y, logs) == pytest.approx(0.898, abs=0.015)


def test_the_shares_of_the_five_mixtures_leave_each_gaussian_a_third():
    X, y = five_mixtures(0)
    # A class of two Gaussians three away from the origin is far wider than either of them.
    widest = [np.linalg.eigvalsh(np.cov(X[y == code].T))[-1] for code in range(5)]
    assert min(widest) > 1.0


@pytest.mark.parametrize("preparation", [Unchanged(), None])
def test_the_largest_variance_guesses_and_the_largest_difference_does_not(preparation):
    X, y = masked_gaussians(0)
    reached = {
        method: Refits.of(Study(method, X, y, preparation=preparation)).share.balanced_accuracy
        for method in ("pca", "lda")
    }
    assert reached["pca"] < 0.25 + 2 * (0.25 * 0.75 / len(y)) ** 0.5
    assert reached["lda"] > 0.85


@pytest.mark.parametrize(
    "wrong",
    [{"n_rows": 3}, {"n_features": 4}, {"spread": 0.0}],
    ids=lambda wrong: next(iter(wrong)),
)
def test_what_cannot_be_drawn_is_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        masked_gaussians(0, **wrong)


def test_the_classes_differ_in_spread_and_in_no_mean():
    X, y = moderation(0, n_rows=20_000)
    means, spreads = (
        np.array([measure(X[y == code], axis=0) for code in (0, 1)])
        for measure in (np.mean, np.std)
    )
    np.testing.assert_allclose(means, 0.0, atol=0.05)
    assert (spreads[0, :4] > 1.3 * spreads[1, :4]).all()
    np.testing.assert_allclose(spreads[:, 4:], 1.0, atol=0.05)


def test_half_of_the_rows_are_moderate_and_the_seed_decides_which():
    assert moderation(1)[1].mean() == 0.5
    np.testing.assert_array_equal(moderation(3)[0], moderation(3)[0])
    assert (moderation(3)[0] != moderation(4)[0]).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"noise": 0.0}, "noise=0.0 must be"),
        ({"n_rows": 3}, "n_rows=3"),
        ({"n_relevant": 0}, "n_relevant=0"),
        ({"n_features": 3}, "n_features=3"),
    ],
)
def test_a_moderation_that_cannot_be_drawn_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        moderation(0, **parameters)


def test_the_drift_moves_two_features_from_batch_to_batch():
    X, y, batch = batches(0, drift=3.0)
    still = batches(0, drift=0.0)
    assert (y == still[1]).all()
    assert (batch == still[2]).all()
    moved = X - still[0]
    np.testing.assert_allclose(moved[:, 1], 2.4 * batch, atol=1e-12)
    np.testing.assert_allclose(moved[:, 2], 2.1 * batch, atol=1e-12)
    assert not np.delete(moved, [1, 2], axis=1).any()


@pytest.mark.parametrize("drift", [-1.0, float("inf"), "far"])
def test_a_drift_that_is_no_number_of_at_least_0_is_refused(drift):
    with pytest.raises(ValueError, match="drift"):
        batches(0, drift=drift)


def test_the_rows_lie_about_two_half_circles_of_radius_one():
    X, y = crescents(0, n_rows_per_class=4_000, noise=0.1)
    for code, center in enumerate([(0.0, 0.0), SECOND_CENTER]):
        radii = np.linalg.norm(X[y == code] - center, axis=1)
        assert radii.mean() == pytest.approx(1, abs=0.01)
        assert radii.std() == pytest.approx(0.1, abs=0.01)
    assert X[y == 0, 1].min() > -1e-9
    assert X[y == 1, 1].max() < SECOND_CENTER[1] + 1e-9


def test_the_angles_fill_the_half_turn_evenly():
    X, y = crescents(0, n_rows_per_class=4_000, noise=0.1)
    angles = np.arctan2(X[y == 0, 1], X[y == 0, 0])
    shares, _ = np.histogram(angles, bins=8, range=(0, np.pi))
    np.testing.assert_allclose(shares / 4_000, 1 / 8, atol=0.02)


def test_the_seed_decides_the_rows():
    np.testing.assert_array_equal(crescents(3)[0], crescents(3)[0])
    assert (crescents(3)[0] != crescents(4)[0]).all()
    np.testing.assert_array_equal(np.bincount(crescents(3)[1]), [150, 150])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"noise": 0.0}, "noise=0.0 must be"), ({"n_rows_per_class": 0}, "n_rows_per_class=0")],
)
def test_impossible_crescents_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        crescents(0, **parameters)


TURNS = np.linspace(0.0, 2.0 * np.pi, 100, endpoint=False)
RING = np.column_stack([np.cos(TURNS), 0.5 * np.sin(TURNS)])
TARGET, CODES = np.concatenate([RING, 0.3 * RING]), np.repeat([0, 1], 100)


def plane_of(points, random_state=0):
    """The directions of the drawing: those along which rows follow the points they came from."""
    X, sources = hidden_drawing(points, np.arange(len(points)), 20_000, random_state=random_state)
    return np.linalg.lstsq(X, points[sources] - points.mean(axis=0))[0]


def test_the_plane_that_separates_the_classes_is_that_of_the_drawing():
    found = MELM(n_init=2, random_state=0).fit(*hidden_drawing(TARGET, CODES, 600)).components_.T
    assert np.degrees(subspace_angles(found, plane_of(TARGET)).max()) < 15
    assert np.degrees(subspace_angles(found, plane_of(TARGET, random_state=1)).max()) > 45


def test_no_direction_varies_more_than_another():
    X, _ = hidden_drawing(TARGET, CODES, 20_000)
    np.testing.assert_allclose(np.cov(X.T), np.eye(22), atol=0.05)


def test_classes_painted_over_each_other_are_not_told_apart():
    X, y = hidden_drawing(np.repeat(RING, 2, axis=0), np.tile([0, 1], 100), 200)
    test = permutation_test(Study("lda", X, y), n_permutations=39)
    assert test.p_value > 0.05


def test_points_have_as_many_rows_up_to_one_and_all_of_them_by_default():
    _, sources = hidden_drawing(TARGET, np.arange(200), 500)
    assert set(np.bincount(sources)) == {2, 3}
    assert sorted(hidden_drawing(TARGET, np.arange(200))[1]) == list(range(200))


def test_a_straight_line_has_two_directions_by_the_width_of_the_brush():
    X, _ = hidden_drawing(np.column_stack([TURNS, TURNS]), CODES[::2], 20_000, n_noise=0)
    np.testing.assert_allclose(np.cov(X.T), np.eye(2), atol=0.05)


@pytest.mark.parametrize(
    ("points", "labels", "options"),
    [
        ([[0, 1]], [0, 1], {}),
        ([0, 1], [0, 1], {}),
        ([[0, 1], [0, 1]], [0, 1], {}),
        ([[0, 1], [0, np.inf]], [0, 1], {}),
        (TARGET, CODES, {"n_rows": 0}),
        (TARGET, CODES, {"n_noise": -1}),
    ],
)
def test_what_cannot_be_hidden_is_refused(points, labels, options):
    with pytest.raises(ValueError, match=r"points|n_rows|n_noise"):
        hidden_drawing(points, labels, **options)


def test_noise_has_the_shape_asked_for_and_even_classes():
    X, y = pure_noise()
    assert X.shape == (60, 50)
    assert np.bincount(y).tolist() == [20, 20, 20]


def test_the_same_seed_gives_the_same_noise_and_another_one_other_noise():
    np.testing.assert_array_equal(pure_noise(random_state=3)[0], pure_noise(random_state=3)[0])
    assert (pure_noise(random_state=3)[0] != pure_noise(random_state=4)[0]).all()


def test_the_labels_have_nothing_to_do_with_the_features():
    X, y = pure_noise(6_000, 5, 3)
    means = np.stack([X[y == code].mean(axis=0) for code in range(3)])
    assert np.abs(means).max() < 4 / np.sqrt(2_000)


def test_fewer_than_two_rows_of_a_class_are_refused():
    with pytest.raises(ValueError, match=r"n_rows=5 must be a whole number of at least 6"):
        pure_noise(5, 2, 3)
