"""Orders in which the same labels could stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import factorial, prod

import numpy as np

from melm_core.base.array_types import IntArray


def count_permutations(y: IntArray) -> int:
    """In how many distinguishable orders the labels can stand."""
    return factorial(len(y)) // prod(factorial(count) for count in Counter(y.tolist()).values())


def random_permutations(y: IntArray, n_permutations: int, random_state: int) -> Iterator[IntArray]:
    """Random orders of the labels, each with a seed of its own."""
    for stream in np.random.SeedSequence(random_state).spawn(n_permutations):
        yield np.random.default_rng(stream).permutation(y)


def other_permutations(y: IntArray) -> Iterator[IntArray]:
    """Every distinguishable order of the labels but the one they stand in."""
    for order in _permutations(Counter(y.tolist())):
        if (codes := np.array(order)).tolist() != y.tolist():
            yield codes


def _permutations(counts: Counter[int]) -> Iterator[tuple[int, ...]]:
    """Every distinct order of labels that occur so often."""
    if not any(counts.values()):
        yield ()
    for code in [code for code, count in counts.items() if count]:
        for rest in _permutations(counts - Counter([code])):
            yield (code, *rest)
