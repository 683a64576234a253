"""A region that says it holds half of a class holds half of rows that nobody counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from melm_core.density import ClassDensities, class_densities, density_regions, region_shares
from melm_core.density.kernel_density import kernel_classes

SHARES = (0.5, 0.8, 0.95)
N_FRESH = 2_000


def two_classes(n_rows: int, seed: int = 0, bend: float = 0.0) -> ClassDensities:
    """Return two normal classes, which lie on parabolas if they are bent."""
    rows = clouds(2, n_rows, seed, bend)
    y = np.repeat([0, 1], n_rows)
    return kernel_classes(np.concatenate(rows), y, n_components=2)


def clouds(n_clouds: int, n_rows: int, seed: int, bend: float = 0.0) -> list[np.ndarray]:
    stream = np.random.default_rng(seed)
    clouds = stream.standard_normal((n_clouds, n_rows, 2))
    clouds[..., 1] = 0.5 * clouds[..., 1] + bend * clouds[..., 0] ** 2
    return list(clouds)


def held_by(found: ClassDensities, seed: int = 0, bend: float = 0.0) -> np.ndarray:
    fresh = clouds(2, N_FRESH, 1_000 + seed, bend)
    return np.array([of.held_out for of in region_shares(density_regions(found, SHARES), fresh)])


def prepared(found: ClassDensities, few_modes: int, monkeypatch) -> ClassDensities:
    monkeypatch.setattr(class_densities, "FEW_MODES", few_modes)
    sums = found.prepare_densities(np.concatenate(found.rows), (1.0, 1.0))
    return found.with_sums(sums)


@pytest.mark.slow
@pytest.mark.parametrize("bend", [0.0, 1.0])
@pytest.mark.parametrize("gamma", [0.25, 1.0, 4.0])
@pytest.mark.parametrize("n_rows", [50, 400])
def test_regions_hold_their_shares_of_fresh_rows_at_every_kernel_width(n_rows, gamma, bend):
    n_repeats = 4_000 // n_rows
    held = np.mean(
        [
            held_by(two_classes(n_rows, seed, bend).widened(gamma), seed, bend)
            for seed in range(n_repeats)
        ],
        axis=0,
    ).reshape(2, 3)
    # Of 4,000 rows in all; and the level is between two of them.
    errors = np.sqrt(np.array(SHARES) * (1 - np.array(SHARES)) / 4_000)
    np.testing.assert_array_less(np.abs(held - SHARES).max(axis=0), 3 * errors + 1 / n_rows)


@pytest.mark.parametrize("gamma", [0.25, 1.0, 4.0])
@pytest.mark.parametrize("engine", ["direct", "transforms", "series", "near rows"])
def test_every_engine_draws_regions_that_hold_their_shares(engine, gamma, monkeypatch):
    found = two_classes(2_000).widened(gamma)
    if engine == "transforms":
        monkeypatch.setattr(class_densities, "SEPARABLE_ROWS", 0)
        monkeypatch.setattr(class_densities, "DIRECT_EVALUATIONS", 0)
    elif engine != "direct":
        found = prepared(found, 10**7 if engine == "series" else 0, monkeypatch)
        assert found.engine("grid") == "prepared"
    held = held_by(found).reshape(2, 3)
    np.testing.assert_allclose(held, [SHARES] * 2, atol=0.05)
    exact = density_regions(two_classes(2_000).widened(gamma), SHARES)
    for own, other in zip(density_regions(found, SHARES), exact, strict=True):
        np.testing.assert_allclose(own.log_levels, other.log_levels, atol=0.2)


def test_regions_of_a_sample_are_those_of_the_table_that_it_stands_for(monkeypatch):
    table = prepared(two_classes(3_000), 10**7, monkeypatch)
    sample = replace(table, rows=tuple(rows[::4] for rows in table.rows))
    assert sample.is_sample
    np.testing.assert_allclose(held_by(sample).reshape(2, 3), [SHARES] * 2, atol=0.05)


@pytest.mark.parametrize("gamma", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("n_rows", [20, 99, 5_000])
def test_training_rows_lie_in_regions_as_they_are_said_to(n_rows, gamma):
    for own in density_regions(two_classes(n_rows).widened(gamma), SHARES):
        np.testing.assert_allclose(own.training, SHARES, atol=1 / n_rows + 1e-9)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 4])
@pytest.mark.parametrize("gamma", [0.1, 1.0, 10.0])
def test_few_rows_have_regions_within_each_other(n_rows, gamma):
    rows = clouds(1, n_rows, 0)[0]
    found = ClassDensities((rows,), np.eye(2)[None]).widened(gamma)
    (own,) = density_regions(found, SHARES)
    assert (np.diff(own.log_levels) < 0).all()
    assert own.grid.density.max() > np.exp(own.log_levels[-1])
    edge = np.concatenate([own.grid.density[[0, -1]].ravel(), own.grid.density[:, [0, -1]].ravel()])
    assert edge.max() < np.exp(own.log_levels[-1])


def test_the_regions_of_one_row_are_those_of_its_kernel():
    (own,) = density_regions(ClassDensities((np.zeros((1, 2)),), np.eye(2)[None]), SHARES)
    fresh = np.random.default_rng(0).standard_normal((20_000, 2))
    np.testing.assert_allclose(own.hold(fresh).mean(axis=0), SHARES, atol=0.01)


def test_weighted_rows_have_the_levels_of_their_weights():
    found = two_classes(600)
    right = [np.where(rows[:, 0] > 0, 1.0, 1e-9) for rows in found.rows]
    only = replace(found, weights=tuple(right))
    for code, own in enumerate(density_regions(only, SHARES)):
        inside = own.hold(clouds(2, N_FRESH, 7)[code])
        to_the_right = clouds(2, N_FRESH, 7)[code][:, 0] > 0
        np.testing.assert_allclose(inside[to_the_right].mean(axis=0), SHARES, atol=0.08)


def test_without_held_out_rows_their_share_is_unknown():
    regions = density_regions(two_classes(30), SHARES)
    found = region_shares(regions, [np.empty((0, 2)), np.zeros((4, 2))])
    assert [of.held_out for of in found[:3]] == [None] * 3
    assert [(of.code, of.share) for of in found] == [(c, s) for c in (0, 1) for s in SHARES]
    assert [of.held_out for of in found[3:]] == [1.0] * 3


def test_points_beyond_the_grid_are_in_no_region():
    (own, _) = density_regions(two_classes(30), SHARES)
    assert not own.hold(np.array([[1e6, 0.0], [0.0, -1e6]])).any()
