"""Recordings of the page for the documentation: what moves, frame by frame.

The page's clock is moved by hand between two frames, so that a machine at work records the same as
one at rest; but a search goes on at its own pace. No recording has a frame without a picture.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from playwright.sync_api import FilePayload, FloatRect, Locator, Page, expect

from lab.driver.page import DEADLINE_S, Panel, StudioPage
from lab.images import Frame, animation, is_blank

BOX = "node => node.getBoundingClientRect().toJSON()"
WIDTH = 560
WIDTH_OF_STAGE = 440  # where all of the picture moves, which makes large files
FRAME_MS = 75
FRAME_OF_STAGE_MS = 110
REST_MS = 1500  # for which the first and the last frame stay
SOON_S = 3.0  # the clock stops, later than the request to stop it takes
STILL_FRAMES = 4  # alike, after which nothing moves any more
LIVE_STARTS = 100  # enough for a run that can be watched


class RecordingError(RuntimeError):
    """What was to be recorded did not happen."""


def live(studio: StudioPage) -> bytes:
    """The first run, from the plane of largest variance to the places of unseen rows."""
    studio.show_settings()
    studio.starts.fill(str(LIVE_STARTS))
    studio.page.keyboard.press("Escape")
    welcome = studio.page.locator(".welcome")
    expect(welcome).to_have_attribute("data-drawn", "light")
    panel = Panel(studio.page.locator(".panel.is-front"))

    def is_over() -> bool:
        return panel.part("moves").is_visible()

    begin = welcome.get_by_role("button")
    card = _box(studio.page.locator("#panels"), welcome.locator(".picture"))
    return animation(_frames(studio.page, card, begin.click, is_over, by_hand=False), WIDTH)


def glide_wine(studio: StudioPage) -> bytes:
    """Wine from where its rows were fitted to where planes that never saw them put them."""
    return _glide(studio, "MELM")


def collapse(studio: StudioPage) -> bytes:
    """Noise that a plane tells apart falls into a heap."""
    _upload_noise(studio, 80, 60, ("one", "other"))
    return _glide(studio, "MELM")


def glide_wide(studio: StudioPage) -> bytes:
    """Three dots of 90 rows with 500 features become one cloud."""
    _upload_noise(studio, 90, 500, ("one", "another", "a third"))
    return _glide(studio, "LDA")


def telling(studio: StudioPage) -> bytes:
    """The first views of a story."""
    page = studio.page
    page.locator('[data-included-story="variance"]').evaluate("story => story.click()")
    panel = Panel(page.locator(".panel.is-front"))
    expect(page.locator("body")).to_have_attribute("data-mode", "present")
    panel.expect_end()
    title = page.locator("#title")

    def step() -> None:
        page.keyboard.press("PageDown")

    def is_there(before: str | None) -> Callable[[], bool]:
        return lambda: title.text_content() != before

    frames: list[Frame] = []
    for _ in range(2):
        frames += _frames(
            page,
            _box(page.locator(".stage")),
            step,
            is_there(title.text_content()),
            FRAME_OF_STAGE_MS,
        )
    return animation(frames, WIDTH_OF_STAGE)


def morph(studio: StudioPage) -> bytes:
    """The plane of PCA turns into that of MELM on the stage."""
    page = studio.page
    for method in ("MELM", "PCA"):
        studio.run(method).expect_end()
    studio.show("Present")
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_label("Speed").select_option("2×")
    page.keyboard.press("Escape")
    share = page.get_by_label("Share of the way to the other run")

    def choose() -> None:
        page.get_by_label("Morph to").select_option(index=1)

    card = _box(page.locator(".panel.is-front"))
    frames = _frames(page, card, choose, lambda: share.input_value() == "100", FRAME_OF_STAGE_MS)
    return animation(frames, WIDTH_OF_STAGE)


RECORDINGS: dict[str, Callable[[StudioPage], bytes]] = {
    "live": live,
    "glide-wine": glide_wine,
    "collapse": collapse,
    "glide-wide": glide_wide,
    "telling": telling,
    "morph": morph,
}


def _upload_noise(studio: StudioPage, n_rows: int, n_features: int, names: tuple[str, ...]) -> None:
    rng = np.random.default_rng(0)
    noise = pd.DataFrame(rng.normal(size=(n_rows, n_features)).round(3)).add_prefix("feature ")
    kinds = [names[row % len(names)] for row in range(n_rows)]
    file = noise.assign(kind=kinds).to_csv(index=False).encode()
    studio.file_input.set_input_files(
        FilePayload(name="noise.csv", mimeType="text/csv", buffer=file)
    )
    expect(studio.data_name).to_have_text("noise")


def _glide(studio: StudioPage, method: str) -> bytes:
    panel = studio.run(method)
    panel.expect_end()
    expect(panel.part("moves")).to_be_visible()
    expect(panel.part("sign")).not_to_be_empty()  # the answer has come by itself
    fitted, unseen = (
        panel.part("places").get_by_role("button", name=name) for name in ("As fitted", "As unseen")
    )
    fitted.click()
    panel.point_at()
    studio.page.mouse.move(2, 2)
    is_there = "node => node.querySelector('[data-places=unseen]').ariaPressed === 'true'"

    def is_over() -> bool:
        return bool(panel.part("places").evaluate(is_there))

    card = _box(panel.node, panel.node.locator(".picture"))
    return animation(_frames(studio.page, card, unseen.click, is_over), WIDTH)


def _box(shown: Locator, across: Locator | None = None) -> FloatRect:
    """Where an element is; `across`, another one, is as wide as what is wanted of it."""
    box, width = shown.evaluate(BOX), (across or shown).evaluate(BOX)
    return FloatRect(x=width["x"], y=box["y"], width=width["width"], height=box["height"])


def _frames(
    page: Page,
    clip: FloatRect,
    act: Callable[[], object],
    is_over: Callable[[], bool],
    frame_ms: int = FRAME_MS,
    *,
    by_hand: bool = True,
) -> list[Frame]:
    """What an act makes of a part of the page, until it is over and nothing moves any more.

    Raises
    ------
    RecordingError
        If a frame has no picture, or it is not over in time.
    """
    frames = [Frame(page.screenshot(clip=clip), REST_MS)]
    if by_hand:
        page.clock.pause_at(page.evaluate("Date.now()") / 1000 + SOON_S)
    act()
    n_alike, deadline = 0, time.monotonic() + DEADLINE_S
    while not (is_over() and n_alike >= STILL_FRAMES):
        if time.monotonic() > deadline:
            raise RecordingError(f"It is not over after {DEADLINE_S} s.")
        if by_hand:
            page.clock.run_for(frame_ms)
        png = page.screenshot(clip=clip)
        n_alike = n_alike + 1 if png == frames[-1].png else 0
        if not n_alike:
            if is_blank(png):
                raise RecordingError(f"Frame {len(frames)} has no picture.")
            frames.append(Frame(png, frame_ms))
    page.clock.resume()
    frames[-1] = Frame(frames[-1].png, REST_MS)
    return frames
