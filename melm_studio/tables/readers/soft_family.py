"""Families of GEO (SOFT): a table of values for each sample, below lines that describe it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile, zip_longest

import numpy as np
import pandas as pd

from melm_studio.tables.as_written import KEY, names_value
from melm_studio.tables.formatting import count
from melm_studio.tables.frames import BESIDE, free_name
from melm_studio.tables.records import Limits
from melm_studio.tables.text import TableError

_START = re.compile(rb"(?:\xef\xbb\xbf)?\^(?:DATABASE|PLATFORM|SAMPLE|SERIES)\b")
_BEGIN = "!sample_table_begin"
_SAID = ("!Sample_title", "!Sample_source_name", "!Sample_characteristics")
_OF_DATASET = b"\n!dataset_table_begin"  # whose columns are samples
CHARACTERISTICS = "characteristics"  # lines whose texts have keys
MOST_SAID, MOST_LINES_SAID = 30, 100  # that is said of samples, and in how many lines


@dataclass(frozen=True, eq=False)
class _Sample:
    name: str
    platform: str
    said: dict[str, list[str]]
    values: dict[str, str]

    @classmethod
    def of(cls, block: str) -> _Sample:
        """The sample of the lines from its name to the next one's."""
        head, _, table = block.partition(_BEGIN)
        said: dict[str, list[str]] = {}
        for line in head.splitlines():
            key, _, value = map(str.strip, line.partition("="))
            said.setdefault(key, []).append(value)
        name, platform = next(iter(said.values()))[0], said.get("!Sample_platform_id", [""])[0]
        return cls(name, platform, said, _values(table.strip().splitlines()))


def _values(lines: Sequence[str]) -> dict[str, str]:
    """The values of a table, by the names in its first column."""
    if not lines:
        return {}
    names = lines[0].split("\t")
    column = names.index("VALUE") if "VALUE" in names else 1
    rows = takewhile(lambda cells: not cells[0].startswith("!"), map(_cells, lines[1:]))
    return {cells[0]: cells[column] for cells in rows if len(cells) > column}


def _cells(line: str) -> list[str]:
    return line.split("\t")


def is_soft_family(raw: bytes) -> bool:
    """Return whether this begins as GEO writes families, which hold samples one below the other.

    Examples
    --------
    >>> is_soft_family(b"^DATABASE = GeoMiame\\n"), is_soft_family(b"a,b\\n1,2\\n")
    (True, False)
    """
    return _START.match(raw) is not None and _OF_DATASET not in raw


def soft_cells(raw: bytes, file: str, limits: Limits) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read every sample as a row, with what is said of it and the values of its table.

    Of samples on several platforms, which measure different features, those of the most frequent
    one are read.

    Returns
    -------
    cells : DataFrame
    steps : tuple of str

    Raises
    ------
    TableError
        If no sample has a table of values, or the table is beyond the limits.
    """
    samples = [sample for sample in _samples(raw, limits) if sample.values]
    if not samples:
        raise TableError(
            f"{file} is a family of GEO (SOFT) in which no sample has a table of values. Download "
            "the series matrix of the same series, and drop that."
        )
    platforms = Counter(sample.platform for sample in samples)
    platform, n_kept = platforms.most_common(1)[0]
    of_platform = [sample for sample in samples if sample.platform == platform]
    features = list(dict.fromkeys(name for sample in of_platform for name in sample.values))
    keys = dict.fromkeys(key for sample in of_platform for key in sample.said)
    lines = (
        (key.removeprefix("!Sample_").removesuffix("_ch1"), texts)
        for key in keys
        if key.startswith(_SAID)
        for texts in zip_longest(
            *(sample.said.get(key, ()) for sample in of_platform), fillvalue=""
        )
    )
    marks = said_of_samples(lines)
    limits.reject(n_kept, len(features) + len(marks) + 1)
    said = pd.DataFrame({"sample": [sample.name for sample in of_platform]})
    for name, values in marks.items():
        if name not in features:
            said[free_name(name, said)] = [value or None for value in values]
    texts = np.array(
        [[sample.values.get(name, "") for name in features] for sample in of_platform], dtype=str
    )
    numbers = pd.to_numeric(texts.ravel(), errors="coerce").reshape(texts.shape)
    steps = ["Read as a family of GEO (SOFT): a row for each sample."]
    if others := len(samples) - n_kept:
        steps.append(f"Left out: {count(others, 'sample')} of other platforms than {platform}.")
    cells = pd.concat([said, pd.DataFrame(numbers, columns=features)], axis=1)
    cells.attrs[BESIDE] = tuple(said.columns[1:])
    return cells, tuple(steps)


def said_of_samples(lines: Iterable[tuple[str, Sequence[str]]]) -> dict[str, list[str]]:
    """Gather what lines say of samples, characteristics by key, whichever line of a sample has it.

    Parameters
    ----------
    lines : iterable of tuple
        The name of a line, and its text for each sample.

    Returns
    -------
    dict of str to list of str
        What differs between samples; empty texts for those of which nothing is said.

    Examples
    --------
    >>> sex, other = ["sex:F", "sex: M"], ["stage: 1", "age: 50"]
    >>> said_of_samples([("characteristics", sex), ("characteristics", other)])
    {'sex': ['F', 'M'], 'stage': ['1', ''], 'age': ['', '50']}
    """
    said: dict[str, list[str]] = {}
    lines = [*islice(lines, MOST_LINES_SAID)]
    spaced = {text.partition(KEY)[0].strip() for _, texts in lines for text in texts if KEY in text}
    for line, texts in lines:
        by_key = _by_key(texts, spaced) if line.startswith(CHARACTERISTICS) else {}
        for name, values in (by_key or {line: texts}).items():
            while name in said and any(map(all, zip(said[name], values, strict=True))):
                name += "'"
            before = said.get(name, values)
            said[name] = [old or new for old, new in zip(before, values, strict=True)]
    differing = ((name, values) for name, values in said.items() if len({*values}) > 1)
    return dict(islice(differing, MOST_SAID))


def _by_key(texts: Sequence[str], spaced: Collection[str]) -> dict[str, list[str]]:
    """Split texts at their colons into values by key; empty unless all have a key.

    Of several keys, each has a blank behind its colon somewhere, as no code such as GO:0001 has.
    """
    pairs = [tuple(map(str.strip, text.partition(":")[::2])) for text in texts]
    keys = dict.fromkeys(key for (key, _), text in zip(pairs, texts, strict=True) if text)
    are_keys = all(":" in text for text in texts if text) and all(map(names_value, keys))
    is_each_key = len(keys) == 1 or keys.keys() <= {*spaced}
    if not (are_keys and is_each_key and len(keys) <= MOST_SAID):
        return {}
    return {key: [value if key == of else "" for of, value in pairs] for key in keys}


def _samples(raw: bytes, limits: Limits) -> Iterator[_Sample]:
    n_values = 0
    for block in re.split(rb"^\^", raw, flags=re.MULTILINE):
        if block.startswith(b"SAMPLE"):
            sample = _Sample.of(block.decode("utf-8", "replace"))
            n_values += len(sample.values)
            limits.reject_cells(n_values, 1)
            yield sample
