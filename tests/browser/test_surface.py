"""The decision surface beside its approximation, seen in a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from melm_studio.layout import ids
from tools.driver.page import StudioPage


@pytest.mark.slow
def test_a_panel_shows_a_machine_its_modes_and_their_speed(page: Page):
    studio = StudioPage(page)
    panel = studio.run("LDA")
    panel.expect_end()
    panel.choose("Decision surface")
    words, plot = page.locator(f"#{ids.SURFACE_CAPTION}"), page.locator(f"#{ids.SURFACE_PLOT}")
    expect(words).to_have_text(re.compile(r"centers.*; AUC \d\.\d{3} against \d\.\d{3}"))
    expect(plot.locator(".heatmaplayer image")).to_have_count(2)
    expect(plot.locator(".textpoint").first).to_be_visible()
    page.get_by_label("Class, against the rest").and_(page.get_by_role("textbox")).click()
    page.get_by_role("option", name="Grignolino").click()
    expect(plot).to_have_attribute("data-state", "drawn")
    page.keyboard.press("Escape")
    expect(words).to_be_hidden()
