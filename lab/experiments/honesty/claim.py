"""A promise of the studio about its numbers, and what a simulation of it measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import TypeAlias

# What is chosen by simulation is chosen on tables of smaller seeds.
FIRST_SEED = 1_000


@dataclass(frozen=True)
class Measured:
    """One figure of a simulation.

    Attributes
    ----------
    tables : str
        Which tables it is measured on.
    what : str
        What is measured.
    value : float
    wanted : tuple of float
        The least and the largest value that keeps the promise.
    beside : str, default=""
        What else these tables say, in brackets behind the value.
    error : float, optional
        Standard error of the simulation.
    wanted_words : str, default=""
        What is wanted where the limits differ from table to table.
    """

    tables: str
    what: str
    value: float
    wanted: tuple[float, float]
    beside: str = ""
    error: float | None = None
    wanted_words: str = ""

    @property
    def case(self) -> str:
        """What is measured, on which tables."""
        return f"{self.tables}: {self.what}"

    @property
    def promise(self) -> str:
        """The values that keep the promise."""
        least, most = self.wanted
        return self.wanted_words or f"{least:.3g} to {most:.3g}"

    @property
    def heading(self) -> str:
        """What is measured, and what is wanted of it."""
        return f"{self.what}<br>{self.promise}"

    @property
    def printed(self) -> str:
        """The value, in bold if the promise does not hold."""
        error = "" if self.error is None else f" ± {self.error:.3f}"
        value = f"{self.value:.3f}{error}"
        beside = f" ({self.beside})" if self.beside else ""
        return (value if self.holds else f"**{value}**") + beside

    @property
    def holds(self) -> bool:
        """Whether the value is as wanted."""
        least, most = self.wanted
        return least <= self.value <= most


# Given whether to take the quick form, of a few seconds; figures may come one by one.
Simulation: TypeAlias = Callable[[bool], Iterable[Measured]]


@dataclass(frozen=True)
class Claim:
    """A promise and its simulation.

    Attributes
    ----------
    name : str
        Of the command line.
    promise : str
        A sentence.
    simulate : callable
        Given whether to take the quick form; returns the figures, or computes them one by one.
    notes : str, default=""
        What it is measured on, and what it does not say.
    """

    name: str
    promise: str
    simulate: Simulation
    notes: str = ""


_Row: TypeAlias = dict[str, Measured]
# Longer tables, of figures that say nothing beside, are summed up by column.
_MOST_LINES = 7


def as_tables(figures: tuple[Measured, ...], *, in_full: bool = False) -> str:
    """Figures in tables of Markdown; one that does not hold is bold.

    A line has all that was measured on some tables. Lines share a table if one has all the columns
    of the other. A long table is summed up by the least and the largest figure of each column, and
    those that do not hold, unless it is asked for in full.
    """
    rows: dict[str, _Row] = {}
    for figure in figures:
        rows.setdefault(figure.tables, {})[figure.heading] = figure
    blocks: list[list[_Row]] = []
    for row in rows.values():
        last = set(_columns(blocks[-1])) if blocks else set()
        if last and (last <= row.keys() or row.keys() <= last):
            blocks[-1].append(row)
        else:
            blocks.append([row])
    parts = [
        _summed_up(block) if _is_long(block) and not in_full else _as_lines(block)
        for block in blocks
    ]
    return "\n\n".join(parts)


def _is_long(block: list[_Row]) -> bool:
    says_more = any(figure.beside for row in block for figure in row.values())
    return len(block) > _MOST_LINES and not says_more


def _summed_up(block: list[_Row]) -> str:
    """The range of each column, and every figure that does not hold."""
    lines = [["", "figures", "least", "most"], ["---", *["---:"] * 3]]
    for heading in _columns(block):
        of_column = sorted(
            (row[heading] for row in block if heading in row), key=attrgetter("value")
        )
        ends = [f"{figure.value:.3f}" for figure in (of_column[0], of_column[-1])]
        lines.append([heading, str(len(of_column)), *ends])
    broken = [
        f"{figure.case}: {figure.printed}."
        for row in block
        for figure in row.values()
        if not figure.holds
    ]
    return "\n\n".join([_joined(lines), *broken])


def _columns(block: list[_Row]) -> list[str]:
    """The headings of its rows, in order."""
    return list(dict.fromkeys(heading for row in block for heading in row))


def _as_lines(block: list[_Row]) -> str:
    """A table, or a sentence for one figure."""
    figures = [figure for row in block for figure in row.values()]
    if len(figures) == 1:
        return f"{figures[0].case}: {figures[0].printed}, wanted {figures[0].promise}."
    columns = _columns(block)
    lines = [["", *columns], ["---", *["---:"] * len(columns)]]
    for row in block:
        cells = [row[heading].printed if heading in row else "" for heading in columns]
        lines.append([next(iter(row.values())).tables, *cells])
    return _joined(lines)


def _joined(lines: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
