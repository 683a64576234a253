"""Errors whose message is written for the user."""

from __future__ import annotations


class UserError(ValueError):
    """An invalid value or invalid data.

    The message is a sentence for the user: it names the value, the rule it
    breaks and the way out. Programs show it as it is. The messages of other
    errors are for developers.

    Examples
    --------
    >>> from melm_core import MELM
    >>> from melm_core.base import UserError
    >>> try:
    ...     MELM(gamma=-1.0).fit([[0.0, 1.0], [1.0, 0.0]] * 4, [0, 1] * 4)
    ... except UserError as error:
    ...     print(error)
    gamma=-1.0 must be a finite number above 0.
    """
