"""Principal components of the class covariances instead of the total covariance.

Three baselines defined by the authors of MELM (Czarnecki, Józefowicz and Tabor,
2015, section 5, footnotes 6 to 8). No covariance is inverted, so none is regularized. Features
that are constant within the classes and separate them come first.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_choice
from melm_core.linalg.class_moments import (
    class_covariances,
    class_totals,
    rows_by_class,
    weights_by_class,
)
from melm_core.linalg.informed_planes import plane_through, separating_constants
from melm_core.linalg.smaller_tables import MomentPlaneEstimator, row_space


class _ClassCovariancePlane(MomentPlaneEstimator):
    """A plane determined by the class covariances."""

    def __init__(self, n_components: int = 2) -> None:
        self.n_components = n_components

    def _fit_weighted(self, X: FloatArray, y: IntArray, weights: FloatArray | None) -> None:
        centered = X - self.mean_
        space = row_space(centered, self.n_components)
        covariances = class_covariances(rows_by_class(space.rows, y), weights_by_class(weights, y))
        axes = self._directions(covariances, class_totals(y, weights))
        directions = np.vstack([separating_constants(X, y), space.lift(axes)])
        self.components_, self.n_class_axes_ = plane_through(
            directions, centered, self.n_components, weights
        )

    def _directions(self, covariances: FloatArray, totals: FloatArray) -> FloatArray:
        """Compute directions in order of priority, shape (n_directions, n_features).

        From the class covariances and the numbers of rows, or sums of their weights.
        """
        raise NotImplementedError


class ClassPCAPlane(_ClassCovariancePlane):
    """Principal directions of the sum of the class covariances (cPCA, 2ePCA).

    Weighted by class size, they are the eigenvectors of the sum over classes of
    N_c cov_c, that is, the principal components of the rows centered at the means
    of their classes: variance between the classes is ignored. Unweighted, all
    classes count the same, however many rows they have; for two classes, this is
    the two-ellipsoid PCA of the paper. If the classes vary along fewer directions
    than n_components, principal components of the residuals complete the plane.

    Parameters
    ----------
    n_components : int, default=2
    class_weight : "balanced" or None, default=None
        "balanced" for the unweighted sum; None for classes weighted by their size.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, by descending variance within the classes.
    n_class_axes_ : int
        Number of rows that come from the class covariances.
    mean_ : ndarray of shape (n_features,)
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    W. M. Czarnecki, R. Józefowicz, J. Tabor: Maximum Entropy Linear Manifold
    for Learning Discriminative Low-dimensional Representation, ECML PKDD 2015,
    footnotes 6 and 7.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import ClassPCAPlane
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = ClassPCAPlane(class_weight="balanced").fit(X, y)
    >>> plane.components_.shape
    (2, 4)
    """

    def __init__(
        self, n_components: int = 2, *, class_weight: Literal["balanced"] | None = None
    ) -> None:
        super().__init__(n_components)
        self.class_weight = class_weight

    def _check_parameters(self) -> None:
        if self.class_weight is not None:
            check_choice("class_weight", self.class_weight, ("balanced",))

    def _directions(self, covariances: FloatArray, totals: FloatArray) -> FloatArray:
        factors = totals if self.class_weight is None else np.ones(len(totals))
        return _principal_axes((factors[:, None, None] * covariances).sum(axis=0))[1]


class PerClassPCAPlane(_ClassCovariancePlane):
    """The plane spanned by the first principal component of each class (pPCA).

    With as many classes as components, axis i is the first principal component
    of class i, as in the paper. With more classes, those whose first component
    explains the largest share of their variance are used. With fewer, the
    second principal components follow, ordered by the share of variance they
    explain, then the third. Directions in the span of earlier ones are
    skipped. If too few remain, principal components of the residuals complete
    the plane.

    The principal components of different classes need not be orthogonal:
    `components_` spans the same plane, and its first row is the first of them.

    Parameters
    ----------
    n_components : int, default=2

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    n_class_axes_ : int
        Number of rows that come from the class covariances.
    mean_ : ndarray of shape (n_features,)
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    As for `ClassPCAPlane`, footnote 8.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import PerClassPCAPlane
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = PerClassPCAPlane().fit(X, y)
    >>> plane.components_.shape
    (2, 4)
    """

    def _directions(self, covariances: FloatArray, totals: FloatArray) -> FloatArray:
        axes, ranks, shares = [], [], []
        largest = float(np.trace(covariances, axis1=1, axis2=2).max())
        for covariance in covariances:
            variances, directions = _principal_axes(covariance, largest)
            leading = slice(self.n_components)
            axes.append(directions[leading])
            ranks.append(np.arange(len(variances))[leading])
            shares.append((variances / variances.sum())[leading])
        order = np.lexsort((-np.concatenate(shares), np.concatenate(ranks)))
        ordered: FloatArray = np.concatenate(axes)[order]
        return ordered


def _principal_axes(covariance: FloatArray, largest: float = 0.0) -> tuple[FloatArray, FloatArray]:
    """Return positive variances, descending, and their axes as rows.

    `largest` is the variance of the widest class: rounded rows of a class that does
    not vary are no wider than that class times the precision.
    """
    variances, axes = np.linalg.eigh(covariance)
    precision = len(variances) * np.finfo(np.float64).eps
    negligible = max(precision * variances[-1], precision**2 * largest)
    positive = np.flatnonzero(variances > negligible)[::-1]
    return variances[positive], axes.T[positive]
