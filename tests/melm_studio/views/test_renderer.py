"""Planes are drawn from the run's own data, split and gamma, once."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest

from melm_studio.views.plane_view import PlaneViewer
from melm_studio.views.renderer import DataGoneError, Gallery
from melm_studio.worker.execution.inline import InlineRunner
from tests.melm_studio.worker.helpers import blobs, queue_run, run_of

DATA = blobs()


@pytest.fixture
def gallery(store):
    return Gallery(store)


def finished(store, **parameters):
    """A run worked to its end, and its last event."""
    record = queue_run(store, DATA, "pca", **parameters)
    InlineRunner(store).drain()
    return store.get(record.run_id), store.last_event(record.run_id)


def test_a_plane_is_drawn_with_the_split_and_gamma_of_its_run(store, gallery):
    record, event = finished(store, held_out=0.3, random_state=4, gamma=0.5)
    drawn = gallery.view(record, event)
    centred = replace(DATA, X=DATA.X - DATA.X.mean(axis=0))
    expected = PlaneViewer(*centred.split(0.3, 4), 0.5).view(event.components)
    for found, wanted in zip(drawn.classes, expected.classes, strict=True):
        np.testing.assert_allclose(found.seen, wanted.seen, atol=1e-12)
        np.testing.assert_allclose(found.unseen, wanted.unseen, atol=1e-12)
        np.testing.assert_allclose(found.contours, wanted.contours, atol=1e-9)
    assert asdict(drawn.scores) == pytest.approx(asdict(expected.scores))


def test_every_picture_lies_about_the_mean_of_all_rows(store, gallery):
    record, event = finished(store, held_out=0.3)
    drawn = gallery.view(record, event)
    points = np.concatenate([part for view in drawn.classes for part in (view.seen, view.unseen)])
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-12)


def test_the_data_of_a_run_are_those_that_were_put(store, gallery):
    record, _ = finished(store)
    assert gallery.data(record).content_hash == DATA.content_hash


def test_a_second_tab_gets_the_plane_that_is_drawn_already(store, gallery):
    record, event = finished(store)
    assert gallery.view(record, event) is gallery.view(record, event)


def test_runs_that_differ_in_the_method_only_share_what_draws_them(store, gallery):
    first, second = (queue_run(store, DATA, method) for method in ("pca", "lda"))
    assert gallery.viewer(first) is gallery.viewer(second)


@pytest.mark.parametrize("change", [{"gamma": 2.0}, {"held_out": 0.2}, {"random_state": 9}])
def test_runs_that_are_drawn_differently_share_nothing(store, gallery, change):
    first, second = queue_run(store, DATA), queue_run(store, DATA, **change)
    assert gallery.viewer(first) is not gallery.viewer(second)


def test_data_that_are_gone_are_named(store, gallery):
    record = run_of(data_id="gone")
    for draw in (gallery.data, gallery.viewer):
        with pytest.raises(DataGoneError, match="gone"):
            draw(record)


def test_data_of_another_owner_are_gone_too(store, gallery):
    store.put_data("bob", DATA.content_hash, DATA.to_bytes())
    with pytest.raises(DataGoneError):
        gallery.viewer(run_of("ada", DATA.content_hash))


def test_a_run_deleted_before_it_is_drawn_is_gone(store, gallery):
    record, event = finished(store)
    store.delete(record.run_id)
    with pytest.raises(DataGoneError):
        gallery.view(record, event)
