"""Regularized class covariances: Ledoit-Wolf shrinkage, and directions that only means span.

A class covariance estimated from few rows has variances near zero along some
directions by chance, and the divergence, which divides by them, follows these.
Ledoit and Wolf's estimate mixes in as much of a scaled identity as the scatter
of the outer products of the rows asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from melm_core.base.array_types import FloatArray

Shrinkage: TypeAlias = float | Literal["auto", "ledoit-wolf"]

# Directions whose variance, with every feature scaled to unit variance, is
# below this share of the largest one are treated as not varying.
NULL_VARIANCE = 1e-10

# Where the classes do not vary but their means differ, the variance within the
# classes is taken to be this share of the variance between their means.
LEAST_VARIANCE_OF_MEANS = 0.01


def ledoit_wolf_share(offsets: FloatArray, covariance: FloatArray, n_features: int) -> float:
    """The share of a scaled identity that Ledoit and Wolf's estimate mixes into a covariance.

    Parameters
    ----------
    offsets : ndarray of shape (n_samples, n_coordinates)
        Rows less their mean, in orthonormal coordinates of a space that holds them all.
    covariance : ndarray of shape (n_coordinates, n_coordinates)
        Their covariance with divisor n_samples.
    n_features : int
        Dimension of the whole space, which the identity is of; at least n_coordinates.

    Returns
    -------
    float
        Between 0 and 1; 0 if the rows do not vary, or there is one feature.

    References
    ----------
    O. Ledoit, M. Wolf: A Well-Conditioned Estimator for Large-Dimensional
    Covariance Matrices, Journal of Multivariate Analysis 88, 2004, lemma 3.2 and section 3.2.
    """
    squares = float(np.square(covariance).sum())
    distance = squares - float(np.trace(covariance)) ** 2 / n_features
    if distance <= np.finfo(np.float64).eps * squares:
        return 0.0
    fourth = float(np.square(np.square(offsets).sum(axis=1)).mean())
    return float(np.clip((fourth - squares) / (len(offsets) * distance), 0.0, 1.0))


def ledoit_wolf(
    classes: Sequence[FloatArray], covariances: FloatArray, widths: FloatArray
) -> FloatArray:
    """Each class covariance with its own share of the identity of standardized features.

    Parameters
    ----------
    classes : sequence of ndarray of shape (n_samples_of_class, n_features)
    covariances : ndarray of shape (n_classes, n_features, n_features)
        Of the classes, divisor n_samples_of_class.
    widths : ndarray of shape (n_features,)
        Standard deviations of all rows together.

    Returns
    -------
    ndarray of shape (n_classes, n_features, n_features)
    """
    units = inverse_widths(widths)
    scale, n_features = np.outer(units, units), int((widths > 0).sum())
    shrunk = np.empty_like(covariances)
    for code, (rows, covariance) in enumerate(zip(classes, covariances, strict=True)):
        standard = covariance * scale
        share = ledoit_wolf_share((rows - rows.mean(axis=0)) * units, standard, n_features)
        variance = np.trace(standard) / max(n_features, 1)
        shrunk[code] = (1.0 - share) * covariance + share * variance * np.diag(widths**2)
    return shrunk


def variance_of_means(pooled: FloatArray, between: FloatArray) -> FloatArray:
    """What to add to every class covariance so that no direction of the means is null.

    A direction in which no class varies separates the classes exactly if their means
    differ there. Whitening would drop it.

    Parameters
    ----------
    pooled, between : ndarray of shape (n_features, n_features)
        Covariances within the classes and of their means.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        LEAST_VARIANCE_OF_MEANS of the covariance of the means, within the null space of
        the pooled covariance; zero where that space is empty.
    """
    widths = np.sqrt(np.diag(pooled) + np.diag(between))
    units = inverse_widths(widths)
    scale = np.outer(units, units)
    variances, directions = np.linalg.eigh(pooled * scale)
    largest = variances.max(initial=np.finfo(np.float64).tiny)
    null = directions[:, variances <= NULL_VARIANCE * largest]
    if null.shape[1] == 0:
        return np.zeros_like(pooled)
    within = null @ (null.T @ (between * scale) @ null) @ null.T
    lift: FloatArray = LEAST_VARIANCE_OF_MEANS * within * np.outer(widths, widths)
    return lift


def covariance_of_means(
    means: FloatArray, counts: Sequence[float] | FloatArray
) -> FloatArray:
    """Covariance of the class means, weighted by the rows of each.

    Parameters
    ----------
    means : ndarray of shape (n_classes, n_features)
    counts : sequence of float
    """
    shares = np.asarray(counts, dtype=np.float64) / np.sum(counts)
    offsets = means - shares @ means
    covariance: FloatArray = (offsets * shares[:, None]).T @ offsets
    return covariance


def inverse_widths(widths: FloatArray) -> FloatArray:
    """One over each width, 0 where that is 0."""
    return np.divide(1.0, widths, out=np.zeros_like(widths), where=widths > 0)
