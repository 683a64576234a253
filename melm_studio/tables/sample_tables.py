"""An archive of a few tables: numbers and a row for each of their samples, or more such rows."""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, pairwise, permutations, takewhile
from pathlib import PurePosixPath

from melm_core.base import MISSING, unique_names
from melm_studio.tables.aligned import as_tabs
from melm_studio.tables.formatting import count, listed, shortened, words_of
from melm_studio.tables.grammars.features_in_rows import (
    FAR_MORE,
    are_of_features,
    says_features,
)
from melm_studio.tables.grammars.geo import samples_of_series
from melm_studio.tables.grammars.layout import FirstLines, is_number
from melm_studio.tables.grammars.omics import FACTOR, place_of_counts
from melm_studio.tables.grammars.r_table import r_table
from melm_studio.tables.grammars.reading import read_layout
from melm_studio.tables.grammars.sample_names import LEAST_OF_EACH, groups_in_names, without_shared
from melm_studio.tables.identifiers import names_identifier, names_label
from melm_studio.tables.readers import MAX_UNPACKED, archived_files, unpacked
from melm_studio.tables.records import Limits, find_records
from melm_studio.tables.text import (
    DELIMITERS,
    ZIP,
    TableError,
    as_utf8,
    without_comments,
    without_last_delimiter,
)

_SUFFIXES = (
    ".csv", ".tsv", ".txt", ".tab", ".data", ".labels", ".biom", ".count", ".counts", ".fcs",
    ".gct", ".gz", ".h5ad", ".json", ".mztab", ".qza", ".results", ".sf", ".shared", ".xls",
    ".xlsx",
)  # fmt: skip
_LEAST_SHARED = 0.5  # of the samples of the numbers, which the other table must name
_ROWS_PROBED = 20  # of a column that may be a sample
_MOST_FILES, _MOST_SAMPLES = 8, 1_000
_BYTES_PROBED = 10_000
_LEAST_COUNTS = 10  # of a sample, in a file of its own
_LEAST_OF_KIND = 20  # numbers, such as counts of species
_MOST_TARGETS = 3  # columns that rows without a label lack
_LEAST_LEFT = 4  # letters and digits, of a name without what all have
_ROUNDED = 1.01  # what parts of one may sum to
_LEAST_COLUMNS = 3  # of tables whose rows are put together
# A row below the names of QIIME 2, which may be shorter.
_TYPES = re.compile(rb'^[ "]*#q2:types[^\n]*\n', re.MULTILINE)
_IN_NAMES = "words of names"  # of samples, where their table names its own classes
_COUNTS = "counts"  # the table of those of files of a sample each
_FILE = "file"  # the column of what the rows of each file are
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)

# What HTSeq and STAR count of no feature.
_NO_FEATURES = ("__", "N_ambiguous", "N_multimapping", "N_noFeature", "N_unmapped")
_CELLS = re.compile(r'[,;"\t\r\n]+')  # of a small table
_LAST_WORD = re.compile(r"(?<=.)[_.-][A-Za-z]{3,}$")
_DIGITS = re.compile(r"\d+")
_SEPARATOR, _X_OF_R = re.compile(r"[ _.\-]"), re.compile(r"^X(?=\d)")
_NO_LETTER_OR_DIGIT = re.compile(r"[\W_]+")
_AROUND = re.compile(r"^.*[\\/]|\.[A-Za-z]\w{0,5}$")  # the name of the file of a sample

_Records = list[list[str]]
_Form = Callable[[Sequence[str]], list[str]]


@dataclass(frozen=True)
class Part:
    """A table of an archive.

    Attributes
    ----------
    records : list of list of str
        The cells, the header first.
    is_measured : bool
        Whether its rows are samples, the first cell of each its name, of a format that tells it.
    said : tuple of str
        The columns of what such a format says of samples.
    steps : tuple of str
        How it was read.
    words : str
        Why one of these columns may be the label; empty if none may.
    """

    records: _Records
    is_measured: bool = False
    said: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    words: str = ""


@dataclass(frozen=True)
class Joined:
    """Tables of an archive as one.

    Attributes
    ----------
    data : bytes
        A row for each sample, with the columns of the table of samples last.
    file : str
        The name of the file of numbers.
    steps : tuple of str
        What was joined, and how, a sentence each.
    is_measured : bool
        Whether its numbers were columns for each sample, or of a format that tells it.
    said : tuple of int
        The places of the columns of what is said of samples.
    recorded : tuple of int
        Those of what a table of samples says, where it may have been measured, too.
    words : str
        As those of a part.
    is_named : bool
        Whether the first column names the samples.
    warnings : tuple of str
        The step by which rows were taken for those of the same samples, unless these are named.
    are_features : bool
        Whether its rows are named by a table of what features are, so that samples may be columns.
    """

    data: bytes
    file: str
    steps: tuple[str, ...]
    is_measured: bool = False
    said: tuple[int, ...] = ()
    recorded: tuple[int, ...] = ()
    words: str = ""
    is_named: bool = True
    warnings: tuple[str, ...] = ()
    are_features: bool = False


