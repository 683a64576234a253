"""Class densities in a plane, with the derivatives that the posterior objective needs.

Three families: one Gaussian a class (the paper's), a Gaussian mixture a class,
and the kernel densities of MELM. Each gives the logarithms of its densities
at its own rows, and pulls derivatives by these back to the components.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density.kernel_density import pooled_covariance, whitening
from melm_core.density.shrinkage import covariance_of_means, variance_of_means

Density: TypeAlias = Literal["gaussian", "mixture", "kde"]
DENSITIES: tuple[Density, ...] = ("gaussian", "mixture", "kde")

# A class whose variance in some direction, relative to the pooled one, is below the first has
# none there to working precision, as every class with fewer rows than directions. It is mixed
# with the pooled covariance until the smallest is the second: about 3 % of the pooled width.
NO_RELATIVE_VARIANCE = 1e-8
LIFTED_RELATIVE_VARIANCE = 1e-3

# Added to the variances of a mixture while it is fitted, to rows of about unit variance.
_MIXTURE_FLOOR = 1e-3

_LOG_TWO_PI = float(np.log(2.0 * np.pi))


class PlaneDensities(Protocol):
    """The class densities in one plane, for any points of it."""

    def log_densities(self, points: FloatArray) -> FloatArray:
        """Logarithms at points (n_points, n_components), shape (n_points, n_classes)."""


class ProjectedDensities(Protocol):
    """The class densities in one plane, at the rows they were made of.

    Attributes
    ----------
    log_values : ndarray of shape (n_samples, n_classes)
    """

    log_values: FloatArray

    def pull_back(self, weights: FloatArray) -> FloatArray:
        """Derivative by the components of the sum of weights times log_values.

        Parameters
        ----------
        weights : ndarray of shape (n_samples, n_classes)

        Returns
        -------
        ndarray of shape (n_components, n_features)
        """


class ClassDensities(Protocol):
    """Class densities that follow their rows into any plane."""

    def at(self, components: FloatArray) -> ProjectedDensities:
        """Project onto `components` (n_components, n_features), of full rank."""

    def in_plane(self, components: FloatArray) -> PlaneDensities:
        """What is needed to evaluate the densities elsewhere in the plane."""


@dataclass(frozen=True, eq=False)
class FramedDensities:
    """Class densities of a plane in the coordinates of another frame of it.

    The frame they were found in is the better conditioned one, so they stay in it.

    Attributes
    ----------
    densities : PlaneDensities
    turn : ndarray of shape (n_components, n_components)
        The components of `densities` are this times those of the frame.
    """

    densities: PlaneDensities
    turn: FloatArray

    def log_densities(self, points: FloatArray) -> FloatArray:
        """Logarithms at points (n_points, n_components), shape (n_points, n_classes)."""
        stretch = float(np.linalg.slogdet(self.turn)[1])
        return self.densities.log_densities(points @ self.turn.T) + stretch


@dataclass(frozen=True, eq=False)
class Gaussians:
    """Weighted Gaussians, one or several a class.

    Attributes
    ----------
    means : ndarray of shape (n_gaussians, n_features)
    covariances : ndarray of shape (n_gaussians, n_features, n_features)
    totals : ndarray of shape (n_gaussians,)
        Rows of each; not whole numbers where a row belongs to several.
    first : ndarray of shape (n_classes,)
        Index of the first Gaussian of each class; those of a class are neighbours.
    """

    means: FloatArray
    covariances: FloatArray
    totals: FloatArray
    first: IntArray

    def project(self, components: FloatArray) -> Gaussians:
        """The same Gaussians in the plane of `components` (n_components, n_features)."""
        return Gaussians(
            self.means @ components.T,
            components @ self.covariances @ components.T,
            self.totals,
            self.first,
        )

    def log_densities(self, points: FloatArray) -> FloatArray:
        """Logarithms of the class densities at the points, shape (n_points, n_classes)."""
        offsets = points - self.means[:, None]  # (n_gaussians, n_points, n_features)
        precisions: FloatArray = np.asarray(np.linalg.inv(self.covariances), dtype=np.float64)
        logs, _ = self.log_terms(offsets, precisions)
        return self.gather(logs)

    def log_terms(
        self, offsets: FloatArray, precisions: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Logarithms of share times density (n_points, n_gaussians), and offsets @ precisions.

        Parameters
        ----------
        offsets : ndarray of shape (n_gaussians, n_points, n_features)
            Points less the means.
        precisions : ndarray of shape (n_gaussians, n_features, n_features)
        """
        pulled = offsets @ precisions
        squares = np.einsum("gni,gni->ng", offsets, pulled)
        log_det = np.linalg.slogdet(self.covariances)[1] + offsets.shape[2] * _LOG_TWO_PI
        return self.log_shares() - 0.5 * (log_det + squares), pulled

    def gather(self, logs: FloatArray) -> FloatArray:
        """Logarithms of the sums over the Gaussians of each class."""
        if len(self.first) == len(self.means):
            return logs
        return np.logaddexp.reduceat(logs, self.first, axis=1)

    def log_shares(self) -> FloatArray:
        """Logarithm of the share of each Gaussian within its class, shape (n_gaussians,)."""
        of_class = np.add.reduceat(self.totals, self.first)
        log_shares: FloatArray = np.log(self.totals / of_class[self.owners()])
        return log_shares

    def owners(self) -> IntArray:
        """Class of each Gaussian, shape (n_gaussians,)."""
        sizes = np.diff(np.append(self.first, len(self.means)))
        return np.repeat(np.arange(len(self.first)), sizes)


