"""Questions about columns that say the same as the label, and labels made from columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from msgspec.structs import replace

from melm_core.base import FloatArray, IntArray, percent
from melm_core.labels import ColumnAlone, Twin, are_quantized, label_twins
from melm_studio.tables.classes import Classes
from melm_studio.tables.column_roles import TWIN_OF_LABEL
from melm_studio.tables.dependence import named_like_subjects
from melm_studio.tables.distinct import blocks
from melm_studio.tables.formatting import listed, number, number_text, shortened, words_of
from melm_studio.tables.frames import columns_of, number_columns
from melm_studio.tables.questions import (
    KNOWN,
    LEFT_OUT,
    MADE,
    MADE_OF_FEATURES,
    MEASUREMENT,
    TWIN,
    Choice,
    Question,
)
from melm_studio.tables.roles import FEATURES, Column, Role

MOST_ASKED = 5
LEAST_EMPTY, CHANCE = 0.1, 1e-4  # cells of a class; that a column of noise would be so
LEAST_ALIKE = 3  # numbers that part the classes, for these to be measured

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
    Twin.FOLLOWS: "it alone tells {share} of held-out rows apart by {label}",
}
# Names of what a program made of features.
CLUSTER_WORDS = {
    "clust", "cluster", "clusterid", "clustering", "clusters", "dbscan", "flowsom", "gmm", "hclust",
    "hdbscan", "kmeans", "kmedoids", "leiden", "louvain", "metacluster", "phenograph", "segment",
    "segmentation", "segments", "snn", "subcluster",
}  # fmt: skip
_MADE_CHOICES = (
    Choice(MADE_OF_FEATURES, "It was"),
    Choice(KNOWN, "It is known otherwise"),
)


def twin_questions(
    frame: pd.DataFrame,
    columns: Sequence[Column],
    classes: Classes,
    answers: Mapping[str, str],
    chosen: Mapping[str, str],
) -> tuple[Question, ...]:
    """A question about each column that says the same as the label.

    Columns whose name and values are those of subjects are asked about as such.

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
    label = next((column.name for column in columns if column.role is Role.LABEL), "")
    subjects = named_like_subjects(frame, columns, classes.y)
    unasked = subjects.union(chosen)
    asked = [column for column in columns if column.role in FEATURES and column.name not in unasked]
    if not asked or len(classes.names) < 2 or not label:
        return ()
    names = [column.name for column in asked]
    cells = _cells(columns_of(frame, names))
    words = np.array(classes.names, dtype=object)[classes.y]
    groups = _groups(frame, columns)
    every = label_twins(cells, words, names, groups=groups, only_twins=True)
    told = {name for twin in every for name in twin.names}
    alike = {n for n in names if n[:1] == label[:1] and _begin_alike(n, label)} - told
    named = [place for place, name in enumerate(names) if name in alike]
    if named:  # which may be no chance in few rows of many columns, either
        of_name = [cells[place] for place in named], words, [names[place] for place in named]
        every += tuple(filter(_is_left_out, label_twins(*of_name, groups=groups, only_twins=True)))
    alone = [twin for twin in every if not _is_part(twin, every)]
    asked_about = [twin for twin in alone if not _is_left_out(twin)][:MOST_ASKED]
    twins = tuple(twin for twin in alone if twin in asked_about or _is_left_out(twin))
    n_left = sum(column.role in FEATURES for column in columns)
    n_left -= sum(len(twin.names) for twin in twins if _is_left_out(twin))
    for kind in (Twin.RANGES, Twin.COARSER):
        of_kind = [twin for twin in twins if twin.twin is kind and not _is_left_out(twin)]
        if len(of_kind) >= LEAST_ALIKE:
            alike = of_kind[_n_asked([twin.names for twin in of_kind], answers) :]
            twins = tuple(twin for twin in twins if twin not in alike)
    asked_twins: dict[str, Question] = {}
    for twin in twins:
        for question in _questions(twin, label, answers, is_needed=n_left == 0):
            asked_twins.setdefault(question.id, question)
    others = [column for column in asked if TWIN + column.name not in asked_twins]
    partly = chain(_of_gaps(frame, others, classes), _of_one_value(frame, others, classes))
    gaps = [
        Question(
            TWIN + name,
            f"Is {shortened(name)} the label once more? It is {says} and in no other.",
            _CHOICES,
            answers.get(TWIN + name, ""),
        )
        for name, says in islice(partly, MOST_ASKED)
    ]
    if len(gaps) >= LEAST_ALIKE:
        gaps = gaps[: _n_asked([[gap.id.removeprefix(TWIN)] for gap in gaps], answers)]
    n_open = sum(question.default != LEFT_OUT for question in asked_twins.values())
    questions = *asked_twins.values(), *gaps[: max(0, MOST_ASKED - n_open)]
    return *questions, *_answered_before(names, questions, answers)


