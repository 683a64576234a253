"""A link brings a view back: the data, the run, the look, and whether it came out the same."""

from __future__ import annotations

from types import SimpleNamespace

import msgspec
import pytest

from callbacks.share_link import NEEDS_FILE, OTHER_FILE
from melm_studio.layout import ids
from melm_studio.runs.records.parameters import StartPlane
from melm_studio.workspace.restored_view import OTHER_PREPARATION
from melm_studio.workspace.view_query import TOO_LONG
from melm_studio.workspace.view_spec import ViewSpec
from melm_studio.workspace.workspace import MAX_PANELS, PANELS_FULL
from tests.callbacks.tables import blobs, breast_cancer, csv

NOTICE, REQUESTED, RESTORED = (
    f"{ids.NOTICE}.children",
    f"{ids.REQUESTED}.data",
    f"{ids.RESTORED}.data",
)
DATA = f"{ids.DATA}.data"
ERROR = f"{ids.DATA_ERROR}.children"
POTS = csv(blobs(n_rows=60))


@pytest.fixture(scope="module")
def maker(studio):
    """A visitor with finished runs on a sample, whose views others open."""
    visitor = studio.visitor()
    visitor.choose_sample("iris")
    runs = SimpleNamespace(
        melm=visitor.start(method="melm", random_state=3), pca=visitor.start(method="pca")
    )
    studio.work()
    return SimpleNamespace(visitor=visitor, runs=runs)


def shared(visitor, run: str, plane: int = 0, **query):
    return visitor.http.get(f"/runs/{run}/planes/{plane}/shared-view", query_string=query)


def open_link(visitor, query: str) -> dict:
    """What the page does with an address, up to the point where it waits or has the view."""
    visitor.values.pop(RESTORED, None)
    changes = visitor.fire(ids.ADDRESS, "data", f"?{query}")
    if changes[REQUESTED] is None:
        return changes
    return want(visitor, changes[REQUESTED])


def want(visitor, wanted) -> dict:
    changes = visitor.fire(ids.REQUESTED, "data", wanted)
    return settle(visitor, changes)


def settle(visitor, changes) -> dict:
    """Choose data as long as they are asked for."""
    for _ in range(4):
        choice = (changes.get(RESTORED) or {}).get("choice")
        if choice is None:
            return changes
        chosen = visitor.choose(choice)
        if DATA not in chosen:
            return visitor.fire(ids.DATA_ERROR, "children", chosen[ERROR], into=NOTICE)
        changes = visitor.fire(ids.DATA, "data", visitor.values[DATA], into=RESTORED)
    raise AssertionError("The data are asked for without end.")


def drop(visitor, raw: bytes, name: str) -> dict:
    """Drop a file, with what follows from it."""
    visitor.choose_file(raw, name)
    return settle(visitor, visitor.fire(ids.DATA, "data", visitor.values[DATA], into=RESTORED))


def link_of_a_file(studio, name: str = "pots.csv") -> str:
    maker = studio.visitor()
    maker.choose_file(POTS, name, standardize=False)
    run = maker.start(method="pca")
    studio.work()
    return shared(maker, run).json["query"]


def test_a_link_says_in_words_what_is_on_screen(maker):
    answer = shared(
        maker.visitor, maker.runs.melm, 1, gamma=0.5, n_top_features=2, hidden="linked,arrows"
    )
    query = answer.json["query"]
    for part in (
        "data=sample:iris",
        "method=melm",
        "random_state=3",
        "plane=1",
        "n_top_features=2",
    ):
        assert part in query
    assert "shown_gamma=0.5" in query
    assert "hidden=linked,arrows" in query
    assert ViewSpec.from_json(answer.json["view"]).divergence > 0
    assert answer.json["title"].startswith("MELM, γ 2, 1 start, seed 3")


@pytest.mark.parametrize(("chosen", "shown"), [({"places": "fitted"}, "fitted"), ({}, None)])
def test_a_link_says_where_the_rows_are(maker, chosen, shown):
    query = shared(maker.visitor, maker.runs.melm, 1, **chosen).json["query"]
    assert ("places=fitted" in query) == bool(chosen)
    assert open_link(maker.visitor, query)[RESTORED]["options"]["places"] == shown


