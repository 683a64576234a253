from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from melm_core.density import class_densities
from melm_core.density.class_densities import ClassDensities, PreparedSums
from melm_core.density.engines import distant_samples, fourier_series
from melm_core.density.engines.class_series import ClassSeries
from melm_core.density.engines.fourier_series import FourierPotentials
from melm_core.density.engines.nufft import Box, density
from melm_core.density.kernel_density import kernel_classes
from melm_core.melm import divergence_in_plane
from tests.melm_core.helpers import classes

FACTORS = (0.5, 2.0)


@pytest.fixture
def plane() -> ClassDensities:
    """Three classes in a plane."""
    X, y = classes(n_classes=3, n_features=4)
    return kernel_classes(X, y, n_components=2).project(np.eye(4)[:2])


@pytest.fixture
def points(plane) -> np.ndarray:
    """Rows, and places far from them."""
    return np.concatenate([plane.rows[0], 1.5 * plane.rows[1]])


def transformed(classes, points, factors=(1.0, 1.0)) -> ClassDensities:
    series = classes.transformed(points, factors)
    return classes.with_sums(PreparedSums(series, series))


def series_of(densities) -> ClassSeries:
    return densities.prepared.densities


@pytest.mark.slow
@pytest.mark.parametrize("factor", [0.5, 1.0, 2.0])
def test_potentials_and_densities_of_several_widths_agree_with_transforms_of_their_own(
    plane, points, factor, monkeypatch
):
    monkeypatch.setattr(class_densities, "DIRECT_EVALUATIONS", 0)
    shared = transformed(plane, points, FACTORS).widened(factor)
    own = plane.widened(factor)
    assert series_of(shared) is not None
    assert divergence_in_plane(shared) == pytest.approx(divergence_in_plane(own), abs=1e-9)
    np.testing.assert_array_equal(shared.most_likely(points), own.most_likely(points))
    for series in (series_of(shared), series_of(shared).cropped(own.covariances)):
        for code, (rows, covariance) in enumerate(zip(own.rows, own.covariances, strict=True)):
            expected = density(points, rows, covariance)
            found = series.density(points, code, covariance)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * expected.max())


def test_a_grid_holds_the_densities_at_its_points_and_all_of_the_mass(plane, points):
    series = series_of(transformed(plane, points))
    for code, (rows, covariance) in enumerate(zip(plane.rows, plane.covariances, strict=True)):
        x, y, found = series.density_on_grid(code, covariance, 60, 3.0)
        at = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2) @ np.linalg.inv(series.root)
        expected = density(at, rows, covariance).reshape(60, 60)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * expected.max())
        area = (x[1] - x[0]) * (y[1] - y[0]) / abs(np.linalg.det(series.root))
        assert found.sum() * area == pytest.approx(1.0, abs=1e-3)


def test_kernels_beyond_the_widths_that_were_asked_for_are_not_served(plane, points):
    series = series_of(transformed(plane, points, FACTORS))
    assert series.serves(plane.widened(2.0).covariances)
    assert not series.serves(plane.widened(2.1).covariances)
    assert not series.serves(plane.widened(0.49).covariances)


def test_more_modes_than_fit_into_memory_are_refused(plane, points):
    far = np.array([[1e5, 1e5]])
    assert series_of(transformed(plane, far, (0.01, 1.0))) is None


@pytest.mark.parametrize("n_components", [1, 2])
@pytest.mark.parametrize("factor", [0.5, 0.8, 2.0])
def test_half_of_the_modes_hold_the_potentials(n_components, factor):
    X, y = classes(n_classes=3, n_features=4)
    whole = kernel_classes(X, y, n_components=n_components).project(np.eye(4)[:n_components])
    series = ClassSeries.of(
        whole.rows, whole.covariances, whole.rows[0], factors=FACTORS, only_potentials=True
    )
    own = whole.widened(factor)
    expected = divergence_in_plane(own)
    for shared in (series, series.cropped(own.covariances)):
        found = divergence_in_plane(own.with_sums(PreparedSums(potentials=shared)))
        assert found == pytest.approx(expected, abs=1e-9)
    assert len(series.series[0]) == series.box.half_modes[0] + 1


@pytest.mark.slow
def test_classes_far_apart_have_a_divergence_and_no_derivatives(plane, points, monkeypatch):
    monkeypatch.setattr(fourier_series, "FAR_DIRECT_PAIRS", 0)
    monkeypatch.setattr(distant_samples, "MOST_PAIRS", 0)
    apart = replace(plane, rows=tuple(rows + 60.0 * at for at, rows in enumerate(plane.rows)))
    shared = transformed(apart, points)
    assert divergence_in_plane(shared) == pytest.approx(
        divergence_in_plane(apart, engine="direct"), rel=1e-9
    )
    potentials = FourierPotentials(shared.rows, shared.covariances, series=series_of(shared))
    with pytest.raises(ValueError, match="no derivatives"):
        potentials.weighted_derivatives(np.eye(3))


@pytest.mark.slow
def test_the_rows_are_passed_over_once(plane, points, monkeypatch):
    passed = []
    original = Box.series
    monkeypatch.setattr(Box, "series", lambda *arguments: passed.append(1) or original(*arguments))
    shared = transformed(plane, points, FACTORS)
    for factor in (0.5, 1.0, 2.0):
        divergence_in_plane(shared.widened(factor))
        series_of(shared).density(points, 0, shared.covariances[0])
    assert len(passed) == len(plane.rows)


def test_weights_count_as_repeated_rows(plane):
    weights = tuple(1.0 + (np.arange(len(rows)) % 3) for rows in plane.rows)
    repeated = [
        np.repeat(rows, own.astype(int), axis=0)
        for rows, own in zip(plane.rows, weights, strict=True)
    ]
    points = plane.rows[0]
    one = ClassSeries.of(plane.rows, plane.covariances, points, weights=weights)
    other = ClassSeries.of(repeated, plane.covariances, points)
    np.testing.assert_allclose(
        one.density(points, 0, plane.covariances[0]),
        other.density(points, 0, plane.covariances[0]),
        rtol=1e-9,
    )
