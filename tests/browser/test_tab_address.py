"""Each tab has its own address: back, forward, reload and other tabs find mode and run again."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from lab.driver.page import StudioPage

GONE = "The run of this address is gone"


def test_back_forward_and_reload_find_mode_and_run_again(page: Page):
    studio = StudioPage(page)
    studio.choose_sample("Iris")
    first = studio.run("PCA")
    first.expect_end()
    address_of_first = page.evaluate("location.hash")
    assert re.fullmatch(r"#explore/[\w-]{22}", address_of_first)
    studio.run("LDA").expect_end()
    second = page.evaluate("location.hash")
    studio.show("Compare")
    page.wait_for_function("location.hash.startsWith('#compare/')")
    page.go_back()
    expect(page.locator("body")).to_have_attribute("data-mode", "explore")
    page.go_back()
    expect(page.locator(".panel.is-front")).to_contain_text("PCA")
    assert page.evaluate("location.hash") == address_of_first
    page.reload()
    expect(page.locator(".panel.is-front")).to_contain_text("PCA")
    other = page.context.new_page()
    other.goto(f"/{second}")
    expect(other.locator(".panel.is-front")).to_contain_text("LDA")
    expect(page.locator(".panel.is-front")).to_contain_text("PCA")
    other.goto("about:blank")
    other.goto("/#compare/no-such-run")
    expect(other.get_by_text(GONE)).to_be_visible()
    expect(other.locator("body")).to_have_attribute("data-mode", "compare")
    expect(StudioPage(other).panels).to_have_count(2)


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
