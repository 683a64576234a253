"""The page by keyboard, its help, and the page without its server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import FloatRect, Page, Route, expect

from lab.driver.launcher import running_studio
from lab.driver.page import Panel, StudioPage

# The browser itself reports every request that finds no server, and so does Dash.
NO_SERVER = r"net::ERR_|the server did not respond"


def test_a_run_can_be_started_by_keyboard_alone(page: Page):
    studio = StudioPage(page)
    studio.tab_to(studio.data_name)
    page.keyboard.press("Enter")
    studio.tab_to(studio.file_input)
    page.keyboard.press("Escape")
    expect(studio.data_name).to_be_focused()
    studio.tab_to(studio.method)
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("PCA")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(studio.method).not_to_have_value("MELM")
    expect(studio.method).to_have_value(re.compile("PCA"))
    studio.tab_to(studio.run_button)
    page.keyboard.press("Enter")
    expect(studio.panels).to_have_count(1)
    studio.panel(0).expect_end()


@pytest.mark.slow
def test_at_200_percent_present_shows_all_of_the_picture(page: Page):
    studio = StudioPage(page)
    panel = studio.run("LDA")
    panel.expect_end()
    page.set_viewport_size({"width": 640, "height": 360})
    studio.show("Present")
    expect(panel.node).to_be_in_viewport(ratio=0.99)


@pytest.mark.slow
def test_the_first_link_leads_to_the_picture_which_words_describe(page: Page):
    studio = StudioPage(page)
    panel = studio.run("LDA")
    panel.expect_end()
    page.reload()
    panel.expect_a_plane()
    page.keyboard.press("Tab")
    link = page.get_by_role("link", name="Skip to the picture")
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport(ratio=1.0)
    page.keyboard.press("Enter")
    plot = panel.part("plot")
    expect(plot).to_be_focused()
    told = re.compile(
        "Nearest to each other are .* standard deviations apart.*What moves rows most"
    )
    expect(plot).to_have_accessible_description(told)


@pytest.mark.slow
def test_tabs_and_the_list_of_features_are_one_stop_of_the_tab_key_each(page: Page):
    studio = StudioPage(page)
    panel = studio.run("LDA")
    panel.expect_end()
    tabs = panel.node.get_by_role("tab")
    panel.inspect("Rows")
    expect(panel.node.locator('[role=tab][tabindex="0"]')).to_have_text("Rows")
    page.keyboard.press("ArrowLeft")
    expect(tabs.first).to_be_focused()
    page.keyboard.press("Enter")
    features = panel.part("features").get_by_role("button")
    expect(features).to_have_count(6)
    stops = panel.part("features").locator('[tabindex="0"]')
    expect(stops).to_have_count(1)
    stops.focus()
    page.keyboard.press("ArrowDown")
    expect(features).to_have_count(13)  # the keys lead to those that were folded away
    expect(features.nth(1)).to_be_focused()
    expect(stops).to_have_count(1)
    page.keyboard.press("End")
    expect(features.last).to_be_focused()
    page.keyboard.press("Tab")
    expect(panel.part("features").locator(":focus")).to_have_count(0)
    page.keyboard.press("Shift+Tab")
    expect(features.last).to_be_focused()


def places_of_rows(panel: Panel) -> dict[str, list[float]]:
    """Of the traces with a name, by it; strong arrows part from faint ones after the run's end."""
    return {trace["name"]: trace["x"] for trace in panel.traces if trace.get("name")}


@pytest.mark.slow
@pytest.mark.provokes(NO_SERVER)
def test_a_lost_server_is_told_and_the_pictures_stay(page: Page, tmp_path: Path):
    with running_studio(tmp_path) as own:
        studio = StudioPage(page, own.url)
        panel = studio.run("PCA")
        panel.expect_end()
        expect(studio.connection).to_be_hidden()
        rows = places_of_rows(panel)
    expect(studio.connection).to_contain_text("The server does not answer")
    assert places_of_rows(panel) == rows != {}
    studio.file_input.set_input_files(
        {"name": "late.csv", "mimeType": "text/csv", "buffer": b"a,b\n1,2\n"}
    )
    expect(studio.data_error).to_contain_text("The server does not answer")


@pytest.mark.slow
def test_a_word_is_looked_up_and_the_focus_returns(page: Page):
    StudioPage(page)
    button = page.get_by_role("button", name="Help", exact=True)
    button.press("Enter")
    dialog = page.get_by_role("dialog", name="Help")
    expect(dialog.get_by_text("Held-out rows", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(button).to_be_focused()


@pytest.mark.slow
@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("has_a_run", [False, True])
def test_the_tour_shows_what_it_is_about(page: Page, width: int, has_a_run: bool):
    studio = StudioPage(page)
    if has_a_run:
        studio.run("LDA").expect_end()
    page.set_viewport_size({"width": width, "height": 844})
    studio.open_actions()
    page.get_by_role("button", name="Help", exact=True).click()
    page.get_by_role("button", name="Take the tour").click()
    tour = page.get_by_role("dialog", name="Tour of the page")
    for following in ("Next", "Next", "Done"):
        shown = page.locator(".is-toured")
        expect(shown).to_be_in_viewport()
        expect(tour).to_be_in_viewport(ratio=1)
        assert not overlap(shown.bounding_box(), tour.bounding_box())
        tour.get_by_role("button", name=following).click()
    expect(tour).to_be_hidden()
    expect(page.locator(".is-toured")).to_have_count(0)


def overlap(one: FloatRect | None, other: FloatRect | None) -> bool:
    assert one
    assert other
    return all(
        one[start] < other[start] + other[size] and other[start] < one[start] + one[size]
        for start, size in (("x", "width"), ("y", "height"))
    )


@pytest.mark.slow
def test_at_200_percent_the_picture_keeps_half_of_the_height(page: Page):
    studio = StudioPage(page)
    panel = studio.run("LDA")
    panel.expect_end()
    page.set_viewport_size({"width": 640, "height": 360})  # what 1280 x 720 has left
    panel.expect_a_plane()
    box = panel.part("plot").bounding_box()
    assert box
    assert box["width"] > 560
    assert min(box["y"] + box["height"], 360) - box["y"] >= 360 / 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
    page.set_viewport_size({"width": 1280, "height": 720})
    studio.show("Compare")
    page.set_viewport_size({"width": 640, "height": 360})
    taller = "(plot) => plot.clientHeight >= innerHeight / 2"
    studio.wait_until(lambda: panel.part("plot").evaluate(taller), "the picture has half of it")


@pytest.mark.slow
@pytest.mark.parametrize("width", [1440, 390])
def test_where_a_browser_places_nothing_beside_another_all_of_what_opens_is_seen(
    page: Page, width: int
):
    page.context.route("**/*.css*", _without_places)
    page.set_viewport_size({"width": width, "height": 844})
    studio = StudioPage(page)
    page.reload()
    studio.open_sheet()
    page.get_by_role("button", name="Samples", exact=True).click()
    expect(page.locator(":popover-open")).to_be_in_viewport(ratio=1)
    place = page.locator(":popover-open").bounding_box()
    assert place is not None
    assert place["x"] + place["width"] / 2 == pytest.approx(width / 2, abs=8)


def _without_places(route: Route) -> None:
    answer = route.fetch()
    route.fulfill(response=answer, body=answer.text().replace("position-area", "unknown"))
