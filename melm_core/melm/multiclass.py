"""Aggregates that reduce the pairwise divergences of more than two classes to one value.

Each aggregate takes the logarithms L_ab of the information potentials, of
shape (..., n_classes, n_classes), and the numbers of rows, or the sums of their
weights, of shape (n_classes,). It returns the values in nats, of shape (...), and
their derivatives by L_ab over the unordered pairs, in the upper triangle. For two
classes each of them is D_cs.

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
Aggregate: TypeAlias = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]

# Of the three, its planes separate held-out rows best: the mean is dominated by pairs that
# are separated already. `python -m lab.experiments multiclass` compares them.
DEFAULT_MULTICLASS: Multiclass = "softmin"

# Of the values of a nuisance, which are to agree: a pair that is far apart must count most.
NUISANCE_AGGREGATE: Multiclass = "mean"

# Divergences within about this many nats of the smallest one count in the soft minimum.
SOFTNESS = 1.0


def mean_over_pairs(log_values: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute the mean of D_ab over the pairs of classes."""
    divergences = pair_divergences(log_values)
    shares = np.full_like(divergences, 1.0 / divergences.shape[-1])
    return divergences.mean(axis=-1), _pair_derivatives(shares, len(counts))


def soft_minimum(log_values: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """-t log mean exp(-D_ab / t) over the pairs: the least separated pairs have most weight."""
    scaled = -pair_divergences(log_values) / SOFTNESS
    log_sums, shares = _softmax(scaled)
    values = -SOFTNESS * (log_sums - np.log(scaled.shape[-1]))
    return values, _pair_derivatives(shares, len(counts))


def one_vs_rest(log_values: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute the mean over classes of D_cs between a class and the mixture of the others.

    The others are weighted by their numbers of rows, so the potentials of the
    mixture are weighted sums of those of the pairs.
    """
    n_classes = len(counts)
    values, derivatives = np.zeros(log_values.shape[:-2]), np.zeros_like(log_values)
    for code in range(n_classes):
        rest = np.flatnonzero(np.arange(n_classes) != code)
        block = (..., rest[:, None], rest)
        log_shares = np.log(counts[rest] / counts[rest].sum())
        within = log_values[block] + log_shares[:, None] + log_shares
        log_within, shares_within = _softmax(within.reshape(*within.shape[:-2], -1))
        log_across, shares_across = _softmax(log_values[..., code, rest] + log_shares)
        values += log_values[..., code, code] + log_within - 2.0 * log_across
        derivatives[..., code, code] += 1.0
        derivatives[block] += shares_within.reshape(within.shape)
        derivatives[..., code, rest] -= shares_across
        derivatives[..., rest, code] -= shares_across
    return values / n_classes, _over_unordered(derivatives) / n_classes


AGGREGATES: Mapping[Multiclass, Aggregate] = MappingProxyType(
    {"mean": mean_over_pairs, "softmin": soft_minimum, "ovr": one_vs_rest}
)


def pair_divergences(log_values: FloatArray) -> FloatArray:
    """D_ab = L_aa + L_bb - 2 L_ab of every pair a < b, shape (..., n_pairs)."""
    a, b, _ = _pairs(log_values.shape[-1])
    divergences = log_values[..., a, a] + log_values[..., b, b] - 2.0 * log_values[..., a, b]
    # In one order in memory, or rounding would depend on how many planes there are.
    return np.ascontiguousarray(divergences)


@cache
def _pairs(n_classes: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Return codes a < b of every pair of classes, and members of each, (n_pairs, n_classes)."""
    a, b = np.triu_indices(n_classes, k=1)
    codes = np.arange(n_classes)
    return a, b, ((a[:, None] == codes) | (b[:, None] == codes)).astype(np.float64)


def _softmax(logs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute the log of the sum of exp(logs) along the last axis, and each share.

    It is called at every evaluation of the divergence: scipy's functions would
    take longer there than the potentials of a few hundred rows.
    """
    largest = logs.max(axis=-1, keepdims=True)
    shares: FloatArray = np.exp(logs - largest)
    totals = shares.sum(axis=-1, keepdims=True)
    shares /= totals
    return (largest + np.log(totals))[..., 0], shares


def _pair_derivatives(shares: FloatArray, n_classes: int) -> FloatArray:
    """Compute derivatives by L_ab of the sum of shares times D_ab."""
    a, b, members = _pairs(n_classes)
    codes = np.arange(n_classes)
    derivatives = np.zeros((*shares.shape[:-1], n_classes, n_classes))
    derivatives[..., a, b] = -2.0 * shares
    derivatives[..., codes, codes] = (shares[..., None, :] @ members)[..., 0, :]
    return derivatives


def _over_unordered(derivatives: FloatArray) -> FloatArray:
    """Compute derivatives by ordered pairs, summed in the upper triangle."""
    transposed = derivatives.swapaxes(-1, -2)
    gathered: FloatArray = np.triu(derivatives) + np.triu(transposed, k=1)
    return gathered
