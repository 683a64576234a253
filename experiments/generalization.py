"""How well do planes separate rows that no fit has seen, method by method?

A cell is one method on one data set in one repeat of five folds: balanced accuracy of three
classifiers with fixed parameters in the plane that was fitted to the training rows. Every cell is
kept (`experiments.records`), so the table can be computed over hours and looked at on the way.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from experiments import data
from experiments.held_out import DATA_SETS, cell
from experiments.records import Cell, Record, Settings, Values, complete
from experiments.report import Entry, Provenance, Report, Section
from melm_core.base import FloatArray

N_REPEATS = 3
SHRINKAGES = ("auto", "ledoit-wolf")
N_BOOTSTRAP = 15
_QUICK_SETS = ("heart", "sonar")
_REFERENCE = "LDA"

Column: TypeAlias = tuple[str, Values]  # method and options
Scores: TypeAlias = dict[tuple[str, str, str], FloatArray]


def report(settings: Settings) -> Report:
    """The table of all entrants, and their differences from LDA and MELM's default."""
    repeats = 1 if settings.quick else N_REPEATS
    names = _QUICK_SETS if settings.quick else DATA_SETS
    columns = dict(list(COLUMNS.items())[: _N_FIRST if settings.quick else None])
    cells = [
        Cell(
            "generalization",
            cell,
            {"name": name, "repeat": repeat, "method": method, "options": options},
            data.find(settings.data, name),
        )
        for block in _blocks(columns)
        for repeat in range(repeats)
        for name in names
        for method, options in block
    ]
    records = complete(cells, settings)
    scores = _scores(records)
    return Report(
        name="generalization",
        title="Planes on rows that no fit has seen",
        source=_SOURCE,
        sections=(
            Section(
                "Balanced accuracy, mean of three classifiers", _entries(scores, columns, names)
            ),
            Section("All data sets together", _overall(scores, columns, names), (_OVERALL,)),
        ),
        provenance=Provenance.of(records),
    )


def _blocks(columns: Mapping[str, Column]) -> Iterator[list[Column]]:
    """The columns in the order in which they are computed: one repeat of a block at a time."""
    ordered = list(columns.values())
    yield ordered[:_N_FIRST]
    yield ordered[_N_FIRST:]


def _scores(records: Sequence[Record | None]) -> Scores:
    """Mean of the classifiers in every fold of every repeat, by data set and entrant."""
    folds: dict[tuple[str, str, str], list[float]] = {}
    for record in filter(None, records):
        key = (
            record.parameters["name"],
            record.parameters["method"],
            _dumped(record.parameters["options"]),
        )
        means = np.mean(record.values["folds"], axis=1)
        folds.setdefault(key, []).extend(means.tolist())
    return {key: np.array(values) for key, values in folds.items()}


def _entries(
    scores: Scores, columns: Mapping[str, Column], names: Sequence[str]
) -> tuple[Entry, ...]:
    return tuple(
        _entry(label, name, scores.get((name, method, _dumped(options))))
        for name in names
        for label, (method, options) in columns.items()
    )


def _entry(row: str, column: str, values: FloatArray | None) -> Entry:
    """An entrant a row, so that the table stays narrow enough to read."""
    if values is None:
        return Entry(row, column, None)
    error = float(values.std(ddof=1) / np.sqrt(len(values)))
    return Entry(row, column, float(values.mean()), standard_error=error)


def _overall(
    scores: Scores, columns: Mapping[str, Column], names: Sequence[str]
) -> tuple[Entry, ...]:
    """Means over the data sets that every entrant of the first block has, and paired differences.

    An entrant that lacks one of them is still to compute.
    """
    first = [_as_key(column) for column in list(columns.values())[:_N_FIRST]]
    common = [name for name in names if all((name, *key) in scores for key in first)]
    reference = _as_key(columns[_REFERENCE])
    entries: list[Entry] = []
    for title, chosen in (
        ("the paper's", [name for name in common if name in data.DATA_SETS]),
        ("all", common),
    ):
        for label, column in columns.items():
            key = _as_key(column)
            has_all = bool(chosen) and all((name, *key) in scores for name in chosen)
            own = [scores[name, *key] for name in chosen] if has_all else []
            other = [scores[name, *reference] for name in chosen] if has_all else []
            entries += _summary(label, f"{title} ({len(chosen)})", own, other)
    return tuple(entries)


def _summary(
    label: str, title: str, own: Sequence[FloatArray], other: Sequence[FloatArray]
) -> list[Entry]:
    """The mean of one entrant, and its difference from another, paired by fold."""
    less = f"{title}, less {_REFERENCE}"
    if not own:
        return [Entry(label, title, None), Entry(label, less, None)]
    pairs = [(a[: len(b)] - b[: len(a)]) for a, b in zip(own, other, strict=True)]
    error = float(np.sqrt(sum(pair.var(ddof=1) / len(pair) for pair in pairs)) / len(pairs))
    difference = float(np.mean([pair.mean() for pair in pairs]))
    return [
        Entry(label, title, float(np.mean([scores.mean() for scores in own]))),
        Entry(label, less, difference, standard_error=error),
    ]


def _as_key(column: Column) -> tuple[str, str]:
    return column[0], _dumped(column[1])


def _dumped(options: Values) -> str:
    return json.dumps(options, sort_keys=True)


def _melm_label(options: Values) -> str:
    bagged = ", bagged" if "n_bootstrap" in options else ""
    return f"MELM {options['shrinkage']}, γ {options['gamma']}{bagged}"


def _melm_columns(
    shrinkages: Sequence[str], gammas: Sequence[Any], **more: Any
) -> dict[str, Column]:
    every = ({"shrinkage": s, "gamma": gamma, **more} for s in shrinkages for gamma in gammas)
    return {_melm_label(options): ("melm", options) for options in every}


_FIRST: dict[str, Column] = {
    "LDA": ("lda", {}),
    "LDA, regularized": ("regularized lda", {}),
    "NCA": ("nca", {}),
    "PLS": ("pls", {}),
    "Rotations": ("rotations", {}),
    "GEM": ("gem", {}),
    "PCA": ("pca", {}),
    **_melm_columns(SHRINKAGES, (1.0, 2.0)),
}
_N_FIRST = len(_FIRST)
COLUMNS: dict[str, Column] = {
    **_FIRST,
    **_melm_columns(SHRINKAGES, (0.5, 4.0, "auto")),
    **_melm_columns(SHRINKAGES, (1.0, 2.0), n_bootstrap=N_BOOTSTRAP),
}
_SOURCE = (
    "Five folds, three times, features standardized by the training rows; the plane sees the "
    "training rows only. Balanced accuracy of an SVM, 15 neighbors and kernel densities with fixed "
    "parameters, in coordinates of unit covariance; the mean of the three. ± is the standard error "
    "over the folds. Generated data and digits: at most 600 rows."
)
_OVERALL = (
    "Differences are paired by fold; their standard error is over folds, which share training "
    "rows, so it is somewhat too small."
)
