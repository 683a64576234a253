"""Answers in words and decisions, from p-values and shares of folds."""

from __future__ import annotations

from melm_core.answers.answers import (
    FIRST_WORDS,
    LABELS_MAY_BE_USED,
    LEVEL,
    TOLD_APART,
    Answer,
    answer_of,
    bound_at_chance,
    folds_lead,
    guessing_gives,
    new_rows_lead,
    shuffles_sentence,
)
from melm_core.answers.sequential_p_value import EarlyEnd, is_settled_below

__all__ = [
    "FIRST_WORDS",
    "LABELS_MAY_BE_USED",
    "LEVEL",
    "TOLD_APART",
    "Answer",
    "EarlyEnd",
    "answer_of",
    "bound_at_chance",
    "folds_lead",
    "guessing_gives",
    "is_settled_below",
    "new_rows_lead",
    "shuffles_sentence",
]
