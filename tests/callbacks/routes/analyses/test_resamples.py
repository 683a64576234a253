"""The plane of a run refitted to resamples: asked for, stopped, played, and shared."""

from __future__ import annotations

import re

import pytest

from melm_studio.analyses import resamples as resamples_module
from melm_studio.analyses.resamples import RESAMPLES
from melm_studio.layout import ids
from melm_studio.workspace.view_query import from_query
from tests.callbacks.routes.analyses.helpers import analyzed, shown, stopped_after_a_report
from tests.melm_studio.planes.views import unpacked

NAME = "resamples"
SAMPLE = "iris"
STARTED = {"method": "melm", "n_init": 1}
N_RESAMPLES = 4


@pytest.fixture(scope="module", autouse=True)
def few_resamples():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resamples_module, "N_RESAMPLES", N_RESAMPLES)
        yield


def intervals(found):
    """Of each feature in the dialog: its name, the bounds, and the words."""
    item = (
        r"<strong>(.*?)</strong><span [^>]*--low: ([\d.]+); --high: ([\d.]+)[^>]*></span>"
        "<span>(.*?)</span>"
    )
    return [
        (name, float(low), float(high), words)
        for name, low, high, words in re.findall(item, found["markup"])
    ]


def mean_of(found):
    """The number of the plane that the resamples agree on."""
    (plane,) = re.findall(r'data-plane="(\d+)"><canvas></canvas><span>Plane that', found["markup"])
    return int(plane)


def picture(visitor, run, morph):
    query = {"morph": morph}
    return visitor.http.get(f"/runs/{run}/planes/0", query_string=query)


def test_the_plane_is_refitted_once_and_says_whether_it_stands(owner, run, found):
    assert (found["is_final"], found["fraction"]) == (True, 1.0)
    assert len(found["planes"]) == found["markup"].count(">Resample ") == N_RESAMPLES
    assert found["words"].startswith("The plane ")
    assert f"between {N_RESAMPLES} resamples" in found["words"]
    assert owner.http.post(f"/runs/{run}/analyses/resamples").json["run"] == found["run"]
    assert found["run"] not in owner.panels()


def test_the_features_have_intervals_and_the_strongest_is_first(found):
    shown = intervals(found)
    assert len(shown) == 4
    assert all(0.0 <= low <= high <= 1.0 for _, low, high, _ in shown)
    assert "in 100 %" in shown[0][3]


def test_every_resample_the_ways_between_them_and_their_mean_can_be_shown(owner, run, found):
    one, other = found["planes"][:2]
    for morph in (f"1:{one}", f"0.5:{other}:{one}", f"1:{mean_of(found)}"):
        assert picture(owner, run, f"{found['run']}:{morph}").status_code == 200


@pytest.mark.slow
def test_a_replay_has_the_loop_and_the_resamples_side_by_side(owner, run, found):
    replay = owner.http.get(f"/runs/{run}/replay.html").text
    assert found["words"] in replay
    _, section = re.findall(r'<script type="text/plain"[^>]*>(.*?)</script>', replay)
    data = unpacked(section)
    assert len(data["planes"]) == data["loop"] + 1
    first, *others = [label for _, label in data["stills"]]
    assert first == "Plane that they agree on"
    assert others == re.findall(">(Resample .*?)<", found["markup"])


def test_any_linear_method_can_be_resampled_and_no_other(studio, owner):
    lda = owner.start(method="lda")
    studio.work()
    assert analyzed(studio, owner, lda, NAME)["fraction"] == 1.0
    curved = owner.start(method="kfd")
    refusal = owner.http.post(f"/runs/{curved}/analyses/resamples")
    assert refusal.status_code == 400
    assert "is nonlinear" in refusal.json["words"]


def test_the_features_of_a_curved_run_have_one_interval_each(studio, owner):
    bent = owner.start(method="lda", curves="curved")
    studio.work()
    found = analyzed(studio, owner, bent, NAME)
    assert found["words"].startswith("The plane ")
    assert f"between {N_RESAMPLES} resamples" in found["words"]
    names = [name for name, *_ in intervals(found)]
    assert len(set(names)) == len(names) == 4


def test_resamples_that_are_stopped_are_kept_and_can_begin_again(studio, owner):
    run = owner.start(method="pca")
    studio.work()
    asked = stopped_after_a_report(studio, owner, run, NAME)
    stopped = shown(owner, run, NAME)
    assert (stopped["is_final"], stopped["can_begin"], intervals(stopped)) == (True, True, [])
    assert len(RESAMPLES.stored(studio.store, asked).planes) == 1
    assert analyzed(studio, owner, run, NAME)["run"] != asked


def test_a_view_of_a_resample_is_computed_again_elsewhere(studio, visitor, owner, run, found):
    look = {"morph": f"{found['run']}:1:{found['planes'][2]}"}
    last = studio.store.last_event(run).sequence
    shared = owner.http.get(f"/runs/{run}/planes/{last}/shared-view", query_string=look).json
    visitor.choose_sample("iris")
    view = {"view": from_query(shared["query"]).to_json()}
    restored = visitor.fire(ids.REQUESTED, "data", view)[f"{ids.RESTORED}.data"]
    assert restored["other"] == "resamples"
    studio.work()
    other, share, number = restored["options"]["morph"]
    assert shown(visitor, restored["run"], NAME)["run"] == other
    assert picture(visitor, restored["run"], f"{other}:{share:g}:{number}").status_code == 200
