"""Numbers as people write them: with a sign, a unit, a currency, percent, thousands or a limit.

The studio reads tables by these functions. So do a saved plane and a downloaded program, which
contains them, with new rows.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

# <arithmetic>: `program_of` copies the lines from here to the end into a program.
MISSING = (
    "", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "<null>", "<NA>", "?", "-", "--",
    ".", "..", "...", ":", "–", "—",  # of statistical programs, offices and printed tables
    "#N/A", "#NV", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!",  # of spreadsheets
)  # fmt: skip
MAX_UNIT = 16  # characters
MAX_LENGTH = 64  # characters of a number with all that stands around it

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

_SYMBOLS = "$€£¥₹₩₽₺₴₪₫฿"
_CODES = "CHF|EUR|USD|GBP|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|ZAR|SGD|HKD"
CURRENCY = rf"[{_SYMBOLS}]|(?:AU?|CA?|HK|NT|NZ|R|S|US)\$|(?:{_CODES})\b"
_EXPONENT = r"(?:\^?-?[1-9]|[⁻]?[¹²³⁴-⁹])?"
_WORD = rf"[°µμ]?[^\W\d_]+{_EXPONENT}"
UNIT = rf"(?:[%‰](?: ?[^\W\d_]+)?|{_WORD}(?:(?: ?[/·*] ?| ){_WORD})*+)?"  # mg/kg, s-1, °C, %
_SIGN = r"[+\-\u2212]"  # U+2212 is the minus sign of typeset tables
_PLUS_MINUS = r"(?:±|\+/[-\u2212])"
_FOOTNOTE = "[*†‡§]"
_PART = r"[0-9]+(?:[.,][0-9]+)?%?"
# [65.3-67.3], (10 to 14), (0.31), (12%); (2) may count repeats of a name.
_INTERVAL = (
    rf"\s?[\[(]{_SIGN}?(?:{_PART}\s?(?:[,;\u2013\-\u2212]|to)\s?{_SIGN}?{_PART}"
    r"|[0-9]+[.,][0-9]+%?|[0-9]+%)[\])]"
)
# What stands behind a number and is no part of it: an uncertainty, or the mark of a footnote.
BEHIND = re.compile(rf"{_PLUS_MINUS}|[0-9%]\s?{_FOOTNOTE}{{1,3}}$|{_INTERVAL}$")
QUANTITIES = {
    mark: re.compile(
        rf"(?P<open>\()?\s?(?P<sign>{_SIGN})?\s?(?P<currency>{CURRENCY})?\s?(?P<inner>{_SIGN})?"
        rf"(?P<number>{THOUSANDS[mark].pattern.removeprefix('[+-]?')}"
        rf"|{NUMBERS[mark].pattern.removeprefix('[+-]?')})"
        rf"(?:\s?[x×·]\s?10\^?(?P<power>{_SIGN}?[0-9]{{1,3}}))?"
        rf"(?:\s?{_PLUS_MINUS}\s?[0-9]+(?:[.,][0-9]+)?)?"
        rf"\s?(?P<unit>{CURRENCY}|{UNIT})(?:{_INTERVAL})?(?P<close>\))?"
        rf"(?:\s?{_FOOTNOTE}{{1,3}})?"
    )
    for mark in ".,"
}

# Beyond what was measured.
LIMIT = re.compile(
    r"(?P<sign>[<>≤≥])=? ?(?:(?:LOD|LOQ|MDL|DL|QL)\b[ =:]*+)?\(?(?P<rest>[^()0-9]*[0-9][^()]*)\)?",
    re.IGNORECASE,
)
# Below the limit of detection, without spaces and capitals.
NOT_DETECTED = (
    "n.d.", "n.d", "nd", "notdetected", "n.q.", "nq", "notquantified", "bdl", "b.d.", "b.d",
    "b.d.l.", "b.d.l", "bql", "bloq", "blq", "blod", "lod", "loq", "lloq", "<lod", "<loq", "<lloq",
    "<dl", "<ql", "<mdl", "<mql", "<bg", "oor<", "trace", "traces", "tr.", "n.n.", "n.b.",
    "unterbg", "unternwg",
)  # fmt: skip
_TOO_MUCH = ("oor>", ">uloq", "uloq", "aloq", "alq")  # above that of quantification
_DAY_OR_HOUR = re.compile("[0-3]?[0-9][.][0-5][0-9]")  # 24.12 or 17.30
# Thousands or a fraction.
ONE_COMMA = re.compile("[+-]?[1-9][0-9]{0,2},[0-9]{3}")
# Numbers that stand for what is missing where they are far from all others.
CODES = frozenset(
    float(sign + digit * n) for sign in ("", "-") for digit in "89" for n in range(1, 7)
) - {8.0, 9.0} | {-1.0, -66.0, -77.0, -200.0, -666.0, -777.0, -999.25}
# The ends of whole numbers of 16 and 32 bits, and those that Stata keeps for what is missing.
CODES |= {-32768.0, 32741.0, 32767.0, -2147483648.0, 2147483621.0, 2147483647.0}
_LEAST_GAP = 3.0
_PLACE = re.compile(r"(?:k?m|mi|miles) [NESW]{1,3}(?: .*)?")  # behind a number: 3 km N of a town
# Behind an amount of money.
_MAGNITUDES = {
    "k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9,
    "billion": 1e9, "t": 1e12, "trillion": 1e12,
}  # fmt: skip
# The digits of a script follow each other: each is known by its zero.
_ZEROS = "\u0660\u06f0\u0966\u09e6\u0a66\u0ae6\u0be6\u0c66\u0ce6\u0d66\u0e50\uff10"
_DIGITS = "".join(chr(ord(zero) + digit) for zero in _ZEROS for digit in range(10))
# A comma of these parts thousands: it is left out, since it would part cells.
PLAIN_DIGITS = str.maketrans(
    _DIGITS + "\u066b\uff0e\uff0d\uff0b", "0123456789" * len(_ZEROS) + "..-+", "\uff0c\u066c"
)
OTHER_DIGITS = re.compile(
    rf"[-+\uff0d\uff0b\u2212]?[{_DIGITS}][{_DIGITS}\u066b\uff0e\uff0c\u066c.eE+-]*"
)
_DURATION = re.compile(
    r"(?:(?P<days>[0-9]{1,4}) days?,? )?(?:(?P<hours>[0-9]{1,4}):(?=[0-5][0-9]:))?"
    r"(?P<minutes>[0-9]{1,4}):(?P<seconds>[0-5][0-9](?:[.,][0-9]{0,9})?)"
)
FORTRAN = re.compile(r"([+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+))[dD]([+-]?[0-9]{1,3})")


class Quantity(NamedTuple):
    """A number and its unit, empty where there is none.

    Examples
    --------
    >>> from melm_core.base import Quantity
    >>> Quantity(18.3, "mg/kg").unit
    'mg/kg'
    """

    value: float
    unit: str


def quantity(cell: str, decimal: str) -> Quantity | None:
    """Read a number with what may stand around it.

    Parameters
    ----------
    cell : str
        Such as "€1,234.50", "$2.5M", "12.3%", "1.2e3 µg", "(1,234)", which is negative, or
        "−3.1×10^4";
        an uncertainty (± 0.2), an interval [1.1-1.5] and the mark of a footnote (*) behind it are
        left out.
    decimal : str
        The decimal mark, a point or a comma.

    Returns
    -------
    Quantity or None
        None if this is no number.

    Examples
    --------
    >>> from melm_core.base import quantity
    >>> quantity("18,3 mg/kg", ",")
    Quantity(value=18.3, unit='mg/kg')
    >>> quantity("(€1,234.50)", ".")
    Quantity(value=-1234.5, unit='€')
    >>> quantity("12:30", ".")
    """
    match = QUANTITIES[decimal].fullmatch(cell) if len(cell) <= MAX_LENGTH else None
    if match is None or bool(match["open"]) != bool(match["close"]):
        return None
    unit, signs = match["unit"].strip(), [s for s in (match["sign"], match["inner"]) if s]
    if len(signs) + bool(match["open"]) > 1 or len(unit) > MAX_UNIT or _PLACE.fullmatch(unit):
        return None
    factor = _MAGNITUDES.get(unit.casefold(), 0.0) if match["currency"] and unit else 1.0
    if not factor:
        return None
    if match["number"].endswith(decimal) and unit[:1].isalpha():  # "7.png" is the name of a file
        return None
    digits = match["number"].replace(match["separator"] or "", "").replace(decimal, ".")
    power = (match["power"] or "0").replace("\u2212", "-")
    size = float(f"{digits}e{power}") if "e" not in digits.casefold() else float(digits)
    is_negative = bool(match["open"]) or (bool(signs) and signs[0] != "+")
    size *= -factor if is_negative else factor
    return Quantity(size, match["currency"] or unit)


class Measured(NamedTuple):
    """A quantity, or the limit that it lies beyond: -1 below it, 1 above; 0 if it was measured.

    Without a number where nothing was found.

    Examples
    --------
    >>> from melm_core.base.quantities import Measured, Quantity
    >>> Measured(Quantity(0.5, "mg"), -1).sign
    -1
    """

    quantity: Quantity | None
    sign: int


def measured(cell: str, decimal: str) -> Measured | None:
    """Read a quantity that may lie beyond a limit; None if this is neither.

    Examples
    --------
    >>> from melm_core.base import measured
    >>> measured("< LOD (0.5)", "."), measured("n.d.", ".")
    (Measured(quantity=Quantity(value=0.5, unit=''), sign=-1), Measured(quantity=None, sign=-1))
    """
    word = cell.casefold().replace(" ", "")
    if word in NOT_DETECTED or word in _TOO_MUCH:
        return Measured(None, 1 if word in _TOO_MUCH else -1)
    match = LIMIT.fullmatch(cell)
    read = quantity(match["rest"] if match else cell, decimal)
    if read is None and match:  # <0,1 of a laboratory among numbers with points
        read = quantity(match["rest"], "," if decimal == "." else ".")
    if read is None:
        return None
    return Measured(read, 0 if match is None else -1 if match["sign"] in "<≤" else 1)


def seconds_of(cell: str) -> float:
    """Read a duration such as 1:25:57, 55:13.2 or "2 days, 01:25:57" in seconds; NaN for others.

    Examples
    --------
    >>> from melm_core.base import seconds_of
    >>> seconds_of("1:25:57"), seconds_of("55:13.2"), seconds_of("1:60")
    (5157.0, 3313.2, nan)
    """
    match = _DURATION.fullmatch(cell)
    if match is None:
        return math.nan
    days, hours, minutes = (int(match[part] or 0) for part in ("days", "hours", "minutes"))
    return 60 * (60 * (24 * days + hours) + minutes) + float(match["seconds"].replace(",", "."))


def plain_cell(cell: str) -> str:
    r"""Write a number of another script, or with an exponent of Fortran, as others are.

    Examples
    --------
    >>> from melm_core.base import plain_cell
    >>> plain_cell("\uff11\uff12"), plain_cell("1.5D+03")
    ('12', '1.5e+03')
    """
    if not cell.isascii() and OTHER_DIGITS.fullmatch(cell):
        cell = cell.translate(PLAIN_DIGITS)
    match = FORTRAN.fullmatch(cell)
    return f"{match[1]}e{match[2]}" if match else cell


def is_far(value: float, low: float, high: float, *, are_whole: bool) -> bool:
    """Return whether a number is as far from others as one that stands for what is missing.

    Farther from them than these are from each other, or below zero among counts.

    Parameters
    ----------
    value : float
    low, high : float
        The smallest and largest of the others.
    are_whole : bool
        Whether all of these are whole numbers.

    Examples
    --------
    >>> from melm_core.base import is_far
    >>> [is_far(value, 0.0, 120.0, are_whole=True) for value in (999.0, 200.0, -9.0)]
    [True, False, True]
    """
    is_no_count = value < 0 <= low and are_whole
    return max(low - value, value - high) > (
        _LEAST_GAP if is_no_count else max(high - low, _LEAST_GAP)
    )


def number_part(cell: str, decimal: str) -> str:
    """Return the digits of a quantity with their marks, empty if the cell is none.

    Examples
    --------
    >>> from melm_core.base import number_part
    >>> number_part("<0,01 mg", ",")
    '0,01'
    """
    bare = cell.lstrip("<>≤≥= ")
    match = QUANTITIES[decimal].fullmatch(bare) if len(bare) <= MAX_LENGTH else None
    return match["number"] if match else ""


def plain_number(text: str, decimal: str) -> float:
    """Read a number, perhaps with separators of thousands; NaN for other text.

    Examples
    --------
    >>> from melm_core.base import plain_number
    >>> plain_number("1.234,5", ","), plain_number("low", ".")
    (1234.5, nan)
    >>> plain_number("9,00E+13", "."), plain_number("9,00", ".")  # by its exponent
    (90000000000000.0, nan)
    """
    if NUMBERS[decimal].fullmatch(text):
        return float(text.replace(decimal, "."))
    grouped = THOUSANDS[decimal].fullmatch(text)
    if grouped:
        return float(text.replace(grouped["separator"], "").replace(decimal, "."))
    scientific = NUMBERS[_SEPARATORS[decimal]].fullmatch(text)
    return float(text.replace(",", ".")) if scientific and scientific[3] else math.nan


def decimal_mark(cells: Mapping[str, int], delimiter: str) -> str:
    """Return the decimal mark of most numbers, a point or a comma.

    Parameters
    ----------
    cells : mapping of str to int
        Distinct cells, and how often each occurs.
    delimiter : str
        What stands between the cells of a line.

    Examples
    --------
    >>> from melm_core.base import decimal_mark
    >>> decimal_mark({"1,5": 2, "low": 1}, ";"), decimal_mark({"1,234": 2}, ",")
    (',', '.')
    """
    marks = marks_of_numbers(cells, delimiter)
    if not marks:  # every number may have a unit
        others = {cell: n for cell, n in cells.items() if not cell.strip().isdecimal()}
        for mark in NUMBERS:
            parts = Counter[str]()
            for cell, n in others.items():
                parts[number_part(cell.strip(), mark)] += n
            marks += marks_of_numbers(parts, delimiter, mark)
        marks = marks if marks.total() > 1 else Counter()
    if delimiter != "," and marks["."]:  # 75.882 beside 0,56 has a point before three digits
        points = [
            cell.strip() for cell in cells if "." in cell and NUMBERS["."].fullmatch(cell.strip())
        ]
        if marks[","] >= marks["."] and all(map(THOUSANDS[","].fullmatch, points)):
            return ","
    return "," if marks[","] > marks["."] else "."


def mark_of_column(cells: Iterable[str], decimal: str) -> str:
    """Return the decimal mark of a column, a point where that of the others is a comma.

    No cell has a comma, and the points stand before no thousands alone, nor in days or hours.

    Examples
    --------
    >>> from melm_core.base import mark_of_column
    >>> mark_of_column(["160", "177.5"], ","), mark_of_column(["1.160", "2.177"], ",")
    ('.', ',')
    >>> mark_of_column(["8.15", "17.30"], ","), mark_of_column(["0.5", "1,5"], ",")
    (',', ',')
    """
    texts = [*cells] if decimal == "," else []
    points = [text for text in texts if "." in text and NUMBERS["."].fullmatch(text)]
    are_others = any("," in text for text in texts)
    for pattern in (THOUSANDS[","], _DAY_OR_HOUR):
        are_others |= all(map(pattern.fullmatch, points))
    return decimal if are_others else "."


def marks_of_numbers(cells: Mapping[str, int], delimiter: str, only: str = "") -> Counter[str]:
    """Count cells, each with how often it occurs, that are numbers by each of the decimal marks.

    Parameters
    ----------
    cells : mapping of str to int
    delimiter : str
    only : str, optional
        The one mark that is looked for, then also in numbers with separators of thousands.

    Examples
    --------
    >>> from melm_core.base import marks_of_numbers
    >>> marks_of_numbers({"1,5": 2, "2.5": 1, "low": 3}, ";")
    Counter({',': 2, '.': 1})
    """
    counts = Counter[str]()
    for mark in only or NUMBERS:
        for text, n in ((cell.strip(), n) for cell, n in cells.items() if mark in cell):
            # Where commas are delimiters, a quoted 1,234 is a number with a thousands separator.
            if mark == delimiter and THOUSANDS["."].fullmatch(text):
                continue
            if NUMBERS[mark].fullmatch(text) or (only and THOUSANDS[mark].fullmatch(text)):
                counts[mark] += n
    return counts