def test_the_last_plane_of_a_run_is_wanted_as_the_newest(studio, maker):
    last = studio.store.last_event(maker.runs.melm).sequence
    assert shared(maker.visitor, maker.runs.melm, last).json["view"]["plane"] is None


def test_the_maker_of_a_link_finds_the_own_run_again(studio, maker):
    query = shared(maker.visitor, maker.runs.melm, 1, gamma=0.5).json["query"]
    n_runs = len(studio.store.runs_of(maker.visitor.owner))
    brought = open_link(maker.visitor, query)[RESTORED]
    assert (brought["run"], brought["plane"]) == (maker.runs.melm, 1)
    assert brought["options"]["gamma"] == 0.5
    assert len(studio.store.runs_of(maker.visitor.owner)) == n_runs


def test_a_stranger_gets_a_run_that_comes_out_the_same(studio, maker, visitor):
    query = shared(maker.visitor, maker.runs.melm, 1).json["query"]
    changes = open_link(visitor, query)
    run, expected = changes[RESTORED]["run"], changes[RESTORED]["divergence"]
    assert changes[REQUESTED] is None
    assert run in visitor.panels()
    studio.work()
    own, theirs = studio.store.event(run, 1), studio.store.event(maker.runs.melm, 1)
    assert own.components.tobytes() == theirs.components.tobytes()
    answer = visitor.http.get(
        f"/runs/{run}/planes/1/reproduction", query_string={"divergence": expected}
    )
    assert answer.json["is_same"]
    assert answer.json["words"] == f"Reproduced: divergence {expected:.5g}, equal to within 1e-09."


def test_what_did_not_come_out_the_same_is_told_with_the_difference(maker):
    route = f"/runs/{maker.runs.pca}/planes/0/reproduction"
    found = shared(maker.visitor, maker.runs.pca).json["view"]["divergence"]
    answer = maker.visitor.http.get(route, query_string={"divergence": found + 0.25}).json
    assert not answer["is_same"]
    assert answer["words"].startswith("Not reproduced: divergence ")
    assert answer["words"].endswith("a difference of 0.25.")
    assert maker.visitor.http.get(route).status_code == 400


def test_a_view_on_the_way_to_another_run_brings_both_runs(studio, maker, visitor):
    query = shared(maker.visitor, maker.runs.pca, morph=f"{maker.runs.melm}:0.5").json["query"]
    assert maker.runs.melm not in query
    brought = open_link(visitor, query)[RESTORED]
    other, share, _ = brought["options"]["morph"]
    assert share == 0.5
    assert {brought["run"], other} == set(visitor.panels())
    assert {studio.store.get(run).method for run in (brought["run"], other)} == {"pca", "melm"}


def test_a_plane_that_was_taken_by_hand_comes_back(maker, visitor):
    moves = "2:0.5:0.25,0:-1.0:0.125"
    query = shared(maker.visitor, maker.runs.pca, edits=moves).json["query"]
    assert f"edits={moves}" in query
    assert open_link(visitor, query)[RESTORED]["options"]["edits"] == [
        [2, 0.5, 0.25],
        [0, -1, 0.125],
    ]


def test_a_link_by_hand_is_enough(visitor):
    brought = open_link(visitor, "data=sample:wine&method=lda&mode=present")[RESTORED]
    assert (brought["mode"], brought["plane"], brought["divergence"]) == ("present", None, None)


@pytest.mark.parametrize("search", [None, "", "?", "?mode=present"])
def test_an_address_that_asks_for_no_view_changes_nothing(visitor, search):
    assert visitor.fire(ids.ADDRESS, "data", search) == {REQUESTED: None, NOTICE: None}


def test_an_address_that_cannot_be_read_gets_a_sentence(visitor):
    changes = visitor.fire(ids.ADDRESS, "data", "?data=sample:iris&method=magic")
    assert changes[REQUESTED] is None
    assert changes[NOTICE].startswith("This link cannot be opened. The method must be one of melm")


@pytest.mark.parametrize("wanted", [1, "x", [], {}, {"view": 3}, {"view": {"method": "pca"}}])
def test_whatever_a_browser_wants_it_gets_a_sentence(visitor, wanted):
    changes = visitor.fire(ids.REQUESTED, "data", wanted)
    assert changes[REQUESTED] is None
    assert changes[NOTICE].endswith(".")


