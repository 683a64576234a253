"""Planes of scikit-learn's decompositions: principal, independent, common, non-negative.

Principal components are also those of tables larger than memory and of a Gaussian kernel. Each
plane of the others (ICA, FA, NMF) is the span of the directions that scikit-learn's estimator finds
in data space, so the projection onto it is orthogonal, as for all other planes.
"""

from __future__ import annotations

import warnings
from functools import reduce
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.decomposition import NMF, PCA, FactorAnalysis, FastICA
from sklearn.exceptions import ConvergenceWarning

from melm_core.base.array_types import FloatArray
from melm_core.base.block_sources import DaskBlocks, describe
from melm_core.base.estimator import (
    PlaneEstimator,
    check_integer,
    check_magnitudes,
    check_n_components,
    check_positive,
    rows_as_fitted,
)
from melm_core.base.row_blocks import added, class_rows, is_lazy, lazy_array, reduce_rows
from melm_core.base.validated_data import validate_data
from melm_core.baselines.kernel_fisher import Bandwidth, sampled_space
from melm_core.density import gaussian_sums
from melm_core.linalg.class_moments import Moments, covariance_of
from melm_core.linalg.informed_planes import plane_through, standard_units
from melm_core.linalg.smaller_tables import NULL_VARIANCE, offsets_of, row_space

# Separating k sources requires a number of rows proportional to k^2; with fewer, FastICA overfits
# and finds non-Gaussian projections in noise.
_ROWS_PER_SQUARED_SOURCE = 5


class PrincipalComponentsPlane(PCA):
    """The plane of maximum variance, by scikit-learn's PCA.

    A Dask collection larger than memory is fitted in two passes: PCA depends on the mean and the
    covariance of the rows alone, so it is fitted to few rows with the same ones.

    Parameters
    ----------
    n_components : int, default=2

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, by descending variance.
    mean_ : ndarray of shape (n_features,)
        And all other attributes of `sklearn.decomposition.PCA`.

    References
    ----------
    H. Hotelling: Analysis of a Complex of Statistical Variables into Principal Components, 1933.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.methods.wrappers.decompositions import PrincipalComponentsPlane
    >>> X, _ = load_iris(return_X_y=True)
    >>> PrincipalComponentsPlane().fit(X).explained_variance_ratio_.round(2)
    array([0.92, 0.05])
    """

    def __init__(self, n_components: int = 2) -> None:
        # Other solvers lose the variances of data far from the origin.
        super().__init__(n_components, svd_solver="full")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Compute the plane.

        Parameters
        ----------
        X : array-like, sparse matrix or Dask collection of shape (n_samples, n_features)
        y : ignored

        Raises
        ------
        ValueError
            If a parameter or the data are invalid.
        """
        if not is_lazy(X):
            fitted: Self = super().fit(X)
            return fitted
        table = X if hasattr(X, "map_reduce") else DaskBlocks(X)
        moments = reduce(added, reduce_rows(Moments.of, added, class_rows(table)))
        covariance = moments.products / moments.count
        super().fit(offsets_of(covariance, np.sqrt(np.diag(covariance))))
        self._count(moments.count)
        self.mean_ = moments.mean
        describe(self, table, X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit, and the coordinates of the rows; a Dask array of a Dask collection."""
        return self.fit(X).transform(X) if is_lazy(X) else super().fit_transform(X)

    def transform(self, X: Any) -> FloatArray:
        """Coordinates in the plane, shape (n_samples, n_components).

        Parameters
        ----------
        X : array-like, sparse matrix or Dask collection of shape (n_samples, n_features)
            Of a Dask collection they are a Dask array, not computed yet.
        """
        if not is_lazy(X):
            return np.asarray(super().transform(X))
        coordinates: FloatArray = (
            lazy_array(X, self.n_features_in_) - self.mean_
        ) @ self.components_.T
        return coordinates

    def _count(self, n_samples: int) -> None:
        """Variances of so many rows, in place of those of the rows that stand for them."""
        fitted = vars(self)
        n_fitted = fitted["n_samples_"]
        factor = (n_fitted - 1) / n_fitted * n_samples / (n_samples - 1)
        for name in ("explained_variance_", "noise_variance_"):
            setattr(self, name, fitted[name] * factor)
        self.n_samples_ = n_samples
        self.singular_values_ = np.sqrt(fitted["explained_variance_"] * (n_samples - 1))


class KernelPCAProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The leading principal components in the feature space of a Gaussian kernel.

    If feature space has fewer than n_components directions, as for constant
    data, the last coordinates are zero. The labels are ignored.

    Parameters
    ----------
    n_components : int, default=2
        May exceed the number of features.
    bandwidth : float or "median", default="median"
        sigma of exp(-|x - c|^2 / (2 sigma^2)), in units of the data; "median"
        is the median distance between two rows.
    bandwidth_scale : float, default=1.0
        Factor applied to `bandwidth`.
    max_rows : int, default=1500
        Larger data are represented by this many evenly spaced rows, because
        the time is cubic in the number of rows.

    Attributes
    ----------
    X_fit_ : ndarray of shape (n_centers, n_features)
        Centers of the kernels: the training rows or their sample.
    dual_coef_ : ndarray of shape (n_components, n_centers)
    intercept_ : ndarray of shape (n_components,)
        Coordinate i of x is the sum of the kernels at x, weighted by row i of
        `dual_coef_`, plus `intercept_[i]`.
    variances_ : ndarray of shape (n_components,)
        Variances of the coordinates, descending.
    bandwidth_ : float
        sigma.
    sample_indices_ : ndarray of shape (n_centers,)
        Indices of the training rows that are centers.

    References
    ----------
    B. Schölkopf, A. Smola, K.-R. Müller: Nonlinear Component Analysis as a
    Kernel Eigenvalue Problem, Neural Computation 10, 1998.

    Examples
    --------
    >>> from melm_core.methods.wrappers.decompositions import KernelPCAProjection
    >>> from melm_core.datasets import crescents
    >>> X, _ = crescents(0)
    >>> KernelPCAProjection(n_components=3).fit_transform(X).shape
    (300, 3)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        bandwidth: Bandwidth = "median",
        bandwidth_scale: float = 1.0,
        max_rows: int = 1_500,
    ) -> None:
        self.n_components = n_components
        self.bandwidth = bandwidth
        self.bandwidth_scale = bandwidth_scale
        self.max_rows = max_rows

    def fit(self, X: Any, y: Any = None) -> Self:
        """Compute the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Raises
        ------
        ValueError
            If a parameter or the data are invalid.
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        check_integer("n_components", self.n_components, minimum=1)
        one_class = np.zeros(len(X), dtype=np.int64)
        space, self.sample_indices_ = sampled_space(
            X,
            one_class,
            bandwidth=self.bandwidth,
            bandwidth_scale=self.bandwidth_scale,
            max_rows=self.max_rows,
        )
        variances = space.variances[: self.n_components]
        self.variances_ = np.pad(variances, (0, self.n_components - len(variances)))
        self.X_fit_, self.bandwidth_ = space.centers, space.bandwidth
        self.dual_coef_, self.intercept_ = space.coordinates_along(
            np.eye(len(variances), len(space.variances)), self.n_components
        )
        return self

    def transform(self, X: Any) -> FloatArray:
        """Coordinates in feature space, shape (n_samples, n_components)."""
        X = rows_as_fitted(self, X)
        sums: FloatArray = gaussian_sums(X, self.X_fit_, self.bandwidth_, self.dual_coef_.T)
        return sums + self.intercept_

    @property
    def _n_features_out(self) -> int:
        return self.n_components


class _FactorPlane(PlaneEstimator):
    """A plane through directions found by an iterative, unsupervised method."""

    n_components: int
    max_iter: int
    tol: float

    def fit(self, X: Any, y: Any = None) -> Self:
        """Compute the plane.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Raises
        ------
        ValueError
            If a parameter or the data are invalid.
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        check_magnitudes(X)
        check_n_components(self.n_components, X.shape[1])
        check_integer("max_iter", self.max_iter, minimum=1)
        check_positive("tol", self.tol)
        self.mean_ = X.mean(axis=0)
        self.n_iter_, self.converged_ = 0, True
        self.components_, self.n_found_ = plane_through(
            self._directions(X), X - self.mean_, self.n_components
        )
        return self

    def _directions(self, X: FloatArray) -> FloatArray:
        """Directions in order of priority, shape (n_directions, n_features)."""
        raise NotImplementedError

    def _run(self, model: Any, X: FloatArray) -> None:
        """Fit scikit-learn's model and record convergence in place of a warning."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            model.fit(X)
        self.n_iter_ = int(model.n_iter_)
        self.converged_ = not any(issubclass(w.category, ConvergenceWarning) for w in caught)


class IndependentComponentsPlane(_FactorPlane):
    """The plane of the most non-Gaussian independent components (ICA).

    FastICA separates the leading principal components of the data into
    independent sources; the plane is that of the sources with the largest
    negentropy. (With only n_components sources, FastICA merely rotates the
    first principal components, and its plane is that of PCA.) The result does
    not depend on the units of the features.

    Parameters
    ----------
    n_components : int, default=2
    n_sources : int or None, default=None
        Number of sources, at least n_components and at most the rank of the
        data. None for sqrt(n_samples / 5), about as many as the rows support.
    max_iter : int, default=200
    tol : float, default=1e-4
        Change of the unmixing matrix at which the iteration has converged.
    random_state : int, RandomState or None, default=None
        Seed of the initial rotation.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows; the first is the direction of the most non-Gaussian
        source.
    negentropies_ : ndarray of shape (n_sources,)
        Approximate negentropy of every source, descending:
        (E log cosh s - E log cosh g)^2 with a standard normal g.
    n_iter_ : int
    converged_ : bool
        Whether the iteration converged; it may not if sources are Gaussian,
        which have no unique axes.
    n_found_ : int
        Number of rows that are sources; the others are principal components
        of the residuals.
    mean_ : ndarray of shape (n_features,)

    References
    ----------
    A. Hyvärinen: Fast and Robust Fixed-Point Algorithms for Independent
    Component Analysis, IEEE Transactions on Neural Networks 10, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.methods.wrappers.decompositions import IndependentComponentsPlane
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = IndependentComponentsPlane(random_state=0).fit(X, y)
    >>> plane.components_.shape
    (2, 4)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_sources: int | None = None,
        max_iter: int = 200,
        tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_sources = n_sources
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _directions(self, X: FloatArray) -> FloatArray:
        standardized, widths = standard_units(X)
        space = row_space(standardized, self.n_components)
        # By the correlations, so in orthonormal coordinates nothing is left to scale.
        variances, axes = np.linalg.eigh(covariance_of(space.rows))
        varying = variances > NULL_VARIANCE * variances[-1]
        most = self._most_sources(len(X))
        roots = (axes[:, varying] / np.sqrt(variances[varying]))[:, -most:]
        whitener = space.lift_columns(roots) / widths[:, None]
        self.negentropies_ = np.empty(0)
        if whitener.shape[1] == 0:
            return whitener.T
        white = space.rows @ roots
        ica = FastICA(
            whiten=False, max_iter=self.max_iter, tol=self.tol, random_state=self.random_state
        )
        self._run(ica, white)
        strengths = negentropies(white @ ica.components_.T)
        order = np.argsort(-strengths, kind="stable")
        self.negentropies_ = strengths[order]
        unmixing: FloatArray = ica.components_[order] @ whitener.T
        return unmixing

    def _most_sources(self, n_samples: int) -> int:
        if self.n_sources is None:
            supported = int(np.sqrt(n_samples / _ROWS_PER_SQUARED_SOURCE))
            return max(self.n_components, supported)
        check_integer("n_sources", self.n_sources, minimum=self.n_components)
        return self.n_sources


