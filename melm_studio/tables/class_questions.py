"""Questions about the names of classes: NA, upper and lower case, and their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import msgspec
import pandas as pd

from melm_core.base import CODES
from melm_studio.tables.as_written import MISSING_WORDS
from melm_studio.tables.cells import far_from
from melm_studio.tables.classes import MAX_CLASSES, Classes, ClassRules, in_order, one_form
from melm_studio.tables.distinct import value_counts
from melm_studio.tables.formatting import count, listed, number_text, shortened
from melm_studio.tables.questions import (
    APART,
    BELOW,
    CASE,
    IS_CLASS,
    IS_MISSING,
    ONE,
    ORDER,
    WORDS,
    Choice,
    Question,
)
from melm_studio.tables.read import Table
from melm_studio.tables.scales import UNKNOWN, is_among, ordered_levels

LEAST_LETTERS = 3  # AA, Aa and aa are three genotypes
LEAST_OTHERS = 2  # classes beside those of a code
MOST_PROBED = 1_000  # values of a label

_PERHAPS_MISSING = UNKNOWN | {"none", "nil"}
_WORD_CHOICES = (Choice(IS_MISSING, "Missing"), Choice(IS_CLASS, "A class"))
_CASE_CHOICES = (Choice(APART, "Keep them apart"), Choice(ONE, "They are the same"))


def without_missing_words(
    table: Table, label: str, rules: ClassRules, answers: Mapping[str, str]
) -> tuple[Table, tuple[Question, ...]]:
    """The table without words of the label that say that a class is missing, and the question.

    "Unknown" and codes such as -9 are taken for missing while there is no answer. What "none" is
    only its owner knows, so it is a class that needs an answer before a yes. Neither is asked about
    of a table in which fewer than two other classes remain, nor "none" below "mild".

    Parameters
    ----------
    table : Table
    label : str
    rules : ClassRules
        What the user says of the classes: nothing is asked about what these name.
    answers : mapping of str to str
        Checked ones, by the ids of the questions.
    """
    missing = _missing_words(table.frame, label, rules)
    read = table.missing_words.get(label, "")
    if not (missing or read):
        return table, ()
    said = listed(
        [*([read] if read else []), *(f"{w} ({count(n, 'row')})" for w, n in missing.items())]
    )
    sentence = f"Is {said.partition(' (')[0]} missing or a class? {shortened(label)} has {said}."
    is_number = table.frame[label].dtype.kind == "f"
    are_unknown = bool(read) or is_number or any(is_among(word, UNKNOWN) for word in missing)
    default = IS_MISSING if are_unknown else ""
    question = Question(
        WORDS + label, sentence, _WORD_CHOICES, answers.get(WORDS + label, ""), default
    )
    if (question.answer or default) == IS_MISSING and missing:
        cells = table.frame[label]
        forms = cells.map(_form, na_action="ignore")
        named = cells.mask(forms.isin(list(missing)))
        table = replace(table, frame=table.frame.assign(**{label: named}))
    return table, (question,)


def _missing_words(frame: pd.DataFrame, label: str, rules: ClassRules) -> dict[str, int]:
    """The words of a label that may say that a class is missing, and how many rows have each."""
    if label not in frame or frame[label].dtype.kind in "iub":
        return {}
    if frame[label].dtype.kind == "f":
        return _missing_codes(frame[label], rules)
    every = value_counts(frame[label])
    counts = {name: n for name, n in every.items() if name not in MISSING_WORDS}
    if len(counts) > MOST_PROBED or ordered_levels(map(one_form, map(str, counts)), 2):
        return {}
    missing = {
        form: n
        for name, n in counts.items()
        if is_among(form := one_form(str(name)), _PERHAPS_MISSING) and form not in rules.names
    }
    n_others = sum(n > 1 for n in counts.values()) - sum(n > 1 for n in missing.values())
    return missing if n_others > 1 else {}


def _missing_codes(cells: pd.Series, rules: ClassRules) -> dict[str, int]:
    """The numbers of a label that stand for a missing class, as -9 does beside 1 and 2."""
    counts = value_counts(cells)
    others = [value for value in counts if value not in CODES]
    if len(counts) > MAX_CLASSES or len(others) < LEAST_OTHERS:
        return {}
    return {
        form: counts[code]
        for code in far_from(others, [value for value in counts if value in CODES])
        if (form := _form(code)) not in rules.names
    }


def _form(cell: str | float) -> str:
    return one_form(cell) if isinstance(cell, str) else number_text(cell)


def class_questions(
    frame: pd.DataFrame, label: str, classes: Classes, answers: Mapping[str, str]
) -> Iterator[Question]:
    """Return the questions about the names of the classes of a label.

    Parameters
    ----------
    frame : DataFrame
    label : str
    classes : Classes
    answers : mapping of str to str
        Checked ones, by the ids of the questions.
    """
    if variants := case_variants(frame, label):
        pairs = [f"{name} and {other}" for name, other in variants.items()]
        sentence = f"Are names one if only capitals differ? {shortened(label)} has {listed(pairs)}."
        yield Question(CASE, sentence, _CASE_CHOICES, answers.get(CASE, ""), APART)
    if ORDER in answers:
        as_given = BELOW.join(classes.names)
        choice = Choice(answers[ORDER], "As you gave it")
        sentence = f"In which order are the classes? {shortened(as_given, 80)}."
        yield Question(ORDER, sentence, (choice,), answers[ORDER], "")


def case_variants(frame: pd.DataFrame, label: str) -> dict[str, str]:
    """The commonest form of each name that differs from another one in capitals alone.

    Examples
    --------
    >>> case_variants(pd.DataFrame({"tree": ["Beech", "beech", "Beech"]}), "tree")
    {'beech': 'Beech'}
    """
    if label not in frame or frame[label].dtype.kind in "fiub":
        return {}
    counts: Counter[str] = Counter()
    for text, n_rows in value_counts(frame[label]).items():
        counts[one_form(str(text))] += n_rows
    if len(counts) > MOST_PROBED:
        return {}
    names = [name for name, _ in counts.most_common()]
    forms: dict[str, str] = {}
    for name in names:
        forms.setdefault(name.casefold(), name)
    return {
        name: forms[name.casefold()]
        for name in names
        if forms[name.casefold()] != name and len(name) >= LEAST_LETTERS
    }


def with_one_case(
    rules: ClassRules, frame: pd.DataFrame, label: str, answers: Mapping[str, str]
) -> ClassRules:
    """The rules that also join names that differ in capitals, where an answer says so."""
    if answers.get(CASE) != ONE:
        return rules
    variants = case_variants(frame, label)
    joined = {name: rules.names.get(form, form) for name, form in variants.items()}
    return msgspec.structs.replace(rules, names={**joined, **rules.names})


def ordered_classes(
    classes: Classes, given: Sequence[str], answers: Mapping[str, str]
) -> tuple[Classes, bool]:
    """The classes in the order that was given, and whether an answer names others than these.

    Filters and rules may have left some of the classes that were given, or made others, which
    stand last.
    """
    if given:
        places = {name: place for place, name in enumerate(given)}
        ordered = sorted(classes.names, key=lambda name: places.get(name, len(places)))
        return in_order(classes, ordered), False
    names = tuple(filter(None, answers.get(ORDER, "").split(BELOW)))
    if not names:
        return classes, False
    if {*names} != {*classes.names} or len(names) != len(classes.names):
        return classes, True
    return in_order(classes, names), False
