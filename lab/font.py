"""Make the subset of Inter that the studio ships, from the font's own variable file.

python -m lab.font InterVariable.woff2

The file is in the releases of https://github.com/rsms/inter, and in the npm package inter-ui.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

from melm_studio.installation import APPLICATION_FOLDER
from melm_studio.planes.theme import FONT_FILE

# Text is small, so that the optical size is that of text; the page has no other weights.
_AXES = {"opsz": 14, "wght": (400, 400, 700)}
_FEATURES = ["kern", "tnum", "ccmp", "locl", "mark", "mkmk"]
_RANGES = [(0x20, 0x7F), (0xA0, 0x100), (0x391, 0x3CA)]  # Latin, Latin-1, Greek
_LETTERS = "ŒœŠšŽžČčŁłŃńŚśŹźŻżĘęĄąĆćŐőŰűĞğİıŞş"
_SIGNS = "–—‘’“”„†‡•…‰‹›€−≤≥≈≠×÷→←↑↓∞√Σ∂∫⁰¹²³⁴⁵⁶⁷⁸⁹⁻₀₁₂₃₄₅₆₇₈₉✓✔✗✘●■▲▼◆"  # noqa: RUF001


_DIGITS = {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}


def make(source: Path, target: Path) -> int:
    """Write the subset of a font, and return its size in bytes."""
    font = TTFont(source)
    _keep_digits_alone_tabular(font)
    options = subset.Options()
    options.layout_features = _FEATURES
    options.hinting = False
    subsetter = subset.Subsetter(options)
    codes = {code for first, end in _RANGES for code in range(first, end)}
    subsetter.populate(unicodes=codes | {ord(one) for one in _LETTERS + _SIGNS})
    subsetter.subset(font)
    font = instancer.instantiateVariableFont(font, _AXES)
    font.flavor = "woff2"
    target.parent.mkdir(exist_ok=True)
    font.save(target)
    return target.stat().st_size


def _keep_digits_alone_tabular(font: TTFont) -> None:
    """Let spaces, hyphens and brackets between words keep their widths beside tabular digits."""
    table = font["GSUB"].table
    tabular = {
        number
        for record in table.FeatureList.FeatureRecord
        if record.FeatureTag == "tnum"
        for number in record.Feature.LookupListIndex
    }
    for number in tabular:
        for part in table.LookupList.Lookup[number].SubTable:
            mapping = getattr(part, "ExtSubTable", part).mapping
            for name in mapping.keys() - _DIGITS:
                del mapping[name]


if __name__ == "__main__":
    written = APPLICATION_FOLDER / "assets" / FONT_FILE
    print(f"{make(Path(sys.argv[1]), written):,} bytes")
