"""What the tests of the numbers share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from melm_core.base import ColumnEncoding
from melm_core.base.array_types import FloatArray, IntArray
from melm_core.linalg.planes import random_components
from melm_core.methods import METHODS
from melm_studio.tables.labeled_data import LabeledData

SIZES = (23, 17, 29, 14)
# One of each contract: blind to labels, by moments, by a search, by pairs of classes, by a kernel,
# a map of its own rows, and one that is not installed.
CONTRACTS = {"pca", "lda", "melm", "gem", "kfd", "tsne", "umap"}
# Those that need no extra; what an extra compiles itself for seconds is left to the slow tests.
EVERY_METHOD = [
    method
    if not method.extra
    else pytest.param(
        method,
        marks=[
            pytest.mark.slow,
            pytest.mark.timeout(600),
            pytest.mark.skipif(not method.is_installed, reason=f"{method.extra} is not installed"),
        ],
    )
    for method in METHODS.values()
]


def of_each_contract(keys: Iterable[str]) -> list[Any]:
    """Keys of methods as parameters: one of each contract in the gate, all in the slow tests.

    What a method does by itself is tested of all of them beside the registry.
    """
    slow = pytest.mark.slow
    return [key if key in CONTRACTS else pytest.param(key, marks=slow) for key in keys]


def classes(n_classes: int, n_features: int, seed: int = 0) -> tuple[FloatArray, IntArray]:
    """Return overlapping Gaussian classes of unequal sizes, centres and covariances."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_classes), SIZES[:n_classes])
    mixing = rng.normal(size=(n_classes, n_features, n_features))
    centres = rng.normal(size=(n_classes, n_features))
    noise = rng.normal(size=(len(y), n_features))
    return np.einsum("ni,nij->nj", noise, mixing[y]) + centres[y], y


def plane(n_components: int, n_features: int, seed: int = 0) -> FloatArray:
    return random_components(n_components, n_features, np.random.default_rng(seed))


def invertible(n: int, seed: int = 0) -> FloatArray:
    """Return a matrix whose singular values lie between 0.5 and 2."""
    rng = np.random.default_rng(seed)
    left, right = np.linalg.qr(rng.normal(size=(2, n, n)))[0]
    return (left * rng.uniform(0.5, 2.0, size=n)) @ right


def finite_differences(function: Callable[[FloatArray], float], at: FloatArray) -> FloatArray:
    """Central differences of a function by each entry of a matrix."""
    step = 1e-6
    derivative = np.empty_like(at)
    for index in np.ndindex(at.shape):
        shift = np.zeros_like(at)
        shift[index] = step
        derivative[index] = (function(at + shift) - function(at - shift)) / (2 * step)
    return derivative


def assert_gradient(gradient: FloatArray, expected: FloatArray) -> None:
    """Compare to 1e-6 of the largest entry."""
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


def assert_orthonormal(components: FloatArray) -> None:
    np.testing.assert_allclose(components @ components.T, np.eye(len(components)), atol=1e-10)


def labeled_data(X: FloatArray, y: IntArray) -> LabeledData:
    n_features = X.shape[1]
    return LabeledData(
        name="a table",
        X=X,
        y=y,
        class_names=tuple(f"class {code}" for code in range(int(y.max()) + 1)),
        feature_names=tuple(f"feature {number}" for number in range(n_features)),
        center=np.zeros(n_features),
        scale=np.ones(n_features),
        row_numbers=np.arange(1, len(y) + 1),
        steps=(),
        encodings=tuple(ColumnEncoding(f"feature {number}") for number in range(n_features)),
    )
