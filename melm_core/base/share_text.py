"""The one formatter of shares; the page has its twin in `number_text.mjs`."""

from __future__ import annotations

_ALMOST_ALL = 0.995
# Halves are rounded up, as the page does, however products are rounded.
_HALF_UP = 1e-9


def percent(share: float) -> str:
    """A share as a percentage that is 100 % for 1 only.

    Parameters
    ----------
    share : float
        Between 0 and 1.

    Examples
    --------
    >>> from melm_core.base import percent
    >>> [percent(share) for share in (0.125, 0.984, 0.999, 1.0)]
    ['13 %', '98 %', 'over 99 %', '100 %']
    """
    return "over 99 %" if _ALMOST_ALL <= share < 1.0 else f"{100.0 * share + _HALF_UP:.0f} %"
