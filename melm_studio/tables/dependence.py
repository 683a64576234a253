"""Rows that depend on each other: as a column or an answer says, else what is asked about them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, islice

import numpy as np
import pandas as pd
from msgspec.structs import replace

from melm_core.base import ColumnEncoding, FloatArray, IntArray
from melm_core.density import nuisance_cells
from melm_core.folds import (
    DuplicateRows,
    dependence_length,
    duplicate_rows,
    group_dependence,
    label_runs,
    near_doubles,
    serial_dependence,
    share_owed_to_neighbors,
)
from melm_core.methods import COMPONENTS
from melm_studio.tables.classes import value_name
from melm_studio.tables.column_roles import (
    BEGINS_AGAIN,
    MIN_GROUPS,
    SAYS_THE_SAME,
    TWIN_OF_LABEL,
    WHEN,
    WHERE,
    WRITTEN_IN,
    are_dates,
)
from melm_studio.tables.designs import (
    LEAST_ASKED,
    design_question,
    is_balanced,
    is_nested,
    is_shared,
)
from melm_studio.tables.distinct import (
    Numbers,
    blocks,
    clustering,
    distinct_values,
    fewest_values,
    value_codes,
)
from melm_studio.tables.formatting import MOST_NAMES, count, listed, number, shortened, words_of
from melm_studio.tables.identifiers import are_uuids, names_identifier
from melm_studio.tables.labels import AMOUNT_WORDS
from melm_studio.tables.questions import (
    COLUMN,
    DOUBLES,
    EACH_WAY,
    INDEPENDENT,
    NEIGHBORS,
    SHARED,
    SUBJECTS,
    TOGETHER,
    WITHIN,
    Choice,
    Question,
    run_length,
)
from melm_studio.tables.roles import Column, Role
from melm_studio.tables.row_columns import RowColumn
from melm_studio.tables.rows_beside import classes_of_one, names_subjects
from melm_studio.tables.subjects_in_names import SUBJECT, SUBJECT_WORDS
from melm_studio.tables.subjects_of_places import AND

N_BLOCKS = 20  # of rows that follow each other
FEW_RUNS_Z = -4.0  # standard deviations below the number of runs in a random order
LEAST_DISTINCT = 5  # rows of each class, as many as folds
LEAST_REPEATS = 2  # rows for each value of an identifier, on average
LEAST_VISITS = 1.6  # of a subject: some came once
LEAST_REPEATED = 0.05  # share of the rows with the identifier of another
# Names that are asked about only if the rows of each value are of one class, or nearly.
CODE_WORDS = {
    "accession", "batch", "cage", "case", "channel", "client", "code", "customer", "day", "entry",
    "family", "household", "id", "identifier", "litter", "mrn", "no", "nr", "number", "plant",
    "plate", "plot", "population", "record", "sample", "session", "slide", "specimen", "tank",
    "trap", "user",
}  # fmt: skip
_NAMING_WORDS = SUBJECT_WORDS | CODE_WORDS
_LAST_WORDS = _NAMING_WORDS | {"ids", "index", "key", "label", "name", "num", "tag"}  # of numbers
_NAMES = {"name", "title"}  # which few things have in common, such as of jobs
LEAST_MEASURED, MOSTLY = 10, 0.5  # things that are measured so often, and share that all times are
_NAMING = (Role.ID, Role.NAME, Role.INFO)
MOST_REPEATS = 20  # rows for each subject, on average
CODE = re.compile(r".*[0-9]")  # text with a digit, as codes have
# Of `clustering`; two random rows reach a half.
CLUSTERED, PURE = 0.8, 0.98
PURE_REPEATS = 0.95  # of rows that share a code with an earlier one, those of its class
CHANCE = 1e-4  # that they are
CERTAIN = 0.005  # p-value, of 199 permutations none of which does as well
LEAST_OWED = 0.1  # to neighbors, of what features tell of the classes
LEAST_NEAR = 0.02  # share of rows; fewer near doubles hardly change a held-out share
MOST_TESTED, MOST_ASKED, MOST_OFFERED = 20, 3, 3  # columns
NEARLY_ALIKE = 1.05  # times as many parts
FEWEST_BLOCKS = 3  # of every class, for rows to be kept together in runs

_TRIED = "Without an answer the verdict is computed each way."


def has_chosen_groups(columns: Sequence[Column], questions: Sequence[Question] = ()) -> bool:
    """Return whether a column or an answer says which rows depend on each other."""
    is_answered = any(
        question.answer not in ("", INDEPENDENT)
        for question in questions
        if question.id in (NEIGHBORS, DOUBLES) or question.id.startswith(SUBJECTS)
    )
    return is_answered or any(column.role in (Role.GROUP, Role.ORDER) for column in columns)


def row_groups(
    columns: Sequence[RowColumn], rows: AskedRows, answers: Mapping[str, str]
) -> IntArray | None:
    """Codes of the group of each row; a row without a group is a group of its own.

    Without a column with the role Group, blocks of rows that follow each other in the column with
    the role Order, or in the file where an answer says so; without either, rows with equal values
    and label or, where an answer says so, nearly equal ones. None if there are none.

    Parameters
    ----------
    columns : sequence of RowColumn
    rows : AskedRows
    answers : mapping of str to str
        Checked ones, by the ids of the questions.
    """
    by_role = {column.role: column for column in columns}
    if Role.GROUP in by_role:
        codes, values = pd.factorize(by_role[Role.GROUP].values)
        is_missing = codes < 0
        codes[is_missing] = len(values) + np.arange(is_missing.sum())
        return codes.astype(np.int64)
    if Role.ORDER in by_role:
        return time_blocks(by_role[Role.ORDER].values, rows.y)
    if n_rows := run_length(answers):
        return neighbor_blocks(rows.y, n_rows)
    if answers.get(DOUBLES) == TOGETHER and rows.doubles is not None:
        return rows.doubles.groups
    return equal_rows(rows)


def neighbor_blocks(y: IntArray, n_rows: int) -> IntArray:
    """Codes of blocks of so many rows that follow each other in the file.

    Where labels come in runs, a block ends with its run, so that labels are exchanged between
    whole blocks.

    Examples
    --------
    >>> neighbor_blocks(np.repeat([0, 1, 0, 1], 3), 2)
    array([0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7])
    """
    runs = label_runs(y) if runs_z(y) < FEW_RUNS_Z else np.zeros(len(y), dtype=np.int64)
    starts = np.flatnonzero(np.diff(runs, prepend=-1))
    within = (np.arange(len(y)) - starts[runs]) // n_rows
    return np.cumsum(np.diff(runs * len(y) + within, prepend=0) != 0).astype(np.int64)


def time_blocks(order: FloatArray, y: IntArray) -> IntArray:
    """Codes of blocks of rows that follow each other; a row without a time comes last.

    Where labels come in runs, the runs are the blocks, so that labels are exchanged between whole
    runs; otherwise the blocks are of equal length.
    """
    rows = np.argsort(order, kind="stable")
    runs = label_runs(y[rows])
    n_blocks = min(N_BLOCKS, len(y))
    is_in_runs = runs_z(y[rows]) < FEW_RUNS_Z and _fewest_runs(runs, y[rows]) > 1
    codes = np.empty(len(y), dtype=np.int64)
    codes[rows] = runs if is_in_runs else np.arange(len(y)) * n_blocks // len(y)
    return codes


def _fewest_runs(runs: IntArray, y: IntArray) -> int:
    """The number of runs of the class that has the fewest."""
    starts = np.flatnonzero(np.diff(runs, prepend=-1))
    return int(np.bincount(y[starts]).min())


def equal_rows(rows: AskedRows) -> IntArray | None:
    """Codes that are equal for rows with equal values and label; None if no row repeats.

    None also if a class has too few different rows to be held out in part.
    """
    duplicates = rows.duplicates
    if not duplicates.n_repeats:
        return None
    first = np.unique(duplicates.groups, return_index=True)[1]
    n_distinct = np.bincount(rows.y[first])
    return duplicates.groups if n_distinct.min() >= LEAST_DISTINCT else None


def dependence_notes(rows: AskedRows, questions: Sequence[Question]) -> Iterator[str]:
    """Say what keeps rows together or, without a group, suggests that they depend on each other.

    Parameters
    ----------
    rows : AskedRows
    questions : sequence of Question
        Those that are asked, or answered.
    """
    for question in questions:
        if question.answer:
            yield f"{question.short} You answered: {question.answered}."
    frame, by_role = rows.frame, {column.role: column for column in rows.columns}
    if Role.BATCH in by_role:
        yield from _batch_notes(frame[by_role[Role.BATCH].name], rows.y)
    if Role.GROUP in by_role:
        group = by_role[Role.GROUP].name
        is_within = any(
            question.id == SUBJECTS + group and question.answer == WITHIN for question in questions
        )
        centered = " Each is less the mean of its group." if is_within else ""
        yield (
            f"Group: {shortened(group)}, {count(frame[group].nunique(), 'group')}. The rows of a "
            f"group stay together when rows are held out.{centered}"
        )
        return
    yield from _lone_notes(rows)
    if Role.ORDER in by_role:
        yield (
            f"Order: {shortened(by_role[Role.ORDER].name)}. Rows that follow each other stay "
            "together in blocks when rows are held out."
        )
        return
    yield from _duplicate_notes(rows.duplicates)
    if not any(question.id == NEIGHBORS for question in questions):
        yield from _run_notes(rows.y)


def _lone_notes(rows: AskedRows) -> Iterator[str]:
    """Say that all rows of a class are of one subject, where those of another are of several."""
    for name in (c.name for c in rows.columns if c.role is not Role.LABEL):
        if not names_subjects(name):
            continue
        lone = classes_of_one(rows.frame[name], rows.y)
        if 0 < len(lone) <= rows.y.max():
            of_class = rows.frame[name].iloc[np.flatnonzero(rows.y == lone[0])[0]]
            yield (
                f"All rows of a class are of {shortened(name)} {value_name(of_class)}: what tells "
                "them apart may be that one alone. Add rows of another one."
            )


def _batch_notes(cells: pd.Series, y: IntArray) -> Iterator[str]:
    n_classes = pd.DataFrame({"batch": cells, "y": y}).groupby("batch")["y"].nunique()
    name, n_batches = shortened(str(cells.name)), len(n_classes)
    if n_batches > 1 and (n_classes == 1).all():
        yield (
            f"Batch: {name}. Every batch holds one class only, so a difference between classes may "
            "be one between batches."
        )
    else:
        yield f"Batch: {name}, {count(n_batches, 'batch', 'batches')}."
        yield from _small_cell_notes(cells, y)


def _small_cell_notes(cells: pd.Series, y: IntArray) -> Iterator[str]:
    """Name the classes that have too few rows of a batch to be compared there."""
    codes, names = pd.factorize(cells.fillna("missing"))
    of_classes = nuisance_cells(y, codes.astype(np.int64), n_components=int(COMPONENTS.default))
    if of_classes.small and not of_classes.is_confounded:
        fewest = min(rows for _, _, rows in of_classes.small)
        batches = sorted({str(names[batch]) for _, batch, _ in of_classes.small})
        yield (
            f"Batch: some classes have as few as {count(fewest, 'row')} of "
            f"{shortened(listed(batches))}, too few to compare batches there."
        )


def _duplicate_notes(duplicates: DuplicateRows) -> Iterator[str]:
    if duplicates.n_repeats:
        repeat = "row repeats" if duplicates.n_repeats == 1 else "rows repeat"
        classes = count(duplicates.n_classes, "class", "classes")
        yield (
            f"{number(duplicates.n_repeats)} {repeat} an earlier row of the same class, in "
            f"{classes}. Equal rows stay together when rows are held out."
        )


def _run_notes(y: IntArray) -> Iterator[str]:
    n_runs, n_classes = int(label_runs(y)[-1]) + 1, int(y.max()) + 1
    # A file sorted by class says nothing about time.
    if n_runs > n_classes and runs_z(y) < FEW_RUNS_Z:
        yield (
            f"Labels come in {number(n_runs)} runs along the file, far fewer than in a random "
            "order. If neighboring rows depend on each other, add a column that numbers the runs "
            "and choose the role Group for it."
        )


def runs_z(y: IntArray) -> float:
    """Number of runs of a label, in standard deviations from that of a random order.

    References
    ----------
    D. E. Barton, F. N. David: Multiple Runs, Biometrika 44, 1957.
    """
    n, sizes = float(len(y)), np.bincount(y).astype(np.float64)
    squares, cubes = float((sizes**2).sum()), float((sizes**3).sum())
    expected = (n * (n + 1) - squares) / n
    variance = (squares * (squares + n * (n + 1)) - 2 * n * cubes - n**3) / (n**2 * (n - 1))
    n_runs = int(label_runs(y)[-1]) + 1
    return (n_runs - expected) / math.sqrt(max(variance, 1e-12))


@dataclass(frozen=True, eq=False)
class AskedRows:
    """The rows of a table as questions are asked of them.

    Attributes
    ----------
    frame : DataFrame
        The rows that have a class, in the order of the file.
    columns : sequence of Column
    encoded : ndarray of shape (n_samples, n_columns)
        The encoded table, NaN where a number is missing.
    encodings : sequence of ColumnEncoding
    X : ndarray of shape (n_samples, n_features)
        The prepared table.
    y : ndarray of shape (n_samples,)
    """

    frame: pd.DataFrame
    columns: Sequence[Column]
    encoded: FloatArray
    encodings: Sequence[ColumnEncoding]
    X: FloatArray
    y: IntArray

    @cached_property
    def duplicates(self) -> DuplicateRows:
        """The rows that are equal."""
        return duplicate_rows(self.X, self.y)

    @cached_property
    def doubles(self) -> DuplicateRows | None:
        """The rows that are nearly equal, if there are any."""
        return near_doubles(self.X, self.y, self.duplicates)


def dependence_questions(
    rows: AskedRows, answers: Mapping[str, str], known: Mapping[str, str]
) -> tuple[Question, ...]:
    """Return what is asked about rows that may depend on each other, or was answered.

    Where a column or an answer says which rows do, nothing more is asked.

    Parameters
    ----------
    rows : AskedRows
    answers : mapping of str to str
        Checked ones, by the ids of the questions.
    known : mapping of str to str
        Answers that came with the table, to questions that need not be asked.
    """
    asked = [
        _subject_question(column, rows)
        for column in rows.columns
        if SUBJECTS + column.name in answers
    ]
    roles = {column.role for column in rows.columns}
    is_settled = bool(run_length(answers)) or not roles.isdisjoint((Role.GROUP, Role.ORDER))
    if not is_settled:
        asked += _asked_columns(rows, answers)
    elif Role.GROUP not in roles and not asked:  # dates of visits do not say who came
        columns = _not_numbered_anew(rows)
        named = [column for column in columns if _is_named(column.name)]
        often = [column for column in named if _repeats(column, len(rows.y))]
        nested = {*named_like_subjects(rows.frame, often, rows.y)}
        asked_for = (
            c
            for c in named
            if c.name in nested or _is_repeated_id(c, rows) or (c in often and _is_key(c, rows))
        )
        either = chain(asked_for, _nested_twins(columns, rows))
        repeated = islice(_of_different_rows(either, rows), MOST_ASKED)
        asked += [_subject_question(column, rows) for column in repeated]
    is_open = not is_settled and NEIGHBORS not in {**known, **answers}
    if NEIGHBORS in answers or (is_open and _is_serial(rows)):
        following = [*_following(rows)]
        # Neighbors of one subject resemble each other because of that.
        of_subjects = {SUBJECTS + name for name in following}.difference(answers)
        if NEIGHBORS in answers or of_subjects.isdisjoint(question.id for question in asked):
            asked.append(_neighbor_question(rows, following[:MOST_OFFERED]))
    if not is_settled and (n_near := _near_rows(rows)):
        asked.append(_double_question(n_near))
    asked = [
        replace(
            question,
            sentence=f"{question.sentence} {_TRIED}",
            answer=answers.get(question.id, ""),
            default=EACH_WAY,
        )
        for question in asked
    ]
    return (*_of_groups(rows, answers), *asked)


def _of_groups(rows: AskedRows, answers: Mapping[str, str]) -> Iterator[Question]:
    """Ask whether groups that are kept together anyway are subjects to compare within."""
    for column in rows.columns:
        if column.role is Role.GROUP and SUBJECTS + column.name not in answers:
            question = design_question(rows.frame[column.name], rows.y)
            if question is not None:
                yield question


def _asked_columns(rows: AskedRows, answers: Mapping[str, str]) -> list[Question]:
    """Questions of columns that look like subjects."""
    answered = [column for column in rows.columns if SUBJECTS + column.name in answers]
    unanswered = [
        column for column in _not_numbered_anew(rows) if SUBJECTS + column.name not in answers
    ]
    things = [column for column in unanswered if SHARED + column.name in answers]
    repeated_ids = [column for column in unanswered if _is_repeated_id(column, rows)]
    repeating = [column for column in unanswered if _repeats(column, len(rows.y))]
    named = [
        column for column in repeating if column.role is not Role.NUMERIC or _is_named(column.name)
    ]
    if len(repeating) - len(named) > MOST_TESTED:  # counts of one kind: none is another thing
        repeating = named
    candidates = (
        column
        for block in blocks(len(rows.y), len(repeating))
        for column in _may_be_subjects(repeating[block], rows.frame, rows.y)
    )
    candidates_like = [
        column for column in islice(candidates, MOST_TESTED) if _is_like_subject(column, rows)
    ]
    n_rows = len(rows.y)
    paired = [  # of some pairs one is missing
        column
        for column in unanswered
        if column.role is not Role.NUMERIC
        and max(LEAST_ASKED, n_rows / MOST_REPEATS) <= column.n_values <= n_rows / LEAST_VISITS
    ]
    blocked = (
        column
        for column in dict.fromkeys([*named, *paired])
        if column not in candidates_like and is_balanced(rows.frame[column.name], rows.y)
    )
    keys = (column for column in named if _is_key(column, rows))
    likely = _of_different_rows(
        chain(
            [*answered, *things, *_numbered_within(unanswered, rows), *repeated_ids],
            keys,
            candidates_like,
            blocked,
            _nested_twins(unanswered, rows),
        ),
        rows,
    )
    asked = [*islice((column for column in likely if column not in answered), MOST_ASKED)]
    if not (asked or answered):
        shared = islice(_shared_information(unanswered, rows), MOST_ASKED)
        asked = [*islice((column for column in shared if _is_like_subject(column, rows)), 1)]
    return [_subject_question(column, rows) for column in asked]


def _shared_information(columns: Iterable[Column], rows: AskedRows) -> Iterator[Column]:
    """Information of many values, and no dates, that most rows share with others.

    As a stand of trees or a variety, which treatments or places cross. Those of most values first.
    """
    of_many = [c for c in columns if c.role is Role.INFO and c.n_values >= LEAST_MEASURED]
    fractions = _with_fractions(rows.frame, [column.name for column in of_many])
    for column in sorted(of_many, key=lambda column: -column.n_values):
        cells = rows.frame[column.name]
        codes, values = pd.factorize(cells)
        n_rows = np.bincount(codes[codes >= 0])
        is_shared = n_rows[n_rows > 1].sum() > MOSTLY * len(codes)
        is_shared &= fewest_values(codes[np.newaxis], rows.y)[0] >= MIN_GROUPS
        is_no_name = column.reason == WHEN or column.name in fractions
        is_no_name |= cells.dtype.kind != "f" and are_dates([*map(str, values)])
        if is_shared and not is_no_name:
            yield column


def _nested_twins(columns: Iterable[Column], rows: AskedRows) -> Iterator[Column]:
    """Twins of the label of many codes of many rows each, several in each class.

    As the tanks C1 to C8 of two treatments; names without a digit are kinds, such as of soil.
    """
    most = len(rows.y) / LEAST_DISTINCT
    for column in columns:
        is_such = column.reason == TWIN_OF_LABEL and LEAST_MEASURED <= column.n_values <= most
        if is_such and _has_codes(rows.frame[column.name]):
            codes = value_codes(rows.frame, [column.name])
            if fewest_values(codes, rows.y)[0] >= MIN_GROUPS and is_nested(codes[0], rows.y):
                yield column


def _not_numbered_anew(rows: AskedRows) -> list[Column]:
    """The columns without what is shared, copies, amounts, and numbers that begin again."""
    of_places = (column.name.rpartition(AND) for column in rows.columns)
    numbered_anew = {numbers for places, _, numbers in of_places if places.startswith(SUBJECT)}
    named = (column for column in rows.columns if column.name not in numbered_anew)
    return [column for column in named if not (is_shared(column) or _is_no_thing(column, rows))]


def _is_no_thing(column: Column, rows: AskedRows) -> bool:
    """Return whether information says the same as a column, or answers, or how long or much."""
    if column.role is not Role.INFO or column.reason.startswith((SAYS_THE_SAME, WRITTEN_IN)):
        return column.role is Role.INFO
    is_named = not AMOUNT_WORDS.isdisjoint(words_of(column.name))
    return is_named and rows.frame[column.name].dtype.kind == "f"


def _numbered_within(columns: Sequence[Column], rows: AskedRows) -> Iterator[Column]:
    """The columns that change along the file just where numbers of rows begin again."""
    for numbers in (column for column in rows.columns if column.reason == BEGINS_AGAIN):
        begins = np.diff(rows.frame[numbers.name]) < 0
        n_parts = int(begins.sum()) + 1
        for column in (column for column in columns if column.n_values == n_parts):
            codes = value_codes(rows.frame, [column.name])
            is_cut = bool((begins == (np.diff(codes[0]) != 0)).all())
            if is_cut and fewest_values(codes, rows.y)[0] >= LEAST_DISTINCT:
                yield column


def _of_different_rows(columns: Iterable[Column], rows: AskedRows) -> Iterator[Column]:
    """The columns that put other rows together than those before, as a name beside a number.

    But for a few rows, as where two things have one name.
    """
    before: list[IntArray] = []
    for column in columns:
        codes = pd.factorize(rows.frame[column.name])[0]
        if not any(_are_hardly_others(codes, others) for others in before):
            before.append(codes)
            yield column


def _are_hardly_others(codes: IntArray, others: IntArray) -> bool:
    """Return whether two partitions have hardly more parts together than the one with fewer."""
    sizes = (int(codes.max()) + 1, int(others.max()) + 1)
    most = NEARLY_ALIKE * min(sizes)
    return max(sizes) <= most and len(np.unique(codes * (sizes[1] + 1) + others)) <= most + 1


def _repeats(column: Column, n_rows: int) -> bool:
    """Return whether the values repeat as often as those of subjects do."""
    if column.role in (Role.LABEL, Role.CONSTANT) or _is_of_thing(column):
        return False
    is_id = column.role in _NAMING and not column.n_missing and names_identifier(column.name)
    are_many = column.role is Role.INFO and column.n_values >= LEAST_MEASURED
    is_place = column.reason == WHERE or column.name.startswith(SUBJECT)
    is_who = column.role is not Role.NUMERIC and names_subjects(column.name)
    if column.n_values < n_rows / MOST_REPEATS and not (is_id or are_many or is_place or is_who):
        return False
    n_present = n_rows - column.n_missing  # free answers are rare, and those of all rows differ
    is_often = column.n_values <= n_present / LEAST_REPEATS
    return is_often or (
        column.n_values <= n_present / LEAST_VISITS
        and not SUBJECT_WORDS.isdisjoint(words_of(column.name))
    )


def _is_of_thing(column: Column) -> bool:
    """Return whether a number is named as what is measured of things, such as a patient's age."""
    last = words_of(column.name)[-1:]
    names_it = any(word.isdecimal() or word in _LAST_WORDS for word in last)
    return column.role is Role.NUMERIC and not names_it and _is_named(column.name)


