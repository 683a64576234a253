"""Class densities in a plane, with the derivatives that the posterior objective needs.

There are three families: one Gaussian per class (as in the paper), a Gaussian
mixture per class, and the kernel densities of MELM. Each computes the log
densities at its own rows, and the derivatives of weighted sums of these by
the components.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density import exponent_blocks, inverse_root
from melm_core.density.class_densities import ClassDensities
from melm_core.density.covariances import variance_of_means, whitening
from melm_core.density.kernel_density import kernel_classes
from melm_core.linalg.class_moments import covariance_of_means, pooled_covariance

Density: TypeAlias = Literal["gaussian", "mixture", "kde"]
DENSITIES: tuple[Density, ...] = ("gaussian", "mixture", "kde")

# A class is flat if its variance in some direction, relative to the pooled variance, is below
# this, as is every class with fewer rows than directions.
FLAT_RELATIVE_VARIANCE = 1e-8
# Weight of the pooled covariance that is mixed into flat classes: their smallest standard
# deviation becomes about 3 % of the pooled one.
FLAT_CLASS_SHRINKAGE = 1e-3

# Added to the variances of a mixture while it is fitted to rows of about unit variance.
_MIXTURE_FLOOR = 1e-3

_LOG_TWO_PI = float(np.log(2.0 * np.pi))


class PlaneDensities(Protocol):
    """The class densities in one plane, at any of its points."""

    def log_densities(self, points: FloatArray) -> FloatArray:
        """Compute log densities at points (n_points, n_components), shape (n_points, n_classes)."""


class ProjectedDensities(Protocol):
    """The class densities in one plane, at the rows they were estimated from.

    Attributes
    ----------
    log_values : ndarray of shape (n_samples, n_classes)
    """

    log_values: FloatArray

    def pull_back(self, weights: FloatArray) -> FloatArray:
        """Derivative by the components of the sum of weights * log_values.

        Parameters
        ----------
        weights : ndarray of shape (n_samples, n_classes)

        Returns
        -------
        ndarray of shape (n_components, n_features)
        """


class DensityModel(Protocol):
    """Class densities that can be projected onto any plane."""

    def project(self, components: FloatArray) -> ProjectedDensities:
        """Project onto linearly independent components (n_components, n_features)."""

    def in_plane(self, components: FloatArray) -> PlaneDensities:
        """Compute the densities at any points of the plane."""


@dataclass(frozen=True, eq=False)
class TransformedDensities:
    """Class densities in other coordinates of the same plane.

    They are evaluated in the coordinates of the search, which are better conditioned.

    Attributes
    ----------
    densities : PlaneDensities
        In the coordinates of the search.
    change : ndarray of shape (n_components, n_components)
        The components of `densities` are this matrix times the new components.
    """

    densities: PlaneDensities
    change: FloatArray

    def log_densities(self, points: FloatArray) -> FloatArray:
        """Compute log densities at points (n_points, n_components), shape (n_points, n_classes)."""
        log_determinant = float(np.linalg.slogdet(self.change)[1])
        return self.densities.log_densities(points @ self.change.T) + log_determinant


@dataclass(frozen=True, eq=False)
class Gaussians:
    """Weighted Gaussians, one or more per class.

    Attributes
    ----------
    means : ndarray of shape (n_gaussians, n_features)
    covariances : ndarray of shape (n_gaussians, n_features, n_features)
    totals : ndarray of shape (n_gaussians,)
        Number of rows of each; fractional if a row belongs to several Gaussians.
    first : ndarray of shape (n_classes,)
        Index of the first Gaussian of each class; those of a class are adjacent.
    """

    means: FloatArray
    covariances: FloatArray
    totals: FloatArray
    first: IntArray

    def project(self, components: FloatArray) -> Gaussians:
        """Project the Gaussians onto `components` (n_components, n_features)."""
        return Gaussians(
            self.means @ components.T,
            components @ self.covariances @ components.T,
            self.totals,
            self.first,
        )

    def log_densities(self, points: FloatArray) -> FloatArray:
        """Compute log densities of the classes at the points, shape (n_points, n_classes)."""
        offsets = points - self.means[:, None]  # (n_gaussians, n_points, n_features)
        precisions: FloatArray = np.asarray(np.linalg.inv(self.covariances), dtype=np.float64)
        logs, _ = self.log_terms(offsets, precisions)
        return self.gather(logs)

    def log_terms(
        self, offsets: FloatArray, precisions: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Compute log(share * density) (n_points, n_gaussians), and offsets @ precisions.

        Parameters
        ----------
        offsets : ndarray of shape (n_gaussians, n_points, n_features)
            Points minus the means.
        precisions : ndarray of shape (n_gaussians, n_features, n_features)
        """
        pulled = offsets @ precisions
        squares = np.einsum("gni,gni->ng", offsets, pulled)
        log_det = np.linalg.slogdet(self.covariances)[1] + offsets.shape[2] * _LOG_TWO_PI
        return self.log_shares() - 0.5 * (log_det + squares), pulled

    def gather(self, logs: FloatArray) -> FloatArray:
        """Sum over the Gaussians of each class, in logarithms."""
        if len(self.first) == len(self.means):
            return logs
        return np.logaddexp.reduceat(logs, self.first, axis=1)

    def log_shares(self) -> FloatArray:
        """Compute the log share of each Gaussian within its class, shape (n_gaussians,)."""
        of_class = np.add.reduceat(self.totals, self.first)
        log_shares: FloatArray = np.log(self.totals / of_class[self.owners()])
        return log_shares

    def owners(self) -> IntArray:
        """Return the class of each Gaussian, shape (n_gaussians,)."""
        sizes = np.diff(np.append(self.first, len(self.means)))
        return np.repeat(np.arange(len(self.first)), sizes)


