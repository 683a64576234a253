"""The legend of points that are colored or shaped by a column."""

from __future__ import annotations

from melm_studio.layout.elements import markup
from melm_studio.layout.lists import mark_legend
from melm_studio.planes.coloring import LegendEntry, Marks
from melm_studio.planes.theme import SHAPES
from tests.melm_studio.layout.trees import parts, texts


def legend_of(*entries: tuple[str, str], is_scale: bool = False) -> Marks:
    return Marks((), tuple(LegendEntry(*entry) for entry in entries), is_scale)


def test_each_value_is_a_button_that_names_its_color_or_symbol():
    symbol = next(iter(SHAPES))
    found = mark_legend("site", legend_of(("Turin", "#123456"), ("Asti", symbol)))
    chosen = {
        part["data-selects"]: part["title"] for part in parts(*found) if "data-selects" in part
    }
    assert chosen == {
        "#123456": "Select the rows with site Turin",
        symbol: "Select the rows with site Asti",
    }
    assert SHAPES[symbol].glyph in texts(*found)


def test_numbers_are_a_scale_from_the_least_to_the_most():
    found = mark_legend(
        "dose", legend_of(("0", "#000"), ("5", "#888"), ("9", "#fff"), is_scale=True)
    )
    assert texts(*found) == ["dose", "0", "9"]
    assert "linear-gradient(to right, #000, #888, #fff)" in markup(found)


def test_markup_in_a_value_is_text():
    written = markup(mark_legend("<b>", legend_of(('"><script>', "#000"))))
    assert "<script" not in written
    assert "<b>" not in written
