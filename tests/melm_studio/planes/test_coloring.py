"""Colors and symbols by a column: one for each category, a scale for numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from melm_studio.planes.coloring import MAX_CATEGORIES, point_colors, point_symbols
from melm_studio.planes.theme import SHAPES, THEMES, Scheme


def texts(*values: str | None) -> pd.Series:
    return pd.Series(values, dtype="str")


def numbers(*values: float) -> pd.Series:
    return pd.Series(values, dtype=np.float64)


@pytest.mark.parametrize("scheme", Scheme)
def test_categories_have_the_colors_of_the_theme(scheme) -> None:
    found = point_colors([texts("a", "b"), texts("b", None)], scheme)
    first, second, *_ = THEMES[scheme].class_colors
    assert found.marks == ((first, second), (second, THEMES[scheme].faint_ink))
    assert [entry.text for entry in found.legend] == ["a", "b", "missing"]
    assert not found.is_scale


def test_numbers_are_a_scale_from_low_to_high() -> None:
    found = point_colors([numbers(*np.linspace(0, 1, 101)), numbers(np.nan)], Scheme.LIGHT)
    assert found.is_scale
    assert found.marks[0][0] == found.legend[0].mark
    assert found.marks[0][-1] == found.legend[-1].mark
    assert found.marks[1] == (THEMES[Scheme.LIGHT].faint_ink,)
    assert len(set(found.marks[0])) > 80


def test_an_outlier_does_not_compress_the_scale() -> None:
    found = point_colors([numbers(*np.linspace(0, 1, 200), 1e6)], Scheme.DARK)
    assert len(set(found.marks[0])) > 150


def test_few_whole_numbers_are_categories() -> None:
    found = point_colors([numbers(1, 2, 2, 3)], Scheme.LIGHT)
    assert [entry.text for entry in found.legend] == ["1", "2", "3"]
    many = point_colors([numbers(*range(MAX_CATEGORIES + 1))], Scheme.LIGHT)
    assert many.is_scale


def test_the_rarest_of_many_categories_share_a_mark() -> None:
    letters = "aaabbbcccdddeefghijk"
    found = point_symbols([texts(*letters)])
    assert len({mark for trace in found.marks for mark in trace}) == len(tuple(SHAPES))
    assert found.legend[-1].text == "other"
    assert len({entry.mark for entry in found.legend}) == len(found.legend)


def test_numbers_are_shaped_by_their_quarters() -> None:
    found = point_symbols([numbers(*np.arange(40) / 3), numbers(np.nan)])
    assert len(found.legend) == 5
    assert found.marks[0][0] != found.marks[0][-1]


def test_a_constant_column_has_one_color() -> None:
    assert len(set(point_colors([numbers(0.5, 0.5)], Scheme.LIGHT).marks[0])) == 1
    assert len(set(point_symbols([numbers(0.5, 0.5)]).marks[0])) == 1
