from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

from melm_core.datasets import pure_noise
from melm_core.evaluation import Stability, Study, Unchanged, stability
from melm_core.linalg.planes import principal_angles
from melm_core.methods import METHODS
from melm_core.recipe import CurvedFeatures
from tests.melm_core.evaluation.honest_examples import blobs
from tests.melm_core.helpers import assert_orthonormal, plane

IRIS = load_iris(return_X_y=True)


def test_rows_that_lie_in_one_plane_give_that_plane_each_time():
    Z, y = blobs(60, 2, distance=2.0)
    X = Z @ plane(2, 6)
    result = stability(Study("pca", X, y, preparation=Unchanged()), n_resamples=6)
    np.testing.assert_allclose(result.angles, 0, atol=1e-7)


def test_the_plane_of_structure_moves_less_than_the_plane_of_noise():
    X, y = IRIS
    structure = stability(Study("lda", X, y), n_resamples=10)
    noise = stability(Study("lda", *pure_noise(150, 10, 3)), n_resamples=10)
    assert structure.largest_angle < 0.5 * noise.largest_angle


def test_the_more_often_the_rows_are_repeated_the_less_the_plane_moves():
    X, y = pure_noise(30, 4, 3)
    angles = [
        stability(
            Study("lda", np.tile(X, (n, 1)), np.tile(y, n), groups=np.arange(30 * n)),
            n_resamples=12,
        ).largest_angle
        for n in (1, 10, 100)
    ]
    assert angles[0] > 1.5 * angles[1] > 2.0 * angles[2]


def test_the_intervals_hold_the_loadings_of_all_rows():
    result = stability(Study("lda", *IRIS), n_resamples=10)
    assert (result.lower <= result.components).all()
    assert (result.components <= result.upper).all()
    assert result.lower.min() >= -1
    assert result.upper.max() <= 1


def test_the_intervals_hold_the_share_of_the_resamples_that_they_say():
    result = stability(Study("lda", *IRIS), n_resamples=40, confidence=0.8)
    reach = np.abs(result.planes - result.components)
    # Both ends are equally far away where neither is cut.
    within = (reach <= np.maximum(result.upper - result.components, 1e-15) + 1e-12).mean(axis=0)
    uncut = (result.upper < 1) & (result.lower > -1)
    np.testing.assert_allclose(within[uncut], 0.8, atol=0.05)


def test_more_confidence_takes_wider_intervals():
    narrow, wide = (
        stability(Study("lda", *IRIS), n_resamples=20, confidence=share) for share in (0.5, 0.95)
    )
    assert (wide.upper - wide.lower >= narrow.upper - narrow.lower).all()
    np.testing.assert_array_equal(narrow.planes, wide.planes)


def test_the_planes_are_turned_within_themselves_only():
    result = stability(Study("pca", *IRIS), n_resamples=8)
    for resampled, angles in zip(result.planes, result.angles, strict=True):
        assert_orthonormal(resampled)
        np.testing.assert_allclose(principal_angles(resampled, result.components), angles)
        # The trace is largest where the frames are aligned: the sum of the cosines.
        trace = np.trace(resampled @ result.components.T)
        assert trace == pytest.approx(np.cos(angles).sum())


def test_the_units_of_a_feature_do_not_matter():
    X, y = IRIS
    one = stability(Study("pca", X, y), n_resamples=4)
    other = stability(Study("pca", X * [1, 10, 100, 1000], y), n_resamples=4)
    np.testing.assert_allclose(one.angles, other.angles, atol=1e-8)


class Means:
    """Fills gaps by the mean of the rows that it was fitted to, and counts its fits."""

    def __init__(self):
        self.fitted = []

    def fit(self, X):
        self.fitted.append(np.nanmean(X, axis=0))
        return _Filled(self.fitted[-1])


class _Filled:
    def __init__(self, means):
        self._means = means

    def apply(self, X):
        return np.where(np.isnan(X), self._means, X)


