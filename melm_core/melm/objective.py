"""The Cauchy-Schwarz divergence of projected class densities, and its gradient.

For two classes a and b with potentials ip (MELM paper, section 3)

    D_cs = log ip_aa + log ip_bb - 2 log ip_ab,

zero when the densities agree, growing as they part. For more than two classes
`melm_core.melm.multiclass` makes one number of all pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, overload

import numpy as np
from sklearn.utils import check_X_y

from melm_core.base.array_types import FloatArray
from melm_core.base.estimator import (
    check_choice,
    check_class_sizes,
    check_components,
    check_positive,
    check_shrinkage,
)
from melm_core.density.direct_sums import log_potential
from melm_core.density.information_potentials import ENGINES, Engine, class_potentials
from melm_core.density.kernel_density import KernelClasses, Shrinkage, kernel_classes
from melm_core.melm.multiclass import AGGREGATES, DEFAULT_MULTICLASS, Multiclass


@dataclass(frozen=True)
class DivergenceTerms:
    """The two terms of the divergence, for more than two classes each a mean over the pairs.

    The mean is weighted by what each pair counts in the aggregate.

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
    X: Any,
    y: Any,
    components: Any,
    *,
    gamma: float = ...,
    shrinkage: Shrinkage = ...,
    engine: Engine = ...,
    multiclass: Multiclass = ...,
    return_gradient: Literal[False] = ...,
) -> float: ...


@overload
def cauchy_schwarz_divergence(
    X: Any,
    y: Any,
    components: Any,
    *,
    gamma: float = ...,
    shrinkage: Shrinkage = ...,
    engine: Engine = ...,
    multiclass: Multiclass = ...,
    return_gradient: Literal[True],
) -> tuple[float, FloatArray]: ...


def cauchy_schwarz_divergence(
    X: Any,
    y: Any,
    components: Any,
    *,
    gamma: float = 1.0,
    shrinkage: Shrinkage = 0.0,
    engine: Engine = "auto",
    multiclass: Multiclass = DEFAULT_MULTICLASS,
    return_gradient: bool = False,
) -> float | tuple[float, FloatArray]:
    """Cauchy-Schwarz divergence of the class densities in the plane of `components`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two or more classes, each with at least two rows.
    components : array-like of shape (n_components, n_features)
        Any full-rank rows: the value depends on their span only.
    gamma : float
        Kernel width relative to Silverman's rule.
    shrinkage : float in [0, 1] or "auto"
        Share of the pooled covariance in every class kernel, see `kernel_classes`.
    engine : "auto", "direct" or "nufft"
        How the sums are taken; both give the same numbers to 1e-8, and "auto"
        takes the faster one.
    multiclass : "mean", "softmin" or "ovr"
        One number for more than two classes, see `melm_core.melm.multiclass`.
    return_gradient : bool
        Also return the derivative by `components`, of their shape.

    Raises
    ------
    ValueError
        If an argument breaks a rule; the message names both.
    """
    classes, components = _checked(
        X, y, components, gamma=gamma, shrinkage=shrinkage, engine=engine
    )
    check_choice("multiclass", multiclass, tuple(AGGREGATES))
    compute = divergence_and_gradient if return_gradient else divergence
    return compute(classes, components, engine=engine, multiclass=multiclass)


def divergence(
    classes: KernelClasses,
    components: FloatArray,
    *,
    engine: Engine = "auto",
    multiclass: Multiclass = DEFAULT_MULTICLASS,
) -> float:
    """The divergence in the plane of `components`, without the work for its derivative."""
    projected = classes.project(components)
    logs = class_potentials(projected.rows, projected.covariances, engine).log_values
    value, _ = AGGREGATES[multiclass](logs, projected.counts)
    return value


def divergence_and_gradient(
    classes: KernelClasses,
    components: FloatArray,
    *,
    engine: Engine = "auto",
    multiclass: Multiclass = DEFAULT_MULTICLASS,
) -> tuple[float, FloatArray]:
    """The divergence in the plane of `components`, and its derivative by them.

    The derivatives by the projected points are gathered a class and multiplied
    by the rows once, so no outer products of rows are ever formed.
    """
    projected = classes.project(components)
    potentials = class_potentials(projected.rows, projected.covariances, engine)
    value, weights = AGGREGATES[multiclass](potentials.log_values, projected.counts)
    by_points, by_covariances = potentials.weighted_derivatives(weights)
    gradient = 2.0 * np.einsum("cij,cjl->il", by_covariances, classes.spread(components))
    for points, rows in zip(by_points, classes.rows, strict=True):
        gradient += classes.lift(points.T @ rows)
    return value, gradient


