"""How well class densities tell held-out rows apart, row by row, so that scores can be paired."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density.class_densities import ClassDensities
from melm_core.density.classifier import density_shares


@dataclass(frozen=True, eq=False)
class RowScores:
    """The score of each row; lower losses and more right rows are better.

    Attributes
    ----------
    losses : ndarray of shape (n_rows,)
        Minus the logarithm of the probability of its class, in nats.
    is_right : ndarray of float, shape (n_rows,)
        1 where its class is the likeliest, else 0.
    """

    losses: FloatArray
    is_right: FloatArray


def row_scores(
    classes: ClassDensities, points: FloatArray, y: IntArray, own: IntArray | None = None
) -> RowScores:
    """Score rows by the class densities in a plane, with equal priors.

    No probability is finer than the rows of a class allow: as if one more row had been seen that
    could be of any class. So a single row cannot outweigh all others.

    Parameters
    ----------
    classes : ClassDensities
        In the plane.
    points : ndarray of shape (n_points, n_components)
    y : ndarray of shape (n_points,)
        Class codes.
    own : ndarray of int, shape (n_points,), optional
        See `ClassDensities.most_likely`.
    """
    shares = density_shares(classes.floored_log_densities(points, own))
    fewest, n_classes = float(classes.totals.min()), shares.shape[1]
    shares = (fewest * shares + 1.0 / n_classes) / (fewest + 1.0)
    losses = -np.log(np.take_along_axis(shares, y[:, None], axis=1)[:, 0])
    return RowScores(losses, (shares.argmax(axis=1) == y).astype(np.float64))


def balanced_mean(differences: FloatArray, y: IntArray) -> tuple[FloatArray, FloatArray]:
    """Mean over the classes of the mean over their rows, and its standard error over rows.

    Parameters
    ----------
    differences : ndarray of shape (..., n_rows)
    y : ndarray of shape (n_rows,)
        Class codes, each of at least two rows.

    Returns
    -------
    mean, error : ndarray of shape (...)

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.evaluation.held_out_scores import balanced_mean
    >>> mean, error = balanced_mean(np.array([0.0, 2.0, 5.0, 5.0]), np.array([0, 0, 1, 1]))
    >>> float(mean), float(error)
    (3.0, 0.5)
    """
    codes = np.unique(y)
    parts = [differences[..., y == code] for code in codes]
    mean = np.mean([part.mean(axis=-1) for part in parts], axis=0)
    variances = [part.var(axis=-1, ddof=1) / part.shape[-1] for part in parts]
    error = np.sqrt(np.sum(variances, axis=0)) / len(codes)
    return np.asarray(mean), np.asarray(error)
