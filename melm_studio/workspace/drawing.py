"""A table that was painted: points of two or three classes, hidden in features of noise."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import pandas as pd
from msgspec import Meta, Struct

from melm_core.datasets import hidden_drawing
from melm_studio.rows.spreadsheet import csv_text
from melm_studio.tables import count
from melm_studio.validation import Coordinate, Count, InputError

CLASSES = ("A", "B", "C")
_LEAST_POINTS, _MOST_POINTS = 5, 600
_RULE = f"a list of at most {_MOST_POINTS} points, each x, y and class"
_ONE_CLASS = "A drawing needs two classes to tell apart. Choose another class and paint that, too."
_FEW = "Class {name} has {points}, and {least} are needed. Paint more of it, or undo it."

Point = tuple[Coordinate, Coordinate, Annotated[int, Meta(ge=0, lt=len(CLASSES))]]
Points = Annotated[
    tuple[Point, ...], Meta(title="The drawing", max_length=_MOST_POINTS, description=_RULE)
]


class Drawing(Struct, frozen=True, forbid_unknown_fields=True):
    """Points with their classes, the number of rows that they become, and the seed of the noise."""

    points: Points
    n_rows: Annotated[int, Meta(title="The number of rows", ge=1, le=5_000)]
    random_state: Annotated[Count, Meta(title="The random seed")] = 0

    def __post_init__(self) -> None:
        painted = Counter(code for _, _, code in self.points)
        if len(painted) < 2:
            raise InputError(_ONE_CLASS)
        for code, n_points in painted.items():
            if n_points < _LEAST_POINTS:
                points = count(n_points, "dot")
                raise InputError(
                    _FEW.format(name=CLASSES[code], points=points, least=_LEAST_POINTS)
                )

    @property
    def file_name(self) -> str:
        """The name of its table."""
        return f"Drawing of {self.n_rows} rows.csv"

    def csv(self) -> str:
        """The table, by `hidden_drawing`."""
        places, codes = [point[:2] for point in self.points], [point[2] for point in self.points]
        X, y = hidden_drawing(places, codes, self.n_rows, random_state=self.random_state)
        table = pd.DataFrame(X, columns=[f"x{i}" for i in range(1, X.shape[1] + 1)])
        return csv_text(table.assign(**{"class": [CLASSES[code] for code in y]}))
