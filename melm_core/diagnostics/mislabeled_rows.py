"""Rows that are probably mislabeled, and how many of them are not.

A row that looks like another class may be mislabeled, or lie in the overlap of the classes, where
rightly labeled rows lie, too. What tells these apart is how far out such rows are: overlap has the
fewer the farther, wrong labels as many as they are. So two numbers are fitted to all rows: how
sharp the held-out densities are, which is overlap, and which share of the labels is wrong. Given
both, each row has a probability of being labeled rightly, and their sum over a list is how many of
it are. Where tails are heavy, rightly labeled rows lie deep in another class as well. How many can
be seen from rows that lie as far out, but in no class: a part of their number is added. There is no
list where a table is as likely without wrong labels, nor where so many rows lie in another class
that the form of the overlap is all there is to judge by.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import log_softmax

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError

DEFAULT_FALSE_SHARE = 0.25

# Densities may be twice as sure as they should be, or half as sure. Were they less sharp yet, any
# number of wrong labels would be overlap; were they sharper, no overlap would be left.
_LOG_SHARPNESS = np.log(np.geomspace(0.5, 2.0, 12))
_MOST_WRONG = 0.2
_N_SHARES = 12
_FARTHEST = -500.0  # of logarithms, whose exponentials are 0

# Twice the gain in log likelihood by wrong labels below which there need not be any, and the share
# of held-out rows in other classes above which overlap and wrong labels look alike: chosen by
# simulation (docs/results/honesty.md).
_LEAST_GAIN = 10.0
_MOST_OVERLAP = 0.125

# Twice the logarithm of the ratio of the median of the density at a row, of its most likely class,
# to that of a row far beyond every class: of normal rows in a plane beyond it are 5 in 1,000. And
# how many rows fly into another class for each that flies past all of them. Chosen by simulation.
_FAR_OUT = 8.0
_STRAYS = 0.25

# Of fewer rows nothing is known: all of them are taken to be labeled rightly.
_FEWEST_ROWS = 10


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

    Notes
    -----
    Suspect is a row that looks like another class more than overlap explains: a row of an unknown
    kind, or measured badly, does as well. The list is for a second look, not for leaving rows out,
    which would make any share that is computed afterwards too high. An empty list is no proof:
    wrong labels amid the overlap cannot be told.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import SuspectLabels
    >>> y = np.repeat([0, 1], 50)
    >>> x = np.random.default_rng(0).standard_normal(100) + 6.0 * y
    >>> y[:4] = 1
    >>> found = SuspectLabels.of(-0.5 * np.square(x[:, None] - [0.0, 6.0]), y)
    >>> {0, 1, 2, 3} <= set(found.rows.tolist()), found.words
    (True, '5 rows look mislabeled; expect about 1 false alarm')
    """

    rows: IntArray
    other: IntArray
    n_false: float

    @classmethod
    def of(
        cls, log_densities: FloatArray, y: IntArray, *, false_share: float = DEFAULT_FALSE_SHARE
    ) -> Self:
        """The longest list of rows that look mislabeled, of which few are expected to be right.

        Parameters
        ----------
        log_densities : ndarray of shape (n_samples, n_classes)
            Of the classes at each row, by planes and densities fitted without it:
            `Refits.log_mixtures`. Not less the largest of a row, whose level shows how
            heavy tails are.
        y : ndarray of shape (n_samples,)
            Class codes.
        false_share : float in (0, 1), default=0.25
            The largest estimated share of rightly labeled rows in the list.

        Raises
        ------
        ValueError
            If `false_share` is not between 0 and 1.

        References
        ----------
        N. D. Lawrence, B. Schölkopf: Estimating a kernel Fisher discriminant in the presence of
        label noise, ICML 2001 (labels that are wrong with some probability).
        C. G. Northcutt, L. Jiang, I. L. Chuang: Confident learning: estimating uncertainty in
        dataset labels, Journal of Artificial Intelligence Research 70, 2021.
        """
        if not 0 < false_share < 1:
            raise UserError(f"false_share={false_share!r} must be between 0 and 1.")
        others = log_densities.copy()
        others[np.arange(len(y)), y] = -np.inf
        is_elsewhere = log_densities.argmax(axis=1) != y
        right = _probabilities_right(log_densities, y)
        right[np.bincount(y)[y] < _FEWEST_ROWS] = 1.0
        order = np.argsort(right, kind="stable")
        expected = np.minimum(
            np.cumsum(right[order]) + _strays(log_densities), np.arange(1, len(y) + 1)
        )
        enough = np.flatnonzero(expected <= false_share * np.arange(1, len(y) + 1))
        is_told = len(enough) > 0 and is_elsewhere.mean() <= _MOST_OVERLAP
        n_suspects = int(enough[-1]) + 1 if is_told else 0
        rows = order[:n_suspects]
        n_false = float(expected[n_suspects - 1]) if n_suspects else 0.0
        return cls(rows, others[rows].argmax(axis=1), n_false)

    @property
    def false_share(self) -> float:
        """Estimated share of the list that is labeled rightly; 0 of an empty list."""
        return self.n_false / len(self.rows) if len(self.rows) else 0.0

    @property
    def words(self) -> str:
        """The number of suspects, and how many of them are false."""
        n_suspects, n_false = len(self.rows), round(self.n_false)
        if not n_suspects:
            return "no label stands out: as many rows look like another class by overlap alone"
        if n_suspects == 1:
            return "1 row looks mislabeled"
        alarms = {0: "fewer than one false alarm", 1: "about 1 false alarm"}
        few = alarms.get(n_false, f"about {n_false} false alarms")
        return f"{n_suspects} rows look mislabeled; expect {few}"


def _strays(log_densities: FloatArray) -> float:
    """About how many rightly labeled rows heavy tails put deep in another class."""
    highest = log_densities.max(axis=1)
    return _STRAYS * float(np.sum(2.0 * (np.median(highest) - highest) > _FAR_OUT))


def _probabilities_right(log_densities: FloatArray, y: IntArray) -> FloatArray:
    """Of each row to be labeled rightly; 1 if the table is as likely without wrong labels.

    The label of a row of class c is another one, any of them, with the same probability.
    """
    n_rows, n_others = len(y), log_densities.shape[1] - 1
    away = log_densities - log_densities.max(axis=1, keepdims=True)
    away = np.maximum(away, _FARTHEST)
    wrong = np.append(0.0, np.geomspace(0.25 / n_rows, _MOST_WRONG, _N_SHARES))[:, None]
    best, by_share = np.full(len(wrong), -np.inf), np.ones((len(wrong), n_rows))
    for sharpness in np.exp(_LOG_SHARPNESS):
        of_own_class = np.exp(log_softmax(sharpness * away, axis=1)[np.arange(n_rows), y])
        by_right = (1.0 - wrong) * of_own_class
        of_label = by_right + wrong / n_others * (1.0 - of_own_class)
        of_label = np.maximum(of_label, np.finfo(float).tiny)
        value = np.log(of_label).sum(axis=1)
        is_better = value > best
        best = np.where(is_better, value, best)
        by_share[is_better] = (by_right / of_label)[is_better]
    likeliest = int(best.argmax())
    if 2.0 * (best[likeliest] - best[0]) < _LEAST_GAIN:
        return np.ones(n_rows)
    probabilities: FloatArray = by_share[likeliest]
    return probabilities
