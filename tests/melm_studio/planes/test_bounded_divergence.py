"""Divergences that would take minutes are refused in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.base import UserError
from melm_core.density import kernel_classes
from melm_core.melm import divergence_in_plane
from melm_studio.planes import bounded_divergence as bounded
from melm_studio.planes.bounded_divergence import (
    MOST_SECONDS,
    bounded_divergence,
    seconds_of,
)
from melm_studio.planes.plane_view import PlaneViewer
from tests.melm_core.helpers import labeled_data

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


def test_the_profile_leaves_out_widths_that_take_minutes():
    train, none = labeled_data(X, Y).split(0.0, random_state=0)
    profile = PlaneViewer(train, none, 1.0).profile(np.eye(2), (NARROW, 1.0, 2.0))
    assert profile.gammas == (1.0, 2.0)
    assert len(profile.train) == 2


def test_the_profile_takes_seconds_in_all(monkeypatch):
    train, none = labeled_data(X[:400], Y[:400]).split(0.0, random_state=0)
    monkeypatch.setattr(bounded, "seconds_of", lambda classes: 0.4 * MOST_SECONDS)
    profile = PlaneViewer(train, none, 1.0).profile(np.eye(2), (0.1, 0.5, 1.0, 2.0))
    assert profile.gammas == (1.0, 2.0)
