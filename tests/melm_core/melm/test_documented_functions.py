"""What the architecture names for MELM's objective, gradient, search and optimizer is what runs."""

from __future__ import annotations

import re
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from melm_core import MELM
from melm_core.compiled import engine, library

ROOT = Path(__file__).parents[3]
ARCHITECTURE = (ROOT / "docs/architecture.md").read_text()
QUESTIONS = ("MELM's objective and its gradient?", "its search?", "its optimizer?")

# Rows of a table whose sums over pairs would take longer than transforms.
LARGE = 4_200


def documented(kind: str) -> list[str]:
    """Return the functions that the answers name for a kind of fit."""
    found = []
    for question in QUESTIONS:
        answer = re.search(rf"^\| {re.escape(question)} \| (.+) \|$", ARCHITECTURE, re.MULTILINE)[1]
        module, is_python = "", False
        of_kind = "compiled"
        for name, clause in re.findall(r"`([^`]+)`|(without the library|above 4,000 rows)", answer):
            if "/" in name:
                is_python, module = name.endswith(".py"), name.removesuffix(".py").replace("/", ".")
            elif clause:
                of_kind = {"without the library": "numpy", "above 4,000 rows": "large"}[clause]
            elif of_kind == kind and is_python:
                found.append(f"{module}:{name}")
    return found


def code_of(documented_name: str):
    """Return the code object of a function that is named by its module and qualified name."""
    module, _, name = documented_name.partition(":")
    value = import_module(module)
    for part in name.split("."):
        value = getattr(value, part)
    return value.__code__


def calls_of(melm: MELM, X, y) -> Counter:
    """Return how often each code object of the project is called in a fit."""
    calls = Counter()

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(str(ROOT / "melm_core")):
            calls[frame.f_code] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        melm.fit(X, y)
    finally:
        sys.setprofile(before)
    return calls


def blobs(n_rows: int):
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % 2
    return rng.normal(size=(n_rows, 3)) + y[:, None] * [2.0, 0.0, 0.0], y


def test_the_functions_are_found_in_the_answers():
    names = {
        kind: [name.partition(":")[2] for name in documented(kind)]
        for kind in ("compiled", "numpy", "large")
    }
    assert {"objective_of_planes", "climb_of", "climb_compiled"} <= set(names["compiled"])
    assert names["numpy"] == ["MELMObjective.values_and_gradients", "maximize_batch"]
    assert names["large"] == ["divergence_and_gradient", "lbfgs"]


@pytest.mark.parametrize(
    ("kind", "melm", "table"),
    [
        ("compiled", MELM(random_state=0), load_iris(return_X_y=True)),
        ("numpy", MELM(random_state=0), load_iris(return_X_y=True)),
        ("large", MELM(n_init=1, random_state=0).set_search(max_iter=2), blobs(LARGE)),
    ],
    ids=["compiled", "numpy", "large"],
)
def test_what_the_architecture_names_is_called_by_a_fit(monkeypatch, kind, melm, table):
    if kind == "numpy":
        monkeypatch.setenv("MELM_ENGINE", "numpy")
    elif kind == "compiled" and library() is None:
        pytest.skip(f"Sums run in {engine()}.")
    calls = calls_of(melm, *table)
    never = [name for name in documented(kind) if not calls[code_of(name)]]
    assert never == []


def test_every_name_that_an_answer_gives_is_in_the_module_before_it():
    answers = ARCHITECTURE.partition("## Where is ...?")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+\?) \| (.+) \|$", answers, re.MULTILINE)
    missing, n_names = [], 0
    for _, answer in rows:
        module = ""
        for name in re.findall(r"`([^`]+)`", answer):
            if "/" in name or name.endswith(".py"):
                module = name
            elif not is_in(module, name):
                missing.append(f"{module}: {name}")
            n_names += "/" not in name
    assert missing == []
    assert n_names >= 20


def is_in(path: str, name: str) -> bool:
    """Whether a module, or a script or a file in C, has something of this qualified name."""
    if not path.endswith(".py"):
        words = name.split(".")
        return bool(path) and all(word in (ROOT / path).read_text() for word in words)
    value = import_module(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    for part in name.split("."):
        if not hasattr(value, part):
            return False
        value = getattr(value, part)
    return True
