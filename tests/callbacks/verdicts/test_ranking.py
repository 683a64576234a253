"""Compare all methods on the data of the page."""

from __future__ import annotations

import pytest

from melm_core.methods import METHODS
from melm_studio.analyses import ranking
from melm_studio.layout import ids
from tools.driver.visitor import components

BODY = f"{ids.RANKING}.children"


@pytest.fixture(autouse=True)
def few_methods(monkeypatch):
    monkeypatch.setattr(ranking, "METHODS", {key: METHODS[key] for key in ("lda", "pca")})


def shown(visitor):
    visitor.values[f"{ids.COMPARE_TAB}.value"] = "ranking"
    return visitor.fire(ids.RANK_CLOCK, "n_intervals", 1)


def test_all_methods_are_compared_and_ranked(studio, visitor):
    visitor.choose_sample("iris")
    assert shown(visitor)[BODY] is None
    assert visitor.fire(ids.RANK_ALL, "n_clicks", 1)[f"{ids.RANK_CLOCK}.disabled"] is False
    waiting = shown(visitor)
    assert "Waiting for a free worker" in str(waiting[BODY])
    assert "href" not in str(waiting[BODY])
    assert waiting[f"{ids.RANK_STOP}.disabled"] is False
    studio.work()
    done = shown(visitor)
    assert "LDA tells most held-out rows apart" in str(done[BODY])
    assert done[f"{ids.RANK_CLOCK}.disabled"] is True
    (link,) = (part["props"] for part in components(done[BODY]) if part["type"] == "A")
    assert "LDA" in visitor.http.get(f"/{link['href']}").text
    visitor.fire(ids.RANK_ALL, "n_clicks", 2)
    runs = studio.store.runs_of(visitor.owner)
    assert [run.kind for run in runs] == ["ranking"]
    assert visitor.panels() == []


def test_a_stopped_comparison_can_be_continued(studio, visitor):
    visitor.choose_sample("iris")
    visitor.fire(ids.RANK_ALL, "n_clicks", 1)
    visitor.fire(ids.RANK_STOP, "n_clicks", 1)
    stopped = shown(visitor)
    assert "continues" in str(stopped[BODY])
    assert stopped[f"{ids.RANK_ALL}.disabled"] is False
    visitor.fire(ids.RANK_ALL, "n_clicks", 2)
    studio.work()
    assert "LDA tells most" in str(shown(visitor)[BODY])
