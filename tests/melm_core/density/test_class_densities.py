"""What is asked of class densities comes from the engine that is fastest, and from one that can."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lab.experiments.data import DATA_SETS
from melm_core.base.block_sources import ArrayBlocks
from melm_core.density import class_densities
from melm_core.density.class_densities import (
    ClassDensities,
    PreparedSums,
    direct_seconds,
    nufft_seconds,
)
from melm_core.density.covariances import bandwidth_factor
from melm_core.density.engines import direct_sums
from melm_core.density.engines import nufft as fourier
from melm_core.density.engines.direct_sums import DirectPotentials
from melm_core.density.engines.fourier_series import FourierPotentials, fourier_box
from melm_core.density.kernel_density import kernel_classes, kernel_classes_in_blocks
from melm_core.melm.objective import cauchy_schwarz_divergence
from tests.melm_core.helpers import classes, finite_differences, plane

DATA = Path(__file__).parents[4] / "shared" / "data"


def cloud(n_rows: int, k: int, gamma: float = 1.0):
    """Return two classes around one center, and their kernels."""
    rng = np.random.default_rng(k)
    rows = [rng.normal(size=(n_rows, k)) for _ in range(2)]
    kernel = bandwidth_factor(n_rows, k, gamma) ** 2 * np.eye(k)
    return ClassDensities(tuple(rows), np.stack([kernel, kernel]))


def _box(densities):
    return fourier_box(densities.rows, densities.covariances)[2]


def standardized(name: str):
    path = DATA / f"{name}.csv"
    if not path.is_file():
        pytest.skip("The data sets of the paper are not in ../shared/data.")
    frame = pd.read_csv(path)
    X = frame.drop(columns="label").to_numpy(dtype=float)
    widths = X.std(axis=0)
    kept = widths > 0
    return (X[:, kept] - X[:, kept].mean(axis=0)) / widths[kept], (frame["label"] > 0).to_numpy(int)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_weighted_derivatives_agree_with_finite_differences(k):
    X, y = classes(3, k)
    projected = kernel_classes(X, y, n_components=k)
    weights = np.triu(np.random.default_rng(0).normal(size=(3, 3)))

    def weighted_sum(rows, covariances):
        return float((weights * DirectPotentials(rows, covariances).log_values).sum())

    exact = DirectPotentials(projected.rows, projected.covariances)
    by_points, by_covariances = exact.weighted_derivatives(weights)
    for code in range(3):

        def moved(part, code=code):
            rows = list(projected.rows)
            rows[code] = part
            return weighted_sum(rows, projected.covariances)

        def widened(covariance, code=code):
            covariances = projected.covariances.copy()
            covariances[code] = 0.5 * (covariance + covariance.T)
            return weighted_sum(projected.rows, covariances)

        numeric = finite_differences(moved, projected.rows[code])
        np.testing.assert_allclose(by_points[code], numeric, atol=1e-6 * np.abs(numeric).max())
        numeric = finite_differences(widened, projected.covariances[code])
        np.testing.assert_allclose(by_covariances[code], numeric, atol=1e-6 * np.abs(numeric).max())


def test_few_rows_are_summed_directly_and_many_are_transformed():
    assert isinstance(cloud(50, 2).potentials(), DirectPotentials)
    assert isinstance(cloud(5_000, 2).potentials(), FourierPotentials)


def test_kernels_too_narrow_for_their_span_are_summed_directly(monkeypatch):
    densities = cloud(5_000, 2)
    assert densities.engine("potentials") == "transforms"
    monkeypatch.setattr(class_densities, "MOST_MODES", 100)
    assert densities.engine("potentials") == "direct"


def test_an_engine_that_is_asked_for_is_taken():
    assert isinstance(cloud(50, 2).potentials("nufft"), FourierPotentials)
    assert isinstance(cloud(500, 2).potentials("direct"), DirectPotentials)


def test_the_cost_of_both_engines_grows_with_what_they_sum():
    assert direct_seconds([200, 100]) == pytest.approx(4 * direct_seconds([100, 50]))
    narrow, wide = (_box(cloud(500, 2, gamma)) for gamma in (0.1, 1.0))
    assert nufft_seconds([500, 500], narrow) > nufft_seconds([500, 500], wide)
    assert nufft_seconds([10**6, 500], wide) > nufft_seconds([500, 500], wide)


def test_beyond_three_components_only_the_direct_engine_sums():
    densities = cloud(60, 4)
    message = 'engine="nufft" supports at most 3 components, not 4; use engine="auto"'
    with pytest.raises(ValueError, match=message):
        densities.potentials("nufft")
    assert isinstance(densities.potentials(), DirectPotentials)


@pytest.mark.parametrize("gamma", [1e-3, 1e-9])
def test_too_many_modes_are_refused_with_the_way_out(gamma):
    message = f"would need .* modes, more than the limit of {fourier.MOST_MODES:,}: .* gamma"
    with pytest.raises(ValueError, match=message):
        cloud(60, 2, gamma).potentials("nufft")


@pytest.mark.parametrize("k", [1, 2])
def test_the_engines_agree_with_outliers_at_fifty_sigma_and_narrow_kernels(k):
    X, y = classes(2, 5)
    X[[3, 30]] += 50.0 * X.std(axis=0)
    components = plane(k, 5)
    direct, nufft = (
        cauchy_schwarz_divergence(X, y, components, gamma=0.1, engine=engine, return_gradient=True)
        for engine in ("direct", "nufft")
    )
    assert nufft[0] == pytest.approx(direct[0], rel=1e-8)
    np.testing.assert_allclose(nufft[1], direct[1], atol=1e-8 * np.abs(direct[1]).max())


@pytest.mark.parametrize("gamma", [pytest.param(1.0, marks=pytest.mark.slow), 0.1])
@pytest.mark.parametrize("name", DATA_SETS)
def test_the_engines_agree_on_the_data_sets_of_the_paper(name, gamma):
    X, y = standardized(name)
    components = plane(min(2, X.shape[1] - 1), X.shape[1])
    direct, nufft = (
        cauchy_schwarz_divergence(
            X, y, components, gamma=gamma, engine=engine, return_gradient=True
        )
        for engine in ("direct", "nufft")
    )
    assert nufft[0] == pytest.approx(direct[0], rel=1e-8)
    np.testing.assert_allclose(nufft[1], direct[1], atol=1e-8 * np.abs(direct[1]).max())


@pytest.fixture
def plane_of_classes():
    X, y = classes(3, 4)
    return kernel_classes(X, y, n_components=2).project(np.eye(4)[:2])


def of_series(densities):
    """The same with a series of its rows."""
    series = densities.transformed(np.concatenate(densities.rows), (1.0, 1.0))
    return densities.with_sums(PreparedSums(series, series))


MANY = class_densities.DIRECT_EVALUATIONS + 1


@pytest.mark.parametrize(
    ("quantity", "few", "many", "prepared"),
    [
        ("potentials", "direct", "direct", "prepared"),
        ("potentials in planes", "direct", "direct", "direct"),
        ("log densities", "direct", "transforms", "transforms"),
        ("likeliest class", "direct", "transforms", "prepared"),
        ("grid", "direct", "transforms", "prepared"),
    ],
)
def test_the_engine_is_chosen_by_what_is_asked(quantity, few, many, prepared, plane_of_classes):
    assert plane_of_classes.engine(quantity) == few
    assert plane_of_classes.engine(quantity, n_evaluations=MANY) == many
    known = of_series(plane_of_classes)
    assert known.engine(quantity, n_evaluations=MANY) == prepared


@pytest.mark.parametrize("quantity", ["potentials", "log densities", "likeliest class"])
def test_rows_that_are_not_in_memory_are_summed_block_by_block(quantity):
    X, y = classes(2, 4)
    blocks = kernel_classes_in_blocks(ArrayBlocks(X, y, 50), n_components=2)
    assert blocks.project(np.eye(4)[:2]).engine(quantity, requested="direct") == "blocks"


def test_logarithms_of_rows_in_memory_are_exact_where_sums_are_prepared(plane_of_classes):
    # Within one class, in the tails of the others.
    apart = replace(
        plane_of_classes,
        rows=tuple(rows + 40.0 * code for code, rows in enumerate(plane_of_classes.rows)),
    )
    points = apart.rows[0]
    expected = apart.log_densities(points)
    np.testing.assert_array_equal(of_series(apart).log_densities(points), expected)
    assert expected.max() > -10.0
    assert expected.min() < -100.0


def test_a_sample_has_the_densities_of_all_rows(plane_of_classes):
    known = of_series(plane_of_classes)
    sample = ClassDensities(tuple(rows[::4] for rows in known.rows), known.covariances)
    of_all = sample.with_sums(known.prepared)
    assert (known.is_sample, sample.is_sample, of_all.is_sample) == (False, False, True)
    np.testing.assert_array_equal(of_all.totals, plane_of_classes.totals)
    points = plane_of_classes.rows[1]
    logs = plane_of_classes.log_densities(points)
    np.testing.assert_allclose(of_all.log_densities(points), logs, atol=1e-6)
    np.testing.assert_array_equal(of_all.most_likely(points), logs.argmax(axis=1))
    assert np.abs(sample.log_densities(points) - logs).max() > 0.1


def test_the_cost_of_potentials_is_that_of_the_faster_engine_and_none_once_prepared(
    plane_of_classes,
):
    rows = cloud(5_000, 2)
    assert 0.0 < rows.potential_seconds < direct_seconds([5_000, 5_000])
    assert plane_of_classes.potential_seconds == direct_seconds(plane_of_classes.counts.tolist())
    assert of_series(plane_of_classes).potential_seconds == 0.0


@pytest.mark.parametrize("most_separable", [0, 10**6])
def test_grids_of_weighted_rows_are_those_of_repeated_rows(
    most_separable, plane_of_classes, monkeypatch
):
    monkeypatch.setattr(class_densities, "SEPARABLE_ROWS", most_separable)
    weights = tuple(1.0 + (np.arange(len(rows)) % 3) for rows in plane_of_classes.rows)
    repeated = tuple(
        np.repeat(rows, own.astype(int), axis=0)
        for rows, own in zip(plane_of_classes.rows, weights, strict=True)
    )
    weighted = replace(plane_of_classes, weights=weights)
    for code in range(len(repeated)):
        one, other = (
            weighted.grid(code, 20),
            replace(plane_of_classes, rows=repeated).grid(code, 20),
        )
        np.testing.assert_allclose(one.density, other.density, atol=1e-9 * other.density.max())


@pytest.mark.parametrize("engine", class_densities.ENGINES)
def test_logarithms_can_be_asked_of_one_engine(engine, plane_of_classes):
    points = np.concatenate(plane_of_classes.rows)
    exact = plane_of_classes.log_densities(points, engine="direct")
    logs = plane_of_classes.log_densities(points, engine=engine)
    np.testing.assert_allclose(logs, exact, atol=1e-6)


def test_potentials_with_the_rows_themselves_are_those_of_the_classes(plane_of_classes):
    np.testing.assert_allclose(
        plane_of_classes.log_potentials_with(plane_of_classes.rows),
        plane_of_classes.potentials().log_values,
        rtol=1e-10,
    )


@pytest.mark.parametrize("engine", ["direct", "transforms", "series", "near rows"])
@pytest.mark.parametrize("gamma", [0.3, 1.0, 4.0])
def test_a_row_that_is_left_out_is_not_told_by_itself(gamma, engine, monkeypatch):
    X, y = classes(3, 2)
    X = X + np.random.default_rng(1).normal(size=X.shape)
    known = kernel_classes(X, y, n_components=2, gamma=gamma)
    rows = np.concatenate(known.rows)
    codes = np.repeat(np.arange(3), known.counts)
    expected = []
    for row in rows:
        others = [part[(part != row).any(axis=1)] for part in known.rows]
        logs = [
            direct_sums.log_density(row[None], part, covariance)[0]
            for part, covariance in zip(others, known.covariances, strict=True)
        ]
        expected.append(int(np.argmax(logs)))
    if engine in {"transforms", "near rows", "series"}:
        monkeypatch.setattr(class_densities, "DIRECT_EVALUATIONS", 0)
    if engine in {"near rows", "series"}:
        monkeypatch.setattr(class_densities, "FEW_MODES", 10**7 if engine == "series" else 0)
        known = known.with_sums(known.prepare_densities(rows, (1.0, 1.0)))
    found = known.most_likely(rows, codes)
    assert (found == expected).mean() > 0.99
    assert (known.most_likely(rows) == codes).mean() >= (found == codes).mean()
    np.testing.assert_array_equal(
        known.most_likely(rows, np.full(len(rows), -1)), known.most_likely(rows)
    )


def test_a_row_is_not_left_out_of_other_classes():
    rows = (np.array([[0.0], [5.0]]), np.array([[0.1], [0.2]]))
    known = ClassDensities(rows, np.ones((2, 1, 1)))
    points = np.array([[0.0], [0.1]])
    assert known.most_likely(points, np.array([0, 1])).tolist() == [1, 1]
    assert known.most_likely(np.array([[5.0]]), np.array([-1])).tolist() == [0]


def test_the_only_row_of_a_class_is_never_told_when_it_is_left_out():
    rows = (np.array([[0.0]]), np.array([[9.0], [10.0]]))
    known = ClassDensities(rows, np.ones((2, 1, 1)))
    assert known.most_likely(np.zeros((1, 1)), np.array([0])).tolist() == [1]
