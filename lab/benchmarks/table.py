"""Measurements and the table that prints them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

_HEADS = ("", "median", "lowest", "highest", "runs")


@dataclass(frozen=True)
class Measurement:
    """One quantity, measured once or several times."""

    what: str
    unit: str
    values: tuple[float, ...]

    def cells(self) -> tuple[str, ...]:
        """The cells of a row of the table."""
        numbers = (median(self.values), min(self.values), max(self.values))
        what = f"{self.what} ({self.unit})" if self.unit else self.what
        return (what, *(_digits(number) for number in numbers), str(len(self.values)))


def as_text(measurements: Sequence[Measurement]) -> str:
    """Lay measurements out as an aligned table."""
    rows = [_HEADS, *(measurement.cells() for measurement in measurements)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    first, *others = zip(row, widths, strict=True)
    return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)])


def _digits(number: float) -> str:
    return f"{number:.3g}" if abs(number) < 100 else f"{number:.0f}"
