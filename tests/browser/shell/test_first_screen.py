"""A newcomer's first minutes, at the sizes of a projector, a laptop and a phone."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from PIL import Image, ImageColor
from playwright.sync_api import Page, Route, ViewportSize, expect

from lab.driver.page import StudioPage
from melm_studio.layout import ids
from melm_studio.layout.first_page import BEGIN, IN_COMPARE
from melm_studio.planes.theme import THEMES, Scheme

SIZES: dict[str, ViewportSize] = {
    "projector": {"width": 1440, "height": 900},
    "laptop": {"width": 1280, "height": 720},
    "phone": {"width": 390, "height": 844},
    "double zoom": {"width": 720, "height": 450},
}
WINES = ("Barbera", "Barolo", "Grignolino")
NEARLY_EQUAL = 30  # of 442: points are a little transparent
LARGE = ("projector", "laptop")
# Of a canvas, the pixels that something is drawn on.
N_MARKED = """canvas => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
  .data.filter((value, i) => i % 4 === 3 && value > 0).length"""
# The colors of a part of the first page, by the variables that the styles take them from.
COLORS = """() => {
  const probe = document.querySelector("#panels").appendChild(document.createElement("i"));
  const names = ["color-text", "color-red-light", "color-yellow-light", "color-body",
    "primary-color-light", "primary-color-light-color"].map((name) => `--mantine-${name}`);
  const colors = [...names, "--accent", "--line", "--dim", "--card", "--stage"].map((name) => {
    probe.style.color = `var(${name})`;
    return [name, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(colors);
}"""
FILLED = """(buttons) => buttons
  .filter((button) => button.checkVisibility())
  .filter((button) => {
    const accent = document.createElement("i");
    accent.style.color = "var(--accent)";
    button.append(accent);
    const { color } = getComputedStyle(accent);
    accent.remove();
    return getComputedStyle(button).backgroundColor === color;
  })
  .map((button) => button.firstChild.textContent)"""
OVERHANG = "() => document.scrollingElement.scrollWidth - innerWidth"


@pytest.mark.parametrize("size", LARGE)
@pytest.mark.parametrize("sample", ["Wine", pytest.param("Digits", marks=pytest.mark.slow)])
def test_all_that_a_first_run_needs_is_in_sight(page: Page, size: str, sample: str):
    page.set_viewport_size(SIZES[size])
    studio = StudioPage(page)
    studio.choose_sample(sample)
    for part in (
        studio.data_name,
        studio.method,
        page.get_by_role("textbox", name="Kernel width γ"),
        page.get_by_role("slider", name="Kernel width γ"),
        page.get_by_role("button", name="Let the method choose γ"),
        studio.run_button,
    ):
        expect(part).to_be_in_viewport(ratio=1)
    studio.open_sheet()
    for part in (
        page.get_by_text("Drop a table, or choose a file"),
        page.get_by_role("button", name="Samples", exact=True),
        page.get_by_role("button", name="Recent", exact=True),
        page.get_by_role("textbox", name="Label column"),
        page.get_by_role("list", name="Classes"),
    ):
        expect(part).to_be_in_viewport(ratio=1)
    assert studio.sheet.evaluate("el => el.scrollHeight <= el.clientHeight")
    page.keyboard.press("Escape")
    expect(studio.sheet).to_be_hidden()
    expect(studio.data_name).to_be_focused()


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_the_data_are_drawn_before_anything_is_touched_and_one_button_begins(page: Page, size: str):
    page.set_viewport_size(SIZES[size])
    studio = StudioPage(page)
    question = page.get_by_role("heading", name="Can Barbera, Barolo and Grignolino be told apart?")
    expect(question).to_be_in_viewport()
    plot = page.get_by_role("img", name="PCA plane of Wine")
    expect(page.locator("[data-drawn]")).to_be_visible()
    assert page.locator("[data-drawn] canvas").evaluate(N_MARKED) > 100
    assert page.evaluate(OVERHANG) <= 0
    page.get_by_role("button", name=BEGIN).click()
    expect(studio.panels).to_have_count(1)
    studio.panel(0).expect_end()
    expect(plot).to_have_count(0)
    assert not page.locator("[data-run] :focus-visible").count()


@pytest.mark.slow
@pytest.mark.parametrize("size", LARGE)
def test_one_button_is_the_first_to_press_before_and_after_a_run(page: Page, size: str):
    page.set_viewport_size(SIZES[size])
    studio = StudioPage(page)
    begin = page.get_by_role("button", name=BEGIN)
    assert filled_buttons(page) == [BEGIN]
    studio.show("Compare")
    expect(page.get_by_text(IN_COMPARE)).to_be_visible()
    assert filled_buttons(page) == ["Run"]
    picture = page.get_by_role("img", name="PCA plane of Wine").bounding_box()
    place = page.locator("#panels").bounding_box()
    assert picture
    assert place
    assert picture["width"] > 0.9 * place["width"]  # not in one of the columns of runs
    expect(page.get_by_role("button", name="Test all")).to_be_hidden()
    studio.show("Explore")
    begin.click()
    expect(studio.panels).to_have_count(1)
    studio.wait_until(lambda: filled_buttons(page) == ["Run"], "Run is filled")


def filled_buttons(page: Page) -> list[str]:
    """The names of the visible buttons that are filled with the accent color."""
    return page.locator(".button.is-primary").evaluate_all(FILLED)


@pytest.mark.parametrize(
    "key", ["Enter", *(pytest.param(key, marks=pytest.mark.slow) for key in ("", "Control+Enter"))]
)
def test_a_run_begins_before_dash_is_there_and_goes_on_in_its_page(page: Page, key: str):
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(re.compile("dash_renderer"), hold)
    page.goto("/")
    begin = page.get_by_role("button", name=re.compile(f"{BEGIN}|Starting"))
    expect(begin).to_be_enabled()
    begin.focus()
    if key:
        page.keyboard.press(key)
        page.keyboard.press(key)
    else:
        begin.dblclick()
    panels = page.locator("[data-run]")
    expect(page.locator("[data-run][data-sequence]")).to_be_visible()
    if key:
        expect(panels.locator('[data-part="plot"]')).to_be_focused()  # in place of the button
    assert page.evaluate("!window.dash_clientside?.set_props")
    page.evaluate("window.shown = document.querySelector('[data-run] [data-part=motion]')")
    title = panels.locator('[data-part="title"]')
    title.focus()
    for route in held:
        route.continue_()
    expect(page.locator(f"#{ids.DATA_SIZE}")).to_contain_text("rows")
    expect(panels).to_have_count(1)
    panels.locator('[data-part="name"]').hover()
    assert page.evaluate("window.shown.isConnected")  # the picture is the same
    expect(title).to_be_focused()
    states = page.request.get("/frames").json()["states"]
    assert len(states) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_page_has_the_colors_of_the_page(page: Page, scheme: str):
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.route(re.compile("dash_renderer"), hold)
    page.goto("/")
    expect(page.locator("[data-drawn]")).to_be_visible()
    before = page.evaluate(COLORS)
    for route in held:
        route.continue_()
    expect(page.locator(f"#{ids.DATA_SIZE}")).to_contain_text("rows")
    assert page.evaluate(COLORS) == before


@pytest.mark.slow
@pytest.mark.provokes("409")
def test_a_first_run_that_is_refused_says_why_and_can_be_begun_again(page: Page):
    page.route(re.compile("dash_renderer"), lambda _: None)
    page.route(
        re.compile("/runs$"),
        lambda route: route.fulfill(status=409, json={"words": "The queue is full."}),
        times=1,
    )
    page.goto("/")
    begin = page.get_by_role("button", name=BEGIN)
    begin.click()
    caption = page.locator('.welcome [data-part="caption"]')
    expect(caption).to_have_text("The queue is full.")
    begin.click()
    expect(page.locator("[data-run][data-sequence]")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("size", ["phone", "double zoom"])
def test_a_small_screen_has_the_picture_and_below_it_the_inspector(page: Page, size: str):
    page.set_viewport_size(SIZES[size])
    studio = StudioPage(page)
    studio.choose_sample("Iris")
    studio.choose_method("LDA")
    studio.run_button.click()
    expect(studio.panels).to_have_count(1)
    panel = studio.panel(0)
    expect(panel.part("plot")).to_be_in_viewport()  # Run leads to the picture
    panel.expect_end()
    assert page.evaluate(OVERHANG) <= 0
    assert panel.part("plot").evaluate("el => el.clientHeight") >= 0.4 * SIZES[size]["height"]
    heading = page.get_by_role("heading", name="What tells them apart")
    heading.scroll_into_view_if_needed()
    expect(heading).to_be_in_viewport()
    assert page.evaluate(OVERHANG) <= 0
    studio.open_actions()
    for name in ("Share", "Help", "Light or dark mode"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_role("menuitem", name="Program and data").click()
    expect(page.get_by_role("dialog", name="Program and data")).to_be_visible()


@pytest.mark.slow
def test_a_phone_compares_pictures_and_numbers(page: Page):
    page.set_viewport_size(SIZES["phone"])
    studio = StudioPage(page)
    page.get_by_role("button", name=BEGIN).click()
    expect(studio.panels).to_have_count(1)
    studio.panel(0).expect_end()
    studio.show("Compare")
    expect(studio.panels.first).to_be_in_viewport()
    expect(page.locator("[data-shows-run]")).to_be_in_viewport()
    numbers = page.get_by_role("table", name="Scores of the runs")
    numbers.scroll_into_view_if_needed()
    expect(numbers).to_be_in_viewport()
    assert page.evaluate(OVERHANG) <= 0
    studio.show("Present")
    expect(studio.panel(0).part("plot")).to_be_in_viewport()


@pytest.mark.slow
def test_the_picture_keeps_its_colors_where_the_system_forces_its_own(page: Page):
    page.emulate_media(forced_colors="active")
    studio = StudioPage(page)
    panel = studio.run("PCA")
    panel.expect_end()
    shot = panel.part("plot").locator("..").screenshot()
    picture = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), dtype=float).reshape(-1, 3)
    for color in THEMES[Scheme.LIGHT].class_colors[: len(WINES)]:
        distances = np.linalg.norm(picture - ImageColor.getrgb(color), axis=1)
        assert distances.min() < NEARLY_EQUAL, color


@pytest.mark.slow
def test_gamma_is_typed_slid_and_left_to_the_method(page: Page):
    studio = StudioPage(page)
    field = page.get_by_role("textbox", name="Kernel width γ")
    slider = page.get_by_role("slider", name="Kernel width γ")
    auto = page.get_by_role("button", name="Let the method choose γ")
    field.fill("2.5")
    expect(slider).to_have_attribute("aria-valuetext", "γ 2.5")
    slider.press("PageDown")
    expect(field).to_have_value("1.58")
    auto.click()
    expect(auto).to_have_attribute("aria-pressed", "true")
    slider.press("ArrowUp")
    expect(auto).to_have_attribute("aria-pressed", "false")
    studio.choose_method("PCA")
    expect(auto).to_be_hidden()
    expect(field).to_be_hidden()


@pytest.mark.slow
def test_a_run_on_other_data_is_found_in_the_menu(page: Page):
    studio = StudioPage(page)
    studio.choose_sample("Iris")
    older = studio.run("PCA")
    newer = studio.run("LDA")
    newer.expect_end()
    studio.choose_sample("Wine")
    expect(studio.panels).to_have_count(0)
    studio.open_sheet()
    page.get_by_role("button", name="Recent", exact=True).click()
    page.get_by_role("menuitem", name=re.compile("^PCA")).click()
    expect(studio.data_name).to_have_text("Iris")
    expect(older.node).to_be_visible()
    expect(newer.node).to_be_hidden()


@pytest.mark.slow
def test_control_and_enter_start_a_run(page: Page):
    studio = StudioPage(page)
    studio.choose_method("PCA")
    page.keyboard.press("Control+Enter")
    expect(studio.panels).to_have_count(1)
