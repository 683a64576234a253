"""Fresh rows in the contours that the page draws, by its routes: with folds and with a split."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from lab.driver.traces import decoded, enclosed, points
from lab.driver.visitor import Studio, Visitor, opened_studio
from lab.experiments.honesty.claim import Claim, Measured
from lab.experiments.honesty.new_rows import METHODS, NEW_ROWS, TOLERANCES
from lab.experiments.honesty.shapes import SHAPES, PlantedTables
from melm_core.base import FloatArray
from melm_studio.planes.class_outlines import CONTOUR_SHARES

_N_TABLES = 8
# Of fresh rows in the contours of 50, 80 and 95 %. Of a quarter of the rows about ten a class make
# a contour: its share is at most that of one row above what it says, and varies by .15.
_TOLERANCES = {"folds": TOLERANCES, "a split": (0.1, 0.1, 0.05)}
_PERCENT = {"folds": "", "a split": 25}


_CASES = (
    PlantedTables("normal", 100, 30, 0.0),
    PlantedTables("normal", 80, 60, 2.0),
    PlantedTables("lognormal", 120, 10, 2.0),
    PlantedTables("t3", 100, 20, 2.0),
)
# By one method: the claim of new rows takes all through the bank, and groups, which are a column.
_SHAPES = tuple(
    PlantedTables(shape, 100, 10, 2.0)
    for shape in SHAPES
    if shape not in ("normal", "lognormal", "t3", "unequal groups")
)
# Above the size up to which folds are kept by default, of one table.
_LARGE = PlantedTables("normal", 6_000, 10, 2.0)
_TRIED = (*product((*_CASES, _LARGE), METHODS), *product(_SHAPES, ("lda",)))


def _table(X: FloatArray) -> pd.DataFrame:
    return pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])


def _csv(frame: pd.DataFrame) -> bytes:
    return frame.to_csv(index=False).encode()


def _held(
    studio: Studio, tables: PlantedTables, number: int, method: str, judged: str
) -> FloatArray:
    """The share of fresh rows in the contours of their class; nan where none is drawn."""
    table, (fresh, y, _) = tables.drawn(number, NEW_ROWS)
    visitor = studio.visitor()
    visitor.choose_file(_csv(_table(table.X).assign(label=np.array(list("abcde"))[table.y])))
    visitor.press_run(method=method, held_out=_PERCENT[judged])
    run = visitor.panels()[-1]
    studio.work()
    if judged == "folds":
        visitor.http.post(f"/runs/{run}/analyses/refits")
        studio.work()
    plane = visitor.news(run)["plane"]
    at = _places(visitor, run, plane["sequence"], fresh)
    held = np.full((int(y.max()) + 1, len(CONTOUR_SHARES)), np.nan)
    for place, trace in enumerate(plane["traces"][: held.size]):  # the outermost first
        code, before = divmod(place, len(CONTOUR_SHARES))
        if np.isfinite(decoded(trace["x"])).any():
            inside = enclosed(points(trace), at[y == code])
            held[code, len(CONTOUR_SHARES) - 1 - before] = inside.mean()
    return held


def _places(visitor: Visitor, run: str, sequence: int, fresh: FloatArray) -> FloatArray:
    """Where the page draws new rows."""
    sent = visitor.upload(_csv(_table(fresh)), "fresh.csv")
    query = {"file": sent["key"], "name": sent["name"]}
    answer = visitor.http.get(f"/runs/{run}/planes/{sequence}/new-rows", query_string=query)
    return np.column_stack([answer.json["points"][axis] for axis in ("x", "y")])


def _simulate(quick: bool) -> Iterator[Measured]:
    tried = product(_CASES[:1], ("lda",)) if quick else _TRIED
    for judged, (tables, method) in product(_TOLERANCES, tried):
        if tables is _LARGE and judged == "folds":
            continue
        n_tables = 1 if quick or tables is _LARGE else _N_TABLES
        with TemporaryDirectory() as folder, opened_studio(Path(folder)) as studio:
            held = np.stack(
                [_held(studio, tables, number, method, judged) for number in range(n_tables)]
            )
        for at, share in enumerate(CONTOUR_SHARES):
            of_tables = held[:, :, at]
            if np.isnan(of_tables).all():  # too few rows: none is drawn, and the page says so
                continue
            of_tables = of_tables[~np.isnan(of_tables).all(axis=1)]
            known = np.nanmean(of_tables, axis=1)
            error = known.std(ddof=1) / np.sqrt(len(known)) if len(known) > 1 else None
            least, most = (share + sign * _TOLERANCES[judged][at] for sign in (-1.0, 1.0))
            yield Measured(
                f"{METHODS[method]} with {judged}, {tables}",
                f"fresh rows in the contour of {100 * share:.0f} %",
                float(known.mean()),
                (least, min(most, 1.0)),
                error=error,
            )


CLAIM = Claim(
    "pictures",
    "The contours that the page draws hold what they say of rows that nobody has seen, whether "
    "folds follow the run or a quarter of the rows is held out.",
    simulate=_simulate,
    notes=(
        "By the page's routes: eight tables each are uploaded and run, fresh rows are placed as "
        "new rows, and counted within the lines that are drawn; one table of 6,000 rows. Of a "
        "class with fewer than 19 held-out rows no contour of 95 % is drawn, and with fewer than "
        "three none. The error of a figure of eight tables is .01 to .05."
    ),
)