def joined_samples(raw: bytes, limits: Limits, part_of: Callable[..., Part]) -> Joined | None:
    """Join a table of numbers with one of samples, which an archive holds beside it.

    The samples are the rows of the numbers, or their columns, which are turned. Tables of the same
    columns are put below each other, also where one lacks the label, and counts of one sample in
    each file side by side.

    Parameters
    ----------
    raw : bytes
    limits : Limits
    part_of : callable
        Returns the table of a file, by its content, name and ``limits``, and whether it is taken as
        it stands, whatever its format: ``is_plain``.

    Returns
    -------
    Joined, or None if this is no such archive.

    Raises
    ------
    TableError
        If one of two tables is none, they name no samples of each other, or hold too many cells.
    """
    texts = _texts(raw)
    if texts is None:
        return None
    counts, files = _side_by_side(texts, limits)
    if len(counts) + len(files) > _MOST_FILES:
        return None
    joined = _joined_files(counts, files, limits, part_of)
    if joined is None and counts:
        steps = (*counts[_COUNTS].steps, *_left_out_of(files))
        return _alone(replace(counts[_COUNTS], steps=steps))
    return joined


def _joined_files(
    counts: Mapping[str, Part],
    files: Mapping[str, bytes],
    limits: Limits,
    part_of: Callable[..., Part],
) -> Joined | None:
    """The tables of files as one, beside one of counts that were put side by side."""
    parts: dict[str, Part] = {}
    for is_plain in (False, True):  # the columns of a format may be named in full
        try:
            others = _parts(files, partial(part_of, limits=limits, is_plain=is_plain))
        except TableError:
            if is_plain:  # of which the refusal of both says more
                break
            raise
        parts = {**counts, **others}
        joined = _joined_parts(parts, limits, are_columns=is_plain) if others else None
        if joined is not None:
            no_tables = [name for name in files if name not in parts]
            left = (f"Left out, as no tables: {listed(no_tables)}.",) if no_tables else ()
            return replace(joined, steps=(*joined.steps, *left))
        n_measured = sum(part.is_measured for part in parts.values())
        if n_measured != 1:
            break
    if len(parts) == len(files) == 2:
        raise _refusal(parts)
    return None


def _side_by_side(
    files: Mapping[str, bytes], limits: Limits
) -> tuple[dict[str, Part], dict[str, bytes]]:
    """Put counts of the same features, a file of each sample, side by side as one table.

    Returns
    -------
    counts : dict of str to Part
        The table of all samples by what it has; empty without several such files.
    others : dict of str to bytes
        The files that are none of these.
    """
    counts: dict[str, dict[str, str]] = {}
    most = MAX_UNPACKED // len(files)
    for name, data in files.items():
        with suppress(TableError, csv.Error):
            if of_sample := _counts_of(*unpacked(data, name, most)):
                counts[name] = of_sample
        if name in counts:
            limits.reject_cells(len(counts), len(counts[name]))
    features = dict.fromkeys(chain.from_iterable(counts.values()))
    shared = {*features}.intersection(*counts.values())
    if len(counts) < LEAST_OF_EACH or len(shared) < _LEAST_SHARED * len(features):
        return {}, {**files}
    limits.reject_cells(len(counts), len(features))
    others = {name: data for name, data in files.items() if name not in counts}
    numbers = chain.from_iterable(of_sample.values() for of_sample in counts.values())
    absent = "0" if all(map(str.isdecimal, numbers)) else ""
    below = (
        [sample, *(of_sample.get(name, absent) for name in features)]
        for sample, of_sample in zip(_called([*counts], others), counts.values(), strict=True)
    )
    step = f"Put side by side: {count(len(features), 'feature')} of {count(len(counts), 'file')}."
    part = Part([["sample", *features], *below], is_measured=True, steps=(step,))
    return {_COUNTS: _with_words_of_names(part, without_shared([*counts]))}, others


