"""A table whose rows may belong together gets one answer, and no question beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from lab.driver.page import StudioPage
from melm_studio.tables import load_sample

ANSWER = "Yes, unless more than 16 neighboring rows belong together."


@pytest.mark.slow
def test_wine_of_unknown_order_is_answered_without_a_question_and_so_after_a_reload(
    page: Page, tmp_path: Path
):
    load_sample("wine").frame.to_csv(tmp_path / "wine.csv", index=False)
    studio = StudioPage(page)
    studio.upload(tmp_path / "wine.csv")
    question = page.get_by_role("group", name="Do neighboring rows of the file belong together?")
    expect(question).to_be_hidden()
    run = studio.run("LDA")
    run.expect_end()
    run.node.get_by_role("button", name="Is it real?").click()
    expect(run.part("verdict")).to_contain_text(ANSWER, timeout=60_000)
    page.reload()
    expect(page.get_by_text(ANSWER).first).to_be_visible(timeout=30_000)
    expect(question).to_be_hidden()
