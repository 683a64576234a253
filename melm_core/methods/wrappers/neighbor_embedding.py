"""t-SNE and UMAP, with and without labels, as nonlinear projections that also place new rows."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from importlib import import_module
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.manifold import TSNE
from sklearn.neighbors import KNeighborsRegressor
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_integer, check_positive, rows_as_fitted
from melm_core.base.thread_pools import one_thread_each
from melm_core.base.validated_data import validate_data

_N_NEIGHBORS = 5  # between which a new row is placed

# A perplexity of a third of the rows is the most for which the neighbors are not all other rows.
_ROWS_PER_PERPLEXITY = 3
_MOST_COMPONENTS = 3  # of the Barnes-Hut approximation
_FEWEST_STEPS = 250  # scikit-learn's early exaggeration takes as many

_FEWEST_OTHERS = 2  # neighbors of a row that umap-learn needs
_NO_UMAP = 'UMAP needs umap-learn: pip install "melm-core[umap]".'


class NeighborEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, ABC):
    """A map that keeps rows close to their neighbors: what t-SNE and UMAP share.

    Only the rows that the map is fitted to have coordinates of their own; any other row is placed
    at the mean of the five embedded rows nearest to it, weighted by the inverse of their distances,
    and an embedded row where it was embedded. So the place of a row does not depend on the rows
    that are placed with it.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_embedded, n_components)
        Coordinates of the embedded rows.
    sample_indices_ : ndarray of shape (n_embedded,)
        Which training rows are embedded, ascending.
    """

    n_components: int
    max_rows: int
    random_state: int

    def fit(self, X: Any, y: Any = None) -> Self:
        """Embed the rows, or a sample of them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels; ignored by methods that do not use them.

        Raises
        ------
        ValueError
            If a parameter or the data are invalid.
        """
        X = self._checked(X)
        labels = self._labels(y, len(X))
        self.sample_indices_ = self._sample(len(X))
        rows = X[self.sample_indices_]
        with one_thread_each():  # the order of sums, and so the picture, depends on the number
            coordinates = self._embedded(
                rows, None if labels is None else labels[self.sample_indices_]
            )
        return self._keep(rows, coordinates.astype(np.float64))

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
        >>> from melm_core.methods.wrappers.neighbor_embedding import TSNEProjection
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
        X = rows_as_fitted(self, X)
        placed: FloatArray = self._placement.predict(X)
        return placed

    @abstractmethod
    def _embedded(self, rows: FloatArray, labels: IntArray | None) -> FloatArray:
        """Coordinates of rows by the method itself."""

    def _labels(self, y: Any, n_rows: int) -> IntArray | None:
        """Class codes for the method; None of one that ignores the labels."""
        return None

    @abstractmethod
    def _check_parameters(self) -> None:
        """Refuse parameters of the method that break a rule."""

    @property
    def _n_features_out(self) -> int:
        return self.n_components

    def _checked(self, X: Any) -> FloatArray:
        checked: FloatArray = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        check_integer("n_components", self.n_components, minimum=1)
        check_integer("max_rows", self.max_rows, minimum=4)
        self._check_parameters()
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


class TSNEProjection(NeighborEmbedding):
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
    >>> from melm_core.methods.wrappers.neighbor_embedding import TSNEProjection
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

    def _embedded(self, rows: FloatArray, labels: IntArray | None) -> FloatArray:
        search = TSNE(
            self.n_components,
            perplexity=min(self.perplexity, len(rows) / _ROWS_PER_PERPLEXITY),
            max_iter=self.max_iter,
            init="pca" if _is_spread(rows, self.n_components) else "random",
            random_state=self.random_state,
        )
        embedding: FloatArray = search.fit_transform(rows)
        self.n_iter_ = search.n_iter_ + 1
        return embedding

    def _check_parameters(self) -> None:
        if self.n_components > _MOST_COMPONENTS:
            raise UserError(
                f"n_components={self.n_components} exceeds the {_MOST_COMPONENTS} that t-SNE can "
                "have. Choose fewer components."
            )
        check_positive("perplexity", self.perplexity)
        check_integer("max_iter", self.max_iter, minimum=_FEWEST_STEPS)


class UMAPProjection(NeighborEmbedding):
    """Uniform manifold approximation and projection (UMAP), which ignores the labels.

    Rows that are close in the features are close in the embedding. Distances between clusters,
    and their sizes and densities, mean nothing. It needs the package umap-learn, which the extra
    `umap` installs; what is placed after `restore` does not. A new row is placed between its
    neighbors as by `TSNEProjection`, not by umap-learn's own transform, which moves a row by the
    rows that are transformed with it.

    Parameters
    ----------
    n_components : int, default=2
        May exceed the number of features.
    n_neighbors : int, default=15
        Number of neighbors that a row is kept close to, at most all other rows.
    min_dist : float, default=0.1
        How close rows may lie in the embedding, from 0 to 1.
    max_rows : int, default=4000
        Of larger data, a random sample of this many rows is embedded, and the others are placed.
        Up to 4,095 rows, umap-learn finds the neighbors exactly.
    random_state : int, default=0

    Attributes
    ----------
    embedding_ : ndarray of shape (n_embedded, n_components)
        Coordinates of the embedded rows.
    sample_indices_ : ndarray of shape (n_embedded,)
        Which training rows are embedded, ascending.

    References
    ----------
    L. McInnes, J. Healy, J. Melville: UMAP: Uniform Manifold Approximation and Projection for
    Dimension Reduction, arXiv 1802.03426, 2018. A. Coenen, A. Pearce: Understanding UMAP, 2019
    (what distances do not mean).

    Examples
    --------
    >>> from importlib.util import find_spec
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.methods.wrappers.neighbor_embedding import UMAPProjection
    >>> X, _ = load_iris(return_X_y=True)
    >>> if find_spec("umap"):
    ...     assert UMAPProjection().fit(X).transform(X[:2]).shape == (2, 2)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 15,
        min_dist: float = 0.1,
        max_rows: int = 4_000,
        random_state: int = 0,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.min_dist = min_dist
        self.max_rows = max_rows
        self.random_state = random_state

    def _embedded(self, rows: FloatArray, labels: IntArray | None) -> FloatArray:
        try:
            umap = import_module("umap")
        except ImportError:
            raise UserError(_NO_UMAP) from None
        n_others = len(rows) - 1
        if n_others < _FEWEST_OTHERS:
            raise UserError(f"UMAP needs at least 3 rows, and there are {len(rows)}. Add rows.")
        is_ordinary = _is_spread(rows, self.n_components) and n_others > self.n_components + 1
        search = umap.UMAP(
            n_neighbors=min(self.n_neighbors, n_others),
            n_components=self.n_components,
            min_dist=self.min_dist,
            init="spectral" if is_ordinary else "random",
            random_state=self.random_state,
            n_jobs=1,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of numba's compiler, and of rows without neighbors
            embedding: FloatArray = search.fit_transform(rows, labels)
        return embedding

    def _check_parameters(self) -> None:
        check_integer("n_neighbors", self.n_neighbors, minimum=2)
        is_share = isinstance(self.min_dist, Real) and 0 <= self.min_dist <= 1
        if not is_share:
            raise UserError(f"min_dist={self.min_dist!r} must be a number from 0 to 1.")


class SupervisedUMAPProjection(UMAPProjection):
    """UMAP with labels: rows of a class are drawn together, whatever their features say.

    The graph of neighbors is intersected with that of the labels, by umap-learn's weight of one
    half. So the map of the training rows shows classes apart even where the features are noise;
    only rows that were held out tell whether they can be told apart. A new row is placed by its
    features alone, between its neighbors, as by `UMAPProjection`.

    Parameters
    ----------
    n_components, n_neighbors, min_dist, max_rows, random_state
        See `UMAPProjection`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_embedded, n_components)
        Coordinates of the embedded rows.
    sample_indices_ : ndarray of shape (n_embedded,)
        Which training rows are embedded, ascending.

    References
    ----------
    L. McInnes, J. Healy, J. Melville: UMAP: Uniform Manifold Approximation and Projection for
    Dimension Reduction, arXiv 1802.03426, 2018. umap-learn: UMAP for Supervised Dimension Reduction
    and Metric Learning (its documentation).

    Examples
    --------
    >>> from importlib.util import find_spec
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.methods.wrappers.neighbor_embedding import SupervisedUMAPProjection
    >>> X, y = load_iris(return_X_y=True)
    >>> if find_spec("umap"):
    ...     assert SupervisedUMAPProjection().fit(X, y).transform(X[:2]).shape == (2, 2)
    """

    def _labels(self, y: Any, n_rows: int) -> IntArray:
        if y is None:
            raise UserError("UMAP with labels requires y to be passed, but the target y is None.")
        labels = column_or_1d(y, warn=True)
        check_consistent_length(np.empty(n_rows), labels)
        check_classification_targets(labels)
        codes: IntArray = np.unique(labels, return_inverse=True)[1].astype(np.int64)
        return codes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _is_spread(rows: FloatArray, n_components: int) -> bool:
    """Return whether principal components can be the first coordinates."""
    return bool(min(rows.shape) >= n_components and np.ptp(rows, axis=0).any())
