"""Tables of 60 rows."""

from __future__ import annotations

import numpy as np
import pandas as pd

from melm_studio.tables.read import Table

N_ROWS = 60
LABEL = [*"xyz", *"yzx", *"zxy", *"xyz", *"zyx"] * 4  # 20 rows each, in no step with cycles


def table(**columns) -> Table:
    """Two numeric columns and a label, unless replaced, and the columns of the test."""
    rng = np.random.default_rng(0)
    default = {"a": rng.normal(5, 2, N_ROWS), "b": rng.normal(size=N_ROWS), "label": LABEL}
    return Table("test", pd.DataFrame(default | columns), ())
