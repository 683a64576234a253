"""What a visitor sees before Dash: the first look at data, or the frame of the page alone."""

from __future__ import annotations

import json
import re

from melm_studio.layout.page import FIRST_SAMPLE

QUESTION = "Can Barbera, Barolo and Grignolino be told apart?"


def first_look(page: str) -> str:
    """What the page asks for before Dash has rendered it."""
    (data,) = re.findall(r'data-preview="([^"]+)"', page)
    return data.replace("&quot;", '"')


def test_a_first_visit_begins_with_the_question_and_asks_for_its_picture(visitor):
    page = visitor.http.get("/").text
    before_dash, _ = page.split('id="react-entry-point"')
    assert QUESTION in before_dash
    asked = json.loads(first_look(page))
    assert asked["source"]["key"] == FIRST_SAMPLE
    assert visitor.http.post("/preview?scheme=light", json=asked).json["question"] == QUESTION


def test_the_first_page_of_a_link_shows_no_data_and_that_of_runs_no_look(visitor):
    page = visitor.http.get("/", query_string={"view": "{}"}).text
    before_dash, _ = page.split('id="react-entry-point"')
    assert "data-preview" not in page
    assert "First look at the data" in before_dash
    visitor.choose_sample("iris")
    visitor.start(method="lda")
    before_dash, _ = visitor.http.get("/").text.split('id="react-entry-point"')
    assert "First look at the data" not in before_dash


def test_the_script_of_the_first_page_knows_the_data_of_a_first_visit(visitor):
    page = visitor.http.get("/").text
    (known,) = re.findall(r"const first = (\{.*\});", page)
    assert json.loads(known) == json.loads(first_look(page))["source"]


def test_a_run_can_begin_with_the_data_of_the_first_page(studio, visitor):
    data = json.loads(first_look(visitor.http.get("/").text))
    (run,) = visitor.http.post("/runs", json={"data": data}).json["runs"]
    visitor.choose_sample(FIRST_SAMPLE)
    assert visitor.panels() == [run]
