"""A viewer shares the rows of its table instead of copying them for each use."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from melm_studio.planes.drawn_rows import RowSample
from melm_studio.planes.plane_view import PlaneViewer
from tests.melm_core.helpers import labeled_data, plane


# A wide table is kept a second time as the coordinates of the space that its rows span.
@pytest.mark.parametrize(("shape", "most_tables"), [((60, 3_000), 1.2), ((20_000, 8), 0.5)])
def test_a_viewer_holds_little_beside_its_rows(shape, most_tables):
    X = np.random.default_rng(0).normal(size=shape)
    train, held_out = labeled_data(X, np.repeat([0, 1], shape[0] // 2)).split(0.2, 0)
    tracemalloc.start()
    try:
        viewer = PlaneViewer(train, held_out, 1.0)
        viewer.view(plane(2, shape[1]))
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < most_tables * X.nbytes


def test_rows_that_are_not_sorted_by_class_are_drawn_alike():
    X = np.random.default_rng(0).normal(size=(60, 4))
    y = np.arange(60) % 3
    shuffled = labeled_data(X, y)
    viewer = PlaneViewer(*shuffled.split(0.2, 0), 1.0)
    ordered = PlaneViewer(*(part.by_class() for part in shuffled.split(0.2, 0)), 1.0)
    first, second = (each.view(plane(2, 4)) for each in (viewer, ordered))
    assert first.scores == second.scores
    for one, other in zip(first.classes, second.classes, strict=True):
        np.testing.assert_array_equal(one.train, other.train)
        np.testing.assert_array_equal(one.contours, other.contours)
    numbers = [rows.tolist() for rows in viewer.drawn_rows[0]]
    assert all(rows == sorted(rows) for rows in numbers)


def test_a_plane_is_aligned_by_rows_in_the_order_of_the_file():
    X = np.random.default_rng(0).normal(size=(60, 2))
    shuffled = labeled_data(X, np.arange(60) % 3)
    viewer = PlaneViewer(*shuffled.split(0.2, 0), 1.0)
    components = viewer.standardized(np.eye(2))
    np.testing.assert_allclose(viewer.coordinates(np.eye(2)), X @ components.T)


@pytest.mark.parametrize("n_chosen", [3, 50, 100])
def test_a_sample_projects_its_rows_and_copies_only_a_few(n_chosen):
    X = np.random.default_rng(0).normal(size=(100, 4))
    chosen = np.linspace(0, 99, n_chosen).astype(np.int64)
    sample = RowSample.of(X, chosen)
    np.testing.assert_allclose(sample.project(np.eye(2, 4)), X[chosen, :2])
    assert np.shares_memory(sample.X, X) == (n_chosen > 25)