class FactorAnalysisPlane(_FactorPlane):
    """The plane of the common factors (FA): the span of the loadings.

    Every feature is modeled as a combination of n_components factors plus
    independent noise of any variance. Unlike in PCA, noisy features do not
    dominate the plane. The model is fitted to standardized features, which
    does not change the maximum of the likelihood.

    Parameters
    ----------
    n_components : int, default=2
        Number of factors.
    max_iter : int, default=1000
    tol : float, default=1e-6
        Increase of the log-likelihood, in nats per row, at which the iteration
        has converged.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    noise_variance_ : ndarray of shape (n_features,)
        Noise variance of each feature, in squared units of the data.
    n_iter_ : int
    converged_ : bool
    n_found_ : int
        Number of rows that are factors; the others are principal components
        of the residuals.
    mean_ : ndarray of shape (n_features,)

    References
    ----------
    C. Spearman: General Intelligence, Objectively Determined and Measured,
    American Journal of Psychology 15, 1904.
    D. Barber: Bayesian Reasoning and Machine Learning, 2012, algorithm 21.1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.methods.wrappers.decompositions import FactorAnalysisPlane
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = FactorAnalysisPlane().fit(X, y)
    >>> plane.components_.shape
    (2, 4)
    """

    def __init__(self, n_components: int = 2, *, max_iter: int = 1000, tol: float = 1e-6) -> None:
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol

    def _directions(self, X: FloatArray) -> FloatArray:
        standardized, widths = standard_units(X)
        rows = _same_covariance(standardized)
        n_factors = min(self.n_components, _rank(rows))
        self.noise_variance_ = np.zeros(X.shape[1])
        if n_factors == 0:
            return np.empty((0, X.shape[1]))
        # Random numbers are used only for an approximate decomposition; a fixed seed makes the
        # result reproducible.
        model = FactorAnalysis(
            n_factors, max_iter=self.max_iter, tol=self.tol * len(rows), random_state=0
        )
        self._run(model, rows)
        self.noise_variance_ = model.noise_variance_ * widths**2
        loadings: FloatArray = model.components_ * widths
        return loadings


