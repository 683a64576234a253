"""Sentences that compare a table of methods and data sets with that of a paper."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from lab.experiments.report import Entry

# Values that agree when printed are ties.
_LEVEL = 5e-4


def places(entries: Sequence[Entry], method: str, leaving_out: Collection[str] = ()) -> str:
    """State on how many data sets a method is best, tied or behind.

    Data sets with missing values are ignored.
    """
    leads = {
        row: values[method]
        - max(v for name, v in values.items() if name not in {method, *leaving_out})
        for row, values in _complete_rows(entries).items()
    }
    level = [row for row, lead in leads.items() if abs(lead) < _LEVEL]
    behind = [f"{row} ({lead:+.3f})" for row, lead in leads.items() if lead <= -_LEVEL]
    words = f"{method} is best on {len(leads) - len(level) - len(behind)} of {len(leads)} data sets"
    words += f", tied with the best on {_listed(level)}" if level else ""
    words += f", behind on {_listed(behind)}" if behind else ""
    return f"{words}."


def closeness(entries: Iterable[Entry], method: str, distance: float) -> str:
    """State on how many data sets our value is within a distance of the paper's."""
    differences = {
        entry.row: entry.difference
        for entry in entries
        if entry.column == method and entry.difference is not None
    }
    far = [f"{row} ({d:+.3f})" for row, d in differences.items() if abs(d) > distance]
    words = (
        f"{method} is within {distance:g} of the paper's value on "
        f"{len(differences) - len(far)} of {len(differences)} data sets"
    )
    return f"{words}, but not on {_listed(far)}." if far else f"{words}."


def _complete_rows(entries: Iterable[Entry]) -> dict[str, dict[str, float]]:
    rows: dict[str, dict[str, float]] = {}
    incomplete = set()
    for entry in entries:
        if entry.value is None:
            incomplete.add(entry.row)
        else:
            rows.setdefault(entry.row, {})[entry.column] = entry.value
    return {name: values for name, values in rows.items() if name not in incomplete}


def _listed(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
