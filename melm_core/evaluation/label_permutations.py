"""Permutations of the class labels, random or exhaustive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import factorial, prod

import numpy as np

from melm_core.base.array_types import IntArray


def count_permutations(y: IntArray) -> int:
    """Number of distinct permutations of the labels."""
    return factorial(len(y)) // prod(factorial(count) for count in Counter(y.tolist()).values())


def random_permutations(y: IntArray, n_permutations: int, random_state: int) -> Iterator[IntArray]:
    """Yield random permutations of the labels, each with its own seed."""
    for stream in np.random.SeedSequence(random_state).spawn(n_permutations):
        yield np.random.default_rng(stream).permutation(y)


def other_permutations(y: IntArray) -> Iterator[IntArray]:
    """Yield every distinct permutation of the labels except the observed one."""
    for order in _permutations(Counter(y.tolist())):
        if (codes := np.array(order)).tolist() != y.tolist():
            yield codes


def _permutations(counts: Counter[int]) -> Iterator[tuple[int, ...]]:
    """Yield every distinct sequence of labels with these counts."""
    if not any(counts.values()):
        yield ()
    for code in [code for code, count in counts.items() if count]:
        for rest in _permutations(counts - Counter([code])):
            yield (code, *rest)
