"""Loadings in common units, and the number of features a plane depends on."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.linalg.planes import orthonormalize


def in_standard_units(components: FloatArray, deviations: FloatArray) -> FloatArray:
    """The plane in coordinates in which every feature has unit standard deviation.

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
    >>> from melm_core.evaluation import in_standard_units
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
    >>> from melm_core.evaluation import features_used
    >>> features_used(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    2.0
    """
    shares = np.square(components).sum(axis=0) / len(components)  # (n_features,)
    return float(1.0 / np.square(shares).sum())
