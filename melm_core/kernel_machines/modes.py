"""The modes of an approximated kernel machine: found by mean shift, and described.

The fixed-point iteration of the paper (equation 2) moves x by
bandwidth^2 grad f / f, a gradient step on log|f|: ascent where f is positive
and descent where it is negative. Where the kernels have widths of their own,
bandwidth^2 is f / sum_i w_i K_i / bandwidth_i^2, which makes the gradient
vanish at the next point as equation 2 does, kept between the smallest and the
largest. With weights of both signs, mean shift is not guaranteed to converge,
so a step is halved until |f| does not decrease and f keeps its sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density import gaussian_sums
from melm_core.kernel_machines.separable_sum import SeparableSum

# Lengths are in units of the smallest bandwidth. Trajectories that come this close are merged.
COALESCE = 1e-2
COALESCE_EVERY = 5

# A trajectory ends at a fixed-point step shorter than TOLERANCE. If it is below NEWTON_REACH, the
# end point is refined by Newton's method, which is fast even along ridges.
TOLERANCE = 1e-6
NEWTON_STEPS = 8
NEWTON_REACH = 1e-3
CONVERGED = 1e-8

# Relative changes of |f| up to this are rounding errors.
ROUNDING = 1e-12

# Bounds on the factor of the fixed-point step, and on the length of a move: where weights nearly
# cancel, the step is very long and only its direction is meaningful. The move is in bandwidths of
# the step.
LONGEST_STEP, SHORTEST_STEP = 64.0, 1e-6
LONGEST_MOVE = 4.0


@dataclass(frozen=True, eq=False)
class MeanShiftResult:
    """End points of the safeguarded mean shift.

    Attributes
    ----------
    points : ndarray of shape (n_starts, n_features)
    values : ndarray of shape (n_starts,)
        f at the points; has the sign of the start, and is not smaller in magnitude.
    widths : ndarray of shape (n_starts,)
        The bandwidth at the points, that of the step, in units of the data.
    is_converged : ndarray of bool, shape (n_starts,)
        Whether the fixed-point step is shorter than 1e-8 bandwidths.
    n_iter : int
    """

    points: FloatArray
    values: FloatArray
    widths: FloatArray
    is_converged: np.typing.NDArray[np.bool_]
    n_iter: int


@dataclass(frozen=True, eq=False)
class ModeClusters:
    """The modes, and the assignment of centers to them.

    Attributes
    ----------
    locations : ndarray of shape (n_modes, n_features)
    values : ndarray of shape (n_modes,)
        f at the modes, of either sign.
    labels : ndarray of shape (n_centers,)
        Mode of each center.
    """

    locations: FloatArray
    values: FloatArray
    labels: IntArray


def find_modes(
    centers: FloatArray,
    weights: FloatArray,
    bandwidth: float | FloatArray,
    *,
    max_starts: int = 500,
    max_iter: int = 2_000,
    merge_tolerance: float = 0.1,
) -> ModeClusters:
    """Cluster the centers of a kernel machine by mean shift (section 2 of the paper).

    If there are more centers than `max_starts`, the mean shift starts from a
    spread-out subset, and every other center is assigned with the nearest one.

    Parameters
    ----------
    centers : ndarray of shape (n_centers, n_features)
    weights : ndarray of shape (n_centers,)
        Of either sign.
    bandwidth : float or ndarray of shape (n_centers,)
    max_starts : int
    max_iter : int
    merge_tolerance : float
        End points closer than this many bandwidths, the smaller of the two, are
        merged. Along a ridge, the number of modes depends on it.

    Returns
    -------
    ModeClusters
    """
    indices = farthest_points(centers, max_starts)
    starts = centers[indices]
    ascent = mean_shift(starts, centers, weights, bandwidth, max_iter=max_iter)
    modes = merge_modes(ascent, merge_tolerance)
    nearest = cKDTree(starts).query(centers)[1]
    strongest = _strongest_of_each(modes, ascent.values)
    return ModeClusters(ascent.points[strongest], ascent.values[strongest], modes[nearest])


def mean_shift(
    starts: FloatArray,
    centers: FloatArray,
    weights: FloatArray,
    bandwidth: float | FloatArray,
    *,
    max_iter: int = 2_000,
) -> MeanShiftResult:
    """Safeguarded fixed-point iteration (equation 2) from all starts at once.

    Every trajectory has its own step length: halved if |f| would decrease or
    change sign, and doubled if |f| increased, to speed up progress along
    ridges. Trajectories that meet are merged, and Newton's method refines the
    end points.

    Parameters
    ----------
    starts : ndarray of shape (n_starts, n_features)
    centers : ndarray of shape (n_centers, n_features)
    weights : ndarray of shape (n_centers,)
    bandwidth : float or ndarray of shape (n_centers,)
    max_iter : int
        Maximum number of evaluations of f for each start.

    Returns
    -------
    MeanShiftResult
    """
    trajectories = _Trajectories(starts, centers, weights, bandwidth)
    n_iter = 0
    while n_iter < max_iter and trajectories.is_moving.any():
        trajectories.step()
        n_iter += 1
        if n_iter % COALESCE_EVERY == 0:
            trajectories.coalesce()
    trajectories.refine()
    return trajectories.result(n_iter)


def merge_modes(ascent: MeanShiftResult, tolerance: float) -> IntArray:
    """Group end points by single linkage within that many bandwidths of both.

    End points at which f has different signs are never in one group.

    Returns
    -------
    ndarray of shape (n_starts,)
        Group 0 .. n_groups-1 of every end point.
    """
    reach = tolerance * ascent.widths
    pairs = cKDTree(ascent.points).query_pairs(reach.max(), output_type="ndarray")
    apart = np.linalg.norm(ascent.points[pairs[:, 0]] - ascent.points[pairs[:, 1]], axis=1)
    pairs = pairs[apart <= reach[pairs].min(axis=1)]
    signs = np.sign(ascent.values)
    same = pairs[signs[pairs[:, 0]] == signs[pairs[:, 1]]]
    n = len(signs)
    links = coo_array((np.ones(len(same)), (same[:, 0], same[:, 1])), shape=(n, n))
    groups: IntArray = connected_components(links, directed=False)[1].astype(np.int64)
    return groups


def farthest_points(points: FloatArray, n_points: int) -> IntArray:
    """Choose a spread-out subset by farthest-point sampling, and return its indices.

    The first is the point farthest from the mean. All indices are returned if
    there are no more than `n_points`.
    """
    if len(points) <= n_points:
        return np.arange(len(points))
    distances = np.square(points - points.mean(axis=0)).sum(axis=1)
    indices = [int(distances.argmax())]
    distances = np.full(len(points), np.inf)
    while len(indices) < n_points:
        offsets = points - points[indices[-1]]
        np.minimum(distances, np.einsum("ij,ij->i", offsets, offsets), out=distances)
        farthest = int(distances.argmax())
        if distances[farthest] == 0:
            break
        indices.append(farthest)
    return np.array(indices)


class _Trajectories:
    """The state of all trajectories; starts whose trajectories met share one."""

    def __init__(
        self,
        starts: FloatArray,
        centers: FloatArray,
        weights: FloatArray,
        bandwidth: float | FloatArray,
    ) -> None:
        self._origin = centers.mean(axis=0)
        self._unit = float(np.min(bandwidth))
        self._centers = (centers - self._origin) / self._unit
        self._squares = np.square(np.broadcast_to(bandwidth / self._unit, len(centers)))
        self._weights = weights
        pulled = (weights / self._squares)[:, None]
        self._columns = np.column_stack([weights, pulled, pulled * self._centers])
        self._points = (starts - self._origin) / self._unit
        self._values, self._pull, self._widths = self._evaluate(self._points)
        self._lengths = np.ones(len(starts))
        self._guide = np.arange(len(starts))  # the trajectory of each start
        self.is_moving = self._values != 0

    def step(self) -> None:
        moving = np.flatnonzero(self.is_moving)
        steps = self._lengths[moving, None] * self._pull[moving]
        excess = np.linalg.norm(steps, axis=1) / (LONGEST_MOVE * self._widths[moving])
        candidates = self._points[moving] + steps / np.maximum(1.0, excess)[:, None]
        values, pull, widths = self._evaluate(candidates)
        before = self._values[moving]
        gains = values / before - 1.0  # below -1 where the sign changed
        went = gains >= -ROUNDING
        self._move(moving[went], candidates[went], values[went], pull[went], widths[went])
        # Steps are not lengthened where the gain is within rounding errors.
        longer = np.where(gains > ROUNDING, 2.0 * self._lengths[moving], 1.0)
        shorter = np.where(went, longer, 0.5 * self._lengths[moving])
        self._lengths[moving] = np.minimum(shorter, LONGEST_STEP)
        at_rest = np.linalg.norm(self._pull[moving], axis=1) < TOLERANCE
        self.is_moving[moving[at_rest | (shorter < SHORTEST_STEP)]] = False

    def coalesce(self) -> None:
        """Merge trajectories of the same sign in the same small cell into the best of them."""
        moving = np.flatnonzero(self.is_moving)
        cells = np.round(self._points[moving] / COALESCE)
        keys = np.column_stack([cells, np.sign(self._values[moving])])
        groups = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
        leaders = moving[_strongest_of_each(groups, self._values[moving])][groups]
        self.is_moving[moving] = moving == leaders
        heirs = np.arange(len(self._points))
        heirs[moving] = leaders
        self._guide = heirs[self._guide]

    def refine(self) -> None:
        """Newton's method on grad f = 0 for every remaining trajectory where log|f| is concave."""
        is_near = (np.linalg.norm(self._pull, axis=1) < NEWTON_REACH) & (self._values != 0)
        for leader in np.unique(self._guide[is_near[self._guide]]):
            for _ in range(NEWTON_STEPS):
                if not self._newton_step(leader):
                    break

    def result(self, n_iter: int) -> MeanShiftResult:
        guide = self._guide
        is_converged = np.linalg.norm(self._pull[guide], axis=1) < CONVERGED
        points = self._points[guide] * self._unit + self._origin
        widths = self._widths[guide] * self._unit
        return MeanShiftResult(points, self._values[guide], widths, is_converged, n_iter)

    def _newton_step(self, leader: int) -> bool:
        """Take one Newton step if it increases |f|; return whether it was taken."""
        slope, curvature = self._slope_and_curvature(leader)
        if np.linalg.eigvalsh(curvature)[0] <= 0:
            return False
        candidate = self._points[leader] + np.linalg.solve(curvature, slope)
        values, pulls, widths = self._evaluate(candidate[None])
        is_uphill = values[0] / self._values[leader] >= 1.0 - ROUNDING
        if not is_uphill or np.linalg.norm(pulls) >= np.linalg.norm(self._pull[leader]):
            return False
        self._move(leader, candidate, values[0], pulls[0], widths[0])
        return True

    def _slope_and_curvature(self, leader: int) -> tuple[FloatArray, FloatArray]:
        """Compute the gradient of log|f| and the Hessian of -log|f|."""
        offsets = self._centers - self._points[leader]
        exponents = -0.5 * np.square(offsets).sum(axis=1) / self._squares
        shares = self._weights * np.exp(exponents) / self._squares / self._values[leader]
        slope = shares @ offsets
        spread = (offsets * (shares / self._squares)[:, None]).T @ offsets
        curvature = shares.sum() * np.eye(len(slope)) - spread + np.outer(slope, slope)
        return slope, curvature

    def _move(
        self, which: Any, points: FloatArray, values: Any, pull: FloatArray, widths: Any
    ) -> None:
        self._points[which], self._values[which] = points, values
        self._pull[which], self._widths[which] = pull, widths

    def _evaluate(self, points: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Compute values f, the steps of equation 2, and the bandwidths that scale them."""
        sums = gaussian_sums(points, self._centers, np.sqrt(self._squares), self._columns)
        values, densities = sums[:, 0], sums[:, 1]
        safe = np.where(values == 0, 1.0, values)
        slopes = (sums[:, 2:] - densities[:, None] * points) / safe[:, None]
        # Where kernels of both signs nearly cancel, the share may be of either sign.
        shares = np.clip(densities / safe, 1.0 / self._squares.max(), 1.0)
        return values, slopes / shares[:, None], 1.0 / np.sqrt(shares)


def _strongest_of_each(groups: IntArray, values: FloatArray) -> IntArray:
    """Index of the largest |value| in each group 0 .. n_groups-1."""
    order = np.lexsort((-np.abs(values), groups))
    first: IntArray = order[np.unique(groups[order], return_index=True)[1]]
    return first


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