def _is_repeated_id(column: Column, rows: AskedRows) -> bool:
    """Return whether some rows share an identifier: a number, or a code of rows of one class.

    A value that most of many share, such as 0, stands for none.
    """
    if column.role not in _NAMING:
        return False
    n_present = len(rows.frame) - column.n_missing
    if not n_present / LEAST_REPEATS < column.n_values <= (1 - LEAST_REPEATED) * n_present:
        return False
    cells, n_repeats = rows.frame[column.name], n_present - column.n_values
    n_most = int(cells.value_counts().iloc[0])
    if n_most > max(MOST_REPEATS, n_repeats / 2):
        return False
    if cells.dtype.kind == "f":
        return column.role is not Role.INFO or names_identifier(column.name)
    codes, texts = pd.factorize(cells)
    is_known, of_classes = codes >= 0, np.bincount(rows.y) / len(rows.y)
    pairs = np.unique(codes[is_known] * len(of_classes) + rows.y[is_known])
    n_same = n_present - len(pairs)
    is_sure = n_same * np.log(of_classes @ of_classes) <= np.log(CHANCE)
    is_of_classes = is_sure and n_same >= PURE_REPEATS * n_repeats
    return is_of_classes and _has_codes(cells) and not are_dates([*map(str, texts)])


def named_like_subjects(
    frame: pd.DataFrame, columns: Sequence[Column], y: IntArray
) -> frozenset[str]:
    """The columns whose names and values are those of subjects, or of codes of such.

    Parameters
    ----------
    frame : DataFrame
        The rows that have a class.
    columns : sequence of Column
    y : ndarray of shape (n_samples,)
    """
    named = [column for column in columns if _is_named(column.name) and _repeats(column, len(y))]
    return frozenset(column.name for column in _may_be_subjects(named, frame, y))


