"""How few features suffice: asked for, stopped, kept, reported, and run on their own."""

from __future__ import annotations

import re

import pytest

from melm_studio.analyses import sparse
from melm_studio.analyses.sparse import SPARSE
from melm_studio.layout import ids
from tests.callbacks.routes.analyses.helpers import shown, stopped_after_a_report

NAME = "sparse"
SAMPLE = "wine"
STARTED = {"method": "lda"}


@pytest.fixture(scope="module", autouse=True)
def one_repeat():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse, "N_REPEATS", 1)
        yield


@pytest.fixture(scope="module")
def report(studio, found):
    return SPARSE.stored(studio.store, found["run"])


def names_in(shown):
    """The features that are kept, in the dialog."""
    return re.findall("<li><strong>(.*?)</strong><span>in .*? of the folds</span>", shown["markup"])


@pytest.mark.slow
def test_it_says_how_few_features_suffice_beside_all_of_them_and_guessing(
    owner, run, found, report
):
    assert (found["is_final"], found["fraction"]) == (True, 1.0)
    n_features = report.sufficient
    assert 2 <= n_features < 13
    assert found["words"].startswith(f"{n_features} of 13 features suffice in cross-validation: ")
    assert found["words"].endswith("guessing gives 33 %.")
    assert owner.http.post(f"/runs/{run}/analyses/sparse").json["run"] == found["run"]
    assert found["run"] not in owner.panels()


@pytest.mark.slow
def test_every_size_names_the_features_that_most_folds_keep(owner, run, found, report):
    sizes = sorted(size.n_features for size in report.sizes)
    assert len(names_in(found)) == report.sufficient
    for at, n_features in enumerate(sizes):
        size = shown(owner, run, NAME, size=at)
        assert len(names_in(size)) == n_features
        assert f">Run on these {n_features} features<" in size["markup"]
        assert (" disabled" in size["markup"]) == (n_features == 13)
    assert "flavanoids" in names_in(shown(owner, run, NAME, size=2))
    assert names_in(shown(owner, run, NAME, size="nonsense")) == names_in(found)


@pytest.mark.slow
def test_the_features_that_are_kept_are_a_run_of_their_columns_alone(studio, owner, run, found):
    size = shown(owner, run, NAME, size=2)
    (address,) = re.findall('data-runs="(.*?)"', size["markup"])
    view = owner.http.get(f"/{address}").json["view"]
    owner.fire(ids.REQUESTED, "data", {"view": view, "quiet": True})
    changes = owner.choose(view["source"])
    assert changes[f"{ids.DATA_ERROR}.children"] is None
    restored = owner.fire(ids.REQUESTED, "data", {"view": view, "quiet": True})
    kept = restored[f"{ids.RESTORED}.data"]["run"]
    assert kept != run
    studio.work()
    record = studio.store.get(kept)
    assert (record.method, record.n_features) == ("lda", len(names_in(size)))
    features = owner.http.get(f"/runs/{kept}/planes/0/features").json["features"]
    assert {feature["name"] for feature in features} == set(names_in(size))
    owner.choose_sample("wine")


def test_the_rows_that_the_run_holds_out_take_no_part(found, report):
    assert report.n_rows == report.n_training < 178
    assert "the run holds out take no part" in found["markup"]


def test_a_number_that_is_not_on_the_path_keeps_nothing(owner, run, report):
    assert 14 not in [size.n_features for size in report.sizes]
    assert owner.http.get(f"/runs/{run}/analyses/sparse/14").status_code == 404


@pytest.mark.slow
def test_the_report_has_every_size(owner, run, found):
    report = owner.http.get(f"/runs/{run}/report.html").text
    assert "How few features suffice" in report
    assert found["words"] in report


def test_what_has_no_plane_or_nothing_to_leave_out_is_refused(studio, owner):
    curved = owner.start(method="kpca")
    refusal = owner.http.post(f"/runs/{curved}/analyses/sparse")
    assert (refusal.status_code, "is nonlinear" in refusal.json["words"]) == (400, True)


@pytest.mark.slow
def test_a_path_that_is_stopped_is_kept_and_can_begin_again(studio, owner):
    run = owner.start(method="pca")
    studio.work()
    asked = stopped_after_a_report(studio, owner, run, NAME)
    stopped = shown(owner, run, NAME)
    assert (stopped["is_final"], stopped["can_begin"]) == (True, True)
    assert not names_in(stopped)
    assert SPARSE.stored(studio.store, asked).n_refits == 1
    assert stopped["words"].startswith("1 of 5 folds so far. All 13 features: ")


def test_nobody_sees_the_path_of_a_foreign_run(studio, run, found):
    stranger = studio.visitor()
    for address in (f"/runs/{run}/analyses/sparse", f"/runs/{run}/analyses/sparse/2"):
        assert stranger.http.get(address).status_code == 404
