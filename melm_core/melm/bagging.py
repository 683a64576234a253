"""The plane that resampled data agree on: stratified bootstrap and the mean projector."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.codes import group_codes
from melm_core.base.estimator import WeightedRows, check_integer
from melm_core.base.progress import DEFAULT_DENSITY_GAMMA, DEFAULT_GAMMA, Callback, as_part_of_fit
from melm_core.base.sample_weights import deviations_of
from melm_core.density.covariances import DEFAULT_SHRINKAGE, Shrinkage
from melm_core.density.nuisance import SmallCellsWarning, nuisance_cells
from melm_core.linalg.planes import orthonormalize
from melm_core.melm.estimator import MELM
from melm_core.melm.multiclass import DEFAULT_MULTICLASS, Multiclass
from melm_core.melm.objective import divergence_and_gradient
from melm_core.melm.search import SearchOptions
from melm_core.optimization.multistart import Outcome, StartResult

# More starts make a single fit surer; the mean over the resamples needs no more than these.
STARTS_A_RESAMPLE = 4


class BaggedMELM(MELM):
    """The mean of the planes that MELM finds in bootstrap samples, stratified by class.

    The mean plane is spanned by the leading eigenvectors of the mean projector, in
    standardized features. Its divergence and densities are those of all rows.

    Parameters
    ----------
    n_components : int, default=2
        Dimension k of the plane.
    n_bootstrap : int, default=15
        Number of bootstrap samples.
    gamma, density_gamma, n_init, shrinkage, multiclass, nuisance_weight
        As of `MELM`; a fit to a sample has at most four starts.
    random_state : int, RandomState or None, default=None
        Seed of the bootstrap, and of the fits.
    search, callback
        As of `MELM`.

    Attributes
    ----------
    start_results_ : tuple of StartResult
        The best one of each bootstrap sample.

    See Also
    --------
    MELM : Has all other attributes, too.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import BaggedMELM
    >>> X, y = load_iris(return_X_y=True)
    >>> melm = BaggedMELM(n_bootstrap=3, n_init=2, random_state=0).fit(X, y)
    >>> len(melm.start_results_)
    3
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_bootstrap: int = 15,
        gamma: float = DEFAULT_GAMMA,
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
            gamma=gamma,
            density_gamma=density_gamma,
            n_init=n_init,
            shrinkage=shrinkage,
            multiclass=multiclass,
            nuisance_weight=nuisance_weight,
            random_state=random_state,
            search=search,
            callback=callback,
        )
        self.n_bootstrap = n_bootstrap

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        nuisance: Any = None,
    ) -> Self:
        """Find the mean plane.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y, sample_weight, nuisance
            As of `MELM.fit`.
        groups : array-like of shape (n_samples,) or None, default=None
            Rows of one group are drawn together.

        Raises
        ------
        ValueError
            If a parameter or the data are invalid; the message says which and why.

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
        classes, whitener = self._whitened(rows, cells, self.gamma)
        fits = self._fits(rows, seed, groups, began_s)
        plane = mean_plane([fit.components_ for fit in fits], deviations_of(rows.X, rows.weights))
        back = np.asarray(np.linalg.pinv(whitener).T, dtype=np.float64)
        objective, _ = divergence_and_gradient(
            classes,
            plane @ back,
            engine=self._options.engine,
            multiclass=self.multiclass,
            nuisance_weight=self.nuisance_weight,
        )
        self._keep(_mean_outcome(fits, plane @ back, objective, back), classes, whitener)
        return self

    def _validate_parameters(self, n_features: int) -> None:
        super()._validate_parameters(n_features)
        check_integer("n_bootstrap", self.n_bootstrap, minimum=1)

    def _fits(
        self, rows: WeightedRows, seed: int, groups: IntArray | None, began_s: float
    ) -> list[MELM]:
        """Fit resampled rows; return fewer fits if the callback stops one."""
        parameters: dict[str, Any] = self.get_params(deep=False)
        n_draws = parameters.pop("n_bootstrap")
        parameters["n_init"] = at_most(STARTS_A_RESAMPLE, self.n_init)
        fits: list[MELM] = []
        for drawn, fit_seed in bootstrap_rows(rows.y, n_draws, seed, groups):
            stage = f"resample {len(fits) + 1} of {n_draws}"
            callback = as_part_of_fit(self.callback, began_s, len(fits), n_draws, stage)
            melm = MELM(**parameters | {"random_state": fit_seed, "callback": callback})
            fits.append(fit_part(melm, rows.part(drawn)))
            if fits[-1].stopped_:
                break
        return fits


def at_most(most: int, n_init: int | Literal["auto"]) -> int:
    """Return the number of starts on some of the rows, where `n_init` is that of all rows."""
    return most if n_init == "auto" else min(n_init, most)


def fit_part(estimator: MELM, data: WeightedRows) -> MELM:
    """Fit an estimator to some of the rows of another fit.

    That fit has warned of small cells already. Where no class of this part has two cells, the
    part says nothing about the nuisance.

    Parameters
    ----------
    estimator : MELM
    data : WeightedRows
    """
    nuisance = data.nuisance
    if nuisance is not None:
        cells = nuisance_cells(
            data.y, nuisance, n_components=estimator.n_components, weights=data.weights
        )
        nuisance = None if cells.is_confounded else nuisance
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallCellsWarning)
        return estimator.fit(data.X, data.y, sample_weight=data.weights, nuisance=nuisance)


def bootstrap_rows(
    y: IntArray, n_bootstrap: int, seed: int, groups: IntArray | None = None
) -> Iterator[tuple[IntArray, int]]:
    """Draw rows with replacement within each class, and a seed for the fit to them.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class codes.
    n_bootstrap : int
        Number of draws.
    seed : int
    groups : ndarray of shape (n_samples,) or None
        Rows of one group are drawn together.

    Yields
    ------
    rows : ndarray of shape (n_drawn,)
        Indices.
    seed : int
    """
    units = np.arange(len(y)) if groups is None else groups
    blocks = [_blocks(units, np.flatnonzero(y == code)) for code in range(int(y.max()) + 1)]
    for stream in np.random.SeedSequence(seed).spawn(n_bootstrap):
        generator = np.random.default_rng(stream)
        drawn = [
            members[i]
            for members in blocks
            for i in generator.integers(len(members), size=len(members))
        ]
        yield np.concatenate(drawn), int(generator.integers(np.iinfo(np.int32).max))


def mean_plane(planes: Sequence[FloatArray], widths: FloatArray) -> FloatArray:
    """Compute the leading directions of the mean projector onto several planes.

    Taken in standardized features, so that it does not depend on their units.

    Parameters
    ----------
    planes : sequence of ndarray of shape (n_components, n_features)
    widths : ndarray of shape (n_features,)
        Standard deviations of the features.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        Orthonormal rows.
    """
    scale = np.where(widths > 0, widths, 1.0)
    stacked = np.concatenate([orthonormalize(plane * scale) for plane in planes])
    _, _, directions = np.linalg.svd(stacked, full_matrices=False)
    return orthonormalize(directions[: len(planes[0])] / scale)


def _mean_outcome(
    fits: Sequence[MELM], plane: FloatArray, objective: float, to_whitened: FloatArray
) -> Outcome:
    """Compute the mean plane of several fits as the outcome of a search.

    Parameters
    ----------
    fits : sequence of MELM
        To bootstrap samples.
    plane : ndarray of shape (n_components, rank)
        In whitened coordinates.
    objective : float
        What is maximized, in that plane.
    to_whitened : ndarray of shape (n_features, rank)
        Takes components from the features to whitened coordinates.
    """
    bests = [max(fit.start_results_, key=lambda start: start.objective) for fit in fits]
    history = tuple(start.objective for start in bests)
    best = StartResult(
        kind="mean of bootstrap samples",
        objective=objective,
        n_iterations=sum(fit.n_iter_ for fit in fits),
        n_evaluations=sum(fit.n_evaluations_ for fit in fits),
        converged=all(fit.converged_ for fit in fits),
        components=plane,
        history=history,
    )
    return Outcome(
        best=best,
        start_results=tuple(
            replace(start, components=start.components @ to_whitened) for start in bests
        ),
        history=history,
        n_evaluations=best.n_evaluations,
        stopped=fits[-1].stopped_,
    )


def _blocks(units: IntArray, members: IntArray) -> list[IntArray]:
    """Return the members that are drawn together."""
    return [members[units[members] == unit] for unit in np.unique(units[members])]
