"""Directions of the largest ratio of signal to noise: one quotient, five classical methods.

Every member maximizes v'Sv / v'Nv and differs in the symmetric matrices S and
N only (GEM, section 3 and Table 1):

    pca           S = E[xx']            N = 1
    vca           S = 1                 N = E[xx']
    fisher_lda    S = Cov E[x|y]        N = E Cov[x|y]
    sir           S = Cov E[x|y]        N = E[xx']
    oriented_pca  S = E[xx']            N = any noise that matters, E[zz']

with x about its mean. Sliced inverse regression whitens x and takes the second
moment of the class means, which is the quotient above in the coordinates of x.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from scipy.linalg import eigh
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import (
    SupervisedPlaneEstimator,
    check_choice,
    check_class_sizes,
    check_n_components,
)
from melm_core.density.kernel_density import whitening
from melm_core.linalg.class_moments import class_means
from melm_core.linalg.completion import independent_rows
from melm_core.linalg.informed_planes import complete
from melm_core.linalg.second_moments import centred_rows, square_sum

Member: TypeAlias = Literal["pca", "vca", "fisher_lda", "sir", "oriented_pca"]
Moment: TypeAlias = Callable[[FloatArray, IntArray], FloatArray]

# Ratios below this share of the largest belong to directions without any signal.
_NO_SIGNAL = 1e-10


def signal_noise_directions(
    X: Any, y: Any, member: Member, *, noise: Any = None
) -> tuple[FloatArray, FloatArray]:
    """Directions of the largest ratio of signal to noise, and their ratios.

    Directions without any noise have no ratio and are left out.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two or more classes, each with at least two rows; "pca" and
        "vca" do not look at them.
    member : "pca", "vca", "fisher_lda", "sir" or "oriented_pca"
    noise : array-like of shape (n_features, n_features), default=None
        Covariance of the noise, for "oriented_pca" only. By default that of
        independent errors in the features, as large as the features vary
        within the classes.

    Returns
    -------
    ratios : ndarray of shape (n_directions,)
        Descending.
    vectors : ndarray of shape (n_features, n_directions)
        Columns with V'NV = 1.

    Raises
    ------
    ValueError
        If the member is unknown, the labels hold one class, or the noise is
        not a covariance of the features.
    """
    check_choice("member", member, tuple(MEMBERS))
    X, y = check_X_y(X, y, dtype=np.float64, ensure_min_samples=2)
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    check_class_sizes(classes, codes)
    return _directions(centred_rows(X), codes, member, noise)


class SignalNoisePlane(SupervisedPlaneEstimator):
    """Plane of the directions with the largest ratio of signal to noise.

    Where a member has too few directions with a signal, as Fisher's has for
    few classes, principal directions of what they leave complete the plane.

    Parameters
    ----------
    n_components : int, default=2
    member : "pca", "vca", "fisher_lda", "sir" or "oriented_pca", default="pca"
        Which signal and noise, see `melm_core.baselines.signal_noise`.
    noise : array-like of shape (n_features, n_features), default=None
        Covariance of the noise, for "oriented_pca" only. By default that of
        independent errors in the features, as large as the features vary
        within the classes.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows; the first m span the m first directions.
    ratios_ : ndarray of shape (n_directions_,)
        Signal to noise of the directions, descending.
    n_directions_ : int
        Rows that stand for directions; the others complete the plane.
    mean_ : ndarray of shape (n_features,)
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, equation 4 and Table 1.
    """

    def __init__(self, n_components: int = 2, *, member: Member = "pca", noise: Any = None) -> None:
        self.n_components = n_components
        self.member = member
        self.noise = noise

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
            If a parameter or the data break a rule; the message names both.
        """
        X, y = self._validate_labelled(X, y)
        check_n_components(self.n_components, X.shape[1])
        check_choice("member", self.member, tuple(MEMBERS))
        centered = centred_rows(X)
        ratios, vectors = _directions(centered, y, self.member, self.noise)
        with_signal = ratios > _NO_SIGNAL * ratios.max(initial=0.0)
        found, kept = independent_rows(vectors.T[with_signal], self.n_components)
        self.n_directions_ = len(found)
        self.ratios_ = ratios[with_signal][kept]
        self.components_ = complete(found, centered, self.n_components)
        return self


def total_covariance(centered: FloatArray) -> FloatArray:
    """E[xx'] of centered rows."""
    moment: FloatArray = square_sum(centered) / len(centered)
    return moment


def between_class_covariance(centered: FloatArray, codes: IntArray) -> FloatArray:
    """Cov E[x|y]: the covariance of the class means, classes weighted by their rows."""
    return total_covariance(class_means(centered, codes)[codes])


def within_class_covariance(centered: FloatArray, codes: IntArray) -> FloatArray:
    """E Cov[x|y]: the mean covariance within the classes, weighted by their rows."""
    return total_covariance(centered - class_means(centered, codes)[codes])


def independent_noise(centered: FloatArray, codes: IntArray) -> FloatArray:
    """Variance of each feature within the classes, as a diagonal covariance."""
    return np.diag(np.diag(within_class_covariance(centered, codes)))


# Signal and noise of each member, from centered rows and class codes.
MEMBERS: Mapping[Member, tuple[Moment, Moment]] = MappingProxyType(
    {
        "pca": (lambda x, _: total_covariance(x), lambda x, _: np.eye(x.shape[1])),
        "vca": (lambda x, _: np.eye(x.shape[1]), lambda x, _: total_covariance(x)),
        "fisher_lda": (between_class_covariance, within_class_covariance),
        "sir": (between_class_covariance, lambda x, _: total_covariance(x)),
        "oriented_pca": (
            lambda x, _: total_covariance(x),
            independent_noise,
        ),
    }
)


def _directions(
    centered: FloatArray, codes: IntArray, member: Member, noise: Any
) -> tuple[FloatArray, FloatArray]:
    signal_of, noise_of = MEMBERS[member]
    if noise is None:
        noise = noise_of(centered, codes)
    else:
        noise = _checked_noise(noise, member, centered.shape[1])
    whitener = whitening(noise)  # (n_features, rank)
    signal = signal_of(centered, codes)
    if whitener.shape[1] == 0:
        return np.empty(0), whitener
    ratios, turned = eigh(whitener.T @ signal @ whitener)
    return np.maximum(ratios[::-1], 0.0), whitener @ turned[:, ::-1]


def _checked_noise(noise: Any, member: Member, n_features: int) -> FloatArray:
    if member != "oriented_pca":
        raise UserError(f"noise is for 'oriented_pca' only; {member!r} has a noise of its own.")
    covariance: FloatArray = np.asarray(noise, dtype=np.float64)
    if covariance.shape != (n_features, n_features):
        raise UserError(
            f"noise has the shape {covariance.shape}; a covariance of {n_features} feature(s) has "
            f"the shape ({n_features}, {n_features})."
        )
    variances = (
        np.linalg.eigvalsh(covariance) if np.isfinite(covariance).all() else np.array([np.nan])
    )
    if not np.allclose(covariance, covariance.T) or not variances[0] >= -_NO_SIGNAL * variances[-1]:
        raise UserError(
            "noise must be a covariance: symmetric, finite and without negative variances."
        )
    return covariance
