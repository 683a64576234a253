"""Counts, places and lists of names as sentences for the user say them."""

from __future__ import annotations

from collections.abc import Sequence

NAMES_SHOWN = 5


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """Count in words: ``1 row``, ``1 797 rows``, ``2 categories``."""
    return f"{grouped(n)} {noun if n == 1 else plural or noun + 's'}"


def grouped(n: int) -> str:
    """Write a whole number with spaces between the thousands."""
    return f"{n:,}".replace(",", " ")


def listed(names: Sequence[str]) -> str:
    """Join at most five names, and say how many more there are."""
    shown = ", ".join(shortened(name) for name in names[:NAMES_SHOWN])
    more = len(names) - NAMES_SHOWN
    return f"{shown} and {grouped(more)} more" if more > 0 else shown


def shortened(text: str, width: int = 40) -> str:
    """Put text of any length on one line of at most `width` characters."""
    line = " ".join(text[: 10 * width].split())
    return line if len(line) <= width else f"{line[: width - 1]}…"


def place(row: int) -> str:
    """Name a row of the file, and how it is counted."""
    return f"row {grouped(row)} (the first line is row 1)"
