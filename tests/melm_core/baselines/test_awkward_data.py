"""The comparison methods on data that break naive ones."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from melm_core.baselines.class_pca import ClassPCAPlane, PerClassPCAPlane
from melm_core.baselines.discriminant import ChernoffDiscriminantPlane
from melm_core.baselines.kernel_fisher import KernelFisherDiscriminant
from melm_core.baselines.nca import NeighborhoodComponentsPlane
from melm_core.baselines.partial_least_squares import OPLSDiscriminantPlane, PLSDiscriminantPlane
from melm_core.methods.wrappers.decompositions import (
    FactorAnalysisPlane,
    IndependentComponentsPlane,
    KernelPCAProjection,
    NonNegativePlane,
)
from tests.melm_core.helpers import assert_orthonormal, classes

PLANES = [
    ClassPCAPlane(),
    ClassPCAPlane(class_weight="balanced"),
    PerClassPCAPlane(),
    IndependentComponentsPlane(random_state=0),
    FactorAnalysisPlane(max_iter=100),
    NonNegativePlane(random_state=0),
    NeighborhoodComponentsPlane(max_iter=20),
    ChernoffDiscriminantPlane(),
    PLSDiscriminantPlane(),
    OPLSDiscriminantPlane(),
]
PROJECTIONS = [*PLANES, KernelPCAProjection(), KernelFisherDiscriminant()]

each_plane = pytest.mark.parametrize("plane", PLANES, ids=str)
each_projection = pytest.mark.parametrize("projection", PROJECTIONS, ids=str)


def with_constant(X, y):
    X[:, 2] = 0.1
    return X, y


def with_constant_class(X, y):
    X[y == 0] = X[0]
    return X, y


# Data on which some method or other would fail, made from three ordinary classes.
AWKWARD = {
    "one constant feature": with_constant,
    "constant within one class": with_constant_class,
    "constant": lambda X, y: (np.full_like(X, 0.1), y),
    "collinear": lambda X, y: (np.column_stack([X[:, 0], 2 * X[:, 0], 1 - X[:, 0]]), y),
    "repeated features": lambda X, y: (np.column_stack([X, X]), y),
    "repeated rows": lambda X, y: (np.repeat(X[::6], 6, axis=0), np.repeat(y[::6], 6)),
    "more features than rows": lambda X, y: (X[:60].reshape(10, -1), np.arange(10) % 2),
    "two rows a class": lambda X, y: (X[:4], np.arange(4) % 2),
    "no spread within the classes": lambda X, y: (X[:3][y], y),
    "classes of the same rows": lambda X, y: (np.tile(X[:20], (2, 1)), np.repeat([0, 1], 20)),
    "very different units": lambda X, y: (X * 10.0 ** np.arange(-6, 9, 3), y),
    "far from the origin": lambda X, y: (X + 1e6, y),
}
each_kind = pytest.mark.parametrize("kind", AWKWARD)


def awkward(kind: str):
    return AWKWARD[kind](*classes(3, 5))


@each_projection
@each_kind
def test_awkward_data_have_a_finite_picture_in_an_orthonormal_plane(projection, kind):
    X, y = awkward(kind)
    found = clone(projection).fit(X, y)
    Z = found.transform(X)
    assert Z.shape == (len(X), 2)
    assert np.isfinite(Z).all()
    if projection in PLANES:
        assert found.components_.shape == (2, X.shape[1])
        assert_orthonormal(found.components_)


@each_kind
def test_awkward_data_are_classified(kind):
    X, y = awkward(kind)
    classifier = KernelFisherDiscriminant().fit(X, y)
    assert np.isfinite(classifier.decision_function(X)).all()
    assert np.isin(classifier.predict(X), y).all()


@each_projection
@pytest.mark.parametrize(
    ("load", "n_rows"),
    [(load_iris, 150), (load_wine, 178), (load_breast_cancer, 200), (load_digits, 600)],
    ids=["iris", "wine", "breast cancer", "digits"],
)
def test_the_samples_have_a_picture_that_is_not_a_line(projection, load, n_rows):
    X, y = load(return_X_y=True)
    Z = clone(projection).fit(X[:n_rows], y[:n_rows]).transform(X[:n_rows])
    assert Z.shape == (n_rows, 2)
    assert np.linalg.matrix_rank(Z - Z.mean(axis=0)) == 2


@each_plane
@pytest.mark.parametrize("n_components", [1, 3, 5])
def test_a_plane_has_as_many_dimensions_as_asked_for(plane, n_components):
    X, y = classes(2, 5)
    found = clone(plane).set_params(n_components=n_components).fit(X, y)
    assert found.components_.shape == (n_components, 5)
    assert_orthonormal(found.components_)


@each_plane
def test_more_components_than_features_are_refused(plane):
    X, y = classes(2, 3)
    with pytest.raises(ValueError, match=r"n_components=4 exceeds the 3 feature"):
        clone(plane).set_params(n_components=4).fit(X, y)


@pytest.mark.parametrize(
    ("estimator", "parameters", "sentence"),
    [
        (IndependentComponentsPlane(), {"n_sources": 1}, "n_sources=1 must be a whole number"),
        (IndependentComponentsPlane(), {"max_iter": 0}, "max_iter=0 must be a whole number"),
        (FactorAnalysisPlane(), {"tol": 0.0}, r"tol=0.0 must be a finite number above 0"),
        (NonNegativePlane(), {"max_iter": 1.5}, r"max_iter=1.5 must be a whole number"),
        (NeighborhoodComponentsPlane(), {"max_rows": 3}, "max_rows=3 must be a whole number"),
        (NeighborhoodComponentsPlane(), {"tol": -1}, "tol=-1 must be a finite number above 0"),
        (KernelPCAProjection(), {"bandwidth": 0}, "bandwidth=0 must be a finite number above 0"),
        (KernelPCAProjection(), {"bandwidth_scale": 0}, "bandwidth_scale=0 must be a finite"),
        (KernelPCAProjection(), {"n_components": 0}, "n_components=0 must be a whole number"),
        (KernelPCAProjection(), {"max_rows": 2}, "max_rows=2 must be a whole number"),
        (KernelFisherDiscriminant(), {"regularization": 0}, "regularization=0 must be a finite"),
        (KernelFisherDiscriminant(), {"bandwidth": "mean"}, "bandwidth='mean' must be a finite"),
        (
            ClassPCAPlane(),
            {"class_weight": "size"},
            "class_weight='size' must be one of",
        ),
    ],
)
def test_a_parameter_out_of_bounds_is_named_with_its_rule(estimator, parameters, sentence):
    X, y = classes(3, 4)
    with pytest.raises(ValueError, match=sentence):
        clone(estimator).set_params(**parameters).fit(X, y)
