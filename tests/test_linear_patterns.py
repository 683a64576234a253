"""Every regular expression of the studio takes a time proportional to the text, whatever the text.

All patterns are found in the source; for each, texts are made of its own repetitions, and doubled.
"""

from __future__ import annotations

import ast
import importlib
import re
import signal
import string
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from itertools import accumulate, chain, pairwise, product
from pathlib import Path
from typing import Any

import pytest

# The module that the library parses patterns with has no public name.
parser, kinds = importlib.import_module("re._parser"), importlib.import_module("re._constants")

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("melm_core", "melm_studio", "callbacks")
# Of so many parts a quadratic pattern needs two million steps, which take longer than this even
# where one letter is repeated, as in "a+b".
N_PARTS, SHORT_S = 2_000, 0.0007
MOST_S, MOST_RATIO = 0.2, 3.0
N_TRIES, MOST_LINEAR = 6, 2  # of which so many acquit a pattern
# In these ways a pattern is tried at the first letter alone.
ANCHORED = {"match", "fullmatch"}
WAYS = ANCHORED | {"search", "sub", "subn", "split", "findall", "finditer"}
LETTERS = " \t\n\0_-.,;:+!#<>\"'/\\()[]{}=~é" + string.ascii_letters + string.digits
# What a text ends in: nothing or what no pattern names, and letters that some do.
NO_LETTER, LETTER_ENDS = ("", "\0"), ("!", "x", " ", "\n")
MOST_SAMPLES = 3
# Put together in a function; each with what stands for its variables.
LOCAL = {
    ("melm_studio.tables.quantities", "unit"): "mg",
    ("melm_studio.publication.plane_program", "mark"): ".",
    ("melm_core.base.written_cells", "decimal"): ".",
    (
        "melm_studio.tables.as_written",
        "pattern",
    ): rb'(?:^|\n|,)[ "]*(?:NA|null|nan)[ "]*(?:,|\r?\n|$)',
}


class TooSlowError(Exception):
    """A pattern has had its time."""


@cache
def sources() -> dict[str, str]:
    found = {}
    for path in chain.from_iterable(sorted((ROOT / folder).rglob("*.py")) for folder in FOLDERS):
        text = path.read_text()
        if re.search(r"^\s*(import re\b|from re\b)", text, re.MULTILINE):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            if not name.startswith(OWN_TEXTS):
                found[name.removesuffix(".__init__")] = text
    return found


# Read the scripts and the style sheets of the studio, not what visitors send.
OWN_TEXTS = "melm_studio.layout.scripts"
# Keys of a table, each of which is tried at the first letter of a file.
TRIED_AT_THE_START = "melm_studio.tables.foreign._TEXTS"


def patterns_in(value: Any) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from chain(*map(patterns_in, (*value.keys(), *value.values())))
    elif isinstance(value, list | tuple | set | frozenset):
        yield from chain(*map(patterns_in, value))


@cache
def uses() -> dict[str, set[str]]:
    """The ways in which values of a name are used."""
    use = re.compile(rf"\b(\w+)(?:\[[^\]\n]*\])?\.({'|'.join(sorted(WAYS))})\b")
    found: dict[str, set[str]] = {}
    for name, way in chain.from_iterable(use.findall(text) for text in sources().values()):
        found.setdefault(name, set()).add(way)
    return found


def calls_in(module: str) -> Iterator[tuple[str, str, re.Pattern[Any]]]:
    """The patterns that are written in calls such as `re.sub`, and in functions."""
    names = vars(importlib.import_module(module))
    for call in ast.walk(ast.parse(sources()[module])):
        is_call = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        if not (is_call and isinstance(call.func.value, ast.Name) and call.func.value.id == "re"):
            continue
        way = call.func.attr
        if way not in WAYS | {"compile"}:
            continue
        local = {name: value for (place, name), value in LOCAL.items() if place == module}
        written = compile(ast.Expression(call.args[0]), module, "eval")
        try:
            pattern = eval(written, {**names, **local})  # noqa: S307 - of the studio's own source
        except LookupError:  # in a program, whose tables are those of `melm_studio.tables`
            continue
        except NameError as error:
            if way == "compile":  # in a comprehension, of which the module has what comes out
                continue
            pytest.fail(f"{module}:{call.lineno}: say in LOCAL what stands for {error.name!r}")
        if way != "compile":
            compiled = pattern if isinstance(pattern, re.Pattern) else re.compile(pattern)
            yield f"{module}:{call.lineno}", way, compiled


