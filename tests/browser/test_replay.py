"""A finished run, played again, and its picture."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from lab.driver.page import StudioPage


@pytest.fixture
def wines(page: Page) -> StudioPage:
    return StudioPage(page)


@pytest.mark.slow
def test_a_run_can_be_played_from_its_beginning_to_its_end(wines: StudioPage):
    panel = wines.run("MELM", n_init=1)
    panel.expect_end()
    last = panel.node.get_attribute("data-sequence")
    play = panel.node.get_by_role("button", name="Play")
    play.click()
    expect(panel.node.get_by_role("button", name="Pause")).to_be_visible()
    wines.wait_until(lambda: panel.node.get_attribute("data-sequence") != last, "it plays")
    expect(play).to_be_visible()
    expect(panel.node).to_have_attribute("data-sequence", last)


@pytest.mark.slow
def test_a_method_of_one_step_has_nothing_to_play(wines: StudioPage):
    panel = wines.run("PCA")
    panel.expect_end()
    expect(panel.node.get_by_label("Play")).to_be_hidden()
