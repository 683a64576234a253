"""Rules about safety that hold for the source as a whole, and what docs/security.md promises."""

from __future__ import annotations

import ast
import re
import stat
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.driver.visitor import opened_studio
from tests.callbacks.tables import blobs, csv

ROOT = Path(__file__).parents[1]
PACKAGES = ("callbacks", "melm_core", "melm_studio", "lab")
MODULES = sorted(
    path.relative_to(ROOT)
    for pattern in ("app.py", *(f"{package}/**/*.py" for package in PACKAGES))
    for path in ROOT.glob(pattern)
)
TEXTS = sorted(
    path.relative_to(ROOT)
    for pattern in ("*.*", *(f"{top}/**/*" for top in (*PACKAGES, "assets", "docs", "tests")))
    for path in ROOT.glob(pattern)
    if path.suffix in {".py", ".mjs", ".css", ".md", ".txt", ".in", ".toml", ".yml", ".yaml", ".sh"}
)
# Modules and functions that run what they read, and np.load where it might.
RUNS_WHAT_IT_READS = {"pickle", "cPickle", "dill", "cloudpickle", "shelve", "marshal"}
FUNCTIONS = {"eval", "exec", "read_pickle", "to_pickle", "unsafe_load", "system", "popen"}
# Without one of these words a module has none of them; few of hundreds are worth parsing.
SUSPECT = re.compile(
    rf"\b({'|'.join(sorted(RUNS_WHAT_IT_READS | FUNCTIONS | {'load', 'shell'}))})\b"
)
SECRETS = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|\b(AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{36}"
    r"|\b(sk|xox[abp])-[A-Za-z0-9-]{20,}"
    r"|(password|passwd|secret_key|api_key|token)\s*=\s*[\"'][^\"'{}<>]{8,}[\"']",
    re.IGNORECASE,
)


def test_nothing_that_is_read_is_ever_run():
    assert len(MODULES) > 300
    found = [
        f"{module}: {danger}"
        for module in MODULES
        for danger in _dangers((ROOT / module).read_text())
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from pickle import loads",
        "import numpy as np\nnp.load(file)",
        "import numpy as np\nnp.load(file, allow_pickle=True)",
        "import joblib\njoblib.load(file)",
        "pandas.read_pickle(file)",
        "eval(text)",
        "\uff45val(text)",
        "subprocess.run(text, shell=True)",
    ],
)
def test_the_rule_sees_what_it_forbids(source):
    assert list(_dangers(source))


def test_no_secret_stands_in_the_source():
    assert len(TEXTS) > 100
    found = [str(path) for path in TEXTS if SECRETS.search((ROOT / path).read_text())]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        "AKIA" + "ABCDEFGHIJKLMNOP",
        "ghp_" + "a" * 36,
        "pass" + "word = 'correct horse'",
    ],
)
def test_the_rule_sees_a_secret(text):
    assert SECRETS.search(text)


def test_what_visitors_leave_is_closed_to_other_users(tmp_path):
    folder = tmp_path / "data"
    with opened_studio(folder) as studio:
        visitor = studio.visitor()
        visitor.choose_file(csv(blobs()))
        visitor.start(method="pca")
        files = [path for path in folder.rglob("*") if path.is_file()]
        assert files
        assert [path for path in files if not _is_closed(path, folder)] == []


def test_every_test_that_the_page_on_security_names_exists():
    page = (ROOT / "docs" / "security.md").read_text()
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(test_\w+))?`", page)
    assert len(named) > 15
    for file, test in named:
        assert f"def {test}" in (ROOT / file).read_text(), f"{file}::{test}"


def _dangers(source: str) -> Iterator[str]:
    if not SUSPECT.search(unicodedata.normalize("NFKC", source)):  # as Python reads names
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from RUNS_WHAT_IT_READS & {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module in RUNS_WHAT_IT_READS:
            yield node.module
        elif isinstance(node, ast.Call):
            yield from _dangers_of_call(node)


def _dangers_of_call(call: ast.Call) -> Iterator[str]:
    name = ast.unparse(call.func)
    arguments = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
    if name in {"np.load", "numpy.load"} and arguments.get("allow_pickle") != "False":
        yield "np.load without allow_pickle=False"
    if name == "joblib.load" or name.rpartition(".")[2] in FUNCTIONS:
        yield name
    if arguments.get("shell") == "True":
        yield "shell=True"


def _is_closed(path: Path, folder: Path) -> bool:
    """Whether the file, or a folder above it within the data, lets nobody else in."""
    places = [path, *(place for place in path.parents if place.is_relative_to(folder))]
    return any(stat.S_IMODE(place.stat().st_mode) & 0o077 == 0 for place in places)
