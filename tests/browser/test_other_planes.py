"""What is beside the picture: shown, linked, walked along, run on its own, and in a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Locator, Page, expect

from lab.driver.page import Panel, StudioPage, share_by, wait_until
from melm_studio.layout import ids

# A search takes some times as long as a run.
FOUND_MS = 240_000


@pytest.fixture
def panel(page: Page) -> Panel:
    """A finished run on a table of few features."""
    studio = StudioPage(page)
    studio.choose_sample("Iris")
    panel = studio.run("MELM", n_init=1)
    panel.expect_end()
    return panel


@pytest.fixture
def stranger(new_context: Callable[..., BrowserContext]) -> Page:
    return new_context().new_page()


def found(panel: Panel, item: str) -> Locator:
    """Open what is beside the picture, and wait until all of it is found."""
    beside = panel.open_door(item)
    expect(beside.locator("progress")).to_be_visible()
    expect(beside.locator("progress")).to_be_hidden(timeout=FOUND_MS)
    return beside


def show(panel: Panel, button: Locator) -> float:
    """Press a button that shows another plane; return its divergence once it is on screen."""
    button.click()
    page = panel.node.page
    expect(panel.node.locator(".changed")).to_contain_text("another plane of this run")
    expect(page.locator("[data-asking], .is-moving")).to_have_count(0)
    return panel.divergence


@pytest.mark.slow
@pytest.mark.parametrize(
    ("item", "shows"),
    [
        ("Tree of planes", ".tree-branches button"),
        ("Resampled plane", ".multiple:nth-child(3)"),
    ],
)
def test_a_link_to_another_plane_finds_it_again_elsewhere(
    panel: Panel, stranger: Page, item: str, shows: str
):
    page = panel.node.page
    beside = found(panel, item)
    show(panel, beside.locator(shows).first)
    share_by(panel.node.page, "Copy link")
    expect(page.locator(f"#{ids.NOTICE}")).to_contain_text("address bar")
    stranger.goto(page.url)
    expect(stranger.locator("[data-run]")).to_have_count(1, timeout=FOUND_MS)
    theirs = Panel(stranger.locator("[data-run]"))
    expect(theirs.node.locator(".changed")).to_contain_text(
        "another plane of this run", timeout=FOUND_MS
    )
    wait_until(
        stranger,
        lambda: theirs.divergence == pytest.approx(panel.divergence, rel=1e-6),
        "the plane of the link is on screen",
    )


@pytest.mark.slow
def test_present_walks_along_a_branch_until_a_key_and_a_replay_holds_the_tree(
    panel: Panel, tmp_path: Path
):
    page = panel.node.page
    found(panel, "Tree of planes")
    file = tmp_path / "replay.html"
    panel.download("Replay").save_as(file)
    StudioPage(page).show("Present")
    caption = page.locator(f"#{ids.CAPTION}")
    question = caption.text_content()
    page.keyboard.press("w")
    expect(caption).to_have_text(re.compile(r"^A: γ [\d.]+: divergence [\d.]+$"))
    page.keyboard.press("Escape")
    expect(caption).to_have_text(question)
    page.keyboard.press("t")
    branches = page.get_by_role("list", name="Branches")
    expect(branches).to_be_visible()
    page.keyboard.press("Escape")
    expect(branches).to_be_hidden()
    expect(page.locator("body")).to_have_attribute("data-mode", "present")

    page.goto(file.as_uri())
    words = page.locator("[data-section=tree] [data-part=words]")
    expect(words).to_contain_text("γ")
    before = words.text_content()
    page.get_by_role("button", name="Follow A").click()
    expect(words).not_to_have_text(before)
    width = page.get_by_role("slider", name="Kernel width γ")
    width.press("Home")
    assert Axe().run(page).violations_count == 0
    smallest = words.text_content()
    width.press("ArrowRight")
    expect(words).not_to_have_text(smallest)


@pytest.mark.slow
def test_the_features_that_suffice_are_named_and_run_on_their_own(page: Page):
    studio = StudioPage(page)
    studio.choose_sample("Wine")
    every = studio.run("MELM", n_init=1)
    every.expect_end()
    beside = every.open_door("How few features suffice?", "Features")
    words = beside.get_by_role("status").first
    answer = re.compile(
        r"^(\d+)\sof\s13\sfeatures suffice in cross-validation: .+\ssizes; .+\s33\s%\.$"
    )
    expect(words).to_have_text(answer, timeout=FOUND_MS)
    expect(beside.locator("progress")).to_be_hidden(timeout=FOUND_MS)
    (n_kept,) = answer.match(words.text_content()).groups()
    kept = beside.locator(".found-pairs li")
    expect(kept).to_have_count(int(n_kept))
    fewer = beside.get_by_role("slider", name="Number of features")
    fewer.fill("0")
    expect(kept).to_have_count(2)
    fewer.press("End")
    expect(beside.get_by_role("button", name="Run on these")).to_be_disabled()
    fewer.fill("2")
    run = beside.get_by_role("button", name="Run on these")
    expect(run).to_be_enabled()
    n_chosen = kept.count()
    expect(run).to_have_text(f"Run on these {n_chosen} features")
    run.click()
    expect(beside).to_have_count(0)
    expect(studio.panels).to_have_count(2)
    expect(page.get_by_role("heading", name=f"{n_chosen} features")).to_be_visible()

    page.get_by_role("button", name=re.compile("^MELM, γ 2, 1 start$")).first.click()
    every.open_door("How few features suffice?", "Features")
    expect(words).to_have_text(answer)
    every.part("remove").click()
    expect(page.locator(f"#{ids.NOTICE}")).to_contain_text("was removed")
