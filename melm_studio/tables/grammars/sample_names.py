"""The words within the names of samples: ALL_1 and AML_7, tumor-03, control.2."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice, takewhile

import numpy as np
import pandas as pd

from melm_studio.tables.classes import is_measure
from melm_studio.tables.formatting import DAY, words_of
from melm_studio.tables.frames import free_name
from melm_studio.tables.identifiers import GROUP_WORDS, ID_WORDS
from melm_studio.tables.subjects_in_names import is_known

GROUP = "group"
MOST_WORDS = 20
# Names of what has words of its own: days, and wells of a plate.
MOST_ALONE = 0.1  # of conditions that stand before the number of a replicate, such as a blank
NO_GROUP_WORDS = {"date", "day", "month", "period", "quarter", "time", "week", "well", "year"}
_SEPARATORS = re.compile(r"[ _.\-/]+")
LEAST_OF_EACH = 2
MOST_DISTINCT = 0.7  # of the rows, different codes, which are no names
MOST_PARTS = 5
MANY_NUMBERS = 20  # beside names alone, of which counts may be few
_PARTS = re.compile(r"[ _.\-/]+|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_DOSE = re.compile(r"(?<![^\W_])\d+[^\W\d_]+(?![^\W_])")  # 24h, 125amol
_BARCODE = re.compile(r"(?<![^\W_])[ACGT]{6,}(?![^\W_])")
_ACCESSION = re.compile(r"[DES]R[A-Z][0-9]{6,9}")  # which says in what archive reads are
_REPLICATE = re.compile(r"(?:biorep|inj|rep|replicate|run|techrep)\d+", re.IGNORECASE)
_LAST_REPLICATE = re.compile(
    r"[ _.\-]{0,2}(?:(?<![^\W\d_])(?i:biorep|inj|rep|replicate|run|techrep)|(?<![a-z])R)\d{1,3}$"
)
_DAY = re.compile(
    r"\d{0,2}(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct?|nov|dec)\d{0,4}", re.IGNORECASE
)
NEARLY_ALL = 0.8
_WELL = re.compile(r"[ _.\-]([A-P])(0?[1-9]|1\d|2[0-4])$")
COLUMNS_OF_PLATE = {12, 24}
_BEFORE_REPLICATE = re.compile(r"[ _.\-]?(?<!\d)\d{1,3}$")


def words_of_samples(names: Sequence[str]) -> tuple[str, ...]:
    """The word of each name that parts them into groups; none if no word does.

    Examples
    --------
    >>> words_of_samples(["ALL_1", "AML_2", "ALL_3", "AML_4"])
    ('ALL', 'AML', 'ALL', 'AML')
    >>> words_of_samples(["Ctrl_1", "Ctrl_2", "K11_1", "K11_2", "K63_1", "K63_2"])
    ('Ctrl', 'Ctrl', 'K11', 'K11', 'K63', 'K63')
    >>> words_of_samples(["s_5h_1", "s_5h_2", "s_24h_1", "s_24h_2"])
    ('5h', '5h', '24h', '24h')
    >>> words_of_samples(["1_pTa", "2_pT2+", "3_pTa", "4_pT2+"])
    ('pTa', 'pT2+', 'pTa', 'pT2+')
    >>> words_of_samples(["s1", "s2", "s3"])
    ()
    >>> words_of_samples(["ATCACG_1", "ATCACG_2", "CGATGT_1", "CGATGT_2"])
    ()
    >>> words_of_samples(["ERX1783638", "ERX1796002", "SRX8851795", "SRX8851796"])
    ()
    >>> words_of_samples(["L1_A5_rep1.raw", "L1_A5_rep2.raw", "L1_B5_rep1.raw", "L1_B5_rep2.raw"])
    ('A5', 'A5', 'B5', 'B5')
    """
    if all(map(_ACCESSION.fullmatch, names)):
        return ()
    varying = without_shared(names)
    conditions = tuple(_LAST_REPLICATE.sub("", name) for name in varying)
    n_marked = sum(map(str.__ne__, conditions, varying))
    is_marked = n_marked >= (1 - MOST_ALONE) * len(names)
    most_alone = int(MOST_ALONE * len(names)) if is_marked else 0
    if not is_marked:
        conditions = tuple(_BEFORE_REPLICATE.sub("", name) for name in varying)
    has_digits = any(any(map(str.isdigit, words)) for words in conditions)
    is_plain = any(not any(map(str.isdigit, _DOSE.sub("", words))) for words in conditions)
    if (is_marked or (is_plain and has_digits)) and _are_groups(conditions, most_alone):
        return conditions  # Ubi4_1 and Ubi6_1 beside Ctrl_1: where all have numbers, subjects have
    parts = [[part for part in _PARTS.split(name) if part] for name in varying]
    n_parts = min(map(len, parts), default=0)
    for place in range(n_parts):
        words = tuple(part[place] for part in parts)
        if _are_groups(words):
            wholes = zip(*map(_SEPARATORS.split, varying), strict=False)
            return next((whole for whole in wholes if _are_same(words, whole)), words)
    # Names of several words each: what precedes the number.
    words = tuple(
        " ".join(part for part in name_parts if not part.isdigit()) for name_parts in parts
    )
    return words if _are_groups(words) else ()


def without_shared(names: Sequence[str]) -> tuple[str, ...]:
    """The names without the words that they all begin with, and what they all end with."""
    before = _shared(names)
    start = len(before) - len(_SEPARATORS.split(before)[-1])
    behind = _shared([name[:start:-1] for name in names])
    end = len(behind) - len(_SEPARATORS.split(behind)[-1])
    return tuple(name[start : len(name) - end] for name in names)


def _shared(names: Sequence[str]) -> str:
    """Return the letters that all names begin with."""
    letters = takewhile(lambda of_all: len({*of_all}) == 1, zip(*names, strict=False))
    return "".join(str(of_all[0]) for of_all in letters)


def are_crossed(names: Sequence[str]) -> bool:
    """Return whether names put few parts together in many ways: 1_AS, 1_BS, 2_AS, 3_BS."""
    parts = [_SEPARATORS.split(name) for name in names]
    if len({*map(len, parts)}) != 1 or len(parts[0]) == 1:
        return False
    return all(3 * len({*place}) <= 2 * len(names) for place in zip(*parts, strict=True))


def other_words(names: Sequence[str], words: Sequence[str]) -> list[tuple[str, ...]]:
    """The other parts of names that form groups, which may be the label too.

    Those between separators or, without any, between letters and digits.

    Examples
    --------
    >>> names = ["1_B6_m", "2_B6_f", "3_D2_m", "4_D2_f"]
    >>> other_words(names, words_of_samples(names))
    [('m', 'f', 'm', 'f')]
    >>> names = ["m01ae", "m02iy", "w03ae", "w04iy"]
    >>> other_words(names, words_of_samples(names))
    [('ae', 'iy', 'ae', 'iy')]
    """
    has_separators = any(map(_SEPARATORS.search, names))
    parts = [(_SEPARATORS if has_separators else _PARTS).split(name) for name in names]
    n_parts = min(map(len, parts), default=0)
    others = [tuple(part[place] for part in parts) for place in range(n_parts)]
    return [
        other
        for other in dict.fromkeys(others)
        if not all(map(_REPLICATE.fullmatch, other))
        and _are_groups(other)
        and len({*zip(words, other, strict=True)}) > len({*words})
    ]


def groups_in_names(names: Sequence[str], column: str = "") -> dict[str, tuple[str, ...]]:
    """Return the words of names that may be the label, by what their columns are called.

    Examples
    --------
    >>> groups_in_names(["1_B6_m", "2_B6_f", "3_D2_m", "4_D2_f"], "mouse")
    {'group in mouse': ('B6', 'B6', 'D2', 'D2'), 'group 2 in mouse': ('m', 'f', 'm', 'f')}
    >>> groups_in_names(["1_C11", "2_C12", "3_D1", "4_D2"])
    {}
    """
    names = _without_wells(names)
    words = words_of_samples(names)
    groups = (words, *other_words(names, words)) if words else ()
    called = [GROUP, *(f"{GROUP} {number}" for number in range(2, len(groups) + 1))]
    behind = f" in {column}" if column else ""
    return {f"{name}{behind}": group for name, group in zip(called, groups, strict=False)}


def _without_wells(names: Sequence[str]) -> Sequence[str]:
    """The names, without the well of a plate that most end with and that no two share.

    Not where the names differ in it alone, and each letter has the same few numbers from 1 on, as
    groups with replicates have.
    """
    wells = [*filter(None, map(_WELL.search, names))]
    others = [_WELL.sub("", name) for name in names]
    if len(wells) < NEARLY_ALL * len(names) or len({*others}) < len(names):
        return names
    numbers: dict[str, set[int]] = {}
    for well in wells:
        numbers.setdefault(well[1], set()).add(int(well[2]))
    sizes = {*map(len, numbers.values())}
    are_replicates = sizes.isdisjoint(COLUMNS_OF_PLATE) and all(
        held == {*range(1, max(sizes) + 1)} for held in numbers.values()
    )
    are_different = sum(map(len, numbers.values())) == len(wells)
    return others if len(numbers) > 1 and are_different and not are_replicates else names


def with_groups(frame: pd.DataFrame, *, are_features: bool) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Add the words of the names of rows as columns, of a table with nothing else to tell apart.

    None that a number of the table says, as a code of classes does.

    Parameters
    ----------
    frame : DataFrame
    are_features : bool
        Whether its numbers are of one kind, so that none of them is the label.

    Returns
    -------
    frame : DataFrame
        With these columns behind the others, or as it was.
    added : tuple of str
        Their names, that of the first words first.

    Examples
    --------
    >>> files = [f"{group}_{at}.fcs" for group in ("ill", "well") for at in range(20)]
    >>> frame = pd.DataFrame({"file": files, "area": [at / 7 for at in range(40)]})
    >>> frame, added = with_groups(frame, are_features=False)
    >>> added, sorted({*frame["group in file"]})
    (('group in file',), ['ill', 'well'])
    """
    texts = [str(name) for name, kind in frame.dtypes.items() if kind != np.float64]
    if parts := _parts_of_codes(frame, texts):
        added = {free_name(name, frame): list(part) for name, part in parts.items()}
        return frame.assign(**added), tuple(added)
    varying = (name for name in texts if len(frame[name].unique()) > 1)
    column, *others = [*islice(varying, 2)] or [""]
    if not column or others:
        return frame, ()
    cells = frame[column]
    if cells.isna().any() or not cells.is_unique or DAY.match(str(cells.iloc[0])):
        return frame, ()
    groups = groups_in_names([str(cell) for cell in cells], column)
    if not groups or not NO_GROUP_WORDS.isdisjoint(words_of(column)):
        return frame, ()
    numbers = frame.drop(columns=texts)
    are_many = are_features or len(numbers.columns) >= MANY_NUMBERS
    if not are_many and not all(_is_no_label(numbers[name]) for name in numbers):
        return frame, ()
    added = {
        free_name(name, frame): list(group)
        for name, group in groups.items()
        if not is_known(numbers, group)
    }
    return frame.assign(**added), tuple(added)