def _is_key(column: Column, rows: AskedRows) -> bool:
    """Return whether this is kept as the key of things that several rows each are of."""
    if column.role not in _NAMING:
        return False
    is_id = names_identifier(column.name) and _NAMES.isdisjoint(words_of(column.name))
    if not (is_id or are_uuids(distinct_values(rows.frame[column.name]))):
        return False
    return bool(fewest_values(value_codes(rows.frame, [column.name]), rows.y)[0] >= MIN_GROUPS)


def _may_be_subjects(
    columns: Sequence[Column], frame: pd.DataFrame, y: IntArray
) -> Iterator[Column]:
    """Columns of whole numbers or text whose values have rows of one class each, or nearly."""
    if not columns:
        return
    fractions = _with_fractions(frame, [column.name for column in columns])
    whole = [column for column in columns if column.name not in fractions]
    codes = value_codes(frame, [column.name for column in whole])
    is_numbering = fewest_values(codes, y) >= MIN_GROUPS
    purity = clustering(codes, y)
    for column, numbers, share in zip(whole, is_numbering, purity, strict=True):
        if numbers and share >= _least_clustering(column, frame):
            yield column


def _with_fractions(frame: pd.DataFrame, names: Sequence[str]) -> set[str]:
    """The columns whose numbers are not all whole."""
    numbers = Numbers.of(frame[list(names)])
    return {*numbers.which(~numbers.is_whole)}