def _counts_of(data: bytes, name: str) -> dict[str, str]:
    """The numbers of the features of one sample; none of another table.

    Those stand below a header, or as STAR and HTSeq write them.
    """
    first = FirstLines(without_comments(data[:_BYTES_PROBED])[0].lstrip(b"\n"))
    header = first.cells(0, first.delimiter)
    if not (place := place_of_counts(header)):
        return {}
    text = without_comments(as_utf8(data, name).data)[0].decode()
    rows = csv.reader(text.split("\n"), delimiter=first.delimiter)
    pairs = [(row[0].strip(), row[place].strip()) for row in rows if len(row) > place]
    pairs = pairs if is_number(header[place]) else pairs[1:]
    pairs = [pair for pair in pairs if not pair[0].startswith(_NO_FEATURES)]
    counts = dict(pairs)
    are_told_apart = len(counts) == len(pairs) >= _LEAST_COUNTS
    are_named = says_features(header[0]) or not any(map(is_number, counts))
    are_counts = are_told_apart and are_named and all(map(is_number, counts.values()))
    return counts if are_counts else {}


def _called(files: Sequence[str], others: Mapping[str, bytes]) -> Sequence[str]:
    """The names of samples within those of their files, as most of them stand in other files."""
    apart = without_shared(files)
    parts = zip(*(name.partition("_")[::2] for name in apart), strict=True)
    forms = [apart, files, [_AROUND.sub("", name) for name in files], *parts]
    texts = (text.decode("utf-8", "replace") for text in others.values())
    cells = {cell for text in texts for cell in _CELLS.split(text)}
    names_apart = [names for names in forms if len({*names}) == len(files)]
    return max(names_apart, key=lambda names: len(cells.intersection(names)))


def _alone(part: Part) -> Joined:
    """The table of counts by itself."""
    said = [place for place, name in enumerate(part.records[0]) if name in part.said]
    data = _written(part.records)
    return Joined(data, _COUNTS, part.steps, True, tuple(said), words=part.words)


def _parts(files: Mapping[str, bytes], part_of: Callable[[bytes, str], Part]) -> dict[str, Part]:
    """The files that are tables: both of two, and those of more.

    Beside two tables may be others, such as the investigation of ISA-Tab.
    """
    parts: dict[str, Part] = {}
    for name, data in files.items():
        try:
            parts[name] = part_of(data, name)
        except TableError as refusal:
            if len(files) == 2 and not name.endswith(".json"):  # which may be about the other one
                raise TableError(f"{shortened(name)}: {refusal}") from None
    return parts


def _refusal(parts: Mapping[str, Part]) -> TableError:
    """Say what two tables lack to be joined."""
    if all(part.is_measured for part in parts.values()):
        return TableError(
            f"{listed([*parts])} in a compressed archive are numbers of samples, each of them. "
            "Drop one alone, or with a table that has a row for each of its samples."
        )
    samples, numbers = sorted(parts, key=lambda name: len(parts[name].records[0]))
    return TableError(
        f"{shortened(samples)} and {shortened(numbers)} are two tables in a compressed archive "
        f"that cannot be joined: no column of {shortened(samples)} has the names of at least half "
        f"of the samples of {shortened(numbers)}, each once. Name the samples alike in both, put "
        "them in one table, or drop the table that has the classes alone."
    )


