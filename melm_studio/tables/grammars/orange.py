"""Tables of Orange: three rows of names, types and roles, or names with prefixes such as mS#."""

from __future__ import annotations

import re

from melm_studio.tables.grammars.layout import FirstLines, Layout
from melm_studio.tables.questions import LABEL, USE
from melm_studio.tables.roles import Use

_TYPES = {
    "continuous": "C", "c": "C", "numeric": "C", "n": "C", "discrete": "D", "d": "D",
    "categorical": "D", "string": "S", "s": "S", "text": "S", "time": "T", "t": "T",
}  # fmt: skip
_FLAGS = {
    "": "", "class": "c", "c": "c", "meta": "m", "m": "m", "ignore": "i", "i": "i", "weight": "i",
    "w": "i",
}  # fmt: skip
_PREFIXED = re.compile(r"(?P<flag>[mciw]?)(?P<type>[CDSTU]?)#(?P<name>.+)")
_SPACES = re.compile(r"(?<!\\)\s+")  # one within a value has a backslash before it
_LEAST_PREFIXED = 2


def orange(first: FirstLines) -> Layout | None:
    """Three rows, or one whose names have prefixes."""
    return _three_rows(first) or _prefixed(first)


def _three_rows(first: FirstLines) -> Layout | None:
    rows = first.rows
    if len(rows) < 4 or not 2 <= max(map(len, rows[:4])) <= len(rows[0]):
        return None
    names, types, flags = (row + [""] * (len(rows[0]) - len(row)) for row in rows[:3])
    kinds = [_TYPES.get(cell.lower(), "") for cell in types]
    if not any(kinds):
        return None
    roles = [_FLAGS.get(_flag(cell)) for cell in flags]
    columns = [[row[index] for row in rows[3:] if index < len(row)] for index in range(len(names))]
    are_types = all(
        kind or not cell or _lists_values(cell, column)  # without a type it is text
        for kind, cell, column in zip(kinds, types, columns, strict=True)
    )
    kinds = [kind if cell else "S" for kind, cell in zip(kinds, types, strict=True)]
    if None in roles or not are_types:
        return None
    return _layout(first, names, kinds, [role or "" for role in roles], n_above=3)


def _flag(cell: str) -> str:
    """The role among the attributes of a column, which stand between spaces as key=value."""
    return next((part for part in cell.lower().split() if "=" not in part), "")


def _lists_values(cell: str, column: list[str]) -> bool:
    """Return whether a type is the list of the values that the column has."""
    values = {value.replace("\\ ", " ") for value in _SPACES.split(cell)}
    return len(values) > 1 and {*filter(None, column)} <= values | {"?", "."}


def _prefixed(first: FirstLines) -> Layout | None:
    line = next((line for line, row in enumerate(first.rows) if any(row)), 0)
    header = first.rows[line] if first.rows else []
    matches = [_PREFIXED.fullmatch(cell) for cell in header]
    prefixed = [match for match in matches if match and (match["flag"] or match["type"])]
    has_class = any("c" in match["flag"] for match in prefixed)
    if len(prefixed) < _LEAST_PREFIXED and not has_class:
        return None
    names = [match["name"] if match else cell for match, cell in zip(matches, header, strict=True)]
    kinds = [match["type"] if match else "" for match in matches]
    roles = [
        "i" if match and match["flag"] == "w" else match["flag"] if match else ""
        for match in matches
    ]
    return _layout(first, names, kinds, roles, n_above=line + 1)


def _layout(
    first: FirstLines, names: list[str], kinds: list[str], roles: list[str], *, n_above: int
) -> Layout:
    answers: dict[str, str] = {}
    for name, kind, role in zip(names, kinds, roles, strict=True):
        if not name:  # nothing stands behind the last delimiter
            continue
        if role == "c":
            answers.setdefault(LABEL, name)
        elif role == "i":
            answers[USE + name] = Use.IGNORED
        elif role == "m" or kind in ("S", "T"):
            answers[USE + name] = Use.INFO
        elif kind == "D":
            answers[USE + name] = Use.CATEGORY
    step = "Read as a table of Orange: it says the types and roles of its columns."
    return Layout(step, tuple(names), n_above, first.delimiter, answers, is_filled=True)
