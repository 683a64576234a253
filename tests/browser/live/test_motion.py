"""Pictures that move: between planes, and through a search that was over in a blink."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from lab.driver.page import StudioPage

# The planes that were painted, with the divergence that the panel showed meanwhile.
RECORD = """() => {
  window.painted = [];
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const divergence = target.querySelector('[data-part="divergence-training"]').title;
      window.painted.push([Number(target.dataset.sequence), divergence]);
    }
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-sequence"] });
}"""
FEW_STARTS = 2

# News of runs reach the page only once they are released.
HOLD_NEWS = """() => {
  const { fetch } = window;
  const released = new Promise((resolve) => (window.releaseNews = resolve));
  window.fetch = async (...request) => {
    if (/frames.*run=/.test(request[0])) await released;
    return fetch(...request);
  };
}"""


@pytest.fixture
def moving_page(page: Page) -> Page:
    page.emulate_media(reduced_motion="no-preference")
    return page


def painted_of_a_blink(page: Page) -> list[list]:
    """What was painted of a run that had ended before the page heard of it."""
    studio = StudioPage(page)
    studio.choose_sample("Wine")
    page.evaluate(RECORD)
    page.evaluate(HOLD_NEWS)
    panel = studio.run("MELM", n_init=FEW_STARTS)
    address = f"/frames?run={panel.run_id}:999999"

    def is_over() -> bool:
        return bool(page.request.get(address).json()["runs"][panel.run_id]["is_final"])

    studio.wait_until(is_over, "the run is over")
    page.evaluate("window.releaseNews()")
    panel.expect_end()
    return list(page.evaluate("window.painted"))


@pytest.mark.slow
def test_a_search_over_in_a_blink_is_shown_through_its_best_planes_with_its_final_numbers(
    moving_page: Page,
):
    painted = painted_of_a_blink(moving_page)
    sequences = [sequence for sequence, _ in painted]
    assert sequences == sorted(sequences)
    assert 4 <= len(set(sequences)) <= 13
    assert len({divergence for _, divergence in painted}) == 1


@pytest.mark.slow
def test_under_reduced_motion_the_last_plane_is_shown_at_once(page: Page):
    painted = painted_of_a_blink(page)
    assert len({sequence for sequence, _ in painted}) == 1


@pytest.mark.slow
def test_a_press_skips_to_the_last_plane(moving_page: Page):
    moving_page.add_init_script(SKIP_AT_ONCE)
    painted = painted_of_a_blink(moving_page)
    assert len({sequence for sequence, _ in painted}) == 2


@pytest.mark.slow
def test_planes_that_follow_each_other_change_texts_and_no_elements(page: Page):
    """Each element that comes or goes would have the styles of the whole page computed anew."""
    studio = StudioPage(page)
    studio.choose_sample("Breast cancer")
    panel = studio.run("MELM", n_init=100)
    panel.part("features").get_by_role("listitem").first.wait_for()
    page.evaluate(RECORD)
    page.evaluate(COUNT_ELEMENTS)
    page.wait_for_function("() => window.painted.length > 10")
    assert page.evaluate("window.nPut") == 0


# Counts elements of the panel that come or go between planes, beside the picture and the list.
COUNT_ELEMENTS = """() => {
  window.nPut = 0;
  new MutationObserver((changes) => {
    for (const { target, addedNodes, removedNodes } of changes) {
      if (target.closest(".plot, .features")) continue;
      const nodes = [...addedNodes, ...removedNodes];
      window.nPut += nodes.filter(({ nodeType }) => nodeType === Node.ELEMENT_NODE).length;
    }
  }).observe(document.querySelector("[data-run]"), { subtree: true, childList: true });
}"""


# Presses the panel as soon as its first plane is painted.
SKIP_AT_ONCE = """
new MutationObserver(([{ target }]) => {
  setTimeout(() => target.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true })));
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-sequence"] });
"""
