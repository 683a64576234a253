"""Features that are pixels stand beside the plane as images."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from lab.driver.page import StudioPage


def digits(page: Page):
    studio = StudioPage(page)
    studio.choose_sample("Digits")
    panel = studio.run("LDA")
    panel.expect_end()
    return panel


@pytest.mark.slow
def test_images_stand_in_the_place_of_the_list_and_name_their_pixels(page: Page):
    panel = digits(page)
    images = panel.part("pixel-images")
    expect(images.get_by_role("img")).to_have_count(13)
    expect(panel.part("features")).to_be_hidden()
    mean = images.get_by_role("img", name="Mean of the training rows of 3")
    assert mean.evaluate("(image) => image.naturalWidth") == 8

    group = images.get_by_role("group", name="Directions and importance")
    group.focus()
    page.keyboard.press("ArrowDown")
    expect(images.get_by_role("status")).to_have_text("pixel_4_4: row 5, column 5")
    page.keyboard.press("ArrowLeft")
    expect(images.get_by_role("status")).to_have_text("pixel_4_3: row 5, column 4")
    expect(panel.node.locator(".lit-arrow[data-shown] text")).to_have_text("pixel_4_3")

    panel.node.get_by_role("button", name="List", exact=True).click()
    expect(panel.part("features")).to_be_visible()
    expect(images).to_be_hidden()


@pytest.mark.slow
def test_other_tables_have_no_images(page: Page):
    panel = StudioPage(page).run("LDA")
    panel.expect_end()
    expect(panel.part("features").get_by_role("button").first).to_be_visible()
    expect(panel.part("pixel-images")).to_be_hidden()
    expect(panel.part("features-as")).to_be_hidden()


@pytest.mark.slow
def test_on_a_phone_the_list_stands_first_and_images_are_a_press_away(page: Page):
    page.set_viewport_size({"width": 390, "height": 844})
    panel = digits(page)
    expect(panel.part("pixel-images")).to_be_hidden()
    panel.node.get_by_role("button", name="Images", exact=True).click()
    expect(panel.part("pixel-images")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
