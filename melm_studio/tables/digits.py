"""Numbers as other scripts and Fortran write them, such as 1.2D+03."""

from __future__ import annotations

import re

from melm_core.base import FORTRAN, OTHER_DIGITS, plain_cell

SAMPLE_BYTES = 1_000_000
_EDGE = r"[\t\n;|,\" ]"
_NUMBER = re.compile(f"(?<={_EDGE}){OTHER_DIGITS.pattern}(?={_EDGE})")
_EXPONENT = re.compile(rb"[dD][+-]?[0-9]")
_FORTRAN = re.compile(rb"(?<=[\t\n;|,\" ])%b(?=[\t\n\r;|,\" ])" % FORTRAN.pattern.encode())


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
