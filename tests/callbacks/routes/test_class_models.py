"""Does a row belong at all: models of the classes of a run, and the rows of a second file."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from melm_studio.analyses.analysis import DataShape
from melm_studio.analyses.class_models import CLASS_MODELS
from tests.callbacks.tables import csv

ADDRESS = "analyses/class_models"


def table(seed: int, n_rows: int = 60, patients: str = "") -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    codes = np.arange(n_rows) % 2
    found = pd.DataFrame(rng.normal(size=(n_rows, 4)) + 8 * np.eye(2, 4)[codes])
    found.columns = pd.Index(["width", "height", "depth", "weight"])
    if patients:
        found["patient"] = [f"{patients}{i // 3}" for i in range(n_rows)]
    return found.assign(label=np.array(["good", "bad"])[codes])


@pytest.fixture(scope="module")
def owner(studio):
    visitor = studio.visitor()
    visitor.choose_file(csv(table(0)), "first.csv")
    return visitor


@pytest.fixture(scope="module")
def run(studio, owner):
    run = owner.start(method="melm", curves="curved")
    studio.work()
    return run


def asked(studio, visitor, run, new: pd.DataFrame | None = None, **query: str):
    file = {} if new is None else visitor.upload(csv(new), "second.csv")
    named = {} if new is None else {"file": file["key"], "name": file["name"]}
    begun = visitor.http.post(f"/runs/{run}/{ADDRESS}", json={}, query_string=named)
    assert begun.status_code == 201, begun.json
    studio.work()
    return visitor.http.get(f"/runs/{run}/{ADDRESS}", query_string=query).json


@pytest.mark.slow
def test_without_new_rows_it_says_what_models_accept_that_never_saw_a_row(studio, owner, run):
    found = asked(studio, owner, run, model="1")
    own = re.match(r"(\d+) of 60 rows would be accepted by a model of their class", found["words"])
    assert 52 <= int(own[1]) <= 60
    assert found["words"].endswith("0 of 60 by one of another class.")
    assert re.search(r"of 30 rows of good would be accepted by a model that never", found["markup"])
    traces = found["figures"]["plot"]["data"]
    assert [(trace["name"], len(trace["x"])) for trace in traces] == [
        ("bad", 30),
        ("good", 30),
        ("limit", 101),
    ]


@pytest.mark.slow
def test_new_rows_are_accepted_by_their_class_or_by_none(studio, owner, run):
    new = table(1, 20)
    new.loc[:4, ["depth", "weight"]] = 30.0
    new.loc[7, "width"] = np.nan
    found = asked(studio, owner, run, new)
    number = re.match(r"(\d+) of 20 new rows belong to no class of the table\.", found["words"])
    assert 5 <= int(number[1]) <= 8
    rows = re.findall("<tr><td>([0-9]+)</td><td>(.*?)</td>", found["markup"])
    assert dict(rows)["1"] == "none"
    assert dict(rows)["20"] == "bad"
    assert "1 new row lacked numbers" in found["markup"]


@pytest.mark.slow
def test_a_program_a_report_and_a_project_have_it(studio, owner, run):
    asked(studio, owner, run, table(2, 20))
    token = owner.http.post("/api/v1/tokens").json["token"]
    headers = {"X-Melm-Token": token}
    found = studio.visitor().http.get(f"/api/v1/runs/{run}/{ADDRESS}", headers=headers).json
    assert [model["name"] for model in found["report"]["models"]] == ["bad", "good"]
    report = owner.http.get(f"/runs/{run}/report.html").get_data(as_text=True)
    assert "<h2>Does it belong at all?</h2>" in report
    assert owner.http.get(f"/runs/{run}/{ADDRESS}.csv").get_data(as_text=True).count("\n") == 24
    stored = studio.store.report(owner.http.get(f"/runs/{run}/{ADDRESS}").json["run"])
    shape = DataShape(n_rows=60, n_classes=2, n_features=4)
    assert CLASS_MODELS.checked(stored, shape) == stored
    with pytest.raises(ValueError, match="does not belong"):
        CLASS_MODELS.checked(stored, DataShape(n_rows=60, n_classes=3, n_features=4))


def test_one_class_is_modeled_and_what_is_not_known_is_said(studio):
    visitor = studio.visitor()
    visitor.choose_file(csv(table(0).assign(label="good")), "one.csv")
    run = visitor.start(method="pca")
    studio.work()
    found = asked(studio, visitor, run)
    assert re.match(r"\d+ of 60 rows of .* would be accepted by a model that never", found["words"])
    assert "This table has one class" in found["markup"]


@pytest.mark.slow
def test_a_class_of_five_rows_is_named_and_others_are_judged(studio):
    visitor = studio.visitor()
    rows = table(0)
    rows.loc[:4, "label"] = "rare"
    visitor.choose_file(csv(rows), "rare.csv")
    run = visitor.start(method="lda")
    studio.work()
    found = asked(studio, visitor, run, model="2")
    assert "There is no model of rare, which has 5 rows or groups" in found["markup"]
    assert "of 55 rows would be accepted" in found["words"]
    assert not found["figures"]


def test_a_table_of_too_few_rows_is_refused_with_the_way_out(studio):
    visitor = studio.visitor()
    visitor.choose_file(csv(table(0, 10)), "small.csv")
    run = visitor.start(method="lda")
    studio.work()
    refused = visitor.http.post(f"/runs/{run}/{ADDRESS}", json={})
    assert refused.status_code == 400
    assert "needs 6 rows or groups of a class; the largest class has 5" in refused.json["error"]


@pytest.mark.slow
def test_whole_groups_are_judged(studio):
    visitor = studio.visitor()
    upload = visitor.upload(csv(table(0, patients="a")), "first.csv")
    visitor.choose({"kind": "upload", **upload, "roles": {"patient": "group"}})
    run = visitor.start(method="lda")
    studio.work()
    assert "of 60 rows would be accepted" in asked(studio, visitor, run)["words"]
