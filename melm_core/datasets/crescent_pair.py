"""The two crescents of the kernel machine paper (Ozertem and Erdogmus, section 4)."""

from __future__ import annotations

import numpy as np

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.estimator import check_integer, check_positive

# Where the second semicircle is centered, in units of the radius; the paper gives no number.
SECOND_CENTER = (1.0, 0.5)


def crescents(
    random_state: int, *, n_rows_per_class: int = 150, noise: float = 0.25
) -> tuple[FloatArray, IntArray]:
    """Two semicircles that reach into each other, with a perturbed radius (Figure 2).

    The angle is uniform over a half turn and the radius Gaussian about 1.
    Chosen here: the second semicircle is the first turned upside down and
    centered at (1, 0.5).

    Parameters
    ----------
    random_state : int
    n_rows_per_class : int
    noise : float
        Standard deviation of the radius, in units of the radius.

    Returns
    -------
    X : ndarray of shape (2 * n_rows_per_class, 2)
    y : ndarray of shape (2 * n_rows_per_class,)
        Class codes 0 and 1.
    """
    check_integer("n_rows_per_class", n_rows_per_class, minimum=1)
    check_positive("noise", noise)
    stream = np.random.default_rng(random_state)
    y = np.repeat([0, 1], n_rows_per_class)
    angles = np.pi * (stream.uniform(size=len(y)) + y)  # the upper half turn, then the lower
    radii = 1.0 + noise * stream.standard_normal(len(y))
    arcs = radii[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return arcs + y[:, None] * np.array(SECOND_CENTER), y
