"""Folders of tables for tests."""

from __future__ import annotations

import numpy as np
import pandas as pd

from melm_studio.operator_tables.descriptions import TableFolder
from melm_studio.operator_tables.parts import opened_table


def rows(n_rows, *, seed=0, rare=0.02):
    """Three classes in four dimensions, one of them rare, and a category."""
    rng = np.random.default_rng(seed)
    label = rng.choice(["ash", "birch", "cedar"], n_rows, p=[0.6, 0.4 - rare, rare])
    X = rng.normal(size=(n_rows, 4))
    X[:, 0] += 2.0 * (label == "birch")
    X[:, 1] += 3.0 * (label == "cedar")
    frame = pd.DataFrame(X, columns=["height", "girth", "age", "lean"])
    return frame.assign(color=rng.choice(["red", "green"], n_rows), tree=label)


def parquet_folder(folder, n_rows=1_200, n_files=3, *, group_rows=150, name="trees", **kinds):
    """Write the rows into Parquet files in a folder in this one; return the rows."""
    frame = rows(n_rows, **kinds)
    (folder / name).mkdir(parents=True)
    for at, part in enumerate(np.array_split(np.arange(n_rows), n_files)):
        file = folder / name / f"part-{at}.parquet"
        frame.iloc[part].to_parquet(file, row_group_size=group_rows, index=False)
    return frame


def opened(folder, key="trees"):
    """Open a table of a folder."""
    tables = TableFolder(str(folder))
    return opened_table(tables.files, tables.table(key, tables.descriptions()[key]))
