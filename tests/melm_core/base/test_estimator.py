"""A row of weight 2 counts as two rows, and one of weight 0 as none."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.utils
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from melm_core import (
    GEM,
    MELM,
    MELMCV,
    BaggedMELM,
    ChernoffDiscriminantPlane,
    ClassPCAPlane,
    ClassSecondMoments,
    DiscriminantPlane,
    GEMPlane,
    KernelDensityClassifier,
    OPLSDiscriminantPlane,
    PerClassPCAPlane,
    PLSDiscriminantPlane,
    SignalNoisePlane,
)
from melm_core.base import UserError
from melm_core.linalg import principal_angles
from melm_core.melm import SearchOptions
from tests.melm_core.helpers import classes

X, Y = classes(3, 4)
WEIGHTS = np.random.default_rng(1).integers(0, 4, len(Y))
PLANES = [
    MELM(random_state=0, n_init=3),
    MELM(random_state=0, n_init=3, shrinkage="auto", search=SearchOptions(solver="penalty")),
    DiscriminantPlane(),
    DiscriminantPlane(shrinkage="ledoit-wolf"),
    ChernoffDiscriminantPlane(),
    ClassPCAPlane(),
    ClassPCAPlane(class_weight="balanced"),
    PerClassPCAPlane(),
    *(SignalNoisePlane(member=one) for one in ("pca", "vca", "fisher_lda", "sir", "oriented_pca")),
    PLSDiscriminantPlane(),
    OPLSDiscriminantPlane(),
    GEMPlane(),
]

each_plane = pytest.mark.parametrize("plane", PLANES, ids=str)


def repeated(rows):
    return np.repeat(rows, WEIGHTS, axis=0)


def assert_same_plane(one, other, tolerance=1e-6):
    assert principal_angles(one.components_, other.components_)[-1] < tolerance
    np.testing.assert_allclose(one.mean_, other.mean_, atol=1e-12)


@each_plane
def test_a_row_of_weight_two_counts_as_two_rows(plane):
    weighted = clone(plane).fit(X, Y, sample_weight=WEIGHTS)
    tolerance = 1e-3 if isinstance(plane, MELM) else 1e-6
    assert_same_plane(weighted, clone(plane).fit(repeated(X), repeated(Y)), tolerance)


@each_plane
def test_weights_change_the_plane(plane):
    weighted = clone(plane).fit(X, Y, sample_weight=1 + 9 * (X[:, 0] > X[:, 0].mean()))
    assert principal_angles(weighted.components_, clone(plane).fit(X, Y).components_)[-1] > 1e-2


@pytest.mark.parametrize("plane", [one for one in PLANES if "penalty" not in str(one)], ids=str)
def test_more_features_than_rows_may_have_weights(plane):
    wide, y = np.random.default_rng(2).normal(size=(12, 40)), np.arange(12) % 2
    weights = np.array([1, 2, 1, 3, 2, 1, 2, 2, 1, 1, 3, 1])
    weighted = clone(plane).fit(wide, y, sample_weight=weights)
    again = clone(plane).fit(np.repeat(wide, weights, axis=0), np.repeat(y, weights))
    assert_same_plane(weighted, again, 1e-2 if isinstance(plane, MELM) else 1e-5)


@pytest.mark.parametrize("engine", ["direct", "nufft"])
def test_the_divergence_of_weighted_rows_is_that_of_repeated_ones(engine):
    search = SearchOptions(engine=engine)
    weighted = MELM(random_state=0, search=search, n_init=1).fit(X, Y, sample_weight=WEIGHTS)
    again = MELM(random_state=0, search=search, n_init=1).fit(repeated(X), repeated(Y))
    assert weighted.divergence_ == pytest.approx(again.divergence_, rel=1e-7)
    np.testing.assert_allclose(weighted.predict_proba(X), again.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("kind", [MELMCV, BaggedMELM])
def test_a_class_without_weight_is_left_out_wherever_rows_are_drawn(kind):
    weights = (Y < 2) * 1.5
    melm = kind(1, n_init=2, random_state=0)
    weighted = clone(melm).fit(X, Y, sample_weight=weights, groups=np.arange(len(Y)) // 2)
    assert weighted.classes_.tolist() == [0, 1]
    assert np.isfinite(weighted.divergence_)


def test_densities_of_weighted_rows_are_those_of_repeated_ones():
    weighted = KernelDensityClassifier().fit(X, Y, sample_weight=WEIGHTS)
    again = KernelDensityClassifier().fit(repeated(X), repeated(Y))
    np.testing.assert_allclose(weighted.score_samples(X), again.score_samples(X), rtol=1e-9)


def test_second_moments_of_blocks_of_weighted_rows_add_up():
    moments = ClassSecondMoments()
    for block in np.array_split(np.arange(len(Y)), 3):
        moments.partial_fit(X[block], Y[block], WEIGHTS[block])
    again = ClassSecondMoments().fit(repeated(X), repeated(Y))
    np.testing.assert_allclose(moments.moments_, again.moments_)
    np.testing.assert_allclose(moments.counts_, again.counts_)
    directions = GEM().fit(X, Y, WEIGHTS).directions_
    np.testing.assert_allclose(directions, GEM().fit_moments(again).directions_, atol=1e-9)


def test_a_pipeline_passes_weights_to_the_plane():
    pipeline = make_pipeline(StandardScaler(), DiscriminantPlane())
    pipeline.fit(X, Y, discriminantplane__sample_weight=WEIGHTS)
    scaled = StandardScaler().fit_transform(X)
    assert_same_plane(pipeline[-1], DiscriminantPlane().fit(scaled, Y, WEIGHTS))


@pytest.mark.parametrize(
    ("weights", "rule"),
    [
        (np.ones(3), r"shape \(3,\).*one weight for each of the 69 rows"),
        (np.full(69, -1.0), "the weight -1;.*at least 0"),
        (np.full(69, np.nan), "the weight nan"),
        (np.zeros(69), "only zeros"),
        (np.eye(69)[0] + (Y > 0), "has 1 row;"),
    ],
)
def test_weights_that_mean_nothing_are_refused(weights, rule):
    with pytest.raises(UserError, match=rule):
        ClassPCAPlane().fit(X, Y, sample_weight=weights)


def test_metadata_routing_passes_weights_to_the_fits_of_a_cross_validation():
    with config_context(enable_metadata_routing=True):
        weighted = KernelDensityClassifier().set_fit_request(sample_weight=True)
        weighted.set_score_request(sample_weight=False)
        parts = cross_validate(
            weighted, X, Y, cv=2, params={"sample_weight": 1 + Y}, return_estimator=True
        )
    train = parts["estimator"][0].kernel_classes_
    assert [set(own) for own in train.weights] == [{1.0}, {2.0}, {3.0}]


@pytest.mark.skipif(
    not hasattr(sklearn.utils, "get_tags"), reason="before 1.6, a pipeline has to be told to score"
)
def test_metadata_routing_passes_weights_and_groups_through_a_grid_search():
    seen = []

    class Seen(BaggedMELM):
        def fit(self, X, y=None, sample_weight=None, groups=None):
            seen.append((sample_weight, groups))
            return super().fit(X, y, sample_weight=sample_weight, groups=groups)

    with config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=True)
        melm = Seen(n_bootstrap=1, n_init=1, random_state=0).set_fit_request(
            sample_weight=True, groups=True
        )
        melm.set_score_request(sample_weight=True)
        groups = np.arange(len(Y)) % 6
        GridSearchCV(make_pipeline(scaler, melm), {"seen__gamma": [2.0]}, cv=GroupKFold(2)).fit(
            X, Y, sample_weight=1.0 + Y, groups=groups
        )
    *folds, (weights, refitted) = seen
    assert sorted(np.concatenate([np.unique(own) for _, own in folds])) == list(range(6))
    assert np.array_equal(weights, 1.0 + Y)
    assert np.array_equal(refitted, groups)
