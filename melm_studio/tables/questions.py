"""Questions about a table that only its owner can answer, with the answers given so far.

A question travels with the prepared data, and so with the record of every run; the answers, by
the ids of the questions, are part of the source of the data, and so of links, stories, projects,
the HTTP interface and `melm-studio run`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from melm_studio.tables.encodings import ENCODINGS
from melm_studio.tables.formatting import shortened
from melm_studio.tables.readers import ReadOptions
from melm_studio.tables.roles import NO_LABEL, Use
from melm_studio.tables.text import TableError

NEIGHBORS, DOUBLES = "neighbors", "doubles"
LABEL = "label"
SHEET = "sheet"
GRID = "grid"  # asked where it was guessed; else said by the user
SUBJECTS = "subjects:"  # and the name of a column
INDEPENDENT, TOGETHER = "independent", "together"
WITHIN = "within"  # rows with the same value are compared with each other
EACH_WAY = "each-way"  # the default of what nobody may know: the verdict is computed each way
COLUMN = "column:"  # and the name of a column
TWIN = "twin:"  # and the name of a column
SHARED = "shared:"  # and the name of a column, by whose values rows share features, or none
CATEGORIES = "categories"  # that may be no measurements
LEFT_OUT, MEASUREMENT = "left-out", "measurement"
WORDS = "missing:"  # and the name of a column
IS_MISSING, IS_CLASS = "missing", "class"
CASE = "case"
APART, ONE = "apart", "one"
ORDER = "order"
BELOW = " < "  # between classes in their order
CONTROLS, SMALL = "controls", "small"
KEPT = "kept"
MADE = "made"
MADE_OF_FEATURES, KNOWN = "features", "known"
RUNS = re.compile(r"runs:([1-9][0-9]{0,5})")  # and a number of rows
NO_GRID = "none"
GRID_SIZE = re.compile(r"([1-9][0-9]{0,3})x([1-9][0-9]{0,3})")  # height and width in pixels

USE = "use:"  # and the name of a column
# Of the questions about reading, which have the names of what they change in `ReadOptions`.
READING = {
    "limits": ("half", "limit", "empty", "indicator"),
    "words": ("text", "empty"),
    "samples": ("columns", "rows"),
    "header": ("joined", "first"),
    "totals": ("left-out", "kept"),
    "blocks": ("filled", "empty"),
    "names": ("first-row", "none"),
    "thousands": ("left-out", "decimal"),
    "codes": ("missing", "numbers"),
    "encoding": tuple(ENCODINGS),
}
OTHER_COLUMNS = (
    SHEET,
    "encoding",
    "samples",
    "header",
    "names",
)  # whose answers give the table other columns

_OF_COLUMNS = (SUBJECTS, USE, TWIN, SHARED, WORDS)  # of questions that name one
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
    """A question about a table, to be answered before something in it is called real.

    Attributes
    ----------
    id : str
        "label", "neighbors", "doubles", "sheet", "limits", "words", "samples", "header", "totals",
        "blocks", "names", "thousands", "codes", "encoding", "grid", "made", "controls", "small",
        "case", "order", "categories", or "subjects:", "use:", "twin:", "shared:" or "missing:" and
        the name of a column, which "shared:" may lack.
    sentence : str
        The question, and why it is asked.
    choices : tuple of Choice
    answer : str
        The value of the choice that was made; empty while there is none.
    default : str
        The value of the choice that holds while there is no answer; "each-way" where the verdict is
        computed for each of them (`readings`), empty where an answer is needed before a yes.
    preview : tuple of tuple of str
        The first cells of the table as an answer would have it, its header first; empty without.
    """

    id: str
    sentence: str
    choices: tuple[Choice, ...]
    answer: str = ""
    default: str = ""
    preview: tuple[tuple[str, ...], ...] = ()

    @property
    def short(self) -> str:
        """The question without its reason."""
        return self.sentence.partition("?")[0] + "?"

    @property
    def answered(self) -> str:
        """The answer, in words; empty while there is none."""
        labels = {choice.value: choice.label for choice in self.choices}
        return labels.get(self.answer, self.answer)


def open_questions(questions: Iterable[Question]) -> tuple[Question, ...]:
    """Those that have neither an answer yet nor a default."""
    return tuple(question for question in questions if not (question.answer or question.default))


def suspicions(questions: Iterable[Question]) -> tuple[Question, ...]:
    """Those without an answer about rows that may depend on each other."""
    return tuple(
        question for question in questions if not question.answer and question.default == EACH_WAY
    )


def checked_answers(answers: Mapping[str, str]) -> dict[str, str]:
    """The answers, if each is one that its question has.

    Parameters
    ----------
    answers : mapping of str to str
        Values of choices by the ids of questions, asked or not.

    Raises
    ------
    TableError
        If a question or a choice does not exist.

    Examples
    --------
    >>> checked_answers({"neighbors": "runs:15"})
    {'neighbors': 'runs:15'}
    """
    for question, answer in answers.items():
        is_known, choices = _checked_answer(question, answer)
        if not is_known:
            raise TableError(
                f'"{shortened(answer)}" is no answer to {shortened(question)}. Answer {choices}.'
            )
    return dict(answers)


def answers_about(answers: Mapping[str, str], columns: Iterable[str]) -> dict[str, str]:
    """The answers that name no column, or one of these: those of another table may not fit.

    Examples
    --------
    >>> answers_about({"subjects:donor": "together", "doubles": "independent"}, ["sugar"])
    {'doubles': 'independent'}
    """
    names = {"", NO_LABEL, *columns}
    return {
        question: answer
        for question, answer in answers.items()
        if _named_column(question, answer) in names
    }


def _checked_answer(question: str, answer: str) -> tuple[bool, str]:
    """Return whether a question has such an answer, and those that it has."""
    if question == NEIGHBORS:
        is_run = bool(RUNS.fullmatch(answer))
        is_known = answer == INDEPENDENT or is_run or answer.startswith(COLUMN)
        return is_known, f"{INDEPENDENT}, runs:15 (any number of rows) or {COLUMN}NAME"
    if question == GRID:
        is_known = answer == NO_GRID or bool(GRID_SIZE.fullmatch(answer))
        return is_known, f"8x8 (any height and width in pixels) or {NO_GRID}"
    if question == ORDER:
        names = answer.split(BELOW)
        is_known = len(names) > 1 and all(names) and len({*names}) == len(names)
        return is_known, f"the classes from first to last, as in low{BELOW}medium{BELOW}high"
    if question in (LABEL, SHEET):
        return bool(answer), "the name of a column" if question == LABEL else "the name of a sheet"
    if values := _values_of(question):
        return answer in values, (" or " if len(values) == 2 else ", ").join(values)
    raise TableError(
        f'There is no question "{shortened(question)}". Questions are {LABEL}, {NEIGHBORS}, '
        f"{DOUBLES}, {SHEET}, {', '.join(READING)}, {MADE}, {CONTROLS}, {SMALL}, "
        f"{CASE}, {ORDER}, {CATEGORIES}, {SUBJECTS}NAME, {USE}NAME, {TWIN}NAME, {SHARED}NAME, "
        f"{WORDS}NAME and {GRID}."
    )


def _values_of(question: str) -> Sequence[str]:
    """The answers that a question has, where these are few."""
    kind, mark, _ = question.partition(":")
    return _VALUES.get(kind + mark) or READING.get(question, ())


_VALUES: Mapping[str, Sequence[str]] = {
    DOUBLES: (INDEPENDENT, TOGETHER),
    SUBJECTS: (INDEPENDENT, TOGETHER, WITHIN),
    CONTROLS: (LEFT_OUT, KEPT),
    SMALL: (LEFT_OUT, KEPT),
    CASE: (APART, ONE),
    WORDS: (IS_MISSING, IS_CLASS),
    MADE: (MADE_OF_FEATURES, KNOWN),
    TWIN: (LEFT_OUT, MEASUREMENT),
    SHARED: (MEASUREMENT, LEFT_OUT),
    CATEGORIES: (MEASUREMENT, LEFT_OUT),
    USE: tuple(Use),
}


def _named_column(question: str, answer: str) -> str:
    """The column that a question or its answer names; empty if neither does."""
    if question == LABEL:
        return answer
    for prefix in _OF_COLUMNS:
        if question.startswith(prefix):
            return question.removeprefix(prefix)
    return answer.removeprefix(COLUMN) if answer.startswith(COLUMN) else ""


def answered_roles(answers: Mapping[str, str], roles: Mapping[str, Use | str]) -> dict[str, Use]:
    """The uses of columns that answers choose, where the user has not chosen them otherwise."""
    asked = {
        question.removeprefix(USE): Use(answer)
        for question, answer in answers.items()
        if question.startswith(USE) and question.removeprefix(USE) not in roles
    }
    if Use.GROUP in (*roles.values(), *asked.values()):
        return asked
    named = [
        question.removeprefix(SUBJECTS)
        for question, answer in answers.items()
        if question.startswith(SUBJECTS) and answer in (TOGETHER, WITHIN)
    ]
    neighbors = answers.get(NEIGHBORS, "")
    if neighbors.startswith(COLUMN):
        named.append(neighbors.removeprefix(COLUMN))
    return {**asked, **dict.fromkeys(named[:1], Use.GROUP)}


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
        if question not in {kind + column for kind in _OF_COLUMNS}
        and answer != COLUMN + column
        and (question, answer) != (LABEL, column)
    }


def run_length(answers: Mapping[str, str]) -> int:
    """The number of neighboring rows that an answer keeps together; 0 if none does."""
    runs = RUNS.fullmatch(answers.get(NEIGHBORS, ""))
    return int(runs[1]) if runs else 0


def answered_options(answers: Mapping[str, str], options: ReadOptions) -> ReadOptions:
    """Return how a file is read once its questions are answered.

    Raises
    ------
    TableError
        If an answer is none of those that its question has.

    Examples
    --------
    >>> answered_options({"limits": "empty"}, ReadOptions()).limits
    'empty'
    """
    settings: dict[str, Any] = checked_answers(answers_about_file(answers))
    words = {name: settings.pop(name) for name in [*settings] if name.startswith(WORDS)}
    words_kept = tuple(
        question.removeprefix(WORDS) for question, answer in words.items() if answer == IS_CLASS
    )
    if words_kept:
        settings["kept_words"] = words_kept
    if SHEET in settings:  # another workbook may not have it, which is no reason to refuse that
        settings["preferred_sheet"] = settings.pop(SHEET)
    return replace(options, **settings)


def answers_about_file(answers: Mapping[str, str]) -> dict[str, str]:
    """The answers that say how the file is read, whatever columns it then has."""
    return {
        question: answer
        for question, answer in answers.items()
        if question in (SHEET, *READING) or question.startswith(WORDS)
    }


def answers_beside_reading(answers: Mapping[str, str]) -> dict[str, str]:
    """The answers that do not say how the file is read, which has been chosen otherwise."""
    about = answers_about_file(answers)
    return {question: answer for question, answer in answers.items() if question not in about}
