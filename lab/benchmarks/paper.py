"""The paper's own formulas in their two strongest forms, to compare with.

Czarnecki, Józefowicz and Tabor, 2015, section 3: the potential of two classes
and its gradient as sums over all pairs of rows, and L-BFGS on the penalized
objective from random starts. Ledoit-Wolf is left off.

- "row by row", as the authors' program computes it: for every row a the matrix
  of the differences w to all rows of the other class, and the sum of outer
  products w w' weighted by the kernel as one matrix product.
- "whole matrix": the kernel values of all pairs of rows at once, and the
  gradient by products of that matrix with the few projected coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
import scipy.optimize

from melm_core.base import FloatArray, IntArray
from melm_core.density import ClassDensities, kernel_classes

# From V (n_features, 2), the rows of two classes and the sum of their kernel
# covariances: log ip and its derivative by V.
LogPotential: TypeAlias = Callable[
    [FloatArray, FloatArray, FloatArray, FloatArray], tuple[float, FloatArray]
]


def fit(
    X: FloatArray, y: IntArray, form: LogPotential, *, n_init: int, seed: int, gamma: float = 1.0
) -> tuple[float, int]:
    """The best divergence of the penalized objective over random starts, and evaluations."""
    classes = kernel_classes(X, y, n_components=2, gamma=gamma, shrinkage="auto")
    stream = np.random.default_rng(seed)
    best, n_evaluations = -np.inf, 0
    for _ in range(n_init):
        start, _ = np.linalg.qr(stream.standard_normal((X.shape[1], 2)))
        result = scipy.optimize.minimize(
            _penalized, start.ravel(), args=(classes, form), jac=True, method="L-BFGS-B"
        )
        n_evaluations += result.nfev
        best = max(best, value_and_gradient(result.x.reshape(-1, 2), classes, form)[0])
    return best, n_evaluations


def value_and_gradient(
    V: FloatArray, classes: ClassDensities, form: LogPotential
) -> tuple[float, FloatArray]:
    """D_cs of two classes in nats, and its derivative by V (n_features, 2)."""
    value, gradient = 0.0, np.zeros_like(V)
    for a, b, weight in ((0, 0, 1.0), (1, 1, 1.0), (0, 1, -2.0)):
        B = classes.covariances[a] + classes.covariances[b]
        log_ip, by_V = form(V, classes.rows[a], classes.rows[b], B)
        value += weight * log_ip
        gradient += weight * by_V
    return value, gradient


def row_by_row(
    V: FloatArray, first: FloatArray, second: FloatArray, B: FloatArray
) -> tuple[float, FloatArray]:
    """One matrix product a row, with differences in the space of the data."""
    C = V.T @ B @ V
    S = np.linalg.inv(C)
    total, moment = 0.0, np.zeros_like(B)
    for row in first:
        W = row - second  # (n_second, n_features)
        Z = W @ V
        K = np.exp(-0.5 * ((Z @ S) * Z).sum(axis=1))
        total += K.sum()
        moment += (W * K[:, None]).T @ W  # sum of the outer products w w'
    M = moment / total
    log_ip = np.log(total / (len(first) * len(second))) - 0.5 * np.log(np.linalg.det(2 * np.pi * C))
    MVS, BVS = M @ V @ S, B @ V @ S
    return float(log_ip), -BVS - (MVS - BVS @ V.T @ MVS)


def whole_matrix(
    V: FloatArray, first: FloatArray, second: FloatArray, B: FloatArray
) -> tuple[float, FloatArray]:
    """All kernel values in one matrix, its products with projected coordinates only."""
    C = V.T @ B @ V
    S = np.linalg.inv(C)
    P, Q = first @ V, second @ V
    exponents = (P @ S) @ Q.T
    exponents -= 0.5 * ((P @ S) * P).sum(axis=1)[:, None]
    exponents -= 0.5 * ((Q @ S) * Q).sum(axis=1)
    K = np.exp(exponents)
    rows, columns = K.sum(axis=1), K.sum(axis=0)
    total = rows.sum()
    pull_first = rows[:, None] * P - K @ Q  # sum over the second class of K w'V
    pull_second = columns[:, None] * Q - K.T @ P
    MV = (first.T @ pull_first + second.T @ pull_second) / total
    log_ip = np.log(total / (len(first) * len(second))) - 0.5 * np.log(np.linalg.det(2 * np.pi * C))
    MVS, BVS = MV @ S, B @ V @ S
    return float(log_ip), -BVS - (MVS - BVS @ V.T @ MVS)


FORMS: Mapping[str, LogPotential] = MappingProxyType(
    {"row by row": row_by_row, "whole matrix": whole_matrix}
)


def _penalized(
    v: FloatArray, classes: ClassDensities, form: LogPotential
) -> tuple[float, FloatArray]:
    V = v.reshape(-1, 2)
    value, gradient = value_and_gradient(V, classes, form)
    excess = V.T @ V - np.eye(2)
    return float(np.square(excess).sum()) - value, (4.0 * V @ excess - gradient).ravel()
