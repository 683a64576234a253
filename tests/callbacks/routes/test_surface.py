"""The decision surface of a kernel machine in the plane of a run."""

from __future__ import annotations

import re

import pytest

from lab.driver.visitor import strict_json
from melm_core.methods import METHODS
from melm_studio.planes.decision_surface import KINDS

CURVED = [key for key, method in METHODS.items() if not method.is_linear and method.is_installed]


@pytest.fixture(scope="module")
def finished(studio):
    """A visitor and their finished run on iris."""
    visitor = studio.visitor()
    visitor.choose_sample("iris")
    run = visitor.start(method="pca")
    studio.work()
    return visitor, run


def asked(visitor, run, **query):
    chosen = {"kind": "densities", "class": 1, "method": "exact", "scheme": "light", **query}
    answer = visitor.http.get(f"/runs/{run}/surface", query_string=chosen)
    return answer.status_code, strict_json(answer.text)


@pytest.mark.slow
def test_a_surface_comes_with_the_choices_of_its_run_of_which_the_first_are_made(finished):
    visitor, run = finished
    assert "machine" not in visitor.listed()[0]["has"].split()
    body = visitor.http.get(f"/runs/{run}/surface").json
    _, classes, _ = re.findall("<select [^>]*>(.*?)</select>", body["markup"])
    assert re.findall(">([^<]+)</option>", classes) == ["setosa", "versicolor", "virginica"]
    chosen = re.findall("<option [^>]*selected[^>]*>(.*?)</option>", body["markup"])
    assert chosen == ["Densities", "setosa", "Exact moments"]


# Whether moments are exact or those of the paper is the core's; on the page one machine shows it.
@pytest.mark.parametrize(
    ("kind", "method"),
    [
        ("densities", "exact"),
        ("densities", "paper"),
        *(
            pytest.param(kind, method, marks=pytest.mark.slow)
            for kind in KINDS
            if kind != "densities"
            for method in ("exact", "paper")
        ),
    ],
)
def test_every_machine_is_drawn_with_its_speed_and_its_auc_in_words(finished, kind, method):
    status, body = asked(*finished, kind=kind, method=method)
    assert status == 200
    assert " centers" in body["words"]
    assert "AUC 0." in body["words"] or "AUC 1." in body["words"]
    assert len(body["figures"]["surface"]["data"]) > 6


@pytest.mark.slow
def test_without_held_out_rows_two_charts_are_drawn(visitor, studio):
    visitor.choose_sample("iris")
    run = visitor.start(method="pca", held_out=0)
    studio.work()
    _, body = asked(visitor, run)
    assert list(body["figures"]) == ["pair"]
    assert "AUC" not in body["words"]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"kind": "magic"}, "kind='magic' must be one of"),
        ({"method": "magic"}, "The approximation must be one of exact, paper"),
        ({"class": 17}, "The two sides have 0 and"),
    ],
)
def test_what_cannot_be_drawn_is_answered_with_a_sentence(finished, query, sentence):
    status, body = asked(*finished, **query)
    assert status == 400
    assert body["words"].startswith(sentence)
    assert "figures" not in body


def test_a_run_without_a_plane_has_no_surface_yet(studio):
    visitor = studio.visitor()
    visitor.choose_sample("iris")
    status, body = asked(visitor, visitor.start())
    assert status == 409
    assert body["words"] == "This run has no plane yet. Wait for its first plane."


def test_nobody_sees_the_surface_of_a_foreign_run(studio, finished):
    _, run = finished
    stranger = studio.visitor()
    stranger.choose_sample("iris")
    assert stranger.http.get(f"/runs/{run}/surface?kind=densities").status_code == 404


@pytest.mark.parametrize(("key", "machine"), [("kpca", "Kernel PCA"), ("kfd", "Kernel Fisher")])
def test_a_run_of_a_machine_has_a_surface_and_begins_with_its_own(visitor, studio, key, machine):
    visitor.choose_sample("iris")
    run = visitor.start(method=key)
    studio.work()
    assert "machine" in visitor.listed()[0]["has"].split()
    markup = visitor.http.get(f"/runs/{run}/surface").json["markup"]
    assert re.findall("<option [^>]*selected[^>]*>(.*?)</option>", markup)[0] == machine


@pytest.mark.slow
@pytest.mark.parametrize("key", CURVED)
def test_a_curved_picture_has_its_surface_and_no_components(studio, key):
    visitor = studio.visitor()
    visitor.choose_sample("wine")
    run = visitor.start(method=key)
    studio.work()
    assert asked(visitor, run)[0] == 200
    assert visitor.http.get(f"/runs/{run}/components.csv").status_code == 404
    points = visitor.http.get(f"/runs/{run}/points.csv").text.splitlines()
    assert len(points) == 1 + 178
    news = visitor.news(run)
    assert news["plane"]["numbers"]["accuracy-held-out"] > 0.5
