"""How well do planes separate rows that no fit has seen, method by method?

A cell is one method on one data set in one repeat of five folds: balanced accuracy of three
classifiers with fixed parameters in the plane that was fitted to the training rows. Every cell is
kept (`experiments.records`), so the table can be computed over hours and looked at on the way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from lab.experiments import class_densities, data
from lab.experiments.held_out import DATA_SETS, N_FOLDS, PairedDifferences, cell, density_cell
from lab.experiments.records import Cell, Record, Settings, Values, complete
from lab.experiments.report import Entry, Provenance, Report, Section
from melm_core.base import FloatArray

N_REPEATS = 3
SHRINKAGES = ("auto", "ledoit-wolf")
N_BOOTSTRAP = 15

# MELMCV takes some forty fits: one repeat, on the data sets with the quickest ones.
SETS_OF_AUTO_GAMMA = (
    "heart",
    "sonar",
    "liver-disorders",
    "iris",
    "wine",
    "two Gaussians",
    "two mixtures",
)
_QUICK_SETS = ("heart", "sonar")
_REFERENCE = "LDA"
_WIDTHS = (2.0, 1.0)  # compared as defaults
# Of the search and of the densities.
_KERNELS = ((2.0, 2.0), (1.0, 1.0), (2.0, 1.0))
_WIDTH_LABELS = [f"MELM ledoit-wolf, γ {gamma}" for gamma in _WIDTHS]

Column: TypeAlias = tuple[str, Values]  # method and options
Scores: TypeAlias = Mapping[str, Mapping[str, FloatArray]]  # in every fold, by entrant and data set
Pairs: TypeAlias = Mapping[str, FloatArray]  # differences in every fold, by data set


def report(settings: Settings) -> Report:
    """Tables of all entrants, of two kernel widths, and of the rules that tell rows apart."""
    repeats = 1 if settings.quick else N_REPEATS
    names = _QUICK_SETS if settings.quick else DATA_SETS
    columns = dict(list(COLUMNS.items())[: _N_FIRST if settings.quick else None])
    planes = complete(_plane_cells(settings, columns, names, repeats), settings)
    densities = complete(_density_cells(settings, names, repeats), settings)
    rules = complete(class_densities.cells(settings), settings)
    scores = _scores(planes, _label)
    own = _scores(densities, _density_label)
    widths = {
        "SVM, neighbors and densities in the plane": _pairs(scores, *_WIDTH_LABELS),
        "densities of the same γ": _pairs(own, *map(_kernel_label, _KERNELS[:2])),
        "densities of γ 1": _pairs(own, *map(_kernel_label, _KERNELS[:0:-1])),
    }
    return Report(
        name="generalization",
        title="Planes on rows that no fit has seen",
        source=_SOURCE,
        sections=(
            Section(
                "Balanced accuracy, mean of three classifiers", _entries(scores, columns, names)
            ),
            Section("All data sets together", _overall(scores, columns, names), (_OVERALL,)),
            Section("γ 2 less γ 1, by data set", _by_set(widths), (_BY_SET,)),
            Section("γ 2 less γ 1, together", _together(widths), (_TOGETHER,)),
            *class_densities.sections(rules),
        ),
        provenance=Provenance.of([*planes, *densities, *rules]),
    )


def _plane_cells(
    settings: Settings, columns: Mapping[str, Column], names: Sequence[str], repeats: int
) -> list[Cell]:
    """The first entrants first, and each repeat of the others after the one before."""
    ordered = list(columns.values())
    return [
        Cell(
            "generalization",
            cell,
            {"name": name, "repeat": repeat, "method": method, "options": options},
            data.find(settings.data, name),
        )
        for block in (ordered[:_N_FIRST], ordered[_N_FIRST:])
        for repeat in range(repeats)
        for method, options in block
        for name in names
        if options.get("gamma") != "auto" or (name in SETS_OF_AUTO_GAMMA and repeat == 0)
    ]


def _density_cells(settings: Settings, names: Sequence[str], repeats: int) -> list[Cell]:
    return [
        Cell(
            "own-densities",
            density_cell,
            {"name": name, "repeat": repeat, "gamma": gamma, "density_gamma": density_gamma},
            data.find(settings.data, name),
        )
        for repeat in range(repeats)
        for name in names
        for gamma, density_gamma in _KERNELS
    ]


def _scores(records: Sequence[Record | None], label_of: Callable[[Values], str]) -> Scores:
    """Mean of the classifiers in every fold, of the repeats that all data sets have.

    While a repeat is not complete, an entrant has those before it; of the first, what there is.
    """
    folds: dict[str, dict[str, list[float]]] = {}
    for record in filter(None, records):
        of_entrant = folds.setdefault(label_of(record.parameters), {})
        means = np.mean(record.values["folds"], axis=1)
        of_entrant.setdefault(record.parameters["name"], []).extend(means.tolist())
    fewest = {label: min(map(len, of_sets.values())) for label, of_sets in folds.items()}
    return {
        label: {name: np.array(values[: fewest[label]]) for name, values in of_sets.items()}
        for label, of_sets in folds.items()
    }


def _label(parameters: Values) -> str:
    """The label of the entrant that a cell belongs to."""
    return _LABELS[_as_key((parameters["method"], parameters["options"]))]


def _density_label(parameters: Values) -> str:
    return _kernel_label((parameters["gamma"], parameters["density_gamma"]))


def _kernel_label(kernels: tuple[float, float]) -> str:
    return f"γ {kernels[0]:g}, densities of γ {kernels[1]:g}"


def _row_label(label: str, scores: Scores) -> str:
    """The label, with the number of repeats where it is not that of the table."""
    n_repeats = min(
        (len(values) // N_FOLDS for values in scores.get(label, {}).values()), default=0
    )
    is_usual = n_repeats in (0, N_REPEATS)
    return label if is_usual else f"{label} ({n_repeats} repeat{'s' * (n_repeats > 1)})"


def _entries(
    scores: Scores, columns: Mapping[str, Column], names: Sequence[str]
) -> tuple[Entry, ...]:
    return tuple(
        _entry(_row_label(label, scores), name, scores.get(label, {}).get(name))
        for name in names
        for label in columns
    )


def _entry(row: str, column: str, values: FloatArray | None) -> Entry:
    """An entrant a row, so that the table stays narrow enough to read."""
    return Entry(row, column, None if values is None else float(values.mean()))


def _overall(
    scores: Scores, columns: Mapping[str, Column], names: Sequence[str]
) -> tuple[Entry, ...]:
    """Means over groups of data sets, and paired differences from the reference.

    An entrant that lacks a data set of the group is still to compute, or is not for it.
    """
    return tuple(
        entry
        for title, chosen in (
            ("the paper's", [name for name in names if name in data.DATA_SETS]),
            ("all", names),
            ("with small tables", [name for name in names if name in SETS_OF_AUTO_GAMMA]),
        )
        for label in columns
        for entry in _summary(label, f"{title} ({len(chosen)})", scores, chosen)
    )


def _summary(label: str, title: str, scores: Scores, names: Sequence[str]) -> list[Entry]:
    """The mean of one entrant, and its difference from the reference, paired by fold."""
    row, less = _row_label(label, scores), f"{title}, less {_REFERENCE}"
    own = scores.get(label, {})
    pairs = _pairs(scores, label, _REFERENCE)
    if not all(name in pairs for name in names):
        return [Entry(row, title, None), Entry(row, less, None)]
    differences = PairedDifferences([pairs[name] for name in names], N_FOLDS)
    return [
        Entry(row, title, float(np.mean([own[name].mean() for name in names]))),
        Entry(row, less, differences.mean, standard_error=differences.error),
    ]


def _pairs(scores: Scores, label: str, other: str) -> Pairs:
    """The differences of two entrants in the folds that both have."""
    first, second = scores.get(label, {}), scores.get(other, {})
    lengths = {name: min(len(first[name]), len(second[name])) for name in first if name in second}
    return {name: first[name][:n] - second[name][:n] for name, n in lengths.items()}


def _by_set(widths: Mapping[str, Pairs]) -> tuple[Entry, ...]:
    """The difference of the widths on every data set, with its corrected error."""
    return tuple(
        Entry(name, column, float(values.mean()), standard_error=float(error))
        for column, pairs in widths.items()
        for name, values, error in zip(
            pairs, pairs.values(), PairedDifferences([*pairs.values()], N_FOLDS).errors, strict=True
        )
    )


def _together(widths: Mapping[str, Pairs]) -> tuple[Entry, ...]:
    """The mean difference of the widths, with both of its errors, and who is ahead how often."""
    return tuple(
        entry for column, pairs in widths.items() for entry in _mean_of_widths(column, pairs)
    )


def _mean_of_widths(column: str, pairs: Pairs) -> list[Entry]:
    entries = []
    for title, names in (
        ("all data sets", [*pairs]),
        ("the paper's", [name for name in pairs if name in data.DATA_SETS]),
    ):
        if len(names) < 2:
            continue
        differences = PairedDifferences([pairs[name] for name in names], N_FOLDS)
        shown = {
            f"{title} ({len(names)}), ± on these": (differences.mean, differences.error),
            f"{title} ({len(names)}), ± over sets": (differences.mean, differences.error_over_sets),
        }
        entries += [
            Entry(row, column, mean, standard_error=error) for row, (mean, error) in shown.items()
        ]
        counts = {"γ 2 ahead": differences.n_won, "γ 1 ahead": differences.n_lost}
        entries += [
            Entry(f"{title}, {words}", column, count, decimals=0) for words, count in counts.items()
        ]
    return entries


def _as_key(column: Column) -> tuple[str, str]:
    return column[0], json.dumps(column[1], sort_keys=True)


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
# The default covariances first, because their cells are looked at first.
COLUMNS: dict[str, Column] = {
    **_FIRST,
    **_melm_columns(("ledoit-wolf",), (0.5, 4.0)),
    **_melm_columns(("ledoit-wolf",), (1.0, 2.0), n_bootstrap=N_BOOTSTRAP),
    **_melm_columns(("ledoit-wolf",), ("auto",)),
    **_melm_columns(("auto",), (0.5, 4.0, "auto")),
    **_melm_columns(("auto",), (1.0, 2.0), n_bootstrap=N_BOOTSTRAP),
}
_LABELS = {_as_key(column): label for label, column in COLUMNS.items()}
_SOURCE = (
    "Five folds, three times, features standardized by the training rows; the plane sees the "
    "training rows only. Balanced accuracy of an SVM, 15 neighbors and kernel densities with fixed "
    "parameters, in coordinates of unit covariance; the mean of the three. Generated data and "
    "digits: at most 600 rows. Entrants with fewer repeats say so."
)
_OVERALL = (
    "Differences are paired by fold; ± is the standard error of Nadeau and Bengio, which allows "
    "for training rows that folds share. γ auto takes many fits and has the small tables only."
)
_BY_SET = (
    "Paired by fold, default covariances. One column is of the classifiers above, which have "
    "parameters of their own; the others of the class densities of the fit, of the width of the "
    "search or of γ 1. "
    "± is the standard error of Nadeau and Bengio."
)
_TOGETHER = (
    "± on these: the standard error of Nadeau and Bengio, for these very data sets. "
    "± over sets: that of a sample of data sets."
)
