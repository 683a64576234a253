"""Planes, given by `components` of shape (n_components, n_features) whose rows span the plane."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.errors import UserError
from melm_core.compiled import library, orthonormalize_all

# A direction counts as dependent on others if the sine of its angle with their span is
# smaller than this.
PARALLEL = 1e-6


def orthonormalize(components: FloatArray) -> FloatArray:
    """Orthonormalize rows, each a combination of the given rows up to it.

    These are the rows of a QR decomposition with a positive diagonal, by Gram-Schmidt steps: planes
    have few rows, of which a decomposition by LAPACK costs more in calls than in arithmetic.

    Parameters
    ----------
    components : ndarray of shape (..., n_components, n_features)
        Of one plane, or of several.

    Returns
    -------
    ndarray of the same shape

    Raises
    ------
    ValueError
        If the rows of a plane are linearly dependent, as more rows than features always are.

    References
    ----------
    L. Giraud, J. Langou, M. Rozložník: The Loss of Orthogonality in the Gram-Schmidt
    Orthogonalization Process, Computers and Mathematics with Applications 50, 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import orthonormalize
    >>> orthonormalize(np.array([[2.0, 0.0, 0.0], [1.0, 3.0, 0.0]])).round(6) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """
    n_components, n_features = components.shape[-2:]
    if n_components > n_features:
        raise _dependent(n_components)
    negligible = n_features * float(np.finfo(np.float64).eps)
    if library() is None:
        return _orthonormalized(components, negligible)
    rows = np.array(components, dtype=np.float64, order="C")
    if not orthonormalize_all(rows, negligible):
        raise _dependent(n_components)
    return rows


def _orthonormalized(components: FloatArray, negligible: float) -> FloatArray:
    n_components = components.shape[-2]
    largest = np.abs(components).max(axis=-1, keepdims=True, initial=np.finfo(np.float64).tiny)
    rows: FloatArray = components / largest  # whose squares neither overflow nor vanish
    for number in range(n_components):
        row, before = rows[..., number, :], rows[..., :number, :]
        rest = length = _lengths(row)
        if number:
            for _ in range(2):  # once leaves what rounding makes of nearly equal rows
                row = row - (row[..., None, :] @ before.swapaxes(-1, -2) @ before)[..., 0, :]
            rest = _lengths(row)
        if (rest <= negligible * length).any():
            raise _dependent(n_components)
        rows[..., number, :] = row / rest
    return rows


def _lengths(rows: FloatArray) -> FloatArray:
    lengths: FloatArray = np.sqrt(np.einsum("...i,...i->...", rows, rows))[..., None]
    return lengths


def _dependent(n_components: int) -> UserError:
    return UserError(
        f"The {n_components} components are linearly dependent; use linearly independent rows."
    )


def random_components(
    n_components: int, n_features: int, random_state: np.random.Generator
) -> FloatArray:
    """Draw orthonormal rows of a plane uniformly (Haar measure).

    Parameters
    ----------
    n_components, n_features : int
    random_state : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_components, n_features)

    Raises
    ------
    ValueError
        If n_components exceeds n_features.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import random_components
    >>> components = random_components(2, 5, np.random.default_rng(0))
    >>> bool(np.allclose(components @ components.T, np.eye(2)))
    True
    """
    return orthonormalize(random_state.standard_normal((n_components, n_features)))


def principal_angles(components: FloatArray, reference: FloatArray) -> FloatArray:
    """Compute principal angles between two planes, in radians, ascending.

    Small angles are computed from their sines and large ones from their
    cosines, so that all of them are accurate.

    Parameters
    ----------
    components, reference : ndarray of shape (n_components, n_features)
        Linearly independent rows. The numbers of components may differ.

    Returns
    -------
    ndarray of shape (n_angles,)
        As many angles as the smaller number of components; all zero if one
        plane lies within the other.

    Raises
    ------
    ValueError
        If the rows are linearly dependent.

    References
    ----------
    Å. Björck, G. H. Golub: Numerical Methods for Computing Angles Between
    Linear Subspaces, Math. Comp. 27, 1973.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core import principal_angles
    >>> angles = principal_angles(np.eye(3)[:2], np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]))
    >>> np.degrees(angles).round(6)
    array([ 0., 45.])
    """
    a, b = orthonormalize(components), orthonormalize(reference)
    left, cosines, right = np.linalg.svd(a @ b.T, full_matrices=False)
    matched, partner = left.T @ a, right @ b
    sines = np.linalg.norm(partner - cosines[:, None] * matched, axis=1)
    return np.sort(np.arctan2(sines, cosines))


def align_components(components: FloatArray, reference: FloatArray) -> FloatArray:
    """Return the orthonormal rows of the same plane that are closest to `reference`.

    The rows are rotated and reflected within the plane, which does not change
    (orthogonal Procrustes problem).

    Parameters
    ----------
    components, reference : ndarray of shape (n_components, n_features)
        Orthonormal rows.

    Returns
    -------
    ndarray of shape (n_components, n_features)

    References
    ----------
    P. H. Schönemann: A Generalized Solution of the Orthogonal Procrustes
    Problem, Psychometrika 31, 1966.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import align_components
    >>> align_components(-np.eye(3)[[1, 0]], np.eye(3)[:2]).round(6) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """
    left, _, right = np.linalg.svd(reference @ components.T)
    aligned: FloatArray = left @ right @ components
    return aligned


def principal_frame(components: FloatArray, covariance: FloatArray) -> FloatArray:
    """Return orthonormal rows of the plane along the principal axes of the projected data.

    The first row has the largest variance, and the largest loading of each row
    is positive, so the rows depend on the plane and the data only.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    covariance : ndarray of shape (n_components, n_components)
        Covariance of the projected data.
    """
    _, axes = np.linalg.eigh(covariance)
    return with_positive_loadings(axes[:, ::-1].T @ components)


def with_positive_loadings(rows: FloatArray) -> FloatArray:
    """Negate the rows whose largest loading is negative.

    Of loadings that are equal up to rounding the first one counts, so the signs
    do not depend on the precision of the data or their order in memory.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features)
    """
    sizes = np.abs(rows)
    is_largest = sizes >= (1.0 - PARALLEL) * sizes.max(axis=1, keepdims=True)
    largest = np.take_along_axis(rows, is_largest.argmax(axis=1)[:, None], axis=1)
    return np.where(largest < 0, -rows, rows)


def chordal_distance(components: FloatArray, reference: FloatArray) -> float:
    """Distance between two planes: the norm of the sines of their principal angles.

    Parameters
    ----------
    components, reference : ndarray of shape (n_components, n_features)
        Linearly independent rows.

    Raises
    ------
    ValueError
        If the rows are linearly dependent.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import chordal_distance
    >>> chordal_distance(np.eye(3)[:2], np.eye(3)[[0, 2]])
    1.0
    """
    return float(np.linalg.norm(np.sin(principal_angles(components, reference))))


def geodesic(start: FloatArray, end: FloatArray, t: float) -> FloatArray:
    """Return the plane at position t on the shortest path from one plane to another.

    At t = 0 the rows are `start`; at t = 1 they span `end`. There is no
    rotation within the plane on the way.

    Parameters
    ----------
    start, end : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    t : float

    Returns
    -------
    ndarray of shape (n_components, n_features)
        Orthonormal rows.

    References
    ----------
    A. Edelman, T. A. Arias, S. T. Smith: The Geometry of Algorithms with
    Orthogonality Constraints, SIAM J. Matrix Anal. Appl. 20, 1998, section 2.5.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import geodesic, principal_angles
    >>> halfway = geodesic(np.eye(3)[:2], np.eye(3)[[0, 2]], 0.5)
    >>> np.degrees(principal_angles(halfway, np.eye(3)[:2])).round(6)
    array([ 0., 45.])
    """
    left, cosines, right = np.linalg.svd(start @ end.T)
    first, last = left.T @ start, right @ end  # pairs of principal vectors
    offsets = last - cosines[:, None] * first
    sines = np.linalg.norm(offsets, axis=1)[:, None]
    angles = np.arctan2(sines, cosines[:, None])
    directions = np.divide(offsets, sines, out=np.zeros_like(offsets), where=sines > 0)
    rows: FloatArray = left @ (np.cos(t * angles) * first + np.sin(t * angles) * directions)
    return rows


def orthogonal_procrustes(
    projection: FloatArray, reference: FloatArray, determinant: float | None = None
) -> FloatArray:
    """Find the orthogonal matrix Q for which projection @ Q is closest to the reference.

    Both are centered first.

    Parameters
    ----------
    projection, reference : ndarray of shape (n_samples, n_components)
        The same rows projected onto two planes.
    determinant : float, optional
        Q has its sign: a rotation alone if it is positive, one that mirrors if it is negative
        (Kabsch, "A solution for the best rotation to relate two sets of vectors", 1976). By
        default whichever is closer.

    Returns
    -------
    ndarray of shape (n_components, n_components)

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import orthogonal_procrustes
    >>> projection = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    >>> orthogonal_procrustes(projection, -projection).round(6) + 0.0
    array([[-1.,  0.],
           [ 0., -1.]])
    """
    centered = projection - projection.mean(axis=0)
    left, _, right = np.linalg.svd(centered.T @ (reference - reference.mean(axis=0)))
    if determinant is not None and determinant * np.linalg.det(left @ right) < 0:
        left[:, -1] *= -1.0
    turn: FloatArray = left @ right
    return turn


def align_planes(components: FloatArray, reference: FloatArray, rows: FloatArray) -> FloatArray:
    """Return the rows of the same plane whose picture is closest to that of another plane.

    A plane is drawn in standard deviations, so loadings that are close may still be drawn turned or
    mirrored: here the coordinates of rows are matched (orthogonal Procrustes problem), reflections
    allowed.

    Parameters
    ----------
    components, reference : ndarray of shape (n_components, n_features)
    rows : ndarray of shape (n_rows, n_features)
        That are drawn, or some of them.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        The components, rotated and reflected within the plane.

    References
    ----------
    P. H. Schönemann: A Generalized Solution of the Orthogonal Procrustes
    Problem, Psychometrika 31, 1966.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import align_planes
    >>> rows = np.random.default_rng(0).standard_normal((50, 3))
    >>> align_planes(-np.eye(3)[[1, 0]], np.eye(3)[:2], rows).round(6) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """
    drawn, wanted = (_standardized_coordinates(plane, rows) for plane in (components, reference))
    aligned: FloatArray = orthogonal_procrustes(drawn, wanted).T @ components
    return aligned


def _standardized_coordinates(components: FloatArray, rows: FloatArray) -> FloatArray:
    """Compute coordinates of unit covariance, up to a factor, turned as little as possible."""
    coordinates = rows @ components.T
    left, _, right = np.linalg.svd(coordinates - coordinates.mean(axis=0), full_matrices=False)
    polar: FloatArray = left @ right
    return polar


def joint_variance_shares(components: FloatArray, covariance_root: FloatArray) -> FloatArray:
    """Split the variance share of a plane into shares along its axes that add up to it.

    What all axes explain together, R2X in chemometrics, is that of any basis of the plane. Axes
    that are correlated explain some of it twice, so each gets the share of the axis nearest to it
    of those that are not (relative weights). Those of principal components are eigenvalues over
    their sum.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
        Of the axes.
    covariance_root : ndarray of shape (n_rows, n_features)
        R with R'R the covariance of the data.

    Returns
    -------
    ndarray of shape (n_components,)

    References
    ----------
    J. W. Johnson: A Heuristic Method for Estimating the Relative Weight of Predictor Variables in
    Multiple Regression, Multivariate Behavioral Research 35, 2000. L. Eriksson et al.: Multi- and
    Megavariate Data Analysis (R2X).

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import joint_variance_shares
    >>> joint_variance_shares(np.eye(2), np.diag([1.0, 2.0])).round(2)
    array([0.2, 0.8])
    >>> correlated = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> print(f"{joint_variance_shares(correlated, np.diag([1.0, 2.0])).sum():.2f}")
    1.00
    """
    deviations = np.sqrt(((components @ covariance_root.T) ** 2).sum(axis=1))
    scaled = components / np.where(deviations > 0, deviations, 1.0)[:, None]
    left, sizes, right = np.linalg.svd(scaled @ covariance_root.T, full_matrices=False)
    positive = sizes > PARALLEL
    uncorrelated = left[:, positive] @ right[positive]
    total = max(float((covariance_root**2).sum()), np.finfo(np.float64).tiny)
    shares: FloatArray = ((uncorrelated @ covariance_root) ** 2).sum(axis=1) / total
    return shares


def score_distances(centered: FloatArray, basis: FloatArray, precision: FloatArray) -> FloatArray:
    """Hotelling's T² within a plane, shape (n_rows,).

    Parameters
    ----------
    centered : ndarray of shape (n_rows, n_features)
        Less the mean of the rows that the plane was fitted to.
    basis : ndarray of shape (n_components, n_features)
        Orthonormal rows.
    precision : ndarray of shape (n_components, n_components)
        Inverse covariance of the coordinates of the fitted rows.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg.planes import score_distances
    >>> score_distances(np.array([[2.0, 5.0]]), np.eye(1, 2), np.array([[0.25]]))
    array([1.])
    """
    scores = centered @ basis.T
    distances: FloatArray = np.einsum("ij,jk,ik->i", scores, precision, scores)
    return distances


def squared_residuals(centered: FloatArray, basis: FloatArray) -> FloatArray:
    """Compute the squared distance from a plane along each feature, shape (n_rows, n_features).

    They sum to the residual Q of a row, and are zero where the plane holds all features.

    Parameters
    ----------
    centered, basis : ndarray
        See `score_distances`.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg.planes import squared_residuals
    >>> squared_residuals(np.array([[2.0, 5.0]]), np.eye(1, 2))
    array([[ 0., 25.]])
    """
    off: FloatArray = centered - (centered @ basis.T) @ basis
    return np.zeros_like(off) if len(basis) == basis.shape[1] else off**2


def in_standard_units(components: FloatArray, deviations: FloatArray) -> FloatArray:
    """Return the plane in coordinates where every feature has unit standard deviation.

    It is the same projection of the same rows, whatever the scaling of the
    features when the plane was fitted, so planes fitted to differently scaled
    data become comparable.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
    deviations : ndarray of shape (n_features,)
        Standard deviations of the features that `components` projects.

    Returns
    -------
    ndarray of shape (n_components, n_features)
        Orthonormal rows.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import in_standard_units
    >>> in_standard_units(np.array([[0.8, 0.6]]), np.array([3.0, 4.0])).round(3)
    array([[0.707, 0.707]])
    """
    return orthonormalize(components * deviations)


def features_used(components: FloatArray) -> float:
    """Effective number of features of a plane: the participation ratio of the loadings.

    It is 1 / sum_j s_j^2, where s_j is the share of feature j in the squared
    loadings. It ranges from 1 to n_features, which it reaches when all features
    have equal shares, and does not depend on the basis of the plane.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
        Orthonormal rows.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import features_used
    >>> features_used(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    2.0
    """
    shares = np.square(components).sum(axis=0) / len(components)  # (n_features,)
    return float(1.0 / np.square(shares).sum())


def loading_lengths(
    components: FloatArray, X: FloatArray, groups: IntArray | None = None
) -> FloatArray:
    """Compute how far features move rows in a plane whose rows have unit covariance.

    Of a straight feature that is the length of its loading, as arrows are drawn. Of one that bends
    it is the root mean square of the steps along its curve, in standard deviations of the feature,
    which is the same where the curve is straight.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_columns)
        Any basis of the plane.
    X : ndarray of shape (n_samples, n_columns)
    groups : ndarray of int, shape (n_columns,), optional
        The feature of each column, of which the first is the feature itself; by default every
        column is a feature.

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.linalg import loading_lengths
    >>> loading_lengths(np.array([[0.6, 0.8]]), np.array([[1.0, 0.0], [-1.0, 0.0]])).round(3)
    array([1.   , 1.333])
    """
    centered = X - X.mean(axis=0)
    projected = centered @ components.T
    covariance = projected.T @ projected / len(X)
    inverse = np.linalg.pinv(covariance, hermitian=True)
    squares = np.einsum("kf,kl,lf->f", components, inverse, components)
    if groups is not None:
        features, first, sizes = np.unique(groups, return_index=True, return_counts=True)
        squares = squares[first]
        for place in np.flatnonzero(sizes > 1):
            columns = np.flatnonzero(groups == features[place])
            steps = centered[:, columns] @ components[:, columns].T
            width = np.square(centered[:, columns[0]]).mean()
            total = np.einsum("nk,kl,nl->", steps, inverse, steps) / len(X)
            squares[place] = total / width if width else 0.0
    lengths: FloatArray = np.sqrt(np.maximum(squares, 0.0))
    return lengths
