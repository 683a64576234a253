"""Loadings in common units, and the number of features a plane depends on."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.linalg.planes import orthonormalize


def in_standard_units(components: FloatArray, deviations: FloatArray) -> FloatArray:
    """Return the plane in coordinates where every feature has unit standard deviation.

    It is the same projection of the same rows, whatever the scaling of the
    features when the plane was fitted, so planes fitted to differently scaled
    data become comparable.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
    deviations : ndarray of shape (n_features,)
        Standard deviations of the features that `components` projects.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        Orthonormal rows.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import in_standard_units
    >>> in_standard_units(np.array([[0.8, 0.6]]), np.array([3.0, 4.0])).round(3)
    array([[0.707, 0.707]])
    """
    return orthonormalize(components * deviations)


def features_used(components: FloatArray) -> float:
    """Effective number of features of a plane: the participation ratio of the loadings.

    It is 1 / sum_j s_j^2, where s_j is the share of feature j in the squared
    loadings. It ranges from 1 to n_features, which it reaches when all features
    have equal shares, and does not depend on the basis of the plane.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
        Orthonormal rows.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import features_used
    >>> features_used(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    2.0
    """
    shares = np.square(components).sum(axis=0) / len(components)  # (n_features,)
    return float(1.0 / np.square(shares).sum())


def loading_lengths(
    components: FloatArray, X: FloatArray, groups: IntArray | None = None
) -> FloatArray:
    """Compute how far features move rows in a plane whose rows have unit covariance.

    Of a straight feature that is the length of its loading, as arrows are drawn. Of one that bends
    it is the root mean square of the steps along its curve, in standard deviations of the feature,
    which is the same where the curve is straight.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_columns)
        Any basis of the plane.
    X : ndarray of shape (n_samples, n_columns)
    groups : ndarray of int, shape (n_columns,), optional
        The feature of each column, of which the first is the feature itself; by default every
        column is a feature.

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import loading_lengths
    >>> loading_lengths(np.array([[0.6, 0.8]]), np.array([[1.0, 0.0], [-1.0, 0.0]])).round(3)
    array([1.   , 1.333])
    """
    centered = X - X.mean(axis=0)
    projected = centered @ components.T
    covariance = projected.T @ projected / len(X)
    inverse = np.linalg.pinv(covariance, hermitian=True)
    squares = np.einsum("kf,kl,lf->f", components, inverse, components)
    if groups is not None:
        features, first, sizes = np.unique(groups, return_index=True, return_counts=True)
        squares = squares[first]
        for place in np.flatnonzero(sizes > 1):
            columns = np.flatnonzero(groups == features[place])
            steps = centered[:, columns] @ components[:, columns].T
            width = np.square(centered[:, columns[0]]).mean()
            total = np.einsum("nk,kl,nl->", steps, inverse, steps) / len(X)
            squares[place] = total / width if width else 0.0
    lengths: FloatArray = np.sqrt(np.maximum(squares, 0.0))
    return lengths
