"""Text of tables and files as a language model reads it: visible, bounded, and told as data.

Whoever made a table may have written instructions into its names, or hidden them from people by
letters without width and by turns of the direction of writing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

MOST_NAME = 80
MOST_SENTENCE = 800
# What the studio says, which quotes names; all other text may be of the table.
_SENTENCES = {
    "words",
    "sentence",
    "steps",
    "warnings",
    "notes",
    "batches",
    "refusals",
    "is_it_real",
}
_ADDRESSES = {"page", "files", "saved"}
_LINE_ENDS = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]+")
# Format, control, private and unassigned characters, and half pairs.
_UNSEEN = {"Cf", "Cc", "Co", "Cn", "Cs"}
# Letters and marks by their category, which nobody sees: fillers, and selectors of variants.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def visible(text: str, most: int = MOST_NAME) -> str:
    """Return a text on one line, without invisible characters, at most as long as a name.

    Examples
    --------
    >>> visible("gl\\u200bucose\\u202e\\n(mg)")
    'glucose (mg)'
    >>> visible("a" * 100, 12)
    'aaaaaaaaaaa…'
    """
    spaced = _BLANK.sub("", _LINE_ENDS.sub(" ", text))
    seen = "".join(mark for mark in spaced if unicodedata.category(mark) not in _UNSEEN)
    line = " ".join(seen.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


class ModelText:
    """Names as they were shown to a model, and the originals that it means by them."""

    def __init__(self) -> None:
        self._originals: dict[str, str] = {}

    def told(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Return an answer, as JSON has it, in which every text is `visible`.

        Names are cut, also where sentences quote them.
        """
        named = {key: self._named(value, key) for key, value in answer.items()}
        return {key: self._said(value, key) for key, value in named.items()}

    def sentence(self, text: str) -> str:
        """Return a sentence with the names in it as they are told."""
        for told, original in self._originals.items():
            text = text.replace(original, told)
        return visible(text, MOST_SENTENCE)

    def meant(self, text: str) -> str:
        """Return the name that was told so, or the text itself."""
        return self._originals.get(text, text)

    def _named(self, value: Any, key: str) -> Any:
        """Return the value with its names as they are shown."""
        if isinstance(value, Mapping):
            return {
                self._name(str(name)): self._named(each, str(name)) for name, each in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._named(each, key) for each in value]
        if not isinstance(value, str) or key in _SENTENCES:
            return value
        return visible(value, MOST_SENTENCE) if key in _ADDRESSES else self._name(value)

    def _said(self, value: Any, key: str) -> Any:
        """Return the value with its sentences as they are shown."""
        if isinstance(value, Mapping):
            return {name: self._said(each, name) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return [self._said(each, key) for each in value]
        return self.sentence(value) if isinstance(value, str) and key in _SENTENCES else value

    def _name(self, text: str) -> str:
        """Return the form in which a name is shown, numbered where another one looks the same."""
        number, told = 1, visible(text)
        while self._originals.get(told, text) != text:
            number += 1
            told = f"{visible(text)} ({number})"
        if told != text:
            self._originals[told] = text
        return told
