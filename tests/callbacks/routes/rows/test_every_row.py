"""The layer of all rows draws the rows of the figure, and those that its sample leaves out."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from lab.driver.traces import arrays_in, points
from tests.callbacks.tables import blobs, csv

N_ROWS = 2_400
UNLABELED = [7, 9]
TWIN = 2_000  # has the values of the first of them


@pytest.fixture(scope="module", params=[1, 2, 3], ids=["line", "plane", "space"])
def finished(studio, request):
    """A run of more rows than a figure draws, of which some have no class."""
    visitor = studio.visitor()
    table = blobs(N_ROWS)
    table["z"] = np.random.default_rng(1).normal(size=N_ROWS)
    table.loc[UNLABELED[0], table.columns.drop("label")] = table.loc[TWIN]
    table.loc[UNLABELED, "label"] = np.nan
    visitor.choose_file(csv(table), "blobs.csv")
    run = visitor.start(method="pca", n_components=request.param)
    studio.work()
    get = visitor.http.get
    return SimpleNamespace(
        get=get,
        run=run,
        table=table,
        n_components=request.param,
        plane=visitor.news(run)["plane"],
        figure=get(f"/runs/{run}/figure").json,
    )


def every_point(finished, query=""):
    route = f"/runs/{finished.run}/planes/{finished.plane['sequence']}/every-point{query}"
    found = arrays_in(finished.get(route).data)
    return np.column_stack([found["x"], found["y"]])


def every_row(finished):
    found = arrays_in(finished.get(f"/runs/{finished.run}/every-row").data)
    return found["numbers"], found["classes"].astype(int), found["held_out"] == 1


@pytest.mark.slow
def test_every_row_is_there_with_its_class_and_its_part(finished):
    numbers, codes, is_held_out = every_row(finished)
    labels = finished.table["label"]
    np.testing.assert_array_equal(numbers, labels.index + 1)
    names = np.array([*finished.figure["classes"], "none"])
    np.testing.assert_array_equal(names[codes], labels.fillna("none"))
    assert not is_held_out[labels.isna()].any()
    assert is_held_out.mean() == pytest.approx(0.25, abs=0.01)
    assert len(every_point(finished)) == len(numbers)


@pytest.mark.slow
def test_rows_of_the_sample_are_where_the_figure_has_them(finished):
    numbers, codes, is_held_out = every_row(finished)
    every = every_point(finished)
    n_seen = 0
    assert finished.figure["is_sample"]
    for style, rows, trace in zip(
        finished.figure["plane"]["data"],
        finished.figure["rows"],
        finished.plane["traces"],
        strict=True,
    ):
        if not rows:
            continue
        at = np.searchsorted(numbers, rows)
        n_axes = min(2, finished.n_components)  # rows of a line are spread by their number
        np.testing.assert_allclose(every[at, :n_axes], points(trace)[:, :n_axes], atol=2e-4)
        assert set(codes[at]) == {style["meta"]["class"]}
        assert set(is_held_out[at]) == {style["meta"]["kind"] == "held_out"}
        n_seen += len(rows)
    assert n_seen == pytest.approx(2_000, abs=3)


def test_a_row_without_a_class_is_where_a_row_of_its_values_is(finished):
    assert finished.figure["unlabeled"] == len(UNLABELED)
    every = every_point(finished)
    n_axes = min(2, finished.n_components)
    without, twin = (every[row, :n_axes] for row in (UNLABELED[0], TWIN))
    np.testing.assert_allclose(without, twin, atol=1e-6)


def test_rows_of_a_line_lie_in_the_strip_of_their_class(finished):
    if finished.n_components != 1:
        pytest.skip("a line")
    _, codes, _ = every_row(finished)
    heights = every_point(finished)[:, 1]
    assert 0 >= heights[codes == 2].max() >= heights[codes == 2].min() > heights[codes == 0].max()
    assert heights[codes == 0].min() > heights[codes == 1].max()


def test_view_options_move_every_row(finished):
    moved = every_point(finished, "?edits=0" + finished.n_components * ":0.4")
    assert not np.allclose(moved, every_point(finished))


def test_an_answer_that_still_holds_is_not_sent_again(finished):
    for route in ("every-row", f"planes/{finished.plane['sequence']}/every-point"):
        path = f"/runs/{finished.run}/{route}"
        tag = finished.get(path).headers["ETag"]
        again = finished.get(path, headers={"If-None-Match": tag})
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["Cache-Control"] == "private, no-cache"
