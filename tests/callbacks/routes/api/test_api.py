"""Programs do by HTTP what people do on the page, under the same rules."""

from __future__ import annotations

import csv as csv_reader
import io
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import flask
import msgspec
import numpy as np
import pandas as pd
import pytest
from msgspec import Struct
from openapi_spec_validator import OpenAPIV31SpecValidator, validate
from werkzeug.datastructures import ImmutableMultiDict

from callbacks.routes.api.endpoints import ENDPOINTS, PREFIX
from melm_core.methods import METHODS
from melm_studio.analyses import ranking
from melm_studio.analyses.ranking import RANKING, ranked
from melm_studio.planes.class_outlines import CONTOUR_SHARES
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.view_options import Shown
from melm_studio.programs.models import (
    Check,
    Comparison,
    Link,
    Planes,
    PreparedTable,
    Refits,
    Result,
    Run,
    Runs,
)
from melm_studio.runs.records.parameters import MOST_ROWS_IN_FOLDS
from melm_studio.workers.execute import execute_run
from melm_studio.workspace.workspace import Workspace
from tests.callbacks.tables import blobs, csv

TABLE = csv(blobs(n_rows=60))


@dataclass
class Program:
    """A program with a token, and no cookie."""

    http: Any
    token: str

    def __call__(self, method: str, path: str, **body: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.token}"}
        return self.http.open(f"{PREFIX}{path}", method=method, headers=headers, **body)

    def read(self, model: type[Struct], method: str, path: str, **body: Any) -> Any:
        answer = self(method, path, **body)
        assert answer.status_code in (200, 201), answer.text
        return msgspec.json.decode(answer.data, type=model)

    def upload(self, raw: bytes = TABLE, name: str = "blobs.csv") -> dict[str, str]:
        answer = self("POST", "/files", data={"file": (io.BytesIO(raw), name)})
        assert answer.status_code == 201, answer.text
        return {"kind": "upload", **answer.json}


@pytest.fixture
def program(studio) -> Program:
    return new_program(studio)


def new_program(studio) -> Program:
    http = studio.app.server.test_client(use_cookies=False)
    return Program(http, http.post(f"{PREFIX}/tokens").json["token"])


@pytest.fixture
def run(program, studio) -> Run:
    """Of a plane that holds rows out, whose scores need no refits."""
    parameters = {"random_state": 3, "held_out": 0.25}
    request = {"source": program.upload(), "method": "lda", "parameters": parameters}
    run = program.read(Run, "POST", "/runs", json=request)
    execute_run(studio.store, run.id)  # alone: other tests leave comparisons in the queue
    return run


def test_a_table_is_prepared_as_for_a_run(program, run):
    table = program.read(PreparedTable, "POST", "/tables", json=program.upload())
    assert table.id == run.data_id
    assert sum(table.classes.values()) == table.n_rows == 60
    assert table.label not in [feature.name for feature in table.features]


def test_several_runs_of_a_table_prepare_it_once(program, monkeypatch):
    sources = []
    prepare = Workspace.prepare

    def counted(own, table, source):
        sources.append(source)
        return prepare(own, table, source)

    monkeypatch.setattr(Workspace, "prepare", counted)
    table = program.read(PreparedTable, "POST", "/tables", json=program.upload())
    for method in ("lda", "pca"):
        request = {"source": program.upload(), "method": method}
        assert program.read(Run, "POST", "/runs", json=request).data_id == table.id
    assert len(sources) == 1
    assert program.read(PreparedTable, "POST", "/tables", json=program.upload()) == table


def test_somebody_looks_at_what_the_page_starts_and_nobody_at_what_a_program_does(run, studio):
    visitor = studio.visitor()
    visitor.choose_sample("iris")
    page = studio.store.get(visitor.start(method="pca"))
    program = studio.store.get(run.id)
    assert (page.is_looked_at, program.is_looked_at) == (True, False)


