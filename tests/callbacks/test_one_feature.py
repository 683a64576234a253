"""A table of one feature: a picture of one component, and all that is said of one."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from melm_core.methods import METHODS
from melm_studio.layout import ids
from tests.callbacks.tables import csv
from tests.melm_core.helpers import of_each_contract

ERROR = f"{ids.RUN_ERROR}.children"


def doses(n_rows: int = 60) -> pd.DataFrame:
    kinds = np.arange(n_rows) % 2
    dose = np.random.default_rng(0).normal(size=n_rows).round(3) + 2 * kinds
    return pd.DataFrame({"dose": dose, "kind": [("low", "high")[kind] for kind in kinds]})


@pytest.fixture
def visitor(studio):
    visitor = studio.visitor()
    changes = visitor.choose_file(csv(doses()), "doses.csv")
    assert changes.get(f"{ids.DATA_ERROR}.children") is None
    return visitor


def test_the_first_look_at_one_feature_is_a_line(visitor):
    shown = visitor.values[f"{ids.DATA}.data"]
    answer = visitor.http.post("/preview", json=shown)
    assert answer.json["caption"] == "PCA line of doses"
    assert visitor.http.post("/preview/every-point", json=shown).status_code == 200


@pytest.mark.parametrize("method", of_each_contract(METHODS))
def test_every_method_draws_one_feature_or_says_why_not(studio, visitor, method):
    refusal = visitor.press_run(method=method, n_init=1).get(ERROR)
    if refusal is not None:
        assert not METHODS[method].is_installed
        assert METHODS[method].label in refusal
        return
    studio.work()
    (run,) = visitor.panels()
    news = visitor.news(run)
    assert news["state"] == "done", news["words"]
    assert news["plane"]["caption"] == f"{METHODS[method].label} line of doses"


@pytest.mark.slow
def test_of_one_feature_the_report_check_and_files_are_made(studio, visitor):
    run = visitor.start(method="lda")
    studio.work()
    assert visitor.http.post(f"/runs/{run}/analyses/check").status_code == 201
    studio.work()
    assert visitor.http.get(f"/runs/{run}/analyses/check").json["words"].startswith("Yes.")
    for file in ("report.html", "model.json", "script.py", "points.csv", "components.csv"):
        assert visitor.http.get(f"/runs/{run}/{file}").status_code == 200, file
    refused = visitor.http.post(f"/runs/{run}/analyses/sparse")
    assert "the table has 1 feature" in refused.json["error"]


def test_new_rows_of_one_feature_are_placed(studio, visitor):
    run = visitor.start(method="lda")
    studio.work()
    sent = visitor.upload(b"name,dose\na,0.1\nb,2.2\n", "new.csv")
    query = {"file": sent["key"], "name": sent["name"]}
    sequence = studio.store.last_event(run).sequence
    answer = visitor.http.get(f"/runs/{run}/planes/{sequence}/new-rows", query_string=query)
    assert [row["predicted"] for row in answer.json["report"]["rows"]] == ["low", "high"]


@pytest.mark.slow
def test_the_program_of_one_feature_computes_its_component(studio, visitor, tmp_path):
    run = visitor.start(method="lda")
    studio.work()
    program, table = tmp_path / "plane.py", tmp_path / "new.csv"
    program.write_bytes(visitor.http.get(f"/runs/{run}/script.py").data)
    table.write_text("dose\n0.1\n2.2\n")
    ran = subprocess.run(
        [sys.executable, program, table], capture_output=True, text=True, check=True
    )
    header, *rows = ran.stdout.splitlines()
    assert header.startswith("row,component_1")
    assert len(rows) == 2


def test_the_interface_takes_one_component_of_one_feature(visitor):
    sent = visitor.upload(csv(doses()), "doses.csv")
    body = {"method": "lda", "source": {"kind": "upload", "label": "kind", **sent}}
    started = visitor.http.post("/api/v1/runs", json=body)
    assert started.status_code in (200, 201), started.text
    assert started.json["parameters"]["n_components"] == 1
    refused = visitor.http.post("/api/v1/runs", json=body | {"parameters": {"n_components": 2}})
    assert "2 dimensions" in refused.json["error"]
