"""Information potentials of all pairs of classes, in several planes at once.

The rows of each class are cut into blocks of equal length, the last one padded
with rows of weight zero. A tile holds the kernel values between two blocks, so
the tiles of all pairs of classes and of all planes have one shape and go
through the same few array operations. Each pair of rows is in one tile only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density.engines.direct_sums import Potential, inverse_root, log_potential

Precision: TypeAlias = type[np.float32] | type[np.float64]
AnyFloatArray: TypeAlias = npt.NDArray[Any]

# Kernel values held at once, half a megabyte in either precision: they stay in the cache.
_CHUNK_BYTES = 1 << 19

# A sum of kernel values below this has lost digits to underflow and is taken again by
# `log_potential`, which works relative to the largest term.
_SMALLEST_SUM: dict[Precision, float] = {np.float32: 1e-25, np.float64: 1e-260}

# Rounding may lift exponents above zero; they are cut where that could exceed this.
_ROUNDED_UP = 1e-3

# Block lengths are multiples of this, so that vector instructions meet no remainder.
_LANES = 8
_MAX_BLOCK = 360

# Fixed cost of a tile, in kernel values.
_TILE_OVERHEAD = 4_000


class PairTiles:
    """A layout of the rows of classes in tiles.

    Parameters
    ----------
    counts : ndarray of shape (n_classes,)
        Rows of each class.
    precision : float32 or float64
        Of the sums; sums in float32 are accurate to about 1e-6.
    weights : sequence of ndarray of shape (n_samples_of_class,) or None
        Of the rows; None if each counts once.

    Attributes
    ----------
    n_rows : int
        Rows after padding.
    """

    def __init__(
        self,
        counts: IntArray,
        precision: Precision = np.float64,
        weights: Sequence[FloatArray] | None = None,
    ) -> None:
        self.counts, self.precision = counts, precision
        self.has_weights = weights is not None
        self.totals = (
            counts if weights is None else np.array([of_class.sum() for of_class in weights])
        )
        self.length = block_length(counts)
        self.n_classes = len(counts)
        blocks = -(-counts // self.length)
        self.n_blocks = int(blocks.sum())
        self.n_rows = self.n_blocks * self.length
        self.codes = np.repeat(np.arange(self.n_classes), blocks)  # class of each block
        self.first_blocks = np.concatenate([[0], np.cumsum(blocks)[:-1]])  # of each class
        # The blocks of each tile: those between two blocks come before those within one.
        between, within = np.triu_indices(self.n_blocks, k=1), np.arange(self.n_blocks)
        self.n_between = len(between[0])
        self.first, self.second = (np.concatenate([side, within]) for side in between)
        self.pairs = np.triu_indices(self.n_classes)
        self.pair_of = _pair_numbers(self.n_classes)
        self.members = _members_of_pairs(self.n_classes)
        self.class_weights = [np.ones(count) for count in counts] if weights is None else weights
        self.weights = self.pad([of_class[:, None] for of_class in self.class_weights]).reshape(
            self.n_blocks, self.length
        )
        self._buffers: list[AnyFloatArray] = []
        self._plan()

    def _plan(self) -> None:
        """Compute where each tile reads and where its sums go: (class met, block) as one index."""
        first, second, n_blocks = self.first, self.second, self.n_blocks
        met_by_first, met_by_second = self.codes[second], self.codes[first]
        self.of_first = met_by_first * n_blocks + first
        self.of_second = met_by_second * n_blocks + second
        targets = np.concatenate([self.of_first, self.of_second[: self.n_between]])
        self.order = np.argsort(targets, kind="stable")
        n_targets = self.n_classes * n_blocks
        self.target_starts = np.searchsorted(targets[self.order], np.arange(n_targets))
        self.is_one_each = len(targets) == n_targets

    def pad(self, rows: Sequence[AnyFloatArray]) -> AnyFloatArray:
        """Pad the rows of all classes to whole blocks with zeros.

        Parameters
        ----------
        rows : sequence of ndarray of shape (n_samples_of_class, n_columns)

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
        """
        padded = np.zeros((self.n_rows, rows[0].shape[1]), self.precision)
        for block, part in zip(self.first_blocks, rows, strict=True):
            padded[block * self.length :][: len(part)] = part
        return padded

    def take_buffer(self, n_tiles: int) -> AnyFloatArray:
        """Return a buffer for the kernel values of some tiles, reused if one was given back.

        The memory of a new array is mapped page by page, which takes as long as the exponentials.
        Several threads may take one each.
        """
        try:
            buffer = self._buffers.pop()
        except IndexError:
            buffer = self._new_buffer(0)
        return (buffer if len(buffer) >= n_tiles else self._new_buffer(n_tiles))[:n_tiles]

    def give_back(self, buffer: AnyFloatArray) -> None:
        """Keep a buffer for the next sums."""
        self._buffers.append(buffer)

    def _new_buffer(self, n_tiles: int) -> AnyFloatArray:
        return np.empty((n_tiles, self.length, self.length), self.precision)

    def rows_of(self, code: int) -> slice:
        """Return the slice of a class's rows among the padded rows."""
        begin = int(self.first_blocks[code]) * self.length
        return slice(begin, begin + int(self.counts[code]))

    def potentials(self, points: AnyFloatArray, covariances: FloatArray) -> TiledPotentials:
        """Compute the potentials of the classes in several planes.

        Parameters
        ----------
        points : ndarray of shape (n_planes, n_components, n_rows)
            Padded rows about any common origin, in the coordinates of each plane.
        covariances : ndarray of shape (n_planes, n_classes, n_components, n_components)
            Kernel covariances in each plane.
        """
        return TiledPotentials(self, points, covariances)


