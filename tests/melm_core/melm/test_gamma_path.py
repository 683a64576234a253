from __future__ import annotations

import numpy as np
import pytest

from melm_core import MELM, cauchy_schwarz_divergence, divergence_profile
from melm_core.melm.choosing import distinct_planes
from tests.melm_core.helpers import assert_orthonormal, classes

X, Y = classes(2, 5)
SETTINGS = {"n_init": 8, "random_state": 0, "shrinkage": 0.0}
GAMMAS = (1.0, 0.5, 2.0)


def test_each_gamma_has_its_plane_and_the_divergence_of_that_plane():
    profile = divergence_profile(X, Y, GAMMAS, **SETTINGS)
    np.testing.assert_array_equal(profile.gammas, [0.5, 1.0, 2.0])
    assert profile.components.shape == (3, 2, 5)
    for gamma, value, components in zip(
        profile.gammas, profile.divergences, profile.components, strict=True
    ):
        assert_orthonormal(components)
        own = cauchy_schwarz_divergence(X, Y, components, gamma=gamma)
        assert value == pytest.approx(own, rel=1e-9)


def test_narrower_kernels_see_more_divergence():
    profile = divergence_profile(X, Y, GAMMAS, **SETTINGS)
    assert (np.diff(profile.divergences) < 0).all()


def test_the_order_of_the_gammas_does_not_matter():
    one, other = (divergence_profile(X, Y, g, **SETTINGS) for g in (GAMMAS, sorted(GAMMAS)))
    np.testing.assert_array_equal(one.divergences, other.divergences)


def test_a_single_gamma_is_a_single_fit():
    profile = divergence_profile(X, Y, [1.0], **SETTINGS)
    alone = MELM(gamma=1.0, **SETTINGS).fit(X, Y)
    np.testing.assert_array_equal(profile.divergences, [alone.divergence_])
    np.testing.assert_array_equal(profile.components[0], alone.components_)


def test_the_planes_of_a_fit_are_distinct_and_the_best_comes_first():
    melm = MELM(**SETTINGS).fit(X, Y)
    planes = distinct_planes(melm)
    values = [cauchy_schwarz_divergence(X, Y, components) for components in planes]
    assert values == sorted(values, reverse=True)
    assert len({round(value, 8) for value in values}) == len(planes)
    assert values[0] == pytest.approx(melm.divergence_, rel=1e-9)


@pytest.mark.parametrize(
    ("gammas", "message"),
    [([], "gammas is empty"), ([1.0, 0.0], "gamma=0.0 must be a finite number above 0")],
)
def test_gammas_that_cannot_be_followed_are_refused(gammas, message):
    with pytest.raises(ValueError, match=message):
        divergence_profile(X, Y, gammas)
