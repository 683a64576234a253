"""The best plane in the history of a run."""

from __future__ import annotations

from melm_studio.runs.store.best_plane import best_event
from tests.melm_studio.runs.helpers import plane, run_of


def test_the_best_plane_is_the_one_with_the_largest_objective(store):
    record = run_of()
    store.create(record)
    assert best_event(store, record.run_id) is None
    for value in (1.0, 3.0, 2.0):
        store.append(record.run_id, plane(value))
    assert best_event(store, record.run_id).sequence == 1


def test_the_plane_of_all_rows_is_better_than_those_of_a_sample(store):
    record = run_of()
    store.create(record)
    for value, n_sampled in ((1.1, 2_000), (1.2, 2_000), (0.9, 0), (0.95, 0), (1.3, 2_000)):
        store.append(record.run_id, plane(value, n_sampled=n_sampled))
    assert best_event(store, record.run_id).sequence == 3
