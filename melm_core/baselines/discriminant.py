"""Fisher's linear discriminants (LDA)."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import SHRINKAGES, check_shrinkage
from melm_core.baselines.shrunken_discriminants import shrunken_discriminants
from melm_core.density.covariances import Shrinkage, within_class_whitening
from melm_core.linalg.class_moments import class_means, class_totals
from melm_core.linalg.equivalent_rows import MomentPlaneEstimator
from melm_core.linalg.informed_planes import complete, fisher_discriminants
from melm_core.linalg.planes import orthonormalize


class DiscriminantPlane(MomentPlaneEstimator):
    """Fisher's linear discriminants, completed to a plane if there are too few.

    C classes have at most C - 1 discriminants. For two classes, the second
    axis is the first principal component of the residuals.

    Parameters
    ----------
    n_components : int, default=2
    shrinkage : float in [0, 1], "auto" or "ledoit-wolf", default=0
        "auto" and "ledoit-wolf" shrink the covariances of the features, within the classes and
        between their means, and leave the variances as they are (regularized LDA), as "auto" of
        scikit-learn's LDA does. It helps where there are few rows for the features. A number,
        which `MELM` has too, mixes the pooled covariance into those of the classes; that leaves
        the pooled one, and this plane, as it is.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows, the discriminants first.
    n_discriminants_ : int
        Number of rows that are discriminants.
    mean_ : ndarray of shape (n_features,)
    classes_ : ndarray of shape (n_classes,)
    within_shrinkage_ : ndarray of shape (n_classes,)
        Share s_c by which the rule reduced the covariances within each class; 0 otherwise.
    between_shrinkage_ : float
        Share t by which it reduced those of the class means; 0 otherwise.

    Notes
    -----
    Fisher's discriminants maximize v'Bv / v'Wv, the variance of the class means over the variance
    within the classes (Rao, 1948). Regularized, with the covariances W_c of the classes,

        W = sum_c N_c / N ((1 - s_c) W_c + s_c diag(W_c)),    B becomes (1 - t) B + t diag(B).

    `melm_core.baselines.shrunken_discriminants` has the rules for s_c and t. Scikit-learn's
    ``LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto")`` shrinks W in much the same way
    and takes for B the shrunken total covariance less W, which implies a similar t.

    - In the training rows the classes of a wide table lie apart in this plane, whether or not they
      differ. Judge it by held-out rows.
    - t near 1 means that the rows do not determine how features act together. The
      discriminants then follow the features that differ most by themselves, one or a few. A
      large loading says "among the strongest here", not "the others are irrelevant": other rows
      may put another feature of the same strength first.
    - Classes that differ slightly in many features at once lose by a large t,
      features that separate only in combination by a large s_c; compare with `shrinkage=0`
      and with `PLSDiscriminantPlane`.
    - The regularized plane follows the scale of each feature, but not rotations of the features.

    References
    ----------
    R. A. Fisher: The Use of Multiple Measurements in Taxonomic Problems, 1936.
    C. R. Rao: The Utilization of Multiple Measurements in Problems of
    Biological Classification, 1948.
    J. H. Friedman: Regularized Discriminant Analysis, Journal of the American Statistical
    Association 84, 1989.
    J. Schäfer, K. Strimmer: A Shrinkage Approach to Large-Scale Covariance Matrix Estimation,
    Statistical Applications in Genetics and Molecular Biology 4, 2005, article 32.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import DiscriminantPlane
    >>> X, y = load_iris(return_X_y=True)
    >>> plane = DiscriminantPlane().fit(X, y)
    >>> plane.n_discriminants_
    2

    Two of 60 features differ between two classes of 15 rows:

    >>> import numpy as np
    >>> y = np.arange(30) % 2
    >>> X = np.random.default_rng(0).standard_normal((30, 60))
    >>> X[:, [3, 8]] += 3.0 * y[:, None]
    >>> plane = DiscriminantPlane(shrinkage="ledoit-wolf").fit(X, y)
    >>> np.sort(np.abs(plane.components_[0]).argsort()[-2:]), plane.between_shrinkage_ > 0.9
    (array([3, 8]), True)
    """

    def __init__(self, n_components: int = 2, *, shrinkage: Shrinkage = 0.0) -> None:
        self.n_components = n_components
        self.shrinkage = shrinkage

    def _check_parameters(self) -> None:
        check_shrinkage(self.shrinkage)

    def _fit_weighted(self, X: FloatArray, y: IntArray, weights: FloatArray | None) -> None:
        centered = X - self.mean_
        if self.shrinkage in SHRINKAGES:
            shrunken = shrunken_discriminants(centered, y, self.n_components, weights)
            directions = shrunken.directions
            self.within_shrinkage_, self.between_shrinkage_ = shrunken.within, shrunken.between
        else:
            whitener = within_class_whitening(centered, y, weights=weights)
            white = centered @ whitener
            moments = class_means(white, y, weights), class_totals(y, weights)
            directions = fisher_discriminants(*moments, self.n_components) @ whitener.T
            self.within_shrinkage_, self.between_shrinkage_ = np.zeros(int(y.max()) + 1), 0.0
        self.n_discriminants_ = len(directions)
        if len(directions):
            directions = orthonormalize(directions)
        self.components_ = complete(directions, centered, self.n_components, weights)