def _answered_before(
    names: Sequence[str], questions: Sequence[Question], answers: Mapping[str, str]
) -> Iterator[Question]:
    """Questions asked before another answer left too little to suspect: what was said holds."""
    now = {question.id for question in questions}
    for name in names:
        answer = answers.get(TWIN + name, "")
        if answer == LEFT_OUT and TWIN + name not in now:
            sentence = f"Is {shortened(name)} the label once more? It is left out, as you said."
            yield Question(TWIN + name, sentence, _CHOICES, answer)


def _begin_alike(name: str, label: str) -> bool:
    """Return whether one name is the other with a word behind it: sex and sex.factor."""
    short, long = sorted((name, label), key=len)
    return long.startswith(short) and not long[len(short) :][:1].isalnum()


def _is_part(twin: ColumnAlone, others: Iterable[ColumnAlone]) -> bool:
    """Return whether several columns are among those that another twin has together."""
    return len(twin.names) > 1 and any({*twin.names} < {*other.names} for other in others)


def _of_gaps(
    frame: pd.DataFrame, columns: Sequence[Column], classes: Classes
) -> Iterator[tuple[str, str]]:
    """The columns whose empty cells are of one class, as the day of a death is, and of how many.

    Or which are empty in all rows of some class, as the dose of controls is, and hardly in others.
    """
    sizes, n_rows = np.bincount(classes.y, minlength=len(classes.names)), len(classes.y)
    for name in (column.name for column in columns if column.n_missing):
        is_empty = frame[name].isna().to_numpy()
        for rows, what in ((is_empty, "empty"), (~is_empty, "filled")):
            of_classes = np.bincount(classes.y[rows], minlength=len(sizes))
            having = np.flatnonzero(of_classes)
            n_told, n_having = int(of_classes.sum()), int(sizes[having].sum())
            most = n_rows if len(having) == 1 else (1 - LEAST_EMPTY) * n_rows
            if n_having > most or (len(having) > 1 and what == "empty"):
                continue
            is_chance = _may_be_chance(n_told, n_having, n_rows, len(columns))
            if what == "filled":  # if others were filled as rarely as the rarest of these
                rarest = float((of_classes[having] / sizes[having]).min(initial=1.0))
                is_chance |= (1 - rarest) ** (n_rows - n_having) > CHANCE / len(columns)
            if n_told >= LEAST_EMPTY * n_having and not is_chance:
                of_rows = f"{number(n_told)} of {number(n_having)} rows"
                names = listed([shortened(classes.names[code]) for code in having])
                yield name, f"{what} in {of_rows} of {names}"
                break


def _of_one_value(
    frame: pd.DataFrame, columns: Sequence[Column], classes: Classes
) -> Iterator[tuple[str, str]]:
    """The numbers of which one class alone has the least or the most, as the dose of controls."""
    are_many = (column for column in columns if column.n_values > 2)
    names = [column.name for column in are_many if column.role is Role.NUMERIC]
    sizes = np.bincount(classes.y, minlength=len(classes.names)).tolist()
    n_rows = len(frame)
    telling = [
        code
        for code, n in enumerate(sizes)
        if names and n and not _may_be_chance(n, n, n_rows, len(columns))
    ]
    if not telling:
        return
    for block in blocks(n_rows, len(names)):
        cells = columns_of(frame, names[block]).to_numpy(np.float64)
        for extremes in (np.fmin.reduce(cells), np.fmax.reduce(cells)):
            are_extreme = cells == extremes
            n_extreme = are_extreme.sum(axis=0)
            for code in telling:
                places = np.flatnonzero(n_extreme == sizes[code])
                is_told = are_extreme[np.ix_(classes.y == code, places)].all(axis=0)
                in_rows = f"in all {number(sizes[code])} rows of {shortened(classes.names[code])}"
                for place in places[is_told].tolist():
                    yield names[block][place], f"{number_text(extremes[place])} {in_rows}"


def _may_be_chance(n_rows: int, n_of_class: int, n_all: int, n_columns: int) -> bool:
    """Return whether of so many columns of noise one has as many rows of a class alone."""
    return bool(n_rows * np.log(n_all / n_of_class) < np.log(n_columns / CHANCE))


def _n_asked(alike: Sequence[Sequence[str]], answers: Mapping[str, str]) -> int:
    """Count those asked about of several columns that tell the label alike: the first is enough.

    Where one is the label once more, the next may be as well; where it is a measurement, so are
    they all.
    """
    given = [[answers.get(TWIN + name, "") for name in names] for names in alike]
    n_answered = max((place for place, of_one in enumerate(given, 1) if any(of_one)), default=0)
    is_settled = any(MEASUREMENT in of_one for of_one in given)
    return n_answered + (not is_settled)


