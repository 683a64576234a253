"""Results that are damaged, or of another version, are told in a sentence, beside all others."""

from __future__ import annotations

import pytest

from melm_studio.configuration.messages import RESULTS_UNREADABLE
from melm_studio.layout import ids
from tests.callbacks.every_route import address, asked_for, rules

DAMAGED = (
    b"",
    b"\xff\xfe",
    b"{",
    b"[]",
    b"null",
    b'{"fraction": "x", "methods": 1, "planes": 1, "sizes": 1}',
)
KINDS = ("check", "tree", "resamples", "sparse")
ERROR = 500


@pytest.fixture(scope="module")
def visitor(studio):
    visitor = studio.visitor()
    visitor.choose_sample("iris")
    return visitor


@pytest.fixture(scope="module")
def run(studio, visitor):
    """A run with one of everything about it, which all waits for a worker."""
    run = visitor.start(method="melm")
    studio.work()
    for kind in KINDS:
        visitor.http.post(f"/runs/{run}/analyses/{kind}", json={})
    data = visitor.values[f"{ids.DATA}.data"]
    visitor.http.post(f"/rankings/{data['id']}", json=data)
    return run


@pytest.fixture(
    params=[*(pytest.param(raw, marks=pytest.mark.slow) for raw in DAMAGED[:-1]), DAMAGED[-1]],
    ids=range(len(DAMAGED)),
)
def damaged(request, studio, visitor, run):
    """The runs about it, each of whose results is damaged."""
    about = [one for one in studio.store.runs_of(visitor.owner) if one.run_id != run]
    for one in about:
        studio.store.put_report(one.run_id, request.param)
    return {one.kind: one.run_id for one in about}


def test_there_is_one_of_every_kind(damaged):
    assert set(damaged) == {*KINDS, "ranking"}


def test_what_analyses_say_so_far_tells_of_each(visitor, run, damaged):
    answer = visitor.http.get(f"/runs/{run}/analyses")
    assert answer.status_code == 200
    assert set(answer.json) == set(KINDS)


@pytest.mark.attack
def test_no_route_of_the_run_fails(studio, visitor, run, damaged):
    numbers = {
        "sequence": 0,
        "row": 1,
        "feature": 0,
        "n_features": 2,
        "kind": "check",
        "name": "sparse",
    }
    found = []
    for method, rule in rules(studio):
        if method != "GET" or "run_id" not in rule.arguments:
            continue
        for one in (run, *damaged.values()):
            path = address(rule, numbers | {"run_id": one})
            if asked_for(visitor, method, path).status_code >= ERROR:
                found.append(path)
    assert found == []


@pytest.mark.attack
def test_the_panel_of_the_run_goes_on(visitor, run, damaged):
    news = visitor.frames(run)["runs"][run]
    assert (news["state"], news["plane"] is not None) == ("done", True)


@pytest.mark.attack
def test_the_check_says_so(visitor, run, damaged):
    answer = visitor.http.get(f"/runs/{run}/analyses/check")
    assert (answer.status_code, answer.json["words"]) == (200, RESULTS_UNREADABLE)


@pytest.mark.attack
def test_the_comparison_of_all_methods_says_so(visitor, damaged):
    answer = visitor.http.get(f"/rankings/{visitor.values[f'{ids.DATA}.data']['id']}")
    assert (answer.status_code, answer.json["words"]) == (400, RESULTS_UNREADABLE)


def test_the_table_of_runs_is_shown_without_the_check(visitor, run, damaged):
    answer = visitor.http.get("/compare/scores", query_string={"run": run})
    assert (answer.status_code, "Scores of the runs" in answer.json["table"]) == (200, True)


@pytest.mark.parametrize("kind", ["tree", "resamples", "sparse"])
def test_what_is_asked_of_the_others_is_refused_in_that_sentence(visitor, run, damaged, kind):
    answer = visitor.http.get(f"/runs/{run}/analyses/{kind}")
    assert (answer.status_code, answer.json["words"]) == (400, RESULTS_UNREADABLE)
