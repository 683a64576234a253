"""The presenter's window: what the room sees, what comes next, and what is on."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from lab.driver.page import StudioPage, wait_until
from melm_studio.layout import ids

pytestmark = pytest.mark.slow

# The shares of red, green and blue in what is drawn, and how much is drawn.
INK = """(canvas) => {
  const copy = Object.assign(document.createElement("canvas"), { width: 60, height: 40 });
  const pen = copy.getContext("2d");
  pen.drawImage(canvas, 0, 0, 60, 40);
  const { data } = pen.getImageData(0, 0, 60, 40);
  const sums = [0, 0, 0, 0];
  for (let i = 0; i < data.length; i += 4) {
    const opacity = data[i + 3] / 255;
    [data[i], data[i + 1], data[i + 2], 255].forEach((value, at) => (sums[at] += value * opacity));
  }
  return sums;
}"""
ALIKE = 0.05  # of two sizes of one picture


@pytest.fixture
def room(page: Page) -> Page:
    """The page that the room sees, at the first view of a story."""
    StudioPage(page)
    page.locator('[data-included-story="variance"]').evaluate("story => story.click()")
    expect(page.locator("body")).to_have_attribute("data-mode", "present")
    expect(page.locator(".panel.is-front[data-sequence]")).to_be_visible()
    expect(page.locator(f"#{ids.TITLE}")).to_have_text("The plane of the largest variance")
    return page


def window_of(room: Page) -> Page:
    with room.expect_popup() as opened:
        room.keyboard.press("n")
    return opened.value


def looks_like(seen: Locator, shown: Locator) -> bool:
    ink = shown.evaluate(INK)
    return ink[-1] > 0 and seen.evaluate(INK) == pytest.approx(ink, rel=ALIKE)


def test_the_window_mirrors_the_room_and_shows_the_next_view_once_its_run_is_there(room: Page):
    room.context.route("**/presenter/picture*", lambda route: route.fulfill(status=204), times=1)
    window = window_of(room)
    mirror = window.get_by_role("img", name="The picture on screen")
    front = room.locator('.panel.is-front [data-part="motion"]')
    expect(window.locator("#title")).to_have_text("The plane of the largest variance")
    expect(window.locator("#next-title")).to_have_text("The plane of the largest difference")
    expect(window.get_by_role("img", name="The plane of the next view")).to_be_visible()
    expect(mirror).to_be_visible()
    wait_until(window, lambda: looks_like(mirror, front), "the window has the picture of the room")
    first = mirror.evaluate(INK)
    window.keyboard.press("PageDown")
    expect(room.locator(f"#{ids.TITLE}")).to_have_text("The plane of the largest difference")
    expect(window.locator("#next-title")).to_have_text("Spread is not difference")
    wait_until(
        window,
        lambda: mirror.evaluate(INK) != pytest.approx(first, rel=ALIKE),
        "the picture changes",
    )
    wait_until(window, lambda: looks_like(mirror, front), "the window has the new picture")
    expect(window.locator("#time")).to_have_text(re.compile(r"\d\d:\d\d"))


def test_the_window_says_and_changes_what_hides_the_picture_from_the_room(room: Page):
    window = window_of(room)
    state = window.locator("#room-state")
    black, code = (window.get_by_role("button", name=name) for name in ("Black", "Code"))
    expect(window.locator("#title")).not_to_be_empty()
    expect(state).to_be_hidden()
    room.keyboard.press("b")
    expect(state).to_have_text(re.compile("black screen"))
    expect(black).to_have_attribute("aria-pressed", "true")
    window.keyboard.press("b")
    expect(state).to_be_hidden()
    expect(room.locator("body")).not_to_have_attribute("data-blank", re.compile(""))
    expect(window.locator("#shared")).to_have_text("Not shared")

    room.get_by_role("button", name="Share this talk").click()
    room.get_by_role("button", name="Begin", exact=True).click()
    expect(window.locator("#shared")).to_have_text(
        re.compile(r"Shared: 0 viewers, .*/t\s+·\s+\w{3} \w{3}")
    )
    room.keyboard.press("Escape")
    code.click()
    expect(room.locator(".talk-screen img")).to_be_in_viewport(ratio=1.0)
    expect(state).to_have_text(re.compile("the code of the talk"))
    window.keyboard.press("q")
    expect(room.locator(".talk-screen")).to_be_hidden()
    expect(state).to_be_hidden()


def test_a_page_that_is_loaded_again_goes_on_with_its_window(room: Page):
    window = window_of(room)
    expect(window.locator("#title")).not_to_be_empty()
    StudioPage(room)
    room.keyboard.press("b")
    expect(window.locator("#room-state")).not_to_be_hidden()
