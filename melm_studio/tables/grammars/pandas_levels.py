"""Tables of pandas whose columns have several levels of names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from melm_studio.tables.grammars.layout import FirstLines, Layout, is_number
from melm_studio.tables.questions import LABEL, USE
from melm_studio.tables.roles import NO_LABEL, Use

_MOST_LEVELS = 5
_PATH = ("folder", "video", "frame")  # the index of DeepLabCut, or its last name alone


def pandas_levels(first: FirstLines) -> Layout | None:
    """Rows of names, then a row with the names of the index alone."""
    rows = first.rows
    n_index = _n_index(rows)
    n_levels = next(
        (place for place, row in enumerate(rows[: _MOST_LEVELS + 1]) if not any(row[n_index:])), 0
    )
    levels = [row[n_index:] for row in rows[:n_levels]]
    if (
        n_levels < 2
        or len(levels[0]) < 2
        or len({len(row) for row in rows[: n_levels + 2]}) > 1
        or len(rows) < n_levels + 3
        or not all(map(all, levels))
        or not any(name and not is_number(name) for name in rows[n_levels])  # else a row of gaps
    ):
        return None
    index = [name or "index" for name in rows[n_levels][:n_index]]
    step = f"Joined: {n_levels} levels of names, as pandas writes them."
    return _joined(first, step, index, levels, n_levels + 1)


def deeplabcut(first: FirstLines) -> Layout | None:
    """Rows of who marked the pictures, of parts of the body and of their coordinates."""
    rows = first.rows
    n_levels = 1 + next(
        (place for place, row in enumerate(rows[:_MOST_LEVELS]) if row[:1] == ["coords"]), 0
    )
    if n_levels < 3 or rows[0][0] != "scorer" or len({len(row) for row in rows}) > 1:
        return None
    n_index = _n_index(rows)
    index = _PATH[-n_index:]
    levels = [row[n_index:] for row in rows[1:n_levels]]
    levels[0] = [part or name for part, name in zip(levels[0], rows[0][n_index:], strict=True)]
    layout = _joined(first, "Read as positions of DeepLabCut.", index, levels, n_levels)
    if layout is None:
        return None
    uses = {USE + "folder": Use.INFO.value, USE + "video": Use.GROUP.value}
    are_positions = all(levels[-1])  # and no column that others have added
    label = {LABEL: NO_LABEL} if are_positions else {}
    return replace(layout, answers={**layout.answers, **uses, **label})


def _n_index(rows: Sequence[Sequence[str]]) -> int:
    """The number of columns of the index: the first level has no name above the second and on."""
    names = rows[0][1:] if rows else []
    return 1 + next((place for place, name in enumerate(names) if name), 0)


def _joined(
    first: FirstLines,
    step: str,
    index: Sequence[str],
    levels: Sequence[Sequence[str]],
    n_above: int,
) -> Layout | None:
    names = [" ".join(filter(None, parts)) for parts in zip(*levels, strict=True)]
    if len({*names}) < len(names):
        return None
    body = [row for row in first.rows[n_above:] if len(row) > len(index)]
    of_rows = (
        name for place, name in enumerate(index) if len({row[place] for row in body}) == len(body)
    )
    answers = {USE + name: Use.NAME.value for name in [*of_rows][:1]}
    return Layout(step, (*index, *names), n_above, first.delimiter, answers)
