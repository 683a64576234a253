"""Columns of new rows as those that a plane was fitted to: their names, units and numbers.

The studio, a saved plane and a downloaded program, which contains these functions, read new rows by
them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from melm_core.base.errors import UserError
from melm_core.base.quantities import MISSING, Quantity, plain_number, quantity


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
    missing = [column for column in known if column not in given]
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


def not_converted(column: str, unit: str, target: str) -> str:
    """Say that a column is given in a unit that cannot be converted to its own.

    Examples
    --------
    >>> from melm_core.base import not_converted
    >>> not_converted("lead (mg/g)", "s", "mg/g").partition(".")[0]
    '"lead (mg/g)" is given in s, which does not convert to mg/g'
    """
    return (
        f'"{column}" is given in {unit}, which does not convert to {target}. Convert its numbers '
        "or, if they are right, correct the unit."
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
    cells: Sequence[str],
    column: str,
    given: str,
    decimal: str,
    units: Mapping[str, Mapping[str, tuple[float, float]]],
) -> list[float]:
    """Read the cells of a column in its own unit, NaN where one is missing or no number.

    Each cell may name its unit; in one without, the numbers are in that of the given name.

    Parameters
    ----------
    cells : sequence of str, (n_rows,)
    column : str
        The known one.
    given : str
        Its name in the table.
    decimal : str
        The decimal mark, a point or a comma.
    units : mapping of str to mapping of str to tuple of (float, float)
        Of units of known columns, factor and offset to each from others.

    Raises
    ------
    UserError
        If a unit does not convert to that of the column.

    Examples
    --------
    >>> from melm_core.base import numbers_as_known
    >>> units = {"mg/g": {"mg/g": (1.0, 0.0), "g/g": (1000.0, 0.0)}}
    >>> numbers_as_known(["0.013 g/g", "12", "?"], "lead [mg/g]", "Lead", ".", units)
    [13.0, 12.0, nan]
    """
    target, there = name_and_unit(column, units)[1], name_and_unit(given, units)[1]
    conversions = units.get(target, {})
    numbers = {}
    for cell in dict.fromkeys(cells):
        number = plain_number(cell, decimal)
        read = quantity(cell, decimal) if math.isnan(number) else Quantity(number, "")
        value, unit = read or Quantity(math.nan, "")
        unit = unit or there
        if unit and unit != target and conversions and unit not in conversions:
            raise UserError(not_converted(column, unit, target))
        factor, offset = conversions.get(unit, (1.0, 0.0))
        numbers[cell] = factor * value + offset
    return [numbers[cell] for cell in cells]


def conversion_of(
    column: str, given: str, units: Mapping[str, Mapping[str, tuple[float, float]]]
) -> tuple[float, float]:
    """Return factor and offset to the unit of a known column from that of a given name.

    Examples
    --------
    >>> from melm_core.base import conversion_of
    >>> units = {"mg/g": {"mg/g": (1.0, 0.0), "g/g": (1000.0, 0.0)}}
    >>> [conversion_of("lead [mg/g]", given, units) for given in ("lead [g/g]", "lead")]
    [(1000.0, 0.0), (1.0, 0.0)]
    """
    target, there = name_and_unit(column, units)[1], name_and_unit(given, units)[1]
    return units.get(target, {}).get(there, (1.0, 0.0))


def check_numbers(values: Sequence[float], cells: Sequence[str], column: str) -> None:
    """Refuse a column without a number, which is not filled.

    Parameters
    ----------
    values : sequence of float, (n_rows,)
        NaN where a cell is missing or no number.
    cells : sequence of str, (n_rows,)
    column : str

    Raises
    ------
    UserError
        A single row may have a missing cell.

    Examples
    --------
    >>> import math
    >>> from melm_core.base import UserError, check_numbers
    >>> try:
    ...     check_numbers([math.nan, math.nan], ["", "NA"], "lead")
    ... except UserError as error:
    ...     print(error)
    "lead" is empty, and a whole column is not filled. Write its numbers.
    """
    if any(map(math.isfinite, values)):
        return
    first = next((cell for cell in cells if cell not in MISSING), None)
    if first is not None:
        raise UserError(
            f'No cell of "{column}" is a number; the first is "{first}". Write them as numbers '
            "like those that the plane was fitted to."
        )
    if len(cells) > 1:
        raise UserError(
            f'"{column}" is empty, and a whole column is not filled. Write its numbers.'
        )


def note_on_texts(values: Sequence[float], cells: Sequence[str], column: str) -> str:
    """Say which cells of a column are text among numbers, in a sentence; empty if none is.

    Examples
    --------
    >>> import math
    >>> from melm_core.base import note_on_texts
    >>> note_on_texts([1.5, math.nan], ["1.5", "broken"], "lead").partition(" that")[0]
    'Counted as missing: 1 cell(s) of "lead"'
    """
    rows = [
        row
        for row, value in enumerate(values)
        if not math.isfinite(value) and cells[row] not in MISSING
    ]
    if not rows:
        return ""
    return (
        f'Counted as missing: {len(rows)} cell(s) of "{column}" that are no numbers, the first '
        f'"{cells[rows[0]]}" in row {rows[0] + 1}, counted from 1.'
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
