"""Discriminants of covariances whose correlations are shrunk, for few rows or many features.

With few rows, chance decides most of the covariance of two features, within the classes and between
their means, and much less of the variance of each. So the off-diagonal entries of both covariances
are reduced, and the diagonals stay. Where there are too few rows to know any covariance, the
discriminants are the few features that differ most between the classes, relative to their variance
within them; where there are enough rows, they are Fisher's.

A covariance is represented as diag(v) + R'R, so that tables with many more features than rows need
no matrix of features by features.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.sample_weights import deviations_of, mean_of
from melm_core.density.covariances import LEAST_VARIANCE_OF_MEANS, inverse_widths, whitening
from melm_core.linalg.class_moments import (
    class_covariances,
    class_means,
    class_totals,
    row_parts,
)
from melm_core.linalg.smaller_tables import NULL_VARIANCE

# Up to so many features, matrices of features by features are the quicker way.
_FEW_FEATURES = 256

# Eigenvalues below this share of the largest are rounding errors.
_NO_SIGNAL = 1e-12

# Relative error of the eigenvalues that Lanczos iterations end with.
_TOLERANCE = 1e-11


@dataclass(frozen=True, eq=False)
class ShrunkenDiscriminants:
    """Discriminants, and how much the covariances were shrunk for them.

    Attributes
    ----------
    directions : ndarray of shape (n_discriminants, n_features)
        The strongest first; of no particular length, not orthogonal.
    within : ndarray of shape (n_classes,)
        Share by which the covariances of the features within each class are reduced.
    between : float
        Share by which those of the class means are reduced.
    """

    directions: FloatArray
    within: FloatArray
    between: float


@dataclass(frozen=True, eq=False)
class _Scatters:
    """Covariances of features scaled to unit variance over all rows.

    That within the classes is diag(added) + roots' roots, that between them means' means.
    """

    added: FloatArray  # (n_features,)
    roots: FloatArray  # (n_roots, n_features)
    means: FloatArray  # (n_classes, n_features)
    between: float


def shrunken_discriminants(
    X: FloatArray, y: IntArray, n_components: int, weights: FloatArray | None = None
) -> ShrunkenDiscriminants:
    """Leading eigenvectors of the shrunken covariance between classes relative to that within.

    With every feature scaled to unit variance over all rows, W_c the covariance of class c,
    B that of the class means, and p_c = N_c / N:

        S_w = sum_c p_c ((1 - s_c) W_c + s_c diag(W_c)),    S_b = (1 - t) B + t diag(B),

    and the discriminants solve S_b v = lambda S_w v. Each share is the sum of the variances of
    the off-diagonal entries over the sum of their squares (Schäfer and Strimmer, section 2.3 and
    Table 2, target D), at most 1. The variances within a class are those of Ledoit and Wolf, from
    the fourth powers of the lengths of the rows, and at least those of Gaussian rows,
    (w_jj w_kk + w_jk^2) / N_c: two rows of a class, which have no scatter of their outer products,
    are not taken for certain. Those between the classes are of Gaussian means with the covariance
    S_w / N_c. t is at most the share of Gaussian rows for the covariance of all rows: where these
    show that the features are correlated, the variances alone do not describe them. It is at
    most 1 - 1/N, so that features that differ about equally are combined.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes 0 .. n_classes - 1.
    n_components : int
    weights : ndarray of shape (n_samples,) or None
        Of the rows; None if each counts once.

    Returns
    -------
    ShrunkenDiscriminants
        At most n_classes - 1 directions, and at most n_components.

    References
    ----------
    J. Schäfer, K. Strimmer: A Shrinkage Approach to Large-Scale Covariance Matrix Estimation,
    Statistical Applications in Genetics and Molecular Biology 4, 2005, article 32.
    O. Ledoit, M. Wolf: A Well-Conditioned Estimator for Large-Dimensional Covariance Matrices,
    Journal of Multivariate Analysis 88, 2004, section 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.baselines.shrunken_discriminants import shrunken_discriminants
    >>> y = np.arange(30) % 2
    >>> X = np.random.default_rng(0).standard_normal((30, 60))
    >>> X[:, 7] += 3.0 * y
    >>> found = shrunken_discriminants(X, y, 1)
    >>> int(np.abs(found.directions[0]).argmax()), found.between > 0.9
    (7, True)
    """
    widths = np.where(np.ptp(X, axis=0) > 0, deviations_of(X, weights), 0.0)
    varying = widths > 0
    units = inverse_widths(widths)[varying]
    scatters, within = _scatters(X[:, varying], y, units, weights)
    n_directions = min(n_components, len(within) - 1, int(varying.sum()))
    if n_directions == 0:
        return ShrunkenDiscriminants(np.empty((0, X.shape[1])), within, scatters.between)
    few = len(units) <= max(_FEW_FEATURES, len(X))
    strengths, vectors = (_by_factorization if few else _by_lanczos)(scatters, n_directions)
    vectors = vectors[strengths > _NO_SIGNAL * strengths.max(initial=0.0)]
    directions = np.zeros((len(vectors), X.shape[1]))
    directions[:, varying] = vectors * units
    return ShrunkenDiscriminants(directions, within, scatters.between)


def _scatters(
    X: FloatArray, y: IntArray, units: FloatArray, weights: FloatArray | None
) -> tuple[_Scatters, FloatArray]:
    """Compute the shrunken covariances of features in these units, and shares of the classes."""
    counts = class_totals(y, weights)
    total = float(counts.sum())
    offsets = (class_means(X, y, weights) - mean_of(X, weights)) * units
    means = np.sqrt(counts / total)[:, None] * offsets
    roots, shares = [], np.empty(len(counts))
    added = np.zeros(len(units))
    for code, count in enumerate(counts):
        class_weights = None if weights is None else weights[y == code]
        root, fourth = _root_and_fourth(X[y == code], units, class_weights)
        shares[code] = _share_within(root, fourth, count)
        root *= np.sqrt(count / total)
        added += shares[code] * _variances(root)
        roots.append(root)
    within = np.concatenate(roots)
    shrunken = within * np.sqrt(1.0 - np.repeat(shares, [len(root) for root in roots]))[:, None]
    between = min(
        _share_between(means, within, shrunken, total),
        _share_of_gaussian_rows(np.concatenate([means, within]), total),
        1.0 - 1.0 / total,
    )
    # A feature without any variance within the classes separates them exactly.
    constant = _variances(within) <= NULL_VARIANCE
    added[constant] += LEAST_VARIANCE_OF_MEANS * _variances(means)[constant]
    return _Scatters(added, shrunken, means, max(between, 0.0)), shares


def _root_and_fourth(
    rows: FloatArray, units: FloatArray, weights: FloatArray | None
) -> tuple[FloatArray, float]:
    """R with R'R the covariance of the rows, and the mean fourth power of their lengths."""
    mean = rows[0] + mean_of(rows - rows[0], weights)
    shares = np.full(len(rows), 1.0 / len(rows)) if weights is None else weights / weights.sum()
    fourth = 0.0
    for part in row_parts(rows):
        lengths = np.square((rows[part] - mean) * units).sum(axis=1)
        fourth += float(shares[part] @ np.square(lengths))
    if len(rows) <= len(units):
        # Relative to a row, a feature that is constant has no variance, not even by rounding.
        offsets = rows - rows[0]
        offsets -= mean_of(offsets, weights)
        return offsets * units * np.sqrt(shares)[:, None], fourth
    covariance = class_covariances([rows], None if weights is None else [weights])[0]
    variances, directions = np.linalg.eigh(covariance * np.outer(units, units))
    root = (directions * np.sqrt(np.maximum(variances, 0.0))).T
    root[:, np.diag(covariance) == 0.0] = 0.0
    return root, fourth


