"""`melm-studio run` writes what the page would show."""

from __future__ import annotations

import csv
import io
import json
import resource
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from melm_core import SavedPlane
from melm_studio.analyses import refits
from melm_studio.analyses.verdict_file import verdict_in
from melm_studio.command import main
from melm_studio.programs import own_process, run_table
from melm_studio.programs.client import RefusedError, StudioClient
from melm_studio.programs.models import BatchResult, PreparedTable, Refits, Result, Run
from melm_studio.programs.own_process import studio_in_this_process
from melm_studio.programs.run_table import (
    DONE,
    REFUSED,
    SOME_FAILED,
    STOPPED,
    MethodResult,
    Progress,
)
from melm_studio.runs.records.run import RunState

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    frame["kind"] = np.repeat(["x", "y"], 30)
    frame.loc[frame["kind"] == "y", ["a", "b"]] += 4.0
    path = tmp_path_factory.mktemp("table") / "points.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def results(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results") / "new"
    command = ["run", str(table), "--label", "kind", "--methods", "lda", "pca"]
    status = main([*command, "--folds", "3", "--out", str(folder), "--quiet", "--report"])
    return status, folder


@pytest.mark.slow
def test_without_a_report_nothing_is_drawn(table, tmp_path):
    loaded = f"""
import sys
from melm_studio.command import main
options = ["--methods", "lda", "--folds", "0", "--quiet", "--out", {str(tmp_path)!r}]
status = main(["run", {str(table)!r}, *options])
print(sorted({{"dash", "matplotlib"}} & set(sys.modules)))
sys.exit(status)
"""
    done = subprocess.run(
        [sys.executable, "-c", loaded], check=True, capture_output=True, text=True, cwd=ROOT
    )
    assert done.stdout == "[]\n"
    files = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {
        "scores.csv", "summary.json", "plane.json", "points.csv", "components.csv", "program.py",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("folds", ["auto", "3"])
def test_a_method_that_needs_too_much_memory_is_refused_in_a_sentence(
    table, tmp_path, monkeypatch, capsys, folds
):
    def too_much(*_: object, **__: object) -> None:
        raise MemoryError

    if folds == "auto":  # those of the run's own refits
        monkeypatch.setattr(refits.Refits, "of", too_much)
    else:
        monkeypatch.setattr(run_table, "folded_scores", too_much)
    options = ["--methods", "lda", "pca", "--folds", folds, "--out", str(tmp_path / "new")]
    assert main(["run", str(table), *options]) == SOME_FAILED
    assert capsys.readouterr().err.count("more memory") == 2


def test_the_command_has_the_memory_of_a_run_and_gives_it_back(monkeypatch):
    monkeypatch.setenv("MELM_MAX_RUN_MB", "2000")
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with studio_in_this_process():
        assert resource.getrlimit(resource.RLIMIT_DATA)[0] == 2000 * 2**20
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


@pytest.mark.slow
def test_every_method_has_its_files(results):
    status, folder = results
    assert status == DONE
    expected = {"plane.json", "program.py", "components.csv", "points.csv", "figure.pdf"}
    for method in ("lda", "pca"):
        assert {file.name for file in (folder / method).iterdir()} == expected | {"report.html"}
    assert (folder / "comparison.pdf").read_bytes().startswith(b"%PDF")
    assert "guessing" in (folder / "comparison.html").read_text().lower()


def test_the_saved_plane_gives_the_points(results, table):
    _, folder = results
    plane = SavedPlane.from_json((folder / "lda" / "plane.json").read_text())
    points = pd.read_csv(folder / "lda" / "points.csv")
    projected = plane.transform(pd.read_csv(table))
    np.testing.assert_allclose(projected, points[["component_1", "component_2"]], rtol=0, atol=1e-9)


def test_scores_stand_beside_their_held_out_twin_and_chance(results):
    _, folder = results
    with (folder / "scores.csv").open() as file:
        rows = {row["method"]: row for row in csv.DictReader(file)}
    summary = json.loads((folder / "summary.json").read_text())
    for found in summary["methods"]:
        row = rows[found["method"]]
        assert float(row["held_out"]) == found["scores"]["held_out"] > 0.9
        assert float(row["train"]) > 0.9
        assert float(row["chance"]) == 0.5
        assert found["scores"]["n_folds"] == 3


def test_the_scores_are_those_of_the_refits_that_the_page_draws(table, tmp_path, monkeypatch):
    known = []

    class Kept(StudioClient):
        def refitted(self, run_id: str, **options: Any) -> Refits:
            known.append(super().refitted(run_id, **options))
            return known[-1]

    monkeypatch.setattr(own_process, "StudioClient", Kept)
    folder = tmp_path / "new"
    options = ["--methods", "lda", "--quiet", "--out", str(folder)]
    assert main(["run", str(table), *options]) == DONE
    (found,), (refits,) = json.loads((folder / "summary.json").read_text())["methods"], known
    assert found["result"]["run"]["parameters"]["held_out"] == 0.0
    assert found["result"]["accuracy_held_out"] == found["scores"]["held_out"] == refits.share
    assert (found["scores"]["n_folds"], len(refits.places)) == (10, 60)


def test_how_batches_are_told_apart_stands_beside_the_classes():
    batches = BatchResult(0.5, 0.41, 1 / 3, "Batches can be told apart in this picture: 41 %.")
    run = Run("r", "LDA", "t", "d", "lda", {}, RunState.DONE, "", 1, 2.0, 0.1)
    result = Result(run, True, ((1.0,),), ("a",), 0.9, 0.8, 0.5, "80 % are told apart.", batches)
    found = MethodResult("lda", result=result)
    assert batches.words in found.sentence
    assert found.row()["batch_held_out"] == 0.41
    assert found.row()["batch_chance"] == 1 / 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["missing.csv"], "missing.csv cannot be read"),
        (["{table}", "--folds", "1"], "--folds must be auto, 0, or 2 or more; it is 1."),
        (["{table}", "--fold-s", "1"], "has no --fold-s"),
    ],
)
def test_what_cannot_be_run_is_refused_in_a_sentence(options, words, table, tmp_path, capsys):
    given = [option.format(table=table) for option in options]
    assert main(["run", *given, "--out", str(tmp_path / "new")]) == REFUSED
    assert words in capsys.readouterr().err


