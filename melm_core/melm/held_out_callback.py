"""Rows that a fit never sees, watched while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils import check_X_y

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_class_sizes, check_positive
from melm_core.base.progress import Callback, Progress
from melm_core.density.kernel_density import KernelClasses, kernel_classes, log_densities
from melm_core.melm.objective import held_out_divergence


@dataclass(frozen=True)
class HeldOutScores:
    """One plane of the way, by rows that were seen and rows that were not.

    Attributes
    ----------
    objective : float
        What the fit reports.
    divergence : float
        Between the seen and the unseen rows, see `held_out_divergence`.
    accuracy_seen, accuracy : float
        Balanced accuracy of the class densities of the seen rows, on them and on the unseen.
    """

    objective: float
    divergence: float
    accuracy_seen: float
    accuracy: float


class HeldOutHistory:
    """A callback that scores every plane of a fit on rows the fit does not see.

    Parameters
    ----------
    X, y : array-like of shape (n_seen, n_features), (n_seen,)
        The rows that are fitted.
    X_unseen, y_unseen : array-like of shape (n_unseen, n_features), (n_unseen,)
        The others, at least one of every class.
    gamma : float, default=1.0
        Kernel width of the densities.
    callback : callable, default=None
        Asked after each plane; its true return stops the fit.

    Attributes
    ----------
    scores : list of HeldOutScores
        One a plane, in the order reported.

    Raises
    ------
    ValueError
        If the unseen rows lack a class, or have one that was never seen.
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        X_unseen: Any,
        y_unseen: Any,
        *,
        gamma: float = 1.0,
        callback: Callback | None = None,
    ) -> None:
        check_positive("gamma", gamma)
        X, y = check_X_y(X, y, dtype=np.float64)
        X_unseen, y_unseen = check_X_y(X_unseen, y_unseen, dtype=np.float64)
        labels, codes = np.unique(y, return_inverse=True)
        check_class_sizes(labels, codes)
        if not np.array_equal(np.unique(y_unseen), labels):
            raise UserError(
                f"The unseen rows have the classes {np.unique(y_unseen).tolist()}, and the seen "
                f"rows {labels.tolist()}; hold out at least one row of every class."
            )
        self.scores: list[HeldOutScores] = []
        self._X, self._codes = X, codes.astype(np.int64)
        unseen_codes = np.searchsorted(labels, y_unseen)
        self._unseen, self._unseen_codes = X_unseen, unseen_codes
        self._gamma, self._callback = gamma, callback
        self._classes: KernelClasses | None = None

    def __call__(self, progress: Progress) -> bool:
        """Score the plane of this step."""
        classes = self._kernel_classes(len(progress.components)).project(progress.components)
        unseen = self._unseen @ progress.components.T
        by_class = [unseen[self._unseen_codes == code] for code in range(len(classes.rows))]
        self.scores.append(
            HeldOutScores(
                objective=progress.objective,
                divergence=held_out_divergence(classes, by_class),
                accuracy_seen=_accuracy(self._X @ progress.components.T, self._codes, classes),
                accuracy=_accuracy(unseen, self._unseen_codes, classes),
            )
        )
        return bool(self._callback(progress)) if self._callback is not None else False

    def _kernel_classes(self, n_components: int) -> KernelClasses:
        """Prepared at the first plane, which tells the number of components."""
        if self._classes is None:
            self._classes = kernel_classes(
                self._X, self._codes, n_components=n_components, gamma=self._gamma
            )
        return self._classes


def _accuracy(points: FloatArray, codes: IntArray, classes: KernelClasses) -> float:
    predicted = log_densities(points, classes).argmax(axis=1)
    return float(balanced_accuracy_score(codes, predicted))
