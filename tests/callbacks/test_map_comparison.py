"""A map that came with a table is drawn as it is, beside a plane, and never called real."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from melm_core.answers import LABELS_MAY_BE_USED
from melm_studio.layout import ids
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.runs.records.run import RunState
from tests.callbacks.tables import csv

AXES = ("umap_1", "umap_2")


def table(n_rows: int = 90, others: int = 4) -> pd.DataFrame:
    """Noise with a map that labels have made: three clusters, stretched to one side."""
    stream = np.random.default_rng(0)
    y = stream.integers(0, 3, n_rows)
    frame = pd.DataFrame({f"x{at}": stream.normal(size=n_rows) for at in range(others)})
    frame[AXES[0]] = 40.0 * y + stream.normal(size=n_rows)
    frame[AXES[1]] = 7.0 + stream.normal(size=n_rows)
    return frame.assign(label=np.array(["a", "b", "c"])[y])


@pytest.fixture(scope="module")
def owner(studio):
    visitor = studio.visitor()
    visitor.choose_file(csv(table()), "map.csv")
    return visitor


@pytest.fixture(scope="module")
def compared(studio, owner):
    changes = owner.fire(
        ids.DATA, "data", owner.values[f"{ids.DATA}.data"], into=f"{ids.MODE}.value"
    )
    studio.work()
    return changes


def runs(studio, visitor):
    return [studio.store.get(run) for run in visitor.panels()]


def test_axes_of_a_map_are_no_features_where_others_are(studio, owner):
    assert studio.data_of(owner).feature_names == ("x0", "x1", "x2", "x3")


@pytest.mark.slow
def test_a_dropped_map_is_compared_with_a_plane_at_once(studio, owner, compared):
    assert compared[f"{ids.MODE}.value"] == "compare"
    of_map, plane = runs(studio, owner)[:2]
    assert (of_map.name, plane.method) == ("umap_1 and umap_2", "melm")
    assert {run.state for run in (of_map, plane)} == {RunState.DONE}
    assert plane.data_id == studio.data_of(owner).content_hash != of_map.data_id


@pytest.mark.slow
def test_it_is_begun_once(studio, owner, compared):
    n_panels = len(owner.panels())
    again = owner.fire(ids.DATA, "data", owner.values[f"{ids.DATA}.data"], into=f"{ids.MODE}.value")
    assert not again
    assert len(owner.panels()) == n_panels


@pytest.mark.slow
def test_its_verdict_is_no_yes_and_says_why(studio, owner, compared):
    of_map = runs(studio, owner)[0]
    verdict = owner.news(of_map.run_id)["verdict"]
    assert verdict["answer"] == "unknown"
    assert verdict["lead"].startswith("Cannot be decided")
    assert LABELS_MAY_BE_USED in verdict["follow"]
    report = owner.http.get(f"/runs/{of_map.run_id}/report.html").get_data(as_text=True)
    assert LABELS_MAY_BE_USED in report


@pytest.mark.slow
def test_the_held_out_rows_of_a_map_are_no_yes_before_the_check(studio):
    visitor = studio.visitor()
    visitor.choose_file(csv(table(others=0)), "alone.csv")  # the only features: so they stay
    run = visitor.start(method="lda")
    studio.work()
    verdict = visitor.news(run)["verdict"]
    assert verdict["answer"] == "unknown"
    assert verdict["lead"].endswith("of held-out rows are told apart")
    assert LABELS_MAY_BE_USED in verdict["notes"]


@pytest.mark.slow
def test_it_is_drawn_with_its_own_axes_and_shape(studio, owner, compared):
    of_map = runs(studio, owner)[0]
    event = studio.store.last_event(of_map.run_id)
    viewer = PlaneRenderer(studio.store).planes.viewer(of_map)
    axes = viewer.standardized(event.components)  # of the columns, which the run did not scale
    assert axes[0, 0] > 0.0
    np.testing.assert_allclose(axes, axes[0, 0] * np.eye(2), atol=1e-12)
    turned = viewer.coordinates(event.components) @ np.array([[0.0, 1.0], [-1.0, 0.0]])
    np.testing.assert_array_equal(viewer.oriented(event.components, turned), axes)


@pytest.mark.parametrize("name", ["plain", "requested"])
def test_other_tables_and_views_of_a_link_begin_nothing(studio, name):
    visitor = studio.visitor()
    has_map = name == "requested"
    visitor.choose_file(csv(table() if has_map else table().drop(columns=list(AXES))), "other.csv")
    visitor.values[f"{ids.REQUESTED}.data"] = {"view": {}} if has_map else None
    data = visitor.values[f"{ids.DATA}.data"]
    assert not visitor.fire(ids.DATA, "data", data, into=f"{ids.MODE}.value")
    assert visitor.panels() == []
