"""Has the lot changed: the rows of a second file against those of a run."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from melm_studio.workspace.workspace import NO_NEW_ROWS
from tests.callbacks.tables import csv

ADDRESS = "analyses/lot_change"


def lot(seed: int, shift: float = 0.0, patients: str = "") -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    codes = np.arange(80) % 2
    table = pd.DataFrame(rng.normal(size=(80, 4)) + 2 * np.eye(2, 4)[codes])
    table.columns = pd.Index(["width", "height", "depth", "weight"])
    table["weight"] += shift
    if patients:
        table["patient"] = [f"{patients}{i // 4}" for i in range(80)]
    return table.assign(label=np.array(["good", "bad"])[codes])


@pytest.fixture(scope="module")
def owner(studio):
    visitor = studio.visitor()
    visitor.choose_file(csv(lot(0)), "first.csv")
    return visitor


@pytest.fixture(scope="module")
def run(studio, owner):
    run = owner.start(method="melm", curves="curved")
    studio.work()
    return run


def compared(studio, visitor, run, table: pd.DataFrame):
    file = visitor.upload(csv(table), "second.csv")
    query = {"file": file["key"], "name": file["name"]}
    begun = visitor.http.post(f"/runs/{run}/{ADDRESS}", json={}, query_string=query)
    assert begun.status_code == 201
    studio.work()
    return begun.json["run"], visitor.http.get(f"/runs/{run}/{ADDRESS}").json


def test_without_new_rows_the_way_to_them_is_said(owner, run):
    assert owner.http.get(f"/runs/{run}/{ADDRESS}").json == {"run": None, "words": NO_NEW_ROWS}
    refused = owner.http.post(f"/runs/{run}/{ADDRESS}", json={})
    assert (refused.status_code, refused.json["error"]) == (400, NO_NEW_ROWS)


@pytest.mark.slow
def test_a_shifted_lot_is_shown_with_its_feature_and_plane(studio, owner, run):
    _, found = compared(studio, owner, run, lot(1, shift=1.5))
    assert found["words"].startswith("The lot has changed")
    rows = re.findall("<tr><td>(.*?)</td>", found["markup"])
    assert rows[0] == "weight"
    assert len(rows) == 4  # of bent features, the features themselves
    assert ">The plane of the first lot still holds" in found["markup"]
    first, new = found["figures"]["plot"]["data"]
    assert (len(first["x"]), len(new["x"])) == (80, 80)


@pytest.mark.slow
def test_no_plane_is_drawn_of_a_change_that_is_not_shown(studio, owner, run):
    _, found = compared(studio, owner, run, lot(2))
    assert found["words"].startswith("No change is shown")
    assert not found["figures"]


def test_the_same_rows_are_compared_once_and_others_anew(studio, owner, run):
    first, _ = compared(studio, owner, run, lot(3))
    assert compared(studio, owner, run, lot(3))[0] == first
    second, _ = compared(studio, owner, run, lot(4))
    assert second != first
    assert studio.store.get(first) is None
    again = owner.http.post(f"/runs/{run}/{ADDRESS}", json={})  # without a file: that one
    assert again.json["run"] == second


@pytest.mark.slow
def test_rows_without_a_class_are_left_out_where_others_have_one(studio, owner, run):
    table = lot(5)
    table.loc[:9, "label"] = ""
    _, found = compared(studio, owner, run, table)
    assert "Left out: 10 rows of the new lot without a class of the run." in found["markup"]


@pytest.mark.slow
def test_a_program_and_a_report_have_it(studio, owner, run):
    compared(studio, owner, run, lot(6, shift=1.5))
    token = owner.http.post("/api/v1/tokens").json["token"]
    headers = {"X-Melm-Token": token}
    found = studio.visitor().http.get(f"/api/v1/runs/{run}/{ADDRESS}", headers=headers).json
    assert found["words"].startswith("The lot has changed")
    assert found["report"]["features"][0]["at"] == 3
    report = owner.http.get(f"/runs/{run}/report.html").get_data(as_text=True)
    assert "<h2>The new lot</h2>" in report
    assert "The new lot is second:" in report
    assert owner.http.get(f"/runs/{run}/{ADDRESS}.csv").get_data(as_text=True).count("\n") == 5


@pytest.mark.slow
def test_whole_groups_are_compared_and_a_file_without_them_is_refused(studio):
    visitor = studio.visitor()
    upload = visitor.upload(csv(lot(0, patients="a")), "first.csv")
    visitor.choose({"kind": "upload", **upload, "roles": {"patient": "group"}})
    run = visitor.start(method="lda")
    studio.work()
    begun, _ = compared(studio, visitor, run, lot(1))
    assert "the new file has no column patient" in studio.store.get(begun).message
    _, found = compared(studio, visitor, run, lot(1, patients="b"))
    assert "change" in found["words"]
