"""Choice between straight and bent features by inner folds of the training rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.codes import units_of_classes
from melm_core.base.errors import UserError
from melm_core.baselines.discriminant import DiscriminantPlane
from melm_core.density.covariances import DEFAULT_SHRINKAGE
from melm_core.evaluation.plane_separability import Score
from melm_core.evaluation.refits import Refits
from melm_core.evaluation.refitting import FittedPreparation
from melm_core.evaluation.study import Study
from melm_core.folds.folds import CodedRows, sampled_rows
from melm_core.recipe import Preparation

N_FOLDS, N_REPEATS = 5, 2
MOST_ROWS = 1_000  # a sample of more decides as well
# Rows, or groups, of the smallest class: with fewer, the error of the folds is not known.
FEWEST_ROWS = N_FOLDS


@dataclass(frozen=True)
class CurveChoice:
    """Gain of bent features in inner folds.

    Attributes
    ----------
    gain : Score
        Balanced accuracy with bent features less that with straight ones.
    excess : Score
        That with bent features less what guessing gives.

    Examples
    --------
    >>> from melm_core.evaluation import Score
    >>> from melm_core.evaluation.curve_selection import CurveChoice
    >>> CurveChoice(gain=Score(0.03, 0.01), excess=Score(0.3, 0.02)).is_curved
    True
    """

    gain: Score
    excess: Score

    @property
    def is_curved(self) -> bool:
        """True if the gain is more than its standard error, and bent features tell the classes.

        They do where they beat guessing by more than two standard errors; else a gain is luck.
        """
        is_gain = self.gain.balanced_accuracy > self.gain.standard_error
        return is_gain and self.excess.balanced_accuracy > _CLEAR * self.excess.standard_error


_CLEAR = 2.0
_NO_CHOICE = CurveChoice(Score(0.0, 0.0), Score(0.0, 0.0))


@dataclass(frozen=True)
class AutoCurves:
    """A preparation whose features bend where inner folds of the training rows gain by it.

    Attributes
    ----------
    preparation : Preparation
    random_state : int
        Of the inner folds.

    Notes
    -----
    What inner folds compare are planes of regularized LDA, which take milliseconds, whatever method
    the features are for: the choice is of the features. It is made of the training rows alone, so
    that shares of rows that are held out stay honest; of few rows it often stays straight, which
    does not say that nothing bends.

    Examples
    --------
    >>> from melm_core.datasets import moderation
    >>> from melm_core.evaluation import AutoCurves
    >>> from melm_core.recipe import Preparation, Recipe
    >>> X, y = moderation(0)
    >>> straight = Preparation(Recipe(), tuple("abcdefgh"), tuple(range(8)))
    >>> AutoCurves(straight).chosen(X, y).curves
    True
    """

    preparation: Preparation
    random_state: int = 0

    def fit(self, X: FloatArray, /) -> FittedPreparation:
        """Fit it without labels, which alone would tell: features stay straight."""
        return self.preparation.fit(X)

    def chosen(self, X: FloatArray, y: IntArray, groups: IntArray | None = None) -> Preparation:
        """The preparation for these training rows, see `choice`."""
        return replace(self.preparation, curves=self.choice(X, y, groups).is_curved)

    def choice(self, X: FloatArray, y: IntArray, groups: IntArray | None = None) -> CurveChoice:
        """Compare bent features with straight ones in twice five inner folds.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns)
            Encoded, before preparation. Of more than 1,000 rows, a sample decides.
        y : ndarray of shape (n_rows,)
            Class codes.
        groups : ndarray of shape (n_rows,), optional
            Group codes; groups stay in one fold.

        Returns
        -------
        CurveChoice
            No gain where a class has fewer than five rows or groups, or no plane can be fitted.
        """
        sample = sampled_rows(y, MOST_ROWS, groups)
        rows = CodedRows(X[sample], y[sample], np.arange(y.max() + 1), None)
        if groups is not None:
            rows = replace(rows, groups=np.unique(groups[sample], return_inverse=True)[1])
        if units_of_classes(rows.y, rows.groups).min() < FEWEST_ROWS:
            return _NO_CHOICE
        try:
            straight, bent = (
                _accuracies(replace(self.preparation, curves=curves), rows, self.random_state)
                for curves in (False, True)
            )
        except UserError:  # such as that no feature varies within the classes
            return _NO_CHOICE
        parts = bent - straight, bent - 1.0 / len(rows.classes)
        return CurveChoice(*(Score.over_refits(part, N_FOLDS) for part in parts))


def _accuracies(preparation: Preparation, rows: CodedRows, seed: int) -> FloatArray:
    """Balanced accuracy of held-out rows in each fold of each repeat, by planes of LDA."""
    plane = DiscriminantPlane(min(2, rows.X.shape[1]), shrinkage=DEFAULT_SHRINKAGE)
    # Whoever chooses has said which rows belong together.
    groups = np.arange(len(rows.y)) if rows.groups is None else rows.groups
    shares: list[float] = []
    for repeat in range(N_REPEATS):
        study = Study(
            plane,
            rows.X,
            rows.y,
            groups=groups,
            preparation=preparation,
            random_state=seed + repeat,
        )
        shares += Refits.of(study, N_FOLDS).fold_shares.tolist()
    return np.array(shares)