class TiledPotentials:
    """Potentials in several planes, and the derivatives of weighted sums of their logarithms.

    Parameters
    ----------
    tiles : PairTiles
    points, covariances
        See `PairTiles.potentials`.

    Attributes
    ----------
    log_values : ndarray of shape (n_planes, n_classes, n_classes)
        Symmetric.
    """

    def __init__(self, tiles: PairTiles, points: AnyFloatArray, covariances: FloatArray) -> None:
        self._tiles = tiles
        n_planes, n_components, _ = points.shape
        self._points = points.reshape(n_planes, n_components, tiles.n_blocks, tiles.length)
        a, b = tiles.pairs
        self._sums_of_kernels = covariances[:, a] + covariances[:, b]
        self._root, log_norms = inverse_root(self._sums_of_kernels)  # (n_planes, n_pairs, k, k)
        self._sums, self._totals = self._kernel_sums()
        self._far = {pair: self._far_potential(*pair) for pair in self._underflown()}
        logs = np.log(self._totals) - np.log(tiles.totals[a] * tiles.totals[b]) + log_norms
        for pair, potential in self._far.items():
            logs[pair] = potential.value
        self.log_values: FloatArray = np.take(logs, tiles.pair_of, axis=1)

    def weighted_derivatives(self, weights: FloatArray) -> tuple[AnyFloatArray, FloatArray]:
        """Compute derivatives of the sum of weights_ab log ip_ab over the unordered pairs.

        Parameters
        ----------
        weights : ndarray of shape (n_planes, n_classes, n_classes)
            The upper triangle is read.

        Returns
        -------
        by_points : ndarray of shape (n_planes, n_components, n_rows)
        by_covariances : ndarray of shape (n_planes, n_classes, n_components, n_components)
        """
        tiles = self._tiles
        a, b = tiles.pairs
        of_pairs = weights[:, a, b]
        near = of_pairs.copy()
        for pair in self._far:
            near[pair] = 0.0
        points = self._points.transpose(0, 2, 1, 3)[:, None]
        pulls = self._sums[:, :, :, :1] * points - self._sums[:, :, :, 1:]  # sum K (z_i - z_j)
        precisions = self._root @ self._root.swapaxes(-1, -2)
        by_points = self._by_points(pulls, precisions * (near / self._totals)[..., None, None])
        by_pairs = self._by_pairs(pulls, points, precisions) * near[..., None, None]
        for pair, potential in self._far.items():
            self._add_far(by_points, by_pairs, pair, potential, of_pairs[pair])
        n_planes, n_components = by_points.shape[:2]
        by_covariances = tiles.members @ by_pairs.reshape(n_planes, len(a), -1)
        return by_points.reshape(n_planes, n_components, -1), by_covariances.reshape(
            n_planes, tiles.n_classes, n_components, n_components
        )

    def _kernel_sums(self) -> tuple[AnyFloatArray, FloatArray]:
        """K 1 and K Z of every row with every class, and the sums of all values of each pair.

        Shapes (n_planes, n_classes, n_blocks, 1 + n_components, length) and (n_planes, n_pairs).
        """
        tiles = self._tiles
        n_planes, n_components = self._points.shape[:2]
        n_between = n_planes * tiles.n_between
        sides = _Sides.of(self._factors(), self._weighted_points(), tiles)
        shape = (n_planes * len(tiles.order), 1 + n_components, tiles.length)
        sums = np.empty(shape, tiles.precision)
        of_first, of_second = sums[: len(sides.of_left)], sums[len(sides.of_left) :]
        buffer = tiles.take_buffer(sides.step)
        for begin in range(0, len(sides.of_left), sides.step):
            chunk = slice(begin, begin + sides.step)
            left, right = sides.left[sides.of_left[chunk]], sides.right[sides.of_right[chunk]]
            kernel = np.matmul(left, right, out=buffer[: len(left)])
            if sides.may_round_up:
                np.minimum(kernel, 0.0, out=kernel)
            np.exp(kernel, out=kernel)
            second = sides.rows[sides.of_second[chunk]]
            np.matmul(second, kernel.swapaxes(1, 2), out=of_first[chunk])
            if begin < n_between:  # within a block both sums are the same
                mirrored = slice(begin, min(chunk.stop, n_between))
                first = sides.rows[sides.of_first[mirrored]]
                np.matmul(first, kernel[: len(first)], out=of_second[mirrored])
        tiles.give_back(buffer)
        return self._gathered(sums.reshape(len(tiles.order), n_planes, *shape[1:]))

    def _gathered(self, sums: AnyFloatArray) -> tuple[AnyFloatArray, FloatArray]:
        """Add up the sums of the tiles for every block and class that it meets."""
        tiles = self._tiles
        gathered = sums[tiles.order]
        if not tiles.is_one_each:
            gathered = np.add.reduceat(gathered, tiles.target_starts, axis=0)
        gathered = gathered.reshape(tiles.n_classes, tiles.n_blocks, *sums.shape[1:])
        gathered = gathered.transpose(2, 0, 1, 3, 4)
        if tiles.has_weights:
            gathered *= tiles.weights[:, None]
            of_blocks = gathered[:, :, :, 0].sum(axis=-1, dtype=np.float64)
        else:
            of_blocks = (gathered[:, :, :, 0] * tiles.weights).sum(axis=-1, dtype=np.float64)
        of_classes = np.add.reduceat(of_blocks, tiles.first_blocks, axis=2)
        a, b = tiles.pairs
        return gathered, of_classes[:, b, a]

    def _factors(self) -> AnyFloatArray:
        """Return rows u_i, -|u_i|^2 / 2 and 1 of blocks, whitened for every class they meet.

        Shape (n_planes, n_classes, n_blocks, n_components + 2, length).
        """
        tiles = self._tiles
        n_planes, n_components, n_blocks, length = self._points.shape
        roots = self._root[:, tiles.pair_of[:, tiles.codes]].astype(tiles.precision)
        points = self._points.transpose(0, 2, 1, 3)[:, None]
        shape = (n_planes, tiles.n_classes, n_blocks, n_components + 2, length)
        factors = np.ones(shape, tiles.precision)
        factors[:, :, :, :n_components] = sum(
            roots[..., axis, :, None] * points[..., axis, None, :] for axis in range(n_components)
        )
        squares = [np.square(factors[:, :, :, axis]) for axis in range(n_components)]
        factors[:, :, :, n_components] = -0.5 * sum(squares)
        return factors

    def _weighted_points(self) -> AnyFloatArray:
        """Return weights, and points times weights, (n_planes, n_blocks, 1 + k, length)."""
        n_planes, n_components, n_blocks, length = self._points.shape
        shape = (n_planes, n_blocks, 1 + n_components, length)
        weighted = np.empty(shape, self._tiles.precision)
        weighted[:, :, 0] = self._tiles.weights
        weighted[:, :, 1:] = self._points.transpose(0, 2, 1, 3)
        if self._tiles.has_weights:
            weighted[:, :, 1:] *= self._tiles.weights[:, None]
        return weighted

    def _by_points(self, pulls: AnyFloatArray, scaled: FloatArray) -> AnyFloatArray:
        """Compute derivatives by the points, shape (n_planes, n_components, n_blocks, length)."""
        tiles = self._tiles
        a, b = tiles.pairs
        both_ends = np.where(a == b, 2.0, 1.0)[:, None, None]  # of a pair within one class
        matrices = (-both_ends * scaled)[:, tiles.pair_of[:, tiles.codes]].astype(tiles.precision)
        n_components = pulls.shape[3]
        derivatives = sum(
            matrices[..., axis, :, None] * pulls[..., axis, None, :] for axis in range(n_components)
        )
        summed: AnyFloatArray = np.sum(derivatives, axis=1).transpose(0, 2, 1, 3)
        return summed

    def _by_pairs(
        self, pulls: AnyFloatArray, points: AnyFloatArray, precisions: FloatArray
    ) -> FloatArray:
        """Compute derivatives of log ip_ab by the sum of the two kernel covariances."""
        tiles = self._tiles
        a, b = tiles.pairs
        by_block = pulls @ np.broadcast_to(points, pulls.shape).swapaxes(-1, -2)
        by_class = np.add.reduceat(by_block.astype(np.float64), tiles.first_blocks, axis=2)
        moments = by_class[:, a, b] + by_class[:, b, a]  # sum over pairs of K w w'
        moments /= self._totals[..., None, None]
        by_pairs: FloatArray = 0.5 * (precisions @ moments @ precisions - precisions)
        return by_pairs

    def _underflown(self) -> list[tuple[int, int]]:
        """Return planes and pairs of classes whose kernel values have underflown."""
        lost = ~(self._totals > _SMALLEST_SUM[self._tiles.precision])
        self._totals[lost] = 1.0
        return [(plane, pair) for plane, pair in np.argwhere(lost).tolist()]

    def _far_potential(self, plane: int, pair: int) -> Potential:
        a, b = (int(codes[pair]) for codes in self._tiles.pairs)
        flat = self._points[plane].reshape(len(self._points[plane]), -1).T.astype(np.float64)
        first = flat[self._tiles.rows_of(a)]
        second = first if a == b else flat[self._tiles.rows_of(b)]
        return log_potential(
            first,
            second,
            self._sums_of_kernels[plane, pair],
            self._tiles.class_weights[a],
            self._tiles.class_weights[b],
        )

    def _add_far(
        self,
        by_points: AnyFloatArray,
        by_pairs: FloatArray,
        place: tuple[int, int],
        potential: Potential,
        weight: float,
    ) -> None:
        plane, pair = place
        a, b = (int(codes[pair]) for codes in self._tiles.pairs)
        for code, by_code in ((a, potential.by_first), (b, potential.by_second)):
            rows = by_points[plane].reshape(len(by_points[plane]), -1)
            rows[:, self._tiles.rows_of(code)] += (weight * by_code.T).astype(rows.dtype)
            by_points[plane] = rows.reshape(by_points[plane].shape)
        by_pairs[place] = weight * potential.by_covariance


