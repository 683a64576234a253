"""GEM: generalized eigenvectors of all pairs of ten classes, from blocks of rows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median

import numpy as np
from threadpoolctl import threadpool_limits

from lab.benchmarks.table import Measurement
from melm_core.base import FloatArray, IntArray
from melm_core.gem import all_pairs, class_pair_eigenvectors
from melm_core.linalg import ClassSecondMoments

_N_ROWS, _N_FEATURES, _N_CLASSES = 10_000, 784, 10
_BLOCK_ROWS = 1_000
_N_DIRECTIONS = 20
_GAMMA = 0.5

# Each run takes about a minute.
_MOST_RUNS = 3


def pairs_of_ten_classes(repeats: int) -> list[Measurement]:
    """CPU seconds of the second moments and of the 90 pairs, for data of the size of MNIST."""
    runs = min(repeats, _MOST_RUNS)
    with threadpool_limits(1):
        took = [_once(list(_blocks(seed))) for seed in range(runs)]
    summing, solving = (tuple(seconds) for seconds in zip(*took, strict=True))
    both = tuple(a + b for a, b in zip(summing, solving, strict=True))
    size = f"{_N_ROWS} x {_N_FEATURES}, {_N_CLASSES} classes"
    print(f"GEM, {size}: median {median(both):.1f} CPU seconds.")
    return [
        Measurement(f"second moments by blocks of {_BLOCK_ROWS}, {size}", "CPU s", summing),
        Measurement(f"90 pairs, {_N_DIRECTIONS} directions each", "CPU s", solving),
        Measurement("GEM, both", "CPU s", both),
    ]


def _once(blocks: list[tuple[FloatArray, IntArray]]) -> tuple[float, float]:
    began = time.process_time()
    moments = ClassSecondMoments()
    for X, y in blocks:
        moments.partial_fit(X, y)
    summed = time.process_time()
    class_pair_eigenvectors(
        moments, all_pairs(_N_CLASSES), gamma=_GAMMA, n_directions=_N_DIRECTIONS
    )
    return summed - began, time.process_time() - summed


def _blocks(seed: int) -> Iterator[tuple[FloatArray, IntArray]]:
    """Yield blocks of classes that share most of their spectrum, as images do."""
    stream = np.random.default_rng(seed)
    spectrum = 1.0 / np.arange(1, _N_FEATURES + 1)
    shapes = [stream.permutation(_N_FEATURES) for _ in range(_N_CLASSES)]
    for _ in range(_N_ROWS // _BLOCK_ROWS):
        y = stream.integers(0, _N_CLASSES, _BLOCK_ROWS)
        noise = stream.standard_normal((_BLOCK_ROWS, _N_FEATURES))
        own = np.stack([spectrum[shapes[code]] for code in y])
        yield noise * (spectrum + own), y
