"""Compare all methods on the data of the page."""

from __future__ import annotations

import re

import pytest

from melm_core.methods import METHODS
from melm_studio.analyses import ranking
from melm_studio.layout import ids


@pytest.fixture(autouse=True)
def few_methods(monkeypatch):
    monkeypatch.setattr(ranking, "METHODS", {key: METHODS[key] for key in ("lda", "pca")})


def ranking_of(visitor) -> str:
    return f"/rankings/{visitor.values[f'{ids.DATA}.data']['id']}"


def shown(visitor):
    return visitor.http.get(ranking_of(visitor)).json


def begun(visitor):
    return visitor.http.post(ranking_of(visitor), json=visitor.values[f"{ids.DATA}.data"])


def test_all_methods_are_compared_and_ranked(studio, visitor):
    visitor.choose_sample("iris")
    assert shown(visitor) == {"run": None}
    assert begun(visitor).status_code == 201
    waiting = shown(visitor)
    assert (waiting["stage"], waiting["is_final"]) == ("Waiting for a free worker", False)
    assert "href" not in waiting["markup"]
    studio.work()
    done = shown(visitor)
    assert "LDA tells most held-out rows apart" in done["words"]
    assert (done["is_final"], done["can_begin"]) == (True, False)
    (link,) = re.findall(r'href="(.*?)"', done["markup"])
    assert "LDA" in visitor.http.get(f"/{link}").text
    begun(visitor)
    runs = studio.store.runs_of(visitor.owner)
    assert [run.kind for run in runs] == ["ranking"]
    assert visitor.panels() == []


def test_a_stopped_comparison_can_be_continued(studio, visitor):
    visitor.choose_sample("iris")
    begun(visitor)
    assert visitor.http.post(f"{ranking_of(visitor)}/stop").status_code == 200
    assert shown(visitor)["can_begin"]
    assert visitor.http.post(f"{ranking_of(visitor)}/stop").status_code == 409
    begun(visitor)
    studio.work()
    assert "LDA tells most" in shown(visitor)["words"]


def test_others_neither_see_nor_stop_a_comparison(studio, visitor):
    visitor.choose_sample("iris")
    begun(visitor)
    other = studio.visitor()
    other.choose_sample("iris")
    assert shown(other) == {"run": None}
    assert other.http.post(f"{ranking_of(visitor)}/stop").status_code == 409
    assert not shown(visitor)["is_final"]


def test_a_comparison_stands_at_the_address_of_its_data(visitor):
    visitor.choose_sample("iris")
    data = visitor.values[f"{ids.DATA}.data"]
    assert visitor.http.post("/rankings/other", json=data).status_code == 404
