"""Encoding of a table's column as features: numbers, or one indicator for each category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.quantities import MISSING
from melm_core.base.written_cells import unknown_categories

_MISSING = ("nan", "NaT", "<NA>")  # what the missing values of numpy and pandas print


@dataclass(frozen=True)
class ColumnEncoding:
    """The encoding of one column, fitted to a table and applicable to the rows of another.

    Attributes
    ----------
    name : str
        The column.
    fill : float or None
        Replaces missing and infinite numbers. With None, there may be none.
    levels : tuple of str or None
        The categories, with None for missing cells; empty for a numeric column. Every level has an
        indicator, but of two levels only the second has.
    is_ordered : bool
        Whether the levels are ordered, from low to high. They are one feature then, the position
        of the level; `fill` replaces missing cells, and no level is None.

    Examples
    --------
    >>> from melm_core.base import ColumnEncoding
    >>> ColumnEncoding("width", fill=2.5).encode([1.0, None]).ravel()
    array([1. , 2.5])
    >>> color = ColumnEncoding("color", levels=("blue", "green", "red"))
    >>> color.feature_names
    ['color = blue', 'color = green', 'color = red']
    >>> color.encode(["red", "blue"])
    array([[0., 0., 1.],
           [1., 0., 0.]])
    >>> dose = ColumnEncoding("dose", levels=("low", "medium", "high"), is_ordered=True)
    >>> dose.encode(["high", "low"]).ravel()
    array([2., 0.])
    """

    name: str
    fill: float | None = None
    levels: tuple[str | None, ...] = ()
    is_ordered: bool = False

    @property
    def feature_names(self) -> list[str]:
        """The names of the features, in order."""
        if not self.levels or self.is_ordered:
            return [self.name]
        return [f"{self.name} = {level or 'missing'}" for level in self.levels[self._first :]]

    @property
    def _first(self) -> int:
        """The first level with an indicator."""
        return int(len(self.levels) == 2)

    @property
    def with_gaps(self) -> ColumnEncoding:
        """The same, but missing numbers and positions are NaN: what replaces them is a recipe's."""
        is_category = self.levels and not self.is_ordered
        return self if is_category else replace(self, fill=float("nan"))

    def encode(self, cells: Any) -> FloatArray:
        """Encode cells as features.

        Parameters
        ----------
        cells : array-like of shape (n_samples,)
            Numbers, or the texts of categories, which may be whole numbers. None, NaN and empty
            text are missing.

        Returns
        -------
        ndarray of shape (n_samples, n_features)

        Raises
        ------
        ValueError
            If a cell is not a number, not one of the categories, or missing where the encoding has
            no value for it; the message names the column and the cells.
        """
        if not self.levels:
            return self._filled(self._numbers(cells))[:, None]
        if self.is_ordered:
            return self._filled(self._positions(cells))[:, None]
        codes = self._codes(self._texts(cells))
        return np.eye(len(self.levels))[codes, self._first :]

    def can_encode(self, cells: Any) -> np.typing.NDArray[np.bool_]:
        """Return whether each cell is a category or number that `encode` takes, or can be filled.

        Parameters
        ----------
        cells : array-like of shape (n_samples,)
        """
        if not self.levels:
            return (self.fill is not None) | np.isfinite(self._numbers(cells))
        levels = {*self.levels, None} if self.fill is not None else set(self.levels)
        return np.array([text in levels for text in self._texts(cells)], dtype=bool)

    def _texts(self, cells: Any) -> list[str | None]:
        """Return cells as texts; a word for what is missing is one only if it is a level."""
        is_word = {*MISSING} & {*self.levels}
        return [
            None if text in MISSING and text not in is_word else text for text in cell_texts(cells)
        ]

    def _numbers(self, cells: Any) -> FloatArray:
        try:
            return np.asarray(cells, dtype=np.float64)
        except (TypeError, ValueError):
            return np.array([self._number(cell) for cell in cell_texts(cells)])

    def _number(self, text: str | None) -> float:
        try:
            return np.nan if text is None else float(text)
        except ValueError:
            raise UserError(
                f'Column "{self.name}" has {text!r}, which is not a number. Correct the cell, or '
                "leave it empty if its value is missing."
            ) from None

    def _filled(self, numbers: FloatArray) -> FloatArray:
        is_missing = ~np.isfinite(numbers)
        if self.fill is None and is_missing.any():
            raise UserError(
                f'Column "{self.name}" has {int(is_missing.sum())} missing or infinite value(s), '
                "and no value to replace them was saved. Fill them in or remove their rows."
            )
        return np.where(is_missing, self.fill or 0.0, numbers)

    def _positions(self, cells: Any) -> FloatArray:
        """Return positions of ordered levels, NaN where a cell is missing."""
        texts = self._texts(cells)
        is_missing = np.array([text is None for text in texts])
        positions = self._codes([text or self.levels[0] for text in texts])
        return np.where(is_missing, np.nan, positions)

    def _codes(self, texts: Sequence[str | None]) -> np.typing.NDArray[np.intp]:
        if unknown := unknown_categories(texts, self.name, self.levels):
            raise UserError(unknown)
        codes = {level: code for code, level in enumerate(self.levels)}
        return np.array([codes[text] for text in texts], dtype=np.intp)


def cell_texts(cells: Any) -> list[str | None]:
    """Return cells as texts, None where one is missing."""
    return [_text(cell) for cell in np.asarray(cells, dtype=object)]


def _text(cell: Any) -> str | None:
    is_whole = isinstance(cell, float) and cell.is_integer()  # 3 among missing cells is 3.0
    text = str(int(cell) if is_whole else cell).strip()
    is_missing = cell is None or (not isinstance(cell, str) and text in _MISSING)
    return None if is_missing or not text else text