def divergence_terms(
    classes: KernelClasses,
    components: FloatArray,
    *,
    engine: Engine = "auto",
    multiclass: Multiclass = DEFAULT_MULTICLASS,
) -> DivergenceTerms:
    """The fitting and the regularizing term in the plane of `components`.

    For an aggregate other than the mean, each pair counts by its share in the
    derivative of the aggregate, and the difference of the terms is the
    divergence of the pairs so weighted.
    """
    projected = classes.project(components)
    logs = class_potentials(projected.rows, projected.covariances, engine).log_values
    _, weights = AGGREGATES[multiclass](logs, projected.counts)
    contributions = weights * logs
    regularizing = -float(np.trace(contributions))
    return DivergenceTerms(regularizing + float(contributions.sum()), regularizing)


def information_potentials(
    X: Any,
    y: Any,
    components: Any,
    *,
    gamma: float = 1.0,
    shrinkage: Shrinkage = 0.0,
    engine: Engine = "auto",
) -> FloatArray:
    """Logarithms of the information potentials between all classes.

    Parameters
    ----------
    X, y, components, gamma, shrinkage, engine
        As for `cauchy_schwarz_divergence`.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        log ip_ab = log of the integral of the product of the densities a and b;
        -log ip_aa is the Renyi entropy H2(a), -log ip_ab the cross entropy H2x(a, b);
        classes in the order of their sorted labels.

    Raises
    ------
    ValueError
        If an argument breaks a rule; the message names both.
    """
    classes, components = _checked(
        X, y, components, gamma=gamma, shrinkage=shrinkage, engine=engine
    )
    projected = classes.project(components)
    return class_potentials(projected.rows, projected.covariances, engine).log_values


def overlap_bound(classes: KernelClasses, components: FloatArray) -> FloatArray:
    """Upper bounds of the classes' overlap from their cross entropies (Theorem 3).

    With the projections rescaled into the unit cube,
    -log of the integral of min(f_a, f_b) over it is at least H2x(a, b) / 2.

    Parameters
    ----------
    classes : KernelClasses
    components : ndarray of shape (n_components, n_features)

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        exp(-H2x(a, b) / 2), a bound of the integral of min(f_a, f_b) over the cube.
    """
    projected = rescaled_to_unit_cube(classes.project(components))
    logs = class_potentials(projected.rows, projected.covariances).log_values
    bounds: FloatArray = np.exp(0.5 * logs)
    return bounds


def rescaled_to_unit_cube(projected: KernelClasses) -> KernelClasses:
    """Projected classes moved and stretched along each axis until the rows fill [0, 1]^k."""
    lower = np.min([rows.min(axis=0) for rows in projected.rows], axis=0)
    spans = np.max([rows.max(axis=0) for rows in projected.rows], axis=0) - lower
    return KernelClasses(
        tuple((rows - lower) / spans for rows in projected.rows),
        projected.covariances / np.outer(spans, spans),
    )


def held_out_divergence(
    seen: KernelClasses,
    unseen_rows: Sequence[FloatArray],
    *,
    multiclass: Multiclass = DEFAULT_MULTICLASS,
) -> float:
    """The divergence between the densities of seen rows and the densities of unseen rows.

    Every potential is taken across the two samples, with the kernels of the
    seen one: (log ip(a, a') + log ip(b, b')) - (log ip(a, b') + log ip(b, a')),
    a prime marking unseen rows, aggregated over the pairs of classes. No row
    meets itself, so a plane fitted to chance gains nothing here.

    Parameters
    ----------
    seen : KernelClasses
        Projected rows and kernels.
    unseen_rows : sequence of ndarray of shape (n_unseen_of_class, n_components)
        Projected rows, at least one a class.
    multiclass : "mean", "softmin" or "ovr"
    """
    pairs = product(range(len(seen.rows)), repeat=2)
    logs = np.array(
        [
            log_potential(
                seen.rows[a], unseen_rows[b], seen.covariances[a] + seen.covariances[b]
            ).value
            for a, b in pairs
        ]
    ).reshape(len(seen.rows), -1)
    # The ordered pairs (a, b) and (b, a) share one weight.
    value, _ = AGGREGATES[multiclass](0.5 * (logs + logs.T), seen.counts)
    return value


def _checked(
    X: Any, y: Any, components: Any, *, gamma: float, shrinkage: Shrinkage, engine: Engine
) -> tuple[KernelClasses, FloatArray]:
    """The classes with their kernels, and the components, of arguments that keep the rules."""
    check_positive("gamma", gamma)
    check_shrinkage(shrinkage)
    check_choice("engine", engine, ENGINES)
    X, y = check_X_y(X, y, dtype=np.float64)
    labels, codes = np.unique(y, return_inverse=True)
    check_class_sizes(labels, codes)
    components = check_components(components, X.shape[1])
    classes = kernel_classes(
        X, codes, n_components=len(components), gamma=gamma, shrinkage=shrinkage
    )
    return classes, components
