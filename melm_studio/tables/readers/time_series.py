"""Time series of the UEA and UCR archives (.ts): a row for each case, its class at the end.

The format is described at https://www.aeon-toolkit.org/en/stable/api_reference/file_specifications.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from melm_studio.tables.formatting import place
from melm_studio.tables.records import Limits
from melm_studio.tables.text import TableError

_HEAD = 100_000  # bytes that may precede the first line about the series
_STARTS = (b"@problemname", b"@timestamps", b"@univariate")
_UNEQUAL = (
    "The series of the file are not of one length, or have times of their own ({place}). Write "
    "each with equally many values, and drop the file again."
)
LABEL = "class"


def is_time_series(raw: bytes) -> bool:
    """Whether this is the text of a .ts file."""
    lines = (line.strip().lower() for line in raw[:_HEAD].split(b"\n"))
    first = next((line for line in lines if line and not line.startswith(b"#")), b"")
    return first.startswith(_STARTS)


def series_cells(raw: bytes, file: str, limits: Limits) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read cases: a feature for each time of each dimension, and the class.

    Raises
    ------
    TableError
        If series differ in length or have time stamps, a cell is no number, or there are too many.
    """
    rows: list[list[str]] = []
    labels: list[str] = []
    is_labeled, is_data, n_times = False, False, [0]
    for at, line in enumerate(raw.decode("utf-8", "replace").splitlines(), start=1):
        text = line.strip()
        if not is_data:
            is_labeled |= text.lower().startswith(("@classlabel true", "@targetlabel true"))
            is_data = text.lower() == "@data"
        elif text and not text.startswith("#"):
            *parts, label = text.split(":") if is_labeled else [*text.split(":"), ""]
            series = [part.split(",") for part in parts]
            n_times = [*map(len, series)] if not rows else n_times
            if n_times != [*map(len, series)] or "(" in text:
                raise TableError(_UNEQUAL.format(place=place(at)))
            rows.append([cell.strip() for one in series for cell in one])
            labels.append(label.strip())
            limits.reject(len(rows), len(rows[0]))
    if not rows:
        raise TableError(f"{file} has no series below @data. Save it again and drop it again.")
    places = [(of, time) for of, n in enumerate(n_times, 1) for time in range(1, n + 1)]
    names = [f"t{time}" if len(n_times) == 1 else f"dimension {of} t{time}" for of, time in places]
    try:
        numbers = np.array(
            [["nan" if cell == "?" else cell for cell in row] for row in rows], float
        )
    except ValueError:
        raise TableError(f"{file} has cells that are no numbers. Write ? where one is.") from None
    cells = pd.DataFrame(numbers, columns=names)
    if is_labeled:
        cells[LABEL] = labels
    return cells, ("Read as time series (.ts): a feature for each time.",)