def made_question(
    label: str, X: FloatArray, y: IntArray, answers: Mapping[str, str]
) -> Iterator[Question]:
    """Ask if the label was made from the features, where its name or its classes look like it.

    Parameters
    ----------
    label : str
    X : ndarray of shape (n_samples, n_features)
        The prepared table in its own scale, in which clusters may have been made.
    y : ndarray of shape (n_samples,)
    answers : mapping of str to str
        Checked ones, by the ids of the questions.
    """
    if y.max() < 1:
        return
    words = words_of(label)
    pairs = {first + second for first, second in pairwise(words)}  # k-means, PhenoGraph
    if not CLUSTER_WORDS.isdisjoint(pairs.union(words)):
        why = "Its name is one of clusters"
    elif are_quantized(X, y):
        why = "Its classes are regions of them that meet where rows are dense, without a gap"
    else:
        return
    sentence = (
        f"Was {shortened(label)} made from these features? {why}; clusters are told apart by "
        "construction, whatever they are."
    )
    yield Question(MADE, sentence, _MADE_CHOICES, answers.get(MADE, ""))


def is_made_of_features(questions: Iterable[Question]) -> bool:
    """Return whether the label was made from the features, as an answer says."""
    return any(
        question.id == MADE and question.answer == MADE_OF_FEATURES for question in questions
    )


def without_twins(columns: Sequence[Column], questions: Sequence[Question]) -> tuple[Column, ...]:
    """The columns, of which those that answers or defaults leave out are ignored."""
    twins = {
        question.id.removeprefix(TWIN)
        for question in questions
        if (question.answer or question.default) == LEFT_OUT
    }
    return tuple(
        replace(column, role=Role.IGNORED, reason=TWIN_OF_LABEL) if column.name in twins else column
        for column in columns
    )


def shown_twins(questions: Iterable[Question]) -> Iterator[Question]:
    """Those to be shown: of columns that are left out without an answer, the first is enough."""
    n_left_out = 0
    for question in questions:
        is_left_out = question.default == LEFT_OUT and not question.answer
        n_left_out += is_left_out
        if not is_left_out or n_left_out == 1:
            yield question


def kept_twins(questions: Iterable[Question]) -> tuple[str, ...]:
    """The columns that say the same as the label and are features nevertheless."""
    return tuple(
        question.id.removeprefix(TWIN)
        for question in questions
        if question.id.startswith(TWIN) and (question.answer or question.default) != LEFT_OUT
    )


def twin_notes(questions: Iterable[Question]) -> Iterator[str]:
    """Note what each column says of the label that is a feature nevertheless."""
    for question in questions:
        if kept_twins([question]):
            name, says = question.id.removeprefix(TWIN), question.sentence.partition("? ")[2]
            yield f"{shortened(name)}: {says[:1].lower()}{says[1:]}"


def _questions(
    twin: ColumnAlone, label: str, answers: Mapping[str, str], *, is_needed: bool
) -> list[Question]:
    rows = f"{number(twin.n_same)} of {number(twin.n_rows)} rows"
    says = _SAYS[twin.twin].format(label=shortened(label), rows=rows, share=percent(twin.share))
    default = LEFT_OUT if _is_left_out(twin) and not is_needed else ""
    questions = []
    for name in twin.names:
        others = listed([shortened(other_name) for other_name in twin.names if other_name != name])
        reason = f"together with {others} {says}" if others else says
        sentence = f"Is {shortened(name)} the label once more? {reason[:1].upper()}{reason[1:]}."
        answer = answers.get(TWIN + name, "")
        questions.append(Question(TWIN + name, sentence, _CHOICES, answer, default))
    return questions


def _is_left_out(twin: ColumnAlone) -> bool:
    """Return whether it is left out while nobody has said what it is."""
    is_part = twin.twin in (Twin.COARSER, Twin.FINER) and twin.is_words
    return is_part or twin.twin in (Twin.EQUAL, Twin.CODE)


def _groups(frame: pd.DataFrame, columns: Sequence[Column]) -> IntArray | None:
    """The group of each row, where a column says so; a row without one is one of its own."""
    name = next((column.name for column in columns if column.role is Role.GROUP), None)
    if name is None:
        return None
    codes = pd.factorize(frame[name])[0].astype(np.int64)
    return np.where(codes < 0, len(codes) + np.arange(len(codes)), codes)


def _cells(frame: pd.DataFrame) -> list[npt.NDArray[Any]]:
    """The cells of each column; those of numbers are taken at once, since tables may be wide."""
    is_number = number_columns(frame)
    numbers = iter(frame.loc[:, is_number].to_numpy(np.float64).T)
    return [
        next(numbers) if is_one else frame.iloc[:, index].astype(str).to_numpy()
        for index, is_one in enumerate(is_number)
    ]
