"""Monte Carlo p-values with early stopping.

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
from enum import StrEnum

from scipy.optimize import brentq

# Probability that the bounds ever exclude the true p-value.
DEFAULT_RISK = 1e-3

_IMPOSSIBLE = -1e300
_ROUNDING = 1e-9  # 0.29 * 100 is less than 29


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
    >>> from melm_core.answers.sequential_p_value import is_settled_below
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
