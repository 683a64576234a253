"""The kernel width that separates held-out rows best, by inner folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.gamma_path import GammaPath
from melm_core.base.progress import Callback
from melm_core.base.weighted_estimator import WeightedRows
from melm_core.density.kernel_density import kernel_classes
from melm_core.melm.bagging import fit_part, without_callback
from melm_core.melm.relay import ProgressRelay

# From smooth to local.
GAMMAS = (8.0, 4.0, 2.0, 1.0, 0.5, 0.25)
MOST_FOLDS = 5

# Starts at the widest kernels, which have few optima, and planes followed from there.
STARTS_A_FOLD = 6
PLANES_FOLLOWED = 3

# Tolerance of the fits to inner folds, whose planes only have to classify.
_TOL = 1e-6


def gamma_path(
    estimator: Any,
    data: WeightedRows,
    folds: Sequence[tuple[IntArray, IntArray]],
    relay: ProgressRelay,
) -> GammaPath:
    """Fit an estimator of planes at every width of GAMMAS, fold by fold, from smooth to local.

    Each width begins with the best planes of the wider one. A fold during which the
    callback stops the fit is left out.

    Parameters
    ----------
    estimator : MELM
    data : WeightedRows
    folds : sequence of (training rows, test rows)
    relay : ProgressRelay
        Its first fits are these; it is given the path after every fold.
    """
    accuracies: list[list[float]] = []
    for number, (train, test) in enumerate(folds):
        words = f"choosing γ, fold {number + 1} of {len(folds)}"
        fits = _from_smooth_to_local(
            estimator,
            data.part(train),
            [
                relay.for_choice(number * len(GAMMAS) + step, f"{words}, γ {gamma:g}")
                for step, gamma in enumerate(GAMMAS)
            ],
        )
        if fits[-1].stopped_:
            break
        accuracies.append(
            [held_out_accuracy(fit, data.part(train), data.part(test)) for fit in fits]
        )
        relay.gamma_path = _path(accuracies)
    return _path(accuracies)


def _path(accuracies: Sequence[Sequence[float]]) -> GammaPath:
    return GammaPath(np.array(GAMMAS), np.array(accuracies).reshape(-1, len(GAMMAS)))


def _from_smooth_to_local(
    estimator: Any, data: WeightedRows, callbacks: Sequence[Callback | None]
) -> list[Any]:
    """Fits at falling widths; they end with the one that is stopped."""
    first = without_callback(estimator)
    first.set_params(
        n_init=min(first.n_init, STARTS_A_FOLD),
        tol=max(first.tol, _TOL),
        gamma=GAMMAS[0],
        callback=callbacks[0],
    )
    fits = [fit_part(first, data)]
    for gamma, callback in zip(GAMMAS[1:], callbacks[1:], strict=True):
        if fits[-1].stopped_:
            break
        warm = clone(first).set_params(gamma=gamma, continuation=(), callback=callback)
        warm.set_params(init=_best_planes(fits[-1]))
        fits.append(fit_part(warm, data))
    return fits


def _best_planes(fit: Any) -> FloatArray:
    """The best planes that differ; those whose objectives agree to five digits do not."""
    by_value = {round(start.objective, 5): start.components for start in fit.start_results_}
    best = sorted(by_value, reverse=True)[:PLANES_FOLLOWED]
    return np.stack([by_value[value] for value in best])


def inner_folds(y: IntArray, groups: IntArray | None, seed: int) -> list[tuple[IntArray, IntArray]]:
    """Training and test rows of stratified folds that keep the rows of a group together.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class codes.
    groups : ndarray of shape (n_samples,) or None
    seed : int

    Raises
    ------
    ValueError
        If a class has too few rows, or rows of too few groups.
    """
    units = np.arange(len(y)) if groups is None else groups
    fewest = min(len(np.unique(units[y == code])) for code in range(int(y.max()) + 1))
    if fewest < 3:
        what = "row(s)" if groups is None else "group(s)"
        raise UserError(
            f'gamma="auto" chooses by inner folds and needs 3 {what} of every class; the smallest '
            f"class has {fewest}. Give gamma a number, or add rows."
        )
    n_folds = min(MOST_FOLDS, fewest)
    empty = np.empty((len(y), 0))
    if groups is None:
        return list(StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(empty, y))
    splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    return list(splitter.split(empty, y, groups))


def held_out_accuracy(fit: Any, train: WeightedRows, test: WeightedRows) -> float:
    """Balanced accuracy of the densities of projected training rows at test rows.

    The kernels have the width of Silverman's rule, whatever the gamma of the fit.
    """
    Z = fit.transform(train.X)
    classes = kernel_classes(
        Z, train.y, n_components=Z.shape[1], shrinkage="auto", weights=train.weights
    )
    right = classes.most_likely(fit.transform(test.X)) == test.y
    return balanced_mean(right, test.y, test.weights)


def balanced_mean(
    right: npt.NDArray[np.bool_], y: IntArray, weights: FloatArray | None = None
) -> float:
    """The mean over the classes of the share of their rows that is right."""
    totals = np.bincount(y, weights)
    sums = np.bincount(y, right if weights is None else right * weights)
    present = totals > 0
    return float((sums[present] / totals[present]).mean())