def _variances(root: FloatArray) -> FloatArray:
    """Return the diagonal of R'R."""
    variances: FloatArray = np.square(root).sum(axis=0)
    return variances


def _off_diagonal(a: FloatArray, b: FloatArray) -> float:
    """Compute the sum over j != k of the products of the entries jk of two R'R."""
    if max(len(a), len(b)) > a.shape[1]:
        products = float(np.sum((a.T @ a) * (b.T @ b)))
    else:
        products = float(np.square(a @ b.T).sum())
    return products - float(_variances(a) @ _variances(b))


def _share(variance: float, squares: float, scale: float) -> float:
    """Variance over squares, at most 1; 1 if there is nothing to shrink."""
    if squares <= np.finfo(np.float64).eps * scale:
        return 1.0
    return float(np.clip(variance / squares, 0.0, 1.0))


def _share_within(root: FloatArray, fourth: float, count: float) -> float:
    """Compute the share of a class from R, the mean fourth power of lengths and its size."""
    variances, squares = _variances(root), _off_diagonal(root, root)
    diagonal = float(variances @ variances)
    # The variance of a diagonal entry, which is not shrunk, is taken to be that of Gaussian rows.
    of_rows = fourth - squares - 3.0 * diagonal
    of_gaussian_rows = float(variances.sum()) ** 2 - diagonal + squares
    return _share(max(of_rows, of_gaussian_rows) / count, squares, diagonal)