def test_no_file_is_overwritten(table, tmp_path, capsys):
    (tmp_path / "notes.txt").write_text("mine")
    assert main(["run", str(table), "--out", str(tmp_path)]) == REFUSED
    assert "is not empty" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


class FullStudio:
    """A studio that has no room for a run."""

    def upload(self, raw: bytes, name: str) -> dict[str, str]:
        return {"kind": "upload", "key": "0" * 64, "name": name}

    def prepare(self, source: object) -> PreparedTable:
        return PreparedTable("0" * 64, "points", "kind", 60, {}, (), (), ())

    def start(self, *_: object) -> None:
        raise RefusedError("There is no room.")


@pytest.mark.slow
def test_a_refused_method_is_named_and_told_by_the_exit_code(table, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(run_table, "studio_in_this_process", lambda: nullcontext(FullStudio()))
    options = ["--methods", "pca", "--out", str(tmp_path / "new")]
    assert main(["run", str(table), *options]) == SOME_FAILED
    assert "There is no room." in (tmp_path / "new" / "scores.csv").read_text()
    assert "There is no room." in capsys.readouterr().err


@pytest.fixture(scope="module")
def of_subjects(tmp_path_factory):
    rng, subject = np.random.default_rng(3), np.repeat(np.arange(12), 5)
    frame = pd.DataFrame(rng.normal(size=(12, 3))[subject] + rng.normal(size=(60, 3)))
    frame = frame.rename(columns=str).assign(code=subject + 1, kind=np.where(subject % 2, "x", "y"))
    path = tmp_path_factory.mktemp("subjects") / "subjects.csv"
    frame.sample(frac=1.0, random_state=0).to_csv(path, index=False)
    return path


def of(table, tmp_path, *options):
    """The exit code and the summary of a run of one method."""
    command = ["run", str(table), "--label", "kind", "--methods", "lda", "--folds", "0"]
    status = main([*command, "--out", str(tmp_path / "new"), "--quiet", *options])
    summary = tmp_path / "new" / "summary.json"
    return status, json.loads(summary.read_text()) if summary.exists() else None


@pytest.mark.slow
def test_a_verdict_that_needs_no_answer_asks_nothing(of_subjects, tmp_path, capsys):
    assert of(of_subjects, tmp_path)[0] == DONE
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_a_question_on_which_the_verdict_depends_is_printed_with_the_option_that_answers_it(
    of_subjects, tmp_path, capsys
):
    status, summary = of(of_subjects, tmp_path, "--check")
    assert status == DONE
    (found,) = summary["methods"]
    assert found["check"]["answer"] == "unknown"
    assert [one["answer"] for one in found["check"]["readings"]] == ["no"]
    printed = capsys.readouterr().err
    assert "Do rows with the same code belong together?" in printed
    assert "--answer subjects:code together" in printed
    assert [one["answer"] for one in summary["table"]["questions"]] == [""]


@pytest.mark.slow
def test_a_verdict_is_saved_with_what_the_check_says(of_subjects, tmp_path):
    file = tmp_path / "verdict.json"
    _, summary = of(of_subjects, tmp_path, "--verdict", str(file))
    assert verdict_in(file.read_bytes())[0].sentence == summary["methods"][0]["check"]["words"]


@pytest.mark.slow
def test_an_answer_that_does_not_fit_the_table_is_said(of_subjects, tmp_path, capsys):
    answers = ["--answer", "subjects:code", "together", "--answer", "use:week", "batch"]
    assert of(of_subjects, tmp_path, *answers)[0] == DONE
    printed = capsys.readouterr().err
    assert printed.startswith("Not used, since this table does not fit: 1 answer")
    assert "use:week = batch" in printed


@pytest.mark.slow
def test_an_answer_is_kept_with_the_results(of_subjects, tmp_path, capsys):
    status, summary = of(of_subjects, tmp_path, "--answer", "subjects:code", "together")
    assert status == DONE
    assert capsys.readouterr().err == ""
    (question,) = summary["table"]["questions"]
    assert (question["id"], question["answer"]) == ("subjects:code", "together")


class Screen(io.StringIO):
    """What stands on standard error."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_line_moves_on_a_terminal_and_a_pipe_gets_a_line_of_each_method(is_terminal, monkeypatch):
    screen = Screen(is_terminal=is_terminal)
    monkeypatch.setattr("sys.stderr", screen)
    with Progress(["lda", "pca"], is_shown=True) as progress:
        for method in ("lda", "pca"):
            progress.begin(method)
            progress.fitted(method)
            progress.refused(method, f"{method} is done.")
    assert ("\r" in screen.getvalue()) == is_terminal
    if not is_terminal:
        assert screen.getvalue() == "LDA  lda is done.\nPCA  pca is done.\n"


@pytest.mark.slow
def test_what_is_done_is_written_before_the_next_method_begins(table, tmp_path, monkeypatch):
    scores, seen = tmp_path / "out" / "scores.csv", []

    class Watching(FullStudio):
        def start(self, *_: object) -> None:
            seen.append(scores.read_text().count("\n") if scores.exists() else 0)
            super().start()

    monkeypatch.setattr(run_table, "studio_in_this_process", lambda: nullcontext(Watching()))
    methods = ["--methods", "lda", "pca", "melm", "--out", str(scores.parent), "--quiet"]
    main(["run", str(table), *methods])
    assert seen == [0, 2, 3]


@pytest.mark.slow
def test_whoever_stops_it_keeps_what_is_done_and_sees_no_traceback(
    table, tmp_path, monkeypatch, capsys
):
    class Stopped(FullStudio):
        def start(self, source: object, method: str, *_: object) -> None:
            if method == "pca":
                raise KeyboardInterrupt
            super().start()

    monkeypatch.setattr(run_table, "studio_in_this_process", lambda: nullcontext(Stopped()))
    out = tmp_path / "out"
    assert main(["run", str(table), "--methods", "lda", "pca", "--out", str(out)]) == STOPPED
    assert "There is no room." in (out / "scores.csv").read_text()
    assert f"What is done is in {out}." in capsys.readouterr().err