@lru_cache(MOST_NAMES)
def _is_named(name: str) -> bool:
    return not _NAMING_WORDS.isdisjoint(words_of(name))


def _least_clustering(column: Column, frame: pd.DataFrame) -> float:
    """Return how clustered the values of a column must be for it to be asked about."""
    words, cells = words_of(column.name), frame[column.name]
    if not SUBJECT_WORDS.isdisjoint(words) or (column.role in _NAMING and _are_rounds(cells)):
        return -math.inf
    if column.reason == WHERE or not CODE_WORDS.isdisjoint(words) or _has_codes(cells):
        return CLUSTERED
    # Few names that say nothing of things are of a property, such as a continent.
    return PURE if column.n_values >= LEAST_MEASURED else math.inf


def _are_rounds(cells: pd.Series) -> bool:
    """Return whether most of many values have as many rows, as where each is measured so often."""
    n_rows = cells.value_counts()
    return len(n_rows) >= LEAST_MEASURED and float((n_rows == n_rows.max()).mean()) > MOSTLY


def _has_codes(cells: pd.Series) -> bool:
    """Return whether nearly all texts have a digit."""
    if cells.dtype.kind == "f":
        return False
    texts = distinct_values(cells)
    return sum(bool(CODE.match(str(text))) for text in texts) >= CLUSTERED * len(texts)


