"""Shares of what all visitors have in common: places in the queue, bytes, links, tokens, talks.

The less is free, the less one may take: an address as much as is free, and a visitor half of that.
So the first address leaves half to all others, and whoever comes next finds something left. Who
asks for more than a share is refused; nobody loses what they have.
"""

from __future__ import annotations


def share_of_address(total: int, used: int) -> int:
    """Return how much one address may have of a total of which `used` is taken.

    Examples
    --------
    >>> share_of_address(200, 0), share_of_address(200, 150), share_of_address(200, 200)
    (200, 50, 0)
    """
    return max(total - used, 0)


def share_of_visitor(total: int, used: int) -> int:
    """Return how much one visitor may have of a total of which `used` is taken.

    Examples
    --------
    >>> share_of_visitor(200, 0), share_of_visitor(200, 150), share_of_visitor(200, 199)
    (100, 25, 1)
    """
    free = share_of_address(total, used)
    return max(free // 2, min(free, 1))


def share_of_newcomers(share: int) -> int:
    """Return how much of the share of an address its visitors without runs may have.

    Cookies are free, so whoever has many leaves half to the visitors that the studio knows.

    Examples
    --------
    >>> share_of_newcomers(500)
    250
    """
    return share // 2
