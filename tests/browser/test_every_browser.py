"""A walk through the studio in Firefox and WebKit, and their pictures beside Chromium's."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect
from sklearn.datasets import load_wine

from lab.driver.every_browser import BrowserPage, ChromiumPage, Point, firefox, webkit
from lab.driver.launcher import Studio
from lab.driver.page import AXES, IN_MOTION, PLACE_OF_A_ROW, StudioPage
from lab.setup.find_other_browsers import FIREFOX_REMEDY, WEBKIT_REMEDY, find_firefox, find_webkit
from melm_core.base.array_types import FloatArray
from melm_studio.layout import ids

pytestmark = pytest.mark.slow

SIZE = (1280, 720)
PHONE = (390, 844)
AROUND = ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
PLOT = '.panel.is-front [data-part="plot"]'
PICTURE_IN_FRONT = '.panel.is-front [data-part="motion"]'
FOLLOWED = ".plot canvas"
# Rows and regions to a block of pixels, so that how a browser smooths edges counts for nothing.
BLOCKS = (48, 32)
# Of 255, the mean over all blocks.
MOST_APART = 2.0
# Browsers measure text alike to within some percent: one that only just has room is drawn by one.
SHORT = {"od280/od315_of_diluted_wines": "od280"}

SAYS = "(selector, text) => document.querySelector(selector)?.textContent.includes(text)"
IS_AT_REST = f"() => !document.querySelector('{IN_MOTION}')"
HAS_RUNS = """(count) => {
  const runs = [...document.querySelectorAll("[data-run]")];
  const isDone = ({ dataset }) => dataset.state === "done" && dataset.sequence;
  return runs.length === count && runs.every(isDone);
}"""
WIDTH = "() => document.documentElement.scrollWidth"
WORDS = """() => document.querySelector('[data-part="words"]').textContent"""
TEXT_OF = "async (address) => (await fetch(address)).text()"
IS_IN_MODE = "(mode) => document.body.dataset.mode === mode"
# The picture on white, since its own ground is transparent.
PICTURE = """(selector) => {
  const canvas = [...document.querySelectorAll(selector)].find((found) => found.checkVisibility());
  return canvas?.width ? canvas.toDataURL() : null;
}"""


def of_plot(function: str) -> str:
    """A function of a plot, of that of the panel in front."""
    return f"(...given) => ({function})(document.querySelector('{PLOT}'), ...given)"


def walk(page: BrowserPage, studio: Studio, folder: Path) -> dict[str, FloatArray]:
    """Upload a table, run, zoom, select, compare, present, look on a phone and play the file.

    Returns
    -------
    dict of str to (32, 48, 3) array
        The picture after each step, as `blocks_of` does.
    """
    pictures: dict[str, FloatArray] = {}

    def look(step: str, selector: str = PICTURE_IN_FRONT) -> None:
        page.wait_for(IS_AT_REST)
        (folder / f"{page.name}-{step}.png").write_bytes(page.screenshot())
        pictures[step] = blocks_of(page.wait_for(PICTURE, selector))

    page.resize(*SIZE)
    page.open(studio.url)
    page.wait_for(SAYS, f"#{ids.DATA_SIZE}", "rows")
    table = folder / "wines.csv"
    load_wine(as_frame=True).frame.rename(columns=SHORT).to_csv(table, index=False)
    page.choose_file(f'#{ids.DROP_ZONE} input[type="file"]', table)
    page.wait_for(SAYS, ".welcome", "Can 0, 1 and 2 be told apart?")

    page.click("button", "Find the plane that tells them apart")
    page.wait_for(HAS_RUNS, 1)
    page.open(studio.url)  # whose picture depends on nothing that was shown before
    page.wait_for(HAS_RUNS, 1)
    look("run")

    whole = page.ask(of_plot(AXES))
    page.wheel(middle_of_the_plot(page), -200)
    page.wait_for(f"async (whole) => String(await ({of_plot(AXES)})()) !== String(whole)", whole)
    look("zoom")
    page.click("button", "Show everything")

    page.click("button", "Lasso: draw around rows to select them")
    x, y = page.ask(of_plot(PLACE_OF_A_ROW), 1)
    page.drag([(x + 15 * right, y + 15 * down) for right, down in AROUND])
    page.wait_for(SAYS, f"#{ids.BRUSHED}", "selected")

    page.click(f"#{ids.MODE} label", "Compare")
    page.wait_for(IS_IN_MODE, "compare")
    page.click(f"#{ids.RUN_BATCH}")
    page.wait_for(HAS_RUNS, 3)
    look("compare")

    page.click(f"#{ids.MODE} label", "Present")
    page.wait_for(IS_IN_MODE, "present")
    look("present")
    page.press("Escape")

    page.resize(*PHONE)
    look("phone")
    assert page.ask(WIDTH) <= PHONE[0]

    run = page.ask("() => document.querySelector('[data-run]').dataset.run")
    replay = folder / "replay.html"
    replay.write_text(page.ask(TEXT_OF, f"{studio.url}/runs/{run}/replay.html"))
    page.open(replay.as_uri())
    page.wait_for(SAYS, '[data-part="words"]', "divergence")
    look("replay", ".plot canvas")
    last = page.ask(WORDS)
    page.click("button", "Play")
    page.wait_for(f"(last) => ({WORDS})() !== last", last)
    page.wait_for(f"(last) => ({WORDS})() === last", last)
    assert page.ask(WIDTH) <= PHONE[0]
    return pictures


def middle_of_the_plot(page: BrowserPage) -> Point:
    box = page.ask(of_plot("(plot) => plot.getBoundingClientRect().toJSON()"))
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def blocks_of(url: str) -> FloatArray:
    """A picture on white as colors of blocks."""
    drawn = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGBA")
    drawn = Image.alpha_composite(Image.new("RGBA", drawn.size, "white"), drawn).convert("RGB")
    return np.asarray(drawn.resize(BLOCKS, Image.Resampling.BOX), dtype=float)


@pytest.fixture(scope="module")
def seen_in_chromium(
    browser: Browser, studio: Studio, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, FloatArray]:
    """The pictures of the walk in Chromium."""
    page = browser.new_page()
    seen = walk(ChromiumPage(page), studio, tmp_path_factory.mktemp("chromium"))
    page.close()
    return seen


def in_firefox() -> AbstractContextManager[BrowserPage]:
    found = find_firefox()
    if found is None:
        pytest.skip(FIREFOX_REMEDY)
    return firefox(found)


def in_webkit() -> AbstractContextManager[BrowserPage]:
    found = find_webkit()
    if found is None:
        pytest.skip(WEBKIT_REMEDY)
    return webkit(found)


others = pytest.mark.parametrize("opened", [in_firefox, in_webkit], ids=["firefox", "webkit"])


@others
def test_a_walk_shows_the_pictures_that_chromium_shows(
    opened: Callable[[], AbstractContextManager[BrowserPage]],
    request: pytest.FixtureRequest,
    studio: Studio,
    tmp_path: Path,
):
    with opened() as page:
        seen = walk(page, studio, tmp_path)
    shown = request.getfixturevalue("seen_in_chromium")
    apart = {step: float(np.abs(seen[step] - shown[step]).mean()) for step in shown}
    assert max(apart.values()) < MOST_APART, apart
    # The measure can tell pictures apart: those of two steps are.
    assert np.abs(seen["zoom"] - shown["run"]).mean() > MOST_APART


@others
def test_a_viewer_follows_a_talk_that_is_given_in_chromium(
    opened: Callable[[], AbstractContextManager[BrowserPage]], page: Page
):
    presenter = StudioPage(page)
    presenter.hold_out(25)
    for method in ("LDA", "PCA"):
        presenter.run(method).expect_end()
    presenter.show("Present")
    page.get_by_role("button", name="Share this talk").click()
    page.get_by_role("button", name="Begin", exact=True).click()
    link = page.locator('[data-talk="link"]')
    expect(link).to_have_attribute("href", re.compile("/t/"))
    page.keyboard.press("Escape")
    with opened() as viewer:
        viewer.resize(*PHONE)
        viewer.open(str(link.get_attribute("href")))
        viewer.wait_for(SAYS, '[data-part="lead"]', "held-out rows are told apart")
        before = blocks_of(viewer.wait_for(PICTURE, FOLLOWED))
        page.keyboard.press("1")
        expect(page.locator(".panel.is-front .panel-title")).to_contain_text("LDA")

        def has_changed() -> bool:
            return bool(np.abs(blocks_of(viewer.ask(PICTURE, FOLLOWED)) - before).mean() > 1)

        presenter.wait_until(has_changed, "the viewer sees the other run")
        assert viewer.ask(WIDTH) <= PHONE[0]
        page.keyboard.press("b")
        viewer.wait_for(SAYS, "body", "has blanked the screen")