def _joined_parts(parts: Mapping[str, Part], limits: Limits, *, are_columns: bool) -> Joined | None:
    """The tables of an archive as one, if they belong together.

    Where a format says that samples are columns, rows that others name are features.
    """
    tables = {name: part.records for name, part in parts.items()}
    if (stacked := _stacked(parts, limits)) is not None:
        return stacked
    forms: tuple[_Form, ...] = (list, _bare, _alphanumeric, _apart)
    pairs = next(filter(None, (_pairs(parts, form) for form in forms)), [])
    are_begun = not pairs
    pairs = pairs or _pairs(parts, list, are_begun=True)
    if are_columns:
        pairs = [pair for pair in pairs if pair[0][1]]
    if not pairs:
        return _row_by_row(tables, limits) if len(tables) == 2 else None
    # Samples in rows are found both ways around: the wider table has the numbers, and none whose
    # rows name the columns of another one.
    of_columns = {samples for (_, is_turned, _), _, samples in pairs if is_turned}
    shared, numbers, samples = max(
        pairs,
        key=lambda pair: (
            parts[pair[1]].is_measured,
            not any(are_of_features(tables[name][0]) for name in pair[1:]),
            not says_features(tables[pair[2]][0][pair[0][0]]),
            pair[1] not in of_columns,
            _has_factor(tables[pair[2]][0]),
            len(pair[0][2]),
            len(tables[pair[1]][0]),
        ),
    )
    index, is_turned, row_of = shared
    rows = _turned(tables[numbers], row_of) if is_turned else tables[numbers]
    by = tables[samples][0][index] or "the names of the samples"
    by = f"{shortened(by)}{', with which names begin' * are_begun}"
    if is_turned:
        rows[0][0] = tables[samples][0][index] or "sample"
    part = parts[numbers]
    is_measured = part.is_measured or is_turned
    named = {numbers, *(other for _, name, other in pairs if name == numbers)}
    others = {name: tables[name] for name in tables if name not in named and is_measured}
    beside, further, by_further = _with_further(tables[samples], index, others, limits)
    limits.reject_cells(len(rows), len(rows[0]) + len(beside[0]))
    step = (
        f"Joined by {by}: "
        f"{count(len(rows) - 1, 'column' if is_turned else 'row')} of {shortened(numbers)} with "
        f"{count(len(tables[samples]) - 1, 'row')} of {shortened(samples)}{by_further}."
        f"{_left_out({*tables} - {numbers, samples, further})}"
    )
    places_of_rows = [row_of.get(row[0]) for row in rows[1:]]
    are_features = not is_measured and are_of_features(tables[samples][0])
    is_settled = is_measured or are_features
    are_many, is_of_one_kind = (
        (False, False) if is_settled else _kind_of_numbers(rows, part.said, beside)
    )
    if not part.said and (is_turned or is_of_one_kind):
        part = _with_words_of_names(replace(part, records=rows))
        rows = part.records
    rows = _without_said_again(rows, part.said, beside, places_of_rows)
    said = [place for place, name in enumerate(rows[0]) if name in part.said]
    group = part.words.partition(" ")[0]
    if group and any(map(_may_be_label, beside[0], zip(*beside[1:], strict=True))):
        for place in said:
            rows[0][place] = _IN_NAMES if rows[0][place].startswith(group) else rows[0][place]
    header = unique_names([*rows[0], *beside[0]])
    blank = [""] * len(beside[0])
    below = (
        [*row, *(blank if place is None else beside[place])]
        for row, place in zip(rows[1:], places_of_rows, strict=True)
    )
    data = _written([header, *below])
    of_samples = range(len(rows[0]), len(header))
    return Joined(
        data,
        numbers,
        (*part.steps, step),
        is_measured or is_of_one_kind,
        (*said, *(of_samples if is_measured else ())),
        (*of_samples,) if are_many else (),
        part.words if group in rows[0] else "",
        are_features=are_features,
    )


def _with_further(
    samples: _Records, index: int, others: Mapping[str, _Records], limits: Limits
) -> tuple[_Records, str, str]:
    """The rows of samples without their names, with what one of other tables says of them.

    It says so by another column of both that names no features: of donors, or of samples beside
    extracts of these.

    Returns
    -------
    rows : list of list of str
    file : str
        That of the other table; empty without one.
    step : str
        How it was joined, in words.
    """
    rows = [[*row[:index], *row[index + 1 :]] for row in samples]
    header, matches = rows[0], []
    for file, (names, *records) in others.items():
        key_of = {name: key for key, name in enumerate(names) if name and not says_features(name)}
        for place, key in enumerate(map(key_of.get, header)):
            if key is None:
                continue
            cells = [row[place] for row in rows[1:] if row[place] not in MISSING]
            keys = [*dict.fromkeys(cells)]
            if len(keys) == len(cells) and all(map(is_number, keys)):
                continue  # they may number the rows of either
            if row_of := _row_of_each(keys, keys, [record[key] for record in records]):
                matches.append((file, place, key, row_of))
    if not matches:
        return rows, "", ""
    file, place, key, row_of = max(
        matches, key=lambda match: (_has_factor(others[match[0]][0]), len(match[3]))
    )
    further = [[*row[:key], *row[key + 1 :]] for row in others[file]]
    limits.reject_cells(len(rows), len(header) + len(further[0]))
    step = f", and by {shortened(header[place])} with {count(len(further) - 1, 'row')} of "
    below = [
        [*row, *(further[row_of[row[place]]] if row[place] in row_of else [""] * len(further[0]))]
        for row in rows[1:]
    ]
    return [[*header, *further[0]], *below], file, step + shortened(file)


def _has_factor(header: Sequence[str]) -> bool:
    return any(name.startswith(FACTOR) for name in header)


