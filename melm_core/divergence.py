"""The Cauchy-Schwarz divergence of projected class densities, and its gradient.

For two classes a and b with potentials ip (MELM paper, section 3)

    D_cs = log ip_aa + log ip_bb - 2 log ip_ab,

zero when the densities agree, growing as they part. More than two classes:
the mean over all pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import Literal, overload

import numpy as np

from melm_core._typing import FloatArray, IntArray
from melm_core.density import KernelClasses, Shrinkage, kernel_classes
from melm_core.direct import Potential, log_potential


@dataclass(frozen=True)
class DivergenceTerms:
    """The two terms of the divergence, each a mean over the class pairs.

    Attributes
    ----------
    fitting : float
        Twice the cross entropy 2 H2x(a, b): how far the classes are apart.
    regularizing : float
        H2(a) + H2(b), the Renyi entropies: how spread out the classes are.
    """

    fitting: float
    regularizing: float

    @property
    def divergence(self) -> float:
        """The fitting term less the regularizing term."""
        return self.fitting - self.regularizing


@overload
def cauchy_schwarz_divergence(
    X: FloatArray,
    y: IntArray,
    components: FloatArray,
    *,
    gamma: float = ...,
    shrinkage: Shrinkage = ...,
    return_gradient: Literal[False] = ...,
) -> float: ...


@overload
def cauchy_schwarz_divergence(
    X: FloatArray,
    y: IntArray,
    components: FloatArray,
    *,
    gamma: float = ...,
    shrinkage: Shrinkage = ...,
    return_gradient: Literal[True],
) -> tuple[float, FloatArray]: ...


def cauchy_schwarz_divergence(
    X: FloatArray,
    y: IntArray,
    components: FloatArray,
    *,
    gamma: float = 1.0,
    shrinkage: Shrinkage = 0.0,
    return_gradient: bool = False,
) -> float | tuple[float, FloatArray]:
    """Cauchy-Schwarz divergence of the class densities in the plane of `components`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes-1, each with at least two rows.
    components : ndarray of shape (n_components, n_features)
        Any full-rank rows: the value depends on their span only.
    gamma : float
        Kernel width relative to Silverman's rule.
    shrinkage : float in [0, 1] or "auto"
        Share of the pooled covariance in every class kernel, see `kernel_classes`.
    return_gradient : bool
        Also return the derivative by `components`, of their shape.
    """
    classes = kernel_classes(X, y, n_components=len(components), gamma=gamma, shrinkage=shrinkage)
    value, gradient = divergence_and_gradient(classes, components)
    return (value, gradient) if return_gradient else value


def divergence_and_gradient(
    classes: KernelClasses, components: FloatArray
) -> tuple[float, FloatArray]:
    """The divergence in the plane of `components`, and its derivative by them.

    The derivatives of every pair by the projected points are gathered a class
    and multiplied by the rows once: O(N_a N_b + N d k) work, no outer products.
    """
    projected = classes.project(components)
    n_classes = len(classes.rows)
    value = 0.0
    by_points = [np.zeros_like(rows) for rows in projected.rows]
    by_covariance = np.zeros_like(projected.covariances)
    for a, b, potential in _potentials(projected):
        weight = _pair_weight(a, b, n_classes)
        value += weight * potential.value
        by_points[a] += weight * potential.by_first
        by_points[b] += weight * potential.by_second
        by_covariance[a] += weight * potential.by_covariance
        by_covariance[b] += weight * potential.by_covariance
    gradient = 2.0 * np.einsum("cij,cjl->il", by_covariance, components @ classes.covariances)
    for points, rows in zip(by_points, classes.rows, strict=True):
        gradient += points.T @ rows
    return value, gradient


def divergence_terms(classes: KernelClasses, components: FloatArray) -> DivergenceTerms:
    """The fitting and the regularizing term in the plane of `components`."""
    n_classes = len(classes.rows)
    fitting = regularizing = 0.0
    for a, b, potential in _potentials(classes.project(components)):
        contribution = _pair_weight(a, b, n_classes) * potential.value
        if a == b:
            regularizing -= contribution
        else:
            fitting += contribution
    return DivergenceTerms(fitting, regularizing)


def _potentials(projected: KernelClasses) -> Iterator[tuple[int, int, Potential]]:
    for a, b in combinations_with_replacement(range(len(projected.rows)), 2):
        covariance = projected.covariances[a] + projected.covariances[b]
        yield a, b, log_potential(projected.rows[a], projected.rows[b], covariance)


def _pair_weight(a: int, b: int, n_classes: int) -> float:
    """Weight of log ip_ab in the mean over pairs of log ip_aa + log ip_bb - 2 log ip_ab."""
    n_pairs = n_classes * (n_classes - 1) / 2
    return (n_classes - 1) / n_pairs if a == b else -2.0 / n_pairs


def held_out_divergence(seen: KernelClasses, unseen_rows: Sequence[FloatArray]) -> float:
    """The divergence between the densities of seen rows and the densities of unseen rows.

    Every potential is taken across the two samples, with the kernels of the
    seen one: (log ip(a, a') + log ip(b, b')) - (log ip(a, b') + log ip(b, a')),
    a prime marking unseen rows, averaged over the pairs of classes. No row
    meets itself, so a plane fitted to chance gains nothing here.

    Parameters
    ----------
    seen : KernelClasses
        Projected rows and kernels.
    unseen_rows : sequence of ndarray of shape (n_unseen_of_class, n_components)
        Projected rows, at least one a class.
    """
    n_classes = len(seen.rows)
    value = 0.0
    for a, b in product(range(n_classes), repeat=2):
        covariance = seen.covariances[a] + seen.covariances[b]
        potential = log_potential(seen.rows[a], unseen_rows[b], covariance)
        halves = 1.0 if a == b else 0.5  # the ordered pairs (a, b) and (b, a) share one weight
        value += halves * _pair_weight(a, b, n_classes) * potential.value
    return value
