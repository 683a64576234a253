"""By which densities are held-out rows told apart? The evidence for `DensityRule`.

A cell is one method on one data set with one seed, refitted in folds. Its held-out rows are judged
by the densities that a search compares, projected into the plane, by the class densities as fitted,
which `MELM.predict` takes, by those of new rows, also with kernels as wide as Silverman's rule has
them, and by a linear rule; each as it is, and calibrated by the rows of other folds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from lab.experiments import data
from lab.experiments.held_out import rows
from lab.experiments.records import Cell, Record, Settings, Values
from lab.experiments.report import Entry, Section
from melm_core.base import FloatArray, balanced_share
from melm_core.density import KERNEL_WIDTH, DensityRule, density_shares, kernel_classes
from melm_core.diagnostics import Reliability, cross_calibrated
from melm_core.evaluation import Refits, Study

# Those of the MELM paper, and two that everybody has.
DATA_SETS = (*data.DATA_SETS, "iris", "wine")
METHODS = {
    "melm": "MELM",
    "lda": "LDA",
    "rlda": "LDA, regularized",
    "plsda": "PLS-DA",
    "pca": "PCA",
    "nca": "NCA",
}
_N_SEEDS = 3
_QUICK_SETS, _QUICK_METHODS = ("heart", "iris"), ("lda", "pca")
_TABLE = "class-densities"
_SEARCH, _FITTED, _CLASS, _WIDE, _LINEAR = "search", "fitted", "class", "wide", "linear"
_WORDS = {
    _SEARCH: "densities of the search",
    _FITTED: "class densities as fitted",
    _CLASS: "class densities",
    _WIDE: "class densities of Silverman's width",
    _LINEAR: "linear rule",
}
_PAIRS = ((_FITTED, _SEARCH), (_CLASS, _SEARCH), (_WIDE, _SEARCH), (_CLASS, _LINEAR))
_FIGURES = {
    "accuracy": "accuracy",
    "balanced": "balanced accuracy",
    "loss": "log loss",
    "as it is": "log loss as it is",
}
_MOVED = 0.01
_DECIMALS = 4  # of differences, of which some are below .001

# Of each rule and figure, by data set and method: the mean over seeds.
Means: TypeAlias = Mapping[tuple[str, str, str, str], float]


def cell(folder: Path, *, name: str, seed: int, method: str) -> Values:
    """Held-out balanced accuracy, and log loss in nats, by each rule."""
    X, y = rows(folder, name)
    parameters = {"random_state": seed}
    study = Study(method, X, y, parameters=parameters, groups=np.arange(len(y)), random_state=seed)
    refits = Refits.of(study)
    search, fitted = _without_folds(refits)
    logs = {
        _SEARCH: search,
        _FITTED: fitted,
        _CLASS: refits.log_densities,
        _WIDE: refits.with_width(1.0 / KERNEL_WIDTH).log_densities,
        _LINEAR: refits.linear_log_densities,
    }
    return {rule: _figures(refits, own) for rule, own in logs.items()}


def cells(settings: Settings) -> list[Cell]:
    """One for each data set, seed and method."""
    names = _QUICK_SETS if settings.quick else DATA_SETS
    methods = _QUICK_METHODS if settings.quick else tuple(METHODS)
    seeds = range(1 if settings.quick else _N_SEEDS)
    return [
        Cell(
            _TABLE,
            cell,
            {"name": name, "seed": seed, "method": method},
            data.find(settings.data, name),
        )
        for seed, name, method in product(seeds, names, methods)
    ]


def sections(records: Sequence[Record | None]) -> tuple[Section, ...]:
    """A table of each figure, with paired differences of the rules, and those by data set."""
    means = _means(records)
    names = list(dict.fromkeys(name for _, _, name, _ in means))
    methods = [method for method in METHODS if any(key[3] == method for key in means)]
    by_set = tuple(entry for name in names for entry in _of_set(name, means, methods))
    of_figures = [
        Section(
            f"By which densities: {words}",
            tuple(e for method in methods for e in _of_method(method, figure, means, names)),
            (_NOTE, *_moved(means, names, methods)) if figure == next(iter(_FIGURES)) else (),
        )
        for figure, words in _FIGURES.items()
    ]
    last = Section("Class densities less the densities of the search, by data set", by_set)
    return (*of_figures, last)


def _without_folds(refits: Refits) -> FloatArray:
    """Logarithms of the densities of the search, and of class densities as fitted.

    At held-out rows in their planes, by the other rows alone; shape (2, n_held_out, n_classes).
    """
    X, y = refits.study.rows.X, refits.study.rows.y
    logs = np.empty((2, len(y), refits.study.n_classes))
    for fold, fit in zip(refits.folds, refits.fits, strict=True):
        if not hasattr(fit, "projection"):  # a fold that could not be fitted
            continue
        fitted = fit.projection
        train, test = (fitted.preparation.apply(X[part]) for part in (fold.train, fold.test))
        kernels = kernel_classes(train, y[fold.train], n_components=len(fitted.components))
        points, places = (rows @ fitted.components.T for rows in (test, train))
        logs[0, fold.test] = kernels.project(fitted.components).log_densities(points)
        logs[1, fold.test] = DensityRule.of(places, y[fold.train]).log_densities(points)
    return logs[:, refits.held_out]


def _figures(refits: Refits, logs: FloatArray) -> dict[str, float]:
    y = refits.y
    right = logs.argmax(axis=1) == y
    shares = cross_calibrated(logs, y, refits.fold_of_rows[refits.held_out])
    return {
        "accuracy": float(right.mean()),
        "balanced": balanced_share(right, y),
        "loss": Reliability.of(shares, y).log_loss,
        "as it is": Reliability.of(density_shares(logs), y).log_loss,
    }


def _means(records: Sequence[Record | None]) -> Means:
    values: dict[tuple[str, str, str, str], list[float]] = {}
    for record in filter(None, records):
        own: dict[str, Any] = record.parameters
        for rule, figure in product(_WORDS, _FIGURES):
            key = (rule, figure, own["name"], own["method"])
            values.setdefault(key, []).append(record.values[rule][figure])
    return {key: float(np.mean(own)) for key, own in values.items()}


def _of_method(method: str, figure: str, means: Means, names: Sequence[str]) -> list[Entry]:
    """The means over the data sets, and differences with the error of a sample of data sets."""
    row, known = METHODS[method], [n for n in names if (_CLASS, figure, n, method) in means]
    of_rule = {
        rule: np.array([means[rule, figure, name, method] for name in known]) for rule in _WORDS
    }
    entries = [Entry(row, _WORDS[rule], float(of_rule[rule].mean())) for rule in _WORDS]
    for own, other in _PAIRS:
        less = of_rule[own] - of_rule[other]
        error = float(less.std(ddof=1) / np.sqrt(len(less))) if len(less) > 1 else None
        column = f"{_WORDS[own]} less {_WORDS[other]}"
        entries.append(Entry(row, column, float(less.mean()), None, error, _DECIMALS))
    return entries


def _of_set(name: str, means: Means, methods: Sequence[str]) -> list[Entry]:
    return [
        Entry(
            name,
            f"{METHODS[method]}, {words}",
            _difference(means, figure, name, method),
            decimals=_DECIMALS,
        )
        for method in methods
        for figure, words in _FIGURES.items()
        if (_CLASS, figure, name, method) in means
    ]


def _difference(means: Means, figure: str, name: str, method: str) -> float:
    return means[_CLASS, figure, name, method] - means[_SEARCH, figure, name, method]


def _moved(means: Means, names: Sequence[str], methods: Sequence[str]) -> tuple[str, ...]:
    """Which data sets have another balanced accuracy, of which methods."""
    moved = [
        f"{METHODS[method]} on {name} {less:+.3f}"
        for method, name in product(methods, names)
        if (_CLASS, "balanced", name, method) in means
        and abs(less := _difference(means, "balanced", name, method)) > _MOVED
    ]
    if not moved:
        return (f"No balanced accuracy differs from that of the search by more than {_MOVED}.",)
    return (f"Balanced accuracies that differ by more than {_MOVED}: {', '.join(moved)}.",)


_NOTE = (
    "Ten folds up to 200 rows, else five, three times; features standardized by the training rows. "
    "Log loss in nats, of probabilities calibrated by the rows of other folds; as it is: of those "
    "that are not. Differences are "
    "paired by data set; ± is the standard error of the mean as that of a sample of data sets."
)
