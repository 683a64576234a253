from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.decomposition import PCA

from melm_core import DiscriminantPlane
from melm_core.baselines.signal_noise import MEMBERS, SignalNoisePlane, signal_noise_directions
from melm_core.gem.eigenvectors import generalized_eigenvectors
from melm_core.linalg.planes import principal_angles
from tests.melm_core.helpers import assert_orthonormal, classes, invertible

X, Y = classes(3, 5)
CENTRED = X - X.mean(axis=0)
TOTAL = CENTRED.T @ CENTRED / len(X)


def is_parallel(one, other):
    return principal_angles(one[None], other[None]).max() < 1e-7


def test_pca_is_that_of_scikit_learn():
    ratios, vectors = signal_noise_directions(X, Y, "pca")
    pca = PCA().fit(X)
    np.testing.assert_allclose(ratios, pca.explained_variance_ * (len(X) - 1) / len(X))
    np.testing.assert_allclose(np.abs(vectors.T @ pca.components_.T), np.eye(5), atol=1e-10)


def test_vca_is_pca_with_signal_and_noise_exchanged():
    ratios, vectors = signal_noise_directions(X, Y, "vca")
    variances, axes = signal_noise_directions(X, Y, "pca")
    np.testing.assert_allclose(ratios, 1.0 / variances[::-1])
    assert all(is_parallel(a, b) for a, b in zip(vectors.T, axes.T[::-1], strict=True))


def test_the_discriminants_of_fisher_are_those_of_the_discriminant_plane():
    plane = SignalNoisePlane(member="fisher_lda").fit(X, Y)
    assert plane.n_directions_ == 2
    assert (
        principal_angles(plane.components_, DiscriminantPlane().fit(X, Y).components_).max() < 1e-7
    )


def test_sliced_inverse_regression_has_the_directions_of_fisher_and_ratios_below_one():
    fisher, discriminants = signal_noise_directions(X, Y, "fisher_lda")
    sliced, directions = signal_noise_directions(X, Y, "sir")
    np.testing.assert_allclose(sliced, fisher / (1.0 + fisher), atol=1e-12)
    assert is_parallel(discriminants[:, 0], directions[:, 0])
    assert is_parallel(discriminants[:, 1], directions[:, 1])


def test_sliced_inverse_regression_is_the_principal_axes_of_the_whitened_class_means():
    variances, axes = np.linalg.eigh(TOTAL)
    whitener = axes / np.sqrt(variances)
    means = np.stack([(CENTRED @ whitener)[code == Y].mean(axis=0) for code in range(3)])[Y]
    expected = np.linalg.eigvalsh(means.T @ means / len(X))[::-1]
    ratios, _ = signal_noise_directions(X, Y, "sir")
    np.testing.assert_allclose(ratios, expected, atol=1e-12)


def test_oriented_pca_is_pca_in_units_of_the_spread_within_the_classes():
    within = sum(np.var(X[code == Y], axis=0) * np.mean(code == Y) for code in range(3))
    ratios, vectors = signal_noise_directions(X, Y, "oriented_pca")
    expected, axes = signal_noise_directions(X / np.sqrt(within), Y, "pca")
    np.testing.assert_allclose(ratios, expected)
    scaled = axes / np.sqrt(within)[:, None]
    assert all(is_parallel(a, b) for a, b in zip(vectors.T, scaled.T, strict=True))


def test_oriented_pca_maximizes_the_quotient_of_its_noise():
    noise = np.cov(np.random.default_rng(3).normal(size=(5, 20)))
    ratios, vectors = signal_noise_directions(X, Y, "oriented_pca", noise=noise)
    for direction in np.random.default_rng(4).normal(size=(200, 5)):
        assert direction @ TOTAL @ direction <= ratios[0] * (direction @ noise @ direction)
    np.testing.assert_allclose(vectors.T @ noise @ vectors, np.eye(5), atol=1e-10)
    np.testing.assert_allclose(vectors.T @ TOTAL @ vectors, np.diag(ratios), atol=1e-10)