def test_a_run_is_that_of_the_page(program, run):
    ended = program.read(Run, "GET", f"/runs/{run.id}")
    assert (ended.state, ended.parameters["random_state"]) == ("done", 3)
    result = program.read(Result, "GET", f"/runs/{run.id}/result")
    headers = {"Authorization": f"Bearer {program.token}"}
    page = program.http.get(f"/runs/{run.id}/components.csv", headers=headers)
    rows = list(csv_reader.DictReader(io.StringIO(page.text.removeprefix("\ufeff"))))
    drawn = [[float(row[f"component_{i}"]) for row in rows] for i in (1, 2)]
    np.testing.assert_allclose(result.components, drawn, rtol=1e-12)
    assert result.chance == 1 / 2
    assert 0.0 <= result.accuracy_held_out <= 1.0


@pytest.mark.parametrize("n_rows", [60, 5_001])
def test_a_program_a_link_and_the_page_hold_out_the_same_rows(program, studio, n_rows):
    table = csv(blobs(n_rows=n_rows))
    body = {"source": program.upload(table), "method": "pca"}
    of_program = program.read(Run, "POST", "/runs", json=body).parameters
    visitor = studio.visitor()
    visitor.choose_file(table, "blobs.csv")
    of_page = studio.store.get(visitor.start(method="pca", held_out=None)).parameters
    path = program.read(Link, "POST", "/links", json=body).path
    linked = parse_qs(urlsplit(visitor.http.get(path).location).query)
    assert of_program["held_out"] == of_page.held_out == float(linked["held_out"][0])
    assert (of_page.held_out > 0.0) == (n_rows > MOST_ROWS_IN_FOLDS)


def test_a_result_says_what_regions_hold_and_what_features_are_worth(program, run, studio):
    result = program.read(Result, "GET", f"/runs/{run.id}/result")
    record, event = studio.store.get(run.id), studio.store.last_event(run.id)
    renderer = PlaneRenderer(studio.store)
    classes = renderer.planes.data(record).class_names
    drawn = [(classes[one.code], one.share) for one in renderer.regions(Shown.of(record, event))]
    assert [(one.class_name, one.share) for one in result.regions] == drawn
    for one in result.regions:
        assert one.share in CONTOUR_SHARES
        assert one.held_out >= one.share - 0.1
        assert 0.0 <= one.training <= 1.0
    found = renderer.planes.importance(Shown.of(record, event))
    assert [one.feature for one in result.importance] == list(result.features)
    assert [one.loss for one in result.importance] == found.loss.tolist()
    assert [one.error for one in result.importance] == found.error.tolist()


@pytest.mark.parametrize(("n_classes", "n_components"), [(2, 1), (12, 1), (12, 2), (2, 3)])
def test_every_result_has_regions_and_importance(program, studio, n_classes, n_components):
    stream = np.random.default_rng(0)
    codes = np.arange(20 * n_classes) % n_classes
    table = pd.DataFrame(stream.normal(size=(len(codes), 4)), columns=list("abcd"))
    table["a"] += 2.0 * codes
    table["kind"] = [f"class {code:02}" for code in codes]
    source = program.upload(csv(table))
    parameters = {"n_components": n_components, "held_out": 0.25}
    request = {"source": source, "method": "pca", "parameters": parameters}
    run = program.read(Run, "POST", "/runs", json=request)
    studio.work()
    result = program.read(Result, "GET", f"/runs/{run.id}/result")
    # Five held-out rows of a class tell no 95 %.
    assert {one.share for one in result.regions} == {0.5, 0.8}
    assert len(result.regions) == 2 * n_classes
    assert len({one.class_name for one in result.regions}) == n_classes
    for one in result.regions:
        assert one.held_out == pytest.approx(one.share, abs=0.21)
        assert 0.0 <= one.training <= 1.0
    assert [one.feature for one in result.importance] == list("abcd")
    assert all(np.isfinite([one.loss, one.error]).all() for one in result.importance)


