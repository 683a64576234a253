"""Content of an analysis below its sentence: blocks that the page lays out.

`melm_studio.layout.found` has the element of each kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Block = dict[str, Any]


def words(text: str) -> Block:
    """Return a sentence."""
    return {"kind": "words", "text": text}


def answer(text: str) -> Block:
    """Return a sentence that follows a choice, and is read out when it changes."""
    return {"kind": "answer", "text": text}


def notes(texts: Sequence[str]) -> Block:
    """Small print, a paragraph each."""
    return {"kind": "notes", "texts": texts}


def items(texts: Sequence[str]) -> Block:
    """Return a list."""
    return {"kind": "items", "texts": texts}


def pairs(label: str, rows: Sequence[tuple[str, str]]) -> Block:
    """Return a list of names, each with a text."""
    return {"kind": "pairs", "label": label, "rows": rows}


def intervals(label: str, rows: Sequence[tuple[str, float, float, str]]) -> Block:
    """Return a list of names, each with an interval within 0 to 1 and a text."""
    return {"kind": "intervals", "label": label, "rows": rows}


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    caption: str = "",
    note: str = "",
    folded: str = "",
) -> Block:
    """Return a table, whose first column names the rows; a note is below it.

    `folded` is what opens it, where few look for it.
    """
    shown = {"head": head, "rows": rows, "caption": caption, "note": note}
    return {"kind": "table", **shown, "folded": folded}


def confusion(class_names: Sequence[str], shares: Sequence[Sequence[float]], file: str) -> Block:
    """Return the held-out confusion between pairs of classes, which shows only these two.

    `file` is its address as CSV.
    """
    return {"kind": "confusion", "class_names": class_names, "shares": shares, "file": file}


def file(address: str) -> Block:
    """Return a table as CSV, at an address."""
    return {"kind": "file", "address": address}


def plot(
    figure: Mapping[str, Any], description: str, *, name: str = "plot", keys: bool = False
) -> Block:
    """Return a figure of plotly, as a dictionary, with its meaning in words.

    Several figures have a `name` each. One with `keys` has the focus: the words name its keys.
    """
    return {
        "kind": "plot",
        "figure": figure,
        "description": description,
        "name": name,
        "keys": keys,
    }


def small_planes(label: str, planes: Sequence[tuple[int, str]]) -> Block:
    """Return other planes, by number in the run of the analysis, as small pictures."""
    return {"kind": "small_planes", "label": label, "planes": planes}


def play(label: str) -> Block:
    """Return a button that plays the planes of the analysis's own module."""
    return {"kind": "play", "label": label}


def preview() -> Block:
    """Return the place where the analysis's own module shows a plane and describes it."""
    return {"kind": "preview"}


def branches(rows: Sequence[tuple[str, str]]) -> Block:
    """Branches of a tree of planes by letter, each with what is said of it, to be walked along."""
    return {"kind": "branches", "rows": rows}


def choice(name: str, label: str, labels: Mapping[str, str], selected: str) -> Block:
    """Return values of a field of the query, of which the user can choose another one."""
    return {"kind": "choice", "name": name, "label": label, "labels": labels, "selected": selected}


def selects(fields: Sequence[tuple[str, str, Mapping[str, str], str]]) -> Block:
    """Fields of the query as lists that open: name, label, labels by value, chosen value."""
    return {"kind": "selects", "fields": fields}


def slider(name: str, label: str, texts: Sequence[str], selected: int) -> Block:
    """Return values 0, 1, … of a field of the query, with what each means, on a slider."""
    return {"kind": "slider", "name": name, "label": label, "texts": texts, "selected": selected}


def new_run(label: str, address: str, *, is_offered: bool = True) -> Block:
    """Return a button that begins the run of the view that an address answers."""
    return {"kind": "new_run", "label": label, "address": address, "is_offered": is_offered}