def _share_of_gaussian_rows(root: FloatArray, count: float) -> float:
    return _share_within(root, 0.0, count)


def _share_between(
    means: FloatArray, within: FloatArray, shrunken: FloatArray, total: float
) -> float:
    """Compute the share for the covariance of the class means, from roots of the covariances.

    Of a vector m + e, e Gaussian with the covariance S/N, entry jk of the outer product has the
    variance (m_j^2 s_kk + m_k^2 s_jj + 2 m_j m_k s_jk) / N + (s_jj s_kk + s_jk^2) / N^2.
    """
    between, noise = _variances(means), _variances(within)
    squares = _off_diagonal(means, means)
    of_noise = float(noise.sum() ** 2 - noise @ noise) + _off_diagonal(shrunken, shrunken)
    of_both = float(between.sum() * noise.sum() - between @ noise) + _off_diagonal(means, shrunken)
    n_noisy = len(means) - 1
    # Of the differences between the classes: what the covariance of the means is above noise.
    of_signal = max(of_both - n_noisy * of_noise / total, 0.0)
    variance = 2.0 * of_signal / total + n_noisy * of_noise / total**2
    return _share(variance, squares, float(between @ between))


def _by_factorization(scatters: _Scatters, n_directions: int) -> tuple[FloatArray, FloatArray]:
    """Descending eigenvalues and eigenvectors, as rows, from matrices of features by features."""
    t, means = scatters.between, scatters.means
    between = (1.0 - t) * means.T @ means + t * np.diag(_variances(means))
    whitener = whitening(np.diag(scatters.added) + scatters.roots.T @ scatters.roots)
    strengths, vectors = np.linalg.eigh(whitener.T @ between @ whitener)
    return strengths[::-1][:n_directions], (whitener @ vectors).T[::-1][:n_directions]


def _by_lanczos(scatters: _Scatters, n_directions: int) -> tuple[FloatArray, FloatArray]:
    """Compute the same from products with vectors, by P S_b P with P P = 1 / S_w.

    In units in which the added variances are 1, P is 1 - V diag(f) V' with the right singular
    vectors V of the kept rows.
    """
    units = inverse_widths(np.sqrt(scatters.added))
    roots, means = scatters.roots * units, scatters.means * units
    _, lengths, axes = np.linalg.svd(roots, full_matrices=False)
    factors = 1.0 - 1.0 / np.sqrt(1.0 + np.square(lengths))
    diagonal = scatters.between * _variances(means)

    def whiten(vector: FloatArray) -> FloatArray:
        whitened: FloatArray = vector - axes.T @ (factors * (axes @ vector))
        return whitened

    def multiply(vector: FloatArray) -> FloatArray:
        white = whiten(vector.ravel())
        return whiten(diagonal * white + (1.0 - scatters.between) * means.T @ (means @ white))

    n_features = len(units)
    operator = LinearOperator((n_features, n_features), matvec=multiply, dtype=np.float64)
    # A fixed starting vector makes the result reproducible.
    start = np.random.default_rng(0).standard_normal(n_features)
    strengths, vectors = eigsh(operator, k=n_directions, which="LA", v0=start, tol=_TOLERANCE)
    order = np.argsort(strengths)[::-1]
    return strengths[order], np.stack([whiten(vectors[:, i]) * units for i in order])