@dataclass(frozen=True, eq=False)
class GaussianDensities:
    """Gaussian class densities that follow their rows; see `ClassDensities`.

    Attributes
    ----------
    rows : ndarray of shape (n_samples, n_features)
    gaussians : Gaussians
    """

    rows: FloatArray
    gaussians: Gaussians

    def at(self, components: FloatArray) -> ProjectedGaussians:
        """See `ClassDensities`."""
        return ProjectedGaussians(self, components)

    def in_plane(self, components: FloatArray) -> Gaussians:
        """See `ClassDensities`."""
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
        """See `ProjectedDensities`; the matrix form of section 4.1's gradient.

        With V = Sigma^-1 (z - mu) a row and a Gaussian, its weighted sums over
        the rows take the place of the paper's loop over planes of rotation.
        """
        weights = self._by_gaussian(weights)  # (n_samples, n_gaussians)
        drawn = weights.T[:, :, None] * self._pulled  # (n_gaussians, n_samples, m)
        by_spread = self._pulled.transpose(0, 2, 1) @ drawn
        by_spread -= weights.sum(axis=0)[:, None, None] * self._precisions
        gradient: FloatArray = (
            np.einsum("gij,gjn->in", by_spread, self._spread)
            + drawn.sum(axis=1).T @ self._whole.means
            - drawn.sum(axis=0).T @ self._rows
        )
        return gradient

    def _by_gaussian(self, weights: FloatArray) -> FloatArray:
        if weights.shape[1] == self._terms.shape[1]:
            return weights
        owners = self._whole.owners()
        shares: FloatArray = np.exp(self._terms - self.log_values[:, owners])
        return weights[:, owners] * shares


def one_gaussian_a_class(X: FloatArray, y: IntArray) -> GaussianDensities:
    """Gaussians of maximum likelihood, divisor n_j (section 3.1).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes-1.
    """
    belonging = np.eye(int(y.max()) + 1)[y]
    return GaussianDensities(X, _weighted_gaussians(X, belonging, np.arange(belonging.shape[1])))


def mixture_a_class(
    X: FloatArray, y: IntArray, *, n_components: int, n_mixture: int, random_state: int
) -> GaussianDensities:
    """Gaussian mixtures, fitted by EM to each class in all directions at once.

    A mixture seen in a plane is a mixture with the same shares, so the fit is
    made once and the search for the plane keeps it.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Whitened rows, or at least of like scale.
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes-1.
    n_components : int
        Dimension of the plane: a Gaussian needs one row more.
    n_mixture : int
        Gaussians a class; fewer where the class has too few rows.
    random_state : int
        Seed of the EM's first guess.
    """
    belonging, sizes = [], []
    for code in range(int(y.max()) + 1):
        members = y == code
        most = max(1, min(n_mixture, int(members.sum()) // (n_components + 1)))
        shares = _shares_of_gaussians(X[members], most, n_components, random_state)
        block = np.zeros((len(y), shares.shape[1]))
        block[members] = shares
        belonging.append(block)
        sizes.append(shares.shape[1])
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return GaussianDensities(X, _weighted_gaussians(X, np.hstack(belonging), first))


def _shares_of_gaussians(
    rows: FloatArray, most: int, n_components: int, random_state: int
) -> FloatArray:
    """Share of each Gaussian in each row; as many as have more than n_components rows each."""
    for size in range(most, 1, -1):
        shares = _fitted_shares(rows, size, random_state)
        if (shares.sum(axis=0) > n_components).all():
            return shares
    return np.ones((len(rows), 1))


def _fitted_shares(rows: FloatArray, size: int, random_state: int) -> FloatArray:
    mixture = GaussianMixture(size, reg_covar=_MIXTURE_FLOOR, random_state=random_state)
    with warnings.catch_warnings():
        # A mixture that has not settled, or rows that are all alike, still give shares.
        warnings.simplefilter("ignore", ConvergenceWarning)
        shares: FloatArray = mixture.fit(rows).predict_proba(rows)
    return shares


def lift_flat(densities: GaussianDensities) -> GaussianDensities:
    """Mix a little of the pooled covariance into Gaussians that are flat in some direction.

    Without it a class with fewer rows than directions would have an unbounded
    density along some line, and that line would win. The others stay as they are.

    Parameters
    ----------
    densities : GaussianDensities
        Of rows that vary within the classes in every direction, or whose class means differ
        where they do not.
    """
    gaussians = densities.gaussians
    covariances = gaussians.covariances
    pooled = pooled_covariance(covariances, gaussians.totals.tolist())
    of_means = variance_of_means(pooled, covariance_of_means(gaussians.means, gaussians.totals))
    covariances, pooled = covariances + of_means, pooled + of_means
    whitener = whitening(pooled)
    smallest = np.linalg.eigvalsh(whitener.T @ covariances @ whitener)[:, 0]
    shares = np.where(smallest < NO_RELATIVE_VARIANCE, LIFTED_RELATIVE_VARIANCE, 0.0)
    lifted = covariances + shares[:, None, None] * (pooled - covariances)
    return replace(densities, gaussians=replace(gaussians, covariances=lifted))


def _weighted_gaussians(X: FloatArray, belonging: FloatArray, first: IntArray) -> Gaussians:
    """Means and covariances under weights (n_samples, n_gaussians) of the rows."""
    totals = belonging.sum(axis=0)
    means = belonging.T @ X / totals[:, None]
    pairs = zip(belonging.T, means, strict=True)
    covariances = np.stack([_weighted_covariance(X, weights, mean) for weights, mean in pairs])
    return Gaussians(means, covariances, totals, first)


def _weighted_covariance(X: FloatArray, weights: FloatArray, mean: FloatArray) -> FloatArray:
    members = weights > 0
    offsets = X[members] - mean
    covariance: FloatArray = (offsets * weights[members, None]).T @ offsets / weights.sum()
    return covariance
