"""What is asked about the names of classes: NA, upper and lower case, and their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import pandas as pd

from melm_studio.tables.classes import Classes, ClassRules, in_order, one_form
from melm_studio.tables.formatting import listed, shortened
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

LEAST_LETTERS = 3  # AA, Aa and aa are three genotypes
MOST_PROBED = 1_000  # values of a label

_WORD_CHOICES = (Choice(IS_MISSING, "Missing"), Choice(IS_CLASS, "A class"))
_CASE_CHOICES = (Choice(APART, "Keep them apart"), Choice(ONE, "They are one"))


def class_questions(
    table: Table, label: str, classes: Classes, answers: Mapping[str, str]
) -> Iterator[Question]:
    """What is asked about the names of the classes of a label.

    Parameters
    ----------
    table : Table
    label : str
    classes : Classes
    answers : mapping of str to str
        Checked ones, by the ids of the questions.
    """
    if said := table.missing_words.get(label):
        sentence = (
            f"Is {said.partition(' (')[0]} missing or a class? {shortened(label)} has {said}."
        )
        answer = answers.get(WORDS + label, "")
        yield Question(WORDS + label, sentence, _WORD_CHOICES, answer, IS_MISSING)
    if variants := case_variants(table.frame, label):
        pairs = [f"{one} and {other}" for one, other in variants.items()]
        sentence = f"Are names one that differ in capitals? {shortened(label)} has {listed(pairs)}."
        yield Question(CASE, sentence, _CASE_CHOICES, answers.get(CASE, ""), APART)
    if ORDER in answers:
        as_given = BELOW.join(classes.names)
        choice = Choice(answers[ORDER], "As you gave it")
        sentence = f"Which order have the classes? {shortened(as_given, 80)}."
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
    counts = frame[label].dropna().map(one_form).value_counts()
    if len(counts) > MOST_PROBED:
        return {}
    forms: dict[str, str] = {}
    for name in counts.index:  # the commonest first
        forms.setdefault(name.casefold(), name)
    return {
        name: forms[name.casefold()]
        for name in counts.index
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
