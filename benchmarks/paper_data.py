"""The data sets of the MELM paper, where they lie beside the project."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"


def paper_table(name: str) -> Path | None:
    """Return the file of a data set; without it say so, and return None."""
    path = _FOLDER / f"{name}.csv"
    if path.exists():
        return path
    print(f"{path.name} is not in {_FOLDER.parent.name}/{_FOLDER.name}, left out.")
    return None
