"""A program that computes the coordinates of any rows in the plane on screen.

It is the source of `plane_program` with the values of the plane as literals.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable

from melm_core.base import ColumnEncoding
from melm_core.recipe import prepared_features
from melm_studio.planes.captions import title
from melm_studio.publication import plane_program
from melm_studio.runs.execution.rows import RunData
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.tables import DELIMITERS, MISSING, NUMBERS, THOUSANDS, LabeledData

_VALUES = "# <values>", "# </values>\n"
_ARITHMETIC = "# <arithmetic>", "# </arithmetic>\n"


def program_of(record: RunRecord, event: PlaneEvent, data: RunData) -> str:
    """Return a program that computes the coordinates of rows in the plane of an event."""
    heading = f"# The coordinates of {_line(title(record))} of {_line(record.data_name)}.\n"
    source = _with(inspect.getsource(plane_program), _VALUES, _values(event, data))
    return heading + _with(source, _ARITHMETIC, _arithmetic())


def _with(source: str, marks: tuple[str, str], text: str) -> str:
    """The source with a text in place of what is between two marks."""
    above, _, rest = source.partition(marks[0])
    return above + text + rest.partition(marks[1])[2]


def _arithmetic() -> str:
    """The functions that apply a recipe, from their own source."""
    module = inspect.getsource(inspect.getmodule(prepared_features) or prepared_features)
    return module.partition(_ARITHMETIC[0])[2].partition("\n")[2] + "\n\n"


def _values(event: PlaneEvent, data: LabeledData) -> str:
    encodings = data.encodings
    form = data.form
    delimiters = [form.delimiter, *(mark for mark in DELIMITERS if mark != form.delimiter)]
    patterns = (
        {mark: pattern.pattern for mark, pattern in marks.items()} for marks in (NUMBERS, THOUSANDS)
    )
    number_patterns, thousands_patterns = patterns
    return "".join(
        [
            "# What replaces a missing number; or the categories, with None for missing; or\n"
            "# ordered categories with positions, and under an empty name that of a missing one.\n",
            f"COLUMNS = {{\n{_lines(f'{one.name!r}: {_known(one)!r}' for one in encodings)}}}\n",
            f"CENTER = {data.center.tolist()!r}\n",
            f"SCALE = {data.scale.tolist()!r}\n",
            f"COMPONENTS = [\n{_lines(map(repr, event.components.tolist()))}]\n",
            "RULES = {}\n" if data.rules is None else f"RULES = {data.rules.literals!r}\n",
            "# How the table was written to which the plane was fitted.\n",
            f"HAS_HEADER = {form.has_header!r}\n",
            f"DECIMAL = {form.decimal!r}\n",
            f"DELIMITERS = {delimiters!r}\n",
            f"MISSING = {list(MISSING)!r}\n",
            f"NUMBERS = {number_patterns!r}\n",
            f"THOUSANDS = {thousands_patterns!r}\n",
        ]
    )


def _known(
    encoding: ColumnEncoding,
) -> float | list[str | None] | dict[str, float | None] | None:
    if encoding.is_ordered:
        positions = {str(level): float(place) for place, level in enumerate(encoding.levels)}
        return {**positions, "": encoding.fill}
    return list(encoding.levels) or encoding.fill


def _lines(items: Iterable[str]) -> str:
    return "".join(f"    {item},\n" for item in items)


def _line(text: str) -> str:
    """Put text on one line, so that it cannot end the comment that contains it."""
    return " ".join(text.split())
