"""Held-out scores of every plane of a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_X_y

from melm_core.base.errors import UserError
from melm_core.base.estimator import check_class_sizes, check_positive
from melm_core.base.gamma_path import DEFAULT_DENSITY_GAMMA, DEFAULT_GAMMA
from melm_core.base.progress import Callback, Progress
from melm_core.base.sample_weights import balanced_share
from melm_core.density.class_densities import ClassDensities
from melm_core.density.class_rules import DensityRule
from melm_core.density.kernel_density import kernel_classes
from melm_core.melm.held_out import held_out_divergence


@dataclass(frozen=True)
class HeldOutScores:
    """Scores of one plane on the training rows and on the held-out rows.

    Attributes
    ----------
    objective : float
        The objective that the fit reports.
    divergence : float
        Between training and held-out rows, in nats, see `held_out_divergence`.
    train_accuracy, held_out_accuracy : float
        Balanced accuracy of classifying by the class densities of the training rows.

    Examples
    --------
    >>> from melm_core.melm import HeldOutScores
    >>> scores = HeldOutScores(2.1, 0.3, train_accuracy=1.0, held_out_accuracy=0.5)
    >>> scores.train_accuracy - scores.held_out_accuracy
    0.5
    """

    objective: float
    divergence: float
    train_accuracy: float
    held_out_accuracy: float


class HeldOutHistory:
    """A callback that scores every plane of a fit on held-out rows.

    Parameters
    ----------
    X : array-like of shape (n_train, n_features)
        The rows passed to `fit`.
    y : array-like of shape (n_train,)
    X_held_out : array-like of shape (n_held_out, n_features)
    y_held_out : array-like of shape (n_held_out,)
        At least one row of every class.
    gamma : float, default=2.0
        Kernel width of the divergence, relative to Silverman's rule.
    density_gamma : float, default=1.0
        Kernel width of the class densities.
    callback : callable, default=None
        Called after each plane is scored; a true return value stops the fit.

    Attributes
    ----------
    scores : list of HeldOutScores
        One for each plane, in the order reported.

    Raises
    ------
    ValueError
        If the training and held-out rows do not have the same classes.

    Examples
    --------
    >>> from melm_core import MELM
    >>> from melm_core.datasets import pure_noise
    >>> from melm_core.melm import HeldOutHistory
    >>> X, y = pure_noise()
    >>> history = HeldOutHistory(X[::2], y[::2], X[1::2], y[1::2])
    >>> melm = MELM(n_init=1, callback=history, random_state=0).set_search(max_iter=10)
    >>> melm = melm.fit(X[::2], y[::2])
    >>> last = history.scores[-1]
    >>> bool(last.train_accuracy > 0.9), bool(last.held_out_accuracy < 0.5)
    (True, True)
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        X_held_out: Any,
        y_held_out: Any,
        *,
        gamma: float = DEFAULT_GAMMA,
        density_gamma: float = DEFAULT_DENSITY_GAMMA,
        callback: Callback | None = None,
    ) -> None:
        check_positive("gamma", gamma)
        check_positive("density_gamma", density_gamma)
        X, y = check_X_y(X, y, dtype=np.float64)
        X_held_out, y_held_out = check_X_y(X_held_out, y_held_out, dtype=np.float64)
        labels, codes = np.unique(y, return_inverse=True)
        check_class_sizes(labels, codes)
        if not np.array_equal(np.unique(y_held_out), labels):
            raise UserError(
                f"The held-out rows have the classes {np.unique(y_held_out).tolist()}, and the "
                f"training rows {labels.tolist()}; hold out at least one row of every class."
            )
        self.scores: list[HeldOutScores] = []
        self._X, self._codes = X, codes.astype(np.int64)
        held_out_codes = np.searchsorted(labels, y_held_out)
        self._held_out, self._held_out_codes = X_held_out, held_out_codes
        self._gamma, self._density_gamma, self._callback = gamma, density_gamma, callback
        self._classes: ClassDensities | None = None

    def __call__(self, progress: Progress) -> bool:
        """Score the plane of this step."""
        classes = self._kernel_classes(len(progress.components)).project(progress.components)
        points, held_out = (rows @ progress.components.T for rows in (self._X, self._held_out))
        rule = DensityRule.of(points, self._codes, gamma=self._density_gamma)
        by_class = [held_out[self._held_out_codes == code] for code in range(len(classes.rows))]
        self.scores.append(
            HeldOutScores(
                objective=progress.objective,
                divergence=held_out_divergence(classes, by_class),
                train_accuracy=balanced_share(
                    rule.most_likely(points, self._codes) == self._codes, self._codes
                ),
                held_out_accuracy=balanced_share(
                    rule.most_likely(held_out) == self._held_out_codes, self._held_out_codes
                ),
            )
        )
        return bool(self._callback(progress)) if self._callback is not None else False

    def _kernel_classes(self, n_components: int) -> ClassDensities:
        """Estimate the kernels, whose width depends on the number of components."""
        if self._classes is None:
            self._classes = kernel_classes(
                self._X, self._codes, n_components=n_components, gamma=self._gamma
            )
        return self._classes
