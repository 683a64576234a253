"""What is asked about columns that say the same as the label, before any verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from msgspec.structs import replace

from melm_core.base import percent
from melm_core.evaluation import ColumnAlone, Twin, label_twins
from melm_studio.tables.classes import Classes
from melm_studio.tables.formatting import listed, number, shortened
from melm_studio.tables.questions import LEFT_OUT, MEASUREMENT, TWIN, Choice, Question
from melm_studio.tables.roles import FEATURES, Column, Role

MOST_ASKED = 5

_CHOICES = (
    Choice(LEFT_OUT, "Leave it out"),
    Choice(MEASUREMENT, "It is a measurement"),
)
_SAYS = {
    Twin.EQUAL: "it says the same as {label} in {rows}",
    Twin.CODE: "it says the same as {label} in other words in {rows}",
    Twin.COARSER: "it follows from {label} in {rows}: each class has one value of it",
    Twin.FINER: "it decides {label} in {rows}: each of its values has one class",
    Twin.RANGES: "it decides {label} in {rows}: the ranges of the classes do not overlap",
    Twin.FOLLOWS: "it alone tells {share} of held-out rows by {label}",
}
_WHY = "it says the same as the label"


def twin_questions(
    frame: pd.DataFrame,
    columns: Sequence[Column],
    classes: Classes,
    answers: Mapping[str, str],
    chosen: Mapping[str, str],
) -> tuple[Question, ...]:
    """A question about each column that says the same as the label.

    Parameters
    ----------
    frame : DataFrame
        The rows that have a class.
    columns : sequence of Column
        With the roles that they have before anything is left out for this reason.
    classes : Classes
    answers : mapping of str to str
        Checked ones, by the ids of the questions.
    chosen : mapping of str to str
        The uses that the user chose, about which nothing is asked.

    Returns
    -------
    tuple of Question
        What is left out while there is no answer has that as its default: words and codes. A
        number may be a measurement, so it has none.
    """
    asked = [one for one in columns if one.role in FEATURES and one.name not in chosen]
    label = next((one.name for one in columns if one.role is Role.LABEL), "")
    if not asked or len(classes.names) < 2 or not label:
        return ()
    cells = [_cells(frame[one.name]) for one in asked]
    found = label_twins(cells, classes.y, [one.name for one in asked])
    twins = [one for one in found if one.twin][:MOST_ASKED]
    n_left = len(asked) - sum(len(one.names) for one in twins if _is_left_out(one))
    return tuple(
        question
        for one in twins
        for question in _questions(one, label, answers, is_needed=n_left == 0)
    )


def without_twins(columns: Sequence[Column], questions: Sequence[Question]) -> tuple[Column, ...]:
    """The columns, of which those that answers or defaults leave out are ignored."""
    twins = {
        one.id.removeprefix(TWIN) for one in questions if (one.answer or one.default) == LEFT_OUT
    }
    return tuple(
        replace(one, role=Role.IGNORED, reason=_WHY) if one.name in twins else one
        for one in columns
    )


def _questions(
    found: ColumnAlone, label: str, answers: Mapping[str, str], *, is_needed: bool
) -> list[Question]:
    rows = f"{number(found.n_same)} of {number(found.n_rows)} rows"
    says = _SAYS[found.twin].format(label=shortened(label), rows=rows, share=percent(found.share))
    default = LEFT_OUT if _is_left_out(found) and not is_needed else ""
    questions = []
    for name in found.names:
        others = listed([shortened(one) for one in found.names if one != name])
        reason = f"together with {others} {says}" if others else says
        sentence = f"Is {shortened(name)} the label once more? {reason[:1].upper()}{reason[1:]}."
        answer = answers.get(TWIN + name, "")
        questions.append(Question(TWIN + name, sentence, _CHOICES, answer, default))
    return questions


def _is_left_out(found: ColumnAlone) -> bool:
    """Whether it is left out while nobody has said what it is."""
    is_code = found.twin in (Twin.EQUAL, Twin.CODE, Twin.COARSER, Twin.FINER)
    return is_code and found.is_words


def _cells(column: pd.Series) -> np.ndarray:
    return column.to_numpy() if column.dtype.kind == "f" else column.astype(str).to_numpy()