def all_patterns() -> dict[str, tuple[re.Pattern[Any], bool]]:
    """Each pattern by its place, and whether it is tried at the first letter alone."""
    found = {}
    for module in sources():
        for name, value in vars(importlib.import_module(module)).items():
            place = f"{module}.{name}"
            is_anchored = place == TRIED_AT_THE_START or uses().get(name, WAYS) <= ANCHORED
            for number, pattern in enumerate(patterns_in(value)):
                found[f"{place} {number}"] = pattern, is_anchored
        for place, way, pattern in calls_in(module):
            found[place] = pattern, way in ANCHORED
    once = {pattern: place for place, pattern in found.items()}  # of those that are imported
    return {place: pattern for pattern, place in once.items()}


def samples(items: Any) -> list[str]:
    """A few texts that a part of a pattern matches, as short as they are."""
    texts = [""]
    for kind, value in items:
        texts = [text + more for text in texts for more in _samples_of(kind, value)][:MOST_SAMPLES]
    return texts


def _samples_of(kind: Any, value: Any) -> list[str]:
    if kind in LETTER_KINDS:
        return _letters_of(kind, value)
    if kind is kinds.BRANCH:
        return [text for part in value[1] for text in samples(part)[:1]]
    if kind in REPEATS:
        least, _, part = value
        return [text * least for text in samples(part)] if least else ["", *samples(part)[:1]]
    return samples(value[-1] if kind is kinds.SUBPATTERN else value) if kind in GROUPS else [""]


def _letters_of(kind: Any, value: Any) -> list[str]:
    """Letters of a class, of different kinds."""
    if kind is kinds.ANY:
        return list("a7 ")
    parts = value if kind is kinds.IN else [(kind, value)]
    named = "".join(chr(letter) for part, letter in parts if part is kinds.LITERAL)
    return _fitting("".join(_part_text(*part) for part in parts), named)


@cache
def _fitting(of_class: str, named: str) -> list[str]:
    one = re.compile(f"[{of_class}]")
    fitting = [letter for letter in named + LETTERS if one.fullmatch(letter)]
    of_kinds = {(c.isalpha(), c.isdigit(), c.isspace(), c.isupper()): c for c in fitting}
    return list(of_kinds.values())[:MOST_SAMPLES]


def _part_text(kind: Any, value: Any) -> str:
    if kind is kinds.NEGATE:
        return "^"
    if kind in {kinds.LITERAL, kinds.NOT_LITERAL}:
        return f"{'^' * (kind is kinds.NOT_LITERAL)}{re.escape(chr(value))}"
    if kind is kinds.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    return CATEGORIES[value]


LETTER_KINDS = {kinds.LITERAL, kinds.NOT_LITERAL, kinds.ANY, kinds.IN, kinds.CATEGORY}
REPEATS = {kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT}
GROUPS = {kinds.SUBPATTERN, kinds.ATOMIC_GROUP}
CATEGORIES = {
    kinds.CATEGORY_DIGIT: r"\d",
    kinds.CATEGORY_NOT_DIGIT: r"\D",
    kinds.CATEGORY_SPACE: r"\s",
    kinds.CATEGORY_NOT_SPACE: r"\S",
    kinds.CATEGORY_WORD: r"\w",
    kinds.CATEGORY_NOT_WORD: r"\W",
}


