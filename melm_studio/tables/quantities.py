"""Units of the numbers of a column, and in its name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any

import numpy as np

from melm_core.base import CURRENCY, MAX_UNIT, UNIT, FloatArray, IntArray, Quantity

_SHARES = ("%", "‰")
_NAME_WITH_UNIT = re.compile(
    r"(?P<name>.*\S) ?(?:\[(?P<unit>[^\[\]]+)\]|\((?P<in_parentheses>[^()]+)\))"
)


def in_one_unit(
    quantities: Sequence[Quantity | None], counts: IntArray, named: str = ""
) -> tuple[FloatArray, str]:
    """Return the numbers of a column in the unit of its name, else in the most frequent one.

    Parameters
    ----------
    quantities : sequence of Quantity or None, of length n_levels
        Of each distinct cell.
    counts : ndarray of int64, (n_levels,)
        How many cells are equal to it.
    named : str, optional
        The unit in the name of the column, which holds if the most frequent one converts to it.

    Returns
    -------
    values : ndarray of float64, (n_levels,)
        NaN where a cell is no number, or its unit cannot be converted.
    unit : str
    """
    totals: dict[str, int] = {}
    for quantity, n in zip(quantities, counts.tolist(), strict=True):
        if quantity is not None:
            totals[quantity.unit] = totals.get(quantity.unit, 0) + n
    unit = max(filter(None, totals), key=totals.__getitem__, default="")
    is_lone = len(totals) == 2 and unit not in _SHARES and totals.get(unit, 0) > 1
    if totals.get("", 0) > sum(totals.values()) / 2 and not (is_lone and is_unit(unit)):
        unit = ""
    if named and (not unit or conversion(unit, named) is not None):
        unit = named
    conversions = {other: conversion(other, unit) for other in totals}
    if unit not in _SHARES or unit == named:
        conversions[""] = 1.0, 0.0  # in the column's unit; but .12 among 12 % may be a share
    values = [
        math.nan if quantity is None else _converted(quantity, conversions)
        for quantity in quantities
    ]
    return np.array(values), unit


def _converted(quantity: Quantity, conversions: dict[str, tuple[float, float] | None]) -> float:
    factor_and_offset = conversions[quantity.unit]
    return (
        math.nan
        if factor_and_offset is None
        else factor_and_offset[0] * quantity.value + factor_and_offset[1]
    )


def conversion(source: str, target: str) -> tuple[float, float] | None:
    """Return factor and offset from one unit to another; None if they measure different things.

    Examples
    --------
    >>> conversion("g/kg", "mg/kg")
    (1000.0, 0.0)
    >>> conversion("kg", "m") is None
    True
    """
    if source == target:
        return 1.0, 0.0
    if not is_unit(source) or not is_unit(target):
        return None
    units = _units()
    try:
        zero, one = (units.Quantity(x, source).to(target).magnitude for x in (0.0, 1.0))
    except Exception:  # noqa: BLE001 (pint raises whatever its parser does)
        return None
    return float(f"{one - zero:.12g}"), float(f"{zero:.12g}")


@lru_cache(maxsize=10_000)
def is_unit(text: str) -> bool:
    """Return whether this is the name of a unit of measurement, or a currency.

    Examples
    --------
    >>> is_unit("mg/kg"), is_unit("control")
    (True, False)
    """
    if not text or len(text) > MAX_UNIT:
        return False
    if re.fullmatch(CURRENCY, text):
        return True
    if not re.fullmatch(UNIT, text):
        return False
    try:
        _units().parse_units(text)
    except Exception:  # noqa: BLE001 (pint raises whatever its parser does)
        return False
    return True


@cache
def _units() -> Any:
    import pint  # noqa: PLC0415 (half a second, and seldom needed)

    return pint.UnitRegistry(cache_folder=None, autoconvert_offset_to_baseunit=True)


@lru_cache(maxsize=200)
def conversions_to(unit: str) -> dict[str, tuple[float, float]]:
    """Return factor and offset to a unit from each common one that measures the same.

    Parameters
    ----------
    unit : str

    Returns
    -------
    dict of str to tuple of (float, float)
        The unit itself among them; empty if it is none.

    Examples
    --------
    >>> known = conversions_to("mg/g")
    >>> known["g/g"], known["mg/g"], "s" in known
    ((1000.0, 0.0), (1.0, 0.0), False)
    """
    if not is_unit(unit):
        return {}
    conversions = {other: conversion(other, unit) for other in (unit, *_common_units())}
    return {other: pair for other, pair in conversions.items() if pair is not None}


def conversions_of(names: Iterable[str]) -> dict[str, dict[str, tuple[float, float]]]:
    """Return the conversions to each unit that names of columns have, by these units.

    Parameters
    ----------
    names : iterable of str

    Examples
    --------
    >>> [*conversions_of(["lead [mg/kg]", "zinc (mg/kg)", "site"])]
    ['mg/kg']
    """
    units = dict.fromkeys(without_unit(name)[1] for name in names)
    return {unit: conversions for unit in units if (conversions := conversions_to(unit))}


@cache
def _common_units() -> tuple[str, ...]:
    """Units of laboratories, and quotients of those of mass, amount and volume."""
    prefixed = {
        base: [f"{prefix}{base}" for prefix in ("k", "", "m", "µ", "u", "n", "p")]
        for base in ("g", "mol", "l", "L", "m", "s", "M", "Pa", "J", "V", "A", "Hz", "W")
    }
    above = [*prefixed["g"], *prefixed["mol"]]
    below = ["kg", "g", "mg", "µg", "ug", "l", "L", "dl", "dL", "ml", "mL", "µl", "uL", "cm3", "m3"]
    quotients = [f"{unit}/{other}" for unit in above for other in below]
    shares, temperatures = ("%", "‰", "ppm", "ppb"), ("°C", "K", "°F")
    others = ("cm", "dl", "dL", "min", "h", "d", "bar", "mbar", "cal", "kcal")
    return (*chain(*prefixed.values()), *quotients, *shares, *temperatures, *others)


def with_unit(name: str, unit: str) -> str:
    """Name a column with its unit, unless the name has it already.

    Examples
    --------
    >>> with_unit("sugar", "mg/kg")
    'sugar [mg/kg]'
    >>> with_unit("sugar (mg/kg)", "mg/kg")
    'sugar (mg/kg)'
    """
    return name if not unit or _has_unit(name, unit) else f"{name} [{unit}]"


def _has_unit(name: str, unit: str) -> bool:
    """Return whether a name has a unit as a word: mass (g) has g, and mass (kg) has not."""
    return bool(re.search(rf"(?<!\w){re.escape(unit)}(?![\w/])", name, re.IGNORECASE))


def without_unit(name: str) -> tuple[str, str]:
    """Split a name into name and unit, in brackets, or in parentheses if it is known as one.

    Examples
    --------
    >>> without_unit("sugar [mg/kg]"), without_unit("mass (kg)"), without_unit("mass (old)")
    (('sugar', 'mg/kg'), ('mass', 'kg'), ('mass (old)', ''))
    """
    match = _NAME_WITH_UNIT.fullmatch(name)
    if match is None:
        return name, ""
    if match["unit"]:
        return match["name"], match["unit"]
    is_known = is_unit(match["in_parentheses"])
    return (match["name"], match["in_parentheses"]) if is_known else (name, "")
