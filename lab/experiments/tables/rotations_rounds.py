"""Breast cancer's table of the rotations paper: held-out accuracy over 20 rounds of folds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer

from lab.experiments.paper_numbers import ROTATION_ROUNDS
from lab.experiments.records import Cell, Record, Settings, Values, complete
from lab.experiments.report import Entry, Provenance, Report, Section
from lab.experiments.rotations import KEPT
from lab.experiments.tables.rotations_tables import (
    BREAST_CANCER,
    MOST_STEPS_OF_PRINTED_RULE,
    PAPER_WAY,
    UNIFORM_IN_PAPER,
    classifier,
    held_out_accuracy,
)

_FOLDS = (10, 5)
_N_ROUNDS = 20
_ALL_COMPONENTS = (1, 2, 3)


def report(settings: Settings) -> Report:
    """Accuracy and its deviation over rounds, of the benchmarks and of rotations."""
    n_rounds = 2 if settings.quick else _N_ROUNDS
    rows = dict(_rows(quick=settings.quick))
    cells = [
        Cell("rotations-rounds", cell, {**parameters, "n_folds": n_folds, "seed": seed})
        for parameters in rows.values()
        for n_folds in _FOLDS
        for seed in range(n_rounds)
    ]
    records = complete(cells, settings)
    return Report(
        name="rotations-rounds",
        title="Feature extraction through rotations: rounds of folds, breast cancer",
        source=(
            "Salas-Boni and Tabak, 2013, section 6.2. Held-out accuracy in percent, in 10 and in 5 "
            f"folds: mean and standard deviation over {n_rounds} rounds."
        ),
        sections=(Section("", tuple(_entries(rows, iter(records), n_rounds)), (_NOTE,)),),
        provenance=Provenance.of(records),
    )


def cell(
    folder: Path,  # noqa: ARG001 - part of the signature of all cells
    *,
    method: str,
    n_components: int | None,
    priors: str | None,
    max_iter: int,
    n_folds: int,
    seed: int,
) -> Values:
    """Held-out accuracy of one method in one round of folds, in percent."""
    X, y = load_breast_cancer(return_X_y=True)
    model = classifier(
        BREAST_CANCER, method=method, n_components=n_components, priors=priors, max_iter=max_iter
    )
    return {"accuracy": 100.0 * held_out_accuracy(model, X, y, n_folds=n_folds, seed=seed)}


def _rows(*, quick: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the parameters of each row."""
    for method in ROTATION_ROUNDS:
        if method.startswith("m="):
            continue
        priors = "uniform" if method in UNIFORM_IN_PAPER else "empirical"
        machine = method.startswith("SVM")
        fixed = {"n_components": None, "priors": None if machine else priors, "max_iter": 0}
        yield method, {"method": method, **fixed}
    steps = 50 if quick else MOST_STEPS_OF_PRINTED_RULE
    for m in (1,) if quick else _ALL_COMPONENTS:
        parameters = {"n_components": m, "priors": None, "max_iter": steps}
        yield f"rotations, {PAPER_WAY}, m = {m}", {"method": PAPER_WAY, **parameters}


def _entries(
    rows: dict[str, dict[str, Any]], records: Iterator[Record | None], n_rounds: int
) -> Iterator[Entry]:
    for row, parameters in rows.items():
        m = parameters["n_components"]
        printed = ROTATION_ROUNDS[f"m={m}" if m else row]
        for n_folds in _FOLDS:
            values = [record.values["accuracy"] for record in islice(records, n_rounds) if record]
            column = f"{n_folds} folds"
            deviation = f"{column}, deviation"
            yield _entry(row, column, np.mean(values) if values else None, printed[column])
            yield _entry(
                row,
                deviation,
                np.std(values, ddof=1) if len(values) > 1 else None,
                printed[deviation],
            )


def _entry(row: str, column: str, value: Any, paper: float) -> Entry:
    return Entry(row, column, None if value is None else float(value), paper, decimals=2)


_NOTE = (
    f"Rotations use the {KEPT} features with the largest M, screened within each fold; the paper "
    "screens before splitting, and prints neither its step size nor when it stops. LDA and QDA "
    "have uniform priors, all others the shares of the classes, as the in-sample values of the "
    "paper's table show. Folds have the shares of the classes in every fold, and the paper does "
    "not say whether its folds have; its software is MATLAB."
)
