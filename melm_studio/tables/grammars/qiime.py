"""Metadata of QIIME 2: a line #q2:types below the names."""

from __future__ import annotations

from melm_studio.tables.grammars.layout import FirstLines, Layout
from melm_studio.tables.questions import USE
from melm_studio.tables.roles import Use

_TYPES = "#q2:types"
_MOST_ABOVE = 20  # lines


def qiime(first: FirstLines) -> Layout | None:
    """A first column of ids, and #q2:types in the second line that is no comment."""
    line = first.starting(_TYPES)
    if not 1 <= line <= _MOST_ABOVE:
        return None
    names, types = first.cells(line - 1), first.cells(line)
    if len(names) != len(types):
        return None
    names[0] = names[0].lstrip("#")
    answers = {
        USE + name: Use.CATEGORY.value
        for name, kind in zip(names[1:], types[1:], strict=True)
        if kind.lower() == "categorical"
    }
    step = "Read as metadata of QIIME 2: it says which columns are categories."
    return Layout(step, tuple(names), line + 1, answers={USE + names[0]: Use.NAME, **answers})
