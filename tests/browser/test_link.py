"""A link brings a view back, for whoever opens it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from lab.driver.page import Panel, StudioPage, share_by
from melm_studio.layout import ids

POTS = "\n".join(
    ["height,width,weight,ware"]
    + [
        f"{20 + i * 7 % 11},{30 + i * 5 % 13},{i * 3 % 17},{('red', 'grey')[i % 2]}"
        for i in range(40)
    ]
)


@pytest.fixture
def stranger(new_context: Callable[..., BrowserContext]) -> Page:
    """The page of somebody else, not opened yet."""
    return new_context().new_page()


def link_to(panel: Panel) -> str:
    """Copy the link of what is on screen, and return where it leads."""
    page = panel.node.page
    share_by(panel.node.page, "Copy link")
    expect(notice(page)).to_contain_text("address bar")
    return page.url


def notice(page: Page):
    return page.locator(f"#{ids.NOTICE}")


def only_panel(page: Page) -> Panel:
    expect(page.locator("[data-run]")).to_have_count(1)
    return StudioPanel.first(page)


class StudioPanel:
    @staticmethod
    def first(page: Page) -> Panel:
        run_id = page.locator("[data-run]").first.get_attribute("data-run")
        return Panel(page.locator(f'[data-run="{run_id}"]'))


@pytest.mark.slow
def test_a_stranger_sees_the_same_plane_and_is_told_so(page: Page, stranger: Page):
    studio = StudioPage(page)
    panel = studio.run("MELM", n_init=1)
    panel.expect_end()
    panel.slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    panel.expect_sequence(panel.last_sequence - 3)
    studio.toggle("Arrows")
    stranger.goto(link_to(panel))
    expect(notice(stranger)).to_have_text(
        re.compile(r"Reproduced: divergence .*, equal to within 1e-09\.")
    )
    theirs = only_panel(stranger)
    theirs.expect_sequence(panel.sequence)
    assert theirs.run_id != panel.run_id
    assert theirs.divergence == panel.divergence
    theirs.open_layers()
    expect(stranger.get_by_role("switch", name="Arrows")).not_to_be_checked()


@pytest.mark.slow
def test_a_link_stays_in_the_address_bar_until_something_else_is_shown(page: Page):
    studio = StudioPage(page)
    studio.choose_sample("Iris")
    first = studio.run("PCA")
    first.expect_end()
    studio.run("LDA").expect_end()
    link = link_to(first)
    studio.show("Present")
    page.wait_for_function("location.hash.startsWith('#present/') && !location.search")
    page.reload()
    expect(page.locator("body")).to_have_attribute("data-mode", "present")
    page.goto(link)
    expect(notice(page)).to_contain_text("Reproduced")
    assert page.url == link
    page.locator(".run-tabs").get_by_text("PCA").click()
    page.wait_for_function("!location.search")
    page.reload()
    expect(page.locator(".panel.is-front")).to_contain_text("PCA")


@pytest.mark.slow
def test_a_view_of_a_file_asks_for_it_and_comes_up_once_it_is_dropped(
    page: Page, stranger: Page, tmp_path: Path
):
    file, other = tmp_path / "pots.csv", tmp_path / "other.csv"
    file.write_text(POTS)
    other.write_text(POTS.replace("20", "21"))
    studio = StudioPage(page)
    studio.upload(file)
    panel = studio.run("LDA")
    panel.expect_end()
    stranger.goto(link_to(panel))
    expect(notice(stranger)).to_contain_text("This view needs the file pots.csv")
    take = stranger.get_by_label("Table file")
    take.set_input_files(other)
    expect(notice(stranger)).to_contain_text("differs from that of pots.csv")
    take.set_input_files(file)
    expect(notice(stranger)).to_contain_text("Reproduced")
    assert only_panel(stranger).divergence == panel.divergence


@pytest.mark.slow
def test_a_link_can_hide_the_controls_at_once(page: Page):
    page.goto("/?data=sample:iris&method=lda&mode=present")
    expect(page.locator("[data-run]")).to_be_visible()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_hidden()
    expect(page.get_by_role("switch", name="Arrows")).to_be_hidden()
    expect(page.locator('[data-part="class-legend"]')).to_contain_text("setosa")


@pytest.mark.slow
def test_a_link_that_cannot_be_read_says_why_and_leaves_the_page(page: Page):
    studio = StudioPage(page, "/?data=sample:wine&method=magic")
    expect(notice(page)).to_contain_text(
        "This link cannot be opened. The method must be one of melm"
    )
    page.get_by_role("button", name="Close this note").click()
    expect(notice(page)).to_be_hidden()
    expect(studio.data_name).to_have_text("Wine")
