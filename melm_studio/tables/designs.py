"""Designs of experiments: their factors, and subjects that appear under several labels."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as with_values
from itertools import chain, compress

import numpy as np
import pandas as pd
from msgspec.structs import replace
from scipy.special import chdtr, gammaln

from melm_core.base import FloatArray, IntArray
from melm_core.folds import stretches
from melm_core.recipe import Fill, Preparation, WithinSubjects
from melm_studio.tables.classes import Classes, without_rows
from melm_studio.tables.distinct import (
    Numbers,
    blocks,
    distinct_values,
    n_equal_pairs,
    neighbor_kappa,
    value_codes,
)
from melm_studio.tables.formatting import count, listed_in_sentence, number, shortened
from melm_studio.tables.frames import columns_of, number_columns
from melm_studio.tables.questions import (
    CATEGORIES,
    LEFT_OUT,
    MEASUREMENT,
    SHARED,
    SUBJECTS,
    TOGETHER,
    WITHIN,
    Choice,
    Question,
)
from melm_studio.tables.roles import FEATURES, Column, Role

LEAST_COMPARED = 3  # subjects, of which each fold leaves two for the fit
LEAST_ASKED = 5
MOSTLY = 0.5  # share of the subjects with several labels, for a question
MOST_LEVELS, MOST_COLUMNS = 10, 50  # of a factor, and looked at for factors
MOST_DESIGNED = 50_000  # rows
TOO_EVEN = 0.01  # how likely each class is divided as evenly by chance
LEAST_SHARING = 2  # rows for each thing, on average
MOST_EXCEPTIONS = 0.02  # of the next rows that would differ in random order
LEAST_OF_MANY, MOSTLY_ALIKE = 20, 0.8  # subjects, and share of them that appear alike

LEAST_KAPPA = 0.7  # of neighboring rows, for stretches of equal values
LEAST_FRACTIONS, MOST_PROBED = 2, 200  # numbers
LEAST_APART = 20  # neighboring rows that would differ in random order

_SHARED = "the same in all rows of each {}"
_NEARLY_SHARED = "the same in nearly all rows of each {}"
_IN_STRETCHES = "mostly the same in rows that follow each other in the file"
_AS_SHARED = (_IN_STRETCHES, _SHARED.format(""), _NEARLY_SHARED.format(""))
_CATEGORY = "a category in a table of numbers"
_MAY_BE_SHARED = (Choice(MEASUREMENT, "Measured"), Choice(LEFT_OUT, "Leave out"))
_WHY = (
    "Then what differs between them is taken out, and shuffles exchange labels within each alone."
)


def design_question(
    cells: pd.Series, y: IntArray, choices: Sequence[Choice] = ()
) -> Question | None:
    """Ask to compare within the values of a column, if most of them have several labels.

    Parameters
    ----------
    cells : Series
        The column, in the rows that have a class.
    y : ndarray of shape (n_samples,)
    choices : sequence of Choice, optional
        Further ones.
    """
    of_values = _n_labels(pd.factorize(cells)[0], y)
    n_classes, n_subjects = int(y.max()) + 1, len(of_values)
    n_compared = int((of_values > 1).sum())
    if n_compared < max(LEAST_ASKED, MOSTLY * n_subjects):
        return None
    name = shortened(str(cells.name))
    labels = "both labels" if n_classes == 2 else "several labels"
    who = f"Each {name} appears"
    if n_compared < n_subjects:
        who = f"{number(n_compared)} of {number(n_subjects)} values of {name} appear"
    return Question(
        SUBJECTS + str(cells.name),
        f"{who} under {labels}. Compare within each {name}? {_WHY}",
        (
            Choice(WITHIN, f"Within each {name}"),
            Choice(TOGETHER, "Only keep them together"),
            *choices,
        ),
        default=TOGETHER,
    )


def is_balanced(cells: pd.Series, y: IntArray) -> bool:
    """Return whether all values of a column have the same number of rows of each class.

    Of many, nearly all: of some pairs one may be missing.

    Examples
    --------
    >>> is_balanced(pd.Series([*"abcdeabcde"]), np.repeat([0, 1], 5))
    True
    """
    codes = pd.factorize(cells)[0]
    if codes.min() < 0 or codes.max() + 1 < LEAST_ASKED:
        return False
    table = _crossed(codes, y)
    usual = np.median(table, axis=0)
    least = 1.0 if len(table) < LEAST_OF_MANY else MOSTLY_ALIKE
    is_usual = (table == usual).all(axis=1).mean() >= least
    return bool(table.shape[1] > 1 and usual.min() > 0 and is_usual)


def factors(frame: pd.DataFrame, label: str, names: Sequence[str]) -> list[str]:
    """Find the factors of a design, which divides the rows of each class evenly over their levels.

    And what follows from one. By chance hardly any column would do so. Numbers may only follow from
    words, and a table of more rows was hardly designed.

    Parameters
    ----------
    frame : DataFrame
        The rows that have a class.
    label : str
    names : sequence of str
        Columns of few values.

    Examples
    --------
    >>> frame = pd.DataFrame({"dx": [*"xy"] * 24, "dose": [*"aabbcc"] * 8, "sex": [*"ffmf"] * 12})
    >>> frame["mg"] = frame["dose"].map({"a": 0.0, "b": 1.0, "c": 1.0})
    >>> factors(frame, "dx", ["dose", "sex", "mg"])
    ['dose', 'mg']
    """
    if len(frame) > MOST_DESIGNED:
        return []
    y = frame[label].array.factorize()[0]
    texts = [name for name in names if frame[name].dtype.kind != "f"][:MOST_COLUMNS]
    codes = {name: frame[name].array.factorize()[0] for name in texts}
    divided = {name: levels for name, levels in codes.items() if _is_divided(levels, y)}
    if not divided:
        return []
    others = [name for name in names[:MOST_COLUMNS] if name not in divided]
    following = [
        name
        for name in others
        if any(_follows(pd.factorize(frame[name])[0], levels) for levels in divided.values())
    ]
    return [*divided, *following]


def evenness(counts: IntArray) -> float:
    """Return how likely the rows of each part are spread as evenly over levels by chance.

    By the chi-squared distribution, which few rows do not quite have.

    Parameters
    ----------
    counts : ndarray of shape (n_parts, n_levels)
        Rows of each.

    Examples
    --------
    >>> even, uneven = np.array([[10, 10, 10]]), np.array([[14, 9, 7]])
    >>> evenness(even), round(evenness(uneven), 2)
    (0.0, 0.73)
    """
    expected = counts.mean(axis=1, keepdims=True)
    statistic = ((counts - expected) ** 2 / expected).sum()
    return float(chdtr(len(counts) * (counts.shape[1] - 1), statistic))


def _is_divided(levels: IntArray, y: IntArray) -> bool:
    """Return whether each class has as many rows of each level, but for a few."""
    if levels.min() < 0 or y.min() < 0 or y.max() < 1:
        return False
    counts = _crossed(y, levels)
    if evenness(counts) >= TOO_EVEN:
        return False
    # Of the multinomial distribution of each class.
    log_chance = gammaln(counts.sum(axis=1) + 1).sum() - gammaln(counts + 1).sum()
    return bool(log_chance - len(y) * math.log(counts.shape[1]) < math.log(TOO_EVEN))


def _follows(levels: IntArray, others: IntArray) -> bool:
    """Return whether rows of one level of the others are of one level, and none is missing."""
    n_pairs = len(np.unique(levels * (others.max() + 1) + others))
    return bool(levels.min() >= 0 and n_pairs == others.max() + 1)


def _crossed(codes: IntArray, others: IntArray) -> IntArray:
    """The number of rows of each pair of codes."""
    n_codes, n_others = int(codes.max()) + 1, int(others.max()) + 1
    counts = np.bincount(codes * n_others + others, minlength=n_codes * n_others)
    return counts.reshape(n_codes, n_others)


def _n_labels(codes: IntArray, y: IntArray) -> IntArray:
    """The number of classes of each value; codes are -1 where a value is missing."""
    is_known, n_classes = codes >= 0, int(y.max()) + 1
    pairs = np.unique(codes[is_known] * n_classes + y[is_known])
    return np.bincount(pairs // n_classes, minlength=int(codes.max()) + 1)


def is_nested(codes: IntArray, y: IntArray) -> bool:
    """Return whether the rows of each value are of one class.

    Parameters
    ----------
    codes : ndarray of int of shape (n_samples,)
        Of the values, -1 where one is missing.
    y : ndarray of int of shape (n_samples,)
        Of the classes.
    """
    return bool(_n_labels(codes, y).max(initial=0) == 1)


def compared_within(
    frame: pd.DataFrame, label: str, classes: Classes, answers: Mapping[str, str]
) -> tuple[Classes, dict[str, str], str]:
    """The classes without rows that have nothing to be compared with within their subject.

    Returns
    -------
    classes : Classes
    answers : dict of str to str
        Without that which compares within subjects, if too few have several labels.
    column : str
        Whose values are the subjects; empty without any.
    """
    asked = [
        question
        for question in answers
        if question.startswith(SUBJECTS) and answers[question] == WITHIN
    ]
    if not asked:
        return classes, dict(answers), ""
    column = asked[0].removeprefix(SUBJECTS)
    cells, name = frame[column].iloc[classes.rows], shortened(column)
    codes, values = pd.factorize(cells)
    is_alone = (codes < 0) | (np.append(_n_labels(codes, classes.y), 0)[codes] < 2)
    n_compared = len(np.unique(codes[~is_alone]))
    if n_compared < LEAST_COMPARED:
        has = (
            f"each of its {number(len(values))} values has one row"
            if len(values) == len(cells)
            else f"{number(n_compared)} of its {number(len(values))} values have several labels"
        )
        step = (
            f"Not compared within {name}: {has}, and {LEAST_COMPARED} are needed. Choose a column "
            "whose values repeat under each label, such as that of the patients, or keep rows "
            "together."
        )
        left = {question: answer for question, answer in answers.items() if question != asked[0]}
        return with_values(classes, steps=(*classes.steps, step)), left, ""
    if is_alone.any():
        n_alone = len(np.unique(codes[is_alone]))
        step = (
            f"Left out: {count(int(is_alone.sum()), 'row')} of "
            f"{count(n_alone, f'{name} that appears', f'values of {name} that appear')} under one "
            "label only, with nothing to compare within. To use them, only keep rows together."
        )
        classes = without_rows(classes, label, is_alone, step)
    return classes, dict(answers), column


def without_shared(
    columns: Sequence[Column],
    frame: pd.DataFrame,
    y: IntArray,
    *,
    subjects: str,
    answers: Mapping[str, str],
    roles: Collection[str],
) -> tuple[Column, ...]:
    """The columns, of which features that answers leave out as no measurements are information.

    And those that all rows of each subject share, where rows are compared within subjects.

    Parameters
    ----------
    columns : sequence of Column
    frame : DataFrame
        The rows that have a class, in the order of the file.
    y : ndarray of shape (n_samples,)
    subjects : str
        The column within whose values rows are compared; empty where there is none.
    answers : mapping of str to str
        Checked ones, by the ids of the questions; one that leaves no feature is not used.
    roles : collection of str
        Columns whose role the user chose.
    """
    if subjects:
        columns = _as_information(columns, _of_thing(columns, frame, subjects, most=0.0))
    categories = _few_categories(columns, frame, roles)
    if answers.get(CATEGORIES) == LEFT_OUT:
        columns = _as_information(columns, dict.fromkeys(categories, _CATEGORY))
    others = {*categories, *roles}
    for question, answer in answers.items():
        if question.startswith(SHARED) and answer == LEFT_OUT:
            free = [column for column in columns if column.name not in others]
            of_thing = _of_thing(free, frame, question.removeprefix(SHARED))
            rest = _as_information(columns, _in_stretches(free, frame, y) | of_thing)
            if any(column.role in FEATURES for column in rest):
                columns = rest
    return tuple(columns)


def _as_information(columns: Sequence[Column], reasons: Mapping[str, str]) -> tuple[Column, ...]:
    return tuple(
        replace(column, role=Role.INFO, reason=reasons[column.name])
        if column.name in reasons
        else column
        for column in columns
    )


def _few_categories(
    columns: Sequence[Column], frame: pd.DataFrame, roles: Collection[str]
) -> list[str]:
    """The categories beside as many measured numbers, also those that an answer left out.

    Most numbers of a table of measurements have fractions, those of a survey have none.
    """
    categories = [c.name for c in columns if c.role is Role.CATEGORICAL or c.reason == _CATEGORY]
    numbers = [c.name for c in columns if c.role is Role.NUMERIC or c.reason.startswith(_AS_SHARED)]
    if flags := {*_flags_beside_label(columns, frame)}.difference(categories):
        categories = [c.name for c in columns if c.name in flags.union(categories)]
        numbers = [name for name in numbers if name not in flags]
    if not 0 < len(categories) <= len(numbers):
        return []
    some = Numbers.of(columns_of(frame, numbers[:MOST_PROBED]))
    n_measured = np.count_nonzero(~some.is_whole)
    are_few = n_measured >= max(LEAST_FRACTIONS, len(categories), len(some.names) / 2)
    return [name for name in categories if name not in roles and are_few]


def _flags_beside_label(columns: Sequence[Column], frame: pd.DataFrame) -> list[str]:
    """The numbers 0 and 1 that stand beside such a label, and nowhere else, as of several labels.

    A table of numbers may end with what several questions are about: amazed, happy, calm, sad.
    """
    label = next((c for c in columns if c.role is Role.LABEL), None)
    if label is None or label.n_values != 2 or frame[label.name].dtype.kind != "f":
        return []
    may_be = (c for c in columns if c.n_values == 2 and (c.role is Role.NUMERIC or c is label))
    of_two = [c.name for c in may_be if {*distinct_values(frame[c.name])} == {0.0, 1.0}]
    places = [place for place, c in enumerate(columns) if c.name in of_two]
    are_together = label.name in of_two and places[-1] - places[0] == len(places) - 1
    return [name for name in of_two if name != label.name] if are_together else []


@dataclass(frozen=True)
class MaybeShared:
    """Features that may not be measurements of the rows.

    Rows share some, as the size of a school, which its pupils share, or the season in which rows
    that follow each other in the file were recorded. And categories in a table of numbers say where
    and how rows were recorded, or are another label, more often than not.

    Attributes
    ----------
    categories : sequence of str
        Beside as many measured numbers, also those that an answer left out.
    thing : str
        The column of whose values they are the same; empty if of none.
    reasons : mapping of str to str
        By the names of the columns, also of those that an answer left out.
    """

    categories: Sequence[str] = ()
    thing: str = ""
    reasons: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        columns: Sequence[Column],
        frame: pd.DataFrame,
        y: IntArray,
        *,
        things: Iterable[str],
        roles: Collection[str],
    ) -> MaybeShared:
        """The categories, and other features that rows share; none where all numbers are shared.

        Parameters
        ----------
        columns : sequence of Column
            With the roles that they have, after the answers.
        frame : DataFrame
            The rows that have a class, in the order of the file.
        y : ndarray of shape (n_samples,)
        things : iterable of str
            Columns whose values may say of which thing each row is; the first whose rows share
            features counts.
        roles : collection of str
            Columns whose role the user chose.
        """
        categories = _few_categories(columns, frame, roles)
        others = {*categories, *roles}
        free = [column for column in columns if column.name not in others]
        in_stretches = _in_stretches(free, frame, y)
        often = (thing for thing in things if frame[thing].nunique() <= len(frame) / LEAST_SHARING)
        for thing in chain(often, [""]):
            forms = [form.format(shortened(thing)) for form in (_SHARED, _NEARLY_SHARED)]
            left_out = {column.name: column.reason for column in free if column.reason in forms}
            of_thing = _of_thing(free, frame, thing)
            if thing and not (left_out or of_thing):
                continue
            sharing = in_stretches | of_thing
            if any(c.role is Role.NUMERIC and c.name not in sharing for c in columns):
                forms.append(_IN_STRETCHES)
                reasons = {c.name: sharing.get(c.name, c.reason) for c in free}
                shared = {name: why for name, why in reasons.items() if why in forms}
                return cls(categories, thing, shared)
        return cls(categories)

    def questions(self, answers: Mapping[str, str]) -> Iterator[Question]:
        """Ask whether they are measurements of the rows, if there are any.

        Parameters
        ----------
        answers : mapping of str to str
            Checked ones, by the ids of the questions.
        """
        if self.categories:
            is_one = len(self.categories) == 1
            why = f"{'a category' if is_one else 'categories'} in a table of numbers"
            yield _measured_question(CATEGORIES, self.categories, why, answers)
        if self.reasons:
            given = set(self.reasons.values())
            nearly = _NEARLY_SHARED.format(shortened(self.thing))
            if nearly in given:
                given.discard(_SHARED.format(shortened(self.thing)))
            why = " or ".join(sorted(given, key=_IN_STRETCHES.__eq__))
            yield _measured_question(SHARED + self.thing, [*self.reasons], why, answers)


def _measured_question(
    question: str, names: Sequence[str], why: str, answers: Mapping[str, str]
) -> Question:
    are, they = ("Are", "They are") if names[1:] else ("Is", "It is")
    return Question(
        question,
        f"{are} {listed_in_sentence(names)} measured of each row? {they} {why}.",
        _MAY_BE_SHARED,
        answers.get(question, ""),
        MEASUREMENT,
    )


def is_shared(column: Column) -> bool:
    """Return whether a column is information because all rows of a thing share it."""
    return column.reason.startswith(_AS_SHARED[1:])


def _of_thing(
    columns: Sequence[Column], frame: pd.DataFrame, thing: str, most: float = MOST_EXCEPTIONS
) -> dict[str, str]:
    """The features that rows of one thing share, with the reason; none is alone missing.

    A few may differ, as where a value was corrected. None where no column says of things.
    """
    if not thing:
        return {}
    names = [column.name for column in columns if column.role in FEATURES and column.name != thing]
    things = pd.factorize(frame[thing])[0]
    in_order = np.argsort(things, kind="stable")[np.count_nonzero(things < 0) :]
    is_same = np.diff(things[in_order]) == 0
    rows, next_rows = in_order[:-1][is_same], in_order[1:][is_same]
    differing: dict[str, float] = {}
    for block in blocks(len(frame), len(names)) if len(rows) else ():
        cells = columns_of(frame, names[block])
        before, after = cells.iloc[rows].to_numpy(), cells.iloc[next_rows].to_numpy()
        is_equal = (before == after) | (pd.isna(before) & pd.isna(after))
        differing |= dict(zip(names[block], 1 - is_equal.mean(axis=0), strict=True))
    return {
        name: (_NEARLY_SHARED if share else _SHARED).format(shortened(thing))
        for name, share in differing.items()
        if share <= most
        and (not share or share <= most * _share_of_other_pairs(frame[name]))
        and (not share or _share_of_exceptions(frame[name], things) <= most)
    }


def _share_of_exceptions(cells: pd.Series, things: IntArray) -> float:
    """The share of rows that have another value than most rows of the same thing."""
    codes = pd.factorize(cells, use_na_sentinel=False)[0]
    pairs = (things * (int(codes.max()) + 1) + codes)[things >= 0]
    values, n_rows = np.unique(pairs, return_counts=True)
    starts = np.flatnonzero(np.diff(values // (int(codes.max()) + 1), prepend=-1))
    return 1 - float(np.maximum.reduceat(n_rows, starts).sum()) / len(pairs)


def _in_stretches(columns: Sequence[Column], frame: pd.DataFrame, y: IntArray) -> dict[str, str]:
    """The features whose equal values stand together in the file, within classes, with the reason.

    Where, when and by whom rows were recorded changes from stretch to stretch of a file, what was
    measured from row to row.
    """
    often = [
        column.name
        for column in columns
        if column.role in FEATURES and column.n_values <= len(y) / LEAST_SHARING
    ]
    rows = stretches(len(y), 1)
    some, of_rows = (frame, y) if len(rows) == len(y) else (frame.iloc[rows], y[rows])
    standing: list[str] = []
    for block in blocks(len(rows), len(often)) if len(rows) > LEAST_APART else ():
        names = _often_as_next(some, often[block], of_rows)
        kappas = neighbor_kappa(value_codes(some, names), of_rows, LEAST_APART)
        standing += (names[place] for place in np.flatnonzero(kappas >= LEAST_KAPPA))
    return dict.fromkeys(standing, _IN_STRETCHES)


def _often_as_next(frame: pd.DataFrame, names: Sequence[str], y: IntArray) -> list[str]:
    """Leave out numbers that equal the next of their class too seldom to stand in stretches.

    Kappa is no larger than the share of rows that do.
    """
    in_order = np.argsort(y, kind="stable")
    is_class = (np.diff(y[in_order]) == 0)[:, None]
    cells = columns_of(frame, names)
    is_number = number_columns(cells)
    numbers = cells.loc[:, is_number].to_numpy()[in_order]
    is_missing = np.isnan(numbers)
    is_equal = (numbers[1:] == numbers[:-1]) | (is_missing[1:] & is_missing[:-1])
    may_stand = np.full(len(names), True)
    may_stand[is_number] = (is_equal & is_class).sum(axis=0) >= LEAST_KAPPA * is_class.sum()
    return [*compress(names, may_stand)]


def _share_of_other_pairs(cells: pd.Series) -> float:
    """The share of pairs of rows whose values differ."""
    return 1 - n_equal_pairs(cells) / math.comb(len(cells), 2)


@dataclass(frozen=True, eq=False)
class Centering:
    """Centering of the rows of a table within subjects, or none.

    Attributes
    ----------
    within : WithinSubjects or None
    preparation : Preparation
        Without what comes before.
    encoded, rows : ndarray of shape (n_samples, n_columns)
        The rows of the table before, and as the preparation takes them.
    subjects : Series or None
        Of each row.
    """

    within: WithinSubjects | None
    preparation: Preparation
    encoded: FloatArray
    rows: FloatArray
    subjects: pd.Series | None

    @classmethod
    def of(
        cls, preparation: Preparation, encoded: FloatArray, subjects: pd.Series | None
    ) -> Centering:
        """The steps of a recipe before the subjects' means are subtracted; folds fit the rest.

        Raises
        ------
        UserError
            If a step cannot be computed for these rows.
        """
        recipe = preparation.recipe
        if subjects is None:
            return cls(None, preparation, encoded, encoded, None)
        rules, keeps_gaps = None, recipe.missing.fill is not Fill.CONSTANT
        if recipe.steps or not keeps_gaps:
            missing = replace(recipe.missing, indicator=False)
            first = with_values(preparation, recipe=replace(recipe, missing=missing))
            rules = first.fit(encoded, subjects.index.to_numpy(np.int64) + 1).rules
        within = WithinSubjects(str(subjects.name), rules, keeps_gaps)
        rest = with_values(preparation, recipe=replace(recipe, steps=()))
        rows = within.centered(encoded, pd.factorize(subjects)[0])
        return cls(within, rest, encoded, rows, subjects)

    def beside(self, encoded: FloatArray, subjects: pd.Series) -> FloatArray:
        """Rows without a class as the preparation takes them, beside those of their subjects."""
        if self.within is None:
            return encoded
        every = pd.concat([self.subjects, subjects])
        together = np.vstack([self.encoded, encoded])
        return self.within.centered(together, pd.factorize(every)[0])[len(self.encoded) :]
