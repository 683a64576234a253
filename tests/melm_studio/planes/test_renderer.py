"""Planes are drawn from the run's own data, split and gamma, once."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest

from lab.driver.traces import enclosed
from melm_core.density import PlaceRegions
from melm_studio.planes.class_outlines import CONTOUR_SHARES, region_lines
from melm_studio.planes.figure import plane_frame
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.types import Places
from melm_studio.planes.unseen import UnseenRows
from melm_studio.planes.view_options import Shown, ViewOptions
from melm_studio.workers.execute import execute_queued
from tests.melm_studio.runs.helpers import blobs, queue_run

DATA = blobs()


@pytest.fixture
def renderer(store):
    return PlaneRenderer(store)


def finished(store, **parameters):
    """A run worked to its end, and its last event."""
    record = queue_run(store, DATA, "pca", **parameters)
    execute_queued(store)
    return store.get(record.run_id), store.last_event(record.run_id)


def test_a_plane_is_drawn_with_the_split_of_its_run_and_both_kernel_widths(store, renderer):
    record, event = finished(store, held_out=0.3, random_state=4, gamma=0.5)
    drawn = renderer.view(Shown.of(record, event))
    train, _ = DATA.split(0.3, 4)
    centered = replace(DATA, X=DATA.X - train.X.mean(axis=0))
    viewer = PlaneViewer(*centered.split(0.3, 4), 1.0)
    expected = viewer.at(0.5, 1.0).view(event.components)
    for found, wanted in zip(drawn.classes, expected.classes, strict=True):
        np.testing.assert_allclose(found.train, wanted.train, atol=1e-12)
        np.testing.assert_allclose(found.held_out, wanted.held_out, atol=1e-12)
        np.testing.assert_allclose(found.fitted_region, wanted.regions[1], atol=1e-9)
    assert asdict(drawn.scores) == pytest.approx(asdict(expected.scores))
    searched = viewer.at(0.5).view(event.components).scores
    assert drawn.scores.divergence_held_out == pytest.approx(searched.divergence_held_out)


def split_run(store, **parameters):
    """A run that holds a third out, its last event, and the held-out rows where it draws them."""
    record, event = finished(store, held_out=0.3, **parameters)
    renderer = PlaneRenderer(store)
    _, held_out = renderer.planes.viewer(record).parts
    axes = renderer.planes.axes(Shown.of(record, event, ViewOptions()))[
        : min(2, record.parameters.n_components)
    ]
    return renderer, record, event, (held_out.X @ axes.T, held_out.y)


def test_regions_at_rest_are_those_of_held_out_rows(store):
    renderer, record, event, (places, y) = split_run(store)
    view = renderer.view(Shown.of(record, event))
    expected = PlaceRegions.of(places, y, CONTOUR_SHARES, gamma=record.density_gamma)
    for code, (part, region) in enumerate(zip(view.classes, expected.on_grid(72), strict=True)):
        lines, levels = region_lines(region)
        np.testing.assert_allclose(part.contours, lines, atol=1e-9)
        assert part.levels == levels
        own = places[y == code]
        np.testing.assert_allclose(part.held_out, own)
        np.testing.assert_allclose(part.ellipses.center, own.mean(axis=0))
        np.testing.assert_allclose(part.centroid[0], own.mean(axis=0))
        assert np.abs(own - part.name_place).sum(axis=1).min() < 1e-9
        assert (lines[np.isfinite(lines[:, 0])] >= view.lower).all()
    as_fitted = renderer.view(Shown.of(record, event, ViewOptions(places=Places.FITTED)))
    np.testing.assert_array_equal(as_fitted.classes[0].contours, view.classes[0].contours)
    assert view.moves is None  # rows lie where the plane that never saw them puts them


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_shares_of_regions_are_those_of_held_out_rows_in_what_is_drawn(store, n_components):
    renderer, record, event, (places, y) = split_run(store, n_components=n_components)
    shares = renderer.regions(Shown.of(record, event))
    expected = PlaceRegions.of(places, y, CONTOUR_SHARES, gamma=record.density_gamma)
    for found in shares:
        at = CONTOUR_SHARES.index(found.share)
        assert found.held_out == expected.held[found.code][at]
        if n_components > 1:
            part = renderer.view(Shown.of(record, event)).classes[found.code]
            inside = enclosed(part.regions[at], part.train)
            assert found.training == pytest.approx(inside.mean(), abs=0.05)
    assert len(shares) == np.isfinite(expected.log_levels).sum() > 0


def test_a_plane_that_is_changed_or_passes_by_has_regions_as_fitted(store):
    record = queue_run(store, DATA, "melm", held_out=0.3)
    execute_queued(store)
    record, renderer = store.get(record.run_id), PlaneRenderer(store)
    last = store.last_event(record.run_id)
    for event, options in [
        (store.event(record.run_id, 0), ViewOptions()),
        (last, ViewOptions(n_top_features=3)),
    ]:
        view = renderer.view(Shown.of(record, event, options))
        assert not any(len(part.fitted_region) for part in view.classes)
    assert all(len(part.fitted_region) for part in renderer.view(Shown.of(record, last)).classes)


@pytest.mark.parametrize("n_components", [1, 2])
def test_a_class_without_a_held_out_row_has_no_region(store, n_components):
    renderer, record, event, _ = split_run(store, n_components=n_components)
    viewer = renderer.planes.viewer(record)
    every = UnseenRows.of_held_out(viewer.parts[1], event.components)
    kept = every.y != 1
    unseen = replace(every, places=every.places[kept], y=every.y[kept])
    view = viewer.view(event.components, unseen=unseen)
    first, second, _ = view.classes
    assert len(first.contours) > 100
    assert not len(second.contours)
    assert len(plane_frame(view, np.asarray)) > 0
    assert {one.code for one in viewer.regions(event.components, unseen)} == {0, 2}
    if n_components == 2:
        assert (1, 0.5) in view.missing


def test_every_picture_lies_about_the_mean_of_the_training_rows(store, renderer):
    record, event = finished(store, held_out=0.3)
    drawn = renderer.view(Shown.of(record, event))
    points = np.concatenate([view.train for view in drawn.classes])
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-12)


def test_a_second_tab_gets_the_plane_that_is_drawn_already(store, renderer):
    record, event = finished(store)
    assert renderer.view(Shown.of(record, event)) is renderer.view(Shown.of(record, event))


def test_a_plane_that_a_request_holds_is_drawn_without_a_look_at_the_store(store, renderer):
    record, event = finished(store)
    expected = PlaneRenderer(store).view(Shown.of(record, event))
    store.delete(record.run_id)
    assert renderer.view(Shown.of(record, event)).scores == expected.scores
