"""The tree of planes of a run: asked for, grown, stopped, drawn, morphed to, and shared."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from lab.driver.visitor import strict_json
from melm_core.datasets import batches
from melm_core.linalg import principal_angles
from melm_studio.analyses import tree as tree_analysis
from melm_studio.analyses.tree import TREE
from melm_studio.layout import ids
from melm_studio.planes.drawn_rows import MAX_SCORED_ROWS
from melm_studio.workspace.view_query import from_query
from tests.callbacks.routes.analyses.helpers import analyzed, shown, stopped_after_a_report
from tests.callbacks.tables import csv
from tests.melm_studio.planes.views import unpacked

NAME = "tree"
SAMPLE = "wine"
STARTED = {"method": "melm", "n_init": 1}


@pytest.fixture(scope="module", autouse=True)
def small_trees():
    """Trees of three widths that take a moment."""
    full = tree_analysis.plane_tree

    def small(*rows, **options):
        return full(*rows, **options | {"gammas": (4.0, 2.0, 1.0), "n_init": 2, "n_shuffles": 1})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree_analysis, "plane_tree", small)
        yield


def test_a_run_has_no_tree_until_it_is_asked_for(studio, owner):
    other = owner.start(method="melm", n_init=1, random_state=1)
    assert shown(owner, other, NAME) == {"run": None}
    assert owner.http.post(f"/runs/{other}/analyses/tree/stop").status_code == 409


def test_a_tree_is_grown_once_and_says_how_many_ways_there_are(studio, owner, run, found):
    assert (found["is_final"], found["fraction"]) == (True, 1.0)
    assert found["words"].endswith("to tell these classes apart.")
    assert found["branches"][0]["letter"] == "A"
    assert "guessing 33 %" in found["branches"][0]["words"]
    again = owner.http.post(f"/runs/{run}/analyses/tree").json["run"]
    assert again == found["run"]
    assert run in owner.panels()
    assert found["run"] not in owner.panels()


def test_a_plane_of_the_tree_has_in_the_picture_the_scores_that_the_tree_names(
    studio, owner, run, found
):
    report = TREE.stored(studio.store, found["run"])
    last = studio.store.last_event(run).sequence
    for plane in (report.planes[0], report.planes[-1]):
        look = {"gamma": report.gammas[plane.width], "morph": f"{found['run']}:1:{plane.plane}"}
        numbers = owner.http.get(f"/runs/{run}/planes/{last}", query_string=look).json["numbers"]
        assert numbers["divergence-training"] == pytest.approx(plane.divergence, rel=1e-6)
        assert numbers["accuracy-held-out"] == pytest.approx(plane.accuracy, abs=1e-12)


@pytest.mark.slow
def test_the_tree_of_a_run_that_is_blind_to_batches_is_as_blind(studio, visitor):
    X, y, batch = batches(0, 150)
    table = pd.DataFrame(X[:, :4], columns=list("abcd"))
    table = table.assign(batch=np.array(["u", "v", "w"])[batch], kind=np.array(["x", "y"])[y])
    visitor.choose_file(csv(table), "batches.csv")
    visitor.set_own("nuisance_weight", 8)
    run = visitor.start(method="melm", n_init=1)
    studio.work()
    found = analyzed(studio, visitor, run, NAME)
    record, report = studio.store.get(run), TREE.stored(studio.store, found["run"])
    assert record.batch_weight == 8
    # The run's own plane is the best one of its width.
    own = studio.store.last_event(run).components
    at_width = [plane for plane in report.planes if report.gammas[plane.width] == record.gamma]
    planes = [studio.store.event(found["run"], plane.plane).components for plane in at_width]
    assert min(principal_angles(own, plane)[-1] for plane in planes) < 0.1


def test_the_tree_scores_as_many_held_out_rows_as_the_picture():
    assert tree_analysis.MOST_SCORED_ROWS == MAX_SCORED_ROWS


def test_a_way_between_two_planes_of_the_tree_begins_and_ends_where_they_are_shown(
    studio, owner, run, found
):
    first, last = found["planes"][0]["plane"], found["planes"][-1]["plane"]

    def components(morph):
        answer = owner.http.get(f"/runs/{run}/model.json", query_string={"morph": morph})
        return np.array(answer.json["components"])

    for share, end in ((0, first), (1, last)):
        on_the_way = components(f"{found['run']}:{share}:{last}:{first}")
        np.testing.assert_allclose(on_the_way, components(f"{found['run']}:1:{end}"), atol=1e-9)


@pytest.mark.slow
def test_a_report_of_a_run_with_a_tree_shows_it(owner, run, found):
    report = owner.http.get(f"/runs/{run}/report.html").text
    assert report.count("Different ways to tell the classes apart") == 1
    assert report.count("Optima by kernel width") == 1
    assert found["words"] in report


def test_programs_have_the_tree_as_any_analysis(owner, run, found):
    answer = owner.http.get(f"/api/v1/runs/{run}/analyses/tree")
    told = strict_json(answer.text)
    assert (told["name"], told["words"]) == ("tree", found["words"])
    assert len(told["report"]["planes"]) == len(found["planes"])


@pytest.mark.slow
def test_a_replay_of_a_run_with_a_tree_has_it_with_its_planes(owner, run, found):
    replay = owner.http.get(f"/runs/{run}/replay.html").text
    (section,) = re.findall(r'<section data-section="(.+?)".*</section>', replay, re.S)
    assert section == "tree"
    assert found["words"] in replay
    _, packed = re.findall(r'<script type="text/plain"[^>]*>(.*?)</script>', replay)
    data = unpacked(packed)
    words = [plane["words"] for plane in found["planes"]]
    assert sorted(mark["words"] for mark in data["marks"]) == sorted(words)
    assert len(data["planes"]) == len(words)


def test_a_plane_that_the_tree_does_not_have_is_refused(studio, owner, run, found):
    look = {"morph": f"{found['run']}:1:9999"}
    answer = owner.http.get(f"/runs/{run}/planes/0", query_string=look)
    assert answer.status_code == 400
    assert "has no plane yet" in answer.json["words"]


def test_the_figure_takes_the_height_that_is_asked_for(studio, owner, run):
    titles = {
        height: shown(owner, run, NAME, height=height)["figures"]["plot"]["layout"]["yaxis"][
            "title"
        ]
        for height in ("accuracy", "divergence", "nonsense")
    }
    assert titles["accuracy"]["text"] == titles["nonsense"]["text"] == "held-out accuracy"
    assert titles["divergence"]["text"] == "divergence (nats)"


def test_a_tree_that_is_stopped_keeps_its_planes_and_grows_again_when_asked(studio, visitor):
    visitor.choose_sample("iris")
    run = visitor.start(method="melm", n_init=1, held_out=0)
    studio.work()
    asked = stopped_after_a_report(studio, visitor, run, NAME)
    stopped = shown(visitor, run, NAME)
    assert (stopped["is_final"], stopped["can_begin"]) == (True, True)
    assert stopped["planes"]
    assert stopped["stage"].startswith("Stopped.")
    found = analyzed(studio, visitor, run, NAME)
    assert (found["run"] == asked, found["fraction"]) == (False, 1.0)
    # Without held-out rows, all that is known of a plane is its divergence.
    assert re.findall('<button [^>]*aria-pressed="true"[^>]*>(.*?)<', found["markup"]) == [
        "Divergence"
    ]
    assert all("held out" not in plane["words"] for plane in found["planes"])


def test_other_methods_have_no_tree_and_other_visitors_do_not_see_one(studio, owner, run):
    pca = owner.start(method="pca")
    refusal = owner.http.post(f"/runs/{pca}/analyses/tree")
    assert refusal.status_code == 400
    assert "Only runs of MELM have a tree" in refusal.json["words"]
    assert studio.visitor().http.get(f"/runs/{run}/analyses/tree").status_code == 404


@pytest.mark.slow
def test_a_view_of_a_plane_of_the_tree_grows_the_tree_elsewhere(studio, visitor, owner, run, found):
    plane = found["planes"][-1]
    look = {"morph": f"{found['run']}:1:{plane['plane']}", "gamma": plane["gamma"]}
    last = studio.store.last_event(run).sequence
    route = f"/runs/{run}/planes/{last}/shared-view"
    shared = owner.http.get(route, query_string=look).json
    assert f"other_plane={plane['plane']}" in shared["query"]
    visitor.choose_sample("wine")
    view = {"view": from_query(shared["query"]).to_json()}
    restored = visitor.fire(ids.REQUESTED, "data", view)[f"{ids.RESTORED}.data"]
    (own,) = visitor.panels()
    assert restored["run"] == own
    other, share, number = restored["options"]["morph"]
    assert (share, number) == (1.0, plane["plane"])
    studio.work()
    assert shown(visitor, own, NAME)["run"] == other
    picture = visitor.http.get(
        f"/runs/{own}/planes/0", query_string={"morph": f"{other}:1:{number}"}
    )
    assert picture.status_code == 200
