"""Fisher's linear discriminants (LDA)."""

from __future__ import annotations

from typing import Any, Self

from melm_core.base.estimator import (
    SupervisedPlaneEstimator,
    check_n_components,
    check_shrinkage,
)
from melm_core.density.shrinkage import Shrinkage
from melm_core.density.whitening import within_class_whitening
from melm_core.linalg.informed_planes import complete, fisher_discriminants
from melm_core.linalg.planes import orthonormalize


class DiscriminantPlane(SupervisedPlaneEstimator):
    """Fisher's linear discriminants, completed to a plane if there are too few.

    C classes have at most C - 1 discriminants. For two classes, the second
    axis is the first principal component of the residuals.

    Parameters
    ----------
    n_components : int, default=2

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, the discriminants first.
    n_discriminants_ : int
        Number of rows that are discriminants.
    mean_ : ndarray of shape (n_features,)
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    R. A. Fisher: The Use of Multiple Measurements in Taxonomic Problems, 1936.
    C. R. Rao: The Utilization of Multiple Measurements in Problems of
    Biological Classification, 1948.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import DiscriminantPlane
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = DiscriminantPlane().fit(X, y)
    >>> plane.n_discriminants_
    2
    """

    def __init__(self, n_components: int = 2, *, shrinkage: Shrinkage = 0.0) -> None:
        self.n_components = n_components
        self.shrinkage = shrinkage

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the plane.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels of two or more classes, each with at least two rows.

        Raises
        ------
        ValueError
            If the data or n_components are invalid.
        """
        X, y = self._validate_labeled(X, y)
        check_n_components(self.n_components, X.shape[1])
        check_shrinkage(self.shrinkage)
        centered = X - self.mean_
        whitener = within_class_whitening(centered, y, shrinkage=self.shrinkage)
        discriminants = fisher_discriminants(centered @ whitener, y, self.n_components)
        self.n_discriminants_ = len(discriminants)
        found = discriminants @ whitener.T
        if len(found):
            found = orthonormalize(found)
        self.components_ = complete(found, centered, self.n_components)
        return self
