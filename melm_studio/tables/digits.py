"""Numbers as other scripts, Fortran (1.2D+03) and Eurostat (12.5 p) write them."""

from __future__ import annotations

import re

from melm_core.base import FORTRAN, OTHER_DIGITS, plain_cell

SAMPLE_BYTES = 1_000_000
_EDGE = r"[\t\n;|,\" ]"
_NUMBER = re.compile(f"(?<={_EDGE}){OTHER_DIGITS.pattern}(?={_EDGE})")
_EXPONENT = re.compile(rb"[dD][+-]?[0-9]")
_FORTRAN = re.compile(rb"(?<=[\t\n;|,\" ])%b(?=[\t\n\r;|,\" ])" % FORTRAN.pattern.encode())
_EUROSTAT = re.compile(rb"[\w ]+(?:,[\w ]+)*\\(?:time|TIME_PERIOD)[ ]*\t", re.IGNORECASE)
_NOTHING = b":"


def plain_numbers(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Write the numbers of cells as 0 to 9, a point and e.

    Parameters
    ----------
    data : bytes
        Text in UTF-8 with line feeds.

    Returns
    -------
    data : bytes
    steps : tuple of str
        What was written otherwise, a sentence each.

    Examples
    --------
    >>> plain_numbers("x,y\\n\uff11\uff12.\uff15,1.5D+03\\n".encode())[0]
    b'x,y\\n12.5,1.5e+03\\n'
    """
    steps = []
    sample = data[:SAMPLE_BYTES]
    if not sample.isascii() and _NUMBER.search(sample.decode("utf-8", "ignore")):
        text = _NUMBER.sub(lambda digits: plain_cell(digits[0]), f"\n{data.decode()}\n")
        data = text[1:-1].encode()
        steps.append("Digits of another script are read as 0 to 9.")
    # Sooner than the digits before it, of which tables are full, an exponent is seen.
    if _EXPONENT.search(sample) and _FORTRAN.search(sample):
        data = _FORTRAN.sub(rb"\1e\2", b"\n" + data + b"\n")[1:-1]
        steps.append("Exponents that are written with D are read, as in 1.2D+03.")
    return data, tuple(steps)


def without_flags(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Part the first cells of a table of Eurostat, and leave out the flags of its numbers.

    What its rows are of stands in one cell.

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
    if not _EUROSTAT.match(data):
        return data, ()
    lines = [_parted(line) for line in data.split(b"\n")]
    return b"\n".join(lines), ("Read as a table of Eurostat; flags of its numbers are left out.",)


def _parted(line: bytes) -> bytes:
    """A line, of which a dimension behind a backslash is that of the columns."""
    rows, *cells = line.split(b"\t")
    numbers = (cell.strip().partition(b" ")[0] for cell in cells)
    given = (b"" if number.startswith(_NOTHING) else number for number in numbers)
    return b"\t".join([*rows.partition(b"\\")[0].split(b","), *given])
