"""Tables of 60 rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from melm_studio.tables.read import Table

N_ROWS = 60
# 20 rows each in random order: no column divides the rows of each class evenly, as designs do.
LABEL = np.random.default_rng(0).permutation([*"xyz" * 20]).tolist()


def table(**columns) -> Table:
    """Two numeric columns and a label, unless replaced, and the columns of the test."""
    rng = np.random.default_rng(0)
    default = {"a": rng.normal(5, 2, N_ROWS), "b": rng.normal(size=N_ROWS), "label": LABEL}
    return Table("test", pd.DataFrame(default | columns), ())
