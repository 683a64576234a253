"""Ranking of the features by the objective of each one alone (section 6.1 of the paper)."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.rotations.density_models import gaussian_per_class, regularize_flat
from melm_core.rotations.objective import PosteriorObjective


def screening_objectives(X: FloatArray, y: IntArray, priors: FloatArray) -> FloatArray:
    """M of every feature alone, with one Gaussian per class.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes, each with at least two rows.
    priors : ndarray of shape (n_classes,)

    Returns
    -------
    ndarray of shape (n_features,)
        In nats. A feature that does not vary has no density; its posteriors are
        taken to be the priors.
    """
    uninformative = float(np.log(priors)[y].mean())
    return np.array([_objective(column[:, None], y, priors, uninformative) for column in X.T])


def _objective(column: FloatArray, y: IntArray, priors: FloatArray, otherwise: float) -> float:
    if np.ptp(column) == 0:
        return otherwise
    standard = (column - column.mean()) / column.std()
    densities = regularize_flat(gaussian_per_class(standard, y))
    return PosteriorObjective(densities, y, priors).evaluate(np.eye(1)).value
