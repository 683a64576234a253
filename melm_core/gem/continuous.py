"""GEM for continuous and vector targets, and for very many classes (section 5).

Each is contracted to a few numbers, of which each is cut into bins that `GEM` takes for classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.utils.multiclass import check_classification_targets

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_integer, check_magnitudes, rows_as_fitted
from melm_core.base.validated_data import validate_data
from melm_core.gem.estimator import GEM

# Singular values of the target below this fraction of the largest are rounding errors.
_NEGLIGIBLE = 1e-10
_NEARLY = 1.0 - 1e-6


class _BinnedGEM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """GEM on the bins of numbers that a target is contracted to."""

    edges_: list[FloatArray]
    gems_: list[GEM]

    def __init__(
        self,
        *,
        n_bins: int = 4,
        n_contractions: int = 2,
        gamma: float = 0.05,
        n_directions: int = 10,
        theta: float = 1.5,
        alphas: Sequence[float] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_bins = n_bins
        self.n_contractions = n_contractions
        self.gamma = gamma
        self.n_directions = n_directions
        self.theta = theta
        self.alphas = alphas
        self.n_jobs = n_jobs

    def transform(self, X: Any) -> FloatArray:
        """Features of every contracted target, one after the other.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
        """
        X = rows_as_fitted(self, X)
        return np.hstack([gem.transform(X) for gem in self.gems_])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @property
    def _n_features_out(self) -> int:
        return sum(len(gem.get_feature_names_out()) for gem in self.gems_)

    def _check_parameters(self) -> None:
        check_integer("n_bins", self.n_bins, minimum=2)
        check_integer("n_contractions", self.n_contractions, minimum=1)

    def _fit_bins(self, X: FloatArray, contracted: FloatArray) -> Self:
        """Cut each column of `contracted`, of shape (n_samples, n_contracted), and fit its bins."""
        self.edges_, self.gems_ = [], []
        for numbers in contracted.T:
            edges, bins = quantile_bins(numbers, self.n_bins)
            gem = GEM(
                gamma=self.gamma,
                n_directions=self.n_directions,
                theta=self.theta,
                alphas=self.alphas,
                n_jobs=self.n_jobs,
            )
            self.edges_.append(edges)
            self.gems_.append(gem.fit(X, bins))
        return self


class ContinuousGEM(_BinnedGEM):
    """Projections onto generalized eigenvectors that tell apart low and high values of a target.

    A vector target is contracted to numbers: its scores on the leading principal axes of its
    standardized columns, which the paper leaves open. Each is cut into quantile bins, and `GEM`
    takes the bins for classes; they serve the directions alone, and the regression that
    follows sees the target itself.

    Parameters
    ----------
    n_bins : int, default=4
        Bins of about equally many rows; fewer if many values are equal.
    n_contractions : int, default=2
        Most principal axes of a vector target; a target of one column has one.
    gamma, n_directions, theta, alphas, n_jobs
        See `GEM`; `n_directions` is of each ordered pair of bins.

    Attributes
    ----------
    contractions_ : ndarray of shape (n_contracted, n_targets)
        Each row, times the target, is a number that is cut into bins.
    edges_ : list of ndarray of shape (n_bins - 1,)
        Where each contracted target is cut.
    gems_ : list of GEM
        Fitted to the bins of each contracted target.

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, section 5.

    Examples
    --------
    The target depends on the size of a projection, which no linear regression sees:

    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from melm_core import ContinuousGEM
    >>> X = np.random.default_rng(0).normal(size=(600, 5))
    >>> y = np.abs(X @ [1.0, -1.0, 0.0, 0.0, 1.0])
    >>> model = make_pipeline(ContinuousGEM(n_directions=1, alphas=(1, 2, 3)), Ridge())
    >>> print(f"{Ridge().fit(X, y).score(X, y):.2f} {model.fit(X, y).score(X, y):.1f}")
    0.00 1.0
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Numbers.

        Raises
        ------
        ValueError
            If a parameter or the data are invalid, or the target is constant.
        """
        self._check_parameters()
        X, y = validate_data(
            self, X, y, dtype=np.float64, ensure_min_samples=2, multi_output=True, y_numeric=True
        )
        targets = np.asarray(y, dtype=np.float64).reshape(len(X), -1)
        self.contractions_ = contractions(targets, self.n_contractions)
        return self._fit_bins(X, targets @ self.contractions_.T)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class ManyClassGEM(_BinnedGEM):
    """GEM for so many classes that their pairs are too many, such as a thousand.

    The classes are contracted to numbers: the coordinates of their means on the leading
    discriminant axes, which the paper leaves open. The classes in one bin of such a coordinate
    share a second moment, so that there are n_contractions n_bins (n_bins - 1) eigenvalue problems
    whatever the number of classes. Classes of equal means are not told apart by it; for such, the
    pairs of a hypercube (`GEM(pairs="hypercube")`) are about k log2 k.

    Parameters
    ----------
    n_bins : int, default=4
        Bins of about equally many rows, each of whole classes.
    n_contractions : int, default=2
        Most discriminant axes.
    gamma, n_directions, theta, alphas, n_jobs
        See `GEM`; `n_directions` is of each ordered pair of bins.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    contractions_ : ndarray of shape (n_contracted, n_classes)
        In each row, the number that each class is contracted to.
    edges_ : list of ndarray of shape (n_bins - 1,)
        Where each row of contractions is cut.
    gems_ : list of GEM
        Fitted to the bins of each.

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core import ManyClassGEM
    >>> stream = np.random.default_rng(0)
    >>> y = np.repeat(np.arange(1000), 5)
    >>> X = stream.normal(size=(1000, 8))[y] + 0.2 * stream.normal(size=(5000, 8))
    >>> gem = ManyClassGEM(n_directions=1).fit(X, y)
    >>> gem.contractions_.shape, [len(edges) for edges in gem.edges_]
    ((2, 1000), [3, 3])
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes.

        Raises
        ------
        ValueError
            If a parameter or the data are invalid.
        """
        self._check_parameters()
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_magnitudes(X)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise UserError(
                f"The labels hold only one class ({self.classes_.tolist()[0]!r}), and GEM "
                "separates classes; give rows of at least two classes."
            )
        discriminant = LinearDiscriminantAnalysis(n_components=None).fit(X, codes)
        coordinates = discriminant.transform(discriminant.means_)[:, : self.n_contractions]
        self.contractions_ = np.ascontiguousarray(coordinates.T)
        return self._fit_bins(X, coordinates[codes])


def contractions(targets: FloatArray, n_contractions: int) -> FloatArray:
    """Vectors that contract a target to numbers: principal axes of its standardized columns.

    Parameters
    ----------
    targets : ndarray of shape (n_samples, n_targets)
    n_contractions : int
        Most vectors; there are fewer where the target has a smaller rank.

    Returns
    -------
    ndarray of shape (n_contracted, n_targets)

    Raises
    ------
    ValueError
        If the target is constant.
    """
    # A constant column has no width up to rounding errors of its mean.
    widths = targets.std(axis=0)
    is_varying = np.ptp(targets, axis=0) > 0
    if not is_varying.any():
        raise UserError(
            "The target y is constant, so no direction tells its values apart; pass one that "
            "varies, or leave the step out."
        )
    scales = np.where(is_varying, 1.0 / np.where(is_varying, widths, 1.0), 0.0)
    centered = (targets - targets.mean(axis=0)) * scales
    _, sizes, axes = np.linalg.svd(centered, full_matrices=False)
    n_kept = min(n_contractions, int(np.sum(sizes > _NEGLIGIBLE * sizes[0])))
    # The sign of an axis is arbitrary: the first of its largest entries, equal up to rounding
    # errors if there are two columns, is positive.
    kept = axes[:n_kept]
    sizes_of_entries = np.abs(kept)
    is_largest = sizes_of_entries >= _NEARLY * sizes_of_entries.max(axis=1, keepdims=True)
    signs = np.sign(kept[np.arange(n_kept), is_largest.argmax(axis=1)])
    result: FloatArray = kept * signs[:, None] * scales
    return result


def quantile_bins(values: FloatArray, n_bins: int) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """Cut numbers into bins of about equally many.

    Parameters
    ----------
    values : ndarray of shape (n_samples,)
        Not all equal.
    n_bins : int

    Returns
    -------
    edges : ndarray
        Ascending; at most n_bins - 1, without those that would leave a bin empty.
    bins : ndarray of shape (n_samples,)
        Number of the bin of each value, from 0; an edge belongs to the bin above.
    """
    edges = np.unique(
        np.quantile(values, np.arange(1, n_bins) / n_bins, method="closest_observation")
    )
    edges = edges[edges > values.min()]
    if not len(edges):
        # More than half of the values are the smallest: they against the rest.
        edges = np.array([values[values > values.min()].min()])
    bins: IntArray = np.searchsorted(edges, values, side="right").astype(np.int64)
    return edges, bins
