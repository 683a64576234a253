"""A figure for print holds what the page's own routes send, and only its owner's runs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest

from callbacks.routes.publication import MAX_PANELS
from melm_studio.planes.encoding import compact
from melm_studio.planes.figure import plane_frame
from melm_studio.publication import printing as publication
from tests.callbacks.tables import blobs, csv

NASTY = "</text><script>alert(1)</script>"


@pytest.fixture(scope="module")
def finished(studio):
    """A visitor's MELM and PCA runs on a table with a nasty label."""
    visitor = studio.visitor()
    visitor.choose_file(csv(blobs(n_rows=80, labels=(NASTY, "b"))), "pots & <pans>.csv")
    runs = [visitor.start(method=method) for method in ("melm", "pca")]
    studio.work()
    return SimpleNamespace(visitor=visitor, runs=runs)


@pytest.fixture
def printed(monkeypatch) -> list[Any]:
    """The panels of each figure that is printed from now on."""
    train: list[Any] = []

    def note(panels, style, file_format):
        train.append(panels)
        return publication.PrintedFigure(b"", ())

    monkeypatch.setattr(publication, "print_figure", note)
    return train


def figure(visitor, *panels: dict, expected: int = 200, **other):
    answer = visitor.http.post("/figure", json={"panels": panels, **other})
    assert answer.status_code == expected, answer.text
    return answer


@pytest.mark.parametrize(
    "query", [{}, {"gamma": "0.5"}, {"n_top_features": "2", "edits": "0:0.5:0.25"}], ids=str
)
def test_a_figure_holds_the_arrays_that_the_page_draws(finished, printed, query):
    visitor, (run, other) = finished.visitor, finished.runs
    view = {**query, "toward": other}
    figure(visitor, {"run": run, "plane": 0, "view": view, "n_arrows": 3})
    ((panel,),) = printed
    sent = visitor.http.get(f"/runs/{run}/planes/0", query_string=view).json
    assert sent["traces"] == plane_frame(panel.view, compact)
    np.testing.assert_allclose(panel.box, sent["limits"])
    assert panel.n_arrows == 3
    ranked = visitor.http.get(f"/runs/{run}/planes/0/features", query_string=view).json["features"]
    assert panel.unseen >= {one["feature"] for one in ranked if not one["is_seen"]}
    assert not panel.unseen & {one["feature"] for one in ranked if one["is_seen"]}


def test_limits_classes_and_rows_are_those_of_the_page(finished, printed):
    run = finished.runs[0]
    box = [[-1.0, 2.0], [0.0, 1.0]]
    style = finished.visitor.http.get(f"/runs/{run}/figure").json
    kinds = [trace["meta"] for trace in style["plane"]["data"]]
    rows = style["rows"][kinds.index({"kind": "train", "class": 0})][:3]
    panel = {"run": run, "limits": box, "classes": [0], "rows": rows}
    figure(finished.visitor, panel)
    ((shown,),) = printed
    np.testing.assert_array_equal(shown.box, box)
    assert shown.shown_classes == {0}
    chosen = [int(part.sum()) for pair in shown.selected for part in pair]
    assert chosen == [3, 0, 0, 0]


def test_points_have_the_colors_and_shapes_of_the_page(finished, printed):
    run, http = finished.runs[0], finished.visitor.http
    figure(finished.visitor, {"run": run, "color_by": "x", "shape_by": "label"})
    ((panel,),) = printed
    kinds = [trace["meta"] for trace in http.get(f"/runs/{run}/figure").json["plane"]["data"]]
    for kind, shown, column in (("colors", panel.colors, "x"), ("symbols", panel.shapes, "label")):
        sent = http.get(f"/runs/{run}/{kind}", query_string={"column": column}).json
        for code in range(2):
            for name, marks in zip(("train", "held_out"), shown.of(code), strict=True):
                position = kinds.index({"kind": name, "class": code})
                assert list(marks) == sent["marks"][position]
        assert [entry.text for entry in shown.marks.legend] == [e["text"] for e in sent["legend"]]


def test_a_column_that_the_table_does_not_have_is_refused(finished):
    panel = {"run": finished.runs[0], "color_by": "moon"}
    assert "moon" in figure(finished.visitor, panel, expected=400).json["words"]


def test_axis_titles_name_the_share_of_variance(finished, printed):
    figure(finished.visitor, {"run": finished.runs[1]})
    ((panel,),) = printed
    first, second = panel.axis_titles
    assert first.startswith("Component 1, ")
    assert second.endswith(" % of variance")


@pytest.mark.parametrize(
    ("file_format", "mimetype"),
    [("pdf", "application/pdf"), ("svg", "image/svg+xml"), ("png", "image/png")],
)
def test_a_figure_of_two_runs_is_a_file_of_that_format(finished, file_format, mimetype):
    panels = [{"run": run} for run in finished.runs]
    style = {"width": 120, "height": 70, "dpi": 72}
    answer = figure(finished.visitor, *panels, style=style, format=file_format)
    assert answer.mimetype == mimetype
    name = unquote(answer.headers["Content-Disposition"])
    assert name.endswith(f"filename=pots-pans--melm-comparison.{file_format}")
    assert b"<script" not in answer.data
    assert answer.headers["X-Notes"] == ""


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"panels": []}, f"a list of 1 to {MAX_PANELS} panels"),
        ({"panels": [{}]}, "The run is missing"),
        ({"panels": [{"run": "RUN", "plane": -1}]}, "The plane number"),
        ({"panels": [{"run": "RUN", "view": {"gamma": "x"}}]}, "γ"),
        ({"panels": [{"run": "RUN"}], "format": "gif"}, "one of pdf, png, svg"),
        ({"panels": [{"run": "RUN"}], "style": {"dpi": 5}}, "The resolution in dpi"),
        (
            {"panels": [{"run": "RUN"}], "style": {"width": 400, "height": 400, "dpi": 1200}},
            "million pixels",
        ),
        (None, "The figure"),
    ],
)
def test_a_request_that_breaks_a_rule_is_refused_in_a_sentence(finished, body, words):
    for panel in (body or {}).get("panels", ()):
        if panel.get("run") == "RUN":
            panel["run"] = finished.runs[0]
    answer = finished.visitor.http.post("/figure", json=body)
    assert answer.status_code == 400
    assert words in answer.json["words"]


def test_a_run_of_another_visitor_is_not_found(finished, visitor):
    figure(visitor, {"run": finished.runs[0]}, expected=404)


def test_a_plane_that_does_not_exist_is_not_found(finished):
    figure(finished.visitor, {"run": finished.runs[0], "plane": 10**6}, expected=404)
