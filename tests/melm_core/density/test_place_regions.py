"""Regions of unseen places hold the share of new rows that they say."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.density import PlaceRegions
from melm_core.evaluation import Refits, Study
from tests.melm_core.helpers import classes, invertible

SHARES = (0.5, 0.8, 0.95)


def two_classes(seed: int, n_rows: int, n_features: int):
    """Return rows of two normal classes that differ in two features, and 1,000 new rows."""
    stream = np.random.default_rng(seed)
    y = np.arange(n_rows + 1_000) % 2
    X = stream.standard_normal((len(y), n_features))
    X[:, :2] += 1.2 * y[:, None]
    return X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:]


def held(regions: PlaceRegions, points, y):
    """Return the share of the rows of each class within its regions, mean over the classes."""
    inside = [regions.hold(code, points[y == code]).mean(axis=0) for code in range(2)]
    return np.mean(inside, axis=0)


@pytest.mark.slow
def test_regions_of_a_fitted_plane_hold_as_many_new_rows_as_they_say():
    unseen, fitted = [], []
    for seed in range(10):
        X, y, X_new, y_new = two_classes(seed, 80, 60)
        refits = Refits.of(Study("lda", X, y))
        points = refits.place(X_new)
        unseen.append(held(refits.regions(), points, y_new))
        fitted.append(held(PlaceRegions.of(refits.fitted, y, SHARES), points, y_new))
    np.testing.assert_allclose(np.mean(unseen, axis=0), SHARES, atol=0.08)
    assert (np.mean(fitted, axis=0) < np.array(SHARES) - 0.15).all()


def test_rows_of_a_group_are_left_out_of_their_own_density():
    stream, inside = np.random.default_rng(0), []
    for _ in range(20):
        centers = stream.standard_normal((60, 2))
        groups = np.repeat(np.arange(30), 6)
        places = centers[groups] + 0.05 * stream.standard_normal((180, 2))
        new = centers[30:] + 0.05 * stream.standard_normal((30, 2))
        y = np.zeros(180, dtype=np.int64)
        inside.append(
            [
                PlaceRegions.of(places, y, SHARES, own).hold(0, new).mean(axis=0)
                for own in (groups, None)
            ]
        )
    by_group, by_row = np.mean(inside, axis=0)
    np.testing.assert_allclose(by_group, SHARES, atol=0.05)
    assert by_row[0] < SHARES[0] - 0.05  # what it prevents


def test_a_class_of_no_more_rows_than_components_has_no_region():
    rng = np.random.default_rng(0)
    places, y = rng.normal(size=(25, 2)), np.repeat([0, 1, 2], [20, 2, 3])
    levels = PlaceRegions.of(places, y, (0.5, 0.8)).log_levels
    assert np.isfinite(levels).tolist() == [[True, True], [False, False], [True, False]]


@pytest.mark.parametrize("groups", [None, "pairs"])
def test_a_share_that_so_few_rows_cannot_promise_has_no_region(groups):
    known = {}
    for n_units in (3, 4, 18, 19):
        size = 1 if groups is None else 2
        places = np.random.default_rng(0).standard_normal((size * n_units, 2))
        own = None if groups is None else np.arange(len(places)) // 2
        regions = PlaceRegions.of(places, np.zeros(len(places), dtype=np.int64), SHARES, own)
        known[n_units] = np.isfinite(regions.log_levels[0]).tolist()
        held = regions.hold(0, places)
        assert not held[:, ~np.isfinite(regions.log_levels[0])].any()
    assert known == {
        3: [True, False, False],
        4: [True, True, False],
        18: [True, True, False],
        19: [True, True, True],
    }


@pytest.mark.slow
def test_a_row_more_of_the_class_is_inside_with_the_probability_of_its_rank():
    """With 19 rows 95 % is the least dense of them: one row in twenty of the class lies outside."""
    stream, outside = np.random.default_rng(0), []
    for _ in range(300):
        places = stream.standard_normal((19, 2))
        regions = PlaceRegions.of(places, np.zeros(19, dtype=np.int64), SHARES)
        outside.append(1.0 - regions.hold(0, stream.standard_normal((200, 2)))[:, 2].mean())
    assert np.mean(outside) == pytest.approx(0.05, abs=0.01)


def test_regions_are_the_same_rows_in_other_coordinates():
    places, y = classes(3, 2)
    turn, new = invertible(2, 1), np.random.default_rng(0).normal(scale=2.0, size=(300, 2))
    one = PlaceRegions.of(places, y, SHARES)
    other = PlaceRegions.of(places @ turn + 5.0, y, SHARES)
    for code in range(3):
        np.testing.assert_array_equal(one.hold(code, new), other.hold(code, new @ turn + 5.0))


def test_regions_on_a_grid_hold_what_the_regions_do():
    stream = np.random.default_rng(5)
    y = np.arange(120) % 2
    places = stream.standard_normal((120, 2)) + 2.0 * y[:, None]
    regions = PlaceRegions.of(places, y, SHARES)
    points = stream.standard_normal((4_000, 2))
    for code, drawn in enumerate(regions.on_grid(72)):
        alike = drawn.hold(points) == regions.hold(code, points)
        assert alike.mean() > 0.99


def test_a_region_that_few_rows_cannot_tell_is_not_drawn():
    stream = np.random.default_rng(6)
    places, y = stream.standard_normal((24, 2)), np.arange(24) % 2
    (first, _) = PlaceRegions.of(places, y, SHARES).on_grid(48)
    assert np.isfinite(first.log_levels).tolist() == [True, True, False]
    assert not first.hold(places)[:, 2].any()


@pytest.mark.parametrize("seed", range(4))
def test_every_region_ends_on_its_grid_however_skewed_a_class_is(seed):
    places = np.exp(1.5 * np.random.default_rng(seed).standard_normal((75, 2)))
    for drawn in PlaceRegions.of(places, np.arange(75) % 3, SHARES).on_grid(72):
        density = drawn.grid.density
        edge = max(density[[0, -1]].max(), density[:, [0, -1]].max())
        assert np.log(edge) < drawn.log_levels.min()
