"""The result of a check in words: the answer first, then its numbers."""

from __future__ import annotations

from melm_core.base.share_text import percent
from melm_core.evaluation.answers import Answer

_FIRST_WORDS = {
    None: "",
    Answer.YES: "Yes.",
    Answer.PARTLY: "Partly.",
    Answer.NO: "No.",
    Answer.UNKNOWN: "Cannot be decided.",
}


def verdict(
    answer: Answer | None,
    accuracy: float,
    n_classes: int,
    *,
    n_permutations: int = 0,
    n_exceeding: int = 0,
    p_value: float | None = None,
) -> str:
    """The answer, the cross-validated accuracy beside that of guessing, and the p-value.

    "In cross-validation" keeps it apart from the accuracy of the rows that one plane holds out.

    Parameters
    ----------
    answer : Answer or None
        See `answer_of`; None if it is not known yet.
    accuracy : float
        Balanced accuracy of held-out rows in cross-validation.
    n_classes : int
    n_permutations, n_exceeding : int
        Permutations of the labels, and those that were separated as well.
    p_value : float or None
        Of the permutation test.

    Returns
    -------
    str

    Examples
    --------
    >>> from melm_core.evaluation import Answer, verdict
    >>> verdict(Answer.YES, 0.98, 3, n_permutations=199, p_value=0.005)
    'Yes. 98 % of held-out rows are told apart in cross-validation; guessing gives 33 %. None of \
199 shuffles came close (p = 0.005).'
    """
    share = percent(accuracy)
    rows = f"{share[:1].upper()}{share[1:]} of held-out rows"
    guessing = percent(1.0 / n_classes)
    numbers = f"{rows} are told apart in cross-validation; guessing gives {guessing}."
    shuffles = _shuffles(n_permutations, n_exceeding, p_value)
    return " ".join(filter(None, (_FIRST_WORDS[answer], numbers, shuffles)))


def p_value_in_words(p_value: float) -> str:
    """A p-value with three decimals, never 0.000.

    Parameters
    ----------
    p_value : float

    Examples
    --------
    >>> from melm_core.evaluation import p_value_in_words
    >>> p_value_in_words(0.005), p_value_in_words(0.0004)
    ('p = 0.005', 'p < 0.001')
    """
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def _shuffles(n_permutations: int, n_exceeding: int, p_value: float | None) -> str:
    if p_value is None or not n_permutations:
        return ""
    p = p_value_in_words(p_value)
    if not n_exceeding:
        return f"None of {n_permutations:,} shuffles came close ({p})."
    return f"{n_exceeding:,} of {n_permutations:,} shuffles did as well ({p})."