def test_planes_come_in_order_after_a_number(program, run):
    every = program.read(Planes, "GET", f"/runs/{run.id}/planes").planes
    assert [plane.number for plane in every] == list(range(len(every)))
    assert every[-1].is_final
    rest = program.read(Planes, "GET", f"/runs/{run.id}/planes?after={every[-1].number}").planes
    assert rest == ()


def test_a_check_is_started_followed_and_answered(program, run, studio):
    assert program("GET", f"/runs/{run.id}/check").status_code == 404
    started = program.read(Check, "POST", f"/runs/{run.id}/check")
    assert (started.state, started.answer) == ("queued", "")
    studio.work()
    check = program.read(Check, "GET", f"/runs/{run.id}/check")
    assert (check.state, check.fraction) == ("done", 1.0)
    assert check.answer in ("yes", "partly", "no", "unknown")
    assert 0.0 < check.p_value <= 1.0


@pytest.mark.slow
def test_refits_place_every_row_and_are_the_share_of_the_result(program, studio):
    body = {"source": program.upload(), "method": "lda"}
    run = program.read(Run, "POST", "/runs", json=body)
    assert program("GET", f"/runs/{run.id}/refits").status_code == 404
    assert program.read(Refits, "POST", f"/runs/{run.id}/refits").n_done == 0
    studio.work()
    found = program.read(Refits, "GET", f"/runs/{run.id}/refits")
    result = program.read(Result, "GET", f"/runs/{run.id}/result")
    assert (found.n_done, found.n_folds, len(found.places)) == (10, 10, 60)
    assert sorted(set(found.folds)) == list(range(10))
    assert found.rows == tuple(range(1, 61))
    assert (found.share, found.share_train) == (result.accuracy_held_out, result.accuracy_train)
    assert result.words == found.words


def test_a_run_that_holds_rows_out_is_told_why_it_has_no_refits(program, run):
    answer = program("POST", f"/runs/{run.id}/refits")
    assert answer.status_code == 400
    assert "holds rows out of its plane" in answer.json["words"]


@pytest.mark.slow
def test_all_methods_are_compared_once_on_a_table(program, run, studio, monkeypatch):
    monkeypatch.setattr(ranking, "METHODS", {key: METHODS[key] for key in ("lda", "pca")})
    source = program.upload()
    begun = program.read(Comparison, "POST", "/comparisons", json=source)
    assert (begun.state, begun.fraction, begun.methods) == ("queued", 0.0, ())
    studio.work()
    found = program.read(Comparison, "GET", f"/comparisons/{begun.id}")
    record = studio.store.get(begun.id)
    report = RANKING.stored(studio.store, record.run_id)
    assert [one.held_out for one in found.methods] == [row.held_out for row in ranked(report)]
    assert found.words == RANKING.sentence(report, is_final=True)
    assert (found.state, found.fraction, found.chance) == ("done", 1.0, 0.5)
    assert program.read(Comparison, "POST", "/comparisons", json=source) == found
    assert program("GET", f"/comparisons/{run.id}").status_code == 404
    assert new_program(studio)("GET", f"/comparisons/{begun.id}").status_code == 404


@pytest.mark.slow
def test_a_report_is_a_page(program, run):
    report = program("GET", f"/runs/{run.id}/report")
    assert (report.status_code, report.mimetype) == (200, "text/html")
    assert "blobs" in report.text


def test_a_queued_run_is_stopped_and_removed(program):
    queued = program.read(
        Run, "POST", "/runs", json={"source": {"kind": "sample", "key": "wine"}, "method": "pca"}
    )
    assert program.read(Run, "POST", f"/runs/{queued.id}/stop").state == "cancelled"
    assert program.read(Runs, "DELETE", f"/runs/{queued.id}") == Runs(())


def test_no_token_opens_the_runs_of_another(studio, program, run):
    other = new_program(studio)
    assert other.read(Runs, "GET", "/runs") == Runs(())
    for endpoint in ENDPOINTS:
        if "<run_id>" in endpoint.path:
            path = endpoint.path.replace("<run_id>", run.id)
            refused = other(endpoint.method, path)
            assert refused.status_code == 404
            assert refused.json["error"].endswith(".")
    assert program.read(Run, "GET", f"/runs/{run.id}").id == run.id


