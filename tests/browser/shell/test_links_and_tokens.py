"""Links and tokens, from Help: made, listed, used in another browser and revoked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, expect

from lab.driver.page import StudioPage


@pytest.mark.slow
def test_a_link_leads_another_browser_to_the_runs_until_it_is_revoked(
    page: Page, new_context: Callable[..., BrowserContext], console_errors: list[str]
):
    studio = StudioPage(page)
    studio.run("PCA").expect_end()
    page.get_by_role("button", name="Help", exact=True).click()
    page.get_by_role("link", name="Links and tokens").click()
    expect(page.get_by_text("You have none")).to_be_visible()
    page.get_by_role("button", name="Make a link").click()
    link = page.locator("code").inner_text()

    other = new_context().new_page()
    other.goto(link)
    other.get_by_role("button", name="Show them here").click()
    expect(other.get_by_role("button", name="PCA", exact=True).first).to_be_visible()

    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("You have none")).to_be_visible()
    assert other.request.get("/frames").status == 401
    assert other.request.get(link).status == 404
    other.close()
    console_errors.clear()  # of the page whose link was revoked
    page.get_by_role("link", name="Back to the studio").click()
    expect(page.get_by_role("button", name="PCA", exact=True).first).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_list_has_no_barrier_and_fits(page: Page, scheme: str, width: int):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/links-and-tokens")
    page.get_by_role("button", name="Make a token").click()
    page.get_by_role("button", name="Make a link").click()
    expect(page.get_by_role("button", name="Revoke")).to_have_count(2)
    found = Axe().run(page).response["violations"]
    assert [(each["id"], each["help"]) for each in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
