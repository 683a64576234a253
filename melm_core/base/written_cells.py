"""Columns of new rows as those that a plane was fitted to: their names, units and numbers.

The studio, a saved plane and a downloaded program, which contains these functions, read new rows by
them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import FloatArray
from melm_core.base.errors import UserError
from melm_core.base.quantities import (
    CODES,
    MISSING,
    ONE_COMMA,
    Measured,
    Quantity,
    is_far,
    mark_of_column,
    measured,
    plain_number,
    seconds_of,
)


@dataclass(frozen=True)
class CellRules:
    """How cells were read, for those of new rows.

    Attributes
    ----------
    limits : str
        How a cell such as <0.5 is: "half" of the limit if below, the "limit", "empty", "indicator"
        for half and a column that says so, or "text".
    undetected : dict of str to float
        The limit of a cell such as n.d., by column; 0 where it is missing.
    codes : dict of str to list of float
        Numbers that stand for what is missing, by column.
    keeps_codes : bool
        Whether such numbers are numbers.
    commas : dict of str to str
        What the comma is in columns such as 5,126: "decimal", or "left-out".
    ranges : dict of str to tuple of (float, float, float, bool)
        By column, see `range_of`.

    Examples
    --------
    >>> from melm_core.base import CellRules
    >>> CellRules(codes={"age": [999.0]}).limits
    'half'
    """

    limits: str = "half"
    undetected: dict[str, float] = field(default_factory=dict)
    codes: dict[str, list[float]] = field(default_factory=dict)
    keeps_codes: bool = False
    commas: dict[str, str] = field(default_factory=dict)
    ranges: dict[str, tuple[float, float, float, bool]] = field(default_factory=dict)


# <arithmetic>: `program_of` copies the lines from here to the end into a program.
LEAST_OF_SECOND = 1 / 100  # of the unit of a column, of which 12:30 is no time in hours
BEYOND_LIMIT = " beyond limit"  # behind the name of the column of which this says it
TICKED = " ticked: "  # between the name of a column and one of the answers that were ticked there
_PART = re.compile(r"[\[(]|[\])]|, ")


def range_of(numbers: FloatArray) -> tuple[float, float, float, bool]:
    """Return the smallest, largest and smallest positive number, and whether all are whole.

    To 12 digits, since preparation and back again changes the last ones; 0 where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.base import range_of
    >>> range_of(np.array([3.0, np.nan, 0.0, 1.5]))
    (0.0, 3.0, 1.5, False)
    """
    given = numbers[np.isfinite(numbers)]
    if not len(given):
        return 0.0, 0.0, 0.0, False
    ends = given.min(), given.max(), given[given > 0].min(initial=max(given.max(), 0.0))
    low, high, least = (float(f"{end:.12g}") for end in ends)
    are_whole = np.isclose(given, np.round(given), rtol=1e-12, atol=1e-9).all()
    return low, high, least, bool(are_whole)


def unique_names(names: Sequence[str]) -> list[str]:
    """Number repeated names of columns.

    Examples
    --------
    >>> from melm_core.base import unique_names
    >>> unique_names(["x", "y", "x", "x (2)"])
    ['x', 'y', 'x (3)', 'x (2)']
    """
    taken = set(names)
    if len(taken) == len(names):
        return [*names]
    repeats = Counter[str]()
    unique = []
    for name in names:
        repeats[name] += 1
        free = name
        while repeats[name] > 1 and free in taken:
            free = f"{name} ({repeats[name]})"
            repeats[name] += free in taken
        taken.add(free)
        unique.append(free)
    return unique


def columns_as_known(
    names: Sequence[str],
    known: Sequence[str],
    units: Mapping[str, Mapping[str, tuple[float, float]]],
) -> list[str]:
    """Rename columns to the known ones where only case, marks or units that convert differ.

    Parameters
    ----------
    names : sequence of str, (n_columns,)
    known : sequence of str
    units : mapping of str to mapping of str to tuple of (float, float)
        Of units of known columns, factor and offset to each from others.

    Examples
    --------
    >>> from melm_core.base import columns_as_known
    >>> units = {"mg/g": {"mg/g": (1.0, 0.0), "g/g": (1000.0, 0.0)}}
    >>> columns_as_known(["Lead (g/g)", "lead (m)", "site"], ["lead [mg/g]"], units)
    ['lead [mg/g]', 'lead (m)', 'site']
    """
    exact, needed, places = {*names}, {*known}, dict[str, list[int]]()
    for index, name in enumerate(names):
        for spelling in dict.fromkeys((name, name_and_unit(name, units)[0])):
            places.setdefault(plain_name(spelling), []).append(index)
    renamed = [*names]
    for column in known:
        if column in exact:
            continue
        bare, there = name_and_unit(column, units)
        alike = {
            index: None for name in (column, bare) for index in places.get(plain_name(name), ())
        }
        for index in alike:
            here = name_and_unit(names[index], units)[1]
            is_spelled = plain_name(names[index]) == plain_name(column)
            is_converted = not here or not there or here in units.get(there, {})
            if renamed[index] == names[index] not in needed and (is_spelled or is_converted):
                renamed[index] = column
                break
    return renamed


def check_columns(
    names: Sequence[str],
    known: Sequence[str],
    units: Mapping[str, Mapping[str, tuple[float, float]]],
) -> None:
    """Refuse a table that lacks columns, or has one in a unit that does not convert.

    Parameters
    ----------
    names : sequence of str, (n_columns,)
        After `columns_as_known`.
    known : sequence of str
        All that are needed.
    units : mapping of str to mapping of str to tuple of (float, float)

    Raises
    ------
    UserError

    Examples
    --------
    >>> from melm_core.base import UserError, check_columns
    >>> try:
    ...     check_columns(["lead (s)"], ["lead (mg/g)"], {"mg/g": {"mg/g": (1.0, 0.0)}})
    ... except UserError as error:
    ...     print(str(error).partition(".")[0])
    "lead (mg/g)" is given in s, which does not convert to mg/g
    """
    given = {*names}
    missing = [column for column in known if given.isdisjoint(sources_of(column))]
    others = {plain_name(name): unit for name, unit in map(split_unit, names if missing else ())}
    for column in missing:
        bare, target = name_and_unit(column, units)
        unit = others.get(plain_name(column)) or others.get(plain_name(bare))
        if target and unit:
            raise UserError(not_converted(column, unit, target))
    if missing:
        raise UserError(
            f"The table lacks {listed(missing)}. All {len(known)} columns of the plane are needed: "
            f"{listed(known)}. Add what is missing, or rename the columns."
        )


def sources_of(column: str) -> tuple[str, ...]:
    """List the columns that give one: itself, or that whose cells lie beyond a limit or are ticked.

    Examples
    --------
    >>> from melm_core.base import sources_of
    >>> sources_of("lead"), sources_of("lead beyond limit")
    (('lead',), ('lead beyond limit', 'lead'))
    >>> sources_of("eaten ticked: eggs")
    ('eaten ticked: eggs', 'eaten')
    """
    others = column.removesuffix(BEYOND_LIMIT), column.partition(TICKED)[0]
    return tuple(dict.fromkeys((column, *others)))


def ticked_answers(cell: str) -> list[str]:
    """List the answers in a cell, parted by commas outside brackets.

    Examples
    --------
    >>> from melm_core.base import ticked_answers
    >>> ticked_answers("Milk (cow, goat), eggs"), ticked_answers("")
    (['Milk (cow, goat)', 'eggs'], [])
    """
    parts, start, depth = [], 0, 0
    for mark in _PART.finditer(cell):
        if mark[0] == ", " and not depth:
            parts.append(cell[start : mark.start()])
            start = mark.end()
        elif mark[0] != ", ":
            depth = max(0, depth + (1 if mark[0] in "[(" else -1))
    return [part for part in (part.strip() for part in (*parts, cell[start:])) if part]


def is_ticked(answer: str, parts: Sequence[str]) -> bool:
    """Return whether an answer, perhaps with commas of its own, is among the parts of a cell.

    Examples
    --------
    >>> from melm_core.base import is_ticked
    >>> is_ticked("b, or c", ["a", "b", "or c"]), is_ticked("b", ["a", "or b"])
    (True, False)
    """
    pieces = ticked_answers(answer)
    n_pieces = len(pieces)
    return any([*parts[start : start + n_pieces]] == pieces for start in range(len(parts)))


def not_converted(column: str, unit: str, target: str, row: int | None = None) -> str:
    """Say that a column is given in a unit that cannot be converted to its own, perhaps in a row.

    Examples
    --------
    >>> from melm_core.base import not_converted
    >>> not_converted("lead (mg/g)", "s", "mg/g").partition(".")[0]
    '"lead (mg/g)" is given in s, which does not convert to mg/g'
    """
    place = "" if row is None else f" (row {row}, counted from 1)"
    return (
        f'"{column}" is given in {unit}, which does not convert to {target}{place}. '
        "Convert its numbers or, if they are right, correct the unit."
    )


def plain_name(name: str) -> str:
    """Strip a name of case and marks.

    Examples
    --------
    >>> from melm_core.base import plain_name
    >>> plain_name("Petal_Length")
    'petallength'
    """
    return "".join(letter for letter in name.casefold() if letter.isalnum()) or name


def name_and_unit(
    name: str, units: Mapping[str, Mapping[str, tuple[float, float]]]
) -> tuple[str, str]:
    """Split a name from the unit behind it: in brackets, or in parentheses if it is known.

    Seconds are the unit of what is written as hh:mm:ss.

    Parameters
    ----------
    name : str
    units : mapping of str to mapping of str to tuple of (float, float)
        Of units, factor and offset to each from others.

    Examples
    --------
    >>> from melm_core.base import name_and_unit
    >>> name_and_unit("lead [mg]", {}), name_and_unit("lead (old)", {})
    (('lead', 'mg'), ('lead (old)', ''))
    """
    bare, unit = split_unit(name)
    unit = "s" if re.match("(h+:)?m+:s", unit.lower()) else unit
    is_unit = name.endswith("]") or any(unit in spellings for spellings in units.values())
    return (bare, unit) if unit and is_unit else (name, "")


def split_unit(name: str) -> tuple[str, str]:
    """Split a name from what stands behind it in brackets or parentheses, unit or not.

    Examples
    --------
    >>> from melm_core.base import split_unit
    >>> split_unit("lead [mg]"), split_unit("lead (old)"), split_unit("lead")
    (('lead', 'mg'), ('lead', 'old'), ('lead', ''))
    """
    match = re.fullmatch(r"(.*\S) ?(?:\[([^\[\]]+)\]|\(([^()]+)\))", name)
    return (match[1], match[2] or match[3]) if match else (name, "")


def numbers_as_known(
    cells: Sequence[str] | npt.NDArray[np.number[Any]],
    column: str,
    given: str,
    decimal: str,
    units: Mapping[str, Mapping[str, tuple[float, float]]],
    *,
    rules: CellRules,
) -> tuple[FloatArray, list[str]]:
    """Read the cells of a column in its own unit, NaN where one is missing or no number.

    Each cell may name its unit; in one without, the numbers are in that of the given name.

    Parameters
    ----------
    cells : sequence of str, or ndarray of numbers, (n_rows,)
    column : str
        The known one.
    given : str
        Its name in the table.
    decimal : str
        The decimal mark, a point or a comma.
    units : mapping of str to mapping of str to tuple of (float, float)
        Of units of known columns, factor and offset to each from others.
    rules : CellRules

    Returns
    -------
    numbers : ndarray of float64, (n_rows,)
    notes : list of str
        Which units were converted and which cells counted as missing, a sentence each.

    Raises
    ------
    UserError
        If a unit does not convert to that of the column, commas may be either mark, or no cell is
        a number; a single row may have a missing one.

    Examples
    --------
    >>> from melm_core.base import CellRules, numbers_as_known
    >>> units = {"mg/g": {"mg/g": (1.0, 0.0), "g/g": (1000.0, 0.0)}}
    >>> cells = ["0.013 g/g", "12", "?", "<0.5"]
    >>> numbers_as_known(cells, "lead [mg/g]", "Lead", ".", units, rules=CellRules())
    (array([13.  , 12.  ,   nan,  0.25]), ['lead [mg/g] was converted from g/g.'])
    """
    if TICKED in column and TICKED not in given:
        answer = column.partition(TICKED)[2]
        return np.array([float(is_ticked(answer, ticked_answers(str(c)))) for c in cells]), []
    target, there = name_and_unit(column, units)[1], name_and_unit(given, units)[1]
    from_units = {there: None}
    if isinstance(cells, np.ndarray):
        factor, offset = units.get(target, {}).get(there, (1.0, 0.0))
        texts: Sequence[str] = [""] * len(cells)
        written = np.asarray(cells, dtype=np.float64)
        numbers = factor * written + offset
        signs = np.zeros(len(cells))
    else:
        texts = _with_decimals(cells, column, decimal, rules)
        decimal = mark_of_column(dict.fromkeys(texts), decimal)
        are_times = units.get(target, {}).get("s", (0.0, 0.0))[0] > LEAST_OF_SECOND
        found = {
            text: _measured(text, decimal, are_times=are_times) for text in dict.fromkeys(texts)
        }
        conversions = _conversions([*found.items()], texts, column, (target, there), units)
        read = {}
        for text, (quantity, sign) in found.items():
            value, unit = quantity or Quantity(math.nan, "")
            factor, offset = conversions.get(unit or there, (1.0, 0.0))
            read[text] = value, factor * value + offset, sign
            if unit:
                from_units[unit] = None
        written, numbers, signs = np.array([read[text] for text in texts]).reshape(-1, 3).T
    if column.endswith(BEYOND_LIMIT) and not given.endswith(BEYOND_LIMIT):
        return np.abs(signs), []
    numbers = _beyond_limits(numbers, signs, column, rules)
    is_code, on_codes = _codes_in(np.where(signs == 0, written, np.nan), numbers, column, rules)
    if is_code.any():
        numbers = np.where(is_code, np.nan, numbers)
        texts = ["" if gone else text for gone, text in zip(is_code.tolist(), texts, strict=True)]
    check_numbers(numbers, texts, column, on_codes)
    others = [unit for unit in from_units if unit != target and unit in units.get(target, {})]
    converted = [f"{column} was converted from {unit}." for unit in others]
    return numbers, [*converted, *on_codes, *_notes_on_texts(numbers, texts, column)]


def _with_decimals(
    cells: Sequence[str], column: str, decimal: str, rules: CellRules
) -> Sequence[str]:
    """The cells with points for commas that are decimal marks though points are, too."""
    alike = [cell for cell in dict.fromkeys(cells) if ONE_COMMA.fullmatch(cell)]
    if decimal != "." or not alike:
        return cells
    said, are_whole = rules.commas.get(column), rules.ranges.get(column, (0, 0, 0, True))[3]
    if said is None and not are_whole and {*cells} <= {*alike, *MISSING}:
        raise UserError(
            f'The comma in the numbers of "{column}", such as "{alike[0]}", may part thousands or '
            "be a decimal mark. Write the numbers without it, or with a point."
        )
    if said != "decimal":
        return cells
    return [cell.replace(",", ".") if cell in alike else cell for cell in cells]


def _measured(cell: str, decimal: str, *, are_times: bool) -> Measured:
    if are_times and math.isfinite(lasted := seconds_of(cell)):
        return Measured(Quantity(lasted, "s"), 0)
    number = plain_number(cell, decimal)
    plain = Measured(Quantity(number, ""), 0)
    return plain if math.isfinite(number) else measured(cell, decimal) or Measured(None, 0)


def _conversions(
    found: Sequence[tuple[str, Measured]],
    cells: Sequence[str],
    column: str,
    target_and_given: tuple[str, str],
    units: Mapping[str, Mapping[str, tuple[float, float]]],
) -> Mapping[str, tuple[float, float]]:
    """Factor and offset by the units of cells, all of which convert or are the same."""
    target, there = target_and_given
    conversions, others = units.get(target, {}), dict[str, int]()
    for text, (quantity, _) in found:
        unit = (quantity.unit if quantity else "") or there
        if unit and unit != target and unit not in conversions:
            others.setdefault(unit, cells.index(text) + 1)
    if (target and others) or len(others) > 1:
        unit, row = [*others.items()][0 if target else 1]
        raise UserError(not_converted(column, unit, target or next(iter(others)), row))
    return conversions


def _beyond_limits(
    numbers: FloatArray, signs: FloatArray, column: str, rules: CellRules
) -> FloatArray:
    """The numbers with those of cells beyond a limit as the rules say."""
    if rules.limits in ("empty", "text"):
        return np.where(signs == 0, numbers, np.nan)
    limit = rules.undetected.get(column, 0.0) or math.nan
    if column not in rules.undetected and np.isfinite(numbers).any():  # no whole column is filled
        limit = rules.ranges.get(column, (0.0, 0.0, 0.0, False))[2] or math.nan
    highest = rules.ranges.get(column, (0.0, math.nan, 0.0, False))[1]
    numbers = np.where(
        np.isnan(numbers) & (signs != 0), np.where(signs < 0, limit, highest), numbers
    )
    return np.where((signs < 0) & (rules.limits != "limit"), numbers / 2, numbers)


def _codes_in(
    written: FloatArray, numbers: FloatArray, column: str, rules: CellRules
) -> tuple[npt.NDArray[np.bool_], list[str]]:
    """Which numbers stand for what is missing, and a note on those that are not known to."""
    is_code = np.isin(written, rules.codes.get(column, []))
    if rules.keeps_codes or column not in rules.ranges:
        return is_code, []
    low, high, _, are_whole = rules.ranges[column]
    outside = np.flatnonzero(((numbers < low) | (numbers > high)) & ~is_code)
    far = [
        row
        for row in outside.tolist()
        if written[row] in CODES and is_far(numbers[row], low, high, are_whole=are_whole)
    ]
    is_in_other_unit = 2 * (len(outside) - len(far)) > np.isfinite(numbers).sum()
    are_all = len(numbers) > 1 and len(far) == np.isfinite(numbers).sum()  # no column is missing
    if not far or is_in_other_unit or are_all:
        return is_code, []
    is_code[far] = True
    return is_code, [
        f'Counted as missing: {len(far)} cell(s) of "{column}" that are far outside the table that '
        f"the plane was fitted to, as codes of what is missing are, the first {written[far[0]]:g} "
        f"in row {far[0] + 1}, counted from 1."
    ]


def check_numbers(
    numbers: FloatArray, cells: Sequence[str], column: str, notes: Sequence[str] = ()
) -> None:
    """Refuse a column without a number, which is not filled; a single row may have a missing cell.

    Parameters
    ----------
    numbers : ndarray of float64, (n_rows,)
        NaN where a cell is missing or no number.
    cells : sequence of str, (n_rows,)
    column : str
    notes : sequence of str, optional
        Why cells are missing that seem to be numbers.

    Raises
    ------
    UserError

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.base import UserError, check_numbers
    >>> try:
    ...     check_numbers(np.array([np.nan, np.nan]), ["", "NA"], "lead")
    ... except UserError as error:
    ...     print(error)
    "lead" is empty, and a whole column is not filled. Write its numbers.
    """
    if np.isfinite(numbers).any():
        return
    first = next((cell for cell in cells if cell not in MISSING), None)
    if first is not None:
        raise UserError(
            f'No cell of "{column}" is a number; the first is "{first}". Write them as numbers '
            "like those that the plane was fitted to."
        )
    if len(cells) > 1:
        said = " ".join([*notes, f'"{column}" is empty, and a whole column is not filled.'])
        raise UserError(f"{said} Write its numbers.")


def _notes_on_texts(numbers: FloatArray, cells: Sequence[str], column: str) -> list[str]:
    """Say which cells of a column are text among numbers, in a sentence."""
    is_lost = ~np.isfinite(numbers)
    rows = [row for row in np.flatnonzero(is_lost).tolist() if cells[row] not in MISSING]
    if not rows:
        return []
    return [
        f'Counted as missing: {len(rows)} cell(s) of "{column}" that are no numbers, the first '
        f'"{cells[rows[0]]}" in row {rows[0] + 1}, counted from 1.'
    ]


def unknown_categories(
    cells: Sequence[str | None], column: str, levels: Sequence[str | None]
) -> str:
    """Say which categories of a column are not known, in a sentence; empty if all are.

    Examples
    --------
    >>> from melm_core.base import unknown_categories
    >>> unknown_categories(["red", "pink"], "color", ["blue", "red"]).partition(". ")[0]
    'Column "color" has categories that the plane was not fitted to: "pink" (1 row(s), first row 2)'
    """
    rows = [row for row, cell in enumerate(cells) if cell not in levels]
    if not rows:
        return ""
    unknown = dict.fromkeys(cells[row] or "missing" for row in rows)
    return (
        f'Column "{column}" has categories that the plane was not fitted to: {listed([*unknown])} '
        f"({len(rows)} row(s), first row {rows[0] + 1}). Known are "
        f"{listed([level or 'missing' for level in levels])}. Correct these cells or remove their "
        "rows."
    )


def listed(names: Sequence[str], n_shown: int = 5) -> str:
    """List the first names, quoted, and say how many more there are.

    Examples
    --------
    >>> from melm_core.base import listed
    >>> listed(["red", "green", "blue"], 2)
    '"red", "green" and 1 more'
    """
    more = f" and {len(names) - n_shown} more" if len(names) > n_shown else ""
    return ", ".join(f'"{name}"' for name in names[:n_shown]) + more
