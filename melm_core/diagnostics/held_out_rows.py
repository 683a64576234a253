"""Rows that took no part in the fit of a plane: their scores, and a permutation test.

Scores are row by row, so that they can be paired. In the test nothing is refitted: the predictions
of held-out rows do not depend on their labels, so under the null hypothesis the labels are
exchangeable given the predictions. It judges this plane on these rows; `permutation_test` judges
the method on all rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from melm_core.answers import p_value
from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.label_permutations import exchangeable_blocks, random_permutations
from melm_core.base.sample_weights import balanced_share
from melm_core.density.class_rules import PlaneRule, tempered_shares

N_PERMUTATIONS = 199


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


def held_out_p_value(
    y: IntArray,
    predicted: IntArray,
    *,
    groups: IntArray | None = None,
    n_permutations: int = N_PERMUTATIONS,
    random_state: int = 0,
) -> float:
    """Share of permuted labels that agree with the predictions as well as the labels do.

    Agreement is the balanced accuracy.

    Parameters
    ----------
    y, predicted : ndarray of shape (n_held_out,)
        Class codes of rows that took no part in the fit, and their predictions.
    groups : ndarray of shape (n_held_out,) or None, default=None
        Groups of rows that depend on each other; labels are permuted between
        whole groups, or within groups where they differ.
    n_permutations : int, default=199
    random_state : int, default=0

    Returns
    -------
    float
        (n_exceeding + 1) / (n_permutations + 1): at least 0.005 by default.

    Notes
    -----
    It is of one plane and the rows that were held out of it: of few of them even a good plane is
    not shown. If these rows had a say in the choice of the plane, of a kernel width, or of what is
    reported at all, it is too small. It does not say how well classes are told apart, which the
    share does.

    References
    ----------
    B. Phipson, G. K. Smyth: Permutation P-values Should Never Be Zero,
    Statistical Applications in Genetics and Molecular Biology 9, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import held_out_p_value
    >>> y = np.repeat([0, 1], 10)
    >>> held_out_p_value(y, y), held_out_p_value(y, np.zeros(20, dtype=int))
    (0.005, 1.0)
    """
    observed = balanced_share(predicted == y, y) - 1e-9  # sums round differently
    blocks = exchangeable_blocks(y, groups)
    permuted = random_permutations(blocks, n_permutations, random_state)
    n_exceeding = sum(
        balanced_share(predicted == labels, labels) >= observed for labels in permuted
    )
    return p_value(n_exceeding, n_permutations)
