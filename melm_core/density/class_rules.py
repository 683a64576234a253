"""The class densities of a plane: how likely each class is at places where new rows may lie.

They are apart from the densities that a search compares (`kernel_classes`), whose kernels have the
covariances of the classes in all features. A plane adapts itself to the rows that it is fitted to:
classes are narrower there than new rows of them are. So the rows of a class lie where they were
fitted, and their kernels have the spread of rows that the plane never saw.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import gammaln

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.row_blocks import Rows, take_rows
from melm_core.base.sample_weights import totals_of
from melm_core.base.sampling import thinned
from melm_core.density.class_densities import ClassDensities, PreparedSums
from melm_core.density.covariances import kernel_covariances
from melm_core.density.engines.class_series import ClassSeries
from melm_core.density.engines.direct_sums import inverse_root
from melm_core.linalg.class_moments import (
    covariance_of,
    covariance_of_means,
    moments_of_classes,
    rows_by_class,
)

# Of the covariance of all rows: no class is flatter than this in any direction.
_LEAST_SPREAD = 1e-6
# Of the largest variance of all rows, where these are flat themselves.
_LEAST_WIDTH = 1e-12
# Rows that the normal density of a class counts for beside its kernels. Chosen by the log loss of
# new rows on the bank of shapes, where it falls by .02, and on twelve tables, where it stays; 10
# and 40 do as well (docs/results/honesty.md).
NORMAL_ROWS = 20.0
# Of the bandwidth of Silverman's rule, which is for normal classes. Where they may be skewed or in
# several parts he narrows it to this (1986, section 3.4.2), and the class densities of every method
# tell as many held-out rows as those of its search (docs/results/held-out-planes.md).
KERNEL_WIDTH = 0.85
# Of each class of a table that is not in memory.
_MOST_SAMPLED = 1_000


@dataclass(frozen=True, eq=False)
class DensityFloor:
    """A Cauchy density around all rows: no place is impossible, and far from all none is likelier.

    Attributes
    ----------
    center : ndarray of shape (n_components,)
        Mean of all rows.
    covariance : ndarray of shape (n_components, n_components)
        Of all rows, which is its scale.
    share : float
        Of the density of each class that comes from it: 1 / (n + 1), as if one more row of a class
        of n rows had come from nowhere in particular.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import DensityFloor
    >>> floor = DensityFloor(np.zeros(1), np.eye(1), share=0.5)
    >>> floor.mixed(np.array([[-np.inf]]), np.array([[0.0]])).round(3)  # log(0.5 / pi)
    array([[-1.838]])
    """

    center: FloatArray
    covariance: FloatArray
    share: float

    @classmethod
    def of(cls, points: FloatArray, n_rows: float) -> Self:
        """Fit the floor of all rows, shape (n_rows, n_components), for classes of `n_rows` rows."""
        return cls(points.mean(axis=0), spread_of(points), 1.0 / (n_rows + 1.0))

    def log_density(self, points: FloatArray) -> FloatArray:
        """Compute the logarithm of the Cauchy density at points, shape (n_points,)."""
        k = len(self.center)
        root, log_peak = inverse_root(self.covariance)
        squares = np.square((points - self.center) @ root).sum(axis=1)
        # The peak of a Gaussian of the same scale, in terms of which that of the Cauchy density is.
        log_norm = gammaln(0.5 * (k + 1)) - gammaln(0.5) + 0.5 * k * np.log(2.0)
        values: FloatArray = log_peak + log_norm - 0.5 * (k + 1) * np.log1p(squares)
        return values

    def mixed(self, logs: FloatArray, points: FloatArray) -> FloatArray:
        """Compute log class densities at points, (n_points, n_classes), with their floor."""
        floor = self.log_density(points) + np.log(self.share)
        mixed: FloatArray = np.logaddexp(logs + np.log1p(-self.share), floor[:, None])
        return mixed


@dataclass(frozen=True, eq=False, kw_only=True)
class PlaneRule(ABC):
    """A rule that assigns points of a plane to classes.

    Attributes
    ----------
    floor : DensityFloor
        Below the densities of all classes.
    temperature : float
        Divides the logarithms of the densities before they become probabilities, above 1 where
        these are too sure; it changes no class. Fitted by
        `melm_core.diagnostics.calibration.fitted_temperature` on held-out rows.
    """

    floor: DensityFloor
    temperature: float = 1.0

    @abstractmethod
    def log_mixtures(self, points: FloatArray, own_codes: IntArray | None = None) -> FloatArray:
        """Compute log densities without their floor, by which classes are told apart.

        The floor is the same of all classes and changes none, but far from all rows it leaves no
        difference that numbers could hold.

        Parameters
        ----------
        points, own_codes
            See `log_densities`.

        Returns
        -------
        ndarray of shape (n_points, n_classes)
        """

    def log_densities(self, points: FloatArray, own_codes: IntArray | None = None) -> FloatArray:
        """Compute log densities of the classes at points.

        Parameters
        ----------
        points : ndarray of shape (n_points, n_components)
        own_codes : ndarray of int, shape (n_points,), optional
            The class of each point that is one of the rows of the rule, which is left out of its
            density; -1 of others.

        Returns
        -------
        ndarray of shape (n_points, n_classes)
        """
        return self.floor.mixed(self.log_mixtures(points, own_codes), points)

    def most_likely(self, points: FloatArray, own_codes: IntArray | None = None) -> IntArray:
        """Return the class with the largest mixture density at points, shape (n_points,).

        Parameters
        ----------
        points, own_codes
            See `log_densities`.
        """
        codes: IntArray = self.log_mixtures(points, own_codes).argmax(axis=1)
        return codes

    def probabilities(self, points: FloatArray) -> FloatArray:
        """Compute probabilities of the classes under equal priors, shape (n_points, n_classes)."""
        return tempered_shares(self.log_densities(points), self.temperature)

    def calibrated(self, temperature: float) -> Self:
        """Return the rule with another temperature."""
        return replace(self, temperature=temperature)


@dataclass(frozen=True, eq=False)
class NormalDensities:
    """Normal densities of the classes, of one covariance.

    Attributes
    ----------
    means : ndarray of shape (n_classes, n_components)
    covariance : ndarray of shape (n_components, n_components)

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import NormalDensities
    >>> normal = NormalDensities(np.array([[0.0], [2.0]]), np.eye(1))
    >>> normal.log_densities(np.zeros((1, 1))).round(3)
    array([[-0.919, -2.919]])
    """

    means: FloatArray
    covariance: FloatArray

    @classmethod
    def of(cls, rows: Sequence[FloatArray], spread: FloatArray) -> Self:
        """Estimate the densities from rows and covariances of classes, weighted by the rows."""
        counts = [len(of_class) for of_class in rows]
        means = np.stack([of_class.mean(axis=0) for of_class in rows])
        return cls(means, np.average(spread, axis=0, weights=counts))

    def log_densities(
        self,
        points: FloatArray,
        own_codes: IntArray | None = None,
        counts: FloatArray | None = None,
    ) -> FloatArray:
        """Compute log densities at points, shape (n_points, n_classes).

        Parameters
        ----------
        points : ndarray of shape (n_points, n_components)
        own_codes : ndarray of int, shape (n_points,), optional
            The class of each point whose mean it is part of, and is left out of; -1 of others.
        counts : ndarray of shape (n_classes,), optional
            Of the rows of the means, from which points are left out.
        """
        root, log_peak = inverse_root(self.covariance)
        squares = np.square((points[:, None] - self.means) @ root).sum(axis=2)
        if own_codes is not None and counts is not None:
            members = np.flatnonzero(own_codes >= 0)
            left = np.maximum(counts[own_codes[members]] - 1.0, 1.0)
            squares[members, own_codes[members]] *= np.square(counts[own_codes[members]] / left)
        logs: FloatArray = log_peak - 0.5 * squares
        return logs

    def affine(self, turn: FloatArray, center: FloatArray) -> NormalDensities:
        """See `DensityRule.affine`."""
        return NormalDensities((self.means - center) @ turn, turn.T @ self.covariance @ turn)


@dataclass(frozen=True, eq=False)
class DensityRule(PlaneRule):
    """Densities of the classes in a plane, as new rows meet them.

    Each is a kernel density, to which a normal density adds as if it had 20 more rows: so few rows
    are told by their means, and many as they lie. A floor of all classes is below both.

    Attributes
    ----------
    classes : ClassDensities
        Rows of each class where the plane that was fitted to them puts them. The kernels have .85
        of the bandwidth of Silverman's rule, as he advises where classes may not be normal, and the
        covariance of rows that the plane was not fitted to.
    normal : NormalDensities
        Of the same rows and covariances.
    floor, temperature
        See `PlaneRule`.

    Notes
    -----
    As fitted, densities are no probabilities: a plane of few rows and many features can set its own
    rows as far apart as one likes. Their kernels would be too narrow, and a new row between the
    classes would be given to one of them with certainty. A rule without rows that were left out,
    `of` without `spread`, has this fault; use it for large tables or while nothing better is known.

    References
    ----------
    B. W. Silverman: Density Estimation for Statistics and Data Analysis, 1986, sections 3.4.2,
    4.2.3 and 6.1. I. Olkin, C. H. Spiegelman: A Semiparametric Approach to Density Estimation,
    Journal of the American Statistical Association 82, 1987 (kernel and normal density mixed). C.
    Guo, G. Pleiss, Y. Sun, K. Q. Weinberger: On calibration of modern neural networks, ICML 2017
    (temperature).

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import DensityRule
    >>> places = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [5.0, 5.0], [6.0, 5.0], [5.0, 6.0]])
    >>> rule = DensityRule.of(places, np.array([0, 0, 0, 1, 1, 1]))
    >>> rule.probabilities(np.array([[0.5, 0.5], [5.5, 5.5]])).argmax(axis=1)
    array([0, 1])
    """

    classes: ClassDensities
    normal: NormalDensities

    @classmethod
    def of(
        cls,
        points: FloatArray,
        y: IntArray,
        spread: FloatArray | None = None,
        *,
        gamma: float = 1.0,
    ) -> Self:
        """Fit the rule of rows in a plane.

        Parameters
        ----------
        points : ndarray of shape (n_rows, n_components)
            Where the plane that was fitted to the rows puts them.
        y : ndarray of shape (n_rows,)
            Class codes 0 .. n_classes - 1, each present.
        spread : ndarray of shape (n_classes, n_components, n_components), optional
            Covariances of the classes at places of rows that the plane was not fitted to; by
            default those of `points`.
        gamma : float, default=1.0
            Kernel width relative to `KERNEL_WIDTH` of Silverman's rule.
        """
        rows, n_components = rows_by_class(points, y), points.shape[1]
        counts = np.array([len(of_class) for of_class in rows], dtype=np.float64)
        if spread is None:
            spread = class_spreads(points, y, len(rows))
        kernels = _kernels(spread, counts, n_components, gamma)
        floor = DensityFloor.of(points, float(counts.min()))
        return cls(ClassDensities(rows, kernels), NormalDensities.of(rows, spread), floor=floor)

    @classmethod
    def of_moments(
        cls,
        rows: Sequence[FloatArray],
        means: FloatArray,
        covariances: FloatArray,
        counts: FloatArray,
        *,
        gamma: float = 1.0,
        weights: tuple[FloatArray, ...] | None = None,
    ) -> Self:
        """Fit the rule from moments of rows that are too many for a pass over them.

        Parameters
        ----------
        rows : sequence of ndarray of shape (n_rows_of_class, n_components)
            Of each class, or a sample of them.
        means : ndarray of shape (n_classes, n_components)
            Of all rows of each class.
        covariances : ndarray of shape (n_classes, n_components, n_components)
            The same, with divisor N_c. A class of one row has that within the others.
        counts : ndarray of shape (n_classes,)
            Numbers of all rows, or the sums of their weights.
        gamma : float, default=1.0
            Kernel width relative to `KERNEL_WIDTH` of Silverman's rule.
        weights : tuple of ndarray of shape (n_rows_of_class,), optional
            Of `rows`, which are then all of them.

        Examples
        --------
        >>> import numpy as np
        >>> from melm_core.density import DensityRule
        >>> points, y = np.random.default_rng(0).standard_normal((60, 2)), np.arange(60) % 2
        >>> rule, rows = DensityRule.of(points, y), [points[::2], points[1::2]]
        >>> moments = np.stack([own.mean(axis=0) for own in rows]), np.stack(
        ...     [np.cov(own.T, ddof=0) for own in rows]
        ... )
        >>> same = DensityRule.of_moments(rows, *moments, np.array([30.0, 30.0]))
        >>> np.allclose(same.log_densities(points), rule.log_densities(points))
        True
        """
        shares, n_components = counts / counts.sum(), means.shape[1]
        within = np.average(covariances, axis=0, weights=counts)
        every = _not_flat(within + covariance_of_means(means, counts))
        least = _LEAST_SPREAD * every
        is_alone = counts < 2
        if weights is not None:  # whose sum may be small of many rows
            is_alone &= totals_of(rows) < 2
        if is_alone.any():
            sizes = counts * ~is_alone
            others = np.average(covariances, axis=0, weights=sizes) if sizes.any() else least
            covariances = np.where(is_alone[:, None, None], others, covariances)
        spread = covariances + least
        kernels = _kernels(spread, counts, n_components, gamma)
        floor = DensityFloor(shares @ means, every, 1.0 / (float(counts.min()) + 1.0))
        normal = NormalDensities(means, np.average(spread, axis=0, weights=counts))
        return cls(ClassDensities(tuple(rows), kernels, weights=weights), normal, floor=floor)

    @classmethod
    def of_blocks(cls, rows: Sequence[Rows], *, gamma: float = 1.0) -> Self:
        """The rule as fitted of rows that are not in memory, by four passes over them.

        It keeps their Fourier series and a sample of them, and needs them no more.

        Parameters
        ----------
        rows : sequence of ClassRows
            Of each class, projected into a plane of at most 3 components.
        gamma : float, default=1.0
            Kernel width relative to `KERNEL_WIDTH` of Silverman's rule.

        Raises
        ------
        ValueError
            If the kernels are too narrow beside the spread of the rows for a series.
        """
        counts = totals_of(rows)
        some = [thinned(np.arange(n), _MOST_SAMPLED) for n in counts.astype(int)]
        moments = moments_of_classes(rows)
        rule = cls.of_moments(take_rows(rows, some), *moments, counts, gamma=gamma)
        nowhere = np.empty((0, len(rule.floor.center)))
        series = ClassSeries.of(rows, rule.classes.covariances, nowhere)
        if series is None:
            raise UserError(
                f"The kernels of the class densities, of width {gamma:g}, are too narrow beside "
                "the spread of the rows. Increase it (density_gamma of MELM), or remove outliers."
            )
        return replace(rule, classes=rule.classes.with_sums(PreparedSums(series, series)))

    def log_mixtures(self, points: FloatArray, own_codes: IntArray | None = None) -> FloatArray:
        """Compute log densities without the floor: kernels and the normal density, mixed."""
        kernels = self.classes.floored_log_densities(points, own_codes)
        # There the kernels say nothing, and far from all rows the normal densities are alone.
        kernels[kernels <= self.classes.log_floor] = -np.inf
        totals = self.classes.totals
        normal = self.normal.log_densities(points, own_codes, totals)
        of_normal = np.broadcast_to(self.normal_shares, kernels.shape)
        if own_codes is not None:
            of_normal = _normal_shares(totals - (own_codes[:, None] == np.arange(len(totals))))
        with np.errstate(divide="ignore"):  # a class without another row is normal
            mixed: FloatArray = np.logaddexp(
                kernels + np.log1p(-of_normal), normal + np.log(of_normal)
            )
        return mixed

    @property
    def normal_shares(self) -> FloatArray:
        """The share of the normal density in that of each class, shape (n_classes,)."""
        return _normal_shares(self.classes.totals)

    @property
    def linear(self) -> LinearRule:
        """The normal densities alone, which stand beside this rule; not calibrated."""
        return LinearRule(self.normal, floor=self.floor)

    def project(self, components: FloatArray) -> DensityRule:
        """Project the rule by `components`, (n_lines, n_components)."""
        return self.affine(components.T, np.zeros(components.shape[1]))

    def affine(self, turn: FloatArray, center: FloatArray) -> DensityRule:
        """Return the rule for places (z - center) @ turn of its places z.

        Parameters
        ----------
        turn : ndarray of shape (n_components, n_components)
            Or with fewer columns: densities are then projected.
        center : ndarray of shape (n_components,)
        """
        rows = tuple((of_class - center) @ turn for of_class in self.classes.rows)
        classes = ClassDensities(rows, turn.T @ self.classes.covariances @ turn)
        floor = DensityFloor(
            (self.floor.center - center) @ turn,
            turn.T @ self.floor.covariance @ turn,
            self.floor.share,
        )
        normal = self.normal.affine(turn, center)
        return DensityRule(classes, normal, floor=floor, temperature=self.temperature)


@dataclass(frozen=True, eq=False)
class LinearRule(PlaneRule):
    """Normal densities of one covariance alone: straight lines between the classes of a plane.

    It stands beside `DensityRule` and is never chosen afterwards: where classes are bent or in
    several parts it sees less, where rows are few it errs less.

    Attributes
    ----------
    normal : NormalDensities
        Means of the rows where the plane that was fitted to them puts them, and the covariance
        within the classes of rows that the plane was not fitted to.
    floor, temperature
        See `PlaneRule`.

    References
    ----------
    R. A. Fisher: The use of multiple measurements in taxonomic problems, Annals of Eugenics 7,
    1936.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.density import DensityRule
    >>> rule = DensityRule.of(np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1]))
    >>> rule.linear.probabilities(np.array([[2.0], [3.0]])).argmax(axis=1)
    array([0, 1])
    """

    normal: NormalDensities

    def log_mixtures(self, points: FloatArray, own_codes: IntArray | None = None) -> FloatArray:
        """Compute log densities without the floor.

        A row of the rule is not left out: the means of many rows hardly depend on it.
        """
        return self.normal.log_densities(points)


def _kernels(spread: FloatArray, counts: FloatArray, n_components: int, gamma: float) -> FloatArray:
    return kernel_covariances(spread, counts, n_components, KERNEL_WIDTH * gamma, "auto")


def _normal_shares(counts: FloatArray) -> FloatArray:
    shares: FloatArray = NORMAL_ROWS / (counts + NORMAL_ROWS)
    return shares


def spread_of(points: FloatArray) -> FloatArray:
    """Compute the covariance of rows, not flat in any direction, (n_components, n_components)."""
    return _not_flat(covariance_of(points))


def _not_flat(covariance: FloatArray) -> FloatArray:
    least = _LEAST_WIDTH * max(float(np.trace(covariance)), np.finfo(np.float64).tiny)
    spread: FloatArray = covariance + least * np.eye(len(covariance))
    return spread


def class_spreads(
    points: FloatArray, y: IntArray, n_classes: int, missing: Sequence[FloatArray] | None = None
) -> FloatArray:
    """Compute covariances of classes, none flatter than a millionth of that of all rows.

    Parameters
    ----------
    points : ndarray of shape (n_rows, n_components)
    y : ndarray of shape (n_rows,)
        Class codes.
    n_classes : int
    missing : sequence of ndarray of shape (n_components, n_components), optional
        Covariances of classes with fewer than two rows; by default that within the others.

    Returns
    -------
    ndarray of shape (n_classes, n_components, n_components)
    """
    parts = [points[y == code] for code in range(n_classes)]
    least = _LEAST_SPREAD * spread_of(points)
    by_code = {code: covariance_of(part) for code, part in enumerate(parts) if len(part) > 1}
    weights = [len(parts[code]) for code in by_code]
    pooled = np.average(list(by_code.values()), axis=0, weights=weights) if by_code else least
    others = [pooled] * n_classes if missing is None else missing
    spreads: FloatArray = np.stack([by_code.get(code, others[code]) for code in range(n_classes)])
    return spreads + least


def tempered_shares(logs: FloatArray, temperature: float) -> FloatArray:
    """Compute shares of densities to the power 1 / temperature from logs (n_rows, n_classes)."""
    away = (logs - logs.max(axis=1, keepdims=True)) / temperature
    densities = np.exp(away)
    shares: FloatArray = densities / densities.sum(axis=1, keepdims=True)
    return shares
