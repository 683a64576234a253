"""Tables of pandas whose columns have several levels of names."""

from __future__ import annotations

from melm_studio.tables.grammars.layout import FirstLines, Layout
from melm_studio.tables.questions import USE
from melm_studio.tables.roles import Use

_MOST_LEVELS = 5


def pandas_levels(first: FirstLines) -> Layout | None:
    """Rows of names, then a row with the name of the index alone."""
    rows = first.rows
    width = len(rows[0]) if rows else 0
    n_levels = next(
        (index for index, row in enumerate(rows[: _MOST_LEVELS + 1]) if not any(row[1:])), 0
    )
    if (
        n_levels < 2
        or width < 3
        or len({len(row) for row in rows[: n_levels + 2]}) > 1
        or len(rows) < n_levels + 3
    ):
        return None
    levels = rows[:n_levels]
    if not all(all(row[1:]) for row in levels):
        return None
    names = [" ".join(parts) for parts in zip(*(row[1:] for row in levels), strict=True)]
    if len({*names}) < len(names):
        return None
    index_name = rows[n_levels][0] or "index"
    step = f"Joined: {n_levels} levels of names, as pandas writes them."
    first_cells = [row[0] for row in rows[n_levels + 1 :] if row]
    names_rows = len({*first_cells}) == len(first_cells)
    answers = {USE + index_name: Use.NAME.value} if names_rows else {}
    return Layout(step, (index_name, *names), n_levels + 1, first.delimiter, answers)
