"""The densities of classes: their values at points and on grids, and their potentials.

`ClassDensities` holds the rows and the kernel of each class and is asked for everything that is
summed from them. How the kernels are summed, only `ClassDensities.engine` decides:

| engine | sums potentials | and densities |
|---|---|---|
| direct | over pairs of rows: `direct_sums`, `pair_tiles` in several planes | over rows |
| transforms | over modes: `fourier_series` | over modes: `nufft` |
| prepared | over known modes: `class_series` | the same, or over near rows: `near_rows` |
| blocks | over modes, block by block: `fourier_series` | none: see `DensityRule.of_blocks` |

Potentials of distant classes lose their digits in sums over modes. The engine of potentials then
sums over near pairs or tilts the samples (`distant_samples`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, product
from typing import Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.row_blocks import Rows, bounds_of, in_memory
from melm_core.base.sample_weights import totals_of
from melm_core.compiled import Term
from melm_core.density.engines import direct_sums, nufft
from melm_core.density.engines.class_series import GRID_MARGIN, ClassSeries
from melm_core.density.engines.direct_sums import DirectPotentials, inverse_root
from melm_core.density.engines.fourier_series import FourierPotentials, fourier_box
from melm_core.density.engines.near_rows import NearClasses
from melm_core.density.engines.nufft import MOST_COMPONENTS, MOST_MODES, TOLERANCE, Box
from melm_core.density.engines.pair_tiles import Precision, TiledClasses
from melm_core.linalg.class_moments import moments_of_classes

Engine: TypeAlias = Literal["auto", "direct", "nufft"]
ENGINES: tuple[Engine, ...] = ("auto", "direct", "nufft")

Quantity: TypeAlias = Literal[
    "potentials", "potentials in planes", "log densities", "likeliest class", "grid"
]
ChosenEngine: TypeAlias = Literal["direct", "transforms", "prepared", "blocks"]

# Seconds on one core for potentials and derivatives: `python -m lab.benchmarks engines`.
SECONDS_PER_PAIR = 4e-9
SHARE_WITHIN = 0.6
SECONDS_PER_TRANSFORMED_POINT = {1: 6e-8, 2: 2.3e-7, 3: 2e-6}
SECONDS_PER_TRANSFORMED_MODE = {1: 9e-8, 2: 9e-8, 3: 2.3e-7}
SECONDS_PER_TRANSFORM = 4e-4
# Of a point, without finufft, where the engines change over.
SPREAD_IN_NUMPY = {1: 2.5, 2: 1.5, 3: 5.0}

# Up to this many rows sums over pairs of rows, for several planes at once, are faster than
# transforms.
MAX_TILED_ROWS = 4_000

# Up to this many kernel evaluations, densities are summed faster directly.
DIRECT_EVALUATIONS = 300_000

# A kernel with a diagonal covariance is a product over axes; its density on a grid takes one sum
# per grid line instead of one per point. Beyond this many rows the transform is still faster.
SEPARABLE_ROWS = 3_000

# Densities below this fraction of the kernel's peak are below the precision of the Fourier sum and
# are summed directly.
FOURIER_FLOOR = 1e-6

# Ten times the error of a logarithm at that floor.
_FLOOR_MARGIN = 1e-4

# Where a row makes up all but this share of the density of its class, the density without it is
# summed exactly; where that is impossible, it is at least the second share.
_ALONE, _LEAST_LEFT = 1e-4, 1e-9

# Of the kernel's peak: ten times the error of sums that are not over all rows, and the least number
# of sums that are.
_GRID_FLOOR, _UNDERFLOW = 1e-10, 1e-300

# Beyond so many kernel widths the periodic images of the rows in prepared sums come into sight.
MOST_PREPARED_MARGIN = 6.0

# Kernels that need more modes than this have few rows near a point: up to so many pairs of a point
# and a row, and up to this share of all pairs, densities are summed over them instead.
FEW_MODES = 700_000
MOST_NEAR_PAIRS = 50_000_000
NEAR_SHARE = 0.2

# Beyond this, potentials of all pairs of rows are summed sooner. Transforms of potentials keep half
# of their modes; they may have more than others where those of all classes fit into the memory.
MODES_PER_ROW = 50
MOST_POTENTIAL_MODES = 6_000_000
_BYTES_PER_MODE = 8


class Potentials(Protocol):
    """Potentials of all pairs of classes, and derivatives of their weighted sums.

    Attributes
    ----------
    log_values : ndarray of shape (n_classes, n_classes)
        Logarithms of the potentials, symmetric.
    """

    @property
    def log_values(self) -> FloatArray:
        """Logarithms of the potentials."""

    def weighted_derivatives(self, weights: FloatArray) -> tuple[list[FloatArray], FloatArray]:
        """Compute derivatives of the sum of weights_ab log ip_ab over the unordered pairs.

        Parameters
        ----------
        weights : ndarray of shape (n_classes, n_classes)
            Only the upper triangle is used.

        Returns
        -------
        by_points : list of ndarray of shape (n_samples_of_class, n_components)
        by_covariances : ndarray of shape (n_classes, n_components, n_components)
        """

    def weighted_moments(
        self, weights: FloatArray, rows: Sequence[Rows]
    ) -> tuple[list[FloatArray], FloatArray]:
        """Compute sums over the rows of each class of their derivative times the row.

        Parameters
        ----------
        weights : ndarray of shape (n_classes, n_classes)
            Only the upper triangle is used.
        rows : sequence of ndarray of shape (n_samples_of_class, n_coordinates), or of ClassRows
            The rows whose projections these potentials are of.

        Returns
        -------
        moments : list of ndarray of shape (n_components, n_coordinates)
        by_covariances : ndarray of shape (n_classes, n_components, n_components)
        """


@dataclass(frozen=True, eq=False)
class DensityGrid:
    """A density on a grid around the rows of a class.

    Attributes
    ----------
    x, y : ndarray of shape (n_lines,)
        In coordinates in which the kernel is round, or nearly so; evenly spaced.
    density : ndarray of shape (n_lines, n_lines)
        At each y and x, in units of the kernel's peak: where one of N rows is alone, 1 / N.
    root : ndarray of shape (2, 2)
        Points of the plane times this are in the coordinates of the grid.
    kernel : ndarray of shape (2, 2)
        Covariance of the kernel in the coordinates of the grid.
    floor : float
        Smaller densities are below the precision of the sums; they are not less than this.
    """

    x: FloatArray
    y: FloatArray
    density: FloatArray
    root: FloatArray
    kernel: FloatArray
    floor: float


@dataclass(frozen=True, eq=False)
class PreparedSums:
    """Sums over the rows of a plane that are prepared before densities are evaluated.

    Attributes
    ----------
    densities : ClassSeries, NearClasses or None
        For densities. A series may be that of more rows, of which these are a sample: then
        the densities are those of all.
    potentials : ClassSeries or None
        For potentials, without derivatives.
    """

    densities: ClassSeries | NearClasses | None = None
    potentials: ClassSeries | None = None

    def serves_potentials(self, covariances: FloatArray) -> bool:
        """Return whether these sums give potentials of kernels with these covariances."""
        return self.potentials is not None and self.potentials.serves(covariances)

    @property
    def kept_bytes(self) -> int:
        """Bytes stored beside the rows of the plane."""
        sizes = {id(sums): sums.kept_bytes for sums in (self.densities, self.potentials) if sums}
        return sum(sizes.values())


@dataclass(frozen=True, eq=False)
class ClassDensities:
    """The rows and the kernel of each class, and all that is summed from them.

    Densities, grids and potentials are those of the space that the rows are in: `project` them
    into a plane first.

    Attributes
    ----------
    rows : tuple of ndarray of shape (n_samples_of_class, n_coordinates)
    covariances : ndarray of shape (n_classes, n_coordinates, n_coordinates)
        Kernel covariances B_c.
    basis : ndarray of shape (n_features, n_coordinates) or None
        Of the row space, where the coordinates are its own: rows of the data times this are
        the rows here. None where the coordinates are the features.
    weights : tuple of ndarray of shape (n_samples_of_class,) or None
        Of the rows, above 0; None if each counts once.
    cells : tuple of ClassDensities
        For a plane that is to be blind to a nuisance: the rows and kernels of its values
        within each class, in the same coordinates. Empty without a nuisance.
    prepared : PreparedSums
        Empty unless many rows are asked several times; see `prepare_densities`.
    """

    rows: tuple[FloatArray, ...]
    covariances: FloatArray
    basis: FloatArray | None = None
    weights: tuple[FloatArray, ...] | None = None
    cells: tuple[ClassDensities, ...] = ()
    prepared: PreparedSums = field(default_factory=PreparedSums)

    # ------------------------------------------------------------------ rows, kernels, projection

    @property
    def counts(self) -> IntArray:
        """Number of rows of each class, shape (n_classes,)."""
        return np.array([len(rows) for rows in self.rows])

    @property
    def totals(self) -> FloatArray:
        """Number of rows behind the densities, or the sum of their weights, (n_classes,)."""
        series = self._prepared_series
        return totals_of(self.rows, self.weights) if series is None else series.totals

    @property
    def is_sample(self) -> bool:
        """True if the densities are those of more rows, of which these are a sample."""
        if self._prepared_series is None:
            return False
        return bool((self.totals > (1 + 1e-9) * totals_of(self.rows, self.weights)).any())

    @property
    def weights_of_classes(self) -> Sequence[FloatArray | None]:
        """The weights of the rows of each class; None if each counts once."""
        return self.weights or [None] * len(self.rows)

    @cached_property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Means and covariances of the rows of each class; see `moments_of_classes`."""
        return moments_of_classes(self.rows, self.weights)

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the largest of the rows on a line, of all that the densities are of."""
        series = self._prepared_series
        if series is None:
            (lowest,), (highest,) = bounds_of(self.rows)
            return float(lowest), float(highest)
        ends = series.bounds / series.root
        return float(ends.min()), float(ends.max())

    def widened(self, factor: float) -> ClassDensities:
        """Return the densities of the same rows with kernels `factor` times as wide."""
        cells = tuple(classes.widened(factor) for classes in self.cells)
        return replace(self, covariances=self.covariances * factor**2, cells=cells)

    def project(self, components: FloatArray) -> ClassDensities:
        """Project the classes by `components`, shape (n_components, n_features); no cells."""
        inner = self._within(components)
        return ClassDensities(
            tuple(rows @ inner.T for rows in self.rows),
            inner @ self.covariances @ inner.T,
            weights=self.weights,
        )

    def _within(self, components: FloatArray) -> FloatArray:
        return components if self.basis is None else components @ self.basis

    def _lift(self, components: FloatArray) -> FloatArray:
        """Components (..., n_coordinates) in the features."""
        return components if self.basis is None else components @ self.basis.T

    # ------------------------------------------------------------------------- choosing an engine

    def engine(
        self, quantity: Quantity, *, n_evaluations: int = 0, requested: Engine = "auto"
    ) -> ChosenEngine:
        """Choose the fastest engine that can sum a quantity.

        Parameters
        ----------
        quantity : str
        n_evaluations : int
            Of a kernel, that direct sums of densities would take.
        requested : "auto", "direct" or "nufft"
        """
        if self._is_prepared(quantity, n_evaluations):
            return "prepared"
        if not in_memory(self.rows):
            return "blocks"
        if requested != "auto":
            return "direct" if requested == "direct" else "transforms"
        return "direct" if self._is_direct_faster(quantity, n_evaluations) else "transforms"

    def _is_prepared(self, quantity: Quantity, n_evaluations: int) -> bool:
        if quantity == "potentials":
            return self.prepared.potentials is not None
        is_large = n_evaluations > DIRECT_EVALUATIONS
        if quantity == "grid" or (quantity == "likeliest class" and is_large):
            return self.prepared.densities is not None
        # Of rows in memory, logarithms are exact into the tails, which prepared sums are not.
        return self.is_sample

    def _is_direct_faster(self, quantity: Quantity, n_evaluations: int) -> bool:
        if quantity == "potentials":
            counts = self.counts.tolist()
            seconds = direct_seconds(counts)
            at_least = (1 + self.covariances.shape[1]) * len(counts) * SECONDS_PER_TRANSFORM
            # The modes are counted by a pass over the rows, which few rows are spared.
            return seconds < at_least or seconds < self._transform_seconds()
        if quantity == "potentials in planes":
            return int(self.counts.sum()) <= MAX_TILED_ROWS
        return n_evaluations <= DIRECT_EVALUATIONS

    @property
    def potential_seconds(self) -> float:
        """Estimated seconds that all potentials take; 0 where their sums are prepared."""
        if self._is_prepared("potentials", 0):
            return 0.0
        return min(direct_seconds(self.counts.tolist()), self._transform_seconds())

    def _transform_seconds(self) -> float:
        """Compute estimated seconds of potentials by transforms; infinite where there are none."""
        if self.covariances.shape[1] > MOST_COMPONENTS:
            return np.inf
        box = fourier_box(self.rows, self.covariances)[2]
        return np.inf if box.n_modes > MOST_MODES else nufft_seconds(self.counts.tolist(), box)

    # --------------------------------------------------------------------------------- potentials

    def potentials(self, engine: Engine = "auto", *, tolerance: float = TOLERANCE) -> Potentials:
        """Compute the potentials of all pairs of classes.

        Parameters
        ----------
        engine : "auto", "direct" or "nufft"
            The engines agree to 1e-8; "auto" chooses the faster one. Rows that are not in memory
            are always transformed, and sums that are prepared are used in any case.
        tolerance : float
            Of transforms; a looser one costs digits where classes hardly overlap.

        Raises
        ------
        ValueError
            If the engine is "nufft" with more than three components or MOST_MODES modes.
        """
        fastest = self.engine("potentials", requested=engine)
        if fastest == "direct":
            return DirectPotentials(self.rows, self.covariances, self.weights)
        if fastest == "prepared":
            series = self._cropped(self.prepared.potentials)
            return FourierPotentials(self.rows, self.covariances, self.weights, series=series)
        check_nufft_components(self.covariances.shape[1])
        return FourierPotentials(self.rows, self.covariances, self.weights, tolerance=tolerance)

    def pull_back(
        self, components: FloatArray, potentials: Potentials, weights: FloatArray
    ) -> FloatArray:
        """Derivative by `components` of a weighted sum of the logarithms of potentials in a plane.

        The derivatives by the projected points are summed for each class before they are
        multiplied by its rows, so no outer products of rows are formed.

        Parameters
        ----------
        components : ndarray of shape (n_components, n_features)
        potentials : Potentials
            Of these classes, projected by the components.
        weights : ndarray of shape (n_classes, n_classes)
            Of the unordered pairs, in the upper triangle.

        Returns
        -------
        ndarray of shape (n_components, n_features)
        """
        moments, by_covariances = potentials.weighted_moments(weights, self.rows)
        spread = self._lift(self._within(components) @ self.covariances)
        gradient: FloatArray = 2.0 * np.einsum("cij,cjl->il", by_covariances, spread)
        for moment in moments:
            gradient += self._lift(moment)
        return gradient

    def sums_planes_together(self, engine: Engine = "auto") -> bool:
        """Return whether `in_planes` sums potentials in several planes faster."""
        return self.engine("potentials in planes", requested=engine) == "direct"

    def in_planes(self, precision: Precision = np.float64) -> TiledClasses:
        """Sum the potentials in several planes at once, for rows in memory.

        Parameters
        ----------
        precision : float32 or float64
            Of the sums over rows; float32 is accurate to about 1e-6 and takes half the time.
        """
        return TiledClasses(self.rows, self.covariances, self.weights, precision)

    def compiled_term(
        self, aggregate: str, precision: Precision = np.float64, share: float = 1.0
    ) -> Term:
        """Return the term of the compiled library for the divergence, for rows in memory.

        Parameters
        ----------
        aggregate : "mean", "softmin" or "ovr"
        precision : float32 or float64
            Of the sums over rows; float32 is accurate to about 1e-6 and takes half the time.
        share : float
            What the divergence is multiplied by.
        """
        return Term.of_rows(
            self.rows,
            self.covariances,
            aggregate=aggregate,
            share=share,
            weights=self.weights,
            precision=precision,
        )

    def log_potentials_with(self, others: Sequence[FloatArray]) -> FloatArray:
        """Compute log potentials of each class with other rows, which have its kernels.

        Parameters
        ----------
        others : sequence of ndarray of shape (n_rows_of_class, n_coordinates)
            Rows of the same classes, at least one of each.

        Returns
        -------
        ndarray of shape (n_classes, n_classes)
            Of the rows here of one class, and the others of another one.
        """
        kernels, weights = self.covariances, self.weights_of_classes
        pairs = product(range(len(self.rows)), repeat=2)
        logs = [
            np.logaddexp.reduce(
                direct_sums.log_density(
                    others[b], self.rows[a], kernels[a] + kernels[b], weights[a]
                )
            )
            - np.log(len(others[b]))
            for a, b in pairs
        ]
        return np.array(logs).reshape(len(self.rows), -1)

    # ---------------------------------------------------------------------------------- densities

    def log_densities(self, points: FloatArray, engine: Engine = "auto") -> FloatArray:
        """Compute the logarithm of every class density at points.

        Parameters
        ----------
        points : ndarray of shape (n_points, n_coordinates)
        engine : "auto", "direct" or "nufft"
            The logarithms of the two agree to 1e-6.

        Returns
        -------
        ndarray of shape (n_points, n_classes)

        Raises
        ------
        ValueError
            If the rows are not in memory and nothing was summed over them before.
        """
        fastest = self.engine("log densities")
        if fastest == "prepared" and (series := self._cropped(self._prepared_series)) is not None:
            return series.log_densities(points, self.rows, self.covariances)
        if fastest == "blocks":
            raise ValueError("The rows are not in memory: see DensityRule.of_blocks.")
        roots = [*zip(*inverse_root(self.covariances), strict=True)]
        return np.column_stack(
            [self._log_density(points, code, engine, root) for code, root in enumerate(roots)]
        )

    def _log_density(
        self, points: FloatArray, code: int, engine: Engine, root: tuple[FloatArray, FloatArray]
    ) -> FloatArray:
        """Compute it for rows in memory, exact into the tails; `root` as in `log_density`."""
        of_class = self._class(code)
        n_evaluations = len(points) * len(self.rows[code])
        fastest = self.engine("log densities", n_evaluations=n_evaluations, requested=engine)
        if fastest == "direct":
            return direct_sums.log_density(points, *of_class, root)
        density = nufft.density(points, *of_class)
        _, log_peak = root
        low = density < FOURIER_FLOOR * np.exp(log_peak)
        logs = np.log(np.where(low, 1.0, density))
        logs[low] = direct_sums.log_density(points[low], *of_class, root)
        return logs

    def most_likely(self, points: FloatArray, own_codes: IntArray | None = None) -> IntArray:
        """Return the class with the largest density at points.

        The argmax of `log_densities`, several times faster on many rows: a density in the tails,
        where the Fourier sums are not accurate, is summed exactly only where it may be the largest.

        Parameters
        ----------
        points : ndarray of shape (n_points, n_coordinates)
        own_codes : ndarray of int, shape (n_points,), optional
            The class of each point that is one of the rows here, -1 for others: it is left out of
            the density of its class. Rows have no weights then.

        Returns
        -------
        ndarray of shape (n_points,)
            Class codes.
        """
        own_codes = np.full(len(points), -1) if own_codes is None else own_codes
        n_classes = len(self.rows)
        if self.engine("likeliest class") == "prepared":
            logs = self.log_densities(points)
            for code in range(n_classes):
                self._leave_out(points, own_codes == code, logs[:, code], code)
            return np.asarray(logs.argmax(axis=1))
        logs, floors = np.empty((len(points), n_classes)), np.full(n_classes, -np.inf)
        for code in range(n_classes):
            logs[:, code], floors[code] = self._approximate_logs(points, code)
            self._leave_out(points, own_codes == code, logs[:, code], code)
        # Below its floor, a density is known to be below it, and no more.
        is_low = (logs <= floors) & (own_codes[:, None] != np.arange(n_classes))
        largest = np.where(is_low, -np.inf, logs).max(axis=1)
        for code in range(n_classes):
            is_open = is_low[:, code] & (largest <= floors[code] + _FLOOR_MARGIN)
            logs[is_open, code] = direct_sums.log_density(points[is_open], *self._class(code))
            logs[is_low[:, code] & ~is_open, code] = -np.inf
        codes: IntArray = logs.argmax(axis=1)
        return codes

    def floored_log_densities(
        self, points: FloatArray, own_codes: IntArray | None = None
    ) -> FloatArray:
        """Compute log class densities, beyond all rows no less than a floor of all classes.

        The floor is FOURIER_FLOOR of the highest kernel's peak, down to which sums over many rows
        are exact: where all classes are below it, none is likelier. So the time at many points is
        bounded, wherever they are.

        Parameters
        ----------
        points : ndarray of shape (n_points, n_coordinates)
        own_codes : ndarray of int, shape (n_points,), optional
            See `most_likely`.

        Returns
        -------
        ndarray of shape (n_points, n_classes)
        """
        own_codes = np.full(len(points), -1) if own_codes is None else own_codes
        codes = range(len(self.rows))
        if self.is_sample:
            logs = self.log_densities(points)
        else:
            if self.prepared.densities is not None and not self._has_sums_for(points):
                return replace(self, prepared=PreparedSums()).floored_log_densities(
                    points, own_codes
                )
            logs = np.column_stack([self._approximate_logs(points, code)[0] for code in codes])
        for code in codes:
            self._leave_out(points, own_codes == code, logs[:, code], code)
        floored: FloatArray = np.maximum(logs, self.log_floor)
        return floored

    def _has_sums_for(self, points: FloatArray) -> bool:
        """Return whether the prepared sums reach points; they may have been made for others."""
        sums = self._density_sums
        if isinstance(sums, NearClasses):
            return sums.n_pairs(points, self.covariances) <= MOST_NEAR_PAIRS
        return sums is not None and bool(sums.holds(points).all())

    @cached_property
    def log_floor(self) -> float:
        """The floor of `floored_log_densities`."""
        return float(np.max(inverse_root(self.covariances)[1]) + np.log(FOURIER_FLOOR))

    def _leave_out(
        self, points: FloatArray, is_own: npt.NDArray[np.bool_], logs: FloatArray, code: int
    ) -> None:
        """Replace the logarithm of the density of a class at rows of it by that without each.

        Where nearly all of a density is the row itself, what is left is summed exactly if all rows
        that the density is of are in memory.
        """
        if not is_own.any():
            return
        total = float(self.totals[code])
        if total < 2.0:
            logs[is_own] = -np.inf
            return
        log_itself = inverse_root(self.covariances[code])[1] - np.log(total)
        left = -np.expm1(np.minimum(log_itself - logs[is_own], 0.0))
        logs[is_own] += np.log(np.maximum(left, _LEAST_LEFT)) - np.log1p(-1.0 / total)
        alone = np.flatnonzero(is_own)[left < _ALONE]
        if len(alone) and in_memory(self.rows) and not self.is_sample:
            rows, covariance, _ = self._class(code)
            logs[alone] = direct_sums.log_density_without(points[alone], rows, covariance)

    def _approximate_logs(self, points: FloatArray, code: int) -> tuple[FloatArray, float]:
        """Compute logarithms of a density, and the floor at which those below it are cut."""
        n_evaluations = len(points) * len(self.rows[code])
        fastest = self.engine("likeliest class", n_evaluations=n_evaluations)
        if fastest == "direct":
            return direct_sums.log_density(points, *self._class(code)), -np.inf
        if fastest == "prepared" and (sums := self._density_sums) is not None:
            density = sums.density(points, code, self.covariances[code])
        else:
            density = nufft.density(points, *self._class(code))
        floor = float(np.log(FOURIER_FLOOR) + inverse_root(self.covariances[code])[1])
        return np.log(np.maximum(density, np.exp(floor))), floor

    def grid(self, code: int, n_lines: int, margin: float = GRID_MARGIN) -> DensityGrid:
        """Evaluate the density of a class on a grid in a plane.

        Parameters
        ----------
        code : int
            Of the class.
        n_lines : int
            Along each axis.
        margin : float
            How many kernel widths the grid ends beyond the outermost rows. Prepared sums have room
            for `MOST_PREPARED_MARGIN`.
        """
        covariance, sums = self.covariances[code], self._density_sums
        root, log_peak = inverse_root(covariance)
        if self.engine("grid") == "prepared" and sums is not None:
            margin = min(margin, MOST_PREPARED_MARGIN)
            x, y, density = sums.density_on_grid(code, covariance, n_lines, margin)
            density, root, floor = density / np.exp(log_peak), sums.root_of(code), _GRID_FLOOR
            return DensityGrid(
                x, y, np.maximum(density, floor), root, root.T @ covariance @ root, floor
            )
        # In coordinates in which the kernel is isotropic, the sum over a grid is separable.
        rows = self.rows[code] @ root
        lower, upper = rows.min(axis=0) - margin, rows.max(axis=0) + margin
        x, y = (np.linspace(lower[axis], upper[axis], n_lines) for axis in (0, 1))
        is_exact = len(rows) <= SEPARABLE_ROWS
        floor = _UNDERFLOW if is_exact else _GRID_FLOOR
        density = _density_on_lines(x, y, rows, np.eye(2), self.weights_of_classes[code])
        return DensityGrid(x, y, np.maximum(2.0 * np.pi * density, floor), root, np.eye(2), floor)

    def _class(self, code: int) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """Return rows, kernel covariance and weights of a class."""
        return self.rows[code], self.covariances[code], self.weights_of_classes[code]

    # -------------------------------------------------------------------------- sums made before

    @property
    def _prepared_series(self) -> ClassSeries | None:
        """The prepared series of the rows, if any."""
        sums = self.prepared.densities
        return sums if isinstance(sums, ClassSeries) else self.prepared.potentials

    def transformed(
        self,
        points: FloatArray,
        band: tuple[float, float],
        *,
        most_modes: int = MOST_MODES,
        others: FloatArray | None = None,
    ) -> ClassSeries | None:
        """Return the Fourier series of the rows in a plane, for kernels of a band of widths.

        Parameters
        ----------
        points : ndarray of shape (n_points, n_components)
            Where densities will be asked, besides grids around the rows.
        band : tuple of float
            The least and the largest factor of kernel widths.
        most_modes : int
            Of each class.
        others : ndarray of shape (n_kernels, n_components, n_components), optional
            Further kernel covariances that the series is to serve.

        Returns
        -------
        ClassSeries or None
            None if it needs more modes.
        """
        kernels = self.covariances
        return ClassSeries.of(
            self.rows,
            kernels if others is None else np.concatenate([kernels, others]),
            points,
            weights=self.weights,
            factors=band,
            most_modes=most_modes,
        )

    def prepare_densities(
        self, points: FloatArray, band: tuple[float, float], others: FloatArray | None = None
    ) -> PreparedSums:
        """Prepare the fastest sums for densities of many rows in a band of kernel widths.

        Parameters
        ----------
        points : ndarray of shape (n_points, n_components)
            Where densities will be asked, besides grids around the rows.
        band : tuple of float
            The least and the largest factor of kernel widths.
        others : ndarray of shape (n_kernels, n_components, n_components), optional
            See `transformed`.

        Returns
        -------
        PreparedSums
            For `with_sums`; of potentials, too, where they are summed from the same.
        """
        series = self.transformed(points, band, most_modes=FEW_MODES, others=others)
        if series is not None:
            return PreparedSums(series, series)
        n_pairs = self._rows_in_order.n_pairs(points, self.widened(band[1]).covariances)
        is_local = n_pairs <= NEAR_SHARE * len(points) * self.counts.sum()
        if is_local and n_pairs <= MOST_NEAR_PAIRS:
            return PreparedSums(self._rows_in_order)
        series = self.transformed(points, band, others=others)
        if series is None and is_local:
            return PreparedSums(self._rows_in_order)
        return PreparedSums(series, series)

    @cached_property
    def _rows_in_order(self) -> NearClasses:
        """Sorting takes as long as a transform; every band of a plane shares it."""
        return NearClasses.of(self.rows, self.covariances, self.weights_of_classes)

    def prepare_potentials(
        self, points: FloatArray, band: tuple[float, float], most_bytes: int
    ) -> PreparedSums:
        """Prepare sums for potentials in a band of kernel widths, without densities.

        Parameters
        ----------
        points : ndarray of shape (n_points, n_components)
        band : tuple of float
            The least and the largest factor of kernel widths.
        most_bytes : int
            That the modes of all classes may take, where these are more than MOST_MODES.

        Returns
        -------
        PreparedSums
            Empty if sums over all pairs of rows are faster.
        """
        within_memory = most_bytes // (_BYTES_PER_MODE * len(self.rows))
        most = min(MOST_POTENTIAL_MODES, max(MOST_MODES, within_memory))
        series = ClassSeries.of(
            self.rows,
            self.covariances,
            points,
            weights=self.weights,
            factors=band,
            most_modes=min(most, MODES_PER_ROW * int(self.counts.sum())),
            only_potentials=True,
        )
        return PreparedSums(potentials=series)

    def with_sums(self, prepared: PreparedSums) -> ClassDensities:
        """Return the densities with sums that were prepared.

        Parameters
        ----------
        prepared : PreparedSums
            For the same rows and a band that these kernels are in, or for more rows of which these
            are a sample.
        """
        return replace(self, prepared=prepared)

    @property
    def _density_sums(self) -> ClassSeries | NearClasses | None:
        sums = self.prepared.densities
        return self._cropped(sums) if isinstance(sums, ClassSeries) else sums

    def _cropped(self, series: ClassSeries | None) -> ClassSeries | None:
        """Crop a series to the modes that the kernels reach; the others are as good as 0."""
        return series and series.cropped(self.covariances)


def direct_seconds(counts: Sequence[int]) -> float:
    """Compute estimated seconds of the direct engine for classes of `counts` rows."""
    across = sum(a * b for a, b in combinations(counts, 2))
    within = sum(count**2 for count in counts)  # pairs from different blocks once
    return SECONDS_PER_PAIR * (across + SHARE_WITHIN * within)


def nufft_seconds(counts: Sequence[int], box: Box) -> float:
    """Compute estimated seconds of the Fourier engine for classes of `counts` rows."""
    n_components = len(box.lengths)
    slower = 1.0 if nufft.is_fast() else SPREAD_IN_NUMPY[n_components]
    one_way = sum(
        SECONDS_PER_TRANSFORM
        + SECONDS_PER_TRANSFORMED_POINT[n_components] * slower * count
        + SECONDS_PER_TRANSFORMED_MODE[n_components] * box.n_modes
        for count in counts
    )
    return (1 + n_components) * one_way


def check_nufft_components(n_components: int) -> None:
    """Raise UserError beyond three components, the limit of the Fourier engine."""
    if n_components > MOST_COMPONENTS:
        raise UserError(
            f'engine="nufft" supports at most {MOST_COMPONENTS} components, not {n_components}; '
            'use engine="auto" or "direct".'
        )


def density_on_grid(
    x: FloatArray, y: FloatArray, rows: FloatArray, covariance: FloatArray
) -> FloatArray:
    """Compute a kernel density on the grid x times y, summed over all rows.

    The error is at most 1e-8 of the peak.

    Parameters
    ----------
    x, y : ndarray
        Coordinates of the grid lines.
    rows : ndarray of shape (n_samples, 2)
        Projected rows of one class.
    covariance : ndarray of shape (2, 2)
        Covariance of the projected kernel.

    Returns
    -------
    ndarray of shape (len(y), len(x))
        Probability per unit area.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import density_on_grid
    >>> axis = np.linspace(-4.0, 4.0, 81)
    >>> rows = np.array([[0.0, 0.0], [1.0, 0.5]])
    >>> density = density_on_grid(axis, axis, rows, 0.25 * np.eye(2))
    >>> print(f"{density.sum() * 0.1**2:.3f}")
    1.000
    """
    return _density_on_lines(x, y, rows, covariance)


def _density_on_lines(
    x: FloatArray,
    y: FloatArray,
    rows: FloatArray,
    covariance: FloatArray,
    weights: FloatArray | None = None,
) -> FloatArray:
    is_separable = covariance[0, 1] == 0.0 and len(rows) <= SEPARABLE_ROWS
    n_evaluations = 0 if is_separable else len(x) * len(y) * len(rows)
    alone = ClassDensities((rows,), covariance[None])
    is_direct = alone.engine("grid", n_evaluations=n_evaluations) == "direct"
    if is_direct and is_separable:
        return direct_sums.separable_density_on_grid(x, y, rows, np.diag(covariance), weights)
    points = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    if is_direct:
        density = np.exp(direct_sums.log_density(points, rows, covariance, weights))
    else:
        density = nufft.density(points, rows, covariance, weights)
    values: FloatArray = density.reshape(len(y), len(x))
    return values
