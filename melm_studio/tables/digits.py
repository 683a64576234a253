"""Numbers as other scripts and Fortran write them, such as 1.2D+03."""

from __future__ import annotations

import re

SAMPLE_BYTES = 1_000_000
_EDGE = r"[\t\n;|,\" ]"
# The digits of a script follow each other: each is known by its zero.
_ZEROS = "\u0660\u06f0\u0966\u09e6\u0a66\u0ae6\u0be6\u0c66\u0ce6\u0d66\u0e50\uff10"
_DIGITS = {zero: "".join(chr(ord(zero) + digit) for digit in range(10)) for zero in _ZEROS}
_OTHERS = "".join(_DIGITS.values())
# A comma of these parts thousands: it is left out, since it would part cells.
_ASCII = str.maketrans(
    _OTHERS + "\u066b\uff0e\uff0d\uff0b", "0123456789" * len(_ZEROS) + "..-+", "\uff0c\u066c"
)
_NUMBER = re.compile(
    rf"(?<={_EDGE})[-+\uff0d\uff0b\u2212]?[{_OTHERS}][{_OTHERS}\u066b\uff0e\uff0c\u066c.eE+-]*(?={_EDGE})"
)
_EXPONENT = re.compile(rb"[dD][+-]?[0-9]")
_FORTRAN = re.compile(
    rb"(?<=[\t\n;|,\" ])([+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+))[dD]([+-]?[0-9]{1,3})(?=[\t\n\r;|,\" ])"
)


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
        text = _NUMBER.sub(lambda digits: digits[0].translate(_ASCII), f"\n{data.decode()}\n")
        data = text[1:-1].encode()
        steps.append("Digits of another script are read as 0 to 9.")
    # Sooner than the digits before it, of which tables are full, an exponent is seen.
    if _EXPONENT.search(sample) and _FORTRAN.search(sample):
        data = _FORTRAN.sub(rb"\1e\2", b"\n" + data + b"\n")[1:-1]
        steps.append("Exponents that are written with D are read, as in 1.2D+03.")
    return data, tuple(steps)
