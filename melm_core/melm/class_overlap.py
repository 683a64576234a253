"""Worth of a plane beside its divergence: class overlap, held-out divergence.

The overlap and the bound on it are those of the MELM paper, Theorem 3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.base.estimator import check_integer
from melm_core.density.class_densities import ClassDensities
from melm_core.melm.multiclass import AGGREGATES, DEFAULT_MULTICLASS, Multiclass


def overlap_bound(classes: ClassDensities, components: FloatArray) -> FloatArray:
    """Bound the overlap of the classes from above by their cross entropies.

    With the projections rescaled to the unit cube, the negative logarithm of
    the integral of min(f_a, f_b) over the cube is at least H2x(a, b) / 2.

    Parameters
    ----------
    classes : ClassDensities
    components : ndarray of shape (n_components, n_features)
        Linearly independent rows.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        exp(-H2x(a, b) / 2), a bound on the integral of min(f_a, f_b) over the cube.

    References
    ----------
    W. M. Czarnecki, R. Józefowicz, J. Tabor: Maximum Entropy Linear Manifold
    for Learning Discriminative Low-dimensional Representation, ECML PKDD 2015, Theorem 3.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.melm import overlap_bound
    >>> from melm_core.density import kernel_classes
    >>> classes = kernel_classes(*load_iris(return_X_y=True), n_components=2)
    >>> bounds = overlap_bound(classes, np.eye(4)[2:])
    >>> round(float(bounds[0, 1]), 4)
    0.0006
    """
    projected = rescaled_to_unit_cube(classes.project(components))
    bounds: FloatArray = np.exp(0.5 * projected.potentials().log_values)
    return bounds


def class_overlap(
    classes: ClassDensities, components: FloatArray, *, n_lines: int = 200
) -> FloatArray:
    """Compute the overlap of classes in the unit cube, which `overlap_bound` bounds.

    Half of it is the balanced error of the larger density, as far as that is in the cube.

    Parameters
    ----------
    classes : ClassDensities
    components : ndarray of shape (n_components, n_features)
        Linearly independent rows; as the time is that of n_lines ** n_components
        densities, one or two of them.
    n_lines : int, default=200
        Of the grid, along each axis.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        The integrals of min(f_a, f_b) over the cube that the rows fill.

    Raises
    ------
    ValueError
        If n_lines is less than 2.

    References
    ----------
    W. M. Czarnecki, R. Józefowicz, J. Tabor: Maximum Entropy Linear Manifold
    for Learning Discriminative Low-dimensional Representation, ECML PKDD 2015, Theorem 3.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.melm import class_overlap, overlap_bound
    >>> from melm_core.density import kernel_classes
    >>> classes = kernel_classes(*load_iris(return_X_y=True), n_components=2)
    >>> overlap, bound = (of(classes, np.eye(4)[2:])[1, 2] for of in (class_overlap, overlap_bound))
    >>> round(float(overlap), 2), round(float(bound), 2)
    (0.13, 1.09)
    """
    check_integer("n_lines", n_lines, minimum=2)
    cube = rescaled_to_unit_cube(classes.project(components))
    middles = (np.arange(n_lines) + 0.5) / n_lines
    axes = np.meshgrid(*[middles] * len(components))
    densities = np.exp(cube.log_densities(np.stack(axes, axis=-1).reshape(-1, len(components))))
    return np.stack(
        [np.minimum(densities, density[:, None]).mean(axis=0) for density in densities.T]
    )


def rescaled_to_unit_cube(projected: ClassDensities) -> ClassDensities:
    """Projected classes, shifted and scaled along each axis so that the rows fill [0, 1]^k."""
    lower = np.min([rows.min(axis=0) for rows in projected.rows], axis=0)
    spans = np.max([rows.max(axis=0) for rows in projected.rows], axis=0) - lower
    return ClassDensities(
        tuple((rows - lower) / spans for rows in projected.rows),
        projected.covariances / np.outer(spans, spans),
        weights=projected.weights,
    )


def held_out_divergence(
    train: ClassDensities,
    held_out_rows: Sequence[FloatArray],
    *,
    multiclass: Multiclass = DEFAULT_MULTICLASS,
) -> float:
    """Compute the divergence between the densities of training and of held-out rows.

    Every potential is computed across the two samples, with the kernels of the
    training rows: (log ip(a, a') + log ip(b, b')) - (log ip(a, b') + log ip(b, a')),
    where a prime marks held-out rows, aggregated over the pairs of classes. No
    row is paired with itself, so overfitting to noise does not raise the value.

    Parameters
    ----------
    train : ClassDensities
        Projected training rows and their kernels.
    held_out_rows : sequence of ndarray of shape (n_held_out_of_class, n_components)
        Projected held-out rows of each class, at least one per class.
    multiclass : "mean", "softmin" or "ovr"

    Returns
    -------
    float
        In nats; not bounded below by 0.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.density import kernel_classes
    >>> from melm_core.melm import divergence, held_out_divergence
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = np.eye(4)[2:]
    >>> train = kernel_classes(X[::2], y[::2], n_components=2).project(plane)
    >>> held_out = X[1::2] @ plane.T
    >>> rows = [held_out[y[1::2] == code] for code in range(3)]
    >>> round(held_out_divergence(train, rows), 2)
    4.66
    """
    logs = train.log_potentials_with(held_out_rows)
    # The ordered pairs (a, b) and (b, a) have the same weight.
    value, _ = AGGREGATES[multiclass](0.5 * (logs + logs.T), train.totals)
    return float(value)
