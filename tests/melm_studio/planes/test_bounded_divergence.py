"""Divergences that would take minutes are refused in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.base import UserError
from melm_core.density import kernel_classes
from melm_core.melm import divergence_in_plane
from melm_studio.planes.projected_classes import (
    MOST_SECONDS,
    bounded_divergence,
    seconds_of,
)

N_ROWS = 100_000
X = np.random.default_rng(0).standard_normal((N_ROWS, 2))
Y = np.arange(N_ROWS) % 2
NARROW = 0.02  # for which a transform has too many modes, and pairs take 22 seconds


def projected(gamma: float):
    return kernel_classes(X, Y, n_components=2, gamma=gamma).project(np.eye(2))


def test_kernels_of_which_the_sums_take_minutes_are_refused():
    narrow = projected(NARROW)
    assert seconds_of(narrow) > MOST_SECONDS
    with pytest.raises(UserError, match=r"γ 0\.02 .* 100,000 rows .* Increase γ, or leave out"):
        bounded_divergence(narrow, NARROW)


def test_others_are_computed():
    classes = projected(1.0)
    assert seconds_of(classes) <= MOST_SECONDS
    assert bounded_divergence(classes, 1.0) == divergence_in_plane(classes)
