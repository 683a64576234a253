"""Questions about a table that only its owner can answer, with the answers given so far.

A question travels with the prepared data, and so with the record of every run; the answers, by
the ids of the questions, are part of the source of the data, and so of links, stories, projects,
the HTTP interface and `melm-studio run`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import msgspec

from melm_studio.tables.formatting import shortened
from melm_studio.tables.read import TableError
from melm_studio.tables.roles import Use

NEIGHBORS, DOUBLES = "neighbors", "doubles"
GRID = "grid"  # never asked: found, or said by the user
SUBJECTS = "subjects:"  # and the name of a column
INDEPENDENT, TOGETHER = "independent", "together"
COLUMN = "column:"  # and the name of a column
RUNS = re.compile(r"runs:([1-9][0-9]{0,5})")  # and a number of rows
NO_GRID = "none"
GRID_SIZE = re.compile(r"([1-9][0-9]{0,3})x([1-9][0-9]{0,3})")  # height and width in pixels

MAX_ANSWERS = 100


class Choice(msgspec.Struct, frozen=True):
    """One of the answers to a question.

    Attributes
    ----------
    value : str
        By which it is given: "independent".
    label : str
        What its button says.
    """

    value: str
    label: str


class Question(msgspec.Struct, frozen=True):
    """What the studio asks of a table before it says that something in it is real.

    Attributes
    ----------
    id : str
        "neighbors", "doubles", or "subjects:" and the name of a column.
    sentence : str
        The question, and why it is asked.
    choices : tuple of Choice
    answer : str
        The value of the choice that was made; empty while there is none.
    """

    id: str
    sentence: str
    choices: tuple[Choice, ...]
    answer: str = ""

    @property
    def short(self) -> str:
        """The question without its reason."""
        return self.sentence.partition("?")[0] + "?"

    @property
    def answered(self) -> str:
        """What was answered, in words; empty while there is no answer."""
        labels = {choice.value: choice.label for choice in self.choices}
        return labels.get(self.answer, self.answer)


def open_questions(questions: Iterable[Question]) -> tuple[Question, ...]:
    """Those that have no answer yet."""
    return tuple(question for question in questions if not question.answer)


def checked_answers(answers: Mapping[str, str], columns: Iterable[str]) -> dict[str, str]:
    """The answers, if each is one that its question has.

    Parameters
    ----------
    answers : mapping of str to str
        Values of choices by the ids of questions, asked or not.
    columns : iterable of str
        Names of the columns of the table.

    Raises
    ------
    TableError
        If a question or a choice does not exist, or the table does not have its column.

    Examples
    --------
    >>> checked_answers({"neighbors": "runs:15"}, ())
    {'neighbors': 'runs:15'}
    """
    names = set(columns)
    for question, answer in answers.items():
        column = ""
        if question == NEIGHBORS:
            column = answer.removeprefix(COLUMN) if answer.startswith(COLUMN) else ""
            is_known = answer == INDEPENDENT or bool(RUNS.fullmatch(answer) or column)
            choices = f"{INDEPENDENT}, runs:15 (any number of rows) or {COLUMN}NAME"
        elif question == DOUBLES or question.startswith(SUBJECTS):
            is_known = answer in (INDEPENDENT, TOGETHER)
            choices = f"{INDEPENDENT} or {TOGETHER}"
            column = question.removeprefix(SUBJECTS) if question != DOUBLES else ""
        elif question == GRID:
            is_known = answer == NO_GRID or bool(GRID_SIZE.fullmatch(answer))
            choices = f"8x8 (any height and width in pixels) or {NO_GRID}"
        else:
            raise TableError(
                f'There is no question "{shortened(question)}". Questions are {NEIGHBORS}, '
                f"{DOUBLES}, {SUBJECTS}NAME and {GRID}."
            )
        if not is_known:
            raise TableError(
                f'"{shortened(answer)}" is no answer to {shortened(question)}. Answer {choices}.'
            )
        if column and column not in names:
            raise TableError(
                f'The answer to {shortened(question)} names the column "{shortened(column)}", '
                "which the table does not have. Answer it anew."
            )
    return dict(answers)


def answered_roles(answers: Mapping[str, str], roles: Mapping[str, Use | str]) -> dict[str, Use]:
    """The column that an answer makes the group; none if the user chose a group already."""
    if Use.GROUP in roles.values():
        return {}
    named = [
        question.removeprefix(SUBJECTS)
        for question, answer in answers.items()
        if question.startswith(SUBJECTS) and answer == TOGETHER
    ]
    neighbors = answers.get(NEIGHBORS, "")
    if neighbors.startswith(COLUMN):
        named.append(neighbors.removeprefix(COLUMN))
    return dict.fromkeys(named[:1], Use.GROUP)


def answers_without(answers: Mapping[str, str], column: str) -> dict[str, str]:
    """The answers that do not name a column, whose use has been chosen otherwise.

    Examples
    --------
    >>> answers_without({"subjects:donor": "together", "doubles": "independent"}, "donor")
    {'doubles': 'independent'}
    """
    return {
        question: answer
        for question, answer in answers.items()
        if question != SUBJECTS + column and answer != COLUMN + column
    }


def run_length(answers: Mapping[str, str]) -> int:
    """The number of neighboring rows that an answer keeps together; 0 if none does."""
    found = RUNS.fullmatch(answers.get(NEIGHBORS, ""))
    return int(found[1]) if found else 0
