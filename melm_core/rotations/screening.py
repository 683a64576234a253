"""Features ranked by the objective each reaches alone (section 6.1 of the paper)."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.rotations.class_densities import lift_flat, one_gaussian_a_class
from melm_core.rotations.objective import PosteriorObjective


def screening_objectives(X: FloatArray, y: IntArray, priors: FloatArray) -> FloatArray:
    """M of every feature alone, one Gaussian a class.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes, each with at least two rows.
    priors : ndarray of shape (n_classes,)

    Returns
    -------
    ndarray of shape (n_features,)
        A feature that does not vary has no density and counts as one that
        tells nothing: the posteriors are the priors.
    """
    knows_nothing = float(np.log(priors)[y].mean())
    return np.array([_objective(column[:, None], y, priors, knows_nothing) for column in X.T])


def _objective(column: FloatArray, y: IntArray, priors: FloatArray, otherwise: float) -> float:
    if np.ptp(column) == 0:
        return otherwise
    standard = (column - column.mean()) / column.std()
    densities = lift_flat(one_gaussian_a_class(standard, y))
    return PosteriorObjective(densities, y, priors).evaluate(np.eye(1)).value
