"""Records as JSON: a list of them, one a line, columns by name, or counts of BIOM 1."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from melm_studio.tables.formatting import number
from melm_studio.tables.frames import BESIDE
from melm_studio.tables.records import Limits, reject_rows
from melm_studio.tables.text import TableError

_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)?[\[{]\s*[\"{\]\[}0-9-]")
# Of the two by which JSON writes a character beyond 16 bits, one without the other.
_HALF = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]"
)
_MWTAB, _FACTORS = "METABOLOMICS WORKBENCH", "SUBJECT_SAMPLE_FACTORS"
_LEAST_LINES = 2
_ROWS = ("data", "rows", "values")
_MOST_DEPTH = 3  # of records within records, whose names are joined by dots
_UNREADABLE = (ValueError, RecursionError, UnicodeDecodeError, AttributeError, TypeError, KeyError)
_NO_TABLE = (
    "{file} is JSON without a table: that is a list of records, a record on each line, or a list "
    "for each column. Save its records so, or as CSV, and drop that."
)


def is_json(raw: bytes) -> bool:
    """Return whether this begins as JSON does that holds records.

    Examples
    --------
    >>> is_json(b'[{"x": 1}]'), is_json(b"[0.1, 0.2],a"), is_json(b"x,y")
    (True, False, False)
    """
    if _START.match(raw) is None:
        return False
    return raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[{", b"[[")) or (
        re.match(rb"\s*\[\s*[\[{]", raw) is not None
    )


def json_cells(raw: bytes, file: str, limits: Limits) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read records as rows; those within records become columns such as ``size.width``.

    Returns
    -------
    cells : DataFrame
    steps : tuple of str

    Raises
    ------
    TableError
        If this is not JSON with a table within the limits.
    """
    try:
        text = _decoded(raw)
        content, how = _content(text)
        if isinstance(content, dict) and "matrix_type" in content:
            return _biom(content, limits), ("Read as BIOM 1: its columns are samples.",)
        if isinstance(content, dict) and (metabolites := _metabolites(content)):
            content = metabolites
            how = "Read as metabolites of the Metabolomics Workbench: a row for each sample."
        records = _records(content)
    except (TableError, MemoryError):
        raise
    except _UNREADABLE:
        raise TableError(
            f"{file} begins as JSON but cannot be read as such: it may be cut off. Save it again, "
            "or as CSV, and drop that."
        ) from None
    if not records:
        raise TableError(_NO_TABLE.format(file=file))
    reject_rows(len(records), limits)
    rows = [_flat(record) for record in records]
    names = dict.fromkeys(name for row in rows for name in row)
    limits.reject(len(rows), len(names))
    columns = {name: _column([row.get(name) for row in rows]) for name in names}
    return pd.DataFrame(columns, columns=list(columns)), (how,)


def _decoded(raw: bytes) -> str:
    """Text in UTF-8, as JSON has to be, or else in the encoding that each byte fits."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _content(text: str) -> tuple[Any, str]:
    """The value that a text holds, or the list of those on its lines."""
    try:
        return _value(text), "Read as JSON: a row for each record."
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < _LEAST_LINES:
            raise
        return [_value(line) for line in lines], "Read as JSON: a row for each line."


def _value(text: str) -> Any:
    """The value that a text holds; half of a character, which none encodes, becomes its number."""
    value = json.loads(text)
    if _HALF.search(text):
        value = json.loads(json.dumps(value, ensure_ascii=False).encode(errors="xmlcharrefreplace"))
    return value


def _records(content: Any) -> list[Mapping[str, Any]]:
    """The records of a value; none if it is no table."""
    if isinstance(content, dict):
        return _records_of_object(content)
    if _are_objects(content):
        return _records_of_columns(content) or list(content)
    if isinstance(content, list) and len(content) > 1 and all(isinstance(x, list) for x in content):
        return _named([f"column {place}" for place in range(1, len(content[0]) + 1)], content)
    return []


def _records_of_columns(objects: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The records of columns that are an object each: its name, and its cells as a list.

    Vectors of records, which are alike, are no columns: some of these have texts, others numbers.
    """
    keys = [key for key, value in objects[0].items() if isinstance(value, list)]
    names = [key for key, value in objects[0].items() if isinstance(value, str)]
    if len(keys) != 1 or not names or any({*entry} != {*objects[0]} for entry in objects):
        return []
    columns = [entry[keys[0]] for entry in objects]
    if not all(isinstance(column, list) for column in columns) or len({*map(len, columns)}) > 1:
        return []
    are_texts = {any(isinstance(cell, str) for cell in column) for column in columns}
    texts = ([str(entry[name]) for entry in objects] for name in names)
    named = next((row for row in texts if len({*row}) == len(row)), [])
    return _named(named, zip(*columns, strict=True)) if named and len(are_texts) > 1 else []