def _pairs(
    parts: Mapping[str, Part], form: _Form, *, are_begun: bool = False
) -> list[tuple[tuple[int, bool, dict[str, int]], str, str]]:
    """Find what tables of numbers and of samples share by a form of the names, and their names.

    Or by that with which names begin, before a separator: sample_1 of sample_1_QC_B2.
    """
    return [
        (shared, numbers, samples)
        for numbers, samples in permutations(parts, 2)
        if not parts[samples].is_measured  # or each may be the numbers
        for shared in [_shared(parts[numbers], parts[samples].records, form, are_begun)]
        if shared is not None
    ]


def _kind_of_numbers(rows: _Records, said: Collection[str], beside: _Records) -> tuple[bool, bool]:
    """Return whether numbers are many, what stands beside them less so, and whether of one kind.

    Of one kind are counts, shares of a whole, names that differ in digits, and more numbers than
    rows.
    """
    columns = [[*cells] for cells in zip(*rows[: _ROWS_PROBED + 1], strict=True)][1:]
    numbers = [column for column in columns if column[0] not in said]
    n_beside = sum(map(_may_be_sample, zip(*beside[: _ROWS_PROBED + 1], strict=True)))
    cells = [cell for _, *of_column in numbers for cell in of_column if cell not in MISSING]
    is_sheet = n_beside < _LEAST_OF_KIND <= len(numbers)
    if not (is_sheet and all(map(is_number, cells))):
        return False, False
    are_alike = len({_DIGITS.sub("", name) for name, *_ in numbers}) == 1
    are_counts = all(cell.removesuffix(".0").isdecimal() for cell in cells)
    are_shares = all(map(_are_shares, zip(*(cells for _, *cells in numbers), strict=True)))
    is_of_one_kind = are_alike or are_counts or are_shares or len(numbers) >= len(rows)
    return is_of_one_kind or len(numbers) >= FAR_MORE * len(beside[0]), is_of_one_kind


def _are_shares(cells: Sequence[str]) -> bool:
    """Return whether the numbers of a row are parts of one, or of a hundred."""
    parts = [float(cell) for cell in cells if cell not in MISSING]
    whole = 1 if max(parts, default=0) <= 1 else 100
    return min(parts, default=-1) >= 0 and sum(parts) <= whole * _ROUNDED


def _with_words_of_names(part: Part, names: Sequence[str] = ()) -> Part:
    """The table with the words of the names of samples, as a format that tells these has them.

    Of longer names of these, such as those of their files, if there are any.
    """
    groups = groups_in_names(names or [row[0] for row in part.records[1:]])
    if not groups or not {*groups}.isdisjoint(part.records[0]):
        return part
    words_of_rows = [[*groups], *zip(*groups.values(), strict=True)]
    records = [[*row, *cells] for row, cells in zip(part.records, words_of_rows, strict=True)]
    words = f"{next(iter(groups))} has words of the names of the samples"
    return replace(part, records=records, said=(*groups,), words=words)


def _without_said_again(
    rows: _Records, said: Sequence[str], beside: _Records, places: Sequence[int | None]
) -> _Records:
    """The rows without what their format says of samples in other words than their table does."""
    pairs = [(row, beside[place]) for row, place in zip(rows[1:], places, strict=True) if place]
    again = set()
    for column, name in enumerate(rows[0]):
        cells = [row[column] for row, _ in pairs] if name in said else []
        others = zip(*(other for _, other in pairs), strict=True) if cells else ()
        n = len({*cells})
        if any(n == len({*other}) == len({*zip(cells, other, strict=True)}) for other in others):
            again.add(column)
    return [[cell for column, cell in enumerate(row) if column not in again] for row in rows]


def _may_be_label(name: str, cells: Sequence[str]) -> bool:
    """Return whether a name says that words, which recur, are classes."""
    do_recur = 2 <= len({*cells}) <= len(cells) / 2 and not all(map(is_number, cells))
    return do_recur and any(map(names_label, words_of(name)))


def _turned(records: _Records, samples: Collection[str]) -> _Records:
    """A row for each column, below the names of the features: the first that all differ.

    What else stands before the samples says what the features are, as the places of spots do; so
    do words behind them, and what is named so. Names of features stand behind the samples where the
    first column is one, as programs for proteins write them.
    """
    columns = [[*column] for column in zip(*records, strict=True)]
    if columns[0][0] in samples and _may_be_sample(columns[0]):
        others = [column for column in columns if column[0] not in samples]
        numbers = ["row", *map(str, range(1, len(records)))]
        beside, n_beside = [c for c in others if not _may_be_sample(c)] or [numbers], 0
    else:
        n_beside = next(
            place for place, column in enumerate(columns) if place and column[0] in samples
        )
        beside = columns[:n_beside]
    names = next((column for column in beside if len({*column}) == len(column)), beside[0])
    behind = (c for c in columns[n_beside:] if c[0] in samples or _may_be_sample(c))
    return [names, *behind]


