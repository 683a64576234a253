"""The decision surface beside its approximation, seen in a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from lab.driver.page import StudioPage


@pytest.mark.slow
def test_a_panel_shows_a_machine_its_modes_and_their_speed(page: Page):
    studio = StudioPage(page)
    studio.hold_out(25)
    panel = studio.run("Kernel Fisher")
    panel.expect_end()
    opened = panel.open_door("Decision surface")
    words, plot = opened.get_by_role("status"), opened.locator('[data-kept="surface"]')
    expect(words).to_have_text(re.compile(r"centers.*; AUC \d\.\d{3}\sagainst \d\.\d{3}"))
    expect(plot.locator(".heatmaplayer image")).to_have_count(2)
    expect(plot.locator(".textpoint").first).to_be_visible()
    before = words.text_content()
    choice = opened.get_by_label("Class, against the rest")
    choice.focus()
    choice.select_option("Grignolino")
    expect(words).not_to_have_text(before)
    expect(choice).to_be_focused()
    expect(plot.locator(".heatmaplayer image")).to_have_count(2)
    opened.locator("summary").press("Enter")
    expect(page.locator(".analysis[open]")).to_have_count(0)