def _records_of_object(content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if rows := _rows_beside_names(content):  # also of as many rows as columns
        return _named(map(_name_of, content["columns"]), rows)
    columns = [value for value in content.values() if isinstance(value, list)]
    lengths = {len(value) for value in columns}
    if len(columns) == len(content) > 1 and len(lengths) == 1 and not _are_objects(columns[0]):
        return _named(content, zip(*columns, strict=True))
    within = [value for value in columns if _are_objects(value)]
    if len(within) == 1:  # beside what is known of the file
        return within[0]
    objects = [*content.values()]
    if not _are_objects(objects) or len(objects) < 2:
        inner = [_records_of_object(value) for value in objects if isinstance(value, dict)]
        return inner[0] if len(inner) == 1 else []
    return _turned(content) if _are_columns(objects) else objects


def _named(names: Iterable[str], rows: Iterable[Iterable[Any]]) -> list[Mapping[str, Any]]:
    names = list(names)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _rows_beside_names(content: Mapping[str, Any]) -> list[list[Any]]:
    """The rows whose names stand apart, as pandas and databases write them; empty if none do."""
    lists = [content.get(key) for key in _ROWS] if isinstance(content.get("columns"), list) else []
    tables = [rows for rows in lists if rows and isinstance(rows, list)]
    return next((rows for rows in tables if all(isinstance(row, list) for row in rows)), [])


def _name_of(column: Any) -> str:
    return str(column.get("name", column) if isinstance(column, dict) else column)


def _are_columns(objects: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether objects are columns by row, as pandas writes a table, and not records by name.

    Columns have the same rows and values of one kind each. Where records would have that, too,
    they are columns only if their rows are counted from 0.
    """
    names = list(objects[0])
    if any(list(entry) != names for entry in objects):
        return False
    down = all(_is_of_one_kind(entry.values()) for entry in objects)
    across = all(_is_of_one_kind(entry[name] for entry in objects) for name in names)
    counted = names == [str(index) for index in range(len(names))]
    return down and (counted or not across)


def _is_of_one_kind(values: Iterable[Any]) -> bool:
    kinds = {str if isinstance(value, str) else float for value in values if value is not None}
    return len(kinds) < 2


def _turned(columns: Mapping[str, Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The records of columns; rows that are not merely counted keep their names as ``row``."""
    rows = list(next(iter(columns.values())))
    records: list[Mapping[str, Any]] = []
    for index, row in enumerate(rows):
        record = {name: cells[row] for name, cells in columns.items()}
        records.append(record if row == str(index) else {"row": row, **record})
    return records


def _are_objects(values: Any) -> bool:
    return isinstance(values, list) and bool(values) and all(isinstance(x, dict) for x in values)


def _flat(record: Mapping[str, Any], before: str = "", depth: int = 0) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in record.items():
        full = f"{before}{name}"
        if isinstance(value, dict) and depth < _MOST_DEPTH:
            flat |= _flat(value, f"{full}.", depth + 1)
        else:
            flat[full] = value
    return flat


def _column(values: Sequence[Any]) -> pd.Series:
    """Numbers as such, unless they are beside texts; everything else as text."""
    present = [value for value in values if value is not None]
    if present and all(type(value) in (int, float) for value in present):
        return pd.Series([_finite(value) for value in values], dtype=np.float64)
    texts = [
        None if value is None else value if isinstance(value, str) else json.dumps(value)
        for value in values
    ]
    return pd.Series(texts, dtype=object)


def _finite(value: float | None) -> float:
    try:
        return math.nan if value is None else float(value)
    except OverflowError:
        return math.inf


def _metabolites(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The samples of mwTab as JSON, whose metabolites are records; none if this is another file."""
    named = [entry for entry in content if entry.endswith(("_METABOLITE_DATA", "_BINNED_DATA"))]
    if _MWTAB not in content or not named or _FACTORS not in content:
        return []
    samples = {
        entry["Sample ID"]: {"sample": entry["Sample ID"], **entry["Factors"]}
        for entry in content[_FACTORS]
    }
    for record in content[named[0]]["Data"]:
        (_, feature), *cells = record.items()
        for sample, cell in cells:
            if sample in samples:
                samples[sample][feature] = _as_number(cell)
    return [*samples.values()]


def _as_number(cell: str) -> float | str | None:
    try:
        return float(cell) if cell else None
    except ValueError:
        return cell


def _biom(content: Mapping[str, Any], limits: Limits) -> pd.DataFrame:
    """Counts of BIOM 1, a row for each sample with what is known of it."""
    features = [str(entry["id"]) for entry in content["rows"]]
    samples = content["columns"]
    limits.reject(len(samples), len(features) + 1)
    counts = np.zeros((len(features), len(samples)))
    if content["matrix_type"] == "sparse":
        for row, column, value in content["data"]:
            if not (0 <= row < len(features) and 0 <= column < len(samples)):
                raise TableError(
                    f"The BIOM file has a count in row {number(row)} and column {number(column)}, "
                    "which it does not have. Save it again and drop it."
                )
            counts[row, column] = value
    else:
        counts[:] = content["data"]
    cells = pd.DataFrame(counts.T, columns=pd.Index(features, dtype=object))
    marks = [_flat(entry.get("metadata") or {}) for entry in samples]
    for name in dict.fromkeys(name for entry in marks for name in entry):
        free = name if name not in features else f"{name} of the sample"
        cells.insert(cells.shape[1], free, _column([entry.get(name) for entry in marks]))
    cells.attrs[BESIDE] = tuple(cells.columns[len(features) :])
    cells.insert(0, "sample", [str(entry["id"]) for entry in samples], allow_duplicates=True)
    return cells