def _is_like_subject(column: Column, rows: AskedRows) -> bool:
    """Return whether the name says so, or rows of the same value resemble each other otherwise."""
    if column.role is Role.NAME or _is_named(column.name):
        return True
    is_other = [
        encoding.name != column.name for encoding in rows.encodings for _ in encoding.feature_names
    ]
    others = rows.encoded[:, is_other]
    if not others.shape[1]:
        return False
    gaps = np.isnan(others)
    filled = np.where(gaps, np.nanmean(others, axis=0), others) if gaps.any() else others
    cells = pd.factorize(rows.frame[column.name])[0]
    cells = np.where(cells < 0, len(cells) + np.arange(len(cells)), cells)
    return group_dependence(filled, rows.y, cells) <= CERTAIN


def _is_serial(rows: AskedRows) -> bool:
    """Return whether neighboring rows are alike both in their labels and in their features.

    Where labels come in random order they are exchangeable whatever the features do. Where the
    classes are told hardly less well without neighbors, it does not matter who they are.
    """
    if runs_z(rows.y) >= FEW_RUNS_Z or np.bincount(rows.y).min() < LEAST_DISTINCT:
        return False
    if serial_dependence(rows.X, rows.y) > CERTAIN:
        return False
    return share_owed_to_neighbors(rows.X, rows.y, _suggested_length(rows)) >= LEAST_OWED


