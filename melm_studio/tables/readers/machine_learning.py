"""Text files of machine learning: ARFF, sparse rows of libsvm, and time series of UEA and UCR.

ARFF is the format of Weka and OpenML (G. Holmes, A. Donkin and I. Witten, "WEKA: a machine learning
workbench", 1994), described at
https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/, time series (.ts) at
https://www.aeon-toolkit.org/en/stable/api_reference/file_specifications.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from sklearn.datasets import load_svmlight_file

from melm_studio.tables.formatting import count, number, place, shortened
from melm_studio.tables.readers.rows import TextWriter
from melm_studio.tables.readers.unpack import MAX_UNPACKED
from melm_studio.tables.records import Limits, reject_rows
from melm_studio.tables.text import TableError

# Possessive, since backtracking would cost time.
HEAD = re.compile(r"(?:[ \t]*+(?:%[^\n]*+)?+\n)*+[ \t]*+@relation\b", re.IGNORECASE)
ATTRIBUTE = re.compile(
    r"""@attribute\s++(?:'(?P<single>(?:[^'\\]|\\.)*+)'|"(?P<double>(?:[^"\\]|\\.)*+)"|"""
    r"(?P<plain>[^\s{]++))\s*+(?P<type>\S.*)",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"""\s*+(?P<index>[0-9]++)[ \t]++(?P<value>'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|[^,'"]*+)"""
    r"""\s*+(?:,|$)"""
)
DATA = re.compile(r"@data\b", re.IGNORECASE)
_FIRST_ATTRIBUTE = re.compile("@attribute", re.IGNORECASE)
# How many of the first attributes are labels, of the last if it is negative: in the name that MEKA
# gives to a relation.
_N_LABELS = re.compile(r"-C\s+(-?[0-9]{1,5})\b", re.IGNORECASE)
_MARK = re.compile(r"\{\s*'?0'?\s*,\s*'?1'?\s*\}")
_LEAST_MARKS = 3  # two may be a feature and the label
_WORD = re.compile(r"^\{(?:[^{}]*,)?[\s'\"]*[^\W\d]")  # among the values of a nominal attribute
_NUMBER = rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_LABELS = rb"%s(?:,%s)*" % (_NUMBER, _NUMBER)
_LINE = re.compile(rb"\s*%s(?:\s+qid:[0-9]+)?(?:\s+[0-9]+:%s)+\s*(?:#.*)?" % (_LABELS, _NUMBER))
_SEVERAL = re.compile(rb"^[ \t]*[^#\s:,]+,", re.MULTILINE)
_PROBED = 20  # lines
_PROBED_BYTES = 1_000_000
_MOST_BEFORE_SERIES = 100_000  # bytes that may precede the first line about the series
_STARTS = (b"@problemname", b"@timestamps", b"@univariate")
_UNEQUAL = (
    "The series of the file are not of one length, or have times of their own ({place}). Write "
    "each with equally many values, and drop the file again."
)
LABEL, LABELS = "class", "label"  # a type of attributes of which a row has any


def is_arff(text: str) -> bool:
    """Return whether this is the text of an ARFF file."""
    return HEAD.match(text) is not None


def arff_text(
    text: str, *, max_rows: float, max_columns: float, max_bytes: int = MAX_UNPACKED
) -> tuple[bytes, frozenset[str], tuple[str, ...]]:
    """Convert ARFF to tab-separated text with a header.

    Returns
    -------
    data : bytes
    texts : frozenset of str
        The attributes whose values are words, beside which numbers are words as well.
    labels : tuple of str
        Several of which each row may have any.

    Raises
    ------
    TableError
        If the file is relational, has no data, or a row has too many or few values.
    """
    lines = enumerate(text.splitlines(), start=1)
    types = [*_types(lines)]
    names = [name for name, _ in types]
    absent = [_absent(values) for _, values in types]
    written = TextWriter(max_rows, max_columns, max_bytes)
    written.add(names)
    for row, line in lines:
        if not line.strip() or line.lstrip().startswith("%"):
            continue
        written.add(_values(line.strip(), absent, row))
    words = frozenset(name for name, values in types if _WORD.search(values))
    return written.data, words, _several_labels(text, types)


