"""A permutation test of predictions for rows that took no part in the fit.

Nothing is refitted: the predictions of held-out rows do not depend on their
labels, so under the null hypothesis the labels are exchangeable given the
predictions. It judges this plane on these rows; `permutation_test` judges the
method on all rows.
"""

from __future__ import annotations

from melm_core.answers.sequential_p_value import p_value
from melm_core.base.array_types import IntArray
from melm_core.base.label_permutations import exchangeable_blocks, random_permutations
from melm_core.base.sample_weights import balanced_share

N_PERMUTATIONS = 199


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
