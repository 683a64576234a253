"""Reading a file as a grammar says."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pandas as pd

from melm_studio.tables.cells import EXACT, NONE
from melm_studio.tables.formatting import count, words_of
from melm_studio.tables.frames import TEXTS, free_name
from melm_studio.tables.grammars.layout import Layout, Long, Turned, header_line, is_number
from melm_studio.tables.grammars.sample_names import groups_in_names
from melm_studio.tables.parsing import MISSING_MARKERS
from melm_studio.tables.records import Limits, guess_decimal
from melm_studio.tables.text import TableError

SAMPLE = "sample"
_SAMPLE_BYTES, _SAMPLE_ROWS = 100_000, 50


@dataclass(frozen=True, eq=False)
class Read:
    """A file, read by a layout.

    Attributes
    ----------
    data : bytes
        Text with one header; empty where samples were columns.
    cells : DataFrame or None
        The turned table, a row for each sample.
    steps : tuple of str
    words : str
        Which column has words of the names of the samples, which may be the label; empty if none.
    marks : tuple of str
        The columns of what else is known of the samples.
    levels : tuple of str
        Of tables below each other, that which was read first; empty if there is one table.
    """

    data: bytes
    cells: pd.DataFrame | None
    steps: tuple[str, ...]
    words: str = ""
    marks: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()


def read_layout(data: bytes, layout: Layout, limits: Limits, level: str = "") -> Read:
    """Read a file as its grammar says.

    Parameters
    ----------
    data : bytes
    layout : Layout
    limits : Limits
    level : str, optional
        Which of several tables below each other is read, if it is one of these.

    Raises
    ------
    TableError
        If the file is not as its first lines say, or too large.
    """
    if layout.refusal and layout.turned is None:
        raise TableError(layout.refusal)
    body = _body(data, layout)
    if layout.level:
        return _of_level(body, layout, level)
    if layout.turned is None:
        return Read(_with_header(body, layout), None, (layout.step,))
    if isinstance(layout.turned, Long):
        cells, steps = _widened(body, layout, layout.turned, limits)
        if layout.refusal and len(cells) == 1:
            raise TableError(layout.refusal)
    else:
        cells, steps = _turned(body, layout, layout.turned, limits)
    marks = tuple(map(str, cells.columns[cells.shape[1] - len(layout.turned.marks) :]))
    samples = [str(name) for name in cells.iloc[:, 0]]
    if groups := _groups(samples, cells[[*marks]]):
        group, *others = (free_name(name, cells) for name in groups)
        cells = cells.assign(**dict(zip((group, *others), groups.values(), strict=True)))
        cells.attrs[TEXTS] = (group, *others)
        return Read(b"", cells, (layout.step, *steps), group, (*marks, *others))
    return Read(b"", cells, (layout.step, *steps), marks=marks)


def _groups(samples: Sequence[str], marks: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """The words of the names of samples, unless a mark may be the label; else of their titles.

    Titles are the first texts that name each sample. A mark that may be the label and of which each
    word of theirs has one value says the same.
    """
    labels = [[*map(str, marks[name])] for name in marks if _may_be_label(marks[name])]
    if groups := groups_in_names(samples):
        return {} if labels else groups
    title = next((str(name) for name in marks if marks[name].is_unique), "")
    names = [str(text).replace("’", "'") for text in marks[title]] if title else []
    groups = {} if all(map(is_number, names)) else groups_in_names(names, title)
    return {
        name: group
        for name, group in groups.items()
        if all(len({*zip(group, label, strict=True)}) > len({*group}) for label in labels)
    }


def _may_be_label(texts: pd.Series) -> bool:
    return 2 <= len({*texts}) <= len(texts) / 2


def _body(data: bytes, layout: Layout) -> bytes:
    """The rows below the header, up to the line that ends them."""
    start = 0
    for _ in range(layout.n_above):
        start = data.find(b"\n", start) + 1
        if not start:
            raise TableError("The file has a header but no rows. Add rows and drop it again.")
    body = data[start:]
    for line in layout.until:
        if (end := body.find(f"\n{line}".encode())) >= 0:
            body = body[: end + 1]
    if not body.strip():
        raise TableError("The file has a header but no rows. Add rows and drop it again.")
    return body


def _of_level(body: bytes, layout: Layout, level: str) -> Read:
    """The rows whose first cell names one of several tables, of as many columns as that has."""
    mark = layout.delimiter.encode()
    lines = [*filter(bytes.strip, body.splitlines())]
    cells = [line.partition(mark)[0].decode().strip(' "') for line in lines]
    levels = [*dict.fromkeys(cells)]
    first = next((name for name in (level, layout.level) if name in levels), levels[0])
    rows = [line.rstrip(mark) for line, name in zip(lines, cells, strict=True) if name == first]
    header = header_line(layout.names[: rows[0].count(mark) + 1], layout.delimiter)
    several = (f"Read: the rows of {first}, of {count(len(levels), 'level')}.",)
    return Read(
        b"\n" * (layout.n_above - 1) + header + b"\n".join([*rows, b""]),
        None,
        (layout.step, *(several if len(levels) > 1 else ())),
        levels=tuple(dict.fromkeys((first, *levels))) if len(levels) > 1 else (),
    )


def _with_header(body: bytes, layout: Layout) -> bytes:
    """The rows below one line of names, at their places in the file."""
    mark = layout.delimiter
    is_ragged = layout.is_filled and any(
        line.count(mark.encode()) + 1 < len(layout.names) for line in body.splitlines()
    )
    if mark == " " or is_ragged:
        lines = io.TextIOWrapper(io.BytesIO(body), encoding="utf-8", newline="\n")
        written = io.StringIO()
        rows = csv.reader(lines, delimiter=mark, skipinitialspace=True)
        mark = "\t" if mark == " " else mark
        n_cells = len(layout.names) if is_ragged else 0
        try:
            csv.writer(written, delimiter=mark, lineterminator="\n").writerows(
                row + [""] * (n_cells - len(row)) for row in rows if row
            )
        except csv.Error:
            raise TableError(
                "The quotation marks in the file do not pair up. Write one inside a cell twice and "
                "drop the file again."
            ) from None
        body = written.getvalue().encode()
    return b"\n" * (layout.n_above - 1) + header_line(layout.names, mark) + body


def _turned(
    body: bytes, layout: Layout, turned: Turned, limits: Limits
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """A row for each of the columns that are samples, and what was left out."""
    limits.reject_cells(body.count(b"\n") + 1, len(turned.at))
    beside = sorted({*turned.features, *turned.left_out})
    table, steps = _without(_parsed(body, layout, beside, turned.at), turned)
    names = table[turned.features[0]]
    for column in turned.features[1:]:
        names = names.where(names.notna() & (names != ""), table[column])
    features = names.fillna("").tolist()
    cells = table[list(turned.at)].replace(NONE, np.nan).T
    cells.columns = pd.Index(features, dtype=object)
    cells = cells.reset_index(drop=True)
    cells.insert(0, free_name(SAMPLE, cells), list(turned.names), allow_duplicates=True)
    for name, values in turned.marks.items():
        cells.insert(cells.shape[1], free_name(name, cells), [value or None for value in values])
    return cells, steps


def _without(table: pd.DataFrame, of: Turned | Long) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The rows that the file does not mark, and how many it does."""
    n_rows = len(table)
    for column, marks in of.left_out.items():
        table = table[~table[column].fillna("").isin(marks)]
    if not len(table):
        raise TableError("The file has samples but no features. Add rows and drop it again.")
    n_left_out = n_rows - len(table)
    rows = count(n_left_out, "row")
    marked = f"{rows} that the file marks as unusable or controls, or that stand below another"
    return table, (f"Left out: {marked}.",) if n_left_out else ()