def _may_be_sample(column: Sequence[str]) -> bool:
    """Return whether most cells are numbers, and no name says that they are about features."""
    present = [cell for cell in column[1:] if cell not in MISSING]
    are_numbers = 2 * sum(map(is_number, present)) >= len(present)
    return are_numbers and not says_features(column[0])


def _bare(names: Sequence[str]) -> list[str]:
    """The names of files without folders, endings and words that all begin or end with.

    Those that differ in these alone stay as they are.

    Examples
    --------
    >>> _bare(["D:\\\\run\\\\a_1.raw", "b_2.raw"]), _bare(["a.x", "a.y"])
    (['a_1', 'b_2'], ['a.x', 'a.y'])
    >>> _bare(["a_1.mzML Peak area", "b_2.mzML Peak area"])
    ['a_1', 'b_2']
    >>> _bare(["LFQ intensity a", "LFQ intensity b"]), _bare(["a_1_Abundance", "b_2_Abundance"])
    (['a', 'b'], ['a_1', 'b_2'])
    """
    if names and is_number(names[0]):  # as of most columns
        return [*names]
    words = [name.split(" ") for name in names]
    for _ in range(2):  # behind, then before
        words = [each[::-1] for each in words]
        alike = takewhile(lambda first: len({*first}) == 1, zip(*words, strict=False))
        n_alike = min([len([*alike]), *(len(each) - 1 for each in words)])
        words = [each[n_alike:] for each in words]
    bare = [_AROUND.sub("", " ".join(each)) for each in words]
    ends = {end[0] if (end := _LAST_WORD.search(name)) else "" for name in bare}
    bare = [name.removesuffix(*ends) for name in bare] if len(ends) == 1 else bare
    return bare if len({*bare}) == len(bare) else [*names]


def _alphanumeric(names: Sequence[str]) -> list[str]:
    """The letters and digits of names, since R and QIIME put points for other characters.

    And an X before a digit.

    Examples
    --------
    >>> _alphanumeric(["X1.a_2", "X1.b"]), _alphanumeric(["1-a-2", "1-b"])
    (['1a2', '1b'], ['1a2', '1b'])
    """
    plain = [_NO_LETTER_OR_DIGIT.sub("", _X_OF_R.sub("", name)) for name in names]
    return plain if len({*plain}) == len(plain) and all(plain) else [*names]


def _beginnings(names: Sequence[str], cells: Sequence[str]) -> list[str]:
    """The longest of some cells with which each name begins, before a separator; else the name.

    Examples
    --------
    >>> _beginnings(["s_1_QC", "s_10_QC", "t_2"], ["s_1", "s_10", "s"])
    ['s_1', 's_10', 't_2']
    """
    among = {*cells}
    ends = ([*(match.start() for match in _SEPARATOR.finditer(name))][::-1] for name in names)
    return [
        next((name[:end] for end in of_name if name[:end] in among), name)
        for name, of_name in zip(names, ends, strict=True)
    ]


def _apart(names: Sequence[str]) -> list[str]:
    """The names of files without the letters that all begin or end with, unless few are left.

    Examples
    --------
    >>> _apart(["12_a_01_m1.raw", "12_a_02_m2.raw"]), _apart(["run_1", "run_2"])
    (['01_m1', '02_m2'], ['run_1', 'run_2'])
    """
    apart = without_shared(_bare(names)) if names and not is_number(names[0]) else ()
    are_told_apart = len({*apart}) == len(names) and not any(map(is_number, apart))
    are_left = min(map(len, apart), default=0) >= _LEAST_LEFT
    return [*apart] if are_told_apart and are_left else [*names]


def _left_out(files: Iterable[str]) -> str:
    return "".join(f" {step}" for step in _left_out_of(files))


def _left_out_of(files: Iterable[str]) -> tuple[str, ...]:
    names = sorted(files)
    return (f"Left out: {listed(names)}.",) if names else ()


