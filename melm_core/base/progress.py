"""The progress that an iterative fit reports to its callback."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from melm_core.base.array_types import FloatArray


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
