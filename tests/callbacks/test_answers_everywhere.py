"""Three answers about a table give the same table wherever it goes."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace

import msgspec
import numpy as np
import pandas as pd
import pytest

from callbacks.routes.api.endpoints import PREFIX
from lab.driver.visitor import components
from melm_studio.command import main
from melm_studio.layout import ids
from melm_studio.programs.run_table import folded_scores, judged_data
from melm_studio.runs.records.data_source import DataSource
from tests.callbacks.routes.test_project_file import open_project, save
from tests.callbacks.tables import csv
from tests.callbacks.test_share_link import DATA, drop, open_link, shared

NAME = "visits.csv"
ANSWERS = {"limits": "indicator", "use:visit": "group", "use:lat": "feature"}
BUTTONS = ("Half, and a column that says so", "A group", "Measured")


def visits() -> bytes:
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 2
    table = pd.DataFrame({"zinc": [f"{x:.3f}" for x in 3 + codes + rng.normal(size=60)]})
    table["lead"] = rng.normal(size=60).round(3) - codes
    table["visit"] = np.arange(60) // 5 % 6 + 1
    table["lat"], table["long"] = rng.uniform(40, 50, size=(2, 60)).round(3)
    table["kind"] = np.where(codes, "ill", "healthy")
    table.loc[::4, "zinc"] = "<0.5"
    return csv(table)


@pytest.fixture(scope="module")
def answered(studio):
    """A visitor who answered three questions by their buttons, and ran LDA."""
    visitor = studio.visitor()
    changes = visitor.choose_file(visits(), NAME)
    for label in BUTTONS:
        drawn = [part["props"] for part in components(changes[f"{ids.DATA_SUMMARY}.children"])]
        (button,) = (one for one in drawn if one.get("children") == label and "id" in one)
        changes = visitor.choose(visitor.fire(button["id"], "n_clicks", 1)[f"{ids.CHOICE}.data"])
    run = visitor.start(method="lda")
    studio.work()
    source = visitor.values[DATA]["source"]
    return SimpleNamespace(visitor=visitor, run=run, source=source, id=visitor.values[DATA]["id"])


@pytest.mark.slow
def test_three_buttons_are_three_answers_of_the_source(studio, answered):
    assert answered.source["answers"] == ANSWERS
    data = studio.data_of(answered.visitor)
    assert data.feature_names == ("zinc", "zinc beyond limit", "lead", "lat", "long")
    assert len(np.unique(data.groups)) == 6


def test_the_http_interface_prepares_the_same_table_and_says_the_answers(studio, answered):
    http = studio.app.server.test_client(use_cookies=False)
    headers = {"Authorization": f"Bearer {http.post(f'{PREFIX}/tokens').json['token']}"}
    sent = {"file": (io.BytesIO(visits()), NAME)}
    file = http.post(f"{PREFIX}/files", headers=headers, data=sent).json
    body = {"kind": "upload", **file, "answers": ANSWERS}
    table = http.post(f"{PREFIX}/tables", headers=headers, json=body).json
    assert table["id"] == answered.id
    answered_ones = {one["id"]: one["answer"] for one in table["questions"] if one["answer"]}
    assert answered_ones == ANSWERS


def test_a_link_brings_the_same_table(studio, answered, visitor):
    query = shared(answered.visitor, answered.run).json["query"]
    open_link(visitor, query)
    drop(visitor, visits(), NAME)
    assert visitor.values[DATA]["source"]["answers"] == ANSWERS
    assert visitor.values[DATA]["id"] == answered.id


def test_a_project_brings_the_same_table(studio, answered, visitor):
    opened = open_project(visitor, save(answered.visitor))
    assert opened.status_code == 200, opened.text
    visitor.choose(opened.json["source"])
    assert visitor.values[DATA]["source"]["answers"] == ANSWERS
    assert visitor.values[DATA]["id"] == answered.id


def test_a_report_says_how_the_table_was_read(answered):
    report = answered.visitor.http.get(f"/runs/{answered.run}/report.html").text
    assert "with a column that says so" in report
    assert "Group: visit, 6 groups." in report
    assert "zinc beyond limit" in report


@pytest.mark.slow
def test_the_command_and_its_folds_take_the_same_table(studio, answered, tmp_path):
    table = tmp_path / NAME
    table.write_bytes(visits())
    given = [word for answer in ANSWERS.items() for word in ("--answer", *answer)]
    command = ["run", str(table), "--methods", "lda", "--folds", "3", *given]
    assert main([*command, "--out", str(tmp_path / "new"), "--quiet"]) == 0
    summary = json.loads((tmp_path / "new" / "summary.json").read_text())
    assert summary["table"]["id"] == answered.id
    scores, (run,) = summary["methods"][0]["scores"], [summary["methods"][0]["result"]["run"]]
    record = studio.store.get(answered.run)
    assert record.source.answers == ANSWERS
    source = msgspec.to_builtins(record.source)
    again = folded_scores(judged_data(visits(), source), source, SimpleNamespace(**run), 3)
    assert again.held_out == pytest.approx(scores["held_out"])
    other = msgspec.to_builtins(DataSource(kind="upload", key="0" * 64, name=NAME, label="kind"))
    without = folded_scores(judged_data(visits(), other), other, SimpleNamespace(**run), 3)
    assert without != again