def _stacked(parts: Mapping[str, Part], limits: Limits) -> Joined | None:
    """The rows of tables of the same columns, with a column of what those of each file are.

    Of two of which one lacks up to three columns, the rows of that one have no label.
    """
    tables = {name: part.records for name, part in parts.items()}
    first, header = max(
        ((name, records[0]) for name, records in tables.items()), key=lambda pair: len(pair[1])
    )
    columns = {*header}
    if len(header) < _LEAST_COLUMNS or len(columns) < len(header):
        return None
    lacking = {name: len(columns.difference(records[0])) for name, records in tables.items()}
    are_within = all({*records[0]} <= columns for records in tables.values())
    n_lacking = min((lacking[name] for name in tables if name != first), default=0)
    if not are_within or n_lacking > min(_MOST_TARGETS, len(header) / 2 - 1):
        return None
    files = [name for name in tables if name == first or lacking[name] == n_lacking]
    n_rows = sum(len(tables[name]) - 1 for name in files)
    limits.reject_cells(n_rows, len(header) + 1)
    words = [] if n_lacking or len(files) == 1 else _different(files)
    rows = [
        [*(named.get(name, "") for name in header), *words[place : place + 1]]
        for place, file in enumerate(files)
        for row in tables[file][1:]
        for named in [dict(zip(tables[file][0], row, strict=False))]
    ]
    read = "Put together" if files[1:] else "Read"
    step = f"{read}: the rows of {listed(files)}.{_left_out({*tables} - {*files})}"
    name = _FILE if _FILE not in columns else f"{_FILE} of the row"
    data = _written([[*header, *([name] if words else [])], *rows])
    is_measured = all(parts[file].is_measured for file in files)
    names_said = {*parts[first].said, *([name] if is_measured and words else ())}
    said = [place for place, column in enumerate((*header, name)) if column in names_said]
    return Joined(data, first, (step,), is_measured, tuple(said), is_named=False)


def _different(files: Sequence[str]) -> list[str]:
    """The words of names that differ, or the names where numbers do.

    Examples
    --------
    >>> _different(["winequality-red.csv", "winequality-white.csv"])
    ['red', 'white']
    >>> _different(["week1.csv", "week2.csv"])
    ['week1', 'week2']
    """
    stems = [PurePosixPath(file).stem for file in files]
    words = [stem.replace("-", "_").split("_") for stem in stems]
    shared = set(words[0]).intersection(*words)
    different = [" ".join(word for word in of_file if word not in shared) for of_file in words]
    return stems if any(not name or is_number(name) for name in different) else different


def _row_by_row(tables: dict[str, _Records], limits: Limits) -> Joined | None:
    """Features and what is said of as many rows, in order; None if the tables are not so.

    A column of labels is, and a table of more columns if no column of one of both has names.
    """
    (first, second), names = tables.values(), tuple(tables)
    numbers, labels = (first, second) if len(first[0]) >= len(second[0]) else (second, first)
    file, other = names if numbers is first else names[::-1]
    n_more, is_column = len(numbers) - len(labels), len(labels[0]) == 1
    if len(numbers[0]) < 2 or n_more not in ((-1, 0, 1) if is_column else (0,)):
        return None
    if not is_column and (_names_any(labels, numbers[0]) or all(map(_has_names, (first, second)))):
        return None
    if n_more > 0:  # only the numbers have a header
        labels.insert(0, ["label"])
    elif n_more < 0:
        numbers.insert(0, _numbered(len(numbers[0])))
    elif is_column and _is_data(labels) and _is_data(numbers):
        labels.insert(0, ["label"])
        numbers.insert(0, _numbered(len(numbers[0])))
    limits.reject_cells(len(numbers), len(numbers[0]) + len(labels[0]))
    rows = [[*row, *label] for row, label in zip(numbers, labels, strict=True)]
    joined, n_rows = f"{shortened(file)} with", count(len(rows) - 1, "row")
    if is_column:
        step = f"Joined row by row: {n_rows} of {joined} the column of {shortened(other)}."
        return Joined(_written(rows), file, (step,))
    step = (
        "Joined in order, as no column has the names of the rows of both: the first row of "
        f"{joined} the first of {shortened(other)}, and so on for {n_rows}. If their orders "
        "differ, add a column of names to both and drop them again."
    )
    return Joined(_written(rows), file, (step,), warnings=(step,))


def _names_any(records: _Records, names: Sequence[str]) -> bool:
    """Return whether a cell below the header is one of some names."""
    return any(not {*names}.isdisjoint(row) for row in records[1:])


def _has_names(records: _Records) -> bool:
    """Return whether a column may name the rows, as words that mostly differ or numbers do."""
    return any(map(_are_names, records[0], zip(*records[1:], strict=True)))


def _are_names(name: str, cells: Sequence[str]) -> bool:
    present = [cell for cell in cells if cell not in MISSING]
    if all(map(is_number, present)):
        is_ascending = all(map(str.isdecimal, cells)) and all(
            int(cell) < int(next_cell) for cell, next_cell in pairwise(cells)
        )
        return names_identifier(name) or is_ascending
    return 2 * len({*present}) > len(cells)


