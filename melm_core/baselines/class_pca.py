"""Principal components of the classes instead of the whole data.

The three comparison methods that the authors of MELM wrote themselves
(Czarnecki, Józefowicz and Tabor, 2015, section 5, footnotes 6 to 8).
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import SupervisedPlaneEstimator, check_n_components
from melm_core.linalg.class_moments import class_covariances, rows_by_class
from melm_core.linalg.completion import plane_through, separating_constants
from melm_core.linalg.row_space import row_space


class _ClassCovariancePlane(SupervisedPlaneEstimator):
    """A plane that follows from the rows, the class covariances and the class sizes."""

    def __init__(self, n_components: int = 2) -> None:
        self.n_components = n_components

    def fit(self, X: Any, y: Any) -> Self:
        """Find the plane.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes, each with at least two rows.

        Raises
        ------
        ValueError
            If the data or n_components break a rule; the message names both.
        """
        X, y = self._validate_labelled(X, y)
        check_n_components(self.n_components, X.shape[1])
        centred = X - self.mean_
        space = row_space(centred, self.n_components)
        directions = np.vstack(
            [separating_constants(X, y), space.lift(self._directions(space.rows, y))]
        )
        self.components_, self.n_class_axes_ = plane_through(directions, centred, self.n_components)
        return self

    def _directions(self, X: FloatArray, y: IntArray) -> FloatArray:
        """Directions in their order, shape (n_directions, n_features)."""
        raise NotImplementedError


class ClassPCA(_ClassCovariancePlane):
    """Principal directions of the class covariances, weighted by class size (cPCA).

    The sum over classes of N_c cov_c, that is, the principal components of the
    rows about the means of their classes: the spread between the classes does
    not count. Any number of classes. Where the classes vary along fewer
    directions than n_components, the principal directions of what is left of
    the data complete the plane.

    Parameters
    ----------
    n_components : int, default=2

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, the largest variance within the classes first.
    n_class_axes_ : int
        Rows that the classes give; the others complete the plane.
    mean_ : ndarray of shape (n_features,)
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    W. M. Czarnecki, R. Józefowicz, J. Tabor: Maximum Entropy Linear Manifold
    for Learning Discriminative Low-dimensional Representation, ECML PKDD 2015,
    footnote 6.
    """

    def _directions(self, X: FloatArray, y: IntArray) -> FloatArray:
        covariances = class_covariances(rows_by_class(X, y))
        scatters = np.bincount(y)[:, None, None] * covariances
        return _principal_axes(scatters.sum(axis=0))[1]


class BalancedClassPCA(_ClassCovariancePlane):
    """Principal directions of the unweighted sum of the class covariances (2ePCA).

    For two classes the two-ellipsoid PCA of the paper; more classes are summed
    in the same way, so that a class counts the same however many rows it has.
    Where the classes vary along fewer directions than n_components, the
    principal directions of what is left of the data complete the plane.

    Parameters
    ----------
    n_components : int, default=2

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, the largest variance first.
    n_class_axes_ : int
        Rows that the classes give; the others complete the plane.
    mean_ : ndarray of shape (n_features,)
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    As for `ClassPCA`, footnote 7.
    """

    def _directions(self, X: FloatArray, y: IntArray) -> FloatArray:
        return _principal_axes(class_covariances(rows_by_class(X, y)).sum(axis=0))[1]


class PerClassPCA(_ClassCovariancePlane):
    """The plane of the classes' own first principal components (pPCA).

    With as many classes as components, two for a plane, axis i is the first
    principal component of class i, as in the paper. With more classes than
    components, the classes whose first component takes the largest share of
    their variance come first and the others are left out. With fewer, the
    second components of the classes follow the first, again by their shares,
    then the third. A direction in the span of those before it is passed over,
    and where none is left the principal directions of what remains of the data
    complete the plane.

    The axes of two classes need not be orthogonal: `components_` spans the
    same plane, its first row along the first of them.

    Parameters
    ----------
    n_components : int, default=2

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    n_class_axes_ : int
        Rows that the classes give; the others complete the plane.
    mean_ : ndarray of shape (n_features,)
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    As for `ClassPCA`, footnote 8.
    """

    def _directions(self, X: FloatArray, y: IntArray) -> FloatArray:
        axes, ranks, shares = [], [], []
        for covariance in class_covariances(rows_by_class(X, y)):
            variances, directions = _principal_axes(covariance)
            kept = slice(self.n_components)
            axes.append(directions[kept])
            ranks.append(np.arange(len(variances))[kept])
            shares.append((variances / variances.sum())[kept])
        order = np.lexsort((-np.concatenate(shares), np.concatenate(ranks)))
        ordered: FloatArray = np.concatenate(axes)[order]
        return ordered


def _principal_axes(covariance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Variances, descending, and axes as rows; those without variance are left out."""
    variances, axes = np.linalg.eigh(covariance)
    negligible = len(variances) * np.finfo(np.float64).eps * max(variances[-1], 0.0)
    kept = np.flatnonzero(variances > negligible)[::-1]
    return variances[kept], axes.T[kept]
