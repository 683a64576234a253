"""t-SNE as a nonlinear projection that also places new rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.manifold import TSNE
from sklearn.neighbors import KNeighborsRegressor
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_integer, check_positive

# A perplexity of a third of the rows is the most for which the neighbors are not all other rows.
_ROWS_PER_PERPLEXITY = 3
_N_NEIGHBORS = 5  # between which a new row is placed
_MOST_COMPONENTS = 3  # of the Barnes-Hut approximation
_FEWEST_STEPS = 250  # scikit-learn's early exaggeration takes as many


class TSNEProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """t-distributed stochastic neighbor embedding (t-SNE), which ignores the labels.

    Rows that are close in the features are close in the embedding. Distances between clusters,
    and their sizes and densities, mean nothing. t-SNE itself defines coordinates of the rows that
    it is fitted to alone; any other row is placed at the mean of the embedded rows nearest to it,
    weighted by the inverse of their distances, and an embedded row where it was embedded.

    Parameters
    ----------
    n_components : int, default=2
        1, 2 or 3; may exceed the number of features.
    perplexity : float, default=30.0
        The effective number of neighbors of a row, at most a third of the embedded rows.
    max_iter : int, default=500
        Number of steps of gradient descent, 250 or more.
    max_rows : int, default=2000
        Of larger data, a random sample of this many rows is embedded, and the others are placed.
    random_state : int, default=0

    Attributes
    ----------
    embedding_ : ndarray of shape (n_embedded, n_components)
        Coordinates of the embedded rows.
    sample_indices_ : ndarray of shape (n_embedded,)
        Which training rows are embedded, ascending.
    n_iter_ : int
        Number of steps made; not after `restore`.

    References
    ----------
    L. van der Maaten, G. Hinton: Visualizing Data using t-SNE, Journal of Machine Learning
    Research 9, 2008. M. Wattenberg, F. Viégas, I. Johnson: How to Use t-SNE Effectively,
    Distill, 2016 (what distances do not mean). P. G. Poličar, M. Stražar, B. Zupan: Embedding to
    Reference t-SNE Space Addresses Batch Effects in Single-Cell Classification, Machine Learning
    112, 2023 (new rows start from such a mean there, and are optimized further).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import TSNEProjection
    >>> X, _ = load_iris(return_X_y=True)
    >>> TSNEProjection(max_iter=250).fit(X).transform(X[:2]).shape
    (2, 2)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        perplexity: float = 30.0,
        max_iter: int = 500,
        max_rows: int = 2_000,
        random_state: int = 0,
    ) -> None:
        self.n_components = n_components
        self.perplexity = perplexity
        self.max_iter = max_iter
        self.max_rows = max_rows
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Embed the rows, or a sample of them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Raises
        ------
        ValueError
            If a parameter or the data are invalid.
        """
        X = self._checked(X)
        self.sample_indices_ = self._sample(len(X))
        rows = X[self.sample_indices_]
        is_spread = min(rows.shape) >= self.n_components and np.ptp(rows, axis=0).any()
        search = TSNE(
            self.n_components,
            perplexity=min(self.perplexity, len(rows) / _ROWS_PER_PERPLEXITY),
            max_iter=self.max_iter,
            init="pca" if is_spread else "random",
            random_state=self.random_state,
        )
        with threadpool_limits(1):  # the order of sums, and so the picture, depends on the number
            coordinates = search.fit_transform(rows).astype(np.float64)
        self.n_iter_ = search.n_iter_ + 1
        return self._keep(rows, coordinates)

    def restore(self, X: Any, embedding: Any) -> Self:
        """Return to a fit whose coordinates were kept, without embedding the rows again.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The training rows of that fit, which had the same parameters.
        embedding : array-like of shape (n_embedded, n_components)
            `embedding_` after it.

        Raises
        ------
        ValueError
            If the coordinates cannot be those of the rows.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from melm_core import TSNEProjection
        >>> X, _ = load_iris(return_X_y=True)
        >>> kept = TSNEProjection(max_iter=250).fit(X).embedding_
        >>> bool((TSNEProjection().restore(X, kept).transform(X[:9]) == kept[:9]).all())
        True
        """
        X = self._checked(X)
        self.sample_indices_ = self._sample(len(X))
        coordinates = np.asarray(embedding, dtype=np.float64)
        expected = (len(self.sample_indices_), self.n_components)
        if coordinates.shape != expected or not np.isfinite(coordinates).all():
            raise UserError(
                f"An embedding of shape {coordinates.shape} does not belong to these rows: it "
                f"must have shape {expected} and finite numbers. Fit the method again."
            )
        return self._keep(X[self.sample_indices_], coordinates)

    def transform(self, X: Any) -> FloatArray:
        """Coordinates of any rows, shape (n_samples, n_components)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        placed: FloatArray = self._placement.predict(X)
        return placed

    @property
    def _n_features_out(self) -> int:
        return self.n_components

    def _checked(self, X: Any) -> FloatArray:
        checked: FloatArray = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        check_integer("n_components", self.n_components, minimum=1)
        if self.n_components > _MOST_COMPONENTS:
            raise UserError(
                f"n_components={self.n_components} exceeds the {_MOST_COMPONENTS} that t-SNE can "
                "have. Choose fewer components."
            )
        check_positive("perplexity", self.perplexity)
        check_integer("max_iter", self.max_iter, minimum=_FEWEST_STEPS)
        check_integer("max_rows", self.max_rows, minimum=4)
        return checked

    def _sample(self, n_rows: int) -> IntArray:
        if n_rows <= self.max_rows:
            return np.arange(n_rows)
        stream = np.random.default_rng(self.random_state)
        return np.sort(stream.choice(n_rows, self.max_rows, replace=False))

    def _keep(self, rows: FloatArray, coordinates: FloatArray) -> Self:
        self.embedding_ = coordinates
        neighbors = KNeighborsRegressor(min(_N_NEIGHBORS, len(rows)), weights="distance")
        self._placement = neighbors.fit(rows, coordinates)
        return self
