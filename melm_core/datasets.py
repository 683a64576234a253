"""Labelled data as every method takes it, and the samples that come with the product."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets as sklearn_datasets

from melm_core._typing import FloatArray, IntArray
from melm_core.crescents import crescents
from melm_core.generators import five_gaussians, five_mixtures, two_gaussians, two_mixtures
from melm_core.noise import pure_noise
from melm_core.roles import Column, Role
from melm_core.tables import Table

__all__ = [
    "SAMPLES",
    "LabelledData",
    "Sample",
    "crescents",
    "five_gaussians",
    "five_mixtures",
    "load_sample",
    "pure_noise",
    "two_gaussians",
    "two_mixtures",
]

ARRAYS = ("X", "y", "center", "scale", "row_numbers")
WORDS = ("name", "class_names", "feature_names", "steps")
MIN_SEEN = 2  # rows of every class that stay seen: a density needs two


@dataclass(frozen=True, eq=False)
class LabelledData:
    """A numeric table with a class for every row.

    Attributes
    ----------
    name : str
        What the table is called.
    X : ndarray of float64, (n_samples, n_features)
        The prepared table: ``(encoded table - center) / scale``, finite.
    y : ndarray of int64, (n_samples,)
        The class of every row, 0 to n_classes - 1.
    class_names : tuple of str, (n_classes,)
    feature_names : tuple of str, (n_features,)
    center, scale : ndarray of float64, (n_features,)
        In the units of the encoded table.
    row_numbers : ndarray of int64, (n_samples,)
        The row of the file behind every sample: data rows count from 1, the header not counted.
    steps : tuple of str
        What was done to the table, a sentence each.
    columns : tuple of Column
        What every column of the table became, in its order.
    """

    name: str
    X: FloatArray
    y: IntArray
    class_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    center: FloatArray
    scale: FloatArray
    row_numbers: IntArray
    steps: tuple[str, ...]
    columns: tuple[Column, ...] = ()

    def to_bytes(self) -> bytes:
        """Pack as npz; equal content gives equal bytes."""
        columns = [asdict(column) for column in self.columns]
        words = json.dumps({key: getattr(self, key) for key in WORDS} | {"columns": columns})
        arrays = {key: np.ascontiguousarray(getattr(self, key)) for key in ARRAYS}
        file = io.BytesIO()
        np.savez(file, allow_pickle=False, words=np.frombuffer(words.encode(), np.uint8), **arrays)
        return file.getvalue()

    @classmethod
    def from_bytes(cls, raw: bytes) -> LabelledData:
        """Unpack what `to_bytes` packed."""
        with np.load(io.BytesIO(raw), allow_pickle=False) as file:
            words = json.loads(file["words"].tobytes())
            fields: dict[str, Any] = {key: file[key] for key in ARRAYS}
        fields |= {key: tuple(words[key]) for key in WORDS if key != "name"}
        columns = tuple(_column(values) for values in words.get("columns", ()))
        return cls(name=words["name"], columns=columns, **fields)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the packed bytes, in hexadecimal."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def split(self, held_out: float, random_state: int) -> tuple[LabelledData, LabelledData]:
        """Hold out a share of the rows of every class.

        Parameters
        ----------
        held_out : float
            Share of each class to hold out, 0 <= held_out < 1. Two rows of a class always stay.
        random_state : int
            Seed of the draw.

        Returns
        -------
        seen, unseen : LabelledData
            Rows keep their order. With ``held_out=0`` all rows are seen.

        Raises
        ------
        ValueError
            If `held_out` is not such a share.
        """
        if not 0 <= held_out < 1:
            raise ValueError(f"Need 0 <= held_out < 1. The value supplied was {held_out}.")
        is_unseen = np.zeros(len(self.y), dtype=bool)
        rng = np.random.default_rng(random_state)
        for code in range(len(self.class_names)):
            rows = rng.permutation(np.flatnonzero(self.y == code))
            n_unseen = min(round(held_out * len(rows)), len(rows) - MIN_SEEN)
            is_unseen[rows[: max(n_unseen, 0)]] = True
        if not is_unseen.any():
            return self, self._rows(is_unseen)
        return self._rows(~is_unseen), self._rows(is_unseen)

    def _rows(self, chosen: IntArray) -> LabelledData:
        return replace(
            self, X=self.X[chosen], y=self.y[chosen], row_numbers=self.row_numbers[chosen]
        )


def _column(values: dict[str, Any]) -> Column:
    return Column(**values | {"role": Role(values["role"])})


@dataclass(frozen=True)
class Sample:
    """A data set that comes with the product, and one sentence about it."""

    key: str
    label: str
    explanation: str


SAMPLES: Mapping[str, Sample] = MappingProxyType(
    {
        sample.key: sample
        for sample in (
            Sample("iris", "Iris", "150 flowers of 3 iris species, described by 4 measurements."),
            Sample("wine", "Wine", "178 Italian wines of 3 cultivars, described by 13 analyses."),
            Sample(
                "breast_cancer",
                "Breast cancer",
                "569 breast tumours, malignant or benign, described by 30 features of cell nuclei.",
            ),
            Sample(
                "digits",
                "Digits",
                "1 797 handwritten digits in 10 classes, described by the grey of 64 pixels.",
            ),
            Sample(
                "five_gaussians",
                "Five Gaussians",
                "1 580 rows of 5 Gaussian classes in 20 dimensions, after the rotations paper.",
            ),
            Sample(
                "five_mixtures",
                "Five mixtures",
                "1 595 rows of 5 classes in 10 dimensions, two Gaussians each, after that paper.",
            ),
            Sample(
                "crescents",
                "Crescents",
                "300 rows in two crescents that reach into each other, in the plane.",
            ),
            Sample(
                "pure_noise",
                "Pure noise",
                "60 rows of 50 random numbers in 3 classes that mean nothing: whatever separates "
                "the seen rows here is not real.",
            ),
        )
    }
)
LABEL_NAMES = {
    "iris": "species",
    "wine": "cultivar",
    "breast_cancer": "diagnosis",
    "digits": "digit",
}
# Samples that are drawn at random, always the same.
_DRAWN: Mapping[str, Callable[[], tuple[FloatArray, IntArray]]] = MappingProxyType(
    {
        "five_gaussians": lambda: five_gaussians(0),
        "five_mixtures": lambda: five_mixtures(0),
        "crescents": lambda: crescents(0),
        "pure_noise": lambda: pure_noise(random_state=0),
    }
)
CULTIVARS = ("Barolo", "Grignolino", "Barbera")  # scikit-learn numbers them


def load_sample(key: str) -> Table:
    """Load a sample as if its file had been read; the label is the last column.

    Raises
    ------
    ValueError
        If there is no sample of this key.
    """
    if key not in SAMPLES:
        raise ValueError(f"There is no sample {key!r}. Choose one of {', '.join(SAMPLES)}.")
    if key in _DRAWN:
        return _drawn_table(key)
    bunch = getattr(sklearn_datasets, f"load_{key}")(as_frame=True)
    classes = CULTIVARS if key == "wine" else [str(name) for name in bunch.target_names]
    frame = bunch.data.astype(np.float64)
    frame[LABEL_NAMES[key]] = bunch.target.map(dict(enumerate(classes))).astype("str")
    return Table(SAMPLES[key].label, frame, ())


def _drawn_table(key: str) -> Table:
    X, y = _DRAWN[key]()
    frame = pd.DataFrame(X, columns=[f"x{index}" for index in range(1, X.shape[1] + 1)])
    frame["class"] = np.array([f"class {code + 1}" for code in y])
    return Table(SAMPLES[key].label, frame, ())
