"""Sentences on a share in cross-validation and its permutation test.

The library, the page and programs use these words; `melm_studio.scores` adds what only a plane on
the page has.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from melm_core.answers.answers import Answer
from melm_core.base.share_text import p_value_text, percent

FIRST_WORDS: Mapping[Answer | None, str] = MappingProxyType(
    {
        None: "",
        Answer.YES: "Yes. ",
        Answer.PARTLY: "Partly. ",
        Answer.NO: "No. ",
        Answer.UNKNOWN: "Cannot be decided. ",
    }
)


def folds_lead(
    share: float,
    n_classes: int,
    first_words: str = "",
    standard_error: float | None = None,
    *,
    within: str = "",
) -> str:
    """Say the share of held-out rows beside that of guessing, without a period.

    Parameters
    ----------
    share : float
        Balanced accuracy of held-out rows.
    n_classes : int
    first_words : str, default=""
        One of `FIRST_WORDS`.
    standard_error : float, optional
        Of the share.
    within : str, default=""
        What the classes are compared within, such as "patient".

    Examples
    --------
    >>> from melm_core.answers import folds_lead
    >>> folds_lead(0.98, 3, "Yes. ", 0.012)
    'Yes. 98 ± 1 % of held-out rows are told apart in cross-validation; guessing gives 33 %'
    """
    told = percent(share, standard_error)
    told = f"{told} of held-out rows are told apart in cross-validation"
    told = f"within each {within}, {told}" if within else told
    told = f"{told[:1].upper()}{told[1:]}"
    return f"{first_words}{told}; {guessing_gives(n_classes)}"


def guessing_gives(n_classes: int) -> str:
    """Say the balanced accuracy of guessing, as part of a sentence.

    Parameters
    ----------
    n_classes : int

    Examples
    --------
    >>> from melm_core.answers import guessing_gives
    >>> guessing_gives(2)
    'guessing gives 50 %'
    """
    return f"guessing gives {percent(1.0 / n_classes)}"


def new_rows_lead(share: float, share_before: float, n_classes: int) -> str:
    """Say the share of rows of a later lot beside that of held-out rows of the first.

    Parameters
    ----------
    share, share_before : float
        Balanced accuracies.
    n_classes : int

    Examples
    --------
    >>> from melm_core.answers import new_rows_lead
    >>> new_rows_lead(0.81, 0.84, 2)
    '81 % of them are told apart (held-out rows of the first: 84 %; guessing gives 50 %)'
    """
    before = f"held-out rows of the first: {percent(share_before)}"
    return f"{percent(share)} of them are told apart ({before}; {guessing_gives(n_classes)})"


def shuffles_sentence(n_exceeding: int, n_permutations: int, p_value: float) -> str:
    """Say how many permutations of the labels were separated as well.

    Parameters
    ----------
    n_exceeding, n_permutations : int
    p_value : float

    Examples
    --------
    >>> from melm_core.answers import shuffles_sentence
    >>> shuffles_sentence(0, 199, 0.005)
    'None of 199 shuffles came close (p = 0.005).'
    """
    words = p_value_text(p_value)
    if not n_exceeding:
        return f"None of {n_permutations:,} shuffles came close ({words})."
    return f"{n_exceeding:,} of {n_permutations:,} shuffles did as well ({words})."
