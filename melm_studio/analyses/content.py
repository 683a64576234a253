"""What the dialog of an analysis shows below its sentence: blocks that the page lays out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Block = dict[str, Any]  # JSON values


def words(text: str) -> Block:
    """A sentence."""
    return {"kind": "words", "text": text}


def answer(text: str) -> Block:
    """A sentence that follows a choice, and is read out when it changes; a dialog has one."""
    return {"kind": "answer", "text": text}


def notes(texts: Sequence[str]) -> Block:
    """Small print, a paragraph each."""
    return {"kind": "notes", "texts": list(texts)}


def items(texts: Sequence[str]) -> Block:
    """A list."""
    return {"kind": "items", "texts": list(texts)}


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Block:
    """A table, whose first column names the rows."""
    return {"kind": "table", "head": list(head), "rows": [list(row) for row in rows]}


def plot(figure: Mapping[str, Any], description: str) -> Block:
    """A figure of plotly, as a dictionary, and what it says in words; a dialog has one."""
    return {"kind": "plot", "figure": figure, "description": description}


def choice(name: str, label: str, labels: Mapping[str, str], chosen: str) -> Block:
    """Values of a field of the query, of which the user can choose another one."""
    return {"kind": "choice", "name": name, "label": label, "labels": labels, "chosen": chosen}