def _near_rows(rows: AskedRows) -> int:
    """The number of rows that nearly repeat another; 0 if they are too few to matter."""
    doubles = rows.doubles
    if doubles is None or doubles.n_repeats < LEAST_NEAR * len(rows.y):
        return 0
    first = np.unique(doubles.groups, return_index=True)[1]
    return doubles.n_repeats if np.bincount(rows.y[first]).min() >= LEAST_DISTINCT else 0


def _subject_question(column: Column, rows: AskedRows) -> Question:
    short, independent = shortened(column.name), Choice(INDEPENDENT, "Rows are independent")
    cells = rows.frame[column.name]
    are_nested = rows.y.any() and is_nested(pd.factorize(cells)[0], rows.y)
    of_class = ", each of one class" if are_nested else ""
    return design_question(cells, rows.y, [independent]) or Question(
        SUBJECTS + column.name,
        f"Do rows with the same {short} belong together? It has {number(column.n_values)} values "
        f"in {number(len(rows.y))} rows{of_class}, as if each were measured several times.",
        (Choice(TOGETHER, "Keep them together"), independent),
    )


def _neighbor_question(rows: AskedRows, following: Sequence[str]) -> Question:
    n_rows = _suggested_length(rows)
    return Question(
        NEIGHBORS,
        "Do neighboring rows of the file belong together? Within their class they resemble each "
        "other more than rows in random order would.",
        (
            Choice(INDEPENDENT, "Rows are independent"),
            Choice(f"runs:{n_rows}", f"Keep runs of {number(n_rows)} together"),
            *(Choice(COLUMN + name, f"Keep each {shortened(name)} together") for name in following),
        ),
    )


