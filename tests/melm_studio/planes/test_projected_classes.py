"""Planes of many rows are drawn from transforms that several kernel widths share."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.density import ClassSeries, class_densities
from melm_core.density.engines.near_rows import NearClasses
from melm_core.density.engines.nufft import Box
from melm_core.melm import divergence_in_plane
from melm_studio.planes import projected_classes
from melm_studio.planes.plane_view import PlaneViewer
from tests.melm_core.helpers import classes, labeled_data, plane

TRAIN, HELD_OUT = labeled_data(*classes(3, 5)).split(0.3, random_state=0)
GAMMAS = (0.9, 1.3, 5.0)


def mass_middle(lines):
    return np.nanmean(lines, axis=0)


@pytest.fixture
def as_many(monkeypatch):
    monkeypatch.setattr(projected_classes, "MANY_ROWS", 0)


@pytest.mark.parametrize(
    ("n_components", "gamma", "few_modes"),
    [
        *((n, gamma, class_densities.FEW_MODES) for n in (1, 2, 3) for gamma in GAMMAS),
        (2, 0.3, 0),
        (2, 0.1, 0),
        (3, 0.3, 0),
    ],
)
def test_what_many_rows_show_is_what_few_show(gamma, n_components, few_modes, monkeypatch):
    components = plane(n_components, 5)
    few = PlaneViewer(TRAIN, HELD_OUT, 1.0, n_components)
    expected = few.at(gamma).view(components)
    monkeypatch.setattr(projected_classes, "MANY_ROWS", 0)
    monkeypatch.setattr(class_densities, "FEW_MODES", few_modes)
    if n_components < 3:
        monkeypatch.setattr(class_densities, "MODES_PER_ROW", 10_000)
    viewer = PlaneViewer(TRAIN, HELD_OUT, 1.0, n_components).at(gamma)
    found = viewer.view(components)
    assert found.scores.accuracy_train == expected.scores.accuracy_train
    assert found.scores.accuracy_held_out == expected.scores.accuracy_held_out
    assert viewer.divergence(components) == pytest.approx(
        few.at(gamma).divergence(components), abs=1e-9
    )
    if gamma == 0.1:  # regions of so few rows reach farther than prepared sums are exact
        return
    side = (expected.upper - expected.lower).max()
    for one, other in zip(found.classes, expected.classes, strict=True):
        np.testing.assert_allclose(
            mass_middle(one.contours), mass_middle(other.contours), rtol=0, atol=0.02 * side
        )


@pytest.mark.slow
def test_another_kernel_width_passes_over_no_row_again(as_many, monkeypatch):
    # As if direct sums took longer than transforms of these few rows.
    monkeypatch.setattr(class_densities, "DIRECT_EVALUATIONS", 0)
    monkeypatch.setattr(class_densities, "SECONDS_PER_PAIR", 1.0)
    viewer, components = PlaneViewer(TRAIN, HELD_OUT, 1.0), plane(2, 5)
    viewer.view(components)
    viewer.divergence(components)
    passed = []
    series_of = Box.series
    monkeypatch.setattr(Box, "series", lambda *parts: passed.append(1) or series_of(*parts))
    for gamma in (0.6, 1.0, 1.9):
        viewer.at(gamma).view(components)
        viewer.at(gamma).divergence(components)
    assert not passed
    viewer.at(2.1).view(components)
    assert len(passed) == len(TRAIN.class_names)


@pytest.mark.parametrize("factor", [0.1, 0.25, 0.3, 0.49, 0.5, 1.0, 1.99, 2.0, 10.0])
def test_a_band_holds_its_factor_and_narrow_kernels_get_narrow_bands(factor):
    least, most = projected_classes.band_of(factor)
    assert least * (1 - 1e-12) <= factor <= most
    modes_beyond_need = (factor / least) ** 2
    assert modes_beyond_need <= (16 if factor >= 0.5 else 2)


def test_densities_of_narrow_kernels_are_summed_over_near_rows(as_many, monkeypatch):
    monkeypatch.setattr(class_densities, "FEW_MODES", 0)
    monkeypatch.setattr(class_densities, "MODES_PER_ROW", 10_000)
    viewer, components = PlaneViewer(TRAIN, HELD_OUT, 1.0), plane(2, 5)
    classes = viewer._classes  # noqa: SLF001
    narrow, wide = (classes.class_rule(components, factor).classes for factor in (0.1, 3.0))
    assert isinstance(narrow.prepared.densities, NearClasses)
    assert classes.search_densities(components, 0.1).prepared.potentials.box.is_half
    assert isinstance(wide.prepared.densities, ClassSeries)  # nearly all rows are near


def test_the_least_band_begins_at_the_least_kernel_width_of_the_page():
    assert projected_classes.band_of(0.1)[0] == pytest.approx(0.1)


@pytest.mark.slow
def test_transforms_of_narrow_kernels_give_way_to_their_memory(as_many, monkeypatch):
    viewer, components = PlaneViewer(TRAIN, HELD_OUT, 1.0), plane(2, 5)
    densities = viewer._classes._densities  # noqa: SLF001
    for gamma in np.geomspace(0.1, 10, 12):
        viewer.at(gamma).view(components)
        assert densities.currsize <= projected_classes.MOST_DENSITY_BYTES
    assert densities.currsize == sum(
        of_class.nbytes for sums in densities.values() for of_class in sums.densities.series
    )


@pytest.mark.parametrize("most_bytes", [1_000, projected_classes.MOST_POTENTIAL_BYTES])
def test_potentials_of_narrow_kernels_serve_wider_ones(most_bytes, as_many, monkeypatch):
    monkeypatch.setattr(projected_classes, "MOST_POTENTIAL_BYTES", most_bytes)
    monkeypatch.setattr(class_densities, "FEW_MODES", 0)
    monkeypatch.setattr(class_densities, "MODES_PER_ROW", 10_000)
    monkeypatch.setattr(class_densities, "NEAR_SHARE", 1.0)
    viewer, components = PlaneViewer(TRAIN, HELD_OUT, 1.0), plane(2, 5)
    classes = viewer._classes  # noqa: SLF001
    classes.search_densities(components, 0.1)
    passed = []
    series_of = Box.series
    monkeypatch.setattr(Box, "series", lambda *parts: passed.append(1) or series_of(*parts))
    for factor in (0.2, 0.12, 0.3):
        assert classes.search_densities(components, factor).prepared.potentials is not None
    assert not passed
    classes.search_densities(plane(2, 5, seed=1), 0.3)  # of another plane
    assert len(passed) == len(TRAIN.class_names)


def test_potentials_of_narrow_kernels_do_not_serve_much_wider_ones(as_many, monkeypatch):
    monkeypatch.setattr(class_densities, "FEW_MODES", 0)
    monkeypatch.setattr(class_densities, "MODES_PER_ROW", 10_000)
    monkeypatch.setattr(class_densities, "NEAR_SHARE", 1.0)  # wide kernels have no series, either
    viewer, components = PlaneViewer(TRAIN, HELD_OUT, 1.0), plane(2, 5)
    classes = viewer._classes  # noqa: SLF001
    classes.search_densities(components, 0.1)
    for factor in (0.3, 0.6, 5.0):
        exact = classes._classes.widened(factor).project(components)  # noqa: SLF001
        found = divergence_in_plane(classes.search_densities(components, factor))
        assert found == pytest.approx(divergence_in_plane(exact), abs=1e-9)
