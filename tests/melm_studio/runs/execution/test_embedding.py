"""Coordinates of a map that takes long are computed once, by the worker of its run."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.methods.wrappers.neighbor_embedding import TSNEProjection
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.view_options import Shown
from melm_studio.runs.execution.rows import kept_embedding, split_of, with_embedding
from melm_studio.runs.records.outcome import NO_OUTCOME, FitOutcome
from melm_studio.runs.records.run import RunState
from melm_studio.workers.execute import execute_queued
from tests.melm_studio.runs.helpers import blobs, queue_run, run_of

DATA = blobs(n_rows=60)


def worked(store, method):
    record = queue_run(store, DATA, method, held_out=0.25)
    execute_queued(store)
    return store.get(record.run_id)


def test_a_run_is_drawn_from_the_coordinates_that_it_kept(store, monkeypatch):
    record = worked(store, "tsne")
    assert record.state is RunState.DONE
    train, held_out = split_of(DATA, record)
    expected = TSNEProjection().fit(train.X)

    def refuse(*_):
        pytest.fail("was fitted again")

    monkeypatch.setattr(TSNEProjection, "fit", refuse)
    rows, others = PlaneRenderer(store).planes.rows(record)
    np.testing.assert_array_equal(rows.X, expected.transform(train.X))
    np.testing.assert_array_equal(others.X, expected.transform(held_out.X))


def test_a_held_out_row_has_a_place_and_so_a_held_out_accuracy(store):
    record = worked(store, "tsne")
    scores = PlaneRenderer(store).view(Shown.of(record, store.last_event(record.run_id))).scores
    assert scores.accuracy_held_out > 0.9


@pytest.mark.parametrize("method", ["kpca", "pca"])
def test_other_methods_keep_no_coordinates(store, method):
    assert kept_embedding(store, worked(store, method)) is None


def test_where_coordinates_are_gone_they_are_computed_again(store, monkeypatch):
    record = worked(store, "tsne")
    renderer = PlaneRenderer(store)
    kept = renderer.planes.rows(record)
    monkeypatch.setattr(store, "report", lambda _: None)
    np.testing.assert_allclose(renderer.planes.rows(record)[0].X, kept[0].X)


def test_the_record_says_where_only_a_sample_is_embedded():
    train = split_of(DATA, run_of())[0]
    n_rows = len(train.y)
    assert with_embedding(NO_OUTCOME, np.zeros((n_rows, 2)), train) == NO_OUTCOME
    sample = with_embedding(NO_OUTCOME, np.zeros((7, 2)), train)
    assert sample == FitOutcome(n_embedded=7, n_training=n_rows)
