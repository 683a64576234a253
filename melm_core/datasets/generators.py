"""The synthetic data of the rotations paper (Salas-Boni and Tabak, 2013, section 5).

The docstrings list choices that the paper leaves open.
"""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray

_FEWEST_ROWS, _MOST_ROWS = 200, 400
_RADIUS = 3.0


def five_gaussians(random_state: int) -> tuple[FloatArray, IntArray]:
    """Five Gaussian classes in 20 dimensions (Figure 4).

    Means uniform on the sphere of radius 3; the covariance of class j has
    singular values in [0, j], for j = 1 to 5. Not given in the paper and
    chosen here: the singular values are uniform, the axes of each covariance
    are uniform (Haar), and the number of rows of each class is a uniform
    integer from 200 to 400.

    Parameters
    ----------
    random_state : int

    Returns
    -------
    X : ndarray of shape (n_samples, 20)
    y : ndarray of shape (n_samples,)
        Class codes 0 .. 4.

    References
    ----------
    R. Salas-Boni, E. G. Tabak: Feature Extraction through Rotations, 2013,
    Figure 4.

    Examples
    --------
    >>> from melm_core.datasets import five_gaussians
    >>> X, y = five_gaussians(0)
    >>> X.shape
    (1580, 20)
    """
    stream = np.random.default_rng(random_state)
    blocks = []
    for widest in (1.0, 2.0, 3.0, 4.0, 5.0):
        n_rows = int(stream.integers(_FEWEST_ROWS, _MOST_ROWS, endpoint=True))
        blocks.append(_on_sphere(stream, n_rows, 20, widest))
    return _stacked(blocks)


def five_mixtures(random_state: int) -> tuple[FloatArray, IntArray]:
    """Five classes in 10 dimensions, each a mixture of two Gaussians (Figure 5).

    Means uniform on the sphere of radius 3; the covariances of each class have
    singular values uniform in [0, 1] and in [0, 0.7]; the share of the first
    Gaussian is uniform in [1/3, 2/3]. Not given in the paper and chosen here:
    the axes are uniform (Haar), and the number of rows of each class is a
    uniform integer from 200 to 400.

    Parameters
    ----------
    random_state : int

    Returns
    -------
    X : ndarray of shape (n_samples, 10)
    y : ndarray of shape (n_samples,)
        Class codes 0 .. 4.

    References
    ----------
    R. Salas-Boni, E. G. Tabak: Feature Extraction through Rotations, 2013,
    Figure 5.

    Examples
    --------
    >>> from melm_core.datasets import five_mixtures
    >>> X, y = five_mixtures(0)
    >>> X.shape
    (1595, 10)
    """
    stream = np.random.default_rng(random_state)
    blocks = []
    for _ in range(5):
        n_rows = int(stream.integers(_FEWEST_ROWS, _MOST_ROWS, endpoint=True))
        n_first = int(stream.binomial(n_rows, stream.uniform(1 / 3, 2 / 3)))
        first = _on_sphere(stream, n_first, 10, 1.0)
        blocks.append(np.vstack([first, _on_sphere(stream, n_rows - n_first, 10, 0.7)]))
    return _stacked(blocks)


def two_gaussians(random_state: int) -> tuple[FloatArray, IntArray]:
    """Two Gaussian classes in 10 dimensions that differ only in covariance (section 5.2).

    200 rows with covariance Q diag(2, 0.3, 1, ..., 1) Q' and 100 rows with
    Q diag(0.3, 4, 1, ..., 1) Q', both with mean 0. Not given in the paper and
    chosen here: Q is uniform (Haar).

    Parameters
    ----------
    random_state : int

    Returns
    -------
    X : ndarray of shape (300, 10)
    y : ndarray of shape (300,)
        Class codes 0 and 1.

    References
    ----------
    R. Salas-Boni, E. G. Tabak: Feature Extraction through Rotations, 2013,
    section 5.2.

    Examples
    --------
    >>> from melm_core.datasets import two_gaussians
    >>> X, y = two_gaussians(0)
    >>> X.shape
    (300, 10)
    """
    stream = np.random.default_rng(random_state)
    variances = np.ones((2, 10))
    variances[:, :2] = [[2.0, 0.3], [0.3, 4.0]]
    turn = _orthogonal(stream, 10)
    blocks = [
        stream.standard_normal((n_rows, 10)) * np.sqrt(row) @ turn.T
        for n_rows, row in zip((200, 100), variances, strict=True)
    ]
    return _stacked(blocks)


def two_mixtures(random_state: int) -> tuple[FloatArray, IntArray]:
    """Draw two mixtures in 10 dimensions that differ in one plane (section 5.2, second experiment).

    In the first two features, the first class (300 rows) has means (-2, -2),
    (0, 0) and (2, 2) with variance 0.1, and the second (200 rows) has means
    (-1, -2) and (1, 2) with variance 0.5. The other eight features are
    standard normal. Not given in the paper and chosen here: the Gaussians of a
    class have equal probabilities, and there is no rotation.

    Parameters
    ----------
    random_state : int

    Returns
    -------
    X : ndarray of shape (500, 10)
    y : ndarray of shape (500,)
        Class codes 0 and 1.

    References
    ----------
    R. Salas-Boni, E. G. Tabak: Feature Extraction through Rotations, 2013,
    section 5.2.

    Examples
    --------
    >>> from melm_core.datasets import two_mixtures
    >>> X, y = two_mixtures(0)
    >>> X.shape
    (500, 10)
    """
    stream = np.random.default_rng(random_state)
    blocks = []
    for n_rows, variance, centers in (
        (300, 0.1, [[-2.0, -2.0], [0.0, 0.0], [2.0, 2.0]]),
        (200, 0.5, [[-1.0, -2.0], [1.0, 2.0]]),
    ):
        block = stream.standard_normal((n_rows, 10))
        components = stream.integers(len(centers), size=n_rows)
        block[:, :2] = np.sqrt(variance) * block[:, :2] + np.array(centers)[components]
        blocks.append(block)
    return _stacked(blocks)


def _on_sphere(
    stream: np.random.Generator, n_rows: int, n_features: int, widest: float
) -> FloatArray:
    """Gaussian rows with a mean on the sphere and covariance singular values in [0, widest]."""
    direction = stream.standard_normal(n_features)
    mean = _RADIUS * direction / np.linalg.norm(direction)
    axes = np.sqrt(stream.uniform(0.0, widest, n_features)) * _orthogonal(stream, n_features)
    rows: FloatArray = mean + stream.standard_normal((n_rows, n_features)) @ axes.T
    return rows


def _orthogonal(stream: np.random.Generator, n: int) -> FloatArray:
    """A random orthogonal matrix (Haar measure)."""
    q, r = np.linalg.qr(stream.standard_normal((n, n)))
    uniform: FloatArray = q * np.sign(np.diag(r))
    return uniform


def _stacked(blocks: list[FloatArray]) -> tuple[FloatArray, IntArray]:
    y = np.repeat(np.arange(len(blocks)), [len(block) for block in blocks])
    return np.vstack(blocks), y
