"""The kernel width, alive."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tools.driver.page import StudioPage


def test_the_slider_redraws_what_has_ended_and_a_plane_can_be_refined(page: Page):
    studio = StudioPage(page)
    panel = studio.run("PCA")
    panel.expect_end()
    before = panel.part("divergence-seen").inner_text()
    slider = page.get_by_role("slider", name="Kernel width γ")
    slider.focus()
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    expect(panel.part("back")).to_have_text(re.compile(r"Shown at γ 0\.\d+; back to γ 1"))
    expect(panel.part("divergence-seen")).not_to_have_text(before)
    panel.part("back").click()
    expect(panel.part("divergence-seen")).to_have_text(before)
    expect(panel.part("back")).to_be_hidden()
    slider.focus()
    page.keyboard.press("ArrowRight")
    panel.part("refine").click()
    expect(studio.panels).to_have_count(2)
    refined = studio.panel(1)
    refined.expect_end()
    expect(refined.node.get_by_role("heading", level=3)).to_have_text(re.compile("^MELM refined"))
