"""Table 1 of the MELM paper: a summary of the ten data sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lab.experiments import data
from lab.experiments.paper_numbers import TABLE_1
from lab.experiments.records import Cell, Record, Settings, Values, complete
from lab.experiments.report import Entry, Provenance, Report, Section
from melm_studio.tables import SHARE_OF_VARIANCE, n_directions

_DENSITY = "density"
# The paper's values are those of the file that LIBSVM scales to [-1, 1].
_SCALED = ("sonar",)


def report(settings: Settings) -> Report:
    """Our summary of each file, with the paper's."""
    cells = [_cell(settings, name, raw=name not in _SCALED) for name in TABLE_1]
    records = complete(cells, settings)
    entries = [
        entry
        for one, record in zip(cells, records, strict=True)
        for entry in _entries(one.parameters["name"], record)
    ]
    return Report(
        name="table1",
        title="Table 1: the data sets",
        source="Czarnecki, Józefowicz and Tabor, 2015. A summary of the ten data sets.",
        sections=(Section("", tuple(entries), _notes(entries)),),
        provenance=Provenance.of(records),
    )


def cell(folder: Path, *, name: str, raw: bool) -> Values:
    """The summary of one data set."""
    table = data.load(folder, name, raw=raw)
    X, y = table.X, table.y
    negatives, positives = X[y == 0], X[y == 1]
    return {
        "N": len(X),
        "d": X.shape[1],
        "|X-|": len(negatives),
        "|X+|": len(positives),
        _DENSITY: float(np.mean(X != 0)),
        "d.95": n_directions(X, SHARE_OF_VARIANCE),
        "d.95 of X-": n_directions(negatives, SHARE_OF_VARIANCE),
        "d.95 of X+": n_directions(positives, SHARE_OF_VARIANCE),
    }


def _cell(settings: Settings, name: str, *, raw: bool) -> Cell:
    source = data.find(settings.data, name, raw=raw)
    return Cell("table1", cell, {"name": name, "raw": raw}, source)


def _entries(name: str, record: Record | None) -> list[Entry]:
    return [
        Entry(
            row=name,
            column=column,
            value=None if record is None else record.values[column],
            paper=paper,
            decimals=2 if column == _DENSITY else 0,
        )
        for column, paper in TABLE_1[name].items()
    ]


def _notes(entries: list[Entry]) -> tuple[str, ...]:
    different = [f"{e.row}, {e.column}" for e in entries if e.value is None or e.ours != e.printed]
    agreement = (
        f"Different from the paper: {'; '.join(different)}."
        if different
        else "All values equal those of the paper as printed."
    )
    return (
        "Density is the share of nonzero values; d.95 is the number of principal components that "
        "explain 95 % of the variance, of all rows and of each class. The files are unscaled, "
        "except for sonar, whose printed values are those of the file scaled to [-1, 1].",
        "The ten features of breast-cancer include sample_id, an identifier. Unscaled, it has "
        "nearly all of the variance, hence the ones in its row; it is kept as in the paper.",
        agreement,
    )