class NonNegativePlane(_FactorPlane):
    """The plane of the factors of a non-negative matrix factorization (NMF).

    Every feature is shifted to a minimum of 0, as in the MELM paper, and the
    rows are approximated by combinations of n_components non-negative parts
    with non-negative weights. The plane is the span of the parts; the
    coordinates of the projection may be negative.

    Parameters
    ----------
    n_components : int, default=2
        Number of parts.
    max_iter : int, default=2000
    tol : float, default=1e-4
        Norm of the projected gradient, relative to the initial one, at which
        the iteration has converged.
    random_state : int, RandomState or None, default=None
        Seed of the approximate decomposition used for initialization.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    parts_ : ndarray of shape (n_parts, n_features)
        Non-negative rows of unit length, at most the rank of the shifted data.
    n_iter_ : int
    converged_ : bool
    n_found_ : int
        Number of rows that come from the parts; the others are principal
        components of the residuals.
    mean_ : ndarray of shape (n_features,)

    References
    ----------
    D. D. Lee, H. S. Seung: Learning the Parts of Objects by Non-negative
    Matrix Factorization, Nature 401, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.methods.wrappers.decompositions import NonNegativePlane
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = NonNegativePlane(random_state=0).fit(X, y)
    >>> plane.components_.shape
    (2, 4)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        max_iter: int = 2000,
        tol: float = 1e-4,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _directions(self, X: FloatArray) -> FloatArray:
        shifted = X - X.min(axis=0)
        n_parts = min(self.n_components, _rank(shifted))
        self.parts_ = np.empty((0, X.shape[1]))
        if n_parts == 0:
            return self.parts_
        model = NMF(
            n_parts,
            init="nndsvda",
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=self.random_state,
        )
        self._run(model, shifted / shifted.max())
        lengths = np.linalg.norm(model.components_, axis=1)
        present = lengths > 0
        self.parts_ = model.components_[present] / lengths[present, None]
        return self.parts_


def negentropies(sources: FloatArray) -> FloatArray:
    """Approximate negentropy of each source, (E log cosh s - E log cosh g)^2.

    Hyvärinen's approximation (1999) with the contrast function of FastICA.

    Parameters
    ----------
    sources : ndarray of shape (n_samples, n_sources)
        With zero mean and unit variance.

    Returns
    -------
    ndarray of shape (n_sources,)
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(64)
    gaussian = weights @ _log_cosh(nodes) / weights.sum()
    gaps: FloatArray = np.square(_log_cosh(sources).mean(axis=0) - gaussian)
    return gaps


def _log_cosh(x: FloatArray) -> FloatArray:
    """Compute log cosh x without overflow at large arguments."""
    logs: FloatArray = np.logaddexp(x, -x) - np.log(2.0)
    return logs


def _same_covariance(centered: FloatArray) -> FloatArray:
    """At most 2 n_features rows of zero mean and the same covariance.

    The likelihood depends on the data only through their covariance, so the
    iterations need not process every row.
    """
    n_samples, n_features = centered.shape
    if n_samples <= 2 * n_features:
        return centered
    root = np.linalg.qr(centered, mode="r") * np.sqrt(n_features / n_samples)
    return np.vstack([root, -root])


def _rank(X: FloatArray) -> int:
    """Number of directions, by the smaller one of X'X and XX'."""
    products = X.T @ X if X.shape[1] <= len(X) else X @ X.T
    return int(np.linalg.matrix_rank(products, hermitian=True))
