"""The progress that an iterative fit reports to its callback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from melm_core.base.array_types import FloatArray
from melm_core.base.gamma_path import GammaPath


@dataclass(frozen=True, eq=False)
class Progress:
    """One accepted step of a fit.

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
    gamma_path : GammaPath or None
        For gamma="auto": held-out accuracy by kernel width, of the folds that are done.
    is_choosing : bool
        Whether the step belongs to a fit to some of the rows that only serves to choose gamma;
        its objective is not comparable with that of the steps that follow.

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
    ['start 1 of 14, wide kernels first', 'start 1 of 14, γ × 1.5', 'start 1 of 14, γ × 1.5']
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
    gamma_path: GammaPath | None = None
    is_choosing: bool = False


# A true return value stops the fit, which keeps the best plane so far.
Callback: TypeAlias = Callable[[Progress], bool | None]