def repetitions(items: Any, before: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Each part of a pattern that may be repeated without an end: what precedes it, and it."""
    for at, (kind, value) in enumerate(items):
        here = [text + more for text in before for more in samples(items[:at])][:MOST_SAMPLES]
        if kind in REPEATS and value[1] > N_PARTS:
            yield here, samples(value[2])
        for part in _parts_of(kind, value):
            yield from repetitions(part, here)


def _parts_of(kind: Any, value: Any) -> Iterator[Any]:
    if kind is kinds.BRANCH:
        yield from value[1]
    elif kind in REPEATS | {kinds.SUBPATTERN}:
        yield value[-1]
    elif kind is kinds.ATOMIC_GROUP:
        yield value
    elif kind in {kinds.ASSERT, kinds.ASSERT_NOT}:
        yield value[1]


def texts_for(pattern: re.Pattern[Any], ends: tuple[str, ...]) -> Iterator[Callable[[int], str]]:
    """Texts of a number of parts, in which a pattern that goes back goes back far."""
    made = set[tuple[str, str, str]]()
    for before, repeated in repetitions(parser.parse(pattern.pattern, pattern.flags), [""]):
        for start, part in product(before, repeated):
            made |= {(start, part, ""), (start, part, start), ("", start + part, "")}
            made.add(("", start, ""))
    for start, part, then in sorted(pieces for pieces in made if pieces[1]):
        for end in ends:
            yield partial(_text, start, part, then + end)


def _text(start: str, part: str, end: str, n_parts: int) -> str:
    return start + part * n_parts + end


@contextmanager
def limited() -> Iterator[None]:
    """Raise TooSlowError after seconds of this process's own time, within a pattern, too."""

    def stop(*_: Any) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds(use: Callable[[Any], object], text: str, *, is_bytes: bool) -> float:
    """The time of this thread that a pattern takes for a text."""
    given = text.encode("latin-1") if is_bytes else text
    begin_s = time.thread_time()
    use(given)
    return time.thread_time() - begin_s


def goes_back(use: Callable[[Any], object], text: Callable[[int], str], *, is_bytes: bool) -> bool:
    """Whether twice the text takes more than in proportion, and twice that again, at most tries.

    What else the machine does takes time as well: of a short text, then a pattern that goes back
    looks linear, or of a long one, then a linear pattern does not. Neither happens often.
    """
    if seconds(use, text(N_PARTS), is_bytes=is_bytes) < SHORT_S:
        return False
    tries = (_grows_too_fast(use, text, is_bytes=is_bytes) for _ in range(N_TRIES))
    n_linear = accumulate(not is_too_fast for is_too_fast in tries)
    return MOST_LINEAR not in n_linear


def _grows_too_fast(
    use: Callable[[Any], object], text: Callable[[int], str], *, is_bytes: bool
) -> bool:
    sizes = (N_PARTS, 2 * N_PARTS, 4 * N_PARTS)
    taken_s = (seconds(use, text(n_parts), is_bytes=is_bytes) for n_parts in sizes)
    return all(after_s >= MOST_RATIO * before_s for before_s, after_s in pairwise(taken_s))


def slow_text(
    pattern: re.Pattern[Any], *, is_anchored: bool, ends: tuple[str, ...] = NO_LETTER
) -> str:
    """What makes a pattern take more than a time proportional to the text; nothing if nothing."""
    is_bytes = isinstance(pattern.pattern, bytes)
    everywhere = partial(pattern.sub, b"" if is_bytes else "")
    use = (pattern.match if is_anchored else everywhere, pattern.fullmatch)
    for text in texts_for(pattern, ends):
        for way in use:
            try:
                with limited():
                    is_slow = goes_back(way, text, is_bytes=is_bytes)
            except TooSlowError:
                is_slow = True
            if is_slow:
                return repr(text(3))
    return ""


@pytest.mark.attack
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="stops what takes for ever")
@pytest.mark.parametrize(
    "ends", [NO_LETTER, pytest.param(LETTER_ENDS, marks=pytest.mark.slow)], ids=["none", "letters"]
)
def test_every_pattern_takes_a_time_proportional_to_the_text(ends):
    found = {
        place: slow_text(pattern, is_anchored=is_anchored, ends=ends)
        for place, (pattern, is_anchored) in all_patterns().items()
    }
    assert len(found) > 50
    assert {place: text for place, text in found.items() if text} == {}


@pytest.mark.parametrize(
    ("text", "is_anchored"),
    [
        (r"<(?:\w+:)?(?:row|c)\s[^>]*?\br=[\"']([A-Z]{0,3})([0-9]+)", False),
        (r"(a|a)*b", True),
        (r"(?:[0-9]+,?)+x", True),
        (r"\s+$", False),
        (r"a+b", False),
        (r".*?=.*?;", True),
    ],
)
def test_patterns_that_go_back_far_are_found(text, is_anchored):
    assert slow_text(re.compile(text), is_anchored=is_anchored)
