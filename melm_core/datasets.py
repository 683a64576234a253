"""Random data whose answer is known: of the papers, of batches that drift, of noise.

The docstrings list choices that the papers leave open. The Gaussians and mixtures are those of the
rotations paper (Salas-Boni and Tabak, 2013, section 5).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_integer, check_not_negative, check_positive

__all__ = [
    "batches",
    "crescents",
    "five_gaussians",
    "five_mixtures",
    "hidden_drawing",
    "masked_gaussians",
    "moderation",
    "pure_noise",
    "two_gaussians",
    "two_mixtures",
]

_FEWEST_ROWS, _MOST_ROWS = 200, 400
_RADIUS = 3.0
_N_CLASSES, _N_LONG = 4, 3
_MEANS_RADIUS = 2.5  # of the circle on which the class means lie, in standard deviations
# Probability of each batch by class: unbalanced, so that batch and class are correlated.
_SHARES = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])
# Center of the second semicircle in units of the radius; the paper does not give it.
SECOND_CENTER = (1.0, 0.5)
BRUSH = 0.1  # standard deviation of a row about its point, in those of the drawing


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


def masked_gaussians(
    random_state: int, *, n_rows: int = 600, n_features: int = 12, spread: float = 5.0
) -> tuple[FloatArray, IntArray]:
    """Four Gaussian classes in a plane, and three long directions that say nothing of them.

    The features mix all directions at random, so that the largest variance of the
    features, standardized or not, is that of the long directions: a plane of principal
    components tells the classes apart about as well as guessing does. They are rounded to six
    decimals, so that every processor draws the same.

    Parameters
    ----------
    random_state : int
    n_rows : int, default=600
    n_features : int, default=12
    spread : float, default=5.0
        Standard deviation along the long directions; it is 1 along the others.

    Returns
    -------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        Class codes 0 .. 3 in turn.

    Raises
    ------
    ValueError
        If n_rows is less than 4, n_features less than 5, or spread not positive.

    Examples
    --------
    >>> from melm_core.datasets import masked_gaussians
    >>> X, y = masked_gaussians(0)
    >>> X.shape
    (600, 12)
    """
    check_integer("n_rows", n_rows, minimum=_N_CLASSES)
    check_integer("n_features", n_features, minimum=2 + _N_LONG)
    check_positive("spread", spread)
    stream = np.random.default_rng(random_state)
    y = np.arange(n_rows) % _N_CLASSES
    turns = 2.0 * np.pi * y / _N_CLASSES
    axes = np.linalg.qr(stream.standard_normal((n_features, n_features)))[0]
    rows = stream.standard_normal((n_rows, n_features))
    rows[:, :2] += _MEANS_RADIUS * np.column_stack([np.cos(turns), np.sin(turns)])
    rows[:, 2 : 2 + _N_LONG] *= spread
    # Processors differ in the last digits of a product.
    X: FloatArray = np.round(rows @ axes.T, 6)
    return X, y


def moderation(
    random_state: int,
    *,
    n_rows: int = 400,
    n_features: int = 8,
    n_relevant: int = 4,
    noise: float = 0.3,
) -> tuple[FloatArray, IntArray]:
    """Standard normal features; the class says whether some are near their means.

    Too little is as bad as too much: both classes have the same mean, so no
    straight direction tells them apart, and no plane shows what several
    features do so. Where features bend, one direction does: the class depends
    on the sum of their absolute values.

    Parameters
    ----------
    random_state : int
    n_rows : int, default=400
    n_features : int, default=8
    n_relevant : int, default=4
        How many, the first ones, tell the classes; the others say nothing.
    noise : float, default=0.3
        Standard deviation of what is added to the sum.

    Returns
    -------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        1 for the half of the rows whose noisy sum is smaller, else 0.

    Raises
    ------
    ValueError
        If n_rows is less than 4, n_relevant less than 1, n_features less than
        n_relevant, or noise not positive.

    Examples
    --------
    >>> from melm_core.datasets import moderation
    >>> X, y = moderation(0, n_rows=100)
    >>> bool(abs(X[y == 1, :4]).mean() < abs(X[y == 0, :4]).mean())
    True
    """
    check_integer("n_rows", n_rows, minimum=4)
    check_integer("n_relevant", n_relevant, minimum=1)
    check_integer("n_features", n_features, minimum=n_relevant)
    check_positive("noise", noise)
    stream = np.random.default_rng(random_state)
    X = stream.standard_normal((n_rows, n_features))
    excess = np.abs(X[:, :n_relevant]).sum(axis=1) + noise * stream.standard_normal(n_rows)
    return X, (excess < np.median(excess)).astype(np.int64)


def batches(
    random_state: int, n_rows: int = 900, *, drift: float = 1.0
) -> tuple[FloatArray, IntArray, IntArray]:
    """Two classes in three batches, in 12 dimensions.

    The classes differ by 1.2 standard deviations in the first feature and by 1 in the second.
    From batch to batch, the second feature drifts by 0.8 and the third by 0.7. The last
    two batches hold more of the second class, so the drift tells the classes apart as well.

    Parameters
    ----------
    random_state : int
    n_rows : int, default=900
    drift : float, default=1.0
        What the drift from batch to batch is multiplied by; 0 for batches that do not differ.

    Returns
    -------
    X : ndarray of shape (n_rows, 12)
    y : ndarray of shape (n_rows,)
        Class codes 0 and 1.
    batch : ndarray of shape (n_rows,)
        Codes 0 to 2.

    Raises
    ------
    ValueError
        If drift is negative or not finite.

    Examples
    --------
    >>> from melm_core.datasets import batches
    >>> X, y, batch = batches(0)
    >>> X.shape
    (900, 12)
    """
    check_not_negative("drift", drift)
    stream = np.random.default_rng(random_state)
    y = stream.integers(2, size=n_rows)
    batch = np.array([stream.choice(3, p=_SHARES[code]) for code in y])
    X = stream.standard_normal((n_rows, 12))
    X[:, 0] += 1.2 * y
    X[:, 1] += 1.0 * y + 0.8 * drift * batch
    X[:, 2] += 0.7 * drift * batch
    return X, y, batch


def crescents(
    random_state: int, *, n_rows_per_class: int = 150, noise: float = 0.25
) -> tuple[FloatArray, IntArray]:
    """Two interleaving semicircles with a perturbed radius.

    Those of the kernel machine paper (Ozertem and Erdogmus, section 4, Figure 2). The angle is
    uniform over half a turn and the radius is Gaussian about 1. Not given in the paper and chosen
    here: the second semicircle is the first one upside down, centered at (1, 0.5).

    Parameters
    ----------
    random_state : int
    n_rows_per_class : int, default=150
    noise : float
        Standard deviation of the radius, in units of the radius.

    Returns
    -------
    X : ndarray of shape (2 * n_rows_per_class, 2)
    y : ndarray of shape (2 * n_rows_per_class,)
        Class codes 0 and 1.

    Raises
    ------
    ValueError
        If n_rows_per_class is less than 1 or noise is not positive.

    References
    ----------
    U. Ozertem, D. Erdogmus: Maximum Entropy Approximation for Kernel Machines,
    section 4.

    Examples
    --------
    >>> from melm_core.datasets import crescents
    >>> X, y = crescents(0, n_rows_per_class=50)
    >>> X.shape
    (100, 2)
    """
    check_integer("n_rows_per_class", n_rows_per_class, minimum=1)
    check_positive("noise", noise)
    stream = np.random.default_rng(random_state)
    y = np.repeat([0, 1], n_rows_per_class)
    angles = np.pi * (stream.uniform(size=len(y)) + y)  # the upper half, then the lower
    radii = 1.0 + noise * stream.standard_normal(len(y))
    arcs = radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return arcs + y[:, None] * np.array(SECOND_CENTER), y


def hidden_drawing(
    points: ArrayLike,
    labels: ArrayLike,
    n_rows: int | None = None,
    *,
    n_noise: int = 20,
    random_state: int = 0,
) -> tuple[FloatArray, IntArray]:
    """Rows from the density of a drawing, in one plane of a space of noise.

    Every row lies about a point, at a normal distance of 0.1 standard deviations of the drawing;
    all points have as many rows, up to one. The drawing is scaled and sheared until its
    coordinates are uncorrelated with unit variance, as the features of noise are, and all are
    rotated at random: no direction varies more than another, so the classes alone tell where the
    drawing is. Values are rounded to three decimals, so that every processor draws the same.

    Parameters
    ----------
    points : array-like of shape (n_points, 2)
        In any unit.
    labels : array-like of shape (n_points,)
        The class of each.
    n_rows : int, optional
        As many as there are points by default.
    n_noise : int, default=20
    random_state : int, default=0
        Decides noise, rotation and rows. The rotation does not depend on the number of rows.

    Returns
    -------
    X : ndarray of shape (n_rows, 2 + n_noise)
    y : ndarray of shape (n_rows,)

    Raises
    ------
    ValueError
        If the points are not such pairs, all the same or not as many as labels, n_rows is less
        than 1 or n_noise negative.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.datasets import hidden_drawing
    >>> turns = np.linspace(0.0, 2.0 * np.pi, 90)
    >>> ring = np.column_stack([np.cos(turns), np.sin(turns)])
    >>> X, y = hidden_drawing([*ring, *(0.2 * ring)], np.repeat([0, 1], 90), 400)
    >>> X.shape
    (400, 22)
    """
    drawn, codes = np.asarray(points, dtype=np.float64), np.asarray(labels)
    if drawn.ndim != 2 or drawn.shape[1] != 2 or codes.shape != drawn.shape[:1]:
        shapes = f"they have the shapes {drawn.shape} and {codes.shape}"
        raise ValueError(f"points must be pairs, and labels one for each; {shapes}.")
    if not np.isfinite(drawn).all() or not np.ptp(drawn, axis=0).any():
        raise ValueError("points must be finite, and differ from each other.")
    n_rows = len(drawn) if n_rows is None else n_rows
    check_integer("n_rows", n_rows, minimum=1)
    check_integer("n_noise", n_noise, minimum=0)
    stream = np.random.default_rng(random_state)
    n_features = 2 + n_noise
    axes = np.linalg.qr(stream.standard_normal((n_features, n_features)))[0]
    rounds = -(-n_rows // len(drawn))
    rows = np.concatenate([stream.permutation(len(drawn)) for _ in range(rounds)])[:n_rows]
    places = drawn - drawn.mean(axis=0)
    places /= np.sqrt(places.var(axis=0).mean())
    variances, directions = np.linalg.eigh(np.cov(places.T, ddof=0) + BRUSH**2 * np.eye(2))
    X = stream.standard_normal((n_rows, n_features))
    X[:, :2] = (places[rows] + BRUSH * X[:, :2]) @ (directions / np.sqrt(variances)) @ directions.T
    hidden: FloatArray = np.round(X @ axes.T, 3)
    return hidden, codes[rows]


def pure_noise(
    n_rows: int = 60, n_features: int = 50, n_classes: int = 3, random_state: int = 0
) -> tuple[FloatArray, IntArray]:
    """Standard normal features with unrelated labels of equally large classes.

    With about as many features as rows, every supervised method separates its
    training rows; no method separates held-out rows.

    Parameters
    ----------
    n_rows : int, default=60
        At least two per class.
    n_features : int, default=50
    n_classes : int, default=3
    random_state : int, default=0

    Returns
    -------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,)
        Class codes 0 .. n_classes-1 in turn.

    Raises
    ------
    ValueError
        If there are fewer than two classes, two rows per class, or one feature.

    Examples
    --------
    >>> from melm_core.datasets import pure_noise
    >>> X, y = pure_noise(n_rows=6, n_features=2)
    >>> y
    array([0, 1, 2, 0, 1, 2])
    """
    check_integer("n_features", n_features, minimum=1)
    check_integer("n_classes", n_classes, minimum=2)
    check_integer("n_rows", n_rows, minimum=2 * n_classes)
    stream = np.random.default_rng(random_state)
    return stream.standard_normal((n_rows, n_features)), np.arange(n_rows) % n_classes
