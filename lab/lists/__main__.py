"""Write the lists: `python -m lab.lists`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lab.experiments.records import ROOT, write_atomically
from lab.lists import benchmarks, faults, rooms, settings

FOLDER = ROOT / "docs" / "results"
LISTS: Mapping[str, Callable[[], str]] = {
    "benchmarks.md": benchmarks.page,
    "faults.md": faults.page,
    "rooms.md": rooms.page,
    "settings.md": settings.page,
}

if __name__ == "__main__":
    for name, text in LISTS.items():
        write_atomically(FOLDER / name, text())