def test_a_token_of_the_page_shows_the_runs_of_the_page(studio):
    visitor = studio.visitor()
    visitor.choose_sample("wine")
    run = visitor.start(method="pca")
    token = visitor.http.post(f"{PREFIX}/tokens").json["token"]
    program = Program(studio.app.server.test_client(use_cookies=False), token)
    assert [each.id for each in program.read(Runs, "GET", "/runs").runs] == [run]


@pytest.mark.parametrize("token", ["", "x", "x.y.z", "é" * 9])
def test_a_token_that_is_not_ours_is_refused_in_a_sentence(studio, token):
    program = Program(studio.app.server.test_client(use_cookies=False), token)
    answer = program("GET", "/runs")
    assert answer.status_code == 401
    assert answer.json["error"].endswith("POST /api/v1/tokens.")


def test_a_cookie_is_no_token_and_a_token_sets_no_cookie(studio, program):
    cookie = studio.visitor().cookie
    assert Program(program.http, cookie)("GET", "/runs").status_code == 401
    assert "Set-Cookie" not in program("GET", "/runs").headers


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "must be a JSON object"),
        ({"json": []}, "must be a JSON object"),
        ({"json": {"method": "lda"}}, "The data is missing"),
        ({"json": {"source": {"kind": "sample", "key": "wine"}, "method": "x"}}, "The method must"),
        (
            {"json": {"source": {"kind": "sample", "key": "x"}, "method": "lda"}},
            "The sample must be one of",
        ),
        (
            {
                "json": {
                    "source": {"kind": "upload", "key": "0" * 64, "name": "a.csv"},
                    "method": "lda",
                }
            },
            "a.csv is no longer stored here",
        ),
        (
            {
                "json": {
                    "source": {"kind": "sample", "key": "wine"},
                    "method": "lda",
                    "parameters": {"gamma": -1},
                }
            },
            "-1",
        ),
    ],
)
def test_a_run_that_breaks_a_rule_is_refused_in_a_sentence(program, body, words):
    answer = program("POST", "/runs", **body)
    assert answer.status_code == 400
    assert words in answer.json["error"]


def test_a_number_of_planes_that_is_none_is_refused(program, run):
    answer = program("GET", f"/runs/{run.id}/planes?after=x")
    assert answer.status_code == 400
    assert "'x'" in answer.json["error"]


