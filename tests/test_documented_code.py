"""What the documents show as code runs, or is marked as not run with the reason why.

A block is marked by a comment of its page, `<!-- not run: why -->`, on the line before it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.datasets import load_iris, load_wine

import lab.benchmarks.__main__ as measuring
import lab.experiments.__main__ as experimenting
from lab.driver.launcher import running_studio
from lab.driver.visitor import opened_studio
from melm_studio.command import argument_parser
from melm_studio.configuration.settings import Settings
from melm_studio.tables import load_sample

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md"))]
BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<why>.+?) -->\n)?^```(?P<language>\w+)\n(?P<code>.*?)^```",
    re.MULTILINE | re.DOTALL,
)
SHOWN_ADDRESS = "http://127.0.0.1:8050"
OF_A_STUDIO = {"http-api.md"}  # whose blocks speak to that address
MINUTES = {*OF_A_STUDIO, "command-line.md", "is-it-real.md"}


@dataclass(frozen=True)
class Block:
    """A block of code of a page."""

    page: str
    language: str
    code: str


def blocks(language: str) -> Iterator[Block]:
    """The blocks of a language that are run, page by page."""
    for page in PAGES:
        for found in BLOCK.finditer(page.read_text()):
            if found["language"] == language and not found["why"]:
                yield Block(page.name, language, found["code"])


def programs() -> dict[str, str]:
    """The Python of each page, whose blocks follow each other."""
    code: dict[str, str] = {}
    for block in blocks("python"):
        code[block.page] = code.get(block.page, "") + block.code
    return code


def commands() -> list[str]:
    """The commands for a terminal, each on one line."""
    code = [block.code for block in blocks("sh") if block.page not in OF_A_STUDIO]
    lines = re.sub(r"\\\n\s*", "", "".join(code)).splitlines()
    return [*dict.fromkeys(re.sub(r"(^|\s+)#.*", "", line) for line in lines if line[:1] != "#")]


def of_program(name: str) -> list[str]:
    """The commands that begin so."""
    return [line for line in commands() if f"{line} ".startswith(f"{name} ")]


@pytest.fixture(scope="module")
def downloads(tmp_path_factory) -> dict[str, str]:
    """What the page offers of a run of wine for programs of one's own, by the name of the file."""
    with opened_studio(tmp_path_factory.mktemp("studio")) as studio:
        visitor = studio.visitor()
        visitor.choose_sample("wine")
        run = visitor.start(method="lda")
        studio.work()
        files = {"wine-melm-model.json": "model.json", "wine-melm-script.py": "script.py"}
        return {name: visitor.http.get(f"/runs/{run}/{file}").text for name, file in files.items()}


