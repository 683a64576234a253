"""How panels show what they show: linked axes, layers, light and dark."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from lab.driver.page import IN_MOTION, Panel, StudioPage
from melm_studio.planes.figure import PlaneTrace
from melm_studio.planes.theme import THEMES, Scheme

CONTOURS, ARROWS, NAMES = {"contour"}, {"arrow_lines", "arrow_heads"}, {"class_names"}


@pytest.fixture
def pair(wines: StudioPage) -> tuple[Panel, Panel]:
    """Two finished panels whose own axes differ."""
    wines.show("Compare")
    pair = wines.run("LDA"), wines.run("PCA")
    for panel in pair:
        panel.expect_end()
    return pair


@pytest.mark.slow
def test_linked_panels_zoom_together(wines: StudioPage, pair: tuple[Panel, Panel]):
    left, right = pair
    wines.wait_until(lambda: same_axes(left, right), "linked panels begin with the same axes")
    whole = left.axes
    left.zoom()
    wines.wait_until(lambda: width(left.axes) < width(whole), "the wheel zooms")
    wines.wait_until(lambda: same_axes(left, right), "the other panel follows")
    right.point_at()
    right.part("plot").dblclick()
    for panel in pair:
        wines.wait_until(lambda panel=panel: same(panel.axes, whole), "a double click shows all")


# How often the picture of each run is drawn, from now on.
COUNT_PAINTED = """() => {
  window.nPainted = {};
  const count = ({ run }) => (window.nPainted[run] = (window.nPainted[run] ?? 0) + 1);
  addEventListener("panel:painted", ({ target }) => count(target.dataset), true);
}"""
N_PLANES = 20


@pytest.mark.slow
def test_planes_of_a_run_do_not_draw_the_pictures_beside_it_again(wines: StudioPage):
    """Linked axes would else follow every plane a little, and nine pictures be drawn for one."""
    wines.show("Compare")
    still = wines.run("LDA")
    still.expect_end()
    moving = wines.run("MELM", n_init=100)
    wines.page.evaluate(COUNT_PAINTED)

    def n_painted(panel: Panel) -> int:
        return int(wines.page.evaluate("(run) => window.nPainted[run] ?? 0", panel.run_id))

    wines.wait_until(lambda: n_painted(moving) >= N_PLANES, "planes follow each other")
    n_still = n_painted(still)
    assert n_still < N_PLANES / 2
    moving.expect_end()
    wines.wait_until(lambda: same_axes(still, moving), "both are drawn on axes that hold both")


@pytest.mark.slow
def test_a_picture_is_moved_by_hand_and_by_keys_and_no_chart_is_loaded(wines: StudioPage):
    panel = wines.run("LDA")
    panel.expect_end()
    whole = panel.axes
    plot, mouse = panel.part("plot"), wines.page.mouse
    plot.hover(position={"x": 60, "y": 60})
    box = plot.bounding_box()
    assert box is not None
    mouse.down()
    mouse.move(box["x"] + 100, box["y"] + 60, steps=4)
    mouse.up()
    shift = 40 * width(whole) / box["width"]
    wines.wait_until(lambda: panel.axes[0][0] == pytest.approx(whole[0][0] - shift), "it is moved")
    assert width(panel.axes) == pytest.approx(width(whole))
    plot.press("+")
    wines.wait_until(lambda: width(panel.axes) < 0.9 * width(whole), "a key zooms")
    plot.press("0")
    wines.wait_until(lambda: same(panel.axes, whole), "a key shows all")
    assert not wines.page.evaluate("() => 'Plotly' in window")


@pytest.mark.slow
def test_panels_that_are_not_linked_zoom_alone(wines: StudioPage, pair: tuple[Panel, Panel]):
    left, right = pair
    wines.toggle("Linked axes")
    wines.wait_until(lambda: not same_axes(left, right), "each panel takes its own axes")
    expect(wines.page.locator(IN_MOTION)).to_have_count(0)
    whole_left, whole_right = left.axes, right.axes
    left.zoom()
    wines.wait_until(lambda: width(left.axes) < width(whole_left), "the wheel zooms")
    right.zoom()
    wines.wait_until(lambda: width(right.axes) < width(whole_right), "the wheel zooms here too")
    zoomed = left.axes
    right.point_at()
    right.part("plot").dblclick()
    wines.wait_until(lambda: same(right.axes, whole_right), "a double click shows all")
    assert same(left.axes, zoomed)


@pytest.mark.slow
def test_contours_and_arrows_can_be_hidden(wines: StudioPage):
    panel = wines.run("LDA")
    panel.expect_end()

    def expect_drawn(shown: set[str], hidden: set[str]) -> None:
        def is_so() -> bool:
            drawn = {trace["kind"] for trace in panel.traces}
            return {"train"} | shown <= drawn and not drawn & hidden

        wines.wait_until(is_so, f"{shown} are drawn, {hidden} are not")

    expect_drawn(CONTOURS | ARROWS | NAMES, set())
    wines.toggle("Class names")
    wines.toggle("Contours")
    expect_drawn(ARROWS, CONTOURS | NAMES | {"fitted_outline"})
    wines.toggle("Arrows")
    expect_drawn(set(), CONTOURS | ARROWS | NAMES | {"faint_arrows"})
    wines.toggle("Contours")
    expect_drawn(CONTOURS, ARROWS | NAMES)


@pytest.mark.slow
def test_dark_and_light_change_the_colors_of_the_figure(wines: StudioPage):
    panel = wines.run("LDA")
    panel.expect_end()
    toggle = wines.page.get_by_role("button", name="Light or dark mode")
    for scheme in (Scheme.LIGHT, Scheme.DARK, Scheme.LIGHT):
        wines.wait_until(
            lambda scheme=scheme: color_of(panel) == THEMES[scheme].class_colors[0], scheme
        )
        toggle.click()


def same_axes(left: Panel, right: Panel) -> bool:
    return same(left.axes, right.axes)


def same(some: list[list[float]], others: list[list[float]]) -> bool:
    return all(ours == pytest.approx(theirs) for ours, theirs in zip(some, others, strict=True))


def width(axes: list[list[float]]) -> float:
    low, high = axes[0]
    return high - low


def color_of(panel: Panel) -> str:
    """The color of the first class on screen, as #rrggbb."""
    first = next(trace for trace in panel.traces if trace["kind"] == PlaneTrace.TRAIN)
    red, green, blue = re.findall(r"\d+", first["marker"]["color"])[:3]
    return f"#{int(red):02x}{int(green):02x}{int(blue):02x}"
