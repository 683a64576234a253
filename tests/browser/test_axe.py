"""No serious barrier that a machine can find, in any mode, light or dark (axe-core)."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tools.driver.page import StudioPage

SERIOUS = ("serious", "critical")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_mode_has_a_serious_barrier(page: Page, scheme: str):
    page.emulate_media(color_scheme=scheme)
    studio = StudioPage(page)
    for method in ("LDA", "PCA"):
        studio.run(method).expect_end()
    found = {}
    for mode in ("Explore", "Compare", "Present"):
        studio.show(mode)
        if barriers := serious(page):
            found[mode] = barriers
    assert not found


@pytest.mark.slow
@pytest.mark.parametrize("button", ["Details", "Columns", "Story"])
def test_no_window_has_a_serious_barrier(page: Page, button: str):
    studio = StudioPage(page)
    panel = studio.run("LDA")
    panel.expect_end()
    if button == "Details":
        panel.node.get_by_role("button", name="Is it real?").click()
    page.get_by_role("button", name=button, exact=True).first.click()
    page.get_by_role("dialog").wait_for()
    # Half transparent on its way, a window has too little contrast.
    studio.wait_until(lambda: not serious(page), "the window in its place has no serious barrier")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_first_screen_has_no_serious_barrier(page: Page, scheme: str, width: int):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})
    studio = StudioPage(page)
    page.locator("[data-drawn]").wait_for()
    found = {"picture": serious(page)}
    studio.show_section("Data")
    studio.summary.locator("summary").click()
    studio.show_settings()
    found["data"] = serious(page)
    for menu in ("Samples", "Recent", "About the method"):
        page.get_by_role("button", name=menu, exact=True).click()
        found[menu] = serious(page)
        page.keyboard.press("Escape")
    studio.open_actions()
    page.get_by_role("button", name="Help", exact=True).click()
    found["help"] = serious(page)
    assert not {state: barriers for state, barriers in found.items() if barriers}


def serious(page: Page) -> list[str]:
    """Every serious violation with the first elements that it is about."""
    violations = Axe().run(page).response["violations"]
    return [
        f"{violation['id']}: {[node['target'] for node in violation['nodes']][:3]}"
        for violation in violations
        if violation["impact"] in SERIOUS
    ]
