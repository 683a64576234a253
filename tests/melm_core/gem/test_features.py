from __future__ import annotations

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from melm_core.gem.estimator import GEM
from melm_core.gem.features import half_powers, root_mean_squares
from melm_core.linalg.class_moments import ClassSecondMoments
from tests.melm_core.helpers import classes, invertible

X, Y = classes(3, 5)
CUBIC = (1, 2, 3)
FITTED = GEM(n_directions=3, alphas=CUBIC).fit(X, Y)


@pytest.mark.parametrize(
    ("projection", "expected"),
    [
        (4.0, [2.0, 4.0, 8.0, 0.0, 0.0, 0.0]),
        (-9.0, [0.0, 0.0, 0.0, 3.0, 9.0, 27.0]),
        (0.25, [0.5, 0.25, 0.125, 0.0, 0.0, 0.0]),
        (0.0, [0.0] * 6),
    ],
)
def test_the_map_is_a_cubic_of_the_root_in_two_pieces(projection, expected):
    np.testing.assert_allclose(half_powers(np.array([[projection]])), [expected])


def test_the_columns_go_by_sign_then_power_then_direction():
    powers = half_powers(np.array([[4.0, -9.0]]), (1, 2))
    np.testing.assert_allclose(powers, [[2, 0, 4, 0, 0, 3, 0, 9]])


def test_the_opposite_row_swaps_the_blocks_of_the_signs():
    powers, swapped = half_powers(X), half_powers(-X)
    np.testing.assert_array_equal(np.hstack(np.split(powers, 2, axis=1)[::-1]), swapped)


def test_the_row_of_zeros_has_zero_features():
    np.testing.assert_array_equal(FITTED.transform(np.zeros((1, 5))), 0.0)


def test_every_direction_has_six_features():
    n_directions = len(FITTED.directions_)
    assert FITTED.transform(X).shape == (len(X), 2 * 3 * n_directions)
    assert len(FITTED.get_feature_names_out()) == 2 * 3 * n_directions


def test_the_features_are_the_scaled_powers_of_the_projections_of_gem():
    projections = GEM(n_directions=3).fit(X, Y).transform(X)
    np.testing.assert_allclose(FITTED.transform(X) * FITTED.scale_, half_powers(projections))


def test_every_feature_has_a_root_mean_square_of_one_or_is_zero():
    one_sided = np.column_stack([X[:, 0], np.abs(X[:, 1])])
    powers = half_powers(one_sided)
    powers = powers / root_mean_squares(powers)
    expected = np.ones(12)
    expected[7::2] = 0.0  # the second feature is never negative
    np.testing.assert_allclose(np.sqrt(np.mean(powers**2, axis=0)), expected)


def test_the_names_tell_direction_sign_and_power():
    names = FITTED.get_feature_names_out()
    assert names[0] == "gem0_pos_0.5"
    assert names[-1] == f"gem{len(FITTED.directions_) - 1}_neg_1.5"
    assert len(set(names)) == len(names)


def test_rows_in_another_order_and_repeated_change_nothing():
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(len(X)), 3))
    same = GEM(n_directions=3, alphas=CUBIC).fit(X[order], Y[order])
    np.testing.assert_allclose(same.transform(X), FITTED.transform(X), atol=1e-6)


def test_at_gamma_zero_an_invertible_map_of_the_input_changes_no_feature():
    mapped = X @ invertible(5)
    features = GEM(gamma=0, alphas=CUBIC).fit(X, Y).transform(X)
    np.testing.assert_allclose(
        GEM(gamma=0, alphas=CUBIC).fit(mapped, Y).transform(mapped), features, atol=1e-6
    )


def test_a_common_scale_of_the_input_changes_no_feature_at_any_gamma():
    features = GEM(gamma=0.5, alphas=CUBIC).fit(X, Y).transform(X)
    np.testing.assert_allclose(
        GEM(gamma=0.5, alphas=CUBIC).fit(9 * X, Y).transform(9 * X), features, atol=1e-6
    )


def test_the_number_of_jobs_does_not_change_the_features():
    more = GEM(n_directions=3, n_jobs=2, alphas=CUBIC).fit(X, Y)
    np.testing.assert_array_equal(more.transform(X), FITTED.transform(X))


def test_features_compose_with_themselves():
    twice = make_pipeline(StandardScaler(), GEM(alphas=(1,)), GEM(alphas=CUBIC)).fit(X, Y)
    assert np.isfinite(twice.transform(X)).all()
    assert twice.get_feature_names_out().shape == twice.transform(X).shape[1:]


@pytest.mark.parametrize(
    ("alphas", "message"),
    [((), "alphas is empty"), ((1, 0), "alphas=0 must be a finite number above 0")],
)
def test_powers_that_are_none_are_refused(alphas, message):
    with pytest.raises(ValueError, match=message):
        GEM(alphas=alphas).fit(X, Y)


def test_half_powers_of_moments_alone_are_refused():
    with pytest.raises(ValueError, match="needs the rows in memory"):
        GEM(alphas=CUBIC).fit_moments(ClassSecondMoments().fit(X, Y))


def test_weighted_rows_have_the_features_of_repeated_rows():
    weights = np.random.default_rng(0).integers(0, 4, len(Y))
    weighted = GEM(alphas=CUBIC).fit(X, Y, sample_weight=weights)
    repeated = GEM(alphas=CUBIC).fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights))
    np.testing.assert_allclose(weighted.transform(X), repeated.transform(X), atol=1e-6)
