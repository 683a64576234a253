"""Write the lists: `python -m lab.lists`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from lab.experiments.records import ROOT, write_atomically
from lab.lists import benchmarks, marked_tests, rooms, settings

FOLDER = ROOT / "docs" / "results"
LISTS: Mapping[str, Callable[[], str]] = {
    "attacks.md": partial(marked_tests.page, "attack"),
    "benchmarks.md": benchmarks.page,
    "faults.md": partial(marked_tests.page, "fault"),
    "rooms.md": rooms.page,
    "settings.md": settings.page,
}

if __name__ == "__main__":
    for name, text in LISTS.items():
        write_atomically(FOLDER / name, text())
