"""Kernel Fisher discriminant with a Gaussian kernel (Mika and others, 1999)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import check_integer, check_positive, validate_labelled
from melm_core.baselines.kernel_space import Bandwidth, KernelSpace, sampled_space
from melm_core.density.gaussian_sums import gaussian_sums
from melm_core.linalg.class_moments import class_means

# Discriminants that explain less than this share of their own variance by the
# class are rounding.
NULL_DISCRIMINANT = 1e-12


class KernelFisherDiscriminant(
    ClassNamePrefixFeaturesOutMixin, ClassifierMixin, TransformerMixin, BaseEstimator
):
    """Functions that separate the class means most, in the feature space of a Gaussian kernel.

    Fisher's discriminants of the rows after the map into feature space, with a
    multiple of the identity added to the covariance within the classes. As
    functions of x they are f(x) = sum_i w_i exp(-|x - c_i|^2 / (2 sigma^2)) + b.
    Their unit is the regularized standard deviation within the classes, their
    origin the mean of the class means, so that a row belongs to the class
    whose mean is nearest: priors are ignored.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of discriminants, at most one less than classes; None for all.
    bandwidth : float or "median", default="median"
        sigma, in units of the data; "median" is the median distance between
        two rows.
    bandwidth_scale : float, default=1.0
        Multiplies `bandwidth`.
    regularization : float, default=1e-3
        What is added to the covariance within the classes, as a share of the
        total variance in feature space.
    max_rows : int, default=1500
        Time grows with the third power of the number of rows; more rows than
        this are represented by a stratified sample.

    Attributes
    ----------
    X_fit_ : ndarray of shape (n_centers, n_features)
        Centers c_i: the rows it was fitted on.
    dual_coef_ : ndarray of shape (n_components, n_centers)
        Weights w_i of each discriminant; zeros where the classes no longer differ.
    intercept_ : ndarray of shape (n_components,)
        b. For two classes the decision threshold is at f(x) = 0.
    bandwidth_ : float
        sigma.
    class_means_ : ndarray of shape (n_classes, n_components)
        Mean discriminants of each class.
    n_discriminants_ : int
        Rows of `dual_coef_` that are not zero.
    sample_indices_ : ndarray of shape (n_centers,)
        Which rows it was fitted on: all of them up to `max_rows`.
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    S. Mika, G. Rätsch, J. Weston, B. Schölkopf, K.-R. Müller: Fisher
    Discriminant Analysis with Kernels, Neural Networks for Signal Processing
    IX, 1999.
    G. Baudat, F. Anouar: Generalized Discriminant Analysis Using a Kernel
    Approach, Neural Computation 12, 2000.
    """

    classes_: npt.NDArray[Any]

    def __init__(
        self,
        n_components: int | None = None,
        *,
        bandwidth: Bandwidth = "median",
        bandwidth_scale: float = 1.0,
        regularization: float = 1e-3,
        max_rows: int = 1_500,
    ) -> None:
        self.n_components = n_components
        self.bandwidth = bandwidth
        self.bandwidth_scale = bandwidth_scale
        self.regularization = regularization
        self.max_rows = max_rows

    def fit(self, X: Any, y: Any) -> Self:
        """Find the discriminants.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes, each with at least two rows.

        Raises
        ------
        ValueError
            If a parameter or the data break a rule; the message names both.
        """
        X, codes = validate_labelled(self, X, y)
        n_components = self._checked_n_components()
        check_positive("regularization", self.regularization)
        space, self.sample_indices_ = sampled_space(
            X,
            codes,
            bandwidth=self.bandwidth,
            bandwidth_scale=self.bandwidth_scale,
            max_rows=self.max_rows,
        )
        sampled = codes[self.sample_indices_]
        directions = kernel_discriminants(space, sampled, n_components, self.regularization)
        self._keep(space, sampled, directions, n_components)
        return self

    def transform(self, X: Any) -> FloatArray:
        """Values of the discriminants, shape (n_samples, n_components)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        sums = gaussian_sums(X, self.X_fit_, self.bandwidth_, self.dual_coef_.T)
        values: FloatArray = sums + self.intercept_
        return values

    def decision_function(self, X: Any) -> FloatArray:
        """How far each row leans towards a class.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the discriminant f(x), positive on the side of
            `classes_[1]`; for more, -1/2 of the squared distance to each class
            mean.
        """
        values = self.transform(X)
        if len(self.classes_) == 2:
            line: FloatArray = values[:, 0]
            return line
        offsets = values[:, None, :] - self.class_means_  # (n_samples, n_classes, n_components)
        scores: FloatArray = -0.5 * np.square(offsets).sum(axis=2)
        return scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Class of the nearest mean, shape (n_samples,)."""
        scores = self.decision_function(X)
        codes = (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: npt.NDArray[Any] = self.classes_[codes]
        return labels

    @property
    def _n_features_out(self) -> int:
        return len(self.dual_coef_)

    def _checked_n_components(self) -> int:
        most = len(self.classes_) - 1
        if self.n_components is None:
            return most
        check_integer("n_components", self.n_components, minimum=1)
        if self.n_components > most:
            raise UserError(
                f"n_components={self.n_components} exceeds the {most} discriminant(s) that "
                f"{len(self.classes_)} classes have; choose at most {most}, or take "
                "KernelFisherProjection, which completes them."
            )
        return self.n_components

    def _keep(
        self, space: KernelSpace, y: IntArray, directions: FloatArray, n_components: int
    ) -> None:
        means = class_means(space.coordinates, y) @ directions.T  # (n_classes, n_discriminants)
        # The last class lies on the positive side of every discriminant.
        signs = np.where(means[-1] < means.mean(axis=0), -1.0, 1.0)
        weights, intercepts = space.functions(signs[:, None] * directions)
        origin = means.mean(axis=0)
        missing = n_components - len(directions)
        self.n_discriminants_ = len(directions)
        self.X_fit_, self.bandwidth_ = space.centers, space.bandwidth
        self.dual_coef_ = np.pad(weights, ((0, missing), (0, 0)))
        self.intercept_ = np.pad(intercepts - signs * origin, (0, missing))
        self.class_means_ = np.pad(signs * (means - origin), ((0, 0), (0, missing)))


def kernel_discriminants(
    space: KernelSpace, y: IntArray, n_components: int, regularization: float
) -> FloatArray:
    """Fisher's discriminants in feature space, of unit regularized variance within the classes.

    With B = O'O the covariance between the classes and D the total covariance
    plus the ridge, which is diagonal in principal coordinates, the problem
    B w = r (D - B) w is one of C classes: the eigenvectors v of O D^-1 O' give
    w = D^-1 O'v.

    Parameters
    ----------
    space : KernelSpace
    y : ndarray of shape (n_centers,)
        Class codes of its rows.
    n_components : int
        Discriminants at most.
    regularization : float
        Ridge, as a share of the total variance.

    Returns
    -------
    ndarray of shape (n_discriminants, rank)
        The one that separates most first; fewer than n_components where the
        classes do not differ along more directions.
    """
    shares = np.bincount(y) / len(y)
    offsets = np.sqrt(shares)[:, None] * class_means(space.coordinates, y)  # O
    ridged = space.variances + regularization * space.variances.sum()
    explained, axes = np.linalg.eigh((offsets / ridged) @ offsets.T)
    kept = np.flatnonzero(explained > NULL_DISCRIMINANT)[::-1][: min(n_components, len(shares) - 1)]
    # Variance within the classes of D^-1 O'v is g (1 - g) for the eigenvalue g.
    widths = np.sqrt(explained[kept] * np.maximum(1.0 - explained[kept], NULL_DISCRIMINANT))
    directions: FloatArray = (axes.T[kept] @ offsets) / ridged / widths[:, None]
    return directions
