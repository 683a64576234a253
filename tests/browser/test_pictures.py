"""The pictures of the documentation can be taken of the page as it is."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from lab.driver.launcher import Studio
from lab.pictures import PICTURES, picture

SIGNATURES = {".png": b"\x89PNG", ".gif": b"GIF89a"}


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_can_be_taken(browser: Browser, answering: Studio, name: str):
    suffix = PICTURES[name][-4:]
    assert picture(browser, answering.url, name).startswith(SIGNATURES[suffix])
