"""Categories that have an order: low, medium, high."""

from __future__ import annotations

import re
from collections.abc import Iterable

MIN_LEVELS = 3  # two categories need no order
# Every known scale, from its lowest category to its highest. Alternatives share a position.
SCALES: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("very low",), ("low",), ("medium", "moderate", "normal", "middle"), ("high",),
     ("very high",)),
    (("none", "absent"), ("mild",), ("moderate",), ("severe",), ("very severe", "critical")),
    (("very poor", "very bad"), ("poor", "bad"), ("fair", "average", "ok", "neutral"),
     ("good",), ("very good",), ("excellent",)),
    (("never",), ("rarely", "seldom"), ("sometimes", "occasionally"), ("often", "frequently"),
     ("usually", "very often"), ("always",)),
    (("strongly disagree",), ("disagree",), ("somewhat disagree",),
     ("neutral", "neither", "undecided", "neither agree nor disagree"), ("somewhat agree",),
     ("agree",), ("strongly agree",)),
    (("very dissatisfied",), ("dissatisfied",), ("neutral", "neither"), ("satisfied",),
     ("very satisfied",)),
    (("tiny",), ("small",), ("medium",), ("large", "big"), ("huge", "very large")),
    (("xxs",), ("xs",), ("s",), ("m",), ("l",), ("xl",), ("xxl",)),
    (("cold",), ("cool",), ("mild", "warm"), ("hot",)),
    (("primary", "elementary"), ("secondary", "high school"), ("bachelor",), ("master",),
     ("doctorate", "phd")),
    (("i",), ("ii",), ("iii",), ("iv",), ("v",)),
    (("stage i",), ("stage ii",), ("stage iii",), ("stage iv",)),
)  # fmt: skip
# "1 = never", "2. rarely", "3-5 times": categories that begin with different numbers.
NUMBERED = re.compile(r"(\d{1,3})\s*[-=.:)\u2013]\s*\S")


def ordered_levels(levels: Iterable[str], fewest: int = MIN_LEVELS) -> tuple[str, ...] | None:
    """The levels from low to high, or None if there are fewer or their order is not known.

    Examples
    --------
    >>> from melm_studio.tables.scales import ordered_levels
    >>> ordered_levels(["high", "low", "medium"])
    ('low', 'medium', 'high')
    >>> ordered_levels(["red", "green", "blue"]) is None
    True
    """
    given = list(levels)
    if len(given) < fewest:
        return None
    return _of_scale(given) or _numbered(given)


def _of_scale(levels: list[str]) -> tuple[str, ...] | None:
    for scale in SCALES:
        places = {word: place for place, words in enumerate(scale) for word in words}
        found = [places.get(_plain(level)) for level in levels]
        known = [place for place in found if place is not None]
        if len(set(known)) == len(levels):
            return _sorted_by(levels, known)
    return None


def _numbered(levels: list[str]) -> tuple[str, ...] | None:
    found = [NUMBERED.match(level.strip()) for level in levels]
    numbers = [int(match[1]) for match in found if match]
    return _sorted_by(levels, numbers) if len(set(numbers)) == len(levels) else None


def _sorted_by(levels: list[str], places: list[int]) -> tuple[str, ...]:
    return tuple(level for _, level in sorted(zip(places, levels, strict=True)))


def _plain(level: str) -> str:
    return " ".join(level.replace("_", " ").replace("-", " ").casefold().split())
