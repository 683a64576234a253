"""docs/adding-an-analysis.md, carried out: one module and a line, and the studio has it."""

from __future__ import annotations

import io
import json
import re
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from melm_studio.command import main
from melm_studio.layout import ids
from melm_studio.layout.page import static_parts
from melm_studio.programs import run_table
from melm_studio.programs.client import StudioClient
from melm_studio.programs.run_table import DONE
from melm_studio.runs.records.run import RunState
from tests.melm_studio.analyses.toy.mean_row import MEAN_ROW, MeanRowReport
from tests.melm_studio.analyses.toy.studio import served, toy_studio
from tests.melm_studio.layout.trees import parts

ADDRESS = f"analyses/{MEAN_ROW.name}"


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    with toy_studio(tmp_path_factory.mktemp("toy")) as studio:
        yield studio


@pytest.fixture(scope="module")
def owner(studio):
    visitor = studio.visitor()
    visitor.choose_sample("iris")
    return visitor


@pytest.fixture(scope="module")
def run(studio, owner):
    """A fit, of which the toy analysis is complete."""
    run = owner.start(method="pca")
    studio.work()
    assert owner.http.get(f"/runs/{run}/{ADDRESS}").json == {"run": None}
    assert owner.http.post(f"/runs/{run}/{ADDRESS}").status_code == 201
    studio.work()
    return run


def test_a_line_of_the_inspector_opens_it(studio):
    (item,) = (each for each in parts(static_parts()) if each.get("data-asks") == ADDRESS)
    assert item["children"]["props"]["children"] == MEAN_ROW.title


def test_the_page_gets_the_sentence_the_progress_and_what_it_shows(owner, run):
    shown = owner.http.get(f"/runs/{run}/{ADDRESS}").json
    assert (shown["is_final"], shown["fraction"], shown["can_begin"]) == (True, 1.0, False)
    assert shown["words"].startswith("Rows are ")
    names = re.findall("<li>(.*?):", shown["markup"])
    assert names == ["setosa", "versicolor", "virginica"]


def test_it_is_begun_once_and_by_its_owner_alone(studio, owner, run):
    first = owner.http.get(f"/runs/{run}/{ADDRESS}").json["run"]
    assert owner.http.post(f"/runs/{run}/{ADDRESS}").json["run"] == first
    assert studio.visitor().http.get(f"/runs/{run}/{ADDRESS}").status_code == 404
    assert owner.http.post(f"/runs/{run}/analyses/other").status_code == 404


def test_one_that_is_stopped_keeps_what_it_found_and_can_begin_again(studio, owner, monkeypatch):
    run = owner.start(method="lda")
    studio.work()
    asked = owner.http.post(f"/runs/{run}/{ADDRESS}").json["run"]
    put = studio.store.put_report

    def stop_after(run_id, raw):
        put(run_id, raw)
        owner.http.post(f"/runs/{run}/{ADDRESS}/stop")

    monkeypatch.setattr(studio.store, "put_report", stop_after)
    studio.work()
    monkeypatch.undo()
    assert studio.store.get(asked).state is RunState.CANCELLED
    assert len(MEAN_ROW.stored(studio.store, asked).distances) == 1
    assert owner.http.get(f"/runs/{run}/{ADDRESS}").json["can_begin"]
    assert owner.http.post(f"/runs/{run}/{ADDRESS}").json["run"] != asked


def test_a_report_and_a_file_have_it(owner, run):
    words = owner.http.get(f"/runs/{run}/{ADDRESS}").json["words"]
    assert words in owner.http.get(f"/runs/{run}/report.html").text
    table = pd.read_csv(io.BytesIO(owner.http.get(f"/runs/{run}/{ADDRESS}.csv").data))
    assert [*table["Class"]] == ["setosa", "versicolor", "virginica"]


def test_a_project_takes_it_along_and_refuses_a_forged_one(studio, owner, run):
    source = owner.values[f"{ids.DATA}.data"]["source"]
    with owner.http.post("/project-file", json={"source": source, "views": []}) as saved:
        raw = saved.data
    newcomer = studio.visitor()
    assert newcomer.http.post("/project", json=newcomer.upload(raw, "a.melm")).status_code == 200
    (copy,) = (one for one in studio.store.runs_of(newcomer.owner) if one.kind == MEAN_ROW.name)
    assert len(MEAN_ROW.stored(studio.store, copy.run_id).distances) == 3
    shape = SimpleNamespace(n_rows=150, n_classes=3, n_features=4)
    with pytest.raises(ValueError, match="does not belong"):
        MEAN_ROW.checked(MeanRowReport((float("nan"),), 3).to_bytes(), shape)


def test_a_program_begins_it_and_reads_all_that_it_found(owner, run):
    address = f"/api/v1/runs/{run}/{ADDRESS}"
    assert owner.http.post(address).status_code == 201
    found = owner.http.get(address).json
    assert (found["name"], found["state"], found["fraction"]) == (MEAN_ROW.name, "done", 1.0)
    assert len(found["report"]["distances"]) == 3


@pytest.mark.slow
def test_the_command_runs_it_without_a_browser(studio, tmp_path, monkeypatch):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=["a", "b", "c"])
    frame.assign(kind=["x", "y"] * 20).to_csv(tmp_path / "points.csv", index=False)

    @contextmanager
    def here():
        with served(studio) as url:
            yield StudioClient(url)

    monkeypatch.setattr(run_table, "studio_in_this_process", here)
    command = ["run", str(tmp_path / "points.csv"), "--methods", "pca", "--folds", "0", "--quiet"]
    command += ["--report", "--analysis", MEAN_ROW.name]
    assert main([*command, "--out", str(tmp_path / "out")]) == DONE
    (method,) = json.loads((tmp_path / "out" / "summary.json").read_text())["methods"]
    assert method["analyses"][0]["words"].startswith("Rows are ")
    assert method["analyses"][0]["words"] in (tmp_path / "out/pca/report.html").read_text()
