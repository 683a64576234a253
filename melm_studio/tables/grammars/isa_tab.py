"""ISA-Tab: samples of a study with their characteristics and factors."""

from __future__ import annotations

import re

from melm_studio.tables.grammars.layout import FirstLines, Layout
from melm_studio.tables.questions import LABEL, USE
from melm_studio.tables.roles import Use

_NODES = {"Source Name", "Sample Name"}
_IN_BRACKETS = re.compile(
    r"(?P<kind>Characteristics|Factor Value|Parameter Value|Comment) ?\[(?P<name>.+)\]"
)
_REFERENCES = ("Term Source REF", "Term Accession Number", "Protocol REF", "Unit")
_MOST_CLASSES = 20


def isa_tab(first: FirstLines) -> Layout | None:
    """Nodes such as Source Name, and values in brackets such as Factor Value[dose]."""
    header = first.cells(0)
    matches = [_IN_BRACKETS.fullmatch(cell) for cell in header]
    if _NODES.isdisjoint(header) or not any(matches):
        return None
    names = [match["name"] if match else cell for match, cell in zip(matches, header, strict=True)]
    names = [
        f"{name} ({match['kind']})" if match and names.count(name) > 1 else name
        for name, match in zip(names, matches, strict=True)
    ]
    numbered = [
        name if names.count(name) == 1 else f"{name} {number}"
        for number, name in enumerate(names, start=1)
    ]
    answers = {
        USE + name: Use.IGNORED.value
        for name, cell in zip(numbered, header, strict=True)
        if cell.startswith(_REFERENCES)
    }
    if header.count("Sample Name") == 1:
        answers[USE + "Sample Name"] = Use.NAME
    rows = [first.cells(number) for number in range(1, len(first.texts))]
    for column, match in enumerate(matches):
        values = {row[column] for row in rows if column < len(row)} - {""}
        if match and match["kind"] == "Factor Value" and 2 <= len(values) <= _MOST_CLASSES:
            answers[LABEL] = numbered[column]
            break
    return Layout("Read as ISA-Tab: its factor is the label.", tuple(numbered), 1, answers=answers)
