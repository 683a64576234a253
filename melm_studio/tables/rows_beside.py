"""Rows that stand beside the classes: controls, tests of surveys, and classes too small for folds.

They are left out while nobody says otherwise, and a question says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_core.base import IntArray
from melm_studio.tables.classes import VALUES_AS_CLASSES, Classes, ClassRules, without_rows
from melm_studio.tables.column_roles import LEAST_REPEATS, names_group
from melm_studio.tables.designs import is_nested
from melm_studio.tables.formatting import DAY, count, listed, shortened, words_of
from melm_studio.tables.identifiers import names_identifier
from melm_studio.tables.questions import CONTROLS, KEPT, LEFT_OUT, SMALL, Choice, Question
from melm_studio.tables.roles import FIRST_UNNAMED, Use
from melm_studio.tables.subjects_in_names import SUBJECT_WORDS

_LEAST_EMPTY = 3  # columns beside the label, for a row of gaps to be none
LEAST_FOLDED = 5  # rows of a class, for folds that each hold one out
MOST_SMALL = 0.1  # share of the rows in classes that are too small
LEAST_CONTROLS = 2  # rows
MOST_CONTROLS, MOST_REFERENCES = 0.5, 0.25  # share of the rows, also of what may be classes
TEXTS_PROBED = 10_000  # distinct ones of a column
_NUMBERED = r"(?:[ _.\-]*+[0-9]++)*+"
_CONTROLS = re.compile(
    rf"(?:(?:(?:pool(?:ed)?|serum|plasma|ext)[ _.\-]*)?qcs?(?:[ _.\-]*pool(?:ed)?)?"
    rf"|quality[ _.\-]?controls?|nist(?:[ _.\-]*srm)?|srm"
    rf"|(?:procedure|procedural|process|solvent|method|field|reagent|extraction|column)"
    rf"[ _.\-]?blanks?|system[ _.\-]?suitability){_NUMBERED}",
    re.IGNORECASE,
)
# Of other columns these are classes as any.
_PERHAPS_CONTROLS = re.compile(
    rf"(?:blanks?|blk|pool(?:ed)?(?:[ _.\-]?samples?)?"
    rf"|ref(?:erence)?s?(?:[ _.\-]?(?:material|sample)s?)?"
    rf"|std|standards?|calibrat(?:or|ion)s?){_NUMBERED}",
    re.IGNORECASE,
)
# How a survey says that nobody answered it, but somebody tried it or a program did.
_TESTS: Mapping[tuple[str, ...], re.Pattern[str]] = {
    ("status",): re.compile("survey (?:preview|test)", re.IGNORECASE),
    ("distribution", "channel"): re.compile("preview|test", re.IGNORECASE),
}
_DATE_OR_CLOCK = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?:\d\d")
_PARTS_OF_TIMES = {"date", "day", "doy", "hour", "minute", "month", "year"}
_KIND_WORDS = {"category", "class", "group", "injection", "kind", "role", "sample", "type"}
_CHOICES = (Choice(LEFT_OUT, "Leave them out"), Choice(KEPT, "Keep them"))


def without_rows_beside(
    frame: pd.DataFrame,
    label: str,
    classes: Classes,
    answers: Mapping[str, str],
    rules: ClassRules = VALUES_AS_CLASSES,
) -> tuple[Classes, tuple[Question, ...], dict[str, Use]]:
    """The classes without rows that stand beside them, unless an answer keeps these.

    And without rows of which nothing but the class is known, as where a program wrote a flag below
    the last record.

    Parameters
    ----------
    frame : DataFrame
    label : str
    classes : Classes
    answers : mapping of str to str
        Checked ones, by the ids of the questions.
    rules : ClassRules, optional
        What the user says of the classes: nothing is asked about what these name.

    Returns
    -------
    classes : Classes
    questions : tuple of Question
        One about controls and one about small classes, where there are any.
    uses : dict of str to Use
        The column that says which rows are controls, which is no property of the others.
    """
    questions = []
    uses: dict[str, Use] = {}
    is_bare, has_dates = _is_bare(frame, label, classes)
    if is_bare.any() and _leaves_classes(classes, is_bare, fewest=2):
        but = f"nothing but {shortened(label)}{' and a date' if has_dates else ''}"
        step = f"Left out: {count(int(is_bare.sum()), 'row')} with {but}."
        classes = without_rows(classes, label, is_bare, step)
    for ask in (_controls_question, _small_question):
        controls = ask(frame, label, classes, answers, rules)
        if controls is not None:
            question, is_out, step, column = controls
            questions.append(question)
            uses |= {column: Use.INFO} if column != label else {}
            if (question.answer or question.default) == LEFT_OUT:
                classes = without_rows(classes, label, is_out, step)
    return classes, tuple(questions), uses


def _is_bare(
    frame: pd.DataFrame, label: str, classes: Classes
) -> tuple[npt.NDArray[np.bool_], bool]:
    """Return which rows of the classes have no cell beside their label, but what numbers them.

    Or a date of theirs, and whether any has one. Gaps in one or two other columns are filled as
    any.
    """
    places, n_others, has_dates = classes.rows[:0] if label not in frame else classes.rows, 0, False
    for name in map(str, frame):
        if not len(places):  # as behind the first column of most tables
            break
        if name in (label, FIRST_UNNAMED) or names_identifier(name):
            continue
        is_missing = frame[name].iloc[places].isna().to_numpy()
        if not is_missing.all() and _says_when(frame[name]):
            has_dates = True
            continue
        n_others += 1
        places = places[is_missing]
    is_bare = np.isin(classes.rows, places if n_others >= _LEAST_EMPTY else [])
    return is_bare, has_dates


def _says_when(cells: pd.Series) -> bool:
    """Return whether cells are dates, or times that are named so."""
    if cells.dtype.kind == "f":
        return not _PARTS_OF_TIMES.isdisjoint(words_of(str(cells.name))[-1:])
    first = str(cells.loc[cells.first_valid_index()])
    return _DATE_OR_CLOCK.match(first) is not None or DAY.match(first) is not None


# A question, the rows that it is about, what is said of them, and the column that tells them.
_Found: TypeAlias = tuple[Question, npt.NDArray[np.bool_], str, str]


def _controls_question(
    frame: pd.DataFrame,
    label: str,
    classes: Classes,
    answers: Mapping[str, str],
    rules: ClassRules,
) -> _Found | None:
    for name, kind in frame.dtypes.items():
        if kind == np.float64 or (name == label and rules.names):
            continue
        is_control, words = _controls_in(frame[name].iloc[classes.rows], str(name))
        if is_control.any() and _leaves_classes(classes, is_control, fewest=2):
            n_rows = count(int(is_control.sum()), "row")
            says = f"{n_rows} of {shortened(str(name))} ({listed(words)})"
            are_tests = words_of(str(name)) in _TESTS
            such = "tests of the survey" if are_tests else "quality controls, blanks and the like"
            sentence = f"Are {such} left out? {says} are such."
            question = Question(CONTROLS, sentence, _CHOICES, answers.get(CONTROLS, ""), LEFT_OUT)
            are = "tests" if are_tests else "controls"
            return question, is_control, f"Left out: {says}, which are {are}.", str(name)
    return None


def _controls_in(cells: pd.Series, name: str) -> tuple[npt.NDArray[np.bool_], list[str]]:
    """Return which cells of a column say that rows are controls, and their words for it."""
    codes, texts = cells.array.factorize()
    tests = _TESTS.get(words_of(name))
    patterns = [tests or _CONTROLS]
    if not _KIND_WORDS.isdisjoint(words_of(name)):
        patterns.append(_PERHAPS_CONTROLS)
    probed = map(str, texts[:TEXTS_PROBED])
    match = [any(pattern.fullmatch(text.strip()) for pattern in patterns) for text in probed]
    is_such = np.zeros(len(texts) + 1, dtype=np.bool_)  # the last is missing
    is_such[: len(match)] = match
    is_control = is_such[codes]
    such = np.flatnonzero(is_such).tolist()
    numbered = [index for index in such if str(texts[index])[-1].isdigit()]
    if len(numbered) > 1 and np.bincount(codes[codes >= 0])[numbered].min() > 1:
        is_control[:] = False  # Qc1 and Qc2 beside Mn1, each of several rows, are no injections
    are_sure = all(_CONTROLS.fullmatch(str(texts[index]).strip()) for index in such)
    most = 1.0 if tests else MOST_CONTROLS if are_sure else MOST_REFERENCES
    if not LEAST_CONTROLS <= is_control.sum() <= most * len(cells):
        return np.zeros(len(cells), dtype=np.bool_), []
    return is_control, [str(texts[index]) for index in such]


def _small_question(
    frame: pd.DataFrame,
    label: str,
    classes: Classes,
    answers: Mapping[str, str],
    rules: ClassRules,
) -> _Found | None:
    if rules != VALUES_AS_CLASSES:
        return None
    sizes = np.bincount(classes.y, minlength=len(classes.names))
    small = np.flatnonzero(sizes < LEAST_FOLDED)
    if sizes[small].sum() > MOST_SMALL * len(frame):
        small = small[:0]
    thing, lone = _of_one_thing(frame, label, classes)
    lone = np.setdiff1d(lone, small)
    is_out = np.isin(classes.y, [*small, *lone])
    if not is_out.any() or not _leaves_classes(classes, is_out, fewest=LEAST_FOLDED):
        return None
    which = " and ".join(
        f"{count(len(codes), 'class', 'classes')} of {what} "
        f"({listed([classes.names[code] for code in codes.tolist()])})"
        for codes, what in (
            (small, f"fewer than {LEAST_FOLDED} rows"),
            (lone, f"a single {shortened(thing)}"),
        )
        if len(codes)
    )
    sentence = f"Are classes too small for folds left out? {shortened(label)} has {which}."
    question = Question(SMALL, sentence, _CHOICES, answers.get(SMALL, ""), LEFT_OUT)
    return question, is_out, f"Left out: {which}, too few to be held out.", label


def _of_one_thing(frame: pd.DataFrame, label: str, classes: Classes) -> tuple[str, IntArray]:
    """The column of subjects and the classes that have only one, where other classes have more.

    None where these are most rows, or all classes but one.
    """
    if len(classes.names) < 3:  # two of which must be left
        return "", np.zeros(0, dtype=np.int64)
    for name in filter(names_subjects, map(str, frame.columns.drop(label, errors="ignore"))):
        lone = classes_of_one(frame[name].iloc[classes.rows], classes.y)
        is_rest = 2 * np.isin(classes.y, lone).sum() <= len(classes.y)
        if is_rest and 0 < len(lone) <= len(classes.names) - 2:
            return name, lone
    return "", np.zeros(0, dtype=np.int64)


def names_subjects(name: str) -> bool:
    """Return whether a column is named as the subjects of rows are.

    Examples
    --------
    >>> [names_subjects(name) for name in ("Subject_ID", "mouse", "patient weight")]
    [True, True, False]
    """
    words = words_of(name)
    return names_group(words) or not SUBJECT_WORDS.isdisjoint(words[-1:])


def classes_of_one(cells: pd.Series, y: IntArray) -> IntArray:
    """Return the codes of classes whose rows have one value each, if no value has two classes.

    None where values hardly recur, or some are missing.
    """
    codes, values = pd.factorize(cells)
    is_such = LEAST_REPEATS * len(values) <= len(codes) and (codes >= 0).all()
    if not (is_such and is_nested(codes, y)):
        return np.zeros(0, dtype=np.int64)
    first = np.unique(codes, return_index=True)[1]
    return np.flatnonzero(np.bincount(y[first]) == 1)


def _leaves_classes(classes: Classes, is_out: npt.NDArray[np.bool_], *, fewest: int) -> bool:
    """Return whether two classes of so many rows remain, or the only one."""
    left = np.bincount(classes.y[~is_out], minlength=len(classes.names))
    return int((left >= fewest).sum()) >= min(2, len(left))
