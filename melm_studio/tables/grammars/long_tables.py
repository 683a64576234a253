"""Long tables: a row for each feature of each sample, as programs for proteins write them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

from melm_studio.tables.formatting import words_of
from melm_studio.tables.grammars.features_in_rows import says_features
from melm_studio.tables.grammars.layout import FirstLines, Layout, Long, is_number

LEAST_FEATURES, LEAST_SAMPLES = 3, 1.1  # of each sample and of each feature, on average
MOST_COLUMNS, MOST_MARKS = 200, 20
MANY_ROWS = 1_000  # below which one sample may be followed by others
# What names of columns of samples end with, but for id.
_SAMPLES = (("sample",), ("run",), ("file", "name"), ("raw", "file"), ("plot",), ("site",))
_VALUES = {
    "abundance", "concentration", "count", "counts", "expression", "intensity", "normalised",
    "npx", "quantity",
}  # fmt: skip
_FEATURES = {"precursor", "species"}  # of long tables alone; elsewhere these are kinds or masses
_GAPS = {"", "na", "nan", "null", "filtered"}


def long_table(first: FirstLines) -> Layout | None:
    """Columns of samples, of features and of what was measured, once for each pair of them."""
    header = first.rows[0] if first.rows else []
    if len(header) > MOST_COLUMNS or not is_long(header):
        return None
    body = [row for row, _ in first.records(first.delimiter)][1:]
    rows = [row for row in body if len(row) == len(header)]
    values, features, samples = _candidates(header)
    named = [(index,) for index in features] + [*combinations(features, 2)]
    for value, feature, sample in product(values, named, samples):
        if _has_pairs(rows, sample, feature, value):
            break
    else:
        return None
    others = [index for index in range(len(header)) if index not in (sample, *feature, value)]
    marks = [index for index in others if _says_samples(rows, sample, index)][:MOST_MARKS]
    named_by = " and ".join(header[index] for index in feature)
    step = f"Read as a long table: each {header[sample]} is a row, its features {named_by}."
    asked = {"samples": f"Each row has the {header[value]} of one {named_by} of one sample"}
    names = tuple(header)
    turned = Long(sample, feature, value, tuple(marks))
    return Layout(step, names, 1, first.delimiter, asked=asked, turned=turned)


def is_long(names: Sequence[str]) -> bool:
    """Return whether columns are named as those of samples, features and measured values.

    Examples
    --------
    >>> is_long(["sample_id", "protein", "abundance"]), is_long(["sample_id", "protein"])
    (True, False)
    """
    return all(_candidates(names))


def _candidates(names: Sequence[str]) -> tuple[list[int], list[int], list[int]]:
    """The columns that may be the value, the feature and the sample."""
    words = [words_of(name) for name in names]
    bare = [word[:-1] if word[-1:] == ("id",) else word for word in words]
    samples = [
        index
        for end in _SAMPLES
        for index, word in enumerate(bare)
        if word[len(word) - len(end) :] == end
    ]
    values = [index for index, word in enumerate(words) if not _VALUES.isdisjoint(word)]
    features = [
        index
        for index, name in enumerate(names)
        if (says_features(name) or not _FEATURES.isdisjoint(words[index])) and index not in values
    ]
    return values, features, samples


def _has_pairs(
    rows: Sequence[Sequence[str]], sample: int, feature: tuple[int, ...], value: int
) -> bool:
    """Return whether each feature of a sample has one number, and samples have several features.

    What is the same in all samples, such as the sugar of a plant, says what features are.
    """
    if sample in feature:
        return False
    values: dict[tuple[str, ...], str] = {}
    for row in rows:
        pair = (row[sample], *(row[index] for index in feature))
        if values.setdefault(pair, row[value]) != row[value]:
            return False
    samples = {sample_name for sample_name, *_ in values}
    features = {tuple(names) for _, *names in values}
    are_several = len(samples) > 1 or len(rows) >= MANY_ROWS
    are_numbers = all(is_number(text) or text.lower() in _GAPS for text in values.values())
    has_words = not any(is_number(name) for names in features for name in names)
    recur = len(samples) == 1 or len(values) >= LEAST_SAMPLES * len(features)
    are_pairs = recur and len(values) >= LEAST_FEATURES * len(samples)
    of_features = {(*pair[1:], text) for pair, text in values.items()}
    varies = len(of_features) > len(features) or len(samples) == 1
    return are_several and are_numbers and has_words and are_pairs and varies


def _says_samples(rows: Sequence[Sequence[str]], sample: int, column: int) -> bool:
    """Return whether a column has one value for each sample, not the same of all."""
    text_of: dict[str, str] = {}
    is_same = all(text_of.setdefault(row[sample], row[column]) == row[column] for row in rows)
    return is_same and (len({*text_of.values()}) > 1 or len(text_of) == 1)
