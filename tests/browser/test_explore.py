"""One run in front: taken by hand, turned, paused, and chosen among the others."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from lab.driver.page import Panel, StudioPage
from melm_studio.planes.figure import PlaneTrace

LONG = 500


def place_of_first(panel: Panel) -> tuple[float, float]:
    trace = next(trace for trace in panel.traces if trace["kind"] == PlaneTrace.TRAIN)
    return trace["x"][0], trace["y"][0]


def n_named_arrows(panel: Panel) -> int:
    heads = [trace for trace in panel.traces if trace["kind"] == PlaneTrace.ARROW_HEADS]
    return sum(1 for head in heads for name in head["text"] if name)


def finished(studio: StudioPage, method: str = "LDA") -> Panel:
    panel = studio.run(method)
    panel.expect_end()
    return panel


@pytest.mark.slow
def test_an_arrow_is_dragged_and_the_plane_follows_and_comes_back(wines: StudioPage):
    panel = finished(wines)
    before = panel.divergence
    x, y = panel.arrow_tip
    wines.page.mouse.move(x, y)
    wines.page.mouse.down()
    wines.page.mouse.move(x - 60, y + 90, steps=4)
    wines.wait_until(lambda: panel.divergence != before, "the divergence follows")
    wines.page.mouse.up()
    expect(panel.part("refine")).to_have_text("Refine from here")
    panel.part("back").click()
    wines.wait_until(lambda: panel.divergence == before, "the plane of the run is back")


@pytest.mark.slow
def test_the_terms_of_the_divergence_are_shown_by_keyboard_and_follow_the_plane(wines: StudioPage):
    panel = finished(wines)
    panel.open_curve()
    panel.part("terms-button").focus()
    wines.page.keyboard.press("Enter")
    rows = panel.part("terms").locator("tr")
    expect(rows).to_have_count(3)
    before = panel.part("terms").inner_text()
    assert "They are told apart least of 3 pairs" in before
    panel.node.evaluate("node => node.querySelector('[data-part=terms]').popover = 'manual'")
    panel.node.get_by_role("slider", name="γ of the densities").focus()
    wines.page.keyboard.press("ArrowLeft")
    expect(panel.part("terms")).not_to_have_text(before, use_inner_text=True)


@pytest.mark.slow
def test_an_arrow_is_turned_by_keyboard_and_the_plane_polished(wines: StudioPage):
    panel = finished(wines)
    before = panel.divergence
    layers = panel.open_layers()
    layers.get_by_role("combobox", name="Feature").select_option(index=2)
    layers.get_by_role("slider", name="Angle").focus()
    for _ in range(8):
        wines.page.keyboard.press("PageUp")
    wines.wait_until(lambda: panel.divergence != before, "the divergence follows")
    moved = panel.divergence
    wines.page.keyboard.press("Escape")
    panel.part("refine").click()
    expect(wines.panels).to_have_count(2)
    polished = wines.panel(1)
    polished.expect_end()
    assert polished.divergence > moved


@pytest.mark.slow
def test_a_few_features_tell_what_they_keep(wines: StudioPage):
    wines.hold_out(25)
    panel = finished(wines)
    before = panel.divergence
    panel.node.get_by_role("slider", name="Keep top features").focus()
    wines.page.keyboard.press("Home")
    expect(panel.part("top-features-words")).to_have_text(
        re.compile(
            r"^\S+ and \S+ alone keep \d+ % of the divergence; the held-out rows chose them\.$"
        )
    )
    wines.wait_until(lambda: 0 < panel.divergence < before, "two features keep less")


@pytest.mark.slow
def test_weak_arrows_can_be_hidden(wines: StudioPage):
    panel = finished(wines)
    wines.toggle("Class names")
    wines.wait_until(lambda: n_named_arrows(panel) > 1, "arrows are named")
    limit = panel.open_layers().get_by_role("slider", name="Arrows shown")
    limit.focus()
    wines.page.keyboard.press("Home")
    wines.wait_until(lambda: n_named_arrows(panel) == 0, "no arrow is shown")
    wines.page.keyboard.press("ArrowRight")
    wines.wait_until(lambda: n_named_arrows(panel) == 1, "one is")


@pytest.mark.slow
def test_one_component_shows_its_densities_and_three_can_be_turned(wines: StudioPage):
    wines.show_settings()
    components = wines.page.get_by_role("radiogroup", name="Components")
    components.get_by_text("1", exact=True).click()
    line = finished(wines)
    expect(line.part("plot")).to_have_attribute("aria-label", re.compile("line of Wine"))
    wines.show_settings()
    components.get_by_text("3", exact=True).click()
    space = finished(wines)
    expect(space.part("drawn")).to_contain_text("drag to turn")
    before = place_of_first(space)
    space.point_at()
    wines.page.mouse.down()
    box = space.part("plot").bounding_box()
    assert box is not None
    wines.page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.6 * box["height"], steps=4)
    wines.page.mouse.up()
    wines.wait_until(lambda: place_of_first(space) != before, "the points turn")
    expect(space.open_layers().get_by_role("slider", name="Azimuth")).not_to_have_value("0")


@pytest.mark.slow
def test_five_features_that_bend_are_in_sight_on_a_laptop(wines: StudioPage):
    wines.page.set_viewport_size({"width": 1280, "height": 720})
    wines.show_settings()
    features = wines.page.get_by_role("radiogroup", name="Features")
    features.get_by_text("curved", exact=True).click()
    panel = finished(wines, "LDA")
    listed = panel.part("features")
    expect(listed.locator(".feature-shape").nth(4)).to_be_visible()

    def five_are_shown() -> bool:
        fifth, box = listed.get_by_role("button").nth(4).bounding_box(), listed.bounding_box()
        return bool(fifth and box) and fifth["y"] + fifth["height"] <= box["y"] + box["height"]

    wines.wait_until(five_are_shown, "five features are in sight")
    # The tab scrolls to what stands below.
    panel.part("top-features").scroll_into_view_if_needed()
    expect(panel.part("top-features")).to_be_in_viewport()


@pytest.mark.slow
def test_a_curve_is_read_by_pointer_and_by_keyboard(wines: StudioPage):
    wines.show_settings()
    features = wines.page.get_by_role("radiogroup", name="Features")
    features.get_by_text("curved", exact=True).click()
    panel = finished(wines, "LDA")
    reading = panel.part("path-reading")
    expect(reading).to_be_hidden()
    place = panel.open_layers().get_by_role("slider", name="Place on its curve")
    place.focus()
    wines.page.keyboard.press("Home")
    expect(reading).to_contain_text(re.compile(r"1\s% of rows have less; it moves a row by"))
    at_the_end = reading.inner_text()
    expect(place).to_have_attribute("aria-valuetext", at_the_end)
    wines.page.keyboard.press("ArrowRight")
    expect(reading).not_to_have_text(at_the_end)
    wines.page.keyboard.press("Home")
    box = panel.part("path-mark").bounding_box()
    assert box is not None
    wines.page.keyboard.press("Escape")
    expect(reading).to_be_hidden()
    wines.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    # The pointer is at a whole pixel, the end of the curve is not.
    name = at_the_end.split()[0]
    expect(reading).to_contain_text(re.compile(rf"{name}.*: [12]\s% of rows have less"))
    wines.page.mouse.move(0, 0)
    expect(reading).to_be_hidden()
    panel.part("more-features").click()
    shapes = panel.part("features").locator(".feature-shape")
    expect(shapes).to_have_count(panel.part("features").get_by_role("button").count())
    expect(shapes.first).to_have_attribute("aria-hidden", "true")


@pytest.mark.slow
def test_the_newest_run_is_in_front_and_another_can_be_brought_there(wines: StudioPage):
    first, second = finished(wines), finished(wines, "PCA")
    expect(first.node).to_be_hidden()
    expect(second.node).to_be_visible()
    tabs = wines.page.get_by_role("group", name="Runs").get_by_role("button")
    tabs.first.click()
    expect(first.node).to_be_visible()
    expect(second.node).to_be_hidden()
    wines.show("Compare")
    for panel in (first, second):
        expect(panel.node).to_be_visible()


@pytest.mark.slow
def test_a_run_pauses_takes_a_step_and_goes_on(page: Page):
    studio = StudioPage(page)
    studio.choose_sample("Digits")
    panel = studio.run("MELM", n_init=LONG)
    panel.expect_a_plane()
    for name in ("step", "continue"):
        expect(panel.part(name)).to_be_hidden()
    panel.node.get_by_role("button", name="Pause", exact=True).click()
    panel.expect_state("paused")
    at = panel.last_sequence
    panel.node.get_by_role("button", name="Step", exact=True).click()
    studio.wait_until(lambda: panel.last_sequence == at + 1, "one step makes one plane")
    panel.expect_state("paused")
    panel.node.get_by_role("button", name="Resume").click()
    panel.expect_state("running")
    studio.wait_until(lambda: panel.last_sequence > at + 1, "it goes on")
    panel.stop.click()
    panel.expect_state("cancelled")
    expect(panel.part("pause")).to_be_hidden()
    panel.node.get_by_role("button", name="Continue").click()
    panel.expect_state("running")
    expect(studio.panels).to_have_count(1)


@pytest.mark.slow
def test_the_run_in_front_has_the_whole_width_however_many_there_are(wines: StudioPage):
    for _ in range(4):
        last = finished(wines, "PCA")
    stage, panel = wines.page.locator("#panels").bounding_box(), last.node.bounding_box()
    assert stage
    assert panel
    assert panel["width"] > 0.9 * stage["width"]


@pytest.mark.slow
def test_a_feature_pointed_at_in_the_list_has_its_arrow_lit(wines: StudioPage):
    panel = finished(wines)
    features = panel.part("features").get_by_role("button")
    panel.part("more-features").click()
    expect(features).to_have_count(13)  # all of them, beyond those that have an arrow
    lit = panel.node.locator(".lit-arrow")
    wines.page.mouse.move(2, 2)  # the list has unfolded below the pointer
    expect(lit).to_be_hidden()
    features.last.hover()
    expect(lit).to_be_visible()
    name = features.last.get_attribute("aria-label") or ""
    assert name.startswith(lit.locator("text").text_content() or "?")


@pytest.mark.slow
def test_features_that_are_kept_are_those_listed_and_drawn(wines: StudioPage):
    panel = finished(wines)
    wines.toggle("Class names")
    keep = panel.node.get_by_role("slider", name="Keep top features")
    keep.focus()
    wines.page.keyboard.press("Home")
    wines.page.keyboard.press("ArrowRight")
    expect(panel.part("features").get_by_role("button")).to_have_count(3)
    wines.wait_until(lambda: n_named_arrows(panel) == 3, "these are drawn")
    keep.focus()
    wines.page.keyboard.press("End")
    expect(panel.part("features").get_by_role("button")).to_have_count(6)
    expect(panel.part("more-features")).to_have_text("7 more")


@pytest.mark.slow
def test_a_removed_run_is_put_back(wines: StudioPage):
    page, panel = wines.page, finished(wines, "PCA")
    panel.node.get_by_role("button", name="Remove this run").click()
    expect(wines.panels).to_have_count(0)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(wines.panels).to_have_count(1)
    wines.panel(0).expect_end()


def test_a_method_is_found_by_a_part_of_its_name_after_a_click(page: Page):
    studio = StudioPage(page)
    studio.method.click()
    page.keyboard.type("sced")
    page.get_by_role("option", name="Heteroscedastic LDA").click()
    expect(studio.method).to_have_value("Heteroscedastic LDA")
    studio.method.click()
    page.keyboard.type("none has it")
    listed = page.get_by_role("listbox", name="Method")
    expect(listed.get_by_text("None so named")).to_be_visible()
    page.keyboard.press("Tab")
    expect(studio.method).to_have_value("Heteroscedastic LDA")