def test_gem_is_an_oriented_pca_of_one_class_with_another_as_the_noise():
    mirrored = np.vstack([X[Y == 0], -X[Y == 0]])  # its second moment is its covariance
    labels = np.arange(len(mirrored)) % 2
    other = X[Y == 1].T @ X[Y == 1] / np.sum(Y == 1)
    ratios, _ = signal_noise_directions(mirrored, labels, "oriented_pca", noise=other)
    eigenvalues, _ = generalized_eigenvectors(X, Y, (0, 1), gamma=0.0)
    np.testing.assert_allclose(ratios, eigenvalues)


@pytest.mark.parametrize("member", ["fisher_lda", "sir"])
def test_the_ratios_of_means_survive_any_invertible_affine_map(member):
    ratios, _ = signal_noise_directions(X, Y, member)
    same, _ = signal_noise_directions(X @ invertible(5) + 3.0, Y, member)
    np.testing.assert_allclose(same, ratios, atol=1e-10)


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_each_member_gives_a_plane_of_each_sample(load, member):
    features, labels = load(return_X_y=True)
    plane = SignalNoisePlane(member=member).fit(features, labels)
    assert_orthonormal(plane.components_)
    assert (np.diff(plane.ratios_) <= 0).all()
    assert np.isfinite(plane.transform(features)).all()


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.parametrize(
    "awkward",
    [
        np.random.default_rng(0).normal(size=(10, 30)),
        np.full((10, 3), 0.1),
        np.outer(np.arange(10.0), [1, 2, 3]),
        np.column_stack([np.arange(10.0), np.ones(10), np.arange(10.0) ** 2]),
        np.repeat(np.random.default_rng(0).normal(size=(2, 4)), 5, axis=0),
        np.random.default_rng(0).normal(size=(10, 4)) * [1e-8, 1, 1e8, 0],
    ],
    ids=["wide", "constant", "collinear", "constant column", "duplicates", "units"],
)
def test_each_member_gives_a_plane_of_awkward_rows(awkward, member):
    labels = np.repeat([0, 1], 5)
    plane = SignalNoisePlane(member=member).fit(awkward, labels)
    assert_orthonormal(plane.components_)
    assert plane.components_.shape == (2, awkward.shape[1])
    assert np.isfinite(plane.ratios_).all()


@pytest.mark.parametrize("n_components", range(1, 6))
@pytest.mark.parametrize("member", MEMBERS)
def test_any_number_of_components_is_completed_to_an_orthonormal_frame(member, n_components):
    plane = SignalNoisePlane(n_components, member=member).fit(X, Y)
    assert plane.components_.shape == (n_components, 5)
    assert_orthonormal(plane.components_)
    assert len(plane.ratios_) == plane.n_directions_ <= n_components


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"member": "ica"}, "member='ica' must be one of 'pca', 'vca', 'fisher_lda', 'sir'"),
        (
            {"noise": np.eye(5)},
            "noise applies only to 'oriented_pca', and member='pca' defines its own",
        ),
        ({"member": "oriented_pca", "noise": np.eye(4)}, r"shape \(4, 4\).*5 feature"),
        ({"member": "oriented_pca", "noise": -np.eye(5)}, "noise must be a covariance"),
        ({"member": "oriented_pca", "noise": np.triu(np.ones((5, 5)))}, "must be a covariance"),
        ({"member": "oriented_pca", "noise": np.full((5, 5), np.nan)}, "must be a covariance"),
    ],
)
def test_what_is_no_signal_or_noise_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        SignalNoisePlane(**parameters).fit(X, Y)
    with pytest.raises(ValueError, match=message):
        signal_noise_directions(X, Y, **({"member": "pca"} | parameters))


def test_labels_of_one_class_are_refused():
    with pytest.raises(ValueError, match="The labels hold only one class"):
        signal_noise_directions(X, np.zeros(len(X)), "pca")


def test_values_whose_squares_overflow_are_refused_by_size():
    with pytest.raises(ValueError, match="is too large to be squared"):
        SignalNoisePlane().fit(1e200 * X, Y)