def test_the_preparation_is_fitted_again_to_each_resample():
    X, y = IRIS
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    means = Means()
    result = stability(Study("pca", X, y, preparation=means), n_resamples=5)
    assert len(np.unique(means.fitted, axis=0)) == 6
    assert result.planes.shape == (5, 2, 4)


def test_resamples_are_counted_as_they_are_done():
    counts = []
    stability(Study("pca", *IRIS), n_resamples=3, callback=lambda _, *count: counts.append(count))
    assert counts == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.slow
def test_the_result_does_not_depend_on_how_many_resamples_are_done_at_once():
    one, two = (stability(Study("ica", *IRIS), n_resamples=4, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.planes, two.planes)


class Failing(PCA):
    """Fails at the fits of these numbers; the first is that to all rows."""

    def __init__(self, n_components=2, fails=()):
        super().__init__(n_components)
        self.fails = fails

    def fit(self, X, y=None):
        fits.append(len(X))
        if len(fits) in self.fails:
            raise ValueError(f"Fit {len(fits)} fails.")
        return super().fit(X)


fits = []


def test_a_resample_that_cannot_be_fitted_is_named_and_the_others_are_kept():
    fits.clear()
    counts = []
    found = stability(
        Study(Failing(fails=(3,)), *IRIS),
        n_resamples=4,
        callback=lambda _, *count: counts.append(count),
    )
    assert found.notes == ("Resample 2 could not be fitted and is left out: Fit 3 fails.",)
    assert counts == [(1, 4), (3, 4), (4, 4)]
    whole = stability(Study("pca", *IRIS), n_resamples=4)
    np.testing.assert_allclose(found.planes, whole.planes[[0, 2, 3]], atol=1e-12)
    assert whole.notes == ()


def test_fewer_than_two_resamples_are_no_answer():
    fits.clear()
    with pytest.raises(ValueError, match=r"^1 of 3 .* Resample 1: Fit 2 fails\.$"):
        stability(Study(Failing(fails=(2, 4)), *IRIS), n_resamples=3)


def test_a_curved_picture_has_no_plane_to_compare():
    with pytest.raises(ValueError, match=r"is nonlinear.*Choose a linear method"):
        stability(Study("kpca", *IRIS))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_resamples": 1}, "n_resamples=1 must be a whole number of at least 2"),
        ({"confidence": 1.0}, "confidence=1.0 must be between 0 and 1"),
    ],
    ids=["n_resamples", "confidence"],
)
def test_an_option_that_breaks_a_rule_is_named(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        stability(Study("pca", *IRIS), **options)


@pytest.mark.slow
def test_every_linear_method_of_the_registry_has_a_stability():
    X, y = IRIS
    quick = {"n_init": 1, "max_iter": 5, "random_state": 0}
    for key, method in METHODS.items():
        if method.is_linear:
            result = stability(Study(key, X[::3], y[::3], parameters=quick), n_resamples=2)
            assert np.isfinite(result.angles).all()


def test_features_of_the_structure_are_selected_more_often():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 8))
    X[:, 3] += 4.0 * y
    result = stability(Study("lda", X, y, parameters={"n_components": 1}), n_resamples=12)
    frequencies = result.selection_frequencies(1)
    assert frequencies[3] == 1.0
    assert frequencies.sum() == pytest.approx(1.0)
    lower, upper = result.length_interval
    assert lower[3] > np.delete(upper, 3).max()
    assert 1 <= result.n_features_used <= 8


def test_resamples_that_start_from_the_plane_of_all_rows_stay_near_it_and_are_handed_over():
    X, y = blobs(60, 4, distance=3.0)
    whole = METHODS["melm"].estimator({"n_init": 2, "random_state": 0}).fit(X, y).components_
    seen = []
    result = stability(
        Study("melm", X, y, preparation=Unchanged()),
        start=whole,
        n_resamples=3,
        callback=lambda plane, *_: seen.append(plane),
    )
    np.testing.assert_array_equal(result.components, whole)
    np.testing.assert_array_equal(result.planes, seen)
    free = stability(
        Study("melm", X, y, preparation=Unchanged(), parameters={"n_init": 4}), n_resamples=3
    )
    assert result.largest_angle <= free.largest_angle + 0.1


