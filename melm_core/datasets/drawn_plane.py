"""A drawing in the plane, hidden among features of noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_integer

BRUSH = 0.1  # standard deviation of a row about its point, in those of the drawing


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
    variances, own = np.linalg.eigh(np.cov(places.T, ddof=0) + BRUSH**2 * np.eye(2))
    X = stream.standard_normal((n_rows, n_features))
    X[:, :2] = (places[rows] + BRUSH * X[:, :2]) @ (own / np.sqrt(variances)) @ own.T
    hidden: FloatArray = np.round(X @ axes.T, 3)
    return hidden, codes[rows]
