"""The data sets of the MELM paper, if they are next to the project."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.preprocessing import StandardScaler

from melm_core.base import FloatArray, IntArray

_FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data"


def paper_table(name: str) -> Path | None:
    """Return the file of a data set; if it is missing, print a message and return None."""
    path = _FOLDER / f"{name}.csv"
    if path.exists():
        return path
    print(f"{path.name} is not in {_FOLDER.parent.name}/{_FOLDER.name}; skipped.")
    return None


def standardized_table(path: Path) -> tuple[FloatArray, IntArray]:
    """Standardized features, and which rows are of the positive class."""
    table = pd.read_csv(path)
    X = StandardScaler().fit_transform(table.drop(columns="label"))
    return X, (table["label"].to_numpy() > 0).astype(np.int64)
