"""Text in print: its fonts, and names that any font and any file can hold."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

LONGEST_NAME = 40

# What journals ask for, if it is installed; the last ships with matplotlib. A character is taken
# from the first font that has it.
_PREFERRED = ("Arial", "Helvetica", "Liberation Sans", "DejaVu Sans")
_FALLBACKS = ("Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans Arabic", "Noto Sans Devanagari")
_UNKNOWN = "\u25a1"


@lru_cache(maxsize=1)
def font_families() -> list[str]:
    """Return the fonts to use, of those that are installed."""
    installed = set(font_manager.get_font_names())
    return [name for name in (*_PREFERRED, *_FALLBACKS) if name in installed]


def one_line(text: str, longest: int = LONGEST_NAME) -> str:
    """Return text without control characters, its middle cut out if it is long.

    Examples
    --------
    >>> one_line("a\\nb")
    'a b'
    >>> one_line("intensity at 1200 nm", 11)
    'inten…00 nm'
    """
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if len(plain) <= longest:
        return plain
    half = (longest - 1) // 2
    return f"{plain[:half]}…{plain[-half:]}"


def without_glyphs(texts: Iterable[str]) -> str:
    """Return the characters that no font here has, each once."""
    glyphs = _glyphs()
    return "".join(sorted({c for text in texts for c in text if ord(c) not in glyphs}))


def drawable(text: str) -> str:
    """Return text with a box in place of every character that no font here has."""
    glyphs = _glyphs()
    return "".join(c if ord(c) in glyphs else _UNKNOWN for c in text)


@lru_cache(maxsize=1)
def _glyphs() -> frozenset[int]:
    files = (font_manager.findfont(name) for name in font_families())
    return frozenset(code for file in files for code in FT2Font(file).get_charmap())
