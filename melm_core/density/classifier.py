"""Classification by the kernel densities of the classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from melm_core.base.array_types import FloatArray
from melm_core.base.block_sources import share_equal
from melm_core.base.errors import UserError
from melm_core.base.estimator import (
    check_positive,
    check_shrinkage,
    rows_as_fitted,
    validate_weighted,
)
from melm_core.base.row_blocks import is_lazy, lazy_array
from melm_core.density.class_densities import ClassDensities
from melm_core.density.class_rules import DensityRule
from melm_core.density.covariances import Shrinkage
from melm_core.density.kernel_density import kernel_classes

_THRESHOLD_GRID = 2_001
_BEYOND_WIDTHS = 4.0
# Farther than so many widths from all rows, kernels say little of the classes of a rule.
_BEYOND_WIDTHS_OF_RULE = 2.0


class ClassDensityPrediction:
    """Prediction of the class with the largest density, assuming equal priors.

    What is predicted for a Dask collection is a Dask array, not computed yet.

    Subclasses set `classes_` and implement `_densities_at`.
    """

    classes_: npt.NDArray[Any]

    def _densities_at(self, X: Any) -> tuple[ClassDensities | DensityRule, Any]:
        """The class densities, and the points at which rows have them; Dask's of Dask's."""
        raise NotImplementedError

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class with the largest density, shape (n_samples,)."""
        densities, points = self._densities_at(X)  # refused before a fit
        labels: npt.NDArray[Any] = _mapped(_labels, points, densities, self.classes_)
        return labels

    def predict_proba(self, X: Any) -> FloatArray:
        """Compute posterior probabilities under equal priors, shape (n_samples, n_classes)."""
        densities, points = self._densities_at(X)
        shares: FloatArray = _mapped(_shares, points, densities)
        return shares

    def score_samples(self, X: Any) -> FloatArray:
        """Compute the logarithm of the mean class density in nats, shape (n_samples,)."""
        densities, points = self._densities_at(X)
        means: FloatArray = _mapped(_log_means, points, densities)
        return means

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Compute the share of the rows whose class is predicted, as in scikit-learn.

        Parameters
        ----------
        X : array-like or Dask collection of shape (n_samples, n_features)
        y : array-like or Dask collection of shape (n_samples,)
            With the partitions of X.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Of rows in memory.
        """
        if not is_lazy(X):
            return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))
        if sample_weight is not None:
            raise UserError("sample_weight needs the rows in memory, and X is a Dask collection.")
        return share_equal(self.predict(X), y)


class ClassDensityMixin(ClassDensityPrediction, ClassifierMixin):
    """A classifier of scikit-learn that predicts by `ClassDensityPrediction`."""


def _mapped(function: Callable[..., Any], points: Any, *arguments: Any) -> Any:
    """Map a function of points and other arguments block by block if the points are lazy."""
    if not is_lazy(points):
        return function(points, *arguments)
    probe = function(np.zeros((1, points.shape[1])), *arguments)
    shape = {"drop_axis": 1} if probe.ndim == 1 else {"chunks": (points.chunks[0], probe.shape[1:])}
    return points.map_blocks(function, *arguments, dtype=probe.dtype, **shape)


def _labels(
    points: FloatArray, densities: ClassDensities | DensityRule, classes: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    labels: npt.NDArray[Any] = classes[densities.most_likely(points)]
    return labels


def _shares(points: FloatArray, densities: ClassDensities | DensityRule) -> FloatArray:
    return density_shares(densities.log_densities(points))


def _log_means(points: FloatArray, densities: ClassDensities | DensityRule) -> FloatArray:
    return log_mean_density(densities.log_densities(points))


class KernelDensityClassifier(ClassDensityMixin, BaseEstimator):
    """Classifier by the largest kernel density, assuming equal class priors.

    The kernels are those of the Cauchy-Schwarz divergence: covariance
    h_c^2 cov_c with the bandwidth h_c of Silverman's rule times gamma.

    Parameters
    ----------
    gamma : float, default=1.0
        Kernel width relative to Silverman's rule.
    shrinkage : float in [0, 1] or "auto", default="auto"
        Weight of the pooled covariance in each class covariance.

    Attributes
    ----------
    kernel_classes_ : ClassDensities
        Rows and kernel of each class.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    W. M. Czarnecki, R. Józefowicz, J. Tabor: Maximum Entropy Linear Manifold
    for Learning Discriminative Low-dimensional Representation, ECML PKDD 2015,
    section 3.

    Examples
    --------
    >>> from melm_core import KernelDensityClassifier
    >>> from melm_core.datasets import crescents
    >>> X, y = crescents(0)
    >>> classifier = KernelDensityClassifier(gamma=0.5).fit(X, y)
    >>> classifier.predict([[0.0, 1.0], [1.0, -0.5]])
    array([0, 1])
    """

    def __init__(self, gamma: float = 1.0, *, shrinkage: Shrinkage = "auto") -> None:
        self.gamma = gamma
        self.shrinkage = shrinkage

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows and the kernel of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes, each with at least two rows.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts, not necessarily a whole number; None for once.

        Raises
        ------
        ValueError
            If a parameter or the data are invalid.
        """
        rows = validate_weighted(self, X, y, sample_weight)
        check_positive("gamma", self.gamma)
        check_shrinkage(self.shrinkage)
        self.kernel_classes_: ClassDensities = kernel_classes(
            rows.X,
            rows.y,
            n_components=rows.X.shape[1],
            gamma=self.gamma,
            shrinkage=self.shrinkage,
            weights=rows.weights,
        )
        return self

    def _densities_at(self, X: Any) -> tuple[ClassDensities, Any]:
        check_is_fitted(self)
        X = lazy_array(X, self.n_features_in_) if is_lazy(X) else rows_as_fitted(self, X)
        return self.kernel_classes_, X


