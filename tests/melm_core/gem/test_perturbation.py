from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh

from melm_core.gem.eigenvectors import generalized_eigenvectors
from melm_core.gem.perturbation import eigenvector_errors

TOP, BOTTOM = np.diag([9.0, 2.0, 0.5]), np.array([[1.0, 0.3, 0], [0.3, 1.0, 0], [0, 0, 2.0]])
PAIR = ("top", "bottom")
Y = np.repeat(PAIR, 800)


def sample(seed):
    rng = np.random.default_rng(seed)
    return np.vstack([rng.multivariate_normal(np.zeros(3), C, size=800) for C in (TOP, BOTTOM)])


def population(gamma):
    noise = BOTTOM + gamma * np.trace(BOTTOM) / 3 * np.eye(3)
    values, vectors = eigh(TOP, noise)
    return values[::-1], vectors[:, ::-1]


def covered(seed, gamma):
    """Whether the population's eigenvalues and eigenvectors are within the bounds of a sample."""
    errors = eigenvector_errors(sample(seed), Y, PAIR, gamma=gamma, n_resamples=60, random_state=0)
    values, vectors = population(gamma)
    # The population's eigenvectors in the coordinates of the sample's.
    turned = np.linalg.solve(errors.vectors, vectors)
    cosines = np.abs(np.diag(turned)) / np.linalg.norm(turned, axis=0)
    angles = np.arccos(np.minimum(cosines, 1.0))
    return (errors.lower <= values) & (values <= errors.upper), angles <= errors.angles


@pytest.mark.slow
@pytest.mark.parametrize("gamma", [0.0, 0.3])
def test_the_error_bars_cover_the_population(gamma):
    values, angles = np.mean([covered(seed, gamma) for seed in range(12)], axis=0)
    assert (values >= 0.9).all()
    assert (angles >= 0.9).all()


@pytest.mark.slow
@pytest.mark.parametrize("gamma", [0.0, 0.3])
def test_over_many_samples_the_error_bars_cover_at_their_level(gamma):
    values, angles = np.mean([covered(seed, gamma) for seed in range(300)], axis=0)
    assert (values >= 0.95).all()
    assert (angles >= 0.95).all()


def test_the_error_bars_are_narrow_enough_to_tell_the_first_eigenvector():
    errors = eigenvector_errors(sample(0), Y, PAIR, gamma=0, random_state=0)
    np.testing.assert_allclose(
        errors.eigenvalues, generalized_eigenvectors(sample(0), Y, PAIR, gamma=0)[0]
    )
    assert errors.lower[0] > errors.upper[1]
    assert errors.angles[0] < np.deg2rad(35)


@pytest.mark.slow
def test_four_times_the_rows_halve_the_error_bars():
    X = np.random.default_rng(1).standard_normal((12_000, 2)) * [3.0, 1.0]
    X[6_000:] /= [3.0, 1.0]
    y = np.repeat(PAIR, 6_000)
    few = eigenvector_errors(X[::4], y[::4], PAIR, gamma=0, random_state=0)
    many = eigenvector_errors(X, y, PAIR, gamma=0, random_state=0)
    widths = [np.log(errors.upper / errors.lower) for errors in (few, many)]
    np.testing.assert_allclose(widths[0] / widths[1], 2.0, rtol=0.2)
    assert few.angles[0] / many.angles[0] == pytest.approx(2.0, rel=0.25)


def test_features_in_other_units_have_the_same_error_bars():
    units = np.array([1.0, 1e3, 1e-3])
    one, other = (
        eigenvector_errors(X, Y, PAIR, gamma=0, random_state=0)
        for X in (sample(0), sample(0) * units)
    )
    np.testing.assert_allclose(other.upper, one.upper, rtol=1e-6)
    np.testing.assert_allclose(other.angles, one.angles, rtol=1e-6)


def test_too_few_rows_have_no_bounds():
    rows = np.r_[0:5, 800:805]
    errors = eigenvector_errors(sample(0)[rows], Y[rows], PAIR, gamma=0, random_state=0)
    assert errors.upper[0] == np.inf
    assert errors.lower[0] == 0
    assert errors.angles[0] == np.pi / 2


def test_a_numerator_class_without_one_direction_has_no_error_bars():
    X = sample(0)
    X[Y == "top", 2] = 0
    with pytest.raises(ValueError, match="numerator class is singular"):
        eigenvector_errors(X, Y, PAIR, gamma=0)


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_that_is_no_probability_is_refused(level):
    with pytest.raises(ValueError, match=f"level={level} must be between 0 and 1"):
        eigenvector_errors(sample(0), Y, PAIR, gamma=0, level=level)
