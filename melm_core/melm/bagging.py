"""The plane that resampled data agree on: stratified bootstrap and the mean projector."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.weighted_estimator import WeightedRows
from melm_core.density.nuisance import SmallCellsWarning, nuisance_cells
from melm_core.linalg.planes import orthonormalize
from melm_core.melm.relay import Follow
from melm_core.optimization.types import Outcome, StartResult

# More starts make a single fit surer; the mean over the resamples needs no more than these.
STARTS_A_RESAMPLE = 4


def without_callback(estimator: Any) -> Any:
    """An unfitted copy that makes a single fit and reports to nobody.

    `clone` would copy the callback, and not every callback can be copied.
    """
    parameters = estimator.get_params(deep=False)
    return type(estimator)(**(parameters | {"n_bootstrap": 0, "callback": None}))


def fit_part(estimator: Any, data: WeightedRows) -> Any:
    """An estimator of planes fitted to some of the rows of another fit.

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
    """Rows drawn with replacement within each class, and a seed for the fit to them.

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


def bagged_fits(
    estimator: Any,
    data: WeightedRows,
    *,
    seed: int,
    groups: IntArray | None,
    follow: Follow,
) -> list[Any]:
    """Copies of an estimator of planes fitted to resampled rows; fewer if it is stopped.

    Parameters
    ----------
    estimator : MELM
        With `n_bootstrap` draws to make.
    data : WeightedRows
    seed : int
    groups : ndarray of shape (n_samples,) or None
    follow : callable
        Gives the callback of the fit of a number, counted from 0, and of these words.
    """
    n_draws = estimator.n_bootstrap
    single = without_callback(estimator).set_params(
        gamma=estimator.gamma_, n_init=min(estimator.n_init, STARTS_A_RESAMPLE)
    )
    fits: list[Any] = []
    for rows, fit_seed in bootstrap_rows(data.y, n_draws, seed, groups):
        fit = clone(single)
        fit.set_params(
            random_state=fit_seed,
            callback=follow(len(fits), f"resample {len(fits) + 1} of {n_draws}"),
        )
        fits.append(fit_part(fit, data.part(rows)))
        if fits[-1].stopped_:
            break
    return fits


def mean_plane(planes: Sequence[FloatArray], widths: FloatArray) -> FloatArray:
    """The leading directions of the mean projector onto several planes.

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


def mean_outcome(
    fits: Sequence[Any], plane: FloatArray, objective: float, to_whitened: FloatArray
) -> Outcome:
    """The mean plane of several fits as the outcome of a search.

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
    """The members that are drawn together."""
    return [members[units[members] == unit] for unit in np.unique(units[members])]
