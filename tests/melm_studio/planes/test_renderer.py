"""Planes are drawn from the run's own data, split and gamma, once."""

from __future__ import annotations

import threading
from dataclasses import asdict, replace

import numpy as np
import pytest

from melm_core.methods import GAMMA
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.planes.renderer import DataGoneError, PlaneRenderer
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.workers.inline import InlineRunner
from tests.melm_studio.runs.helpers import blobs, queue_run, run_of

DATA = blobs()


@pytest.fixture
def renderer(store):
    return PlaneRenderer(store)


def finished(store, **parameters):
    """A run worked to its end, and its last event."""
    record = queue_run(store, DATA, "pca", **parameters)
    InlineRunner(store).drain()
    return store.get(record.run_id), store.last_event(record.run_id)


def test_a_plane_is_drawn_with_the_split_of_its_run_and_both_kernel_widths(store, renderer):
    record, event = finished(store, held_out=0.3, random_state=4, gamma=0.5)
    drawn = renderer.view(record, event)
    train, _ = DATA.split(0.3, 4)
    centered = replace(DATA, X=DATA.X - train.X.mean(axis=0))
    viewer = PlaneViewer(*centered.split(0.3, 4), 1.0)
    expected = viewer.at(0.5, 1.0).view(event.components)
    for found, wanted in zip(drawn.classes, expected.classes, strict=True):
        np.testing.assert_allclose(found.train, wanted.train, atol=1e-12)
        np.testing.assert_allclose(found.held_out, wanted.held_out, atol=1e-12)
        np.testing.assert_allclose(found.contours, wanted.contours, atol=1e-9)
    assert asdict(drawn.scores) == pytest.approx(asdict(expected.scores))
    searched = viewer.at(0.5).view(event.components).scores
    assert drawn.scores.divergence_held_out == pytest.approx(searched.divergence_held_out)


def test_every_picture_lies_about_the_mean_of_the_training_rows(store, renderer):
    record, event = finished(store, held_out=0.3)
    drawn = renderer.view(record, event)
    points = np.concatenate([view.train for view in drawn.classes])
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-12)


def test_the_data_of_a_run_are_those_that_were_put(store, renderer):
    record, _ = finished(store)
    assert renderer.data(record).content_hash == DATA.content_hash


def test_a_second_tab_gets_the_plane_that_is_drawn_already(store, renderer):
    record, event = finished(store)
    assert renderer.view(record, event) is renderer.view(record, event)


def test_runs_that_differ_in_the_method_only_share_what_draws_them(store, renderer):
    default = {"gamma": GAMMA.default}
    first, second = (queue_run(store, DATA, method, **default) for method in ("pca", "lda"))
    assert renderer.viewer(first) is renderer.viewer(second)


@pytest.mark.parametrize("change", [{"gamma": 2.0}, {"held_out": 0.2}, {"random_state": 9}])
def test_runs_that_are_drawn_differently_share_nothing(store, renderer, change):
    first, second = queue_run(store, DATA), queue_run(store, DATA, **change)
    assert renderer.viewer(first) is not renderer.viewer(second)


def test_data_that_are_gone_are_named(store, renderer):
    record = run_of(data_id="gone")
    for draw in (renderer.data, renderer.viewer):
        with pytest.raises(DataGoneError, match="gone"):
            draw(record)


def test_data_of_another_owner_are_gone_too(store, renderer):
    store.put_file("bob", FileKind.DATA, DATA.content_hash, DATA.to_bytes())
    with pytest.raises(DataGoneError):
        renderer.viewer(run_of("ada", DATA.content_hash))


def test_a_plane_that_a_request_holds_is_drawn_without_a_look_at_the_store(store, renderer):
    record, event = finished(store)
    expected = PlaneRenderer(store).view(record, event)
    store.delete(record.run_id)
    assert renderer.view(record, event).scores == expected.scores


def test_requests_at_once_prepare_the_rows_once(store, renderer, monkeypatch):
    record, _ = finished(store)
    n_at_once, started = 4, threading.Barrier(4)
    prepared = []
    prepare = PlaneViewer.__init__

    def note(self, *arguments):
        prepared.append(arguments)
        prepare(self, *arguments)

    def request() -> None:
        started.wait()
        renderer.viewer(record)

    monkeypatch.setattr(PlaneViewer, "__init__", note)
    threads = [threading.Thread(target=request) for _ in range(n_at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(prepared) == 1


def test_runs_that_differ_in_gamma_alone_share_their_rows(store, renderer, monkeypatch):
    (one, _), (other, _) = finished(store, gamma=0.5), finished(store, gamma=2.0)
    first = renderer.viewer(one)
    monkeypatch.setattr(PlaneViewer, "__init__", None)
    assert (first.gamma, renderer.viewer(other).gamma) == (0.5, 2.0)


def test_the_questions_of_a_table_are_read_once(store, renderer, monkeypatch):
    record, _ = finished(store)
    assert renderer.questions(record) == DATA.questions
    monkeypatch.setattr(renderer, "data", lambda _: pytest.fail("The data are read again."))
    assert renderer.questions(record) == DATA.questions
