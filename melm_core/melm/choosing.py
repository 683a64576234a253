"""Kernel widths: the largest divergence at each, and the one that separates held-out rows best."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from msgspec import structs
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.codes import group_codes
from melm_core.base.errors import UserError
from melm_core.base.estimator import WeightedRows, check_positive
from melm_core.base.progress import (
    DEFAULT_DENSITY_GAMMA,
    Callback,
    GammaPath,
    GammaProgress,
    Progress,
    as_part_of_fit,
)
from melm_core.base.sample_weights import balanced_share
from melm_core.density.covariances import DEFAULT_SHRINKAGE, Shrinkage
from melm_core.density.kernel_density import kernel_classes
from melm_core.melm.bagging import at_most, fit_part
from melm_core.melm.estimator import MELM
from melm_core.melm.multiclass import DEFAULT_MULTICLASS, Multiclass
from melm_core.melm.search import SearchOptions

# From smooth to local.
GAMMAS = (8.0, 4.0, 2.0, 1.0, 0.5, 0.25)
MOST_FOLDS = 5

# Starts at the widest kernels, which have few optima, and planes followed from there.
STARTS_A_FOLD = 6
PLANES_FOLLOWED = 3

# Tolerance of the fits to inner folds, whose planes only have to classify.
_TOL = 1e-6


@dataclass(frozen=True, eq=False)
class DivergenceProfile:
    """The largest divergence at each gamma, with its plane; see `divergence_profile`.

    Attributes
    ----------
    gammas : ndarray of shape (n_gammas,)
        Ascending.
    divergences : ndarray of shape (n_gammas,)
        In nats.
    components : ndarray of shape (n_gammas, n_components, n_features)
        Orthonormal rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import divergence_profile
    >>> X, y = load_iris(return_X_y=True)
    >>> divergence_profile(X, y, [1.0], n_init=3, random_state=0).components.shape
    (1, 2, 4)
    """

    gammas: FloatArray
    divergences: FloatArray
    components: FloatArray


def divergence_profile(
    X: Any, y: Any, gammas: Sequence[float], **parameters: Any
) -> DivergenceProfile:
    """Compute the largest divergence for several kernel widths.

    For the largest gamma it is found by a fit of `MELM`. The search for each
    smaller gamma starts from the distinct planes of the gamma before, so a
    profile takes little more time than one fit.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    gammas : sequence of float, at least one
        In any order.
    **parameters
        Parameters of `MELM`, except gamma.

    Returns
    -------
    DivergenceProfile

    Raises
    ------
    ValueError
        If gammas is empty, or one of them is not a finite number above 0.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import divergence_profile
    >>> X, y = load_iris(return_X_y=True)
    >>> profile = divergence_profile(X, y, [1.0, 0.5, 2.0], n_init=3, random_state=0)
    >>> profile.gammas, profile.divergences.round(1)
    (array([0.5, 1. , 2. ]), array([9.1, 6.7, 4.2]))
    """
    ordered = sorted(gammas, reverse=True)
    if not ordered:
        raise UserError("gammas is empty; use at least one kernel width above 0.")
    for gamma in ordered:
        check_positive("gamma", gamma)
    fitted = [MELM(**parameters | {"gamma": ordered[0]}).fit(X, y)]
    for gamma in ordered[1:]:
        melm = MELM(**parameters | {"gamma": gamma})
        fitted.append(melm.set_search(init=distinct_planes(fitted[-1])).fit(X, y))
    fitted.reverse()
    return DivergenceProfile(
        gammas=np.array(ordered[::-1], dtype=np.float64),
        divergences=np.array([melm.divergence_ for melm in fitted]),
        components=np.stack([melm.components_ for melm in fitted]),
    )


def distinct_planes(melm: MELM) -> FloatArray:
    """Return the distinct planes that the starts of a fit reached, best first.

    Parameters
    ----------
    melm : MELM
        Fitted.

    Returns
    -------
    ndarray of shape (n_planes, n_components, n_features)
    """
    by_value = sorted(melm.start_results_, key=lambda result: -result.objective)
    _, first = np.unique([round(result.objective, 8) for result in by_value], return_index=True)
    return np.stack([by_value[i].components for i in sorted(first)])


class MELMCV(MELM):
    """MELM with the kernel width whose held-out accuracy is the best.

    In each of five inner folds a plane is fitted at every width of `GAMMAS`, from smooth to
    local, each search beginning with the best planes of the wider kernel. Chosen is the width of
    the best held-out accuracy, and MELM is fitted to all rows with it; `gamma_path_.level` has the
    widths that the folds do not tell from it. A fold during which the callback stops the fit is
    left out.

    Parameters
    ----------
    n_components, density_gamma, n_init, shrinkage, multiclass, nuisance_weight
        As of `MELM`.
    random_state : int, RandomState or None, default=None
        Seed of the random starts and the folds.
    search
        As of `MELM`.
    callback : callable, default=None
        As of `MELM`, given a `GammaProgress`.

    Attributes
    ----------
    gamma_ : float
        The kernel width that was chosen.
    gamma_path_ : GammaPath
        Held-out accuracy by kernel width.

    See Also
    --------
    MELM : Has all other attributes, too.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import MELMCV
    >>> X, y = load_iris(return_X_y=True)
    >>> melm = MELMCV(n_init=2, random_state=0).fit(X, y)
    >>> melm.gamma_ in melm.gamma_path_.gammas
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        density_gamma: float = DEFAULT_DENSITY_GAMMA,
        n_init: int | Literal["auto"] = "auto",
        shrinkage: Shrinkage = DEFAULT_SHRINKAGE,
        multiclass: Multiclass = DEFAULT_MULTICLASS,
        nuisance_weight: float = 1.0,
        random_state: int | np.random.RandomState | None = None,
        search: SearchOptions | None = None,
        callback: Callback | None = None,
    ) -> None:
        super().__init__(
            n_components,
            density_gamma=density_gamma,
            n_init=n_init,
            shrinkage=shrinkage,
            multiclass=multiclass,
            nuisance_weight=nuisance_weight,
            random_state=random_state,
            search=search,
            callback=callback,
        )

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        nuisance: Any = None,
    ) -> Self:
        """Choose the kernel width and find the plane.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y, sample_weight, nuisance
            As of `MELM.fit`.
        groups : array-like of shape (n_samples,) or None, default=None
            Rows of one group stay together in the inner folds.

        Raises
        ------
        ValueError
            If a parameter or the data are invalid, or a class has too few rows or groups for
            the folds; the message says which and why.

        Warns
        -----
        SmallCellsWarning
            If a class has too few rows of a value of the nuisance for a density.
        """
        began_s = time.perf_counter()
        rows, cells = self._valid_rows(X, y, sample_weight, nuisance)
        if groups is not None:
            groups = group_codes(groups, len(rows.is_used))[rows.is_used]
        seed = self._drawn_seed()
        folds = inner_folds(rows.y, groups, seed)
        n_fits = len(folds) * len(GAMMAS) + 1
        accuracies: list[list[float]] = []
        right = np.full((len(rows.y), len(GAMMAS)), np.nan)

        def reporting(number: int, stage: str = "", *, is_choosing: bool = True) -> Callback | None:
            path = _path(accuracies, right.copy()) if accuracies else None
            whole = _with_path(self.callback, path, is_choosing=is_choosing)
            return as_part_of_fit(whole, began_s, number, n_fits, stage)

        for number, (train, test) in enumerate(folds):
            words = f"choosing γ, fold {number + 1} of {len(folds)}"
            callbacks = [
                reporting(number * len(GAMMAS) + step, f"{words}, γ {gamma:g}")
                for step, gamma in enumerate(GAMMAS)
            ]
            fits = self._from_smooth_to_local(rows.part(train), callbacks)
            if fits[-1].stopped_:
                break
            is_right = [held_out_right(fit, rows.part(train), rows.part(test)) for fit in fits]
            weights = None if rows.weights is None else rows.weights[test]
            accuracies.append(
                [balanced_share(of_fit, rows.y[test], weights) for of_fit in is_right]
            )
            right[test] = np.stack(is_right, axis=1)
        self.gamma_path_ = _path(accuracies, right)
        callback = reporting(n_fits - 1, is_choosing=False)
        return self._fit_rows(rows, cells, self.gamma_path_.chosen, seed, callback)

    def _from_smooth_to_local(
        self, rows: WeightedRows, callbacks: Sequence[Callback | None]
    ) -> list[MELM]:
        """Fit at decreasing widths; the last fit is the one that was stopped, if any."""
        parameters: dict[str, Any] = self.get_params(deep=False)
        n_init = at_most(STARTS_A_FOLD, self.n_init)
        options = replace(self._options, tol=max(self._options.tol, _TOL))
        parameters |= {"n_init": n_init, "search": options}
        fits: list[MELM] = []
        for gamma, callback in zip(GAMMAS, callbacks, strict=True):
            melm = MELM(**parameters | {"gamma": gamma, "callback": callback})
            fits.append(fit_part(melm, rows))
            if fits[-1].stopped_:
                break
            followed = _best_planes(fits[-1])
            parameters["search"] = replace(options, continuation=None, init=followed)
        return fits


