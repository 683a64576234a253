"""The family of methods that maximize a ratio of signal to noise variance.

Each member maximizes v'Sv / v'Nv with its own symmetric matrices S and N (GEM,
section 3 and Table 1):

    pca           S = E[xx']            N = 1
    vca           S = 1                 N = E[xx']
    fisher_lda    S = Cov E[x|y]        N = E Cov[x|y]
    sir           S = Cov E[x|y]        N = E[xx']
    oriented_pca  S = E[xx']            N = E[zz'] for any noise z

where x is centered. Sliced inverse regression (SIR) whitens x and takes the
second moment of the class means, which is equivalent to the ratio above.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.linalg import eigh
from sklearn.utils import check_X_y
from sklearn.utils.multiclass import check_classification_targets

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.base.estimator import (
    check_choice,
    check_class_sizes,
)
from melm_core.base.sample_weights import deviations_of, mean_of
from melm_core.density.covariances import (
    LEAST_VARIANCE_OF_MEANS,
    inverse_widths,
    variance_of_means,
    whitening,
)
from melm_core.linalg.class_moments import centered_rows, class_means, square_sum
from melm_core.linalg.informed_planes import complete, independent_rows
from melm_core.linalg.planes import with_positive_loadings
from melm_core.linalg.smaller_tables import (
    NULL_VARIANCE,
    MomentPlaneEstimator,
    standardized_row_space,
)

Member: TypeAlias = Literal["pca", "vca", "fisher_lda", "sir", "oriented_pca"]
Weights: TypeAlias = FloatArray | None
Moment: TypeAlias = Callable[[FloatArray, IntArray, FloatArray, Weights], FloatArray]

# Directions with less than this fraction of the largest ratio have no signal.
_NO_SIGNAL = 1e-10


def signal_noise_directions(
    X: Any, y: Any, member: Member, *, noise: Any = None
) -> tuple[FloatArray, FloatArray]:
    """Compute directions of the largest ratios of signal to noise.

    Directions without noise, whose ratio is undefined, are excluded.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two or more classes, each with at least two rows; ignored by
        "pca" and "vca".
    member : "pca", "vca", "fisher_lda", "sir" or "oriented_pca"
    noise : array-like of shape (n_features, n_features), default=None
        Covariance of the noise, for "oriented_pca" only. By default it is
        diagonal, with the within-class variances of the features.

    Returns
    -------
    ratios : ndarray of shape (n_directions,)
        Descending.
    vectors : ndarray of shape (n_features, n_directions)
        Columns with V'NV = 1.

    Raises
    ------
    ValueError
        If the member is unknown, the labels contain only one class, or the
        noise is not a covariance of the features.

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, equation 4 and Table 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core.baselines import signal_noise_directions
    >>> X, y = load_iris(return_X_y=True)
    >>> ratios, vectors = signal_noise_directions(X, y, "fisher_lda")
    >>> print(ratios[:2].round(2))
    [32.19  0.29]
    """
    check_choice("member", member, tuple(MEMBERS))
    X, y = check_X_y(X, y, dtype=np.float64, ensure_min_samples=2)
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    check_class_sizes(classes, codes)
    return _directions(centered_rows(X), codes, member, noise, None)


class SignalNoisePlane(MomentPlaneEstimator):
    """The plane of the directions with the largest ratios of signal to noise.

    If a member has too few directions with a signal, as Fisher's discriminants
    of few classes, principal components of the residuals complete the plane.
    The matrices are not regularized; directions without noise are left out.
    `DiscriminantPlane(shrinkage="ledoit-wolf")` is the regularized form of
    "fisher_lda".

    Parameters
    ----------
    n_components : int, default=2
    member : "pca", "vca", "fisher_lda", "sir" or "oriented_pca", default="pca"
        The signal and noise matrices; see `melm_core.baselines.signal_noise`.
    noise : array-like of shape (n_features, n_features), default=None
        Covariance of the noise, for "oriented_pca" only. By default it is
        diagonal, with the within-class variances of the features.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Orthonormal rows; the first m span the first m directions.
    ratios_ : ndarray of shape (n_directions_,)
        Ratios of signal to noise, descending.
    n_directions_ : int
        Number of rows that come from these directions.
    mean_ : ndarray of shape (n_features,)
    classes_ : ndarray of shape (n_classes,)

    References
    ----------
    N. Karampatziakis, P. Mineiro: Discriminative Features via Generalized
    Eigenvectors, ICML 2014, equation 4 and Table 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import SignalNoisePlane
    >>> X, y = load_iris(return_X_y=True)
    >>> SignalNoisePlane(member="sir").fit(X, y).n_directions_
    2
    """

    def __init__(self, n_components: int = 2, *, member: Member = "pca", noise: Any = None) -> None:
        self.n_components = n_components
        self.member = member
        self.noise = noise

    def _check_parameters(self) -> None:
        check_choice("member", self.member, tuple(MEMBERS))

    def _fit_weighted(self, X: FloatArray, y: IntArray, weights: FloatArray | None) -> None:
        centered = centered_rows(X, weights)
        ratios, vectors = _directions(centered, y, self.member, self.noise, weights)
        with_signal = ratios > _NO_SIGNAL * ratios.max(initial=0.0)
        rows, indices = independent_rows(vectors.T[with_signal], self.n_components)
        self.n_directions_ = len(rows)
        self.ratios_ = ratios[with_signal][indices]
        self.components_ = with_positive_loadings(
            complete(rows, centered, self.n_components, weights)
        )


def total_covariance(centered: FloatArray, weights: Weights = None) -> FloatArray:
    """E[xx'], the covariance of centered rows."""
    total = len(centered) if weights is None else weights.sum()
    moment: FloatArray = square_sum(centered, weights) / total
    return moment


def between_class_covariance(
    centered: FloatArray, codes: IntArray, weights: Weights = None
) -> FloatArray:
    """Cov E[x|y], the covariance of the class means weighted by class size."""
    return total_covariance(class_means(centered, codes, weights)[codes], weights)


def within_class_covariance(
    centered: FloatArray, codes: IntArray, weights: Weights = None
) -> FloatArray:
    """E Cov[x|y]: the mean covariance within the classes, weighted by their rows.

    Not null where the class means differ, see `variance_of_means`.
    """
    offsets = centered - class_means(centered, codes, weights)[codes]
    pooled = total_covariance(offsets, weights)
    return pooled + variance_of_means(pooled, between_class_covariance(centered, codes, weights))


def noise_widths(centered: FloatArray, codes: IntArray, weights: Weights = None) -> FloatArray:
    """Compute the standard deviation of features within the classes, shape (n_features,).

    Where that is zero and the class means differ, a tenth of the deviation of the means.
    """
    means = class_means(centered, codes, weights)[codes]
    parts = (centered - means, means)
    within, of_means = (mean_of(np.square(part), weights) for part in parts)
    is_null = within <= NULL_VARIANCE * (within + of_means)
    widths: FloatArray = np.sqrt(np.where(is_null, LEAST_VARIANCE_OF_MEANS * of_means, within))
    return widths


# Signal and noise of each member, from the coordinates of centered rows, the class codes, the
# moment that makes every direction of unit length count the same, and the weights of the rows.
MEMBERS: Mapping[Member, tuple[Moment, Moment]] = MappingProxyType(
    {
        "pca": (lambda x, _, __, w: total_covariance(x, w), lambda _, __, unit, ___: unit),
        "vca": (lambda _, __, unit, ___: unit, lambda x, _, __, w: total_covariance(x, w)),
        "fisher_lda": (
            lambda x, y, _, w: between_class_covariance(x, y, w),
            lambda x, y, _, w: within_class_covariance(x, y, w),
        ),
        "sir": (
            lambda x, y, _, w: between_class_covariance(x, y, w),
            lambda x, _, __, w: total_covariance(x, w),
        ),
        # Where the noise is not given: in features scaled to unit noise.
        "oriented_pca": (lambda x, _, __, w: total_covariance(x, w), lambda _, __, unit, ___: unit),
    }
)


def _directions(
    centered: FloatArray, codes: IntArray, member: Member, noise: Any, weights: Weights
) -> tuple[FloatArray, FloatArray]:
    if noise is not None:
        given = _checked_noise(noise, member, centered.shape[1])
        return _largest_ratios(total_covariance(centered, weights), given)
    units = np.ones(centered.shape[1])
    if member == "oriented_pca":
        units = inverse_widths(noise_widths(centered, codes, weights))
    ratios, vectors = _within_row_space(centered * units, codes, member, weights)
    return ratios, units[:, None] * vectors


def _within_row_space(
    centered: FloatArray, codes: IntArray, member: Member, weights: Weights
) -> tuple[FloatArray, FloatArray]:
    is_scaled = member in ("pca", "oriented_pca")
    widths = np.ones(centered.shape[1]) if is_scaled else deviations_of(centered, weights)
    space = standardized_row_space(centered, widths, 1, weights)
    unit = np.eye(centered.shape[1]) if space.basis is None else space.basis.T @ space.basis
    signal, noise = (moment(space.rows, codes, unit, weights) for moment in MEMBERS[member])
    ratios, vectors = _largest_ratios(signal, noise)
    return ratios, space.lift_columns(vectors)


def _largest_ratios(signal: FloatArray, noise: FloatArray) -> tuple[FloatArray, FloatArray]:
    whitener = whitening(noise)  # (n_coordinates, rank)
    if whitener.shape[1] == 0:
        return np.empty(0), whitener
    ratios, turned = eigh(whitener.T @ signal @ whitener)
    return np.maximum(ratios[::-1], 0.0), whitener @ turned[:, ::-1]


def _checked_noise(noise: Any, member: Member, n_features: int) -> FloatArray:
    if member != "oriented_pca":
        raise UserError(
            f"noise applies only to 'oriented_pca', and member={member!r} defines its own; omit it."
        )
    covariance: FloatArray = np.asarray(noise, dtype=np.float64)
    if covariance.shape != (n_features, n_features):
        raise UserError(
            f"noise has shape {covariance.shape}; a covariance of {n_features} feature(s) must "
            f"have shape ({n_features}, {n_features})."
        )
    variances = (
        np.linalg.eigvalsh(covariance) if np.isfinite(covariance).all() else np.array([np.nan])
    )
    if not np.allclose(covariance, covariance.T) or not variances[0] >= -_NO_SIGNAL * variances[-1]:
        raise UserError(
            "noise must be a covariance matrix: symmetric, finite and positive semidefinite."
        )
    return covariance
