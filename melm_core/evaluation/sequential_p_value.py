"""Monte Carlo p-values that are known well enough before all values are drawn.

Of m values drawn under the null hypothesis b are at least as large as the
observed one; p = (b + 1) / (m + 1) is never 0 and never too small (Phipson and
Smyth, 2010). Two rules end the drawing early:

- Besag and Clifford (1991): once more than level * m values have exceeded the
  observed one, p cannot come down to the level any more. With b exceedances
  among n draws p = b / n, which is a valid p-value too, and above the level:
  the decision is that of all m draws, with certainty.
- Ding, Gandy and Hahn (2020), after Robbins (1970): the p-values q for which
  (n + 1) Binomial(b; n, q) > risk hold the true one at all n at once with
  probability 1 - risk at least. Once all of them lie below the level, the
  answer is clear except for that risk.
"""

from __future__ import annotations

import math
from enum import StrEnum

from scipy.optimize import brentq

# How often the bounds may miss the true p-value, at any time of the drawing.
DEFAULT_RISK = 1e-3

_IMPOSSIBLE = -1e300
_ROUNDING = 1e-9  # 0.29 * 100 is less than 29


class EarlyEnd(StrEnum):
    """What is known when the drawing ends early."""

    SIGNIFICANT = "significant"
    NOT_SIGNIFICANT = "not significant"


def p_value(n_exceeding: int, n_drawn: int) -> float:
    """(b + 1) / (n + 1), the observed value counted among the draws."""
    return (n_exceeding + 1) / (n_drawn + 1)


def p_value_bounds(
    n_exceeding: int, n_drawn: int, risk: float = DEFAULT_RISK
) -> tuple[float, float]:
    """Bounds of the p-value that endless drawing would give, valid at all times at once.

    Parameters
    ----------
    n_exceeding, n_drawn : int
    risk : float
        Probability that the true value is ever outside.
    """
    share = n_exceeding / max(n_drawn, 1)

    def excess(q: float) -> float:
        return _log_mixture(q, n_exceeding, n_drawn) - math.log(risk)

    lower = brentq(excess, 0.0, share) if excess(0.0) < 0 else 0.0
    upper = brentq(excess, share, 1.0) if excess(1.0) < 0 else 1.0
    return float(lower), float(upper)


def enough_exceeding(n_planned: int, level: float) -> int:
    """The fewest exceedances whose share of `n_planned` draws is above the level."""
    return math.floor(level * n_planned + _ROUNDING) + 1


def early_end(
    n_exceeding: int,
    n_drawn: int,
    n_planned: int,
    *,
    level: float,
    risk: float = DEFAULT_RISK,
) -> EarlyEnd | None:
    """The answer if it is clear already; None if more has to be drawn.

    Parameters
    ----------
    n_exceeding, n_drawn : int
        So far.
    n_planned : int
        Draws if there is no early end.
    level : float
        Significance level in (0, 1).
    risk : float
        Probability of calling significant what is not.
    """
    if n_exceeding >= enough_exceeding(n_planned, level):
        return EarlyEnd.NOT_SIGNIFICANT
    is_below = n_exceeding < level * n_drawn
    if is_below and _log_mixture(level, n_exceeding, n_drawn) < math.log(risk):
        return EarlyEnd.SIGNIFICANT  # the upper bound lies below the level
    return None


def _log_mixture(q: float, n_exceeding: int, n_drawn: int) -> float:
    """log((n + 1) Binomial(b; n, q)), finite: what cannot be is very unlikely."""
    n_missed = n_drawn - n_exceeding
    if (q <= 0.0 and n_exceeding) or (q >= 1.0 and n_missed):
        return _IMPOSSIBLE
    log_choices = (
        math.lgamma(n_drawn + 1) - math.lgamma(n_exceeding + 1) - math.lgamma(n_missed + 1)
    )
    hits = n_exceeding * math.log(q) if n_exceeding else 0.0
    misses = n_missed * math.log1p(-q) if n_missed else 0.0
    return math.log(n_drawn + 1) + log_choices + hits + misses
