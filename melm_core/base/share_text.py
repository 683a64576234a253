"""The formatters of shares, p-values and counts; the page has its twin in `number_text.mjs`."""

from __future__ import annotations

_ALMOST_ALL, _MOST_BELOW_ALL = 0.995, 99.9
# Halves are rounded up, as the page does, however products are rounded.
_HALF_UP = 1e-9
_LEAST_P = 0.001


def percent(share: float, standard_error: float | None = None) -> str:
    """Format a share as a percentage that is 100 % for 1 only, perhaps with its standard error.

    Parameters
    ----------
    share : float
        Between 0 and 1.
    standard_error : float, optional
        Left out where it rounds to 0, since "± 0" promises more than is known.

    Examples
    --------
    >>> from melm_core.base import percent
    >>> [percent(share) for share in (0.125, 0.984, 0.999, 1.0)]
    ['13 %', '98 %', 'over 99 %', '100 %']
    >>> [percent(share, 0.006) for share in (0.984, 0.999)], percent(1.0, 0.0)
    (['98 ± 1 %', '99.9 ± 0.6 %'], '100 %')
    """
    is_almost_all = _ALMOST_ALL <= share < 1.0
    error = 100.0 * (standard_error or 0.0)
    if is_almost_all and round(error):
        return f"{min(100.0 * share, _MOST_BELOW_ALL):.1f} ± {error:.1f} %"
    text = "over 99" if is_almost_all else f"{100.0 * share + _HALF_UP:.0f}"
    return f"{text} ± {error:.0f} %" if round(error) else f"{text} %"


def counted(number: int, noun: str) -> str:
    """Write a number with its noun: ``1 row``, ``1,797 rows``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def p_value_text(p_value: float) -> str:
    """Format a p-value with three decimals, never 0.000.

    Parameters
    ----------
    p_value : float
        Between 0 and 1.

    Examples
    --------
    >>> from melm_core.base import p_value_text
    >>> p_value_text(0.005), p_value_text(0.0004)
    ('p = 0.005', 'p < 0.001')
    """
    is_small = p_value < _LEAST_P
    return f"p {p_value_figure(p_value)}" if is_small else f"p = {p_value_figure(p_value)}"


def p_value_figure(p_value: float) -> str:
    """Format a p-value for a column that is named p.

    Parameters
    ----------
    p_value : float

    Examples
    --------
    >>> from melm_core.base import p_value_figure
    >>> p_value_figure(0.0004)
    '< 0.001'
    """
    return f"< {_LEAST_P}" if p_value < _LEAST_P else f"{p_value:.3f}"
