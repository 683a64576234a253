"""The kernel width, alive."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from lab.driver.page import StudioPage


@pytest.mark.slow
def test_the_slider_redraws_what_has_ended_and_a_plane_can_be_refined(page: Page):
    studio = StudioPage(page)
    panel = studio.run("PCA")
    panel.expect_end()
    before = panel.part("divergence-training").inner_text()
    found = panel.part("lead").inner_text()
    expect(page.get_by_role("slider", name="Kernel width γ")).to_be_hidden()
    slider = panel.node.get_by_role("slider", name="γ of the densities")
    slider.focus()
    for _ in range(40):  # from 1
        page.keyboard.press("ArrowLeft")
    expect(panel.part("back")).to_have_text(re.compile(r"Densities at γ 0\.\d+; back to γ 1"))
    expect(panel.part("divergence-training")).not_to_have_text(before)
    expect(panel.part("lead")).to_have_text(found)  # the run is judged as ever
    panel.part("back").click()
    expect(panel.part("divergence-training")).to_have_text(before)
    expect(panel.part("back")).to_be_hidden()
    expect(panel.part("back")).not_to_contain_text("null")
    slider.focus()
    page.keyboard.press("ArrowRight")
    panel.part("refine").click()
    expect(studio.panels).to_have_count(2)
    refined = studio.panel(1)
    refined.expect_end()
    expect(refined.part("name")).to_have_text(re.compile("^MELM refined"))


@pytest.mark.slow
def test_a_slider_that_moves_quickly_stays_where_it_was_moved(page: Page):
    StudioPage(page)
    slider = page.get_by_role("slider", name="Kernel width γ")
    slider.focus()
    slider.evaluate(
        """async (slider) => {
            for (let i = 0; i < 40; i++) {
                slider.stepDown();
                slider.dispatchEvent(new Event("input", { bubbles: true }));
                await new Promise((moved) => setTimeout(moved));
            }
        }"""
    )
    field = page.get_by_role("textbox", name="Kernel width γ")
    expect(field).to_have_value("0.794")  # 40 steps of a hundredth of a decade from 2
    expect(slider).to_have_js_property("value", "-0.1")


@pytest.mark.slow
def test_a_run_chooses_gamma_and_the_one_before_goes_there(page: Page):
    studio = StudioPage(page)
    studio.choose_sample("Iris")
    page.get_by_role("textbox", name="Kernel width γ").fill("6")  # too smooth for the best
    first = studio.run("MELM", n_init=1)
    first.expect_end()
    first.open_curve()
    first.part("by-gamma").click()
    first.node.get_by_role("button", name="Find the best γ").click()
    expect(studio.panels).to_have_count(2)
    second = studio.panel(1)
    second.expect_end()
    second.open_curve()
    second.part("by-gamma").click()
    expect(second.part("curve-legend").get_by_text("held-out accuracy")).to_be_visible()
    expect(second.part("gamma-advice")).to_be_hidden()  # it is there
    page.get_by_text(re.compile(r"^MELM, γ 6")).first.click()
    slider = page.get_by_role("slider", name="Kernel width γ")
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    first.open_curve()
    first.part("by-gamma").click()
    first.node.get_by_role("button", name=re.compile(r"^Go to γ \d")).click()
    expect(first.part("gamma-advice")).to_be_hidden()