def test_the_description_names_every_route_and_no_other(studio, program):
    described = {
        (method.upper(), path)
        for path, operations in program("GET", "/openapi.json").json["paths"].items()
        for method in operations
    }
    rules = [rule for rule in studio.app.server.url_map.iter_rules() if PREFIX in rule.rule]
    served = {
        (method, rule.rule.replace("<", "{").replace(">", "}"))
        for rule in rules
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    assert described == served - {("GET", f"{PREFIX}/openapi.json")}


@pytest.mark.attack
def test_the_description_is_openapi(program):
    """Names of operations are unique, references lead somewhere, and each schema is one."""
    validate(program("GET", "/openapi.json").json, cls=OpenAPIV31SpecValidator)


def operations(program) -> dict[str, Any]:
    """Every operation of the description, by method and path."""
    paths = program("GET", "/openapi.json").json["paths"]
    return {
        f"{method.upper()} {path.removeprefix(PREFIX)}": operation
        for path, methods in paths.items()
        for method, operation in methods.items()
    }


@pytest.mark.attack
def test_every_operation_has_the_refusals_of_all(program):
    refusals = {"400", "401", "403", "404", "409", "413", "429", "503", "507"}
    assert all(refusals < set(one["responses"]) for one in operations(program).values())


def test_the_values_of_addresses_are_described_as_what_they_are(program):
    every = [one for operation in operations(program).values() for one in operation["parameters"]]
    kinds = {one["name"]: one["schema"]["type"] for one in every}
    assert (kinds["after"], kinds["file"], kinds["scaled"]) == ("integer", "string", "string")


@pytest.mark.slow
def test_what_is_read_of_a_query_is_described_and_nothing_else(studio, program, run, monkeypatch):
    read = set[str]()

    class Fields(ImmutableMultiDict):
        def get(self, key: str, *rest: Any, **options: Any) -> Any:
            return super().get(key, *rest, **options) if key in self else (rest or (None,))[0]

        def __contains__(self, key: object) -> bool:
            if self is flask.request.args:  # not a form
                read.add(str(key))
            return super().__contains__(key)

    monkeypatch.setattr(studio.app.server.request_class, "parameter_storage_class", Fields)
    begun = program.read(Comparison, "POST", "/comparisons", json=program.upload())
    new_rows = {"file": program.upload()["key"], "name": "blobs.csv"}
    described = sorted(operations(program).items(), key=lambda one: one[0].startswith("DELETE"))
    for line, operation in described:
        method, path = line.replace("{name}", "lot_change").replace("{token_id}", "x").split()
        path = path.replace("{run_id}", begun.id if "comparisons" in path else run.id)
        names = {one["name"] for one in operation["parameters"] if one["in"] == "query"}
        read.clear()
        body = {"json": {}} if "requestBody" in operation else {}
        answer = program(method, path, query_string=new_rows if "file" in names else {}, **body)
        assert answer.status_code < 500, line
        assert read == names, line


@pytest.mark.attack
def test_nobody_can_ask_for_more_than_a_token(studio, program):
    """Whoever comes without one would start what no one can find again."""
    nobody = studio.app.server.test_client(use_cookies=False)
    for line, operation in operations(program).items():
        method, path = line.split()
        answer = nobody.open(f"{PREFIX}{re.sub('{.*?}', 'x', path)}", method=method, json={})
        is_open = {} in operation.get("security", [])
        assert is_open is (line == "POST /tokens")
        assert answer.status_code == (201 if is_open else 401), line


def test_a_result_that_is_not_there_yet_is_told_as_that(program):
    request = {"source": program.upload(), "method": "lda"}
    queued = program.read(Run, "POST", "/runs", json=request)
    answer = program("GET", f"/runs/{queued.id}/result")
    assert answer.status_code == 409
    assert answer.json["error"].startswith("This run is queued and has found no plane yet.")


def test_before_a_comparison_has_begun_nobody_knows_what_guessing_gives(program):
    begun = program.read(Comparison, "POST", "/comparisons", json=program.upload())
    assert (begun.state, begun.chance) == ("queued", None)


@pytest.mark.attack
def test_what_a_program_begins_is_listed_stopped_and_removed(studio, program, run):
    """Of others it is not there."""
    begun = program.read(Comparison, "POST", "/comparisons", json=program.upload())
    program("POST", f"/runs/{run.id}/check")
    at_once = f"/comparisons/{begun.id}", f"/runs/{run.id}/analyses/check"
    other = new_program(studio)
    for path in at_once:
        assert other("POST", f"{path}/stop").status_code == 404
        assert other("DELETE", path).status_code == 404
        assert program("GET", path).json["state"] == "queued"
        assert program("POST", f"{path}/stop").json["state"] == "cancelled"
    assert [one["id"] for one in program("GET", "/comparisons").json["comparisons"]] == [begun.id]
    assert other("GET", "/comparisons").json == {"comparisons": []}
    listed = program("GET", f"/runs/{run.id}/analyses").json["analyses"]
    assert [one["name"] for one in listed] == ["check"]
    assert program("DELETE", at_once[0]).json == {"comparisons": []}
    assert program("DELETE", at_once[1]).json == {"analyses": []}
    assert [program("GET", path).status_code for path in at_once] == [404, 404]
    assert program.read(Runs, "GET", "/runs").runs