class TiledClasses:
    """The rows of classes in tiles, and their kernels, to be projected into several planes.

    Parameters
    ----------
    rows : sequence of ndarray of shape (n_samples_of_class, n_features)
    covariances : ndarray of shape (n_classes, n_features, n_features)
    weights : sequence of ndarray of shape (n_samples_of_class,) or None
    precision : float32 or float64
    """

    def __init__(
        self,
        rows: Sequence[FloatArray],
        covariances: FloatArray,
        weights: Sequence[FloatArray] | None,
        precision: Precision,
    ) -> None:
        counts = np.array([len(part) for part in rows])
        self._tiles = PairTiles(counts, precision, weights)
        origin = np.average([part.mean(axis=0) for part in rows], axis=0, weights=counts)
        self._rows = self._tiles.pad([part - origin for part in rows])
        self._covariances = covariances

    @property
    def n_rows(self) -> int:
        """Rows after padding."""
        return self._tiles.n_rows

    def widened(self, factor: float) -> TiledClasses:
        """Return the classes with kernels `factor` times as wide."""
        other = object.__new__(TiledClasses)
        vars(other).update(vars(self), _covariances=self._covariances * factor**2)
        return other

    def potentials(self, components: FloatArray) -> PlanePotentials:
        """Compute the potentials in several planes, (n_planes, n_components, n_features)."""
        spread = components[:, None] @ self._covariances  # (n_planes, n_classes, k, n_features)
        points = components.astype(self._rows.dtype) @ self._rows.T
        kernels = spread @ components[:, None].swapaxes(-1, -2)
        return PlanePotentials(self._tiles.potentials(points, kernels), self._rows, spread)


