"""Numbers, counts, row references and lists of names, as messages to the user show them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

NAMES_SHOWN = 5
MOST_NAMES = 50_000  # whose words are kept, since each is asked for several times
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")  # splits sample_id and SampleId


@lru_cache(MOST_NAMES)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words in a column name, in lower case."""
    return tuple(word.lower() for word in WORD.findall(name))


def number(value: float) -> str:
    """Write a number with commas between the thousands: ``1,797``."""
    return f"{value:,}"


def count(n: int, noun: str, plural: str | None = None) -> str:
    """Write a number with its noun: ``1 row``, ``1,797 rows``, ``2 categories``."""
    return f"{number(n)} {noun if n == 1 else plural or noun + 's'}"


def listed(names: Sequence[str], separator: str = ", ") -> str:
    """Join up to five names and give the number of the rest."""
    shown = separator.join(shortened(name) for name in names[:NAMES_SHOWN])
    more = len(names) - NAMES_SHOWN
    return f"{shown} and {number(more)} more" if more > 0 else shown


def shortened(text: str, width: int = 40) -> str:
    """Fit text of any length on one line of at most `width` characters.

    It is cut in the middle, since names that are long often begin alike and differ at their ends.
    """
    if len(text) > 20 * width:
        text = f"{text[: 10 * width]} {text[-10 * width :]}"
    line = " ".join(text.split())
    if len(line) <= width:
        return line
    n_last = (width - 1) // 2
    return f"{line[: width - 1 - n_last]}…{line[-n_last:]}"


def place(row: int) -> str:
    """Name a row of the file, counted from its first line."""
    return f"row {number(row)} (the first line is row 1)"


def number_text(value: float) -> str:
    """Write a number as in a table: ``3`` rather than ``3.0``."""
    is_whole = float(value).is_integer() and abs(value) < 1e15
    return str(int(value)) if is_whole else str(float(value))
