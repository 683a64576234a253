"""Each tab has its own address: back, forward, reload and other tabs find mode and run again."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from callbacks.routes.runs import RUN_GONE
from lab.driver.page import StudioPage


@pytest.mark.provokes("status of 404")  # there is no such run
@pytest.mark.slow
def test_back_forward_and_reload_find_mode_and_run_again(page: Page):
    studio = StudioPage(page)
    studio.choose_sample("Iris")
    first = studio.run("PCA")
    first.expect_end()
    address_of_first = _hash(page)
    assert re.fullmatch(r"#explore/[\w-]{22}", address_of_first)
    studio.run("LDA").expect_end()
    second = _hash(page)
    studio.show("Compare")
    page.wait_for_function("location.hash.startsWith('#compare/')")
    page.go_back()
    expect(page.locator("body")).to_have_attribute("data-mode", "explore")
    page.go_back()
    expect(page.locator(".panel.is-front")).to_contain_text("PCA")
    assert _hash(page) == address_of_first
    page.reload()
    expect(page.locator(".panel.is-front")).to_contain_text("PCA")
    other = page.context.new_page()
    other.goto(f"/{second}")
    expect(other.locator(".panel.is-front")).to_contain_text("LDA")
    expect(page.locator(".panel.is-front")).to_contain_text("PCA")
    other.goto("about:blank")
    other.goto("/#compare/no-such-run")
    expect(other.get_by_text(RUN_GONE)).to_be_visible()
    expect(other.locator("body")).to_have_attribute("data-mode", "compare")
    expect(StudioPage(other).panels).to_have_count(2)


# Each of these loads the page three or four times; what an address holds is known to tests/page.
@pytest.mark.slow
def test_a_table_of_one_tab_replaces_none_of_another_and_a_new_tab_has_the_last(page: Page):
    one = StudioPage(page)
    one.choose_sample("Iris")
    two = StudioPage(page.context.new_page())
    expect(two.data_name).to_have_text("Iris")
    two.choose_sample("Breast cancer")
    expect(StudioPage(page.context.new_page()).data_name).to_have_text("Breast cancer")
    expect(one.data_name).to_have_text("Iris")
    page.reload()
    expect(one.data_name).to_have_text("Iris")


@pytest.mark.slow
def test_an_address_finds_zoom_layers_and_table_again(page: Page):
    studio = StudioPage(page)
    studio.choose_sample("Iris")
    panel = studio.run("LDA")
    panel.expect_end()
    panel.zoom()
    studio.toggle("Contours")
    changed = re.compile(r"axes=.*hidden=contours")
    studio.wait_until(lambda: changed.search(_hash(page)), "the address has the view")
    axes, address = panel.axes, _hash(page)
    studio.choose_sample("Wine")
    other = studio.run("PCA")
    other.expect_end()
    assert "axes=" not in _hash(page)  # of another table
    page.go_back()
    expect(studio.data_name).to_have_text("Iris")
    page.reload()
    front = StudioPage.panel(studio, 0)
    front.expect_a_plane()
    studio.wait_until(lambda: np.allclose(front.axes, axes, atol=1e-3), "the zoom is found again")
    assert _hash(page) == address


@pytest.mark.slow
@pytest.mark.provokes("status of 400")  # no such kernel width
def test_a_view_that_cannot_be_read_says_so_and_shows_the_run_as_it_was_found(page: Page):
    studio = StudioPage(page)
    studio.choose_sample("Iris")
    studio.run("PCA").expect_end()
    address = _hash(page)
    for view, words in (("axes=1:x", "cannot be read"), ("gamma=1e9", "must be")):
        page.goto("about:blank")
        page.goto(f"/{address}?{view}")
        expect(page.get_by_text(words)).to_be_visible()
        studio.panel(0).expect_a_plane()
        studio.wait_until(lambda: "?" not in _hash(page), "the address is of what is shown")


def _hash(page: Page) -> str:
    return str(page.evaluate("location.hash"))