@dataclass(frozen=True, eq=False)
class GaussianDensities:
    """Gaussian class densities that can be projected onto any plane; see `DensityModel`.

    Attributes
    ----------
    rows : ndarray of shape (n_samples, n_features)
    gaussians : Gaussians
    """

    rows: FloatArray
    gaussians: Gaussians

    def project(self, components: FloatArray) -> ProjectedGaussians:
        """See `DensityModel`."""
        return ProjectedGaussians(self, components)

    def in_plane(self, components: FloatArray) -> Gaussians:
        """See `DensityModel`."""
        return self.gaussians.project(components)


class ProjectedGaussians:
    """Gaussian class densities at their rows; see `ProjectedDensities`."""

    def __init__(self, densities: GaussianDensities, components: FloatArray) -> None:
        self._rows, self._whole = densities.rows, densities.gaussians
        self._spread = components @ self._whole.covariances  # (n_gaussians, m, n_features)
        plane = self._whole.project(components)
        self._precisions: FloatArray = np.asarray(
            np.linalg.inv(plane.covariances), dtype=np.float64
        )
        offsets = self._rows @ components.T - plane.means[:, None]
        self._terms, self._pulled = plane.log_terms(offsets, self._precisions)
        self.log_values = plane.gather(self._terms)

    def pull_back(self, weights: FloatArray) -> FloatArray:
        """See `ProjectedDensities`; the gradient of section 4.1 in matrix form.

        With V = Sigma^-1 (z - mu) for each row and Gaussian, weighted sums of V
        over the rows replace the paper's loop over planes of rotation.
        """
        weights = self._by_gaussian(weights)  # (n_samples, n_gaussians)
        weighted = weights.T[:, :, None] * self._pulled  # (n_gaussians, n_samples, m)
        by_spread = self._pulled.transpose(0, 2, 1) @ weighted
        by_spread -= weights.sum(axis=0)[:, None, None] * self._precisions
        gradient: FloatArray = (
            np.einsum("gij,gjn->in", by_spread, self._spread)
            + weighted.sum(axis=1).T @ self._whole.means
            - weighted.sum(axis=0).T @ self._rows
        )
        return gradient

    def _by_gaussian(self, weights: FloatArray) -> FloatArray:
        if weights.shape[1] == self._terms.shape[1]:
            return weights
        owners = self._whole.owners()
        shares: FloatArray = np.exp(self._terms - self.log_values[:, owners])
        return weights[:, owners] * shares


