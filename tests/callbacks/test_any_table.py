"""Whatever table is thrown at the whole path, there is a picture or a sentence."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from lab.driver.visitor import components
from melm_core.methods import METHODS
from melm_studio.layout import ids
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.planes.types import PlaneView
from melm_studio.runs.execution.refusals import default_components
from melm_studio.tables.labeled_data import LabeledData
from melm_studio.tables.preparation import prepare
from melm_studio.tables.read import TableError, read_table
from tests.callbacks.odd_tables import tables

SUMMARY, ERROR = f"{ids.DATA_SUMMARY}.children", f"{ids.DATA_ERROR}.children"
SENTENCE = re.compile(r"[^\s<][^\n]+\.")
# Where the words of a table may stand: React shows all of these as text.
TEXT_PROPS = {"children", "title", "value", "label", "aria-label", "data-question"}

# What the summary of a table is written with.
SUMMARY_ELEMENTS = {"div", "input", "li", "span", "button", "summary", "ul"}
SUMMARY_ATTRIBUTES = {
    "class",
    "style",
    "type",
    "title",
    "data-class",
    "data-name",
    "aria-label",
    "aria-pressed",
    "placeholder",
}

few = settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
many = settings(max_examples=2_000, suppress_health_check=[HealthCheck.too_slow])


def follow_the_path(raw: bytes) -> None:
    """Read, prepare, split, project on a plane and draw; or a sentence."""
    try:
        data = prepare(read_table(raw, "any.csv"))
    except TableError as refusal:
        assert SENTENCE.fullmatch(str(refusal)), str(refusal)  # noqa: PT017
        return
    train, held_out = data.split(0.25, 0)
    assert len(train.y) + len(held_out.y) == len(data.y)
    n_components = default_components(data)
    if METHODS["pca"].refusal(train.X.shape[1], train.class_counts, n_components) is None:
        assert_drawn(view_of(train, held_out, n_components), train)


def view_of(train: LabeledData, held_out: LabeledData, n_components: int) -> PlaneView:
    directions = np.linalg.svd(train.X - train.X.mean(axis=0), full_matrices=False)[2]
    return PlaneViewer(train, held_out, 1.0, n_components).view(directions[:n_components])


def assert_drawn(view: PlaneView, train: LabeledData) -> None:
    assert len(view.classes) == len(train.class_names)
    assert np.isfinite([view.lower, view.upper]).all()
    for drawn in view.classes:
        assert np.isfinite(drawn.train).all()


def send_to_the_page(visitor, raw: bytes) -> None:
    """Upload and choose; then a summary stands on the page, or a sentence."""
    changes = visitor.choose_file(raw, "any.csv")
    if changes[ERROR] is not None:
        assert list(changes) == [ERROR]
        assert SENTENCE.fullmatch(changes[ERROR]), changes[ERROR]
        return
    visitor.values |= {f"{ids.COLUMNS_SEARCH}.value": "", f"{ids.COLUMNS_PAGE}.value": 1}
    data = visitor.values[f"{ids.DATA}.data"]
    window = visitor.fire(ids.TABLE_SHOWN, "data", data, ids.COLUMNS_TABLE)
    for part in components([changes[SUMMARY], window[f"{ids.COLUMNS_TABLE}.children"]]):
        assert part["type"] not in {"Markdown", "Iframe", "Script", "Link", "A"}
        written = part["props"].pop("data-markup", "")
        marked = {name for name, text in part["props"].items() if "<" in str(text)}
        assert all(name in TEXT_PROPS or isinstance(part["props"][name], list) for name in marked)
        SummaryMarkup().feed(written)


class SummaryMarkup(HTMLParser):
    """Finds no element or attribute but those that the page writes itself."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in SUMMARY_ELEMENTS
        assert {name for name, _ in attrs} <= SUMMARY_ATTRIBUTES


def test_any_table_is_drawn_or_refused():
    few(given(tables())(follow_the_path))()


def test_a_feature_that_varies_among_held_out_rows_alone_is_drawn():
    follow_the_path(b"x,class\n0.0,a\n0.0,b\n0.0,a\n0.0,b\n0.0,a\n-1.0,b\n")


def test_any_table_stands_on_the_page_or_is_refused(studio):
    visitor = studio.visitor()
    few(given(tables())(lambda raw: send_to_the_page(visitor, raw)))()


@pytest.mark.slow
def test_very_many_tables_are_drawn_or_refused():
    many(given(tables())(follow_the_path))()


@pytest.mark.slow
def test_very_many_tables_stand_on_the_page_or_are_refused(studio):
    visitor = studio.visitor()
    many(given(tables())(lambda raw: send_to_the_page(visitor, raw)))()
