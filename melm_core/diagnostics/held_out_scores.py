"""Scores of held-out rows by class densities, row by row, so that scores can be paired."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density.class_rules import PlaneRule, tempered_shares


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
    rule: PlaneRule, points: FloatArray, y: IntArray, own: IntArray | None = None
) -> RowScores:
    """Score rows by the class densities in a plane, with equal priors.

    No probability is finer than the rows of a class allow, which the floor of the densities sees
    to: a single row cannot outweigh all others.

    Parameters
    ----------
    rule : PlaneRule
        Of the plane.
    points : ndarray of shape (n_points, n_components)
    y : ndarray of shape (n_points,)
        Class codes.
    own : ndarray of int, shape (n_points,), optional
        See `DensityRule.log_densities`.
    """
    mixtures = rule.log_mixtures(points, own)
    shares = tempered_shares(rule.floor.mixed(mixtures, points), rule.temperature)
    own_shares = np.take_along_axis(shares, y[:, None], axis=1)[:, 0]
    losses = -np.log(np.maximum(own_shares, np.finfo(np.float64).tiny))
    return RowScores(losses, (mixtures.argmax(axis=1) == y).astype(np.float64))


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
    >>> from melm_core.diagnostics import balanced_mean
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
