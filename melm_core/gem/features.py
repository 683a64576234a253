"""The nonlinear features of GEM: half powers of the positive and negative projections.

phi(x) = max(0, delta v'x)^(alpha / 2) for delta = +1, -1 and alpha = 1, 2, 3
(GEM, Algorithm 1). Both the magnitude and the sign of a projection discriminate
between the classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_positive
from melm_core.base.sample_weights import mean_of

CUBIC = (1, 2, 3)


def half_powers(projections: FloatArray, alphas: Sequence[float] = CUBIC) -> FloatArray:
    """max(0, delta u)^(alpha / 2) of every entry u.

    Parameters
    ----------
    projections : ndarray of shape (n_samples, n_directions)
    alphas : sequence of float, default=(1, 2, 3)

    Returns
    -------
    ndarray of shape (n_samples, 2 len(alphas) n_directions)
        Blocks for delta = +1, then for delta = -1, each with one block per
        alpha; directions keep their order within a block.
    """
    blocks = [
        np.maximum(0.0, delta * projections) ** (alpha / 2) for delta in (1, -1) for alpha in alphas
    ]
    return np.hstack(blocks)


def root_mean_squares(features: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Root mean square of each column, 1 for a column of zeros.

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_columns)
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.

    Returns
    -------
    ndarray of shape (n_columns,)
    """
    mean_squares = mean_of(np.square(features), weights)
    scales: FloatArray = np.sqrt(np.where(mean_squares > 0, mean_squares, 1.0))
    return scales


def half_power_names(directions: Iterable[str], alphas: Sequence[float]) -> list[str]:
    """Return names such as "gem0_pos_0.5" in the order of `half_powers`."""
    names = list(directions)
    return [
        f"{name}_{sign}_{alpha / 2:g}"
        for sign in ("pos", "neg")
        for alpha in alphas
        for name in names
    ]


def check_alphas(alphas: Sequence[float]) -> None:
    """Check that there are powers, and that all are above 0."""
    if not len(alphas):
        raise UserError("alphas is empty; give at least one power, such as (1, 2, 3), or None.")
    for alpha in alphas:
        check_positive("alphas", alpha)
