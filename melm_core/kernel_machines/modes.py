"""Readable descriptions of the modes of an approximated kernel machine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.kernel_machines.mean_shift import ModeClusters
from melm_core.kernel_machines.separable_sum import SeparableSum


@dataclass(frozen=True, eq=False)
class Marginal:
    """A factor C exp(sum_k lambda_k y^k) of a component, with y of unit variance.

    Attributes
    ----------
    multipliers : ndarray of shape (order,)
        lambda_1 .. lambda_m.
    log_normalizer : float
        log C.
    order : int
        Reached order.
    fallback : str
        "none", or why the order was reduced.
    """

    multipliers: FloatArray
    log_normalizer: float
    order: int
    fallback: str


@dataclass(frozen=True, eq=False)
class ModeComponent:
    """The component that replaces the kernels of one sign in a mode.

    Attributes
    ----------
    sign : int
        Sign of the weights, -1 or 1.
    members : ndarray of int
        Indices of the centers in the machine.
    weight : float
        Sum of the weights.
    amplitude : float
        Factor of the component: `sign`, or the refitted amplitude.
    mean : ndarray of shape (n_features,)
    axes : ndarray of shape (n_axes, n_features)
        Displacements by one standard deviation along each independent axis,
        in units of the data: from `mean - axes[d]` to `mean + axes[d]`.
    marginals : tuple of Marginal
        One for each axis.
    """

    sign: int
    members: IntArray
    weight: float
    amplitude: float
    mean: FloatArray
    axes: FloatArray
    marginals: tuple[Marginal, ...]


@dataclass(frozen=True, eq=False)
class Mode:
    """A positive maximum or negative minimum of the weighted sum of kernels.

    Attributes
    ----------
    location : ndarray of shape (n_features,)
    value : float
        The sum at the location, without the intercept of the machine.
    sign : int
        Sign of the value.
    members : ndarray of int
        Indices of the centers of the machine assigned to the mode.
    components : tuple of ModeComponent
        One for each sign among the weights of the members.
    """

    location: FloatArray
    value: float
    sign: int
    members: IntArray
    components: tuple[ModeComponent, ...]


@dataclass(frozen=True, eq=False)
class SignedClusters:
    """Centers of a machine, grouped by mode and by the sign of their weights.

    Attributes
    ----------
    members : tuple of ndarray of int
        Indices of the centers of each group.
    modes : ndarray of shape (n_groups,)
        Mode of each group, ascending.
    signs : ndarray of shape (n_groups,)
        -1 or 1.
    """

    members: tuple[IntArray, ...]
    modes: IntArray
    signs: FloatArray


def split_by_sign(labels: IntArray, weights: FloatArray) -> SignedClusters:
    """Split every cluster into centers with positive and with negative weights.

    Kernels with weights of one sign sum to a multiple of a density; with both
    signs, the weights may cancel.

    Parameters
    ----------
    labels : ndarray of shape (n_centers,)
        Mode of each center.
    weights : ndarray of shape (n_centers,)
        All nonzero.
    """
    keys, groups = np.unique(2 * labels + (weights > 0), return_inverse=True)
    order = np.argsort(groups, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(groups))[:-1])
    return SignedClusters(tuple(members), keys // 2, np.where(keys % 2, 1.0, -1.0))


def describe_modes(
    clusters: ModeClusters,
    groups: SignedClusters,
    components: SeparableSum,
    *,
    weights: FloatArray,
    amplitudes: FloatArray,
    numbers: IntArray,
) -> tuple[Mode, ...]:
    """Describe every mode, by descending |value|.

    Parameters
    ----------
    clusters : ModeClusters
        With locations in units of the data.
    groups : SignedClusters
        One for each of the components.
    components : SeparableSum
    weights : ndarray of shape (n_centers,)
    amplitudes : ndarray of shape (n_components,)
    numbers : ndarray of shape (n_centers,)
        Indices of the centers in the machine.
    """
    described = [
        _component(components, index, weights[members], float(amplitudes[index]), numbers[members])
        for index, members in enumerate(groups.members)
    ]
    modes = []
    for mode in np.argsort(-np.abs(clusters.values), kind="stable"):
        parts = tuple(described[index] for index in np.flatnonzero(groups.modes == mode))
        value = float(clusters.values[mode])
        members = numbers[clusters.labels == mode]
        modes.append(Mode(clusters.locations[mode], value, int(np.sign(value)), members, parts))
    return tuple(modes)


def _component(
    components: SeparableSum,
    index: int,
    weights: FloatArray,
    amplitude: float,
    members: IntArray,
) -> ModeComponent:
    displacements = np.linalg.pinv(components.axes[index])  # (n_features, n_axes)
    n_axes = displacements.shape[1]
    return ModeComponent(
        sign=int(np.sign(weights[0])),
        members=members,
        weight=float(weights.sum()),
        amplitude=amplitude,
        mean=components.origin + displacements @ components.offsets[index],
        axes=displacements.T,
        marginals=tuple(_marginal(components, index * n_axes + axis) for axis in range(n_axes)),
    )


def _marginal(components: SeparableSum, index: int) -> Marginal:
    marginals = components.marginals
    order = int(marginals.orders[index])
    return Marginal(
        multipliers=marginals.multipliers[index, :order],
        log_normalizer=float(marginals.log_normalizers[index]),
        order=order,
        fallback=marginals.fallbacks[index],
    )