@dataclass(frozen=True, eq=False)
class PlanePotentials:
    """Potentials in several planes, and their derivatives by the planes."""

    of_points: TiledPotentials
    rows: AnyFloatArray
    spread: FloatArray

    @property
    def log_values(self) -> FloatArray:
        """Logarithms of the potentials, shape (n_planes, n_classes, n_classes)."""
        return self.of_points.log_values

    def pull_back(self, weights: FloatArray) -> FloatArray:
        """Compute derivatives by the components of weighted sums of the logarithms.

        Parameters
        ----------
        weights : ndarray of shape (n_planes, n_classes, n_classes)
            The upper triangle is read.

        Returns
        -------
        ndarray of shape (n_planes, n_components, n_features)
        """
        by_points, by_covariances = self.of_points.weighted_derivatives(weights)
        gradients = (by_points @ self.rows).astype(np.float64)
        summed: FloatArray = gradients + 2.0 * (by_covariances @ self.spread).sum(axis=1)
        return summed


@dataclass(frozen=True, eq=False)
class _Sides:
    """Factors of the tiles: those of exponents, and rows to be summed.

    The tiles of all planes, one tile after the other.
    """

    left: AnyFloatArray  # (n_planes * n_classes * n_blocks, length, n_components + 2)
    right: AnyFloatArray  # (n_planes * n_classes * n_blocks, n_components + 2, length)
    rows: AnyFloatArray  # (n_planes * n_blocks, 1 + n_components, length)
    of_left: IntArray
    of_right: IntArray
    of_first: IntArray
    of_second: IntArray
    may_round_up: bool

    @classmethod
    def of(cls, factors: AnyFloatArray, rows: AnyFloatArray, tiles: PairTiles) -> _Sides:
        n_planes, depth = len(factors), factors.shape[-2]
        right = factors.reshape(-1, depth, tiles.length)
        left = np.empty((len(right), tiles.length, depth), right.dtype)
        left[..., :-2] = right[:, :-2].swapaxes(1, 2)
        left[..., -2], left[..., -1] = right[:, -1], right[:, -2]
        largest = -float(right[:, -2].min())
        plane = np.arange(n_planes)
        n_factors = tiles.n_classes * tiles.n_blocks
        return cls(
            left,
            right,
            rows.reshape(-1, rows.shape[2], tiles.length),
            (plane * n_factors + tiles.of_first[:, None]).ravel(),
            (plane * n_factors + tiles.of_second[:, None]).ravel(),
            (plane * tiles.n_blocks + tiles.first[:, None]).ravel(),
            (plane * tiles.n_blocks + tiles.second[:, None]).ravel(),
            may_round_up=largest * float(np.finfo(tiles.precision).eps) > _ROUNDED_UP,
        )

    @property
    def step(self) -> int:
        """Tiles in a chunk."""
        length = self.left.shape[1]
        fitting = _CHUNK_BYTES // (length * length * self.left.itemsize)
        return max(1, min(int(fitting), len(self.of_left)))


