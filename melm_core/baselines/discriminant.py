"""Fisher's linear discriminants (LDA)."""

from __future__ import annotations

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import (
    check_shrinkage,
)
from melm_core.density.covariances import Shrinkage, within_class_whitening
from melm_core.linalg.informed_planes import complete, fisher_discriminants
from melm_core.linalg.moment_estimator import MomentPlaneEstimator
from melm_core.linalg.planes import orthonormalize


class DiscriminantPlane(MomentPlaneEstimator):
    """Fisher's linear discriminants, completed to a plane if there are too few.

    C classes have at most C - 1 discriminants. For two classes, the second
    axis is the first principal component of the residuals.

    Parameters
    ----------
    n_components : int, default=2
    shrinkage : float in [0, 1], "auto" or "ledoit-wolf", default=0
        "ledoit-wolf" regularizes the covariance of each class before they are pooled
        (regularized LDA), which helps where there are few rows for the features; the
        others leave the pooled covariance as it is.

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

    def _check_parameters(self) -> None:
        check_shrinkage(self.shrinkage)

    def _fit_weighted(self, X: FloatArray, y: IntArray, weights: FloatArray | None) -> None:
        centered = X - self.mean_
        whitener = within_class_whitening(centered, y, shrinkage=self.shrinkage, weights=weights)
        discriminants = fisher_discriminants(centered @ whitener, y, self.n_components, weights)
        self.n_discriminants_ = len(discriminants)
        found = discriminants @ whitener.T
        if len(found):
            found = orthonormalize(found)
        self.components_ = complete(found, centered, self.n_components, weights)