def _parts_of_codes(frame: pd.DataFrame, texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The parts of many codes that recur, M_Y_H and D_N_H, beside nothing else than names.

    There are too many codes to be classes.
    """
    n_values = {name: frame[name].nunique() for name in texts}
    kinds = [name for name, n in n_values.items() if 1 < n <= MOST_DISTINCT * len(frame)]
    if len(kinds) != 1 or n_values[kinds[0]] <= MOST_WORDS or frame[kinds[0]].isna().any():
        return {}
    column = kinds[0]
    if not {*NO_GROUP_WORDS, *ID_WORDS, *GROUP_WORDS}.isdisjoint(words_of(column)):
        return {}
    codes = [str(cell) for cell in frame[column]]
    if len({len(_SEPARATORS.split(code)) for code in {*codes}}) != 1:
        return {}
    parts = [*zip(*map(_SEPARATORS.split, codes), strict=True)]
    if not 2 <= sum(len({*part}) > 1 for part in parts) <= MOST_PARTS:
        return {}
    groups = [part for part in parts if _are_groups(part)]
    return {f"part {place} of {column}": group for place, group in enumerate(groups, start=1)}


def _is_no_label(cells: pd.Series) -> bool:
    return is_measure(cells) or cells.is_unique or cells.nunique() < LEAST_OF_EACH


def _are_same(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether other words, of which these are parts, form the same groups."""
    are_parts = all(word in other for word, other in zip(words, others, strict=True))
    n_pairs = len({*zip(words, others, strict=True)})
    return are_parts and n_pairs == len({*words}) == len({*others})


def _are_groups(words: Sequence[str], most_alone: int = 0) -> bool:
    """Return whether words other than days are each of several names, but for so many."""
    counts = Counter(words)
    are_words = all(any(map(str.isalpha, word)) for word in counts)
    are_words = are_words and not any(map(_BARCODE.search, counts))
    are_words = are_words and not all(map(_DAY.fullmatch, counts))
    n_alone = sum(n < LEAST_OF_EACH for n in counts.values())
    return are_words and 2 <= len(counts) - n_alone <= MOST_WORDS and n_alone <= most_alone
