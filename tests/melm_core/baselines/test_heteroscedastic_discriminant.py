from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine

from melm_core import ChernoffDiscriminantPlane, DiscriminantPlane
from melm_core.baselines.discriminant import chernoff_criterion
from melm_core.linalg import principal_angles


def test_equal_covariances_give_the_plane_of_fishers_discriminants():
    block = np.random.default_rng(0).normal(size=(60, 5))
    X = np.vstack([block, block + np.array([1, 2, 0, 0, 0]), block + np.array([0, 1, 3, 0, 1])])
    y = np.repeat([0, 1, 2], 60)
    found = ChernoffDiscriminantPlane(shrinkage=0.0).fit(X, y).components_
    assert principal_angles(found, DiscriminantPlane().fit(X, y).components_).max() < 1e-9


def test_equal_means_give_the_directions_in_which_the_covariances_differ():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4_000, 6))
    y = np.arange(4_000) % 2
    X[y == 1, 2] *= 4.0
    X[y == 1, 5] *= 0.25
    found = ChernoffDiscriminantPlane().fit(X, y).components_
    assert principal_angles(found, np.eye(6)[[2, 5]]).max() < 0.1


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_the_trace_is_the_chernoff_distance_of_two_gaussians(share):
    rng = np.random.default_rng(2)
    first = rng.normal(size=(int(1_000 * share), 3))
    other = rng.normal(size=(1_000 - len(first), 3)) @ rng.normal(size=(3, 3)) + 1.0
    X, y = np.vstack([first, other]), np.repeat([0, 1], [len(first), len(other)])
    means = [block.mean(axis=0) for block in (first, other)]
    covariances = [np.cov(block.T, bias=True) for block in (first, other)]
    both = share * covariances[0] + (1 - share) * covariances[1]
    difference = means[0] - means[1]
    logs = [np.linalg.slogdet(matrix)[1] for matrix in (both, *covariances)]
    distance = difference @ np.linalg.solve(both, difference)
    distance += (logs[0] - share * logs[1] - (1 - share) * logs[2]) / (share * (1 - share))
    trace = np.trace(chernoff_criterion(X, y, 0.0))
    assert trace == pytest.approx(share * (1 - share) * distance, rel=1e-9)


def test_without_shrinkage_the_plane_does_not_depend_on_the_units_of_the_features():
    X, y = load_wine(return_X_y=True)
    units = np.random.default_rng(3).normal(size=(13, 13))
    plain = ChernoffDiscriminantPlane(shrinkage=0.0).fit(X, y)
    mapped = ChernoffDiscriminantPlane(shrinkage=0.0).fit(X @ units, y)
    scale = X.std(axis=0)
    angles = principal_angles(plain.components_ * scale, mapped.components_ @ units.T * scale)
    assert angles.max() < 1e-5