def test_a_file_that_is_not_here_is_asked_for_and_the_view_comes_with_it(studio, visitor):
    changes = open_link(visitor, link_of_a_file(studio))
    assert changes == {NOTICE: NEEDS_FILE.format(name="pots.csv")}
    brought = drop(visitor, POTS, "renamed.csv")[RESTORED]
    record = studio.store.get(brought["run"])
    assert brought["caution"] == ""
    assert record.data_name == "pots"
    assert record.source.standardize is False


@pytest.mark.slow
def test_another_file_is_told_and_the_view_still_waits(studio, visitor):
    open_link(visitor, link_of_a_file(studio))
    assert drop(visitor, csv(breast_cancer()), "pots.csv") == {
        NOTICE: OTHER_FILE.format(name="pots.csv")
    }
    assert RESTORED in drop(visitor, POTS, "pots.csv")


def test_looking_at_a_sample_while_a_file_is_missing_is_nobodys_fault(studio, visitor):
    open_link(visitor, link_of_a_file(studio))
    visitor.choose_sample("iris")
    assert visitor.fire(ids.DATA, "data", visitor.values[DATA], into=RESTORED) == {}


def test_a_table_that_was_prepared_otherwise_is_told(maker, visitor):
    query = shared(maker.visitor, maker.runs.pca).json["query"]
    digest = query.partition("sha256=")[2][:64]
    brought = open_link(visitor, query.replace(digest, "0" * 64))[RESTORED]
    assert brought["caution"] == OTHER_PREPARATION


def test_a_column_that_the_table_lacks_ends_the_way_with_a_sentence(visitor):
    changes = open_link(visitor, "data=sample:iris&label=colour&method=pca")
    assert changes[REQUESTED] is None
    assert changes[NOTICE].startswith('There is no column "colour".')


def test_a_full_page_takes_no_further_view(studio, maker, visitor):
    visitor.choose_sample("iris")
    for seed in range(MAX_PANELS):
        visitor.press_run(method="pca", random_state=seed + 50)
    changes = open_link(visitor, shared(maker.visitor, maker.runs.melm).json["query"])
    assert changes == {REQUESTED: None, NOTICE: PANELS_FULL}


def test_data_that_a_method_cannot_work_on_are_refused_in_a_sentence(visitor):
    init = "init=1:0,0:1"
    changes = open_link(visitor, f"data=sample:iris&method=melm&n_init=1&{init}")
    assert changes[NOTICE].startswith("The run of this view starts from a plane of 2 features")


def test_a_refined_run_of_many_features_goes_into_the_story(studio, visitor):
    visitor.choose_sample("digits")
    run = visitor.start(method="pca")
    studio.work()
    visitor.http.post(f"/runs/{run}/planes/0/refine")
    refined = visitor.panels()[-1]
    record = studio.store.get(refined)
    studio.store.append(refined, studio.store.event(run, 0))
    answer = shared(visitor, refined).json
    assert (answer["query"], answer["words"]) == ("", TOO_LONG)
    start = answer["view"]["parameters"]["init"]
    assert msgspec.convert(start, StartPlane) == record.parameters.init
    studio.store.cancel(refined)


def test_a_file_that_cannot_be_read_does_not_end_the_waiting(studio, visitor):
    open_link(visitor, link_of_a_file(studio))
    assert visitor.fire(ids.DATA_ERROR, "children", "Empty.", into=NOTICE) == {}
    assert RESTORED in drop(visitor, POTS, "pots.csv")


def test_a_link_carries_colors_symbols_and_new_rows(maker):
    visitor, file = maker.visitor, {"key": "ab" * 32, "name": "new.csv"}
    marks = {"color_by": "width", "shape_by": "height", "new_rows": file["key"]}
    query = shared(visitor, maker.runs.pca, **marks, new_rows_name="new.csv").json["query"]
    restored = open_link(visitor, query)[RESTORED]
    assert restored["marks"] == {"colorBy": "width", "shapeBy": "height", "newRows": file}
    plain = open_link(visitor, shared(visitor, maker.runs.pca).json["query"])[RESTORED]
    assert plain["marks"] == {"colorBy": None, "shapeBy": None, "newRows": None}
