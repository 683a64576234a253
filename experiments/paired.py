"""Differences of two methods that are paired by fold, and how certain they are.

Folds of one data set share training rows, so their differences are not independent, and their
standard error as if they were is too small. Nadeau and Bengio correct it. Different data sets are
independent: the spread of their means says whether a difference would hold on further ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from melm_core.base import FloatArray

# A mean difference this small is no win: fits that agree, as where the plane is the whole space.
_TIE = 1e-9


@dataclass(frozen=True)
class PairedDifferences:
    """The differences of two methods on several data sets.

    Parameters
    ----------
    by_fold : sequence of ndarray of shape (n_folds_of_all_repeats,)
        One entry a data set, at least two folds each.
    n_folds : int
        Folds of one repeat: each tests one row for every n_folds - 1 that it trains on.

    References
    ----------
    C. Nadeau, Y. Bengio: Inference for the Generalization Error, Machine Learning 52, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from experiments.paired import PairedDifferences
    >>> both = PairedDifferences([np.array([0.01, 0.03]), np.array([0.02, 0.02])], n_folds=2)
    >>> round(both.mean, 3), round(both.error, 4), both.n_won, both.n_lost
    (0.02, 0.0087, 2, 0)
    """

    by_fold: Sequence[FloatArray]
    n_folds: int

    @property
    def of_sets(self) -> FloatArray:
        """The mean difference on each data set."""
        return np.array([differences.mean() for differences in self.by_fold])

    @property
    def mean(self) -> float:
        """The mean over the data sets."""
        return float(self.of_sets.mean())

    @property
    def errors(self) -> FloatArray:
        """The corrected standard error on each data set: s^2 (1 / n + n_test / n_train)."""
        variances = np.array([each.var(ddof=1) for each in self.by_fold])
        n_tests = np.array([len(each) for each in self.by_fold])
        return np.asarray(np.sqrt(variances * (1.0 / n_tests + 1.0 / (self.n_folds - 1))))

    @property
    def error(self) -> float:
        """The corrected standard error of the mean on these very data sets."""
        return float(np.sqrt(np.square(self.errors).sum()) / len(self.by_fold))

    @property
    def error_over_sets(self) -> float:
        """The standard error of the mean as that of a sample of data sets."""
        return float(self.of_sets.std(ddof=1) / np.sqrt(len(self.by_fold)))

    @property
    def n_won(self) -> int:
        """Data sets on which the first method is better."""
        return int((self.of_sets > _TIE).sum())

    @property
    def n_lost(self) -> int:
        """Data sets on which the second method is better."""
        return int((self.of_sets < -_TIE).sum())
