"""The paper's own formulas, as an honest person would vectorize them, to compare with.

Czarnecki, Józefowicz and Tabor, 2015, section 3: the gradient of every
potential as a sum over all pairs of rows of outer products w w', and L-BFGS
on the penalized objective from random starts. Ledoit-Wolf is left off.
"""

from __future__ import annotations

import numpy as np
import scipy.optimize

from melm_core.base import FloatArray, IntArray
from melm_core.density import KernelClasses, kernel_classes


def fit(
    X: FloatArray, y: IntArray, *, n_init: int, seed: int, gamma: float = 1.0
) -> tuple[float, int]:
    """The best divergence of the penalized objective over random starts, and evaluations."""
    classes = kernel_classes(X, y, n_components=2, gamma=gamma)
    stream = np.random.default_rng(seed)
    best, n_evaluations = -np.inf, 0
    for _ in range(n_init):
        start, _ = np.linalg.qr(stream.standard_normal((X.shape[1], 2)))
        result = scipy.optimize.minimize(
            _penalized, start.ravel(), args=(classes,), jac=True, method="L-BFGS-B"
        )
        n_evaluations += result.nfev
        best = max(best, value_and_gradient(result.x.reshape(-1, 2), classes)[0])
    return best, n_evaluations


def value_and_gradient(V: FloatArray, classes: KernelClasses) -> tuple[float, FloatArray]:
    """D_cs of two classes and its derivative by V (n_features, 2)."""
    value, gradient = 0.0, np.zeros_like(V)
    for a, b, weight in ((0, 0, 1.0), (1, 1, 1.0), (0, 1, -2.0)):
        log_ip, by_V = _log_potential(V, classes, a, b)
        value += weight * log_ip
        gradient += weight * by_V
    return value, gradient


def _penalized(v: FloatArray, classes: KernelClasses) -> tuple[float, FloatArray]:
    V = v.reshape(-1, 2)
    value, gradient = value_and_gradient(V, classes)
    excess = V.T @ V - np.eye(2)
    return float(np.square(excess).sum()) - value, (4.0 * V @ excess - gradient).ravel()


def _log_potential(
    V: FloatArray, classes: KernelClasses, a: int, b: int
) -> tuple[float, FloatArray]:
    B = classes.covariances[a] + classes.covariances[b]
    C = V.T @ B @ V
    S = np.linalg.inv(C)
    total, moment = 0.0, np.zeros_like(B)
    for row in classes.rows[a]:
        W = row - classes.rows[b]  # (n_b, n_features)
        Z = W @ V
        K = np.exp(-0.5 * np.einsum("ij,jk,ik->i", Z, S, Z))
        total += K.sum()
        moment += np.einsum("i,ij,ik->jk", K, W, W)  # sum of the outer products w w'
    M = moment / total
    n_pairs = len(classes.rows[a]) * len(classes.rows[b])
    log_ip = np.log(total / n_pairs) - 0.5 * np.log(np.linalg.det(2.0 * np.pi * C))
    MVS, BVS = M @ V @ S, B @ V @ S
    return float(log_ip), -BVS - (MVS - BVS @ V.T @ MVS)
