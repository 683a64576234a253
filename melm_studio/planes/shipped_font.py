"""The font of the page, of phones and of the files that the studio writes: a subset of Inter.

`lab/font.py` makes the subset: Latin, Greek and the signs that the studio writes, in weights 400
to 700. Other scripts have the fonts of the system.
"""

from __future__ import annotations

import base64
from functools import cache

from melm_studio.application_folder import APPLICATION_FOLDER

FONT_FILE = "fonts/inter.woff2"  # in the folder of assets, beside its license


def font_face(address: str) -> str:
    """The CSS rule that names the font.

    Parameters
    ----------
    address : str
        Of the file.

    Examples
    --------
    >>> font_face("inter.woff2").startswith("@font-face")
    True
    """
    return (
        '@font-face { font-family: "Inter"; font-style: normal; font-weight: 400 700; '
        f'font-display: swap; src: url("{address}") format("woff2"); }}'
    )


@cache
def embedded_font_face() -> str:
    """The same with the file in it, for pages that open without a network."""
    raw = (APPLICATION_FOLDER / "assets" / FONT_FILE).read_bytes()
    return font_face(f"data:font/woff2;base64,{base64.b64encode(raw).decode()}")
