"""A talk: the presenter shares it, a phone follows, looks around and follows again."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from lab.driver.page import StudioPage

pytestmark = pytest.mark.slow

PHONE = {"width": 390, "height": 844}


def test_a_phone_follows_what_present_shows(page: Page, new_context: Callable[..., BrowserContext]):
    studio = StudioPage(page)
    run = studio.run("PCA")
    run.expect_end()
    page.get_by_role("radiogroup", name="Mode").get_by_text("Present").click()
    page.get_by_role("button", name="Share this talk").click()
    page.get_by_role("button", name="Begin", exact=True).click()
    expect(page.get_by_alt_text("The link as a QR code")).to_be_visible()
    link = page.locator('[data-talk="link"]').get_attribute("href")
    phone = new_context(viewport=PHONE).new_page()
    phone.goto(link)
    lead = phone.locator('[data-part="lead"]')
    expect(lead).to_contain_text("of training rows are told apart")
    expect(phone.locator('[data-part="follow"]')).to_have_css("display", "block")
    expect(page.locator('[data-talk="count"]')).to_have_text("1 viewer")
    run.part("check").evaluate("button => button.click()")
    expect(lead).to_contain_text("of held-out rows are told apart")  # while the plane stays
    page.keyboard.press("Escape")
    expect(page.locator("body")).to_have_attribute("data-mode", "present")

    page.keyboard.press("q")
    code = page.get_by_role("dialog", name="The code of the talk")
    expect(code.get_by_alt_text("The link as a QR code")).to_be_in_viewport(ratio=1.0)
    page.keyboard.press("q")
    expect(code).to_have_count(0)

    page.evaluate("() => document.querySelector('[data-class]').click()")
    alone = phone.locator('.classes [aria-pressed="true"]')
    expect(alone).to_have_count(1)
    assert phone.evaluate("() => document.documentElement.scrollWidth") <= PHONE["width"]

    page.keyboard.press("b")
    expect(phone.get_by_text("has blanked the screen")).to_be_visible()
    expect(alone).to_be_hidden()
    page.keyboard.press("b")
    expect(alone).to_be_visible()

    alone.click()  # the viewer looks around
    expect(alone).to_have_count(0)
    phone.get_by_role("button", name="Follow").click()
    expect(alone).to_have_count(1)

    page.get_by_role("button", name=re.compile("Shared talk, 1 viewer")).click()
    page.get_by_role("button", name="End the talk").click()
    expect(phone.get_by_text("The talk has ended")).to_be_visible()
    assert not phone.context.cookies()
