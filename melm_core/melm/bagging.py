"""The plane that resampled data agree on: stratified bootstrap and the mean projector."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.progress import Callback, Progress
from melm_core.linalg.planes import orthonormalize

# More starts make a single fit surer; the mean over the resamples needs no more than these.
STARTS_A_RESAMPLE = 4


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


class BaggingRelay:
    """Passes the progress of the fits to resampled rows on as that of one fit.

    Attributes
    ----------
    stopped : bool
        Whether the callback has asked to stop.
    """

    def __init__(self, callback: Callback | None, n_bootstrap: int) -> None:
        self._callback = callback
        self._n_bootstrap = n_bootstrap
        self._n_evaluations = 0
        self._best = -np.inf
        self._began = time.perf_counter()
        self.stopped = False

    def for_resample(self, number: int) -> Callback | None:
        """The callback of one fit, counted from 0."""
        return None if self._callback is None else partial(self._pass_on, number)

    def _pass_on(self, number: int, progress: Progress) -> bool:
        assert self._callback is not None
        self._best = max(self._best, progress.objective)
        self._n_evaluations += 1
        told = replace(
            progress,
            best_objective=self._best,
            start=number + 1,
            n_starts=self._n_bootstrap,
            stage=f"resample {number + 1} of {self._n_bootstrap}, {progress.stage}",
            fraction=(number + progress.fraction) / self._n_bootstrap,
            elapsed_s=time.perf_counter() - self._began,
        )
        self.stopped = bool(self._callback(told))
        return self.stopped


def _blocks(units: IntArray, members: IntArray) -> list[IntArray]:
    """The members that are drawn together."""
    return [members[units[members] == unit] for unit in np.unique(units[members])]
