"""Values that come from elsewhere, taken only as this studio writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from melm_core.base import UserError
from melm_core.methods import Setting

LONGEST_TEXT = 2_000
LARGEST = 1e300

_HEX_DIGITS = frozenset("0123456789abcdef")
_LONGEST_SHOWN = 60


class ReadingError(UserError):
    """Something is not as this studio writes it; a sentence for the user."""


def fields(values: Any, known: Sequence[str], what: str) -> Mapping[str, Any]:
    """Return values by name, all of them known."""
    if not isinstance(values, Mapping):
        raise ReadingError(f"{what} is given by names and values, not by {shown(values)}.")
    unknown = [key for key in values if key not in known]
    if unknown:
        raise ReadingError(f"{what} has no {shown(unknown[0])}. It has {', '.join(known)}.")
    return values


def setting(known: Setting, value: Any) -> Any:
    """Return the value of a parameter within its bounds."""
    try:
        return known.checked(value)
    except OverflowError:
        raise ReadingError(f"{known.label} is far too large.") from None
    except ValueError as error:
        raise ReadingError(str(error)) from None


def one_of(value: Any, known: Sequence[str], what: str) -> str:
    """Return one of a few words."""
    if not isinstance(value, str) or value not in known:
        raise ReadingError(f"{what} is one of {', '.join(known)}; it is {shown(value)}.")
    return value


def text(value: Any, what: str, *, may_be_empty: bool = False) -> str:
    """Return text of moderate length."""
    if isinstance(value, str) and (may_be_empty or value) and len(value) <= LONGEST_TEXT:
        return value
    lowest = 0 if may_be_empty else 1
    raise ReadingError(
        f"{what} is text of {lowest} to {LONGEST_TEXT} letters; it is {shown(value)}."
    )


def sha256(value: Any, what: str) -> str:
    """Return a SHA-256 in hexadecimal."""
    if not isinstance(value, str) or len(value) != 64 or not _HEX_DIGITS.issuperset(value):
        raise ReadingError(f"{what} is a SHA-256 of 64 digits; it is {shown(value)}.")
    return value


def truth(value: Any, what: str) -> bool:
    """Return yes or no."""
    if not isinstance(value, bool):
        raise ReadingError(f"{what}: yes or no; it is {shown(value)}.")
    return value


def whole_number(value: Any, what: str, lowest: int, highest: int) -> int:
    """Return a whole number within bounds."""
    if not is_number(value) or value != int(value) or not lowest <= value <= highest:
        raise ReadingError(
            f"{what} is a whole number from {lowest} to {highest}; it is {shown(value)}."
        )
    return int(value)


def number(value: Any, what: str, lowest: float = -LARGEST, highest: float = LARGEST) -> float:
    """Return a number within bounds."""
    if not is_number(value) or not lowest <= value <= highest:
        raise ReadingError(
            f"{what} is a number from {lowest:g} to {highest:g}; it is {shown(value)}."
        )
    return float(value)


def numbers(value: Any, what: str, largest: float, length: int | None = None) -> list[float]:
    """Return numbers within bounds, so many or at least one."""
    return [number(part, what, -largest, largest) for part in parts(value, what, length)]


def parts(value: Any, what: str, length: int | None = None) -> Sequence[Any]:
    """Return the parts of a list, so many or at least one."""
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    if not is_list or (len(value) != length if length else not value):
        expected = f"{length} parts" if length else "parts"
        raise ReadingError(f"{what} is a list of {expected}; it is {shown(value)}.")
    return value  # type: ignore[no-any-return]


def is_number(value: Any) -> bool:
    """Return whether the value is a number, and neither infinite nor none."""
    is_one = isinstance(value, int | float) and not isinstance(value, bool)
    return is_one and abs(value) <= LARGEST


def shown(value: Any) -> str:
    """Return the value as it can stand in a sentence."""
    words = repr(value)
    return words if len(words) <= _LONGEST_SHOWN else f"{words[: _LONGEST_SHOWN - 1]}…"
