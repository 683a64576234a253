"""The presenter's window shows the next view, of the visitor's own runs only."""

from __future__ import annotations

import numpy as np
import pytest

from lab.driver.traces import points

STORY = "kernel-width"
ADDRESS = "/presenter/picture"


def gaps(trace):
    """Count where lines of a trace end."""
    return int(np.isnan(points(trace)).any(axis=1).sum()) if trace.get("x") is not None else 0


@pytest.fixture(scope="module")
def teller(studio):
    """A visitor with a story, and its views."""
    visitor = studio.visitor()
    views = visitor.http.post(f"/stories/{STORY}", json={}).json["story"]["views"]
    return visitor, [view["view"] for view in views]


@pytest.mark.slow
def test_the_picture_is_that_of_the_view(teller):
    visitor, views = teller
    wide, *others = (visitor.http.post(ADDRESS, json=view).json for view in views)
    assert len(wide["styles"]) == len(wide["traces"])
    # The kernel width is that of the view: the narrower, the more parts contours have.
    n_parts = [sum(map(gaps, picture["traces"])) for picture in (wide, *others)]
    assert n_parts == sorted(set(n_parts))


def test_a_view_on_the_way_to_another_run_is_drawn_there(teller):
    visitor, (view, *_) = teller
    morph = {"method": view["method"], "parameters": view["parameters"], "share": 0.5}
    assert visitor.http.post(ADDRESS, json={**view, "morph": morph}).status_code == 200


@pytest.mark.parametrize("change", [{"method": "lda"}, {"data_id": ""}])
def test_a_view_without_a_run_has_no_picture_and_starts_none(studio, teller, change):
    visitor, (view, *_) = teller
    answer = visitor.http.post(ADDRESS, json={**view, **change})
    assert (answer.status_code, answer.data) == (204, b"")
    assert [run.kind for run in studio.store.runs_of(visitor.owner)].count("fit") == 1


def test_another_visitor_gets_no_picture(studio, teller):
    assert studio.visitor().http.post(ADDRESS, json=teller[1][0]).status_code == 204


def test_what_is_no_view_gets_a_sentence(visitor):
    answer = visitor.http.post(ADDRESS, json={"method": 3})
    assert answer.status_code == 400
    assert answer.json["words"]


def test_the_page_of_the_window_loads_one_script_and_nothing_else(visitor):
    page = visitor.http.get("/presenter").text
    (script,) = [line for line in page.splitlines() if "<script" in line]
    address = script.split('src="')[1].split('"')[0]
    with visitor.http.get(address) as answer:
        assert answer.status_code == 200
