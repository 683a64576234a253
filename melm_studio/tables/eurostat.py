"""Tables of Eurostat: what rows are of stands in one cell, and flags behind numbers."""

from __future__ import annotations

import re

_HEADER = re.compile(rb"[\w ]+(?:,[\w ]+)*\\(?:time|TIME_PERIOD)[ ]*\t", re.IGNORECASE)
_NOTHING = b":"


def without_flags(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Part the first cells of a table of Eurostat, and leave out the flags of its numbers.

    Parameters
    ----------
    data : bytes
        Text in UTF-8 with line feeds.

    Returns
    -------
    data : bytes
    steps : tuple of str
        What was done, if anything.

    Examples
    --------
    >>> without_flags(b"unit,geo\\\\time\\t2019 \\t2020 \\nPC,AT\\t12.5 p\\t: \\n")[0]
    b'unit\\tgeo\\t2019\\t2020\\nPC\\tAT\\t12.5\\t\\n'
    """
    if not _HEADER.match(data):
        return data, ()
    lines = [_parted(line) for line in data.split(b"\n")]
    return b"\n".join(lines), ("Read as a table of Eurostat; flags of its numbers are left out.",)


def _parted(line: bytes) -> bytes:
    """A line, of which a dimension behind a backslash is that of the columns."""
    rows, *cells = line.split(b"\t")
    numbers = (cell.strip().partition(b" ")[0] for cell in cells)
    given = (b"" if number.startswith(_NOTHING) else number for number in numbers)
    return b"\t".join([*rows.partition(b"\\")[0].split(b","), *given])
