"""The information potential of two distant samples, in O(N) without loss of precision.

Every summand exp(-|u - v|^2 / 2) equals

    exp(|m|^2 / 2) exp(m u) exp(-m v) exp(-|u + m - v|^2 / 2)

for any shift m. At the saddle point m the tilted means coincide, and the sum on
the right is over neighboring points with positive weights: the Fourier engine
then has its full relative accuracy, however small the potential is.

Where kernels are narrow beside the gap between two samples, a few pairs of rows at its edges hold
practically all of the potential, and a tilted sum has too few neighbors to be accurate. Then those
pairs alone are summed. All terms are positive, so what is left out is bounded: a pair whose
distance r, in kernel widths, exceeds the smallest distance d adds at most exp((d^2 - r^2) / 2)
times as much as the nearest one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from melm_core.base.array_types import ComplexArray, FloatArray, IntArray
from melm_core.base.row_blocks import Rows, added, extended, reduce_rows
from melm_core.density.engines.direct_sums import Potential, inverse_root
from melm_core.density.engines.nufft import Box

BoolArray: TypeAlias = npt.NDArray[np.bool_]

# Points whose tilted weight is below this fraction of the largest are dropped.
NEGLIGIBLE_WEIGHT = 1e-18

_NEWTON_STEPS = 100
_HALVINGS = 40

# What all pairs that are left out add at most, relative to the sum.
TOLERANCE = 1e-12

# Of more pairs, a tilted sum is sooner and has enough neighbors to be as accurate; so many take a
# hundredth of a second.
MOST_PAIRS = 100_000

# Of so many rows of each sample, the nearest pair bounds the smallest distance, and near pairs show
# at once that those of all rows are many.
_SAMPLED = 1_000


@dataclass(frozen=True, eq=False)
class Tilt:
    """Points weighted by exp(slope z), and moved so that the tilted means coincide.

    Attributes
    ----------
    slope, offset : ndarray of shape (n_components,)
    log_share : float or ndarray of shape (n_points,)
        Logarithms of the weights of the points themselves.
    log_scale : float
        Logarithm of the largest weight.
    """

    slope: FloatArray
    offset: FloatArray
    log_share: FloatArray | float
    log_scale: float

    def near(self, z: FloatArray) -> tuple[BoolArray, FloatArray, FloatArray]:
        """Return which points count, with their weights and positions."""
        weights = np.exp(z @ self.slope + self.log_share - self.log_scale)
        is_near = weights > NEGLIGIBLE_WEIGHT
        return is_near, weights[is_near], z[is_near] + self.offset


@dataclass(frozen=True, eq=False)
class TiltedSide:
    """One of the two samples, with what its derivatives by the points depend on.

    Attributes
    ----------
    root : ndarray of shape (n_components, n_components)
        Of the inverse covariance.
    tilt : Tilt
    box, series
        Of the kernel sums over the other sample.
    log_total : float
        Logarithm of the tilted sum.
    """

    root: FloatArray
    tilt: Tilt
    box: Box
    series: ComplexArray
    log_total: float = 0.0

    def sums(self, points: FloatArray) -> tuple[float, FloatArray]:
        """Compute the share of points in the tilted sum, and its derivatives by each."""
        z = points @ self.root
        derivatives = np.zeros_like(z)
        is_near, weights, positions = self.tilt.near(z)
        if not len(weights):
            return 0.0, derivatives
        angles = self.box.angles(positions)
        values = self.box.evaluate(angles, self.series)
        pulls = self.box.gradients(angles, self.series) + values[:, None] * self.tilt.slope
        derivatives[is_near] = weights[:, None] * pulls
        return float(weights @ values), derivatives @ self.root.T

    def total(self, points: FloatArray) -> float:
        """Compute the share of the points in the tilted sum."""
        _, weights, positions = self.tilt.near(points @ self.root)
        if not len(weights):
            return 0.0
        return float(weights @ self.box.evaluate(self.box.angles(positions), self.series))

    def derivatives(self, points: FloatArray) -> FloatArray:
        """Compute derivatives of the logarithm of the potential by points of this sample."""
        by_points: FloatArray = self.sums(points)[1] * np.exp(-self.log_total)
        return by_points


@dataclass(frozen=True, eq=False)
class TiltedPotential:
    """A potential of samples in blocks: as `Potential`, with derivatives on request.

    Attributes
    ----------
    value : float
    sides : pair of TiltedSide
        What gives the derivatives by the points of each sample.
    by_covariance : ndarray of shape (n_components, n_components)
    """

    value: float
    sides: tuple[TiltedSide, TiltedSide]
    by_covariance: FloatArray


def tilted_log_potential(
    a: FloatArray,
    b: FloatArray,
    covariance: FloatArray,
    weights_a: FloatArray | None = None,
    weights_b: FloatArray | None = None,
) -> Potential:
    """Compute `direct_sums.log_potential` for samples that hardly overlap.

    Parameters
    ----------
    a : ndarray of shape (n_first, n_components)
    b : ndarray of shape (n_second, n_components)
    covariance : ndarray of shape (n_components, n_components)
    weights_a, weights_b : ndarray of shape (n_first,), (n_second,) or None
        Of the points; None if each counts once.
    """
    first, second, log_factor = _sides(a, b, covariance, weights_a, weights_b)
    total, by_first = first.sums(a)
    _, by_second = second.sums(b)
    moment = (a.T @ by_first + b.T @ by_second) / total
    return Potential(
        value=float(np.log(total) + log_factor),
        by_first=by_first / total,
        by_second=by_second / total,
        by_covariance=_by_covariance(moment, covariance),
    )


def tilted_log_value(
    a: FloatArray,
    b: FloatArray,
    covariance: FloatArray,
    weights_a: FloatArray | None = None,
    weights_b: FloatArray | None = None,
) -> float:
    """Compute the value of `tilted_log_potential`, in a third of the time."""
    first, _, log_factor = _sides(a, b, covariance, weights_a, weights_b)
    return float(np.log(first.total(a)) + log_factor)


def tilted_potential_of_blocks(a: Rows, b: Rows, covariance: FloatArray) -> TiltedPotential:
    """Compute the potential of samples in blocks, without weights.

    Parameters
    ----------
    a, b : ClassRows with n_components coordinates
    covariance : ndarray of shape (n_components, n_components)
    """
    first, second, log_factor = _sides(a, b, covariance)
    (total, by_first), (_, by_second) = reduce_rows(_TotalAndMoment((first, second)), added, [a, b])
    log_total = float(np.log(total))
    return TiltedPotential(
        value=log_total + log_factor,
        sides=(replace(first, log_total=log_total), replace(second, log_total=log_total)),
        by_covariance=_by_covariance((by_first + by_second) / total, covariance),
    )


class _TotalAndMoment:
    """The tilted sum over a block, and the sum of its points times their derivatives."""

    def __init__(self, sides: Sequence[TiltedSide]) -> None:
        self._sides = sides

    def __call__(self, number: int, points: FloatArray) -> tuple[float, FloatArray]:
        total, derivatives = self._sides[number].sums(points)
        return total, points.T @ derivatives


def _by_covariance(moment: FloatArray, covariance: FloatArray) -> FloatArray:
    """Compute the derivative by the covariance from the sum of points times derivatives."""
    root, _ = inverse_root(covariance)
    by_covariance: FloatArray = -0.5 * root @ root.T @ (moment + np.eye(len(moment)))
    return by_covariance


def _sides(
    a: Rows,
    b: Rows,
    covariance: FloatArray,
    weights_a: FloatArray | None = None,
    weights_b: FloatArray | None = None,
) -> tuple[TiltedSide, TiltedSide, float]:
    """Return both sides, and the logarithm of the factor of the tilted sum."""
    root, log_norm = inverse_root(covariance)
    whitened = [a @ root, b @ root]
    logs = [_log_shares(a, weights_a), _log_shares(b, weights_b)]
    shift = saddle_point(whitened[0], whitened[1], logs[0], logs[1])
    slopes, offsets = (shift, -shift), (shift, np.zeros_like(shift))
    scales = [moments.log_scale for moments in _tilted_moments(whitened, slopes, logs)]
    tilts = [Tilt(*parts) for parts in zip(slopes, offsets, logs, scales, strict=True)]
    bounds = reduce_rows(_NearBounds(tilts), extended, whitened)
    box = Box.between(
        np.min([lower for lower, _ in bounds], axis=0),
        np.max([upper for _, upper in bounds], axis=0),
    )
    series = reduce_rows(_NearSeries(tilts, box), added, whitened)
    spectrum = box.gaussian() * ((2.0 * np.pi) ** (0.5 * len(shift)) / box.volume)
    first, second = (
        TiltedSide(root, tilt, box, spectrum * other.conj())
        for tilt, other in zip(tilts, series[::-1], strict=True)
    )
    return first, second, sum(scales) + 0.5 * float(shift @ shift) + float(log_norm)


class _NearBounds:
    """Bounds of the positions of the points that count, in one block."""

    def __init__(self, tilts: Sequence[Tilt]) -> None:
        self._tilts = tilts

    def __call__(self, number: int, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        _, _, positions = self._tilts[number].near(z)
        return positions.min(axis=0, initial=np.inf), positions.max(axis=0, initial=-np.inf)


class _NearSeries:
    """The series of the weighted points that count, in one block."""

    def __init__(self, tilts: Sequence[Tilt], box: Box) -> None:
        self._tilts, self._box = tilts, box

    def __call__(self, number: int, z: FloatArray) -> ComplexArray:
        _, weights, positions = self._tilts[number].near(z)
        if not len(weights):
            return np.zeros(tuple(2 * self._box.half_modes + 1), dtype=np.complex128)
        return self._box.series(self._box.angles(positions), weights)


def _log_shares(points: Rows, weights: FloatArray | None) -> FloatArray | float:
    """Compute logarithms of the weights, relative to their sum."""
    if weights is None:
        return -float(np.log(len(points)))
    shares: FloatArray = np.log(weights / weights.sum())
    return shares


def saddle_point(
    u: Rows, v: Rows, logs_u: FloatArray | float = 0.0, logs_v: FloatArray | float = 0.0
) -> FloatArray:
    """Minimizer m of log sum exp(m u) + log sum exp(-m v) + |m|^2 / 2, by Newton's method.

    Each point may have a weight, given by its logarithm.

    The function is strongly convex and is an upper bound of the logarithm of
    the kernel sum (Chernoff). Steps are damped by backtracking.
    """
    samples, logs = [u, v], [logs_u, logs_v]
    shift = np.zeros(u.shape[1])
    value, gradient, hessian = _bound(samples, shift, logs)
    for _ in range(_NEWTON_STEPS):
        step = -np.linalg.solve(hessian, gradient)
        decrement = float(-gradient @ step)
        if decrement < 1e-6:
            break
        for length in 0.5 ** np.arange(_HALVINGS):
            trial = _bound(samples, shift + length * step, logs)
            if trial[0] <= value - 0.25 * length * decrement:
                break
        shift = shift + length * step
        value, gradient, hessian = trial
    return shift


def _bound(
    samples: Sequence[Rows], m: FloatArray, logs: Sequence[FloatArray | float]
) -> tuple[float, FloatArray, FloatArray]:
    first, second = _tilted_moments(samples, (m, -m), logs)
    value = first.log_total + second.log_total + 0.5 * float(m @ m)
    spread = first.covariance + second.covariance + np.eye(len(m))
    return value, first.mean - second.mean + m, spread


@dataclass(frozen=True, eq=False)
class _TiltedMoments:
    """Mean and covariance of points weighted by exp(m z + log)."""

    log_scale: float  # of the largest weight
    total: float  # of the weights relative to that one
    mean: FloatArray
    covariance: FloatArray

    @property
    def log_total(self) -> float:
        return self.log_scale + float(np.log(self.total))

    def __add__(self, other: _TiltedMoments) -> _TiltedMoments:
        """Merge the moments of both sets of points."""
        log_scale = max(self.log_scale, other.log_scale)
        first, second = (
            part.total * float(np.exp(part.log_scale - log_scale)) for part in (self, other)
        )
        total = first + second
        share, apart = second / total, other.mean - self.mean
        covariance = (1.0 - share) * self.covariance + share * other.covariance
        covariance += share * (1.0 - share) * np.outer(apart, apart)
        return _TiltedMoments(log_scale, total, self.mean + share * apart, covariance)


def _tilted_moments(
    samples: Sequence[Rows], slopes: Sequence[FloatArray], logs: Sequence[FloatArray | float]
) -> list[_TiltedMoments]:
    return reduce_rows(_MomentsOfBlock(slopes, logs), added, samples)


class _MomentsOfBlock:
    """The tilted moments of the points of one block."""

    def __init__(self, slopes: Sequence[FloatArray], logs: Sequence[FloatArray | float]) -> None:
        self._slopes, self._logs = slopes, logs

    def __call__(self, number: int, z: FloatArray) -> _TiltedMoments:
        exponents = z @ self._slopes[number] + self._logs[number]
        largest = float(exponents.max())
        weights = np.exp(exponents - largest)
        total = float(weights.sum())
        mean = weights @ z / total
        offsets = z - mean
        covariance = (offsets * weights[:, None]).T @ offsets / total
        return _TiltedMoments(largest, total, mean, covariance)


def near_log_potential(
    a: FloatArray,
    b: FloatArray,
    covariance: FloatArray,
    weights_a: FloatArray | None = None,
    weights_b: FloatArray | None = None,
) -> Potential | None:
    """Compute `direct_sums.log_potential` for samples of which few pairs are near.

    Parameters
    ----------
    a : ndarray of shape (n_first, n_components)
    b : ndarray of shape (n_second, n_components)
    covariance : ndarray of shape (n_components, n_components)
    weights_a, weights_b : ndarray of shape (n_first,), (n_second,) or None

    Returns
    -------
    Potential or None
        None if more than MOST_PAIRS pairs are near.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density.engines.direct_sums import log_potential
    >>> rows = np.arange(6.0).reshape(3, 2)
    >>> far, kernel = rows + 1e3, np.eye(2)
    >>> near = near_log_potential(rows, far, kernel)
    >>> bool(np.isclose(near.value, log_potential(rows, far, kernel).value, rtol=1e-12))
    True
    """
    root, log_norm = inverse_root(covariance)
    u, v = a @ root, b @ root
    shares = [_shares(u, weights_a), _shares(v, weights_b)]
    beyond = 2.0 * float(-np.log(TOLERANCE) - sum(np.log(of_rows.min()) for of_rows in shares))
    pairs = _NearPairs.of(u, v, beyond)
    if pairs is None:
        return None
    first, second = pairs.first, pairs.second
    kernels = np.exp(-0.5 * pairs.excess) * shares[0][first] * shares[1][second]
    total = float(kernels.sum())
    offsets = u[first] - v[second]
    pulls = (kernels / total)[:, None] * offsets
    return Potential(
        value=float(np.log(total) - 0.5 * pairs.least_square + log_norm),
        by_first=-_sums(first, pulls, len(u)) @ root.T,
        by_second=_sums(second, pulls, len(v)) @ root.T,
        by_covariance=0.5 * root @ (offsets.T @ pulls - np.eye(len(root))) @ root.T,
    )


@dataclass(frozen=True, eq=False)
class _NearPairs:
    """Pairs of a point of each of two samples.

    Attributes
    ----------
    first, second : ndarray of shape (n_pairs,)
        Numbers of the points.
    least_square : float
        Square of the smallest distance.
    excess : ndarray of shape (n_pairs,)
        By how much the square of the distance of a pair exceeds that.
    """

    first: IntArray
    second: IntArray
    least_square: float
    excess: FloatArray

    @classmethod
    def of(cls, u: FloatArray, v: FloatArray, beyond: float) -> _NearPairs | None:
        """Find all pairs whose squares exceed the least by at most `beyond`; None if too many."""
        steps = [max(1, len(z) // _SAMPLED) for z in (u, v)]
        few = [cKDTree(z[::step]) for z, step in zip((u, v), steps, strict=True)]
        if few[0].count_neighbors(few[1], beyond**0.5) * steps[0] * steps[1] > 10 * MOST_PAIRS:
            return None
        bound = float(few[1].query(few[0].data)[0].min())
        # Points that are farther from the box around all others than that are in no near pair.
        near = [_near_box(z, other, np.hypot(bound, beyond**0.5)) for z, other in ((u, v), (v, u))]
        trees = [
            cKDTree(z[rows], balanced_tree=False, compact_nodes=False)
            for z, rows in zip((u, v), near, strict=True)
        ]
        least = min(bound, float(trees[1].query(u[near[0]], distance_upper_bound=bound)[0].min()))
        reach = float(np.hypot(least, beyond**0.5))
        if trees[0].count_neighbors(trees[1], reach) > MOST_PAIRS:
            return None
        pairs = trees[0].sparse_distance_matrix(trees[1], reach, output_type="ndarray")
        excess = np.square(pairs["v"]) - least**2
        return cls(near[0][pairs["i"]], near[1][pairs["j"]], least**2, excess)


def _near_box(points: FloatArray, others: FloatArray, reach: float) -> IntArray:
    """Numbers of the points that are at most so far from the box around others."""
    squares = np.zeros(len(points))
    for column, other in zip(points.T, others.T, strict=True):
        squares += np.square(column - np.clip(column, other.min(), other.max()))
    return np.flatnonzero(squares <= reach**2 * (1.0 + 1e-12))


def _shares(rows: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Return the weights of rows relative to their sum."""
    shares = np.ones(len(rows)) if weights is None else weights
    return np.asarray(shares / shares.sum())


def _sums(codes: IntArray, values: FloatArray, n_sums: int) -> FloatArray:
    """Compute sums of the values of each code, (n_sums, n_columns)."""
    columns = [np.bincount(codes, column, minlength=n_sums) for column in values.T]
    return np.stack(columns, axis=1, dtype=np.float64)
