"""Planes of independent components, common factors and non-negative parts.

Each spans the directions that scikit-learn's estimator finds in data space, so
the picture is an orthogonal projection like that of every other plane.
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.decomposition import NMF, FactorAnalysis, FastICA
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from melm_core.base.array_types import FloatArray
from melm_core.base.estimator import (
    PlaneEstimator,
    check_integer,
    check_n_components,
    check_positive,
)
from melm_core.density.kernel_density import whitening
from melm_core.linalg.class_moments import covariance_of
from melm_core.linalg.completion import plane_through, standard_units

# Separating k sources takes rows in proportion to k^2; with fewer of them a
# method that looks for non-Gaussian projections finds them in noise.
_ROWS_PER_SQUARED_SOURCE = 5


class _FactorPlane(PlaneEstimator):
    """A plane through directions that an iteration finds without the labels."""

    n_components: int
    max_iter: int
    tol: float

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the plane.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Raises
        ------
        ValueError
            If a parameter or the data break a rule; the message names both.
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
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
        """Directions in their order, shape (n_directions, n_features)."""
        raise NotImplementedError

    def _run(self, model: Any, X: FloatArray) -> None:
        """Fit scikit-learn's model; whether it converged is kept, not warned of."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            model.fit(X)
        self.n_iter_ = int(model.n_iter_)
        self.converged_ = not any(issubclass(w.category, ConvergenceWarning) for w in caught)


class IndependentComponentsPlane(_FactorPlane):
    """The plane of the most non-Gaussian independent components (ICA).

    FastICA separates the data, whitened along their leading principal
    directions, into independent sources; the plane shows the sources of the
    largest negentropy, up to a linear map within it. (FastICA told to find
    only n_components sources rotates the first principal components among
    themselves: its plane is that of PCA.) The result does not depend on the
    units of the features.

    Parameters
    ----------
    n_components : int, default=2
    n_sources : int or None, default=None
        Sources to separate the data into, at least n_components; never more
        than directions in which the data vary. None for as many as the rows
        support, the square root of a fifth of their number.
    max_iter : int, default=200
    tol : float, default=1e-4
        Change of the unmixing matrix below which it has converged.
    random_state : int, RandomState or None, default=None
        Seed of the rotation that the iteration begins with.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows; the first is along the most non-Gaussian source.
    negentropies_ : ndarray of shape (n_sources,)
        Of every source, descending: (E log cosh s - E log cosh g)^2 with a
        standard normal g.
    n_iter_ : int
    converged_ : bool
        Whether the iteration settled; sources that are Gaussian have no axes
        to settle on.
    n_found_ : int
        Rows that are sources; the others complete the plane.
    mean_ : ndarray of shape (n_features,)

    References
    ----------
    A. Hyvärinen: Fast and Robust Fixed-Point Algorithms for Independent
    Component Analysis, IEEE Transactions on Neural Networks 10, 1999.
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
        offsets = X - X[0]
        covariance = covariance_of(offsets)
        # The last columns belong to the largest variances.
        whitener = whitening(covariance)[:, -self._most_sources(len(X)) :]
        self.negentropies_ = np.empty(0)
        if whitener.shape[1] == 0:
            return whitener.T
        white = (offsets - offsets.mean(axis=0)) @ whitener
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

    Every feature is a combination of n_components factors plus noise of its
    own, however strong. Unlike PCA, a feature that is noisy does not attract
    the plane. Fitted in standard units, which leaves the maximum of the
    likelihood where it is.

    Parameters
    ----------
    n_components : int, default=2
        Number of factors.
    max_iter : int, default=1000
    tol : float, default=1e-6
        Increase of the log-likelihood, in nats a row, below which it has
        converged.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    noise_variance_ : ndarray of shape (n_features,)
        Variance of each feature's own noise, in units of the data.
    n_iter_ : int
    converged_ : bool
    n_found_ : int
        Rows that are factors; the others complete the plane.
    mean_ : ndarray of shape (n_features,)

    References
    ----------
    C. Spearman: General Intelligence, Objectively Determined and Measured,
    American Journal of Psychology 15, 1904.
    D. Barber: Bayesian Reasoning and Machine Learning, 2012, algorithm 21.1.
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
        # Its random numbers serve an approximate decomposition only; a fixed
        # seed makes the result a function of the data.
        model = FactorAnalysis(
            n_factors, max_iter=self.max_iter, tol=self.tol * len(rows), random_state=0
        )
        self._run(model, rows)
        self.noise_variance_ = model.noise_variance_ * widths**2
        loadings: FloatArray = model.components_ * widths
        return loadings


class NonNegativePlane(_FactorPlane):
    """The plane of the parts of a non-negative factorization (NMF).

    Every feature is shifted so that its smallest value is 0, as in the MELM
    paper, and the rows are approximated by sums of n_components non-negative
    parts with non-negative weights. The plane is the span of the parts; a
    projection onto it drops the condition on the weights.

    Parameters
    ----------
    n_components : int, default=2
        Number of parts.
    max_iter : int, default=2000
    tol : float, default=1e-4
        Size of the projected gradient, relative to the first one, below which
        it has converged.
    random_state : int, RandomState or None, default=None
        Seed of the approximate decomposition that the iteration begins with.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    parts_ : ndarray of shape (n_parts, n_features)
        Non-negative rows of unit length; no more than the shifted data have rank.
    n_iter_ : int
    converged_ : bool
    n_found_ : int
        Rows that come from the parts; the others complete the plane.
    mean_ : ndarray of shape (n_features,)

    References
    ----------
    D. D. Lee, H. S. Seung: Learning the Parts of Objects by Non-negative
    Matrix Factorization, Nature 401, 1999.
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
    """How far from Gaussian each source is, (E log cosh s - E log cosh g)^2.

    Hyvärinen's approximation (1999) with the contrast that FastICA uses.

    Parameters
    ----------
    sources : ndarray of shape (n_samples, n_sources)
        Of zero mean and unit variance.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(64)
    gaussian = weights @ _log_cosh(nodes) / weights.sum()
    gaps: FloatArray = np.square(_log_cosh(sources).mean(axis=0) - gaussian)
    return gaps


def _log_cosh(x: FloatArray) -> FloatArray:
    """Without overflow at large arguments."""
    logs: FloatArray = np.logaddexp(x, -x) - np.log(2.0)
    return logs


def _same_covariance(centered: FloatArray) -> FloatArray:
    """Rows of zero mean and the same covariance, at most twice as many as features.

    The likelihood of the factors knows the data by their covariance only, so
    an iteration need not touch every row.
    """
    n_samples, n_features = centered.shape
    if n_samples <= 2 * n_features:
        return centered
    root = np.linalg.qr(centered, mode="r") * np.sqrt(n_features / n_samples)
    return np.vstack([root, -root])


def _rank(X: FloatArray) -> int:
    """Number of directions, by the small matrix X'X."""
    return int(np.linalg.matrix_rank(X.T @ X, hermitian=True))
