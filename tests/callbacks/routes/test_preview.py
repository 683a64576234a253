"""The first look at data is the plane that a run of PCA finds."""

from __future__ import annotations

import pytest

from melm_studio.layout import ids
from melm_studio.planes import renderer
from tests.callbacks.tables import blobs, csv

DATA = f"{ids.DATA}.data"


def preview(visitor, data=None):
    return visitor.http.post("/preview", json=data or visitor.values[DATA])


def test_a_first_look_shows_what_a_run_of_pca_shows(studio, visitor):
    visitor.choose_sample("iris")
    found = preview(visitor).json
    run = visitor.start(method="pca", held_out=None)
    studio.work()
    plane = visitor.news(run)["plane"]
    assert found["traces"] == plane["traces"]
    assert found["limits"] == plane["limits"]
    assert found["question"] == "Can setosa, versicolor and virginica be told apart?"


def test_a_first_look_adds_no_run(studio, visitor):
    visitor.choose_sample("iris")
    assert preview(visitor).status_code == 200
    assert studio.store.runs_of(visitor.owner) == []


def test_data_of_others_are_not_shown(studio, visitor):
    visitor.choose_sample("iris")
    stranger = studio.visitor()
    stranger.choose_sample("wine")
    assert preview(stranger, visitor.values[DATA]).status_code == 404


def test_data_that_would_keep_the_page_waiting_are_refused(visitor, monkeypatch):
    visitor.choose_sample("iris")
    monkeypatch.setattr(renderer, "MAX_PREVIEW_WORK", 10)
    answer = preview(visitor)
    assert answer.status_code >= 400
    assert "too large for a first look" in answer.json["error"]


@pytest.mark.parametrize("body", [None, [], {"id": 3}, "text"])
def test_a_request_that_names_no_data_gets_a_sentence(visitor, body):
    visitor.choose_sample("iris")
    answer = visitor.http.post("/preview", json=body)
    assert 400 <= answer.status_code < 500
    assert answer.json["error"]


@pytest.mark.parametrize("name", ["every-row", "every-point"])
def test_a_first_look_at_many_rows_has_every_row_that_a_run_has(studio, visitor, name):
    table = blobs(2_400)
    visitor.choose_file(csv(table), "blobs.csv")
    assert preview(visitor).json["is_sample"]
    found = visitor.http.post(f"/preview/{name}", json=visitor.values[DATA])
    run = visitor.start(method="pca", held_out=None)
    studio.work()
    sequence = visitor.news(run)["plane"]["sequence"]
    of_run = {"every-row": "every-row", "every-point": f"planes/{sequence}/every-point"}[name]
    assert found.data == visitor.http.get(f"/runs/{run}/{of_run}").data


def test_every_row_of_others_is_not_shown(studio, visitor):
    visitor.choose_sample("iris")
    assert not preview(visitor).json["is_sample"]
    stranger = studio.visitor()
    for name in ("every-row", "every-point"):
        answer = stranger.http.post(f"/preview/{name}", json=visitor.values[DATA])
        assert answer.status_code == 404
        assert stranger.http.post(f"/preview/{name}", json={"id": 3}).status_code == 400
