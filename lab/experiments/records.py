"""Cells of a table, each computed once and stored in its own file.

An interrupted run loses only the cells in progress; the next run reuses the others.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed, parallel_config
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).resolve().parents[2]
DEFAULT_DATA = ROOT.parent / "shared" / "data"
DEFAULT_RESULTS = ROOT / "results"
_PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "finufft")
_NAME_LENGTH = 80

Values = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """One computation of a table: `function(data, **parameters)` returns its values.

    The parameters, including the seed, identify the cell. They are numbers,
    strings, lists or dicts, as are the values. The function is defined at
    module level, so that it can be pickled. `source` is the file it reads, if
    any: the cell is computed again when its content changes.
    """

    table: str
    function: Callable[..., Values]
    parameters: Mapping[str, Any]
    source: Path | None = None

    @cached_property
    def file_name(self) -> str:
        """A readable prefix of the parameters, with a hash that makes it unique."""
        words = "-".join(_word(value) for value in self.parameters.values())
        canonical = json.dumps(dict(self.parameters), sort_keys=True)
        digest = hashlib.sha256(canonical.encode()).hexdigest()[:12]
        return f"{words[:_NAME_LENGTH]}-{digest}.json"


@dataclass(frozen=True)
class Record:
    """The values of a cell and their provenance.

    `seconds` are CPU time, which does not depend on other processes. `source`
    is a digest of the file that was read, or empty.
    """

    table: str
    parameters: Values
    source: str
    values: Values
    seconds: float
    commit: str
    versions: dict[str, str]


@dataclass(frozen=True)
class Settings:
    """Folders, amount of work and number of processes.

    If `computes` is false, cells without a record are missing instead of computed.
    """

    data: Path = DEFAULT_DATA
    results: Path = DEFAULT_RESULTS
    quick: bool = False
    n_jobs: int = 2
    computes: bool = True


def complete(cells: Sequence[Cell], settings: Settings) -> list[Record | None]:
    """The record of every cell, computed if there is none yet.

    Returns
    -------
    list of Record or None
        In the order of the cells; None for those that are not computed.
    """
    missing = [cell for cell in cells if find(cell, settings.results) is None]
    if missing and settings.computes:
        _compute_all(missing, settings, n_found=len(cells) - len(missing))
    return [find(cell, settings.results) for cell in cells]


def find(cell: Cell, results: Path) -> Record | None:
    """The record of a cell, if it was computed from the present content of its source.

    If the source is missing, any record of the cell is valid.
    """
    path = results / "cells" / cell.table / cell.file_name
    if not path.exists():
        return None
    record = Record(**json.loads(path.read_text()))
    return record if _digest(cell.source) in {"", record.source} else None


def write_atomically(path: Path, text: str) -> None:
    """Write a file completely or not at all, even if the process is killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_text(text)
    unfinished.replace(path)


def current_commit() -> str:
    """The current commit, followed by "+" if the working tree has changes."""
    try:
        commit = _git("rev-parse", "--short=12", "HEAD")
        return commit + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def current_versions() -> dict[str, str]:
    """Versions of Python and of the packages that the results depend on."""
    return {"python": platform.python_version()} | {name: version(name) for name in _PACKAGES}


def _compute_all(cells: Sequence[Cell], settings: Settings, n_found: int) -> None:
    write_atomically(settings.results / ".gitignore", "*\n")
    began = time.perf_counter()
    n_cells = n_found + len(cells)
    commit = current_commit()
    with parallel_config("loky", inner_max_num_threads=1):
        done = Parallel(settings.n_jobs, return_as="generator_unordered", batch_size=1)(
            delayed(_compute)(cell, settings, commit) for cell in cells
        )
        for n_done, _ in enumerate(done, start=n_found + 1):
            elapsed = time.perf_counter() - began
            _count(
                f"{cells[0].table}: {n_done} of {n_cells} cells, {elapsed:.0f} s", n_done == n_cells
            )


def _compute(cell: Cell, settings: Settings, commit: str) -> None:
    began = time.process_time()
    with threadpool_limits(1):
        values = cell.function(settings.data, **cell.parameters)
    seconds = round(time.process_time() - began, 3)
    record = Record(
        table=cell.table,
        parameters=dict(cell.parameters),
        source=_digest(cell.source),
        values=values,
        seconds=seconds,
        commit=commit,
        versions=current_versions(),
    )
    path = settings.results / "cells" / cell.table / cell.file_name
    write_atomically(path, json.dumps(asdict(record), indent=1))


def _digest(source: Path | None) -> str:
    if source is None or not source.is_file():
        return ""
    return _digest_of_version(source, source.stat().st_mtime_ns)


@cache
def _digest_of_version(source: Path, modified_ns: int) -> str:  # noqa: ARG001 - part of the cache key
    return hashlib.sha256(source.read_bytes()).hexdigest()[:12]


def _count(words: str, is_last: bool) -> None:
    """Show progress: one updated line in a terminal, one line per cell otherwise."""
    stays = is_last or not sys.stderr.isatty()
    print(f"\r{words}", end="\n" if stays else "", file=sys.stderr, flush=True)


def _word(value: Any) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in str(value))


def _git(*arguments: str) -> str:
    command = ("git", "-C", str(ROOT), *arguments)
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return answer.stdout.strip()
