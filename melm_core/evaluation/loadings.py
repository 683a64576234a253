"""What planes that were found in different ways, or in other units, have in common."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.linalg.planes import orthonormalize


def in_standard_units(components: FloatArray, deviations: FloatArray) -> FloatArray:
    """The plane in coordinates in which every feature has standard deviation one.

    However the features were scaled before the plane was found, it is the same
    projection of the same rows there, so planes of differently scaled data can
    be compared.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
    deviations : ndarray of shape (n_features,)
        Standard deviation of every feature of the data that `components` project.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        Orthonormal rows.
    """
    return orthonormalize(components * deviations)


def features_used(components: FloatArray) -> float:
    """How many features a plane rests on: the participation ratio of their shares.

    The share of a feature is that of its squared loadings; the ratio is one
    over the sum of the squared shares. It is the number of features where all
    weigh the same, and does not depend on the frame of the plane.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    """
    shares = np.square(components).sum(axis=0) / len(components)  # (n_features,)
    return float(1.0 / np.square(shares).sum())