def _several_labels(text: str, types: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The attributes that the file calls labels, if there are several and other attributes."""
    names = [name for name, _ in types]
    labels = [name for name, kind in types if kind.strip().lower() == LABELS]
    begin = _FIRST_ATTRIBUTE.search(text)
    relation = text[: begin.start()] if begin else ""
    if n_labels := _N_LABELS.search(relation, max(relation.lower().find("@relation"), 0)):
        n = int(n_labels[1])
        labels = names[:n] if n > 0 else names[n:]
    elif not labels:
        labels = names[_first_of_last_marks([kind for _, kind in types]) :]
    return tuple(labels) if 1 < len(labels) < len(names) else ()


def _first_of_last_marks(kinds: Sequence[str]) -> int:
    """Where several attributes of 0 and 1 begin that end a file of others, as Mulan writes labels.

    After the last one if others have 0 and 1 as well, which may be features like these.
    """
    are_marks = [_MARK.fullmatch(kind) is not None for kind in kinds]
    first = len(kinds) - sum(are_marks)
    is_end = len(kinds) - first >= _LEAST_MARKS and all(are_marks[first:])
    return first if is_end else len(kinds)


def _types(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[str, str]]:
    """The names and types of the attributes; afterwards the lines are at the data."""
    for row, line in lines:
        stripped = line.strip()
        if DATA.match(stripped):
            return
        if not stripped.lower().startswith("@attribute"):
            continue
        attribute = ATTRIBUTE.match(stripped)
        if attribute is None or attribute["type"].lower().startswith("relational"):
            raise TableError(
                f"The attribute in {place(row)} cannot be read. Use numeric, nominal, string and "
                "date attributes, or save the table as CSV."
            )
        quoted = attribute["single"] if attribute["single"] is not None else attribute["double"]
        name = attribute["plain"] if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
        yield " ".join(name.split()), attribute["type"]
    raise TableError("The ARFF file has no @data. Save the whole table and drop it again.")


def _absent(values: str) -> str:
    """The value that a sparse row does not write: 0, or the first of those of the attribute."""
    return _cells(values[1:].rpartition("}")[0])[0] if values.startswith("{") else "0"


def _cells(line: str) -> list[str]:
    """The cells of a line; an empty one if its quotation marks do not pair up."""
    quote = "'" if "'" in line else '"'
    try:
        reader = csv.reader(
            [line], quotechar=quote, escapechar="\\", skipinitialspace=True, strict=True
        )
        return [value.strip() for value in next(reader)] or [""]
    except csv.Error:
        return [""]


def _values(line: str, absent: list[str], row: int) -> list[str]:
    if line.startswith("{"):
        return _sparse_values(line[1:].rpartition("}")[0], absent, row)
    values = _cells(line)
    if len(values) == 1 < len(absent):  # apart by blanks
        values = line.split()
    if len(values) > len(absent):  # what is missing has a mark, and is never empty
        values = [*filter(None, values)]
    if len(values) != len(absent):
        raise TableError(
            f"{place(row).capitalize()} has {count(len(values), 'value')} for "
            f"{number(len(absent))} attributes. Give every attribute a value, or ? where it is "
            "missing."
        )
    return ["" if value == "?" else value for value in values]


def _sparse_values(line: str, absent: list[str], row: int) -> list[str]:
    """The values of a row of {index value, index value}."""
    values, line, begin = [*absent], line.strip(), 0
    while begin < len(line):
        pair = _PAIR.match(line, begin)
        if pair is None or int(pair["index"][:9]) >= len(values):
            raise TableError(
                f"{place(row).capitalize()} is sparse, but {shortened(line[begin:].strip())} is no "
                "index of an attribute with its value. Save the file again, or as CSV."
            )
        value = pair["value"].strip()
        values[int(pair["index"][:9])] = "" if value == "?" else _cells(value)[0]
        begin = pair.end()
    return values


def is_sparse_lines(raw: bytes) -> bool:
    """Return whether each of the first lines is a label with index:value.

    Examples
    --------
    >>> is_sparse_lines(b"+1 1:0.5 7:2\\n-1 2:1\\n"), is_sparse_lines(b"12:30 a\\n")
    (True, False)
    """
    lines = [line for line in raw[:_PROBED_BYTES].split(b"\n") if line.strip()]
    lines = [line for line in lines[:_PROBED] if not line.startswith(b"#")]
    if len(raw) > _PROBED_BYTES and len(lines) < _PROBED:
        lines = lines[:-1]  # perhaps not whole
    return bool(lines) and all(map(_LINE.fullmatch, lines))


def sparse_cells(raw: bytes, file: str, limits: Limits) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read every index as a feature, absent ones as 0, with the label last.

    Returns
    -------
    cells : DataFrame
        With ``qid``, whose rows belong together, where the file has it.
    steps : tuple of str

    Raises
    ------
    TableError
        If a line is not of this form, or an index beyond the limits, or only some lines have a qid.
    """
    reject_rows(sum(bool(line.strip()) for line in raw.split(b"\n")), limits)
    try:
        has_several = _SEVERAL.search(raw) is not None
        X, y, qid = load_svmlight_file(io.BytesIO(raw), query_id=True, multilabel=has_several)
    except (ValueError, OverflowError, IndexError):
        raise TableError(
            f"{file} begins as libsvm writes tables, but a line is no label with ascending "
            "index:value, or an index is too large. Correct it, or save the table as CSV, and drop "
            "that."
        ) from None
    limits.reject(X.shape[0], X.shape[1] + 1)
    if len(qid) not in (0, len(y)):
        raise TableError(
            f"{file} has {count(len(y), 'row')} and a qid in {number(len(qid))} of them. Give one "
            "to each row or to none, and drop the file again."
        )
    # Indices from 1, as the format has them, unless one is 0.
    first = int(b" 0:" in raw[:_PROBED_BYTES]) ^ 1
    names = [f"feature {index}" for index in range(first, X.shape[1] + first)]
    cells = pd.DataFrame(X.toarray(), columns=pd.Index(names, dtype=object))
    if len(set(qid)) > 1:
        cells["qid"] = qid.astype(float)
    step = "Read as libsvm: what a row does not have is 0."
    if not has_several:
        cells["label"] = y
        return cells, (step,)
    cells["label"] = [f"{{{', '.join(f'{label:g}' for label in sorted(labels))}}}" for labels in y]
    return cells, (step, "Some rows have several labels: each set of labels is a class.")


def is_time_series(raw: bytes) -> bool:
    """Return whether this is the text of a .ts file."""
    lines = (line.strip().lower() for line in raw[:_MOST_BEFORE_SERIES].split(b"\n"))
    first = next((line for line in lines if line and not line.startswith(b"#")), b"")
    return first.startswith(_STARTS)


def series_cells(raw: bytes, file: str, limits: Limits) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read cases: a feature for each time of each dimension, and the class.

    Raises
    ------
    TableError
        If series differ in length or have time stamps, a cell is no number, or there are too many.
    """
    rows: list[list[str]] = []
    labels: list[str] = []
    is_labeled, is_data, n_times = False, False, [0]
    for line_number, line in enumerate(raw.decode("utf-8", "replace").splitlines(), start=1):
        text = line.strip()
        if not is_data:
            is_labeled |= text.lower().startswith(("@classlabel true", "@targetlabel true"))
            is_data = text.lower() == "@data"
        elif text and not text.startswith("#"):
            *parts, label = text.split(":") if is_labeled else [*text.split(":"), ""]
            series = [part.split(",") for part in parts]
            n_times = [*map(len, series)] if not rows else n_times
            if n_times != [*map(len, series)] or "(" in text:
                raise TableError(_UNEQUAL.format(place=place(line_number)))
            rows.append([cell.strip() for values in series for cell in values])
            labels.append(label.strip())
            limits.reject(len(rows), len(rows[0]))
    if not rows:
        raise TableError(f"{file} has no series below @data. Save it again and drop it again.")
    places = [(of, time) for of, n in enumerate(n_times, 1) for time in range(1, n + 1)]
    names = [f"t{time}" if len(n_times) == 1 else f"dimension {of} t{time}" for of, time in places]
    try:
        numbers = np.array(
            [["nan" if cell == "?" else cell for cell in row] for row in rows], float
        )
    except ValueError:
        raise TableError(f"{file} has cells that are no numbers. Write ? where one is.") from None
    cells = pd.DataFrame(numbers, columns=names)
    if is_labeled:
        cells[LABEL] = labels
    return cells, ("Read as time series (.ts): a feature for each time.",)
