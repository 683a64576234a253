"""Numbers, counts, row references and lists of names, as messages to the user show them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

NAMES_SHOWN = 5
MOST_NAMES = 50_000  # whose words are kept, since each is asked for several times
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")  # splits sample_id and SampleId
_NO_LETTERS = re.compile("[^a-z]+")

# How a day is written that is not as ISO has it, and a time of it: 24.12.2021, 12/24/21, 24-Dec-21.
DAY = re.compile(
    r"(?P<first>[0-9]{1,2})(?P<mark>[./-])(?P<second>[0-9]{1,2}|[A-Za-z]{3})(?P=mark)"
    r"(?P<year>[0-9]{4}|(?:(?<=/)|(?<=[A-Za-z]-))[0-9]{2})"
    r"(?:$|,?[ T](?P<clock>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)"
    r"(?: ?(?P<half>[AaPp])[Mm])?)"
)


@lru_cache(MOST_NAMES)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words in a column name, in lower case."""
    return tuple(word.lower() for word in WORD.findall(name))


def letters_of(name: str) -> str:
    """Return the letters from a to z of a name, in lower case, whatever stands between them."""
    return _NO_LETTERS.sub("", name.lower())


def number(value: float) -> str:
    """Write a number with commas between the thousands: ``1,797``."""
    return f"{value:,}"


def count(n: int, noun: str, plural: str | None = None) -> str:
    """Write a number with its noun: ``1 row``, ``1,797 rows``, ``2 categories``."""
    return f"{number(n)} {noun if n == 1 else plural or noun + 's'}"


def listed(names: Sequence[str], separator: str = ", ") -> str:
    """Join up to five names and give the number of the rest."""
    shown = separator.join(shortened(name) for name in names[:NAMES_SHOWN])
    more = len(names) - NAMES_SHOWN
    return f"{shown} and {number(more)} more" if more > 0 else shown


def listed_in_sentence(names: Sequence[str]) -> str:
    """Join names as `listed` does, but two by "and"."""
    return listed(names, " and " if len(names) == 2 else ", ")


def shortened(text: str, width: int = 40) -> str:
    """Fit text of any length on one line of at most `width` characters.

    It is cut in the middle, since names that are long often begin alike and differ at their ends.
    """
    if len(text) > 20 * width:
        text = f"{text[: 10 * width]} {text[-10 * width :]}"
    line = " ".join(text.split())
    if len(line) <= width:
        return line
    n_last = (width - 1) // 2
    return f"{line[: width - 1 - n_last]}…{line[-n_last:]}"


def place(row: int) -> str:
    """Name a row of the file, counted from its first line."""
    return f"row {number(row)} (the first line is row 1)"


def number_text(value: float) -> str:
    """Write a number as in a table: ``3`` rather than ``3.0``."""
    is_whole = float(value).is_integer() and abs(value) < 1e15
    return str(int(value)) if is_whole else str(float(value))


def told_apart(names: Sequence[str], width: int = 40) -> list[str]:
    """Fit each name on one line as `shortened` does, but cut alike ones where they do not differ.

    Examples
    --------
    >>> told_apart(["channel 1 of the long device", "channel 2 of the long device"], 15)
    ['channe…1…device', 'channe…2…device']
    """
    plain = [shortened(name, width) for name in names]
    alike: dict[str, list[int]] = {}
    for index, text in enumerate(plain):
        alike.setdefault(text, []).append(index)
    for places in alike.values():
        group = [" ".join(names[index].split()) for index in places]
        if len({*group}) > 1:
            n_first = n_shared(group)
            n_last = n_shared([name[n_first:][::-1] for name in group])
            for index, one in zip(places, group, strict=True):
                plain[index] = _around(one, n_first, len(one) - n_last, width)
    return plain


def n_shared(texts: Sequence[str]) -> int:
    """Count the first characters that all have in common."""
    return sum(1 for _ in takewhile(lambda each: len({*each}) == 1, zip(*texts, strict=False)))


def _around(text: str, start: int, end: int, width: int) -> str:
    """The word from `start` to `end`, with as much of the text around it as fits."""
    while start > 0 and text[start - 1].isalnum() and end - start < width // 3:
        start -= 1
    while end < len(text) and text[end].isalnum() and end - start < width // 3:
        end += 1
    middle = shortened(text[start:end].strip(), width - 2)
    n_around = width - 2 - len(middle)
    n_last = min(n_around // 2 + n_around % 2, len(text) - end)
    first = text[: min(n_around - n_last, start)].rstrip()
    last = text[len(text) - n_last :].lstrip() if n_last else ""
    return f"{first}…{middle}{'…' if last else ''}{last}"
