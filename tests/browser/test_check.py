"""Is it real? Seen in a browser."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from lab.driver.page import StudioPage
from melm_studio.layout import ids


@pytest.mark.provokes(r"400 \(BAD REQUEST\).*verdict\.json")
def test_noise_is_unmasked(page: Page):
    studio = StudioPage(page)
    studio.choose_sample("Pure noise")
    studio.hold_out(25)
    panel = studio.run("LDA")
    panel.expect_end()
    expect(panel.part("accuracy-training")).to_have_text("1.00")
    strip = panel.part("verdict")
    expect(strip).to_have_text(re.compile(r"^✘ ?No better than guessing: \d+\s% of held-out rows"))
    expect(panel.part("verdict-notes")).to_contain_text("Overfit: 100 % of the training rows")
    studio.share("Verdict (JSON)")
    expect(page.get_by_text("This run has no verdict yet. Ask “Is it real?”")).to_be_visible()

    panel.node.get_by_role("button", name="Is it real?").click()
    expect(strip).to_contain_text(
        re.compile(
            r"No\. [2-5]\d(\s±\s\d+)?\s% of held-out rows .* guessing gives 33\s% .*"
            r"\(p\s=\s[01]\.\d+\)"
        ),
        timeout=60_000,
    )
    expect(panel.part("stop-check")).to_be_hidden(timeout=60_000)
    with page.expect_download() as saved:
        studio.share("Verdict (JSON)")
    sentence = json.loads(saved.value.path().read_text(encoding="utf-8"))["sentence"]
    assert sentence.startswith("No. ")
    body = panel.open_door("Folds and shuffles")
    expect(body.locator(".check-answer")).to_contain_text("No. ")
    expect(body.get_by_role("button", name="Stop")).to_be_hidden()
    expect(body.get_by_role("table")).to_have_count(2)
    body.get_by_role("button", name=re.compile("show only class 1 and class 3")).first.click()
    expect(page.locator(f"#{ids.ISOLATED}")).to_contain_text("Only class 1 and class 3 are shown")


@pytest.mark.slow
def test_a_phone_keeps_its_picture_during_a_check(page: Page):
    studio = StudioPage(page)
    panel = studio.run("MELM")
    panel.expect_end()
    page.set_viewport_size({"width": 390, "height": 844})
    before = panel.part("plot").bounding_box()
    stop = panel.open_door("Folds and shuffles").get_by_role("button", name="Stop")
    expect(stop).to_be_visible()
    panel.open_door("Folds and shuffles")  # which closes it
    words = panel.part("verdict")
    expect(words).to_contain_text("in cross-validation")
    during, sentence = panel.part("plot").bounding_box(), words.bounding_box()
    assert before
    assert during
    assert sentence
    assert sentence["width"] > 320
    assert during["height"] > 0.8 * before["height"]
    panel.open_door("Folds and shuffles")
    stop.click()