def gaussian_per_class(X: FloatArray, y: IntArray) -> GaussianDensities:
    """Fit one Gaussian per class by maximum likelihood, with divisor n_j (section 3.1).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes-1.
    """
    responsibilities = np.eye(int(y.max()) + 1)[y]
    return GaussianDensities(
        X, _weighted_gaussians(X, responsibilities, np.arange(responsibilities.shape[1]))
    )


def mixture_per_class(
    X: FloatArray, y: IntArray, *, n_components: int, n_mixture: int, random_state: int
) -> GaussianDensities:
    """Fit one Gaussian mixture per class by EM in the full space.

    The projection of a mixture is a mixture with the same weights, so one fit
    serves the whole search for a plane.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Rows with features of similar scale.
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes-1.
    n_components : int
        Dimension of the plane; each Gaussian needs more rows than that.
    n_mixture : int
        Number of Gaussians per class; fewer if a class has too few rows.
    random_state : int
        Seed of the initialization of EM.
    """
    responsibilities, sizes = [], []
    for code in range(int(y.max()) + 1):
        members = y == code
        most = max(1, min(n_mixture, int(members.sum()) // (n_components + 1)))
        shares = _shares_of_gaussians(X[members], most, n_components, random_state)
        block = np.zeros((len(y), shares.shape[1]))
        block[members] = shares
        responsibilities.append(block)
        sizes.append(shares.shape[1])
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return GaussianDensities(X, _weighted_gaussians(X, np.hstack(responsibilities), first))


def _shares_of_gaussians(
    rows: FloatArray, most: int, n_components: int, random_state: int
) -> FloatArray:
    """Responsibilities of the largest mixture whose Gaussians have enough rows each."""
    for size in range(most, 1, -1):
        shares = _fitted_shares(rows, size, random_state)
        if (shares.sum(axis=0) > n_components).all():
            return shares
    return np.ones((len(rows), 1))


def _fitted_shares(rows: FloatArray, size: int, random_state: int) -> FloatArray:
    mixture = GaussianMixture(size, reg_covar=_MIXTURE_FLOOR, random_state=random_state)
    with warnings.catch_warnings():
        # Without convergence, or with equal rows, the shares are still valid.
        warnings.simplefilter("ignore", ConvergenceWarning)
        shares: FloatArray = mixture.fit(rows).predict_proba(rows)
    return shares


def regularize_flat(densities: GaussianDensities) -> GaussianDensities:
    """Mix a little of the pooled covariance into Gaussians that are flat in some direction.

    Otherwise a class with fewer rows than directions would have an unbounded
    density on some line, which would be the optimum. Other Gaussians do not change.

    Parameters
    ----------
    densities : GaussianDensities
        Estimated from rows that vary within the classes in every direction, or whose class
        means differ where they do not.
    """
    gaussians = densities.gaussians
    covariances = gaussians.covariances
    pooled = pooled_covariance(covariances, gaussians.totals.tolist())
    of_means = variance_of_means(pooled, covariance_of_means(gaussians.means, gaussians.totals))
    covariances, pooled = covariances + of_means, pooled + of_means
    whitener = whitening(pooled)
    smallest = np.linalg.eigvalsh(whitener.T @ covariances @ whitener)[:, 0]
    weights = np.where(smallest < FLAT_RELATIVE_VARIANCE, FLAT_CLASS_SHRINKAGE, 0.0)
    shrunk = covariances + weights[:, None, None] * (pooled - covariances)
    return replace(densities, gaussians=replace(gaussians, covariances=shrunk))


def _weighted_gaussians(X: FloatArray, responsibilities: FloatArray, first: IntArray) -> Gaussians:
    """Estimate means and covariances weighted by responsibilities (n_samples, n_gaussians)."""
    totals = responsibilities.sum(axis=0)
    means = responsibilities.T @ X / totals[:, None]
    pairs = zip(responsibilities.T, means, strict=True)
    covariances = np.stack([_weighted_covariance(X, weights, mean) for weights, mean in pairs])
    return Gaussians(means, covariances, totals, first)


def _weighted_covariance(X: FloatArray, weights: FloatArray, mean: FloatArray) -> FloatArray:
    members = weights > 0
    offsets = X[members] - mean
    covariance: FloatArray = (offsets * weights[members, None]).T @ offsets / weights.sum()
    return covariance


@dataclass(frozen=True, eq=False)
class KernelPlane:
    """Kernel densities in one plane."""

    classes: ClassDensities

    def log_densities(self, points: FloatArray) -> FloatArray:
        """Compute logarithms at points (n_points, n_components), shape (n_points, n_classes)."""
        logs: FloatArray = self.classes.log_densities(points)
        return logs


@dataclass(frozen=True, eq=False)
class KernelDensities:
    """Kernel class densities that can be projected onto any plane; see `DensityModel`.

    The time of an evaluation is proportional to the square of the number of rows.

    Attributes
    ----------
    rows : ndarray of shape (n_samples, n_features)
    members : tuple of ndarray
        Indices of the rows of each class.
    classes : ClassDensities
    """

    rows: FloatArray
    members: tuple[IntArray, ...]
    classes: ClassDensities

    def project(self, components: FloatArray) -> ProjectedKernels:
        """See `DensityModel`."""
        return ProjectedKernels(self, components)

    def in_plane(self, components: FloatArray) -> KernelPlane:
        """See `DensityModel`."""
        return KernelPlane(self.classes.project(components))


class ProjectedKernels:
    """Kernel class densities at their rows; see `ProjectedDensities`."""

    def __init__(self, densities: KernelDensities, components: FloatArray) -> None:
        self._whole = densities
        self._components = components
        self._plane = densities.classes.project(components)
        self._points = densities.rows @ components.T
        # Always by direct sums, because the derivatives are sums over pairs in any case.
        self.log_values: FloatArray = self._plane.log_densities(self._points, engine="direct")

    def pull_back(self, weights: FloatArray) -> FloatArray:
        """See `ProjectedDensities`."""
        by_points = np.zeros_like(self._points)
        gradient = np.zeros_like(self._components)
        for code, members in enumerate(self._whole.members):
            by_class, by_rows, by_covariance = self._of_class(code, weights[:, code])
            by_points += by_class
            by_points[members] += by_rows
            spread = self._components @ self._whole.classes.covariances[code]
            gradient += 2.0 * by_covariance @ spread
        return gradient + by_points.T @ self._whole.rows

    def _of_class(
        self, code: int, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Compute derivatives by the points, by the rows of the class and by its kernel.

        With q_ij the share of row j in the density at point i times the weight
        of point i, all three are sums over q_ij and w = z_i - z_j.
        """
        rows, covariance = self._plane.rows[code], self._plane.covariances[code]
        root, log_norm = inverse_root(covariance)
        precision = root @ root.T
        to_rows, totals = np.empty_like(self._points), np.zeros(len(rows))
        to_points = np.zeros_like(rows)
        offsets = self.log_values[:, code] - log_norm + np.log(len(rows))
        for block, shares in _shares(self._points @ root, rows @ root, offsets):
            shares *= weights[block, None]
            to_rows[block] = shares @ rows
            to_points += shares.T @ self._points[block]
            totals += shares.sum(axis=0)
        pulls = weights[:, None] * self._points - to_rows  # sum_j q_ij w
        pushes = to_points - totals[:, None] * rows  # sum_i q_ij w
        moment = self._points.T @ pulls - rows.T @ pushes  # sum_ij q_ij w w'
        by_covariance = 0.5 * (precision @ moment @ precision - weights.sum() * precision)
        return -pulls @ precision, pushes @ precision, by_covariance


def kernels_per_class(
    X: FloatArray, y: IntArray, *, n_components: int, gamma: float
) -> KernelDensities:
    """Estimate the kernel densities of MELM, see `melm_core.density.kernel_density`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes-1, each with at least two rows.
    n_components : int
        Dimension of the plane.
    gamma : float
        Width of the kernels relative to Silverman's rule.
    """
    members = tuple(np.flatnonzero(y == code) for code in range(int(y.max()) + 1))
    classes = kernel_classes(X, y, n_components=n_components, gamma=gamma, shrinkage="auto")
    return KernelDensities(X, members, classes)


def _shares(u: FloatArray, v: FloatArray, logs: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
    """Yield blocks of exp(-|u_i - v_j|^2 / 2 - logs_i)."""
    for block, exponents in exponent_blocks(u, v):
        exponents -= logs[block, None]
        yield block, np.exp(exponents, out=exponents)
