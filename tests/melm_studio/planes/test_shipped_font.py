from __future__ import annotations

import re
import string
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from melm_studio.installation import APPLICATION_FOLDER
from melm_studio.planes.theme import FONT, FONT_FILE, embedded_font_face, font_face

FILE = APPLICATION_FOLDER / "assets" / FONT_FILE
WRITTEN = ("melm_studio/scores.py", "melm_studio/planes/captions.py", "melm_studio/layout/panel.py")
MOST_BYTES = 34_000


@pytest.fixture(scope="module")
def font() -> TTFont:
    return TTFont(FILE)


def test_the_font_is_small_and_its_license_lies_beside_it():
    assert FILE.stat().st_size < MOST_BYTES
    assert "SIL Open Font License, Version 1.1" in (FILE.parent / "OFL.txt").read_text()


def test_the_font_has_every_sign_that_sentences_and_numbers_are_written_with(font):
    known = font.getBestCmap()
    text = "".join((APPLICATION_FOLDER / path).read_text() for path in WRITTEN)
    missing = {
        sign for sign in text + string.printable if ord(sign) >= 32 and ord(sign) not in known
    }
    assert missing <= {"\x7f"}
    assert {ord(sign) for sign in "γ²±–×ü≤≥−"} <= set(known)


def test_the_font_has_the_weights_of_the_page_and_digits_of_one_width(font):
    (axis,) = font["fvar"].axes
    assert (axis.axisTag, axis.minValue, axis.maxValue) == ("wght", 400, 700)
    features = {record.FeatureTag for record in font["GSUB"].table.FeatureList.FeatureRecord}
    assert "tnum" in features


def test_only_digits_are_tabular_so_that_words_beside_them_keep_their_spaces(font):
    table = font["GSUB"].table
    lookups = {
        number
        for record in table.FeatureList.FeatureRecord
        if record.FeatureTag == "tnum"
        for number in record.Feature.LookupListIndex
    }
    replaced = {
        name
        for number in lookups
        for part in table.LookupList.Lookup[number].SubTable
        for name in getattr(part, "ExtSubTable", part).mapping
    }
    assert replaced == {font.getBestCmap()[ord(digit)] for digit in string.digits}


def test_everything_that_is_drawn_asks_for_the_font_first():
    assert FONT.startswith("Inter,")
    css = Path(APPLICATION_FOLDER / "assets/styles/tokens.css").read_text()
    (address,) = re.findall(r'url\("\.\./([^"]+\.woff2)"\)', css)
    assert address == FONT_FILE


def test_a_page_without_a_network_has_the_font_in_it():
    assert 'url("data:font/woff2;base64,' in embedded_font_face()
    assert len(embedded_font_face()) < 1.4 * MOST_BYTES
    assert 'url("a.woff2")' in font_face("a.woff2")
