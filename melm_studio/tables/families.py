"""Families: columns that are many of one thing, as wavelengths, genes, taxa, pixels and channels.

None of them is the label; a column beside them may be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
import numpy.typing as npt
import pandas as pd

from melm_studio.tables.distinct import Numbers
from melm_studio.tables.frames import columns_of
from melm_studio.tables.identifiers import PLAIN_NAMES

LEAST_MEMBERS = 6
LEAST_OF_SPECTRUM, MOST_BESIDE = 50, 0.2  # wavelengths, and columns beside each
LEAST_ALIKE = 20  # columns of one kind and scale whose names have nothing in common
FEW_VALUES = 20  # of whole numbers, which stand out among fractions
MOST_DECADES = 2.0  # between the scales of columns of one unit
NEARLY_ALL = 0.9
RARE = 0.8  # share of zeros of what was hardly ever counted
LEAST_WORDS = 200  # of texts, whose counts are most columns of numbers
_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)?")
_FIRST_TOKEN = re.compile(r"([^\W_]{2,})[\s_.:|;\-]+\S")
_LAST_TOKEN = re.compile(r"[\s_.:|;\-]([^\W_]{2,})$")
# Names of columns that say where they stand in the table, and nothing else.
_POSITIONS = {
    "", "a", "attr", "attribute", "c", "col", "column", "f", "feature", "field", "unnamed:", "v",
    "var", "variable", "x",
}  # fmt: skip
_KIND = "a kind of thing"
_THINGS = re.compile(
    r"(?:.*[;|] ?)?[dkpcofgst]__.*"  # taxa
    r"|ENS[A-Z]*[GTP][0-9]{6,}.*|[NX][MRP]_[0-9]+.*|.*_[asx]?_?at|cg[0-9]{6,}|rs[0-9]{3,}"  # genes
    r"|(?:hsa|mmu|rno)-.*|chr[0-9XYM]+[:_].*|[ACGTUN]{30,}"
    r"|(?:m/?z|mz)[ _:]?[0-9.]+.*|[0-9.]+[_@][0-9.]+|HMDB[0-9]+|C[0-9]{5}",  # metabolites
    re.IGNORECASE | re.DOTALL,
)


def beside_spectra(table: Iterable[Hashable]) -> list[str]:
    """Return the few columns beside many whose names are an axis, such as wavelengths.

    Numbers from 0 or 1 on count columns, and are no axis.

    Examples
    --------
    >>> beside_spectra(["water", *(f"{1100 + 2.5 * at}" for at in range(60))])
    ['water']
    """
    names = [*map(str, table)]
    are_numbers = [*map(_NUMBER.fullmatch, names)]
    axis = np.array([float(name.replace(",", ".")) for name in compress(names, are_numbers)])
    steps = np.diff(axis)
    others = [name for name, is_number in zip(names, are_numbers, strict=True) if not is_number]
    if len(axis) < max(LEAST_OF_SPECTRUM, len(others) / MOST_BESIDE) or axis[0] in (0, 1):
        return []
    return others if (steps > 0).all() or (steps < 0).all() else []


@dataclass(frozen=True)
class Family:
    """Columns that belong together.

    Attributes
    ----------
    members : tuple of str
        In the order of the table.
    shared : str
        What their names share, "#" for a number; empty where only their numbers are alike.
    """

    members: tuple[str, ...]
    shared: str = ""

    @property
    def is_series(self) -> bool:
        """True if names of its members differ in numbers alone, or are of one kind of thing."""
        return "#" in self.shared or self.shared == _KIND


def families(frame: pd.DataFrame, facts: Numbers) -> tuple[Family, ...]:
    """The families among the columns of numbers, each column in one at most.

    By their names: numbers that differ in nothing else, one kind of thing (taxa, genes, mass
    signals), one first or last word. Without that, many fractions of one scale. Whole numbers of
    few values are no member among fractions.

    Examples
    --------
    >>> names = [str(nm) for nm in range(900, 960, 10)]
    >>> numbers = np.random.default_rng(0).normal(size=(9, 6))
    >>> frame = pd.DataFrame(numbers, columns=names).assign(water=numbers[:, 0])
    >>> families(frame, Numbers.of(frame))[0].members
    ('900', '910', '920', '930', '940', '950')
    """
    names = [str(name) for name in facts.names]
    is_rare = (facts.n_values <= 1) | _are_rare(frame, facts)
    stands_out = facts.is_whole & (facts.n_values <= FEW_VALUES) & ~is_rare
    are_positions = _are_positions([str(name) for name in frame.columns])
    families: list[Family] = []
    left = np.ones(len(names), dtype=np.bool_)
    for shared_by in () if are_positions else (_skeleton, _thing, _first_word, _last_word):
        for shared, index in _sharing(names, left, shared_by):
            members = _of_one_kind(index, facts.is_whole, stands_out)
            if len(members) >= LEAST_MEMBERS:
                families.append(Family(tuple(names[place] for place in members.tolist()), shared))
                left[members] = False
    alike = facts.which(left & ~facts.is_whole)
    if len(alike) >= LEAST_ALIKE and _are_of_one_scale(columns_of(frame, alike)):
        families.append(Family(tuple(map(str, alike))))
    return tuple(families)


def counted_words(frame: pd.DataFrame, facts: Numbers) -> frozenset[str]:
    """The words of texts that were counted, whatever else they name: hundreds of sparse counts.

    Beside these, other counts of such names are as well; the first or the last may be the label.

    Examples
    --------
    >>> counted_words(frame := pd.DataFrame({"lot": [0.0, 1.0]}), Numbers.of(frame))
    frozenset()
    """
    least = max(LEAST_WORDS, len(facts.names) / 2)
    is_word = np.array([_is_word(str(name)) for name in facts.names], dtype=bool)
    if np.count_nonzero(is_word) < least:  # as of most tables
        return frozenset()
    n_rare = np.count_nonzero(is_word & ((facts.n_values <= 1) | _are_rare(frame, facts)))
    if n_rare < least:
        return frozenset()
    are_counts = is_word & facts.is_whole & (facts.low == 0) & (facts.n_values <= FEW_VALUES)
    ends = {str(frame.columns[0]), str(frame.columns[-1]), *PLAIN_NAMES}
    return frozenset(map(str, facts.which(are_counts))) - ends


def _is_word(name: str) -> bool:
    return name.isalpha() and name == name.lower()


def _skeleton(name: str) -> str:
    shared, n_numbers = _NUMBER.subn("#", name.strip())
    return shared if n_numbers else ""


def _thing(name: str) -> str:
    return _KIND if _THINGS.fullmatch(name.strip()) else ""


def _first_word(name: str) -> str:
    match = _FIRST_TOKEN.match(name)
    return match[1] if match else ""


def _last_word(name: str) -> str:
    match = _LAST_TOKEN.search(name)
    return match[1] if match and name[: match.start()].strip() else ""


def _sharing(
    names: Sequence[str], left: npt.NDArray[np.bool_], shared_by: Callable[[str], str]
) -> Iterator[tuple[str, npt.NDArray[np.intp]]]:
    """Return what several of the names that are left share, and where these stand."""
    places: dict[str, list[int]] = {}
    for index in np.flatnonzero(left).tolist():
        if shared := shared_by(names[index]):
            places.setdefault(shared, []).append(index)
    yield from (
        (shared, np.array(index)) for shared, index in places.items() if len(index) >= LEAST_MEMBERS
    )


def _of_one_kind(
    places: npt.NDArray[np.intp], is_whole: npt.NDArray[np.bool_], stands_out: npt.NDArray[np.bool_]
) -> npt.NDArray[np.intp]:
    """Without the whole numbers of few values where most are fractions."""
    return (
        places
        if 2 * np.count_nonzero(is_whole[places]) > len(places)
        else places[~stands_out[places]]
    )


def _are_rare(frame: pd.DataFrame, facts: Numbers) -> npt.NDArray[np.bool_]:
    """Return which columns are nearly always 0, as counts of what is rare are."""
    may_be = (facts.low == 0) & facts.is_whole & (facts.n_values <= FEW_VALUES)
    is_rare = np.zeros(len(facts.names), dtype=np.bool_)
    if may_be.any():
        cells = columns_of(frame, facts.which(may_be)).to_numpy(np.float64)
        is_rare[may_be] = (cells == 0).mean(axis=0) > RARE
    return is_rare


def _are_positions(names: Sequence[str]) -> bool:
    """Return whether the names of all columns only number them, as of a file without a header."""
    words, numbers = [], []
    for name in names:
        match = _NUMBER.search(name)
        if match is None or "." in match[0]:
            return False
        words.append(name[: match.start()].strip(" _.").casefold() + name[match.end() :])
        numbers.append(int(match[0].replace(",", "")))
    is_first = bool(numbers) and numbers[0] in (0, 1)
    follow = numbers == list(range(numbers[0], numbers[0] + len(numbers))) if is_first else False
    return follow and len(set(words)) == 1 and words[0] in _POSITIONS


def _are_of_one_scale(cells: pd.DataFrame) -> bool:
    """Return whether nearly all columns are of sizes within two decades."""
    numbers = np.abs(cells.to_numpy(np.float64))
    scales = np.nanmax(np.where(np.isfinite(numbers), numbers, 0.0), axis=0)
    decades = np.log10(np.maximum(scales, np.finfo(np.float64).tiny))
    low, high = np.quantile(decades, [(1 - NEARLY_ALL) / 2, (1 + NEARLY_ALL) / 2])
    return bool(high - low <= MOST_DECADES)
