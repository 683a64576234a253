"""Requests that the page never makes get a status and a sentence, never a traceback."""

from __future__ import annotations

import re

import pytest

from callbacks.addresses import Body
from callbacks.routes.frames import MOST_RUNS
from lab.driver.visitor import Visitor, declared_outputs, trigger_of
from melm_studio.layout import ids
from tests.callbacks.every_route import addresses

ADDRESS = "/_dash-update-component"
MALFORMED = {
    "nothing": {},
    "a list": [],
    "an unknown output": {"output": "x.y", "inputs": [], "changedPropIds": []},
    "a number of inputs": {"output": "run.n_clicks", "inputs": 3, "changedPropIds": []},
}


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED)
def test_a_call_that_is_none_is_refused(visitor: Visitor, body):
    answer = visitor.http.post(ADDRESS, json=body)
    assert answer.status_code == 400
    assert "Reload the page" in answer.json["error"]


NESTED = b"[" * 200_000


def test_values_nested_without_end_are_refused_with_a_sentence(studio, visitor: Visitor):
    visitor.choose_sample("iris")
    run = visitor.start(method="pca")
    studio.work()
    takers = [line for line, own in addresses(studio).items() if own.body is not Body.NOTHING]
    assert len(takers) > 15
    for line in takers:
        address = line.removeprefix("POST ").replace("<run_id>", run)
        address = address.replace("<int:sequence>", "0")
        if address.endswith("/rename"):  # which takes text
            continue
        answer = visitor.http.post(address, data=NESTED, content_type="application/json")
        assert answer.status_code in {400, 410}, address
        assert answer.json["error"].endswith("."), address


def test_half_of_a_character_is_refused_with_a_sentence(visitor: Visitor):
    source = {"kind": "upload", "key": "0" * 64, "name": "\ud800.csv", "label": None}
    answer = visitor.post(ids.CHOICE, "data", source)
    assert answer.status_code == 400
    assert answer.json["error"].endswith(".")


@pytest.mark.parametrize(
    "path", ["os/path.py", "dash/dash.py", "nothing/a.js", "dash/../../app.py", "plotly/x.v1m2.js"]
)
def test_no_file_but_those_of_components_is_there(visitor: Visitor, path):
    answer = visitor.http.get(f"/_dash-component-suites/{path}")
    assert answer.status_code == 404
    assert answer.json["error"].startswith("There is nothing at this address.")


def test_the_files_of_components_are_there(visitor: Visitor):
    page = visitor.http.get("/").text
    found = re.findall(r"_dash-component-suites/[^\"' ]+\.js", page)
    assert found
    for address in found:
        assert visitor.http.get(f"/{address}").status_code == 200


def test_no_callback_answers_a_call_without_its_inputs(visitor: Visitor):
    outputs = [known["output"] for known in visitor.http.get("/_dash-dependencies").json]
    assert len(outputs) > 30
    for output in outputs:
        call = {"output": output, "inputs": [], "changedPropIds": [], "outputs": []}
        assert visitor.http.post(ADDRESS, json=call).status_code == 400


@pytest.mark.parametrize("address", ["/nothing", "/runs", "/assets/nothing.js", "/a/b/c"])
def test_an_unknown_address_is_not_the_page(visitor: Visitor, address):
    assert visitor.http.get(address).status_code == 404


def test_answers_to_a_visitor_are_kept_by_no_one_else(visitor: Visitor):
    for address in ("/", "/frames", "/_dash-layout", "/nothing"):
        assert visitor.http.get(address).headers["Cache-Control"] == "private, no-cache"


def test_a_request_for_news_of_too_many_runs_is_refused(visitor: Visitor):
    names = [f"run{number}:-1" for number in range(MOST_RUNS + 1)]
    refused = visitor.http.get("/frames", query_string={"run": names})
    assert refused.status_code == 400
    assert str(MOST_RUNS) in refused.json["words"]
    assert visitor.http.get("/frames", query_string={"run": names[1:]}).status_code == 200


def test_a_run_that_is_named_many_times_is_answered_once(studio, visitor: Visitor, monkeypatch):
    visitor.choose_sample("iris")
    run = visitor.start(method="pca")
    read, events = [], studio.store.events
    monkeypatch.setattr(
        studio.store, "events", lambda *of, **after: read.append(of) or events(*of, **after)
    )
    news = visitor.http.get("/frames", query_string={"run": [f"{run}:-1"] * 500}).json
    assert list(news["runs"]) == [run]
    assert len(read) == len(set(read)) <= 2  # its planes, and its newest one


@pytest.mark.attack
@pytest.mark.parametrize(("n_all", "n_changed"), [(200_000, 1), (1, 200_000)])
def test_a_call_of_more_controls_than_a_page_has_is_refused(visitor: Visitor, n_all, n_changed):
    """Dash compares each with each that has changed."""
    (output,) = (
        known["output"]
        for known in visitor.http.get("/_dash-dependencies").json
        if any('"role"' in entry["id"] for entry in known["inputs"])
    )
    control = {"type": "role", "column": 0}
    call = {
        "output": output,
        "outputs": declared_outputs(output),
        "inputs": [[{"id": control, "property": "value", "value": None}] * n_all],
        "state": [{"id": "data", "property": "data", "value": None}],
        "changedPropIds": [trigger_of(control, "value")] * n_changed,
    }
    assert visitor.http.post(ADDRESS, json=call).status_code == 400
