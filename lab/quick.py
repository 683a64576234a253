"""The tests nearest to a change, for a minute: `python -m lab.quick [--since COMMIT]`.

A test file is near to a changed module that it imports, itself or through few others, whose folder
it mirrors and whose name it shares. The nearest run first, in two processes; what the minute leaves
is said, and is left to `make test`. Further arguments go to pytest.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path, PurePosixPath

import grimp
import pytest
from xdist.workermanage import WorkerController

ROOT = Path(__file__).parents[1]
PRODUCT = ("melm_core", "melm_studio", "callbacks", "lab")
SECONDS = 54  # until no further test begins; to end the last ones takes the rest
STARTED = "QUICK_STARTED"  # where the processes of tests read when the minute began
N_FILES = 120  # more than run in that time, fewer than take long to collect
# They read every file, so that they import none of what they are about.
_OF_EVERY_FILE = {
    "test_architecture.py",
    "test_docs.py",
    "test_documented_code.py",
    "test_linear_patterns.py",
    "test_lists.py",
}
_FAR = 20  # more modules than lie between any two


def nearest(changed: Iterable[str], tests: Iterable[str]) -> list[str]:
    """Order test files by how near they are to what has changed.

    Parameters
    ----------
    changed, tests : iterable of str
        Files below the root of the project, with slashes.

    Returns
    -------
    list of str
        The tests, the nearest first; of equally near ones the smaller first, so that more of them
        run within a time.
    """
    changed = list(changed)
    graph = _graph()
    distances = [_distances(graph, file) for file in changed]

    def key(test: str) -> tuple[int, int, str]:
        imported = _imports(ROOT / test)
        near = [
            min((steps[module] for module in imported & steps.keys()), default=_FAR)
            - _n_shared(test, file)
            for file, steps in zip(changed, distances, strict=True)
        ]
        if Path(test).name in _OF_EVERY_FILE:
            near.append(1)
        if test in changed:
            near.append(-_FAR)
        return min(near, default=_FAR), (ROOT / test).stat().st_size, test

    return sorted(tests, key=key)


def _distances(graph: grimp.ImportGraph, file: str) -> dict[str, int]:
    """Return how many imports lead from each module to a changed one."""
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    if module not in graph.modules:
        return {}
    steps = {module: 0}
    reached = [module]
    for nearer in reached:
        for further in graph.find_modules_that_directly_import(nearer) - steps.keys():
            steps[further] = steps[nearer] + 1
            reached.append(further)
    return steps


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph(*PRODUCT, cache_dir=None)


@cache
def _imports(test: Path) -> set[str]:
    """Return the modules that a test imports, behind the doors of their rooms."""
    modules = _graph().modules
    imported = set()
    for node in ast.walk(ast.parse(test.read_bytes())):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for name in (alias.name for alias in node.names):
                inner = f"{node.module}.{name}"
                behind = _exports(node.module).get(name, node.module)
                imported.add(inner if inner in modules else behind)
    return imported


@cache
def _exports(room: str) -> dict[str, str]:
    """Return the modules from which a room takes the names that it offers."""
    door = ROOT.joinpath(*room.split("."), "__init__.py")
    tree = ast.parse(door.read_bytes() if door.exists() else b"")
    return {
        alias.asname or alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def _n_shared(test: str, file: str) -> int:
    """Count the folders that a test mirrors, and the words that names of both files have."""
    mirrored, folders = PurePosixPath(test).parts[1:-1], PurePosixPath(file).parts[:-1]
    n_folders = 0
    for one_side, other in zip(mirrored, folders, strict=False):
        if one_side != other:
            break
        n_folders += 1
    words = set(PurePosixPath(file).stem.split("_")) - {"and", "of"}
    return n_folders + len(words & set(PurePosixPath(test).stem.split("_")))


def _changed(since: str) -> list[str]:
    """Return what differs from a commit; where nothing does, what the last commit changed."""
    differs = _git("diff", "--name-only", since) + _git("ls-files", "-o", "--exclude-standard")
    return differs or _git("show", "--name-only", "--format=", "HEAD")


def _git(*arguments: str) -> list[str]:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()


def main(arguments: list[str] | None = None) -> int:
    """Run the nearest tests for a minute."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--since", default="HEAD", help="the commit from which changes count")
    options, to_pytest = parser.parse_known_args(arguments)
    started = {STARTED: str(time.time())}
    changed = _changed(options.since)
    print("Changed:", *changed, sep="\n  ", flush=True)
    status = 0
    if any(file.startswith(("assets/", "tests/page/")) for file in changed):
        scripts = sorted(ROOT.glob("tests/page/*.test.mjs"))
        status = subprocess.call(["node", "--test", "--test-reporter=dot", *scripts], cwd=ROOT)
    in_lab = any("lab/" in file for file in changed)
    apart = ("tests/browser/", *(() if in_lab else ("tests/lab/",)))
    tests = [
        path.relative_to(ROOT).as_posix()
        for path in ROOT.glob("tests/**/test_*.py")
        if not path.relative_to(ROOT).as_posix().startswith(apart)
    ]
    run = ["-q", "-m", "not slow", "-p", "lab.quick", "-n", "2", "--dist", "loadfile"]
    files = nearest(changed, tests)[:N_FILES]
    command = [sys.executable, "-m", "pytest", *run, *to_pytest, *files]
    return subprocess.call(command, env=os.environ | started) or status


# As a plugin of pytest, in each process of tests: leave what the minute does not reach.

_N_LEFT = pytest.StashKey[int]()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Leave a test to which the minute comes too late."""
    if time.time() < float(os.environ[STARTED]) + SECONDS:
        return None
    output = vars(item.config)["workeroutput"]  # which xdist hands to the first process
    output["n_left"] = output.get("n_left", 0) + 1
    return True


def pytest_testnodedown(node: WorkerController) -> None:
    """Add what a process has left."""
    stash = node.config.stash
    stash[_N_LEFT] = stash.get(_N_LEFT, 0) + node.workeroutput.get("n_left", 0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many tests were left."""
    n_left = terminalreporter.config.stash.get(_N_LEFT, 0)
    if n_left:
        terminalreporter.write_line(f"{n_left:,} tests further away were left to `make test`.")


if __name__ == "__main__":
    sys.exit(main())
