"""The two crescents of the kernel machine paper (Ozertem and Erdogmus, section 4)."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_integer, check_positive

# Center of the second semicircle in units of the radius; the paper does not give it.
SECOND_CENTER = (1.0, 0.5)


def crescents(
    random_state: int, *, n_rows_per_class: int = 150, noise: float = 0.25
) -> tuple[FloatArray, IntArray]:
    """Two interleaving semicircles with a perturbed radius (Figure 2).

    The angle is uniform over half a turn and the radius is Gaussian about 1.
    Not given in the paper and chosen here: the second semicircle is the first
    one upside down, centered at (1, 0.5).

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
