"""The held-out share of the best of several candidates, without the luck of having been chosen.

The largest of several held-out shares is too high, because the rows that it was chosen by are
those that it is measured on. Here the choice is repeated on resampled rows, and the winner of
each is scored on the rows that the resample does not have. Nothing is refitted: the candidates
are methods, kernel widths or numbers of features whose predictions for held-out rows are known.
That is what it costs: the planes behind the predictions have seen each other's test rows, so
what chance puts into a table is not taken back altogether. On noise the share is up to .02 above
chance (docs/results/honesty.md); choosing in inner folds has no such rest, and takes five times
the fits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.codes import group_codes, group_members, units_of_classes
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_choice, check_integer
from melm_core.folds.folds import group_strata

Rule: TypeAlias = Literal["best", "simplest"]
RULES = ("best", "simplest")

N_RESAMPLES = 200

# Where groups are few, a resample may leave no row of a class out; it is drawn again.
_MOST_DRAWS = 10


@dataclass(frozen=True, eq=False)
class WinnerShare:
    """The winner of several candidates, and what it can be expected to reach.

    Attributes
    ----------
    winner : int
        Index of the chosen candidate.
    n_candidates : int
    apparent : float
        Its share of the rows by which it was chosen: too high.
    share : float
        The balanced share of rows that took no part in the choice, averaged over the resamples.
        About `chance` where no candidate tells the classes apart.
    standard_error : float
        Of `share`: the spread of the resamples, each of which scores about a third of the rows,
        reduced to what all rows would have and widened by what refits share.
    chance : float
        1 / n_classes.
    frequencies : ndarray of shape (n_candidates,)
        How often each of them was chosen.

    Notes
    -----
    `share` is of the choice, not of the winner: of what one reaches by choosing in this way. It
    allows for the candidates that are given here, not for others that were tried and put aside.
    Where `frequencies` are spread, another table would have had another winner, and candidates that
    are level are none worse than the other.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import WinnerShare
    >>> stream = np.random.default_rng(0)
    >>> guesses = stream.random((60, 13)) < 0.5
    >>> result = WinnerShare.of(guesses, np.arange(60) % 2)
    >>> result.apparent > 0.6, abs(result.share - result.chance) < 2 * result.standard_error
    (True, True)
    >>> result.words
    'chosen among 13'
    """

    winner: int
    n_candidates: int
    apparent: float
    share: float
    standard_error: float
    chance: float
    frequencies: FloatArray

    @classmethod
    def of(
        cls,
        right: Any,
        y: Any,
        *,
        groups: Any = None,
        rule: Rule = "best",
        n_folds: int | None = None,
        n_resamples: int = N_RESAMPLES,
        random_state: int = 0,
    ) -> Self:
        """The held-out share of the winner, corrected for its having been chosen.

        Parameters
        ----------
        right : array-like of shape (n_samples, n_candidates)
            Whether each candidate predicts the class of each row that it was not fitted to, or in
            which share of several such predictions. Rows with nan, not predicted yet, are left out.
        y : array-like of shape (n_samples,)
            Labels of two or more classes.
        groups : array-like of shape (n_samples,) or None, default=None
            Rows of a group are resampled as a whole.
        rule : "best" or "simplest", default="best"
            "best" chooses the largest share; "simplest" the first candidate within one standard
            error of it.
        n_folds : int or None, default=None
            The folds in which the candidates were refitted: refits share most of their rows, and
            are wrong about the same ones; the error is widened by what that hides. None of
            predictions that were not learned from the rows.
        n_resamples : int, default=200
        random_state : int, default=0

        Raises
        ------
        ValueError
            If the shapes differ, or a class has fewer than two rows or groups.

        References
        ----------
        I. Tsamardinos, E. Greasidou, G. Borboudakis: Bootstrapping the out-of-sample predictions
        for efficient and accurate cross-validation, Machine Learning 107, 2018 (algorithm 3).
        S. Varma, R. Simon: Bias in error estimation when using cross-validation for model
        selection, BMC Bioinformatics 7, 2006.
        C. Nadeau, Y. Bengio: Inference for the generalization error, Machine Learning 52, 2003 (the
        error of refits that share rows).
        """
        check_choice("rule", rule, RULES)
        check_integer("n_resamples", n_resamples, minimum=2)
        if n_folds is not None:
            check_integer("n_folds", n_folds, minimum=2)
        choice = _Choice.of(right, y, groups, rule)
        shares, winners, left_out = [], [], []
        stream = np.random.default_rng(random_state)
        for _ in range(n_resamples):
            counts = choice.drawn_counts(stream)
            winners.append(choice.winner(counts))
            is_scored = (counts == 0).astype(np.float64)
            shares.append(choice.shares(is_scored)[winners[-1]])
            left_out.append(is_scored.mean())
        everything = np.ones(len(choice.codes))
        winner = choice.winner(everything)
        n_candidates = choice.right.shape[1]
        return cls(
            winner=winner,
            n_candidates=n_candidates,
            apparent=float(choice.shares(everything)[winner]),
            share=float(np.mean(shares)),
            standard_error=float(np.std(shares) * np.sqrt(np.mean(left_out)) * _widening(n_folds)),
            chance=1.0 / (int(choice.codes.max()) + 1),
            frequencies=np.bincount(winners, minlength=n_candidates) / len(winners),
        )

    @property
    def words(self) -> str:
        """The choice of the winner, for the sentence that names its share."""
        return f"chosen among {self.n_candidates}"


def _widening(n_folds: int | None) -> float:
    """By how much refits that share rows have a larger error than independent ones."""
    return 1.0 if n_folds is None else float(np.sqrt(1.0 + n_folds / (n_folds - 1.0)))


@dataclass(frozen=True, eq=False)
class _Choice:
    """Predictions, and the units that are resampled: rows or groups, by their classes."""

    right: FloatArray
    codes: IntArray
    unit: IntArray
    alike: list[IntArray]
    rule: Rule

    @classmethod
    def of(cls, right: Any, y: Any, groups: Any, rule: Rule) -> _Choice:
        values, labels = np.asarray(right, dtype=np.float64), np.asarray(y)
        if values.ndim != 2 or labels.shape != values.shape[:1]:
            raise UserError(
                f"right has the shape {values.shape} and y {labels.shape}; give a row of right "
                "for each label, and a column for each candidate."
            )
        unit = np.arange(len(labels)) if groups is None else group_codes(groups, len(labels))
        is_known = ~np.isnan(values).any(axis=1)
        classes, codes = np.unique(labels[is_known], return_inverse=True)
        _, unit = np.unique(unit[is_known], return_inverse=True)
        codes, unit = codes.astype(np.int64), unit.astype(np.int64)
        for label, n_units in zip(classes.tolist(), units_of_classes(codes, unit), strict=True):
            if n_units < 2:
                raise UserError(
                    f"Class {label!r} has fewer than two rows or groups with predictions, so none "
                    "can be set aside. Add rows or leave the class out."
                )
        if len(classes) < 2:
            raise UserError("y has fewer than two classes; a choice needs rows of two.")
        alike = group_members(group_strata(codes, unit))
        return cls(values[is_known], codes, unit, alike, rule)

    def drawn_counts(self, stream: np.random.Generator) -> FloatArray:
        """Count how often each row is in a resample that leaves rows of every class out."""
        for _ in range(_MOST_DRAWS):
            drawn = np.concatenate([stream.choice(units, size=len(units)) for units in self.alike])
            counts = np.bincount(drawn, minlength=int(self.unit.max()) + 1)[self.unit]
            left_out = np.bincount(self.codes[counts == 0], minlength=int(self.codes.max()) + 1)
            if left_out.all():
                return counts.astype(np.float64)
        return self._without_one_of_each_class(stream)

    def _without_one_of_each_class(self, stream: np.random.Generator) -> FloatArray:
        counts = np.ones(len(self.codes))
        for code in range(int(self.codes.max()) + 1):
            of_class = self.codes == code
            if counts[of_class].all():  # else the unit of another class had rows of this one
                counts[self.unit == stream.choice(self.unit[of_class])] = 0.0
        return counts

    def winner(self, counts: FloatArray) -> int:
        """The candidate that the rule chooses by the rows of a resample."""
        shares = self.shares(counts)
        best = int(shares.argmax())
        if self.rule == "best":
            return best
        return int(np.argmax(shares >= shares[best] - self._standard_error(counts, best)))

    def shares(self, counts: FloatArray) -> FloatArray:
        """Balanced share of each candidate on weighted rows; of the classes that have some."""
        weights = np.stack([counts * (self.codes == code) for code in np.unique(self.codes)])
        totals = weights.sum(axis=1)
        present = totals > 0
        shares: FloatArray = (weights[present] @ self.right / totals[present, None]).mean(axis=0)
        return shares

    def _standard_error(self, counts: FloatArray, candidate: int) -> float:
        """Of a balanced share, from its units."""
        right, variance = self.right[:, candidate], 0.0
        for code in np.unique(self.codes):
            of_class = self.codes == code
            total = counts[of_class].sum()
            away = (
                counts
                * of_class
                * (right - np.average(right[of_class], weights=counts[of_class] + 1e-300))
            )
            variance += np.square(np.bincount(self.unit, away)).sum() / max(total, 1.0) ** 2
        return float(np.sqrt(variance)) / len(np.unique(self.codes))
