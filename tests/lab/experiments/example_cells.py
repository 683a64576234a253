"""Cells for the tests of records; another process can import them."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from lab.experiments.records import Cell, Values

NUMBERS = range(4)
DEADLY = 2


def squared(folder: Path, *, number: int, seed: int) -> Values:
    """Logs that it was computed, then gives the square."""
    with (folder / "log").open("a") as log:
        log.write(f"{number}\n")
    return {"square": number**2}


def deadly_once(folder: Path, *, number: int, seed: int) -> Values:
    """The same, but one cell kills its process the first time it is computed."""
    values = squared(folder, number=number, seed=seed)
    mark = folder / "killed"
    if number == DEADLY and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return values


def cells(function=squared) -> list[Cell]:
    return [Cell("squares", function, {"number": number, "seed": 7}) for number in NUMBERS]


def log(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "log").read_text().split()]