def _suggested_length(rows: AskedRows) -> int:
    """As many rows as labels come in or, where these runs are long, as features resemble."""
    most = max(2, int(np.bincount(rows.y).min()) // FEWEST_BLOCKS)
    run = int(np.median(np.bincount(label_runs(rows.y))))
    return min(run if 2 <= run <= most else dependence_length(rows.X, rows.y), most)


def _following(rows: AskedRows) -> Iterator[str]:
    """Columns whose equal values stand together in the file, as those of a block do."""
    columns = [
        column.name
        for column in rows.columns
        if column.role is not Role.LABEL and 2 <= column.n_values <= len(rows.y) / LEAST_REPEATS
    ]
    for block in blocks(len(rows.y), len(columns)):
        codes = value_codes(rows.frame, columns[block])
        n_runs = 1 + (codes[:, 1:] != codes[:, :-1]).sum(axis=1)
        n_values = codes.max(axis=1) + 1
        is_block = (fewest_values(codes, rows.y) >= MIN_GROUPS) & (n_runs <= 1.2 * n_values)
        yield from (columns[block][place] for place in np.flatnonzero(is_block))


def _double_question(n_near: int) -> Question:
    return Question(
        DOUBLES,
        f"Are nearly equal rows repeats of the same thing? {count(n_near, 'row')} of the same "
        f"class {'is' if n_near == 1 else 'are'} far nearer to another than rows of this table "
        "are by themselves.",
        (
            Choice(TOGETHER, "Keep them together"),
            Choice(INDEPENDENT, "Rows are independent"),
        ),
    )
