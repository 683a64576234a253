"""Rows that are probably mislabeled, and how many of them are not.

A row that looks like another class may be mislabeled, or lie in the overlap of the classes, where
rightly labeled rows lie, too. How many of these are to be expected is told by the bulk of its
class: by the median and the spread of how much more probable its rows are in their own class than
in any other, continued by the tail of a t distribution. Mislabeled rows, up to about a sixth of a
class, change neither median nor spread by much. The list ends where so many of it are to be
expected, and is empty where its length is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import poisson, t

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError

DEFAULT_FALSE_SHARE = 0.25

# Scores are ratios of kernel densities, whose tails are longer than those of a normal
# distribution.
_TAIL = 10
_SPREAD = (0.16, 0.5, 0.84)  # of a normal distribution, one standard deviation apart

# The spread of fewer rows is unknown: all of them are taken to be labeled rightly.
_FEWEST_ROWS = 10

# Probability that no label is wrong and yet so many rows look like another class.
_LEVEL = 0.01


@dataclass(frozen=True, eq=False)
class SuspectLabels:
    """Rows whose labels are suspect, the most suspect first.

    Attributes
    ----------
    rows : ndarray of int of shape (n_suspects,)
        Indices of the rows.
    other : ndarray of int of shape (n_suspects,)
        Code of the class that each of them looks like.
    n_false : float
        About how many of them are labeled rightly, by estimate.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import SuspectLabels
    >>> found = SuspectLabels(np.arange(12), np.zeros(12, dtype=int), n_false=3.0)
    >>> found.false_share, found.words
    (0.25, '12 suspects, about 3 of them rightly labeled')
    """

    rows: IntArray
    other: IntArray
    n_false: float

    @property
    def false_share(self) -> float:
        """Estimated share of the list that is labeled rightly; 0 of an empty list."""
        return self.n_false / len(self.rows) if len(self.rows) else 0.0

    @property
    def words(self) -> str:
        """How many there are, and how many of them are false."""
        n_suspects, n_false = len(self.rows), round(self.n_false)
        if not n_suspects:
            return "no label stands out: as many rows look like another class by overlap alone"
        if n_suspects == 1:
            return "1 suspect"
        few = "less than one" if n_false < 1 else f"about {n_false}"
        return f"{n_suspects} suspects, {few} of them rightly labeled"


def suspect_labels(
    log_densities: FloatArray, y: IntArray, *, false_share: float = DEFAULT_FALSE_SHARE
) -> SuspectLabels:
    """The longest list of rows that look mislabeled, of which few are expected to be right.

    Parameters
    ----------
    log_densities : ndarray of shape (n_samples, n_classes)
        Of the classes at each row, by planes and densities fitted without it:
        `RowProbabilities.log_densities`.
    y : ndarray of shape (n_samples,)
        Class codes.
    false_share : float in (0, 1), default=0.25
        The largest estimated share of rightly labeled rows in the list.

    Returns
    -------
    SuspectLabels

    Raises
    ------
    ValueError
        If `false_share` is not between 0 and 1.

    References
    ----------
    B. Efron: Large-scale simultaneous hypothesis testing: the choice of a null hypothesis, Journal
    of the American Statistical Association 99, 2004 (the null from the bulk of the scores).
    Y. Benjamini, Y. Hochberg: Controlling the false discovery rate, Journal of the Royal
    Statistical Society B 57, 1995.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import suspect_labels
    >>> y = np.repeat([0, 1], 50)
    >>> x = np.random.default_rng(0).standard_normal(100) + 6.0 * y
    >>> y[:4] = 1
    >>> found = suspect_labels(-0.5 * np.square(x[:, None] - [0.0, 6.0]), y)
    >>> sorted(found.rows.tolist())
    [0, 1, 2, 3]
    """
    if not 0 < false_share < 1:
        raise UserError(f"false_share={false_share!r} must be between 0 and 1.")
    others = log_densities.copy()
    others[np.arange(len(y)), y] = -np.inf
    scores = log_densities[np.arange(len(y)), y] - others.max(axis=1)
    order = np.argsort(scores, kind="stable")
    falling = scores[order]
    expected = np.zeros(len(y))
    for code in np.unique(y):
        expected += _expected_below(falling, scores[y == code])
    numbers = np.arange(1, len(y) + 1)
    enough = np.flatnonzero((expected <= false_share * numbers) & (falling < 0))
    n_suspects = int(enough[-1]) + 1 if len(enough) else 0
    if n_suspects and poisson.sf(n_suspects - 1, expected[n_suspects - 1]) > _LEVEL:
        n_suspects = 0
    rows = order[:n_suspects]
    n_false = float(expected[n_suspects - 1]) if n_suspects else 0.0
    return SuspectLabels(rows, others[rows].argmax(axis=1), n_false)


def _expected_below(limits: FloatArray, scores: FloatArray) -> FloatArray:
    """How many rows of a class, were all labeled rightly, have scores up to each limit."""
    low, middle, high = np.quantile(scores, _SPREAD)
    spread = max(middle - low, high - middle)
    if len(scores) < _FEWEST_ROWS or not spread > 0:
        return np.searchsorted(np.sort(scores), limits, side="right").astype(np.float64)
    below: FloatArray = len(scores) * t.cdf((limits - middle) / spread, _TAIL)
    return below
