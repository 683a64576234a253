"""Answers to "are the classes told apart?" from held-out rows, in words, and their p-values.

The library, the page and programs use these words; `melm_studio.scores` adds what only a plane on
the page has.

If b of m values drawn under the null hypothesis are at least as large as the
observed one, p = (b + 1) / (m + 1) is a valid p-value that is never 0 (Phipson
and Smyth, 2010). Two rules stop the drawing early:

- Besag and Clifford (1991): once more than level * m values have exceeded the
  observed one, p cannot fall to the level any more. With b exceedances among n
  draws, p = b / n is also a valid p-value, and it is above the level: the
  decision is certain to be that of all m draws.
- Ding, Gandy and Hahn (2020), after Robbins (1970): the set of q with
  (n + 1) Binomial(b; n, q) > risk contains the true p-value at all n
  simultaneously with probability at least 1 - risk. Once the whole set is below
  the level, the result is significant except for that risk.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

from scipy.optimize import brentq

from melm_core.base.errors import UserError
from melm_core.base.share_text import p_value_text, percent

LEVEL = 0.05

LABELS_MAY_BE_USED = (
    "This judges the map as it is; if the labels were used to make it, only refitting can tell."
)

# An accuracy this share of the way from guessing to perfect is closer to perfect than to guessing.
_CLOSER_TO_PERFECT = 0.5

_ONE_SIDED = 1.645  # standard errors, for 95 %
_AT_CHANCE = 0.5  # standard errors above guessing that a share at chance may be
# Probability that the bounds ever exclude the true p-value.
DEFAULT_RISK = 1e-3

_IMPOSSIBLE = -1e300
_ROUNDING = 1e-9  # 0.29 * 100 is less than 29


class Answer(StrEnum):
    """The answer to "are held-out rows told apart by their classes?".

    Examples
    --------
    >>> from melm_core.answers import Answer, answer_of
    >>> answer_of(0.98, n_classes=3, p_value=0.005) is Answer.YES
    True
    """

    YES = "yes"
    PARTLY = "partly"
    NO = "no"
    UNKNOWN = "unknown"  # more rows or groups are needed


# The answers by which classes are told apart.
TOLD_APART = (Answer.YES, Answer.PARTLY)


def answer_of(
    accuracy: float,
    n_classes: int,
    p_value: float,
    *,
    smallest_p_value: float = 0.0,
    level: float = LEVEL,
) -> Answer:
    """Answer "are the classes told apart?".

    It is no unless the accuracy is above guessing with a p-value at or below the
    level, yes if the accuracy is at least as close to perfect as to guessing, and
    partly in between. It is unknown where no accuracy could reach the level.

    Parameters
    ----------
    accuracy : float
        Balanced accuracy of held-out rows, between 0 and 1.
    n_classes : int
        Guessing has the balanced accuracy 1 / n_classes.
    p_value : float
        Probability of as large a separation by chance.
    smallest_p_value : float, default=0.0
        The smallest p-value that the design allows.
    level : float, default=0.05

    Returns
    -------
    Answer

    Raises
    ------
    ValueError
        If there are fewer than two classes.

    Examples
    --------
    >>> from melm_core.answers import answer_of
    >>> [str(answer_of(accuracy, 2, p_value=0.01)) for accuracy in (0.95, 0.75, 0.6, 0.4)]
    ['yes', 'yes', 'partly', 'no']
    >>> str(answer_of(0.95, 2, p_value=0.2))
    'no'
    >>> str(answer_of(0.95, 2, p_value=0.2, smallest_p_value=0.1))
    'unknown'
    """
    if n_classes < 2:
        raise UserError(
            f"n_classes={n_classes} must be at least 2: one class cannot be told apart."
        )
    if smallest_p_value > level:
        return Answer.UNKNOWN
    chance = 1.0 / n_classes
    if p_value > level or accuracy <= chance:
        return Answer.NO
    skill = (accuracy - chance) / (1.0 - chance)
    return Answer.YES if skill >= _CLOSER_TO_PERFECT else Answer.PARTLY


def bound_at_chance(share: float, standard_error: float, units: Sequence[int]) -> float | None:
    """Return the upper 95 % bound of a share that folds leave at chance, or None.

    They do where the share is at most half a standard error above guessing and the bound is closer
    to guessing than to perfect, so that "yes" is out of reach. Then "not shown" can be said before
    any permutation; a permutation test may still find a small effect, which takes longer.

    Parameters
    ----------
    share : float
        Balanced accuracy of the held-out rows of all folds.
    standard_error : float
        Of the share, over the folds. That of guessing on as many units is taken where it is larger,
        as few folds may agree by chance.
    units : sequence of int
        Rows of each class or, if rows depend on each other, groups with rows of it.

    Returns
    -------
    float or None
        At most 1.

    Raises
    ------
    ValueError
        If there are fewer than two classes, or a class has no unit.

    Examples
    --------
    >>> from melm_core.answers import bound_at_chance
    >>> round(bound_at_chance(0.52, 0.05, (10, 10)), 2)
    0.7
    >>> bound_at_chance(0.8, 0.05, (10, 10)) is None, bound_at_chance(0.52, 0.05, (3, 3)) is None
    (True, True)
    """
    if len(units) < 2 or min(units) < 1:
        raise UserError(
            f"units={tuple(units)!r} must have a positive number for each of two classes or more."
        )
    chance = 1.0 / len(units)
    of_guessing = math.sqrt(chance * (1.0 - chance) * sum(1.0 / n for n in units)) / len(units)
    error = max(standard_error, of_guessing)
    bound = share + _ONE_SIDED * error
    is_close = bound - chance < _CLOSER_TO_PERFECT * (1.0 - chance)
    return bound if is_close and share - chance <= _AT_CHANCE * error else None


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


class EarlyEnd(StrEnum):
    """The decision at which a test stops early."""

    SIGNIFICANT = "significant"
    NOT_SIGNIFICANT = "not significant"


def p_value(n_exceeding: int, n_drawn: int) -> float:
    """Compute the p-value (b + 1) / (n + 1), with the observed value among the draws."""
    return (n_exceeding + 1) / (n_drawn + 1)


def p_value_bounds(
    n_exceeding: int, n_drawn: int, risk: float = DEFAULT_RISK
) -> tuple[float, float]:
    """Bounds of the limit of the p-value, valid simultaneously at all times.

    Parameters
    ----------
    n_exceeding, n_drawn : int
    risk : float
        Probability that the true value is ever outside.

    Returns
    -------
    lower, upper : float
    """
    share = n_exceeding / max(n_drawn, 1)

    def excess(q: float) -> float:
        return _log_mixture(q, n_exceeding, n_drawn) - math.log(risk)

    lower = brentq(excess, 0.0, share) if excess(0.0) < 0 else 0.0
    upper = brentq(excess, share, 1.0) if excess(1.0) < 0 else 1.0
    return float(lower), float(upper)


def enough_exceeding(n_planned: int, level: float) -> int:
    """Return the fewest exceedances whose share of `n_planned` draws is above the level."""
    return math.floor(level * n_planned + _ROUNDING) + 1


def early_end(n_exceeding: int, n_drawn: int, n_planned: int, *, level: float) -> EarlyEnd | None:
    """Return the decision if it is clear already; None if more draws are needed.

    Significance is decided by mistake with the probability `DEFAULT_RISK` at most.

    Parameters
    ----------
    n_exceeding, n_drawn : int
        Numbers so far.
    n_planned : int
        Number of draws without early stopping.
    level : float
        Significance level in (0, 1).
    """
    if n_exceeding >= enough_exceeding(n_planned, level):
        return EarlyEnd.NOT_SIGNIFICANT
    return EarlyEnd.SIGNIFICANT if _is_bounded_below(n_exceeding, n_drawn, level) else None


def is_settled_below(n_exceeding: int, n_drawn: int, n_planned: int, *, level: float) -> bool:
    """Return whether the p-value is and stays at or below the level, but for the risk.

    It does if no more draws are planned, if even exceedances alone could not lift it above the
    level, or if its upper bound lies below the level. That is ever said of a p-value whose limit is
    above the level with the probability `DEFAULT_RISK` at most.

    Parameters
    ----------
    n_exceeding, n_drawn : int
        Numbers so far.
    n_planned : int
        Number of draws without early stopping.
    level : float
        Significance level in (0, 1).

    Examples
    --------
    >>> from melm_core.answers import is_settled_below
    >>> [is_settled_below(0, n, 199, level=0.05) for n in (19, 189, 190, 199)]
    [False, False, True, True]
    """
    most = n_exceeding + n_planned - n_drawn
    return p_value(most, n_planned) <= level or _is_bounded_below(n_exceeding, n_drawn, level)


def _is_bounded_below(n_exceeding: int, n_drawn: int, level: float) -> bool:
    """Return whether the upper bound of the p-value lies below the level."""
    is_below = n_exceeding < level * n_drawn
    return is_below and _log_mixture(level, n_exceeding, n_drawn) < math.log(DEFAULT_RISK)


def _log_mixture(q: float, n_exceeding: int, n_drawn: int) -> float:
    """Compute the finite logarithm of (n + 1) Binomial(b; n, q): a large negative number for 0."""
    n_missed = n_drawn - n_exceeding
    if (q <= 0.0 and n_exceeding) or (q >= 1.0 and n_missed):
        return _IMPOSSIBLE
    log_choices = (
        math.lgamma(n_drawn + 1) - math.lgamma(n_exceeding + 1) - math.lgamma(n_missed + 1)
    )
    hits = n_exceeding * math.log(q) if n_exceeding else 0.0
    misses = n_missed * math.log1p(-q) if n_missed else 0.0
    return math.log(n_drawn + 1) + log_choices + hits + misses