def _widened(
    body: bytes, layout: Layout, long: Long, limits: Limits
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """A row for each sample, and what was averaged."""
    values = [] if long.value is None else [long.value]
    texts = {*long.sample, *long.feature, *long.marks, *long.left_out}
    table = _parsed(body, layout, sorted(texts), values).dropna(subset=[*long.sample])
    table, steps = _without(table.dropna(subset=[*long.feature], how="all"), long)
    if long.value is None:
        numbers = pd.Series(1.0, index=table.index)
    else:
        numbers = pd.to_numeric(table[long.value], errors="coerce")
    of_features = _together(table, long.feature).rename("feature")
    if long.sample:
        of_samples = _together(table, long.sample)
    else:
        of_samples = of_features.groupby(of_features).cumcount().add(1).astype(str)
    of_samples = of_samples.rename("sample")
    features, samples = of_features.unique(), of_samples.unique()
    limits.reject_cells(len(samples), len(features))
    pairs = numbers.groupby([of_features, of_samples])
    averaged = 0 if long.is_summed else int((pairs.max() > pairs.min()).sum())
    # What was not counted has no row.
    are_counts = long.value is None or not {"count", "counts"}.isdisjoint(
        words_of(layout.names[long.value])
    )
    of_pairs = pairs.sum(min_count=1) if long.is_summed else pairs.mean()
    absent = 0 if are_counts else None
    cells = of_pairs.unstack("feature", fill_value=absent)  # noqa: PD010 (of a series)
    cells = cells.reindex(index=samples, columns=features)
    cells.columns = pd.Index(features, dtype=object)
    cells = cells.reset_index(drop=True)
    named = " and ".join(layout.names[index] for index in long.sample) or SAMPLE
    cells.insert(0, free_name(named, cells), samples)
    once = table.groupby(of_samples, sort=False)[[*long.marks]].first()
    for index in long.marks:
        cells.insert(cells.shape[1], free_name(layout.names[index], cells), once[index].tolist())
    several = f"Averaged: {count(averaged, 'feature')} with several numbers of one sample."
    return cells, (*steps, several) if averaged else steps


def _together(table: pd.DataFrame, columns: Sequence[int]) -> pd.Series:
    """The texts of several columns as one."""
    named = (table[index].fillna("") for index in columns)
    return reduce(lambda first, other: first + " " + other, named).str.strip()


def _parsed(
    body: bytes, layout: Layout, texts: Sequence[int], numbers: Sequence[int]
) -> pd.DataFrame:
    """Some columns of the rows, by their places."""
    sample = csv.reader(
        body[:_SAMPLE_BYTES].decode("utf-8", "ignore").split("\n"), delimiter=layout.delimiter
    )
    decimal = guess_decimal(
        [row for row, _ in zip(sample, range(_SAMPLE_ROWS), strict=False)], layout.delimiter
    )
    try:
        table: pd.DataFrame = pd.read_csv(
            io.BytesIO(body),
            sep=layout.delimiter,
            decimal=decimal,
            header=None,
            names=range(len(layout.names)),
            usecols=[*texts, *numbers],
            dtype=dict.fromkeys(texts, "str"),
            na_values=MISSING_MARKERS,
            keep_default_na=False,
            index_col=False,
            skipinitialspace=True,
            low_memory=False,
            **EXACT,
        )
        return table
    except (ValueError, OverflowError):
        raise TableError(
            f"{layout.step.rstrip('.')}, but rows have other numbers of fields than the header. "
            "Save it again, or as CSV, and drop it again."
        ) from None
