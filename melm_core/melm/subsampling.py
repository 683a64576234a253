"""Samples of the rows on which the search for a plane begins where there are many rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from melm_core.base.row_blocks import take_rows
from melm_core.density.class_densities import ClassDensities
from melm_core.density.whitening import bandwidth_factor
from melm_core.melm.settings import SearchSettings


def competition_rows(classes: ClassDensities, settings: SearchSettings) -> ClassDensities:
    """The rows on which the starts compete: all of them, or a sample if there are many."""
    sizes = settings.sample_sizes
    if int(classes.counts.sum()) <= sizes.max_rows:
        return classes
    return subsample(classes, sizes.small, settings)


def subsample(classes: ClassDensities, n_rows: int, settings: SearchSettings) -> ClassDensities:
    """A stratified sample, with the kernel width that its size requires.

    The kernels keep the shape that all rows have given them.

    Parameters
    ----------
    classes : ClassDensities
    n_rows : int
        Approximate size; each class keeps at least n_components + 2 rows if it has them.
    settings : SearchSettings
    """
    share = n_rows / int(classes.counts.sum())
    stream = np.random.default_rng(np.random.SeedSequence(settings.seed))
    sample = _share_of(classes, share, settings.n_components, stream)
    cells = tuple(_share_of(own, share, settings.n_components, stream) for own in classes.cells)
    return replace(sample, cells=cells)


def _share_of(
    classes: ClassDensities, share: float, n_components: int, stream: np.random.Generator
) -> ClassDensities:
    """A share of the rows of each class, with the kernel width that their number requires."""
    drawn = []
    for count in classes.counts.tolist():
        size = min(count, max(n_components + 2, round(share * count)))
        drawn.append(np.sort(stream.choice(count, size, replace=False)))
    rows = take_rows(classes.rows, drawn)
    weights = classes.weights
    if weights is not None:
        weights = tuple(own[kept] for own, kept in zip(weights, drawn, strict=True))
    sample = ClassDensities(rows, classes.covariances, weights=weights)
    widening = [
        bandwidth_factor(some, n_components, 1.0) / bandwidth_factor(total, n_components, 1.0)
        for some, total in zip(sample.totals, classes.totals, strict=True)
    ]
    return replace(sample, covariances=classes.covariances * np.square(widening)[:, None, None])
