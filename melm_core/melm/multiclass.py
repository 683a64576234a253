"""Aggregates that reduce the pairwise divergences of more than two classes to one value.

Each aggregate takes the logarithms L_ab of the information potentials, of
shape (n_classes, n_classes), and the numbers of rows, of shape (n_classes,).
It returns the value in nats and its derivatives by L_ab over the unordered
pairs, in the upper triangle. For two classes each of them is D_cs.

The paper treats two classes only; `docs/finding-the-optimum.md` compares the
aggregates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray

Multiclass: TypeAlias = Literal["mean", "softmin", "ovr"]
Aggregate: TypeAlias = Callable[[FloatArray, IntArray], tuple[float, FloatArray]]

# Of the three, its planes separate held-out rows best: the mean is dominated by pairs that
# are separated already. `python -m experiments multiclass` compares them.
DEFAULT_MULTICLASS: Multiclass = "softmin"

# Divergences within about this many nats of the smallest one count in the soft minimum.
SOFTNESS = 1.0


def mean_over_pairs(log_values: FloatArray, counts: IntArray) -> tuple[float, FloatArray]:
    """Mean of D_ab over the pairs of classes."""
    divergences = pair_divergences(log_values)
    shares = np.full(len(divergences), 1.0 / len(divergences))
    return float(divergences.mean()), _pair_derivatives(shares, len(counts))


def soft_minimum(log_values: FloatArray, counts: IntArray) -> tuple[float, FloatArray]:
    """-t log mean exp(-D_ab / t) over the pairs: the least separated pairs have most weight."""
    scaled = -pair_divergences(log_values) / SOFTNESS
    log_sum, shares = _softmax(scaled)
    value = -SOFTNESS * float(log_sum - np.log(len(scaled)))
    return value, _pair_derivatives(shares, len(counts))


def one_vs_rest(log_values: FloatArray, counts: IntArray) -> tuple[float, FloatArray]:
    """Mean over classes of D_cs between a class and the mixture of the others.

    The others are weighted by their numbers of rows, so the potentials of the
    mixture are weighted sums of those of the pairs.
    """
    n_classes = len(counts)
    value, derivatives = 0.0, np.zeros_like(log_values)
    for code in range(n_classes):
        rest = np.flatnonzero(np.arange(n_classes) != code)
        log_shares = np.log(counts[rest] / counts[rest].sum())
        within = log_values[np.ix_(rest, rest)] + log_shares[:, None] + log_shares[None, :]
        across = log_values[code, rest] + log_shares
        log_within, shares_within = _softmax(within)
        log_across, shares_across = _softmax(across)
        value += float(log_values[code, code]) + log_within - 2.0 * log_across
        derivatives[code, code] += 1.0
        derivatives[np.ix_(rest, rest)] += shares_within
        derivatives[code, rest] -= shares_across
        derivatives[rest, code] -= shares_across
    return value / n_classes, _over_unordered(derivatives) / n_classes


AGGREGATES: Mapping[Multiclass, Aggregate] = MappingProxyType(
    {"mean": mean_over_pairs, "softmin": soft_minimum, "ovr": one_vs_rest}
)


def pair_divergences(log_values: FloatArray) -> FloatArray:
    """D_ab = L_aa + L_bb - 2 L_ab of every pair a < b, shape (n_pairs,)."""
    a, b = _pairs(len(log_values))
    divergences: FloatArray = log_values[a, a] + log_values[b, b] - 2.0 * log_values[a, b]
    return divergences


@cache
def _pairs(n_classes: int) -> tuple[IntArray, IntArray]:
    """Codes a < b of every pair of classes."""
    a, b = np.triu_indices(n_classes, k=1)
    return a, b


def _softmax(logs: FloatArray) -> tuple[float, FloatArray]:
    """Logarithm of the sum of exp(logs), and the share of each term in the sum.

    It is called at every evaluation of the divergence: scipy's functions would
    take longer there than the potentials of a few hundred rows.
    """
    largest = logs.max()
    shares: FloatArray = np.exp(logs - largest)
    total = shares.sum()
    shares /= total
    return float(largest + np.log(total)), shares


def _pair_derivatives(shares: FloatArray, n_classes: int) -> FloatArray:
    """Derivatives by L_ab of the sum of shares times D_ab."""
    a, b = _pairs(n_classes)
    derivatives = np.zeros((n_classes, n_classes))
    derivatives[a, b] = -2.0 * shares
    np.add.at(derivatives, (a, a), shares)
    np.add.at(derivatives, (b, b), shares)
    return derivatives


def _over_unordered(derivatives: FloatArray) -> FloatArray:
    """Derivatives by ordered pairs, summed in the upper triangle."""
    gathered: FloatArray = np.triu(derivatives) + np.tril(derivatives, k=-1).T
    return gathered
