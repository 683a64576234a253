"""Runs are stopped, shared between tabs, kept from others, and their deaths told."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import APIResponse, BrowserContext, Page, Route, expect

from lab.driver.launcher import Studio, running_studio
from lab.driver.page import DEADLINE_S, Panel, StudioPage
from melm_studio.configuration.messages import STOPPED
from melm_studio.layout import ids
from melm_studio.layout.first_page import BEGIN
from melm_studio.planes.captions import REPEATING

LONG = 500  # starts: minutes of work on the digits
GOES_ON_WITHIN_MS = 5000


@pytest.fixture
def long_run(page: Page) -> Panel:
    """A run on the digits that would go on for minutes, its first plane on screen."""
    studio = StudioPage(page)
    studio.choose_sample("Digits")
    panel = studio.run("MELM", n_init=LONG)
    panel.expect_a_plane()
    assert panel.state == "running"
    return panel


@pytest.mark.slow
def test_stop_ends_a_long_run_and_keeps_its_best_plane(long_run: Panel):
    long_run.stop.click()
    long_run.expect_end("cancelled")
    expect(long_run.part("words")).to_have_text(STOPPED)
    expect(long_run.stop).to_be_hidden()
    steps = long_run.curve["steps"]["y"]
    assert len(steps) == long_run.sequence + 1
    assert long_run.divergence == max(steps)


@pytest.mark.slow
def test_a_run_that_begins_before_the_panels_of_its_data_are_listed_is_shown(page: Page):
    """The list of before is overtaken by that of Run, and arrives after it."""
    held: list[tuple[Route, APIResponse]] = []

    def hold_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append((route, route.fetch()))

    studio = StudioPage(page)
    studio.choose_sample("Iris")
    expect(page.get_by_role("img", name="PCA plane of Iris")).to_be_visible()
    page.route(re.compile("/panels$"), hold_first)
    studio.choose_sample("Wine")
    studio.wait_until(lambda: bool(held), "the list is under way")
    with page.expect_response(re.compile("/runs$")):
        studio.run_button.click()
    ((route, list_of_before),) = held
    route.fulfill(response=list_of_before)
    expect(studio.panels).to_have_count(1)
    studio.panel(0).expect_end()


@pytest.mark.slow
def test_a_second_tab_shows_the_run_and_stops_it_for_both(long_run: Panel):
    tab = StudioPage(long_run.node.page.context.new_page())
    expect(tab.panels).to_have_count(1)
    same_run = tab.panel(0)
    same_run.expect_a_plane()
    assert same_run.run_id == long_run.run_id
    same_run.stop.click()
    for panel in (same_run, long_run):
        panel.expect_state("cancelled")
        expect(panel.part("words")).to_have_text(STOPPED)


@pytest.mark.slow
def test_a_run_is_renamed_in_its_place_and_offered_instead_of_an_equal_one(page: Page):
    studio = StudioPage(page)
    panel = studio.run("LDA")
    panel.expect_end()
    for name, key, title in (
        ("For the talk", "Enter", "For the talk"),
        ("x", "Escape", "For the talk"),
    ):
        panel.part("title").press("Enter")
        page.keyboard.type(name)
        page.keyboard.press(key)
        expect(panel.part("title")).to_be_focused()
        expect(panel.part("title")).to_have_text(title)
    expect(panel.node).to_have_attribute("data-title", "For the talk")
    studio.run_button.click()
    notice = page.locator(f"#{ids.NOTICE}")
    expect(notice).to_have_text("This run is here already: For the talk.")
    expect(studio.panels).to_have_count(1)
    panel.node.get_by_role("spinbutton", name="Keep top features, number").fill("3")
    page.keyboard.press("Enter")
    expect(panel.part("changed")).to_have_text("Plane was changed: top 3 features only")


@pytest.mark.slow
def test_another_visitor_sees_none_of_the_runs(
    long_run: Panel, new_context: Callable[..., BrowserContext]
):
    stranger = StudioPage(new_context().new_page())
    stranger.choose_sample("Digits")  # the same data, so the same panels were they shared
    expect(stranger.page.get_by_role("button", name=BEGIN)).to_be_visible()
    expect(stranger.panels).to_have_count(0)
    for path in ("points.csv", "components.csv", "figure", "planes/0"):
        answer = stranger.page.request.get(f"/runs/{long_run.run_id}/{path}")
        assert answer.status == 404
    answer = stranger.page.request.get("/frames", params={"run": f"{long_run.run_id}:-1"})
    assert answer.json()["runs"] == {}
    assert long_run.state == "running"
    long_run.stop.click()
    long_run.expect_state("cancelled")


@pytest.mark.slow
def test_the_run_of_a_killed_worker_goes_on_in_the_page_within_five_seconds(
    page: Page, tmp_path: Path
):
    with running_studio(tmp_path) as own:
        studio = StudioPage(page, own.url)
        studio.choose_sample("Digits")
        panel = studio.run("MELM", n_init=LONG)
        panel.expect_a_plane()
        worker_of(own).kill()
        expect(panel.part("words")).to_have_text(REPEATING, timeout=GOES_ON_WITHIN_MS)
        panel.expect_state("running")
        again = studio.run("PCA")
        again.expect_end()
        page.close()


def worker_of(studio: Studio) -> psutil.Process:
    """The process that works the only run: the one fork among the studio's processes."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        forks = [process for process in studio.family() if is_fork(process)]
        if len(forks) == 1:
            return forks[0]
    raise AssertionError("The studio has no single worker at work.")


def is_fork(process: psutil.Process) -> bool:
    """Whether it never began a program of its own, so has its parent's command line."""
    parent = process.parent()
    return parent is not None and process.cmdline() == parent.cmdline()