def block_length(counts: IntArray) -> int:
    """Choose the number of rows in a block for which all tiles cost least.

    Parameters
    ----------
    counts : ndarray of shape (n_classes,)
        Rows of each class.
    """
    per_class = np.arange(1, max(2, int(counts.max()) // _LANES + 2))
    exact = -(-int(counts.max()) // per_class)
    lengths = np.minimum(-(-exact // _LANES) * _LANES, _MAX_BLOCK // _LANES * _LANES)
    n_blocks = (-(-counts[:, None] // lengths)).sum(axis=0)
    costs = n_blocks * (n_blocks + 1) * (_TILE_OVERHEAD + lengths**2)
    return int(lengths[costs.argmin()])


def _pair_numbers(n_classes: int) -> IntArray:
    """Number every pair of classes in the order of the upper triangle, symmetric."""
    numbers = np.zeros((n_classes, n_classes), dtype=np.int64)
    first, second = np.triu_indices(n_classes)
    numbers[first, second] = numbers[second, first] = np.arange(len(first))
    return numbers


def _members_of_pairs(n_classes: int) -> FloatArray:
    """Count how often each class is in each pair, shape (n_classes, n_pairs)."""
    codes = np.arange(n_classes)[:, None]
    first, second = np.triu_indices(n_classes)
    members: FloatArray = (first == codes).astype(np.float64) + (second == codes)
    return members