def test_the_mean_plane_lies_between_planes_that_turn_to_both_sides_of_it():
    def turned(angle):
        return np.array([[1.0, 0.0, 0.0], [0.0, np.cos(angle), np.sin(angle)]])

    planes = np.stack([turned(0.2), turned(-0.2)])
    found = Stability(turned(0.0), planes, np.full((2, 2), 0.2), planes[0], planes[0], 0.95)
    np.testing.assert_allclose(found.mean_plane, turned(0.0), atol=1e-12)


@pytest.mark.slow
def test_the_interval_of_a_feature_without_effect_reaches_to_0_in_most_tables():
    reaches, lowest = [], []
    for seed in range(15):
        rng = np.random.default_rng(seed)
        y = np.arange(80) % 2
        X = rng.normal(size=(80, 6))
        X[:, 0] += 2.0 * y
        parameters = {"n_components": 1}
        found = stability(
            Study("lda", X, y, parameters=parameters, random_state=seed), n_resamples=20
        )
        lower, upper = found.length_interval
        reaches.extend(lower[1:] == 0.0)
        lowest.append(lower[0])
        assert (upper >= lower).all()
        assert (upper <= 1.0).all()
    assert np.mean(reaches) > 0.85
    assert min(lowest) > 0.5


def test_intervals_of_too_few_resamples_exclude_nothing():
    lower, upper = stability(Study("lda", *IRIS), n_resamples=2).length_interval
    np.testing.assert_array_equal([lower, upper], [np.zeros(4), np.ones(4)])


def bent(seed=0, n_rows=120):
    """Columns of three features, of which the first bends and separates the classes, and labels."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % 2
    X = rng.normal(size=(n_rows, 3))
    X[:, 0] *= np.where(y == 1, 3.0, 0.5)
    X[:, 2] = 1.0
    curves = CurvedFeatures().fit(X)
    return curves.transform(X), y, curves.groups_


def feature_results(found):
    return (*found.length_interval, found.selection_frequencies(1))


def test_the_columns_of_a_curve_are_one_feature():
    Z, y, groups = bent()
    study = Study("lda", Z, y, parameters={"n_components": 1}, preparation=Unchanged())
    found = stability(study, column_groups=groups, n_resamples=20)
    lower, upper, selected = feature_results(found)
    assert [len(values) for values in (lower, upper, selected)] == [3, 3, 3]
    assert selected[0] > 0.9
    assert 0.1 < lower[0] <= upper[0] <= 1.0
    assert (lower[1], upper[2]) == (0.0, 0.0)  # the last one is constant
    assert found.n_features_used <= 2
    assert stability(study, n_resamples=20).length_interval[0].shape == (Z.shape[1],)


def test_what_is_said_of_a_curve_does_not_depend_on_the_basis_of_its_columns():
    Z, y, groups = bent(1)
    options = {"parameters": {"n_components": 1}, "preparation": Unchanged()}
    own = np.flatnonzero(groups == 0)[:4]  # the fifth depends on them
    others = np.flatnonzero(groups == 1)[:4]
    Z = Z[:, [*own, *others]]
    groups = np.repeat([0, 1], 4)
    mixed = Z.copy()
    mixed[:, :4] = Z[:, :4] @ np.random.default_rng(2).normal(size=(4, 4))
    one, other = (
        stability(Study("lda", X, y, **options), column_groups=groups, n_resamples=20)
        for X in (Z, mixed)
    )
    for value, expected in zip(feature_results(other), feature_results(one), strict=True):
        np.testing.assert_allclose(value, expected, atol=1e-6)
