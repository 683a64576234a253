"""The ten data sets of the MELM paper, from a folder of CSV or LIBSVM files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_svmlight_file

from melm_core.base import FloatArray, IntArray

DATA_SETS = (
    "australian",
    "breast-cancer",
    "diabetes",
    "fourclass",
    "german.numer",
    "heart",
    "ionosphere",
    "liver-disorders",
    "sonar",
    "splice",
)
_LABEL = "label"
_LIBSVM_ENDINGS = ("", ".libsvm", ".txt")
_UCI_ENDINGS = (".data", ".data.gz")


@dataclass(frozen=True, eq=False)
class DataSet:
    """A table with two or more classes.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Class codes in the order of the labels: 0 is X- of the paper, 1 is X+.
    """

    X: FloatArray
    y: IntArray


def load(folder: Path, name: str, *, raw: bool = False) -> DataSet:
    """Load a data set as scaled to [-1, 1] by LIBSVM, or unscaled if `raw` is true.

    The file is `NAME.csv` (`NAME_raw.csv` if raw) with the classes in a column
    "label", or a LIBSVM file named as on the LIBSVM page: `NAME_scale` (`NAME`
    if raw), or the other name if only that exists, or `NAME.data`, as the UCI
    repository has covertype: numbers without a header, the class last.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    """
    if present := find(folder, name, raw=raw):
        return read(present)
    names = ", ".join(path.name for path in _candidates(folder, name, raw))
    raise FileNotFoundError(
        f"The data set {name!r} is not in {folder}, which has none of {names}. Add one of these "
        "files, or pass another folder with --data."
    )


def find(folder: Path, name: str, *, raw: bool = False) -> Path | None:
    """The file that `load` would read; None if there is none."""
    return next((path for path in _candidates(folder, name, raw) if path.is_file()), None)


def read(path: Path) -> DataSet:
    """Read a CSV file with a column "label", a file of UCI, or one in LIBSVM format.

    Raises
    ------
    ValueError
        If a CSV file has no column "label", or a file of UCI other than numbers.
    """
    if path.name.endswith(_UCI_ENDINGS):
        return _read_uci(path)
    if path.suffix != ".csv":
        X, labels = load_svmlight_file(str(path))
        return DataSet(X.toarray(), _codes(labels))
    table = pd.read_csv(path)
    if _LABEL not in table:
        raise ValueError(
            f'{path.name} has no column "{_LABEL}". Rename the class column to "{_LABEL}".'
        )
    features = table.drop(columns=_LABEL).to_numpy(dtype=np.float64)
    return DataSet(features, _codes(table[_LABEL].to_numpy()))


def _read_uci(path: Path) -> DataSet:
    try:
        values = pd.read_csv(path, header=None).to_numpy(dtype=np.float64)
    except ValueError as error:
        raise ValueError(
            f"{path.name} must have numbers alone, without a header and with the class in the "
            f"last column: {error}. Add the original file."
        ) from error
    if values.shape[1] < 2 or np.isnan(values).any():
        raise ValueError(
            f"{path.name} has {values.shape[1]} column(s) and may have empty cells; it needs "
            "features and, last, the class in every row. Add the original file."
        )
    return DataSet(values[:, :-1], _codes(values[:, -1]))


def standardized(X: FloatArray) -> FloatArray:
    """Features scaled to mean 0 and standard deviation 1, without constant ones."""
    widths = X.std(axis=0)
    varying = widths > 0
    result: FloatArray = (X[:, varying] - X[:, varying].mean(axis=0)) / widths[varying]
    return result


def _candidates(folder: Path, name: str, raw: bool) -> Iterator[Path]:
    yield folder / f"{name}{'_raw' if raw else ''}.csv"
    for stem in (name, f"{name}_scale") if raw else (f"{name}_scale", name):
        yield from (folder / f"{stem}{ending}" for ending in _LIBSVM_ENDINGS)
    yield from (folder / f"{name}{ending}" for ending in _UCI_ENDINGS)


def _codes(labels: FloatArray) -> IntArray:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
