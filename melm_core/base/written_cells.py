"""Names of columns and numbers as people write them: with a unit, in other spelling, in thousands.

A saved plane and a downloaded program, which contains these functions, read new rows by them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

# By decimal mark.
NUMBERS = {
    mark: re.compile(rf"[+-]?([0-9]+(\{mark}[0-9]*)?|\{mark}[0-9]+)([eE][+-]?[0-9]+)?")
    for mark in ".,"
}
# Thousands separators: 1,234.5 with a decimal point, 1.234,5 with a decimal comma.
_SEPARATORS = {".": ",", ",": "."}
THOUSANDS = {
    mark: re.compile(
        rf"[+-]?[1-9][0-9]{{0,2}}(?P<separator>[{separator}'’ \u00a0\u2009\u202f])[0-9]{{3}}"
        rf"((?P=separator)[0-9]{{3}})*(\{mark}[0-9]*)?"
    )
    for mark, separator in _SEPARATORS.items()
}


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
    exact = set(names)
    spelled = {plain_name(name): name for name in reversed(names)}
    bare = {plain_name(name_and_unit(name, units)[0]): name for name in reversed(names)}
    given = {}
    for column in known:
        bare_name, there = name_and_unit(column, units)
        spelling = spelled.get(plain_name(column)) or bare.get(plain_name(bare_name))
        if column in exact or spelling is None or spelling in known:
            continue
        here = name_and_unit(spelling, units)[1]
        is_converted = not here or not there or here in units.get(there, {})
        if plain_name(spelling) == plain_name(column) or is_converted:  # else two columns
            given[spelling] = column
    return [given.get(name, name) for name in names]


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
    match = re.fullmatch(r"(.*\S) ?(?:\[([^\[\]]+)\]|\(([^()]+)\))", name)
    if match is None or not (match[2] or any(match[3] in given for given in units.values())):
        return name, ""
    return match[1], match[2] or match[3]


def number_in_unit(
    text: str, decimal: str, conversions: Mapping[str, tuple[float, float]], unit: str
) -> float:
    """Read a number in the unit of its column, NaN for none; the cell may name its own unit.

    Parameters
    ----------
    text : str
    decimal : str
        The decimal mark, a point or a comma.
    conversions : mapping of str to tuple of (float, float)
        Factor and offset from each unit.
    unit : str
        That of a cell without any; empty for that of the column.

    Examples
    --------
    >>> from melm_core.base import number_in_unit
    >>> number_in_unit("0.013 g/g", ".", {"g/g": (1000.0, 0.0)}, "")
    13.0
    """
    ended = re.fullmatch(r"(.*[0-9.,])\s?([^0-9\s.,].{0,15})", text)
    if ended and ended[2] in conversions:
        text, unit = ended[1], ended[2]
    factor, offset = conversions.get(unit, (1.0, 0.0))
    return plain_number(text, decimal) * factor + offset


def plain_number(text: str, decimal: str) -> float:
    """Read a number, perhaps with separators of thousands; NaN for other text.

    Examples
    --------
    >>> from melm_core.base import plain_number
    >>> plain_number("1.234,5", ","), plain_number("low", ".")
    (1234.5, nan)
    """
    if re.fullmatch(NUMBERS[decimal], text):
        return float(text.replace(decimal, "."))
    grouped = re.fullmatch(THOUSANDS[decimal], text)
    if grouped:
        return float(text.replace(grouped["separator"], "").replace(decimal, "."))
    return float("nan")