def density_shares(logs: FloatArray) -> FloatArray:
    """Divide each density by their sum, from their logarithms (n_samples, n_classes)."""
    densities = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares: FloatArray = densities / densities.sum(axis=1, keepdims=True)
    return shares


def log_mean_density(logs: FloatArray) -> FloatArray:
    """Compute the log of the mean density from log densities (n_samples, n_classes)."""
    mean: FloatArray = np.logaddexp.reduce(logs, axis=1) - np.log(logs.shape[1])
    return mean


def class_thresholds(densities: ClassDensities | DensityRule) -> FloatArray:
    """Thresholds of a one-dimensional projection at which the predicted class changes.

    The thresholds of the Multithreshold Entropy Linear Classifier (MELC).

    Parameters
    ----------
    densities : ClassDensities or DensityRule
        Projected onto one component.

    Returns
    -------
    ndarray of shape (n_thresholds,)
        Ascending, in units of the projection.
    """
    log_densities: Callable[[FloatArray], FloatArray]
    if isinstance(densities, DensityRule):
        classes, log_densities = densities.classes, densities.log_mixtures
        n_widths = _BEYOND_WIDTHS_OF_RULE
    else:
        classes, log_densities, n_widths = densities, densities.log_densities, _BEYOND_WIDTHS
    lowest, highest = classes.ends
    margin = n_widths * float(np.sqrt(classes.covariances.max()))
    grid = np.linspace(lowest - margin, highest + margin, _THRESHOLD_GRID)
    best = log_densities(grid[:, None]).argmax(axis=1)
    changes = np.flatnonzero(np.diff(best))
    crossings = (_crossing(log_densities, grid[i : i + 2], best[i : i + 2]) for i in changes)
    return np.array([x for x in crossings if x is not None])


def _crossing(
    log_densities: Callable[[FloatArray], FloatArray],
    interval: FloatArray,
    codes: npt.NDArray[np.intp],
) -> float | None:
    """Find where two densities cross; None if they differ only by rounding, on one side of 0."""

    def difference(x: float) -> float:
        logs = log_densities(np.array([[x]]))[0, codes]
        return float(logs[0] - logs[1])

    left, right = map(difference, interval)
    return None if left * right > 0 else float(brentq(difference, *interval))
