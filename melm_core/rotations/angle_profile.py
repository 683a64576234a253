"""M as a function of the angle of the line that two-dimensional data are projected onto.

The paper's Figures 1 to 3 show it: the number of maxima, and how sharp they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_integer
from melm_core.rotations.objective import PosteriorObjective, gaussian_posterior_objective

# Tolerance of the angles of the maxima, in radians.
_ANGLE_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class AngleProfile:
    """M of the lines through the origin of a plane; see `angle_profile`.

    Attributes
    ----------
    angles : ndarray of shape (n_angles,)
        Evenly spaced in [0, pi), in radians, from the first axis towards the second.
    objectives : ndarray of shape (n_angles,)
        M of the line in the direction (cos angle, sin angle), in nats.
    maxima : ndarray of shape (n_maxima,)
        Angles of the local maxima in [0, pi), in radians, the highest maximum
        first. They need not be among `angles`.
    maxima_objectives : ndarray of shape (n_maxima,)
        M at the maxima, in nats.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import angle_profile
    >>> X, y = load_iris(return_X_y=True)
    >>> profile = angle_profile(X[:, 2:], y, n_angles=90)
    >>> profile.objectives.shape, profile.maxima.shape == profile.maxima_objectives.shape
    ((90,), True)
    """

    angles: FloatArray
    objectives: FloatArray
    maxima: FloatArray
    maxima_objectives: FloatArray


def angle_profile(X: Any, y: Any, *, n_angles: int = 360, priors: Any = None) -> AngleProfile:
    """Compute M for lines that two-dimensional data can be projected onto, and its maxima.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    n_angles : int
        Number of evenly spaced lines; a maximum narrower than their spacing
        may be missed.
    priors : array-like of shape (n_classes,) or None
        Prior probabilities in the order of the sorted labels; None for the
        shares of the classes.

    Raises
    ------
    ValueError
        If the data are not two-dimensional, or a class does not vary in both directions.

    References
    ----------
    R. Salas-Boni, E. G. Tabak: Feature Extraction through Rotations, 2013, Figures 1 to 3.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import angle_profile
    >>> X, y = load_iris(return_X_y=True)
    >>> profile = angle_profile(X[:, 2:], y)
    >>> np.degrees(profile.maxima).round()
    array([65.])
    """
    check_integer("n_angles", n_angles, minimum=3)
    if np.ndim(X) != 2 or np.shape(X)[1] != 2:
        raise UserError(
            f"X has shape {np.shape(X)}; a profile over angles needs two columns. Project the data "
            "onto a plane first."
        )
    objective, _ = gaussian_posterior_objective(X, y, np.eye(2), priors=priors)
    angles = np.pi * np.arange(n_angles) / n_angles
    objectives = np.array([_of_angle(angle, objective) for angle in angles])
    refined = [_refined(angles[peak], np.pi / n_angles, objective) for peak in _peaks(objectives)]
    maxima = np.array(sorted(refined, key=lambda pair: -pair[1])).reshape(-1, 2)
    return AngleProfile(angles, objectives, maxima[:, 0], maxima[:, 1])


def _of_angle(angle: float, objective: PosteriorObjective) -> float:
    return objective.evaluate(np.array([[np.cos(angle), np.sin(angle)]])).value


def _peaks(objectives: FloatArray) -> IntArray:
    """Return indices of the local maxima of a periodic function."""
    is_peak = (objectives >= np.roll(objectives, 1)) & (objectives > np.roll(objectives, -1))
    return np.flatnonzero(is_peak)


def _refined(angle: float, width: float, objective: PosteriorObjective) -> tuple[float, float]:
    result = minimize_scalar(
        lambda trial: -_of_angle(trial, objective),
        bounds=(angle - width, angle + width),
        method="bounded",
        options={"xatol": _ANGLE_TOLERANCE},
    )
    return float(result.x % np.pi), -float(result.fun)