def _path(accuracies: Sequence[Sequence[float]], right: FloatArray) -> GammaPath:
    return GammaPath(np.array(GAMMAS), np.array(accuracies).reshape(-1, len(GAMMAS)), right)


def _with_path(
    callback: Callback | None, path: GammaPath | None, *, is_choosing: bool
) -> Callback | None:
    """Wrap a callback so that each step also reports the search for the kernel width."""
    if callback is None:
        return None

    def report(step: Progress) -> bool | None:
        fields = structs.asdict(step)
        return callback(GammaProgress(**fields, gamma_path=path, is_choosing=is_choosing))

    return report


def _best_planes(fit: Any) -> FloatArray:
    """Return the best planes whose objectives differ in five digits."""
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


def held_out_right(fit: Any, train: WeightedRows, test: WeightedRows) -> npt.NDArray[np.bool_]:
    """Return whether the projected training rows classify each test row correctly, by density.

    The kernels have the width of the densities of the fit, whatever gamma it was searched with.
    """
    Z = fit.transform(train.X)
    classes = kernel_classes(
        Z,
        train.y,
        n_components=Z.shape[1],
        gamma=fit.density_gamma,
        shrinkage="auto",
        weights=train.weights,
    )
    right: npt.NDArray[np.bool_] = classes.most_likely(fit.transform(test.X)) == test.y
    return right
