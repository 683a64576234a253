"""Progress that a fit reports to its callback, and held-out accuracy by kernel width."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import msgspec
import numpy as np

from melm_core.base.array_types import FloatArray

# Width of the kernels whose divergence is maximized: smooth enough for few local optima, and planes
# that separate held-out rows best. Densities of that width would be too smooth to classify by or
# to read, so they have a width of their own. They are compared by
# `python -m lab.experiments generalization`.
DEFAULT_GAMMA = 2.0
DEFAULT_DENSITY_GAMMA = 1.0
_FEWEST_FOLDS = 2
_ROUNDING = 1e-12


class Progress(msgspec.Struct, frozen=True, eq=False):
    """One accepted step of a fit, the same record from the optimizer to the history of a run.

    Attributes
    ----------
    components : ndarray of shape (n_components, n_features)
        The plane of this step, orthonormal rows in the coordinates of the data.
    objective, best_objective : float
        The objective of this plane, and the best of all starts so far.
    start, n_starts : int
        The start, counted from 1, and the number of starts.
    iteration : int
        Accepted steps of the start; 0 is its initial plane.
    n_evaluations : int
        Evaluations of the objective so far, all starts together.
    stage : str
        A description, such as "start 3 of 16, polishing".
    fraction : float
        Estimated fraction of the work done, in [0, 1]; never decreases.
    elapsed_s : float
        Seconds since the fit began.
    n_sampled : int
        Rows of the sample that the objective sums over; 0 where it sums over all rows of the fit.
        Objectives over different rows do not compare, see `is_better`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import MELM
    >>> reports = []
    >>> def callback(progress):
    ...     reports.append(progress)
    ...     return len(reports) == 3  # a true return value stops the fit
    >>> X, y = load_iris(return_X_y=True)
    >>> melm = MELM(random_state=0, callback=callback).fit(X, y)
    >>> [report.stage for report in reports]
    ['start 1 of 6, wide kernels first', 'start 1 of 6', 'start 1 of 6']
    """

    components: FloatArray
    objective: float
    best_objective: float
    start: int
    n_starts: int
    iteration: int
    n_evaluations: int
    stage: str
    fraction: float
    elapsed_s: float
    n_sampled: int = 0

    def is_better(self, other: Progress | None) -> bool:
        """Return whether to keep the plane of this step rather than that of another one.

        The one of more rows is, whatever the objectives; over the same rows that of the larger
        objective, and of equal ones the other.

        Parameters
        ----------
        other : Progress or None
            None where there is none, which is never better.
        """
        if other is None:
            return True
        if self.n_sampled != other.n_sampled:
            return not self.n_sampled or 0 < other.n_sampled < self.n_sampled
        return self.objective > other.objective


# A true return value stops the fit, which keeps the best plane so far.
Callback: TypeAlias = Callable[[Progress], bool | None]


def as_part_of_fit(
    callback: Callback | None, began_s: float, number: int = 0, n_fits: int = 1, stage: str = ""
) -> Callback | None:
    """Wrap a callback for one of several fits, to report all of them as one.

    Parameters
    ----------
    callback : callable or None
        Of the whole.
    began_s : float
        When the whole began, by `time.perf_counter`.
    number, n_fits : int
        The fit, counted from 0, and the number of fits.
    stage : str
        What to say before the stage of the fit.
    """
    if callback is None:
        return None

    def report(step: Progress) -> bool | None:
        whole = {
            "stage": f"{stage}: {step.stage}" if stage else step.stage,
            "fraction": (number + step.fraction) / n_fits,
            "elapsed_s": time.perf_counter() - began_s,
        }
        return callback(msgspec.structs.replace(step, **whole))

    return report


@dataclass(frozen=True, eq=False)
class GammaPath:
    """Held-out accuracy by kernel width.

    Attributes
    ----------
    gammas : ndarray of shape (n_gammas,)
        Falling: from smooth to local.
    fold_accuracies : ndarray of shape (n_folds, n_gammas)
        Balanced accuracy of the class densities, of Silverman's width, in the plane that
        was fitted to the other folds.
    right : ndarray of shape (n_kept, n_gammas) or None
        Whether each row of the fit, held out, has the largest density of its class, for
        `melm_core.diagnostics.WinnerShare`; nan for rows of folds that are
        not done. None where it was not kept.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.base import GammaPath
    >>> path = GammaPath(np.array([2.0, 1.0]), np.array([[0.9, 0.8], [0.8, 0.7]]))
    >>> path.accuracies.round(2).tolist()
    [0.85, 0.75]
    """

    gammas: FloatArray
    fold_accuracies: FloatArray
    right: FloatArray | None = None

    @property
    def accuracies(self) -> FloatArray:
        """Mean over the folds, shape (n_gammas,)."""
        means: FloatArray = self.fold_accuracies.mean(axis=0)
        return means

    @property
    def standard_errors(self) -> FloatArray:
        """Standard error of the mean over the folds, shape (n_gammas,); NaN for a single fold."""
        if len(self.fold_accuracies) < _FEWEST_FOLDS:
            return np.full(len(self.gammas), np.nan)
        spread = self.fold_accuracies.std(axis=0, ddof=1)
        errors: FloatArray = spread / np.sqrt(len(self.fold_accuracies))
        return errors

    @property
    def chosen(self) -> float:
        """The width of the best accuracy, the widest of equal ones: the first number to look at.

        The folds may not tell others from it, which are `level`. DEFAULT_GAMMA if the path was
        stopped before two folds were done.

        Examples
        --------
        >>> import numpy as np
        >>> folds = np.array([[0.7, 0.8, 0.82], [0.7, 0.84, 0.86]])
        >>> GammaPath(np.array([4.0, 2.0, 1.0]), folds).chosen
        1.0
        """
        if len(self.fold_accuracies) < _FEWEST_FOLDS:
            return DEFAULT_GAMMA
        best = self.accuracies.max()
        # Means of the same numbers may differ in their last digit.
        return float(self.gammas[int(np.argmax(self.accuracies >= best - _ROUNDING))])

    @property
    def level(self) -> FloatArray:
        """The widths that the folds do not tell from the best, falling; none of a single fold.

        The accuracy of each is below that of the best by at most the standard error of their
        difference, which is paired by fold.

        Examples
        --------
        >>> import numpy as np
        >>> folds = np.array([[0.7, 0.81, 0.82], [0.7, 0.87, 0.86]])
        >>> GammaPath(np.array([4.0, 2.0, 1.0]), folds).level.tolist()
        [2.0, 1.0]
        """
        n_folds = len(self.fold_accuracies)
        if n_folds < _FEWEST_FOLDS:
            return np.empty(0)
        best = self.fold_accuracies[:, [int(self.accuracies.argmax())]]
        below = best - self.fold_accuracies
        errors = below.std(axis=0, ddof=1) / np.sqrt(n_folds)
        # Differences of numbers that are equal but for rounding are none.
        level: FloatArray = self.gammas[below.mean(axis=0) <= errors + _ROUNDING]
        return level


class GammaProgress(Progress, frozen=True, eq=False):
    """One accepted step of a fit that chooses its kernel width.

    Attributes
    ----------
    gamma_path : GammaPath or None
        Held-out accuracy by kernel width, of the folds that are done.
    is_choosing : bool
        Whether the step belongs to a fit to some of the rows that only serves to choose gamma;
        its objective is not comparable with that of the steps that follow.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import MELMCV
    >>> steps = []
    >>> def callback(step):
    ...     steps.append(step)
    ...     return True  # stops the fit
    >>> melm = MELMCV(random_state=0, callback=callback).fit(*load_iris(return_X_y=True))
    >>> steps[0].is_choosing, steps[0].stage
    (True, 'choosing γ, fold 1 of 5, γ 8: start 1 of 6, wide kernels first')
    """

    gamma_path: GammaPath | None = None
    is_choosing: bool = False