@pytest.fixture
def folder(tmp_path, monkeypatch, downloads) -> Path:
    """The current folder, with the files that the documents speak of."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(mpl.rcParams, "backend", "agg")
    iris, wine = load_iris(as_frame=True), load_wine(as_frame=True)
    iris.frame.rename(columns={"target": "species"}).to_csv("table.csv", index=False)
    iris.frame.rename(columns={"target": "group"}).to_csv("expression.csv", index=False)
    load_sample("wine").frame.to_csv("wine.csv", index=False)
    visits = iris.data.iloc[:40].assign(patient=np.arange(40) // 2, when=["before", "after"] * 20)
    visits.to_csv("visits.csv", index=False)
    for name in ("NEW.csv", "new-spectra.csv"):
        wine.data.to_csv(name, index=False)
    for name, text in downloads.items():
        Path(name).write_text(text)
    Path("model.json").write_text(downloads["wine-melm-model.json"])
    return tmp_path


def known_names() -> dict[str, Any]:
    """What a reader has when a page begins: a table, its classes, and what goes with its rows."""
    X, y = load_iris(return_X_y=True)
    rows = np.arange(len(y))
    frame = load_iris(as_frame=True).frame.rename(columns={"target": "species"})
    groups = {"patients": rows % 30, "batch": rows % 2, "weights": np.ones(len(y))}
    return {"X": X, "y": y, "frame": frame, **groups}


def run_python(program: str) -> None:
    """Run a program: it shows nothing in a browser, and scikit-learn is configured as before."""
    with config_context():
        exec(program.replace(".show()", ".to_json()"), known_names())  # noqa: S102 -- our documents


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("document", "program"),
    [
        pytest.param(page, program, marks=[pytest.mark.slow] if page in MINUTES else [], id=page)
        for page, program in programs().items()
        if page not in OF_A_STUDIO
    ],
)
def test_the_python_of_a_page_runs_from_its_first_block_to_its_last(document, program, folder):
    run_python(program)


@pytest.mark.slow
@pytest.mark.parametrize("document", sorted(OF_A_STUDIO))
def test_what_a_page_says_to_a_studio_is_answered(document, folder, tmp_path, capsys):
    with running_studio(tmp_path) as studio:
        run_python(programs()[document].replace(SHOWN_ADDRESS, studio.url))
        lines = "".join(block.code for block in blocks("sh") if block.page == document)
        in_a_shell("set -e\n" + lines.replace(SHOWN_ADDRESS, studio.url).replace("curl", "curl -f"))
    assert "held" in Path("report.html").read_text()
    assert "guessing gives" in capsys.readouterr().out


def in_a_shell(text: str) -> None:
    """Run lines of bash, in which `python` and `melm-studio` are those of this environment."""
    own = {"python": [sys.executable], "melm-studio": [sys.executable, "-m", "melm_studio"]}
    functions = "".join(f'{name}() {{ {shlex.join(to)} "$@"; }}\n' for name, to in own.items())
    command = ["bash", "-c", functions + text]
    paths = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=paths)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_command_is_of_a_program_that_is_tried_here():
    tried = ("make", "melm-studio", "python", ".venv/bin/pytest")
    assert [line for line in commands() if not line.startswith(tried)] == []
    assert len(commands()) > 15


@pytest.mark.parametrize("line", of_program("make"))
def test_make_knows_the_target(line: str):
    subprocess.run([*shlex.split(line), "--dry-run"], check=True, cwd=ROOT, capture_output=True)


@pytest.mark.parametrize("line", of_program("make bench"))
def test_the_benchmarks_named_are_there(line: str):
    arguments = dict(part.split("=", 1) for part in shlex.split(line)[2:]).get("ARGS", "")
    measuring.argument_parser().parse_args(shlex.split(arguments))


@pytest.mark.parametrize("line", of_program("python -m lab.experiments"))
def test_the_experiments_named_are_there(line: str):
    experimenting.argument_parser().parse_args(shlex.split(line)[3:])


@pytest.mark.parametrize("line", of_program("melm-studio"))
def test_the_command_understands_its_options(line: str):
    given = shlex.split(line.split(">", maxsplit=1)[0])[1:]
    if not given or Path(given[0]).suffix:
        given.insert(0, "open")
    if "--print-completion" not in given:
        _, settings = argument_parser().parse_known_args(given)
        Settings.from_environment_and_flags(settings, {})


@pytest.mark.parametrize("line", of_program(".venv/bin/pytest"))
def test_the_tests_named_are_there(line: str):
    assert all((ROOT / part).exists() for part in shlex.split(line)[1:] if part.endswith(".py"))


@pytest.mark.parametrize("line", of_program("python wine-melm-script.py"))
def test_the_downloaded_program_runs_as_shown(line: str, folder):
    in_a_shell(line)
    assert len(Path("points.csv").read_text().splitlines()) > 100


@pytest.mark.slow
@pytest.mark.parametrize("line", of_program("melm-studio run"))
def test_the_command_runs_as_shown(line: str, folder):
    in_a_shell(line)
    assert any(Path("results").iterdir())


@pytest.mark.slow
def test_the_tutorial_prints_what_its_command_prints(folder):
    page = (ROOT / "docs" / "tutorial.md").read_text()
    (line,) = (one for one in of_program("melm-studio run wine.csv") if one in page)
    in_a_shell(line)
    table = pd.read_csv("results/scores.csv")
    for row in table.itertuples():
        share = f"{row.held_out:.3f} ± {row.standard_error:.3f}"
        assert (
            f"| {row.method} | {share} | {row.chance:.3f} | {row.answer} | {row.p_value:.3f} |"
            in page
        )
    words = json.loads(Path("results/summary.json").read_text())["methods"][1]["check"]["words"]
    assert words in " ".join(page.replace("\n> ", " ").split())
