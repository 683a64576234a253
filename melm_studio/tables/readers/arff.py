"""ARFF, the format of Weka and OpenML.

G. Holmes, A. Donkin and I. Witten, "WEKA: a machine learning workbench", 1994; the format is
described at https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from melm_studio.tables.formatting import count, number, place
from melm_studio.tables.readers.rows import TextWriter
from melm_studio.tables.readers.unpack import MAX_UNPACKED
from melm_studio.tables.text import TableError

# Possessive, since backtracking would cost time.
HEAD = re.compile(r"(?:[ \t]*+(?:%[^\n]*+)?+\n)*+[ \t]*+@relation\b", re.IGNORECASE)
ATTRIBUTE = re.compile(
    r"""@attribute\s++(?:'(?P<single>(?:[^'\\]|\\.)*+)'|"(?P<double>(?:[^"\\]|\\.)*+)"|"""
    r"(?P<plain>[^\s{]++))\s*+(?P<type>\S.*)",
    re.IGNORECASE,
)
DATA = re.compile(r"@data\b", re.IGNORECASE)


def is_arff(text: str) -> bool:
    """Return whether this is the text of an ARFF file."""
    return HEAD.match(text) is not None


def arff_text(
    text: str, *, max_rows: float, max_columns: float, max_bytes: int = MAX_UNPACKED
) -> bytes:
    """Convert ARFF to tab-separated text with a header.

    Raises
    ------
    TableError
        If the file is sparse or relational, has no data, or a row has too many or few values.
    """
    lines = enumerate(text.splitlines(), start=1)
    names = list(_names(lines))
    written = TextWriter(max_rows, max_columns, max_bytes)
    written.add(names)
    for row, line in lines:
        if not line.strip() or line.lstrip().startswith("%"):
            continue
        written.add(_values(line.strip(), len(names), row))
    return written.data


def _names(lines: Iterator[tuple[int, str]]) -> Iterator[str]:
    """The names of the attributes; afterwards the lines are at the data."""
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
        yield " ".join(name.split())
    raise TableError("The ARFF file has no @data. Save the whole table and drop it again.")


def _values(line: str, n_values: int, row: int) -> list[str]:
    if line.startswith("{"):
        raise TableError(
            f"The ARFF file is sparse ({place(row)}). Save it as dense ARFF or CSV, and drop that."
        )
    quote = "'" if "'" in line else '"'
    try:
        reader = csv.reader(
            [line], quotechar=quote, escapechar="\\", skipinitialspace=True, strict=True
        )
        values = [value.strip() for value in next(reader)]
    except csv.Error:
        values = []
    if len(values) != n_values:
        raise TableError(
            f"{place(row).capitalize()} has {count(len(values), 'value')} for {number(n_values)} "
            "attributes. Give every attribute a value, or ? where it is missing."
        )
    return ["" if value == "?" else value for value in values]
