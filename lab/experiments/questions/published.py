"""PLS-DA and OPLS-DA beside the values that the tests of the R package ropls have of its own data.

The data, 183 urine samples with 109 metabolites and the sex of the volunteer, come with ropls:

    data(sacurine, package = "ropls")
    write.csv(data.frame(sacurine$dataMatrix, gender = sacurine$sampleMetadata$gender,
              check.names = FALSE), "sacurine.csv", row.names = FALSE)
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from melm_core import OPLSDiscriminantPlane, PLSDiscriminantPlane
from melm_core.base import FloatArray, IntArray

_N_FOLDS = 7  # of ropls: row i in fold i modulo 7
_LABEL = "gender"


def compare(file: Path) -> None:
    """Print the published values and ours.

    Parameters
    ----------
    file : Path
        The data as CSV, as the module says.
    """
    table = pd.read_csv(file)
    X = table.drop(columns=_LABEL).to_numpy(dtype=np.float64)
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    y = pd.factorize(table[_LABEL], sort=True)[0]
    print("| | ropls | here |\n|---|---:|---:|")
    for name, published, found in _rows(X, y):
        print(f"| {name} | {published} | {found:.{_n_digits(published)}f} |")


def _rows(X: FloatArray, y: IntArray) -> Iterator[tuple[str, str, float]]:
    pls, opls = PLSDiscriminantPlane(3), OPLSDiscriminantPlane(n_orthogonal=1)
    pls.fit(X, y)
    opls.fit(X, y)
    yield "PLS-DA, 3 components: Q2", "0.584", _predicted(PLSDiscriminantPlane(3), X, y)
    yield "VIP of the fifth metabolite", "0.7034828", float(pls.vip_[4])
    explained = opls.r2x_predictive_.sum() + opls.r2x_orthogonal_.sum()
    yield "OPLS-DA, 1 + 1 components: R2X", "0.185", float(explained)
    yield "R2Y", "0.668", float(opls.r2y_.sum())
    yield "Q2", "0.554", _predicted(OPLSDiscriminantPlane(n_orthogonal=1), X, y)
    score = abs(float(X[0] @ opls.orthogonal_rotations_[0]))
    yield "orthogonal score of the first sample, less its sign", "4.980604", score


def _predicted(estimator: Any, X: FloatArray, y: IntArray) -> float:
    """Q2 of the rows that the fits have not seen, in the folds of ropls."""
    fold = np.arange(len(y)) % _N_FOLDS
    wanted = (y == 0).astype(np.float64)
    predicted = np.empty(len(y))
    for number in range(_N_FOLDS):
        held_out = fold == number
        estimator.fit(X[~held_out], y[~held_out])
        predicted[held_out] = estimator.predict_indicators(X[held_out])[:, 0]
    errors = np.square(wanted - predicted).sum()
    return float(1.0 - errors / np.square(wanted - wanted.mean()).sum())


def _n_digits(text: str) -> int:
    return len(text.partition(".")[2])
