"""A table that is painted, run and judged."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from lab.driver.launcher import running_studio
from lab.driver.page import StudioPage
from melm_studio.layout import ids

PHONE = {"width": 390, "height": 844}
AXES = (("x", math.cos), ("y", math.sin))


def opened(studio: StudioPage):
    """The dialog, its canvas and its words."""
    studio.open_sheet()
    studio.page.get_by_role("button", name="Draw", exact=True).click()
    dialog = studio.page.get_by_role("dialog", name="Draw a table")
    return dialog, dialog.get_by_role("application"), dialog.get_by_role("status")


@pytest.mark.slow
@pytest.mark.provokes("400 .*/drawing")
def test_a_drawing_by_keys_is_counted_undone_refused_in_a_sentence_and_kept(page: Page):
    studio = StudioPage(page)
    dialog, canvas, words = opened(studio)
    canvas.press("ArrowLeft")
    for _ in range(2):
        canvas.press(" ")
    expect(words).to_have_text("6 dots: 6 of A.")
    dialog.get_by_role("button", name="Hide and run").click()
    expect(words).to_contain_text("needs two classes")
    canvas.press("2")
    expect(dialog.get_by_role("radio", name="B")).to_be_checked()
    canvas.press(" ")
    expect(words).to_have_text("9 dots: 6 of A, 3 of B.")
    canvas.press("Backspace")
    expect(words).to_have_text("6 dots: 6 of A.")
    page.keyboard.press("Escape")
    expect(opened(studio)[2]).to_have_text("6 dots: 6 of A.")
    dialog.get_by_role("button", name="Clear").click()
    expect(words).to_contain_text("Each dot becomes a row")


@pytest.mark.slow
def test_a_thumb_paints_runs_reads_a_verdict_and_asks_for_more_rows(
    new_context: Callable[..., BrowserContext], tmp_path: Path
):
    """A quick stroke must not swallow the tap after it; dots scatter, so 50 rows may say yes."""
    with running_studio(tmp_path) as own:
        page = new_context(viewport=PHONE, has_touch=True, is_mobile=True).new_page()
        _paint_and_judge(StudioPage(page, own.url))
        page.close()  # before its studio is gone


def _paint_and_judge(studio: StudioPage) -> None:
    page = studio.page
    dialog, canvas, words = opened(studio)
    thumb, box = page.context.new_cdp_session(page), canvas.bounding_box()
    assert box

    def ring(name: str, radius: float, rounds: int) -> None:
        dialog.get_by_text(name, exact=True).tap()
        turns = [2.0 * math.pi * step / 40 for step in range(40 * rounds)]
        places = [
            {key: box[key] + box["width"] * (0.5 + radius * turn(angle)) for key, turn in AXES}
            for angle in turns
        ]
        for at, place in enumerate(places):
            kind = "touchMove" if at else "touchStart"
            thumb.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [place]})
        thumb.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    ring("A", 0.4, rounds=1)
    ring("B", 0.15, rounds=3)  # as many dots
    expect(words).to_have_text(re.compile(r"^\d+ dots: \d+ of A, \d+ of B\.$"))
    for n_rows, answer in (("50", "Not shown|No|Partly|Yes"), ("400", "Yes")):
        dialog.get_by_label("Rows").select_option(n_rows)
        dialog.get_by_role("button", name="Hide and run").tap()
        said = page.locator(f"#{ids.PANELS}")
        expect(said).to_contain_text(re.compile(rf"({answer})\. .*held-out rows"))
        if n_rows == "50":
            opened(studio)