def _numbered(n_columns: int) -> list[str]:
    return [f"column {index}" for index in range(1, n_columns + 1)]


def _is_data(records: _Records) -> bool:
    """Return whether the first record is a row: its last cell is a number, or comes again."""
    cell = records[0][-1]
    return is_number(cell) or any(row[-1] == cell for row in records[1:])


def _texts(raw: bytes) -> dict[str, bytes] | None:
    """The files of an archive that holds a few of text and nothing else."""
    if not raw.startswith(ZIP):
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            files = archived_files(archive)
            names = [PurePosixPath(part.filename).name for part in files]
            are_texts = all(name.lower().endswith(_SUFFIXES) for name in names)
            if len({*names}) == 1:  # in a folder for each sample
                names = [PurePosixPath(part.filename).parent.name for part in files]
            is_few = 2 <= len(files) == len({*names}) <= _MOST_SAMPLES
            if not (is_few and are_texts):
                return None
            texts: dict[str, bytes] = {}
            n_left = MAX_UNPACKED
            for name, part in zip(names, files, strict=True):
                with archive.open(part) as opened:
                    texts[name] = opened.read(n_left + 1)
                n_left -= len(texts[name])
                if n_left < 0:
                    return None
    except _DAMAGED:
        return None
    return texts


def plain_records(data: bytes, name: str, limits: Limits) -> list[list[str]]:
    """Return the cells of a table as text, its header first."""
    text = without_last_delimiter(_TYPES.sub(b"", as_utf8(data, name).data))
    text, _ = without_comments(text)
    first = FirstLines(text)
    if samples := samples_of_series(first):
        return samples
    if layout := r_table(first):
        text = read_layout(text, replace(layout, turned=None), limits).data
    text, _ = as_tabs(text)
    if not any(mark.encode() in text for mark in DELIMITERS):  # of one column
        return [[cell.strip('" ')] for cell in text.decode().split("\n") if cell.strip()]
    wide = Limits(max(limits.n_rows, limits.n_columns), max(limits.n_rows, limits.n_columns))
    form = find_records(text, wide).form
    lines = csv.reader(io.StringIO(text.decode()), delimiter=form.delimiter)
    rows = [[cell.strip() for cell in row] for row in lines if any(row)]
    rows[0][0] = rows[0][0].lstrip("#")
    return rows


def _shared(
    numbers: Part, samples: _Records, form: _Form, are_begun: bool
) -> tuple[int, bool, dict[str, int]] | None:
    """Find the column that names most samples of the numbers.

    Behind it, whether the numbers are turned, and the row of each sample.
    """
    rows = [(False, [row[0] for row in numbers.records[1:]])]
    columns = zip(*numbers.records[: _ROWS_PROBED + 1], strict=True)
    of_numbers = [column[0] for column in columns if _may_be_sample(column)]
    best: tuple[int, bool, dict[str, int]] | None = None
    for is_turned, names in rows if numbers.is_measured else [(True, of_numbers), *rows]:
        forms = form(names)
        are_numbers = all(map(is_number, forms))
        for index, column in enumerate(zip(*samples[1:], strict=True)):
            begun = _beginnings(forms, column) if are_begun else forms
            row_of = _row_of_each(names, begun, form(column))
            # Numbers may be of other things, unless all are there or their name says it.
            is_named = forms == names and (index == 0 or names_identifier(samples[0][index]))
            least = len(names) if are_numbers and not is_named else 0
            if len(row_of) > max(least - 1, len(best[2]) if best else 0):
                best = index, is_turned, row_of
    return best


def _row_of_each(
    names: Sequence[str], forms: Sequence[str], column: Sequence[str]
) -> dict[str, int]:
    """The row of each sample that has one; empty if too few have, or they are not told apart."""
    rows = {cell: row for row, cell in enumerate(column, start=1)}
    if len(rows) < len(column):
        return {}
    row_of = {name: rows[form] for name, form in zip(names, forms, strict=True) if form in rows}
    are_told_apart = len({*row_of.values()}) == sum(form in rows for form in forms)
    is_enough = len(row_of) >= max(2, _LEAST_SHARED * len(names))
    return row_of if is_enough and are_told_apart else {}


def _written(rows: Iterable[Sequence[str]]) -> bytes:
    written = io.StringIO()
    csv.writer(written, delimiter="\t", lineterminator="\n").writerows(rows)
    return written.getvalue().encode()
