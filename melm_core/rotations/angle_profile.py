"""M against the angle of the line that two-dimensional data are projected onto.

The picture of the paper's Figures 1 to 3: how many maxima there are, and how pointed.
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

# How well the angle of a maximum is known, in radians.
_ANGLE_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class AngleProfile:
    """M of the lines through the origin of a plane.

    Attributes
    ----------
    angles : ndarray of shape (n_angles,)
        Evenly spaced in [0, pi), in radians, from the first axis towards the second.
    objectives : ndarray of shape (n_angles,)
        M of the line in the direction (cos angle, sin angle).
    maxima : ndarray of shape (n_maxima,)
        Angles of the maxima in [0, pi), the highest first; found between the
        angles of the grid.
    maxima_objectives : ndarray of shape (n_maxima,)
    """

    angles: FloatArray
    objectives: FloatArray
    maxima: FloatArray
    maxima_objectives: FloatArray


def angle_profile(X: Any, y: Any, *, n_angles: int = 360, priors: Any = None) -> AngleProfile:
    """M of every line in the plane of two-dimensional data, and its maxima.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
    y : array-like of shape (n_samples,)
        Labels of any kind.
    n_angles : int
        Lines, evenly spaced; a maximum narrower than their distance may be missed.
    priors : array-like of shape (n_classes,) or None
        Prior probabilities in the order of the sorted labels; None for the
        shares of the classes.

    Raises
    ------
    ValueError
        If the data are not two-dimensional, or a class does not vary in both directions.
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
    found = [_refined(angles[peak], np.pi / n_angles, objective) for peak in _peaks(objectives)]
    maxima = np.array(sorted(found, key=lambda pair: -pair[1])).reshape(-1, 2)
    return AngleProfile(angles, objectives, maxima[:, 0], maxima[:, 1])


def _of_angle(angle: float, objective: PosteriorObjective) -> float:
    return objective.evaluate(np.array([[np.cos(angle), np.sin(angle)]])).value


def _peaks(objectives: FloatArray) -> IntArray:
    """Indices no lower than the one before and higher than the one after, round the circle."""
    is_peak = (objectives >= np.roll(objectives, 1)) & (objectives > np.roll(objectives, -1))
    return np.flatnonzero(is_peak)


def _refined(angle: float, width: float, objective: PosteriorObjective) -> tuple[float, float]:
    result = minimize_scalar(
        lambda at: -_of_angle(at, objective),
        bounds=(angle - width, angle + width),
        method="bounded",
        options={"xatol": _ANGLE_TOLERANCE},
    )
    return float(result.x % np.pi), -float(result.fun)
