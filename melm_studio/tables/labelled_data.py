"""Labelled data as every method takes it."""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from melm_core.base import FloatArray, IntArray
from melm_studio.tables.column_roles import Column, Role

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

    @property
    def class_counts(self) -> dict[str, int]:
        """Rows of every class, by its name."""
        counts = np.bincount(self.y, minlength=len(self.class_names))
        return dict(zip(self.class_names, counts.tolist(), strict=True))

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
