"""Files that people drop."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer


def breast_cancer() -> pd.DataFrame:
    """The table of scikit-learn, its classes in words."""
    bunch = load_breast_cancer(as_frame=True)
    names = dict(enumerate(bunch.target_names))
    return bunch.data.assign(diagnosis=bunch.target.map(names).astype("str"))


def blobs(
    n_rows: int = 60, labels: tuple[str, ...] = ("a", "b"), seed: int = 0, **renamed: str
) -> pd.DataFrame:
    """Classes that overlap, in the columns x, y and label, which may be renamed."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n_rows) % len(labels)
    x, y = (rng.normal(size=n_rows).round(3) + codes for _ in range(2))
    table = pd.DataFrame({"x": x, "y": y, "label": [labels[code] for code in codes]})
    return table.rename(columns=renamed)


def csv(table: pd.DataFrame, *, encoding: str = "utf-8", **options: str) -> bytes:
    return table.to_csv(index=False, **options).encode(encoding)


def large_csv(n_rows: int, n_columns: int) -> bytes:
    """Ten bytes a cell; blocks of rows repeat, since writing numbers is slow."""
    block = np.random.default_rng(0).uniform(1, 9, size=(n_rows // 100, n_columns))
    rows = [",".join(map("{:.7f}".format, row)) + f",{'ab'[i % 2]}" for i, row in enumerate(block)]
    header = ",".join([*(f"f{column}" for column in range(n_columns)), "label"])
    return "\n".join([header, *(rows * 100)]).encode()
