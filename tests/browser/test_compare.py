"""Runs side by side: started together, told apart in tables, seen through the same rows."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from lab.driver.page import NOTE_TEXTS, Panel, StudioPage
from melm_studio.layout import ids
from melm_studio.planes.figure import PlaneTrace

A_ROW = 7
N_STARTS = 500  # of the digits, which take minutes
POINTS = (PlaneTrace.TRAIN, PlaneTrace.HELD_OUT)


def meet(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two boxes overlap."""
    across = one["left"] < other["right"] and other["left"] < one["right"]
    return across and one["top"] < other["bottom"] and other["top"] < one["bottom"]


# Scrolls to the last panel at once. Returns, of the first frame in which it is seen, the number of
# the plane in its picture, what its slider says, and whether its picture is not blank.
LEAP = """async (node) => {
  const place = node.closest("#panels");
  place.scrollTop = place.scrollHeight;
  await new Promise(requestAnimationFrame);
  const canvas = node.querySelector('[data-part="motion"]');
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const slider = node.querySelector('[aria-label="History of the run"]');
  const said = slider.getAttribute("aria-valuetext");
  return [Number(node.dataset.sequence) + 1, said, data.some(Boolean)];
}"""
# Scrolls back to the first, and waits until the page knows what is in sight.
BACK = """async (node) => {
  node.closest("#panels").scrollTop = 0;
  for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame);
}"""


ABOVE_THE_PICTURE = """(node) =>
  node.querySelector(".plot").getBoundingClientRect().top - node.getBoundingClientRect().top"""


@pytest.fixture
def wines(page: Page) -> StudioPage:
    """The page in Compare, with the wines."""
    page.add_init_script(NOTE_TEXTS)
    studio = StudioPage(page)
    page.locator(f"#{ids.MODE}").get_by_text("Compare").click()
    return studio


@pytest.fixture
def pair(wines: StudioPage) -> tuple[Panel, Panel]:
    """Finished runs of LDA and PCA side by side."""
    pair = wines.run("LDA"), wines.run("PCA")
    for panel in pair:
        panel.expect_end()
    return pair


def n_faint(panel: Panel) -> int:
    """How many rows are not selected, where some are."""
    drawn = [trace for trace in panel.traces if trace["kind"] in POINTS]
    return sum(
        len(trace["x"]) - len(trace["selectedpoints"])
        for trace in drawn
        if trace.get("selectedpoints") is not None
    )


def trace_of(panel: Panel, kind: str) -> dict[str, Any]:
    (trace,) = (trace for trace in panel.traces if trace["kind"] == kind)
    return trace


def rings(panel: Panel, kind: str) -> Locator:
    return panel.node.locator(f".ring.is-{kind}")


def middle(mark: Locator) -> tuple[float, float]:
    box = mark.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def angle_of(panel: Panel) -> list[float]:
    """Where the arrows of the panel point."""
    return list(trace_of(panel, PlaneTrace.ARROW_HEADS)["marker"]["angle"])


@pytest.mark.slow
def test_several_runs_start_together_and_their_figures_are_compared(page: Page, wines: StudioPage):
    wines.choose_methods("LDA", "PCA")
    wines.show_settings()
    page.get_by_role("switch", name="With and without standardization").click()
    wines.run_button.click()
    expect(wines.panels).to_have_count(4)
    for position in range(4):
        wines.panel(position).expect_end()

    rows = page.get_by_role("table", name="Scores of the runs").locator("tbody")
    expect(rows).to_have_count(4)
    expect(rows.nth(1)).to_contain_text("not standardized")
    head = page.get_by_role("button", name="Sort by Divergence, training")
    head.click()
    expect(head.locator("..")).to_have_attribute("aria-sort", "descending")
    shown = [row.locator("td").first.inner_text() for row in rows.all()]
    assert shown == sorted(shown, key=float, reverse=True)
    head.click()
    expect(head.locator("..")).to_have_attribute("aria-sort", "ascending")
    expect(rows.first.locator("td").first).to_have_text(min(shown, key=float))


@pytest.mark.slow
def test_pictures_stand_two_by_two_beside_the_table_which_follows_runs_and_checks(
    page: Page, wines: StudioPage
):
    page.set_viewport_size({"width": 1440, "height": 900})
    wines.hold_out(25)
    panels = [wines.run(method) for method in ("PCA", "LDA", "PLS-DA")]
    for panel in panels:
        panel.expect_end()
    boxes = [panel.part("plot").bounding_box() for panel in panels]
    for box in boxes:
        assert box is not None
        assert (box["width"], box["height"]) > (480, 250)
    assert boxes[0]["y"] == boxes[1]["y"] < boxes[2]["y"]
    expect(panels[0].part("moves")).to_be_hidden()  # it would lie over the title of the axis
    shares = page.locator("[data-shows-run]")
    expect(shares).to_have_count(3)
    shares.nth(1).uncheck()
    expect(panels[1].node).to_be_hidden()
    shares.nth(1).check()
    expect(panels[1].node).to_be_visible()
    rows = page.get_by_role("table", name="Scores of the runs").locator("tbody")
    expect(rows).to_have_count(3)
    expect(rows.nth(2)).to_be_in_viewport()
    held_out = rows.nth(2).locator("td").nth(3)
    expect(held_out).to_have_text(re.compile(r"^[01]\.\d\d$"))
    page.get_by_role("button", name="Test all").click()
    for row in rows.all():
        expect(row.locator("td").nth(4)).not_to_be_empty()
    panels[2].part("remove").click()
    expect(rows).to_have_count(2)


@pytest.mark.slow
def test_a_picture_stays_where_it_is_when_its_run_ends(page: Page, wines: StudioPage):
    wines.choose_sample("Digits")
    for method in ("PCA", "LDA"):
        wines.run(method).expect_end()
    last = wines.run("MELM", n_init=N_STARTS)
    last.expect_a_plane()
    running = places_in_panel(page, last)
    last.stop.click()
    last.expect_end("cancelled")
    assert places_in_panel(page, last) == running


def places_in_panel(page: Page, panel: Panel) -> list[float]:
    """How far below the top of the panel its picture begins, in several sizes of the page."""
    places = []
    for width, height in ((1440, 900), (1280, 720), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        places.append(float(panel.node.evaluate(ABOVE_THE_PICTURE)))
    return places


@pytest.mark.slow
def test_a_picture_out_of_sight_is_not_painted_until_it_is_about_to_be_seen_or_printed(
    page: Page, wines: StudioPage
):
    page.set_viewport_size({"width": 1100, "height": 800})  # two beside each other
    wines.choose_sample("Digits")
    for method in ("PCA", "LDA", "PLS-DA", "Class PCA"):
        wines.run(method).expect_end()
    last = wines.run("MELM", n_init=N_STARTS)
    last.node.evaluate(LEAP)
    last.expect_a_plane()
    last.node.evaluate(BACK)

    painted, words = last.sequence, last.part("words")
    for _ in range(2):
        expect(words).not_to_have_text(words.inner_text())  # its news go on, a bit later
    assert last.sequence == painted
    at, said, has_picture = last.node.evaluate(LEAP)
    assert at > painted + 1
    assert said.startswith(f"plane {at} of ")
    assert has_picture

    last.node.evaluate(BACK)
    painted = last.sequence
    expect(words).not_to_have_text(words.inner_text())
    assert last.sequence == painted
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert last.sequence > painted
    last.node.evaluate(LEAP)
    last.stop.click()
    last.expect_end("cancelled")


@pytest.mark.slow
def test_a_row_is_ringed_in_every_panel_while_pointed_at_and_when_marked(
    page: Page, pair: tuple[Panel, Panel]
):
    left, right = pair
    page.mouse.move(*left.place_of(A_ROW))
    for panel in pair:
        expect(rings(panel, "hovered")).to_be_visible()
        ring = middle(rings(panel, "hovered"))
        assert ring == pytest.approx(panel.place_of(A_ROW), abs=1.5)
    page.mouse.move(5, 5)
    expect(rings(right, "hovered")).to_be_hidden()

    marks = page.get_by_role("button", name=re.compile(r"^Mark row \d+$"))
    expect(marks).to_have_count(3)
    marks.first.click()
    expect(marks.first).to_have_attribute("aria-pressed", "true")
    for panel in pair:
        expect(rings(panel, "marked")).to_be_visible()
    marks.first.click()
    expect(rings(left, "marked")).to_be_hidden()


@pytest.mark.slow
def test_two_that_are_ticked_have_an_angle_and_a_morph(page: Page, wines: StudioPage):
    for method in ("LDA", "PCA", "PLS-DA"):
        wines.run(method).expect_end()
    differ = page.get_by_role("heading", name="LDA and PLS-DA")
    expect(page.locator(f"#{ids.PAIR}")).to_be_empty()
    page.get_by_role("checkbox", name="PCA").uncheck()
    expect(differ).to_be_visible()
    expect(page.locator(f"#{ids.PAIR}")).to_contain_text("° apart. Rows ")
    numbers = page.get_by_role("table", name="Scores of the runs")
    assert numbers.evaluate("(node) => node.offsetWidth <= node.parentNode.clientWidth")
    page.get_by_role("button", name="Morph").click()
    expect(page.locator("body")).to_have_attribute("data-mode", "present")
    expect(page.locator(".panel.is-front")).to_have_attribute("aria-label", re.compile("^LDA"))
    expect(page.get_by_role("slider", name="Share of the way")).to_have_value("100")


@pytest.mark.slow
def test_rows_selected_in_one_panel_stand_out_in_all_until_cleared(
    page: Page, wines: StudioPage, pair: tuple[Panel, Panel]
):
    left, right = pair
    page.locator("details.view summary").click()
    page.get_by_role("group", name="Drag mode").get_by_label("Box").click()
    left.point_at()
    x, y = left.place_of(A_ROW)
    page.mouse.move(x - 15, y - 15)
    page.mouse.down()
    page.mouse.move(x + 15, y + 15, steps=4)
    page.mouse.up()
    said = page.locator(f"#{ids.BRUSHED}")
    expect(said).to_contain_text(re.compile(r"^[1-9]\d* rows? selected: [1-9]"))
    expect(left.node.locator(".outline")).to_have_count(0)
    for panel in pair:
        wines.wait_until(lambda panel=panel: n_faint(panel) > 0, "the other rows are faint")
    wines.toggle("Contours")  # which paints anew
    assert n_faint(left) == n_faint(right) > 0
    page.get_by_role("button", name="Clear").click()
    expect(said).to_be_hidden()
    wines.wait_until(lambda: n_faint(right) == 0, "all rows stand out again")


@pytest.mark.slow
def test_classes_can_be_shown_alone(page: Page, wines: StudioPage, pair: tuple[Panel, Panel]):
    wines.open_sheet()
    one = wines.summary.get_by_role("button", name="Barolo")
    one.click()
    expect(one).to_have_attribute("aria-pressed", "true")
    said = page.locator(f"#{ids.ISOLATED}")
    expect(said).to_contain_text("Only Barolo is shown")
    for panel in pair:
        contours = [trace for trace in panel.traces if trace["kind"] == PlaneTrace.CONTOUR]
        assert len(contours) == 3  # a region for each share of the class
    wines.close_sheet()
    page.get_by_role("button", name="Show all classes").click()
    expect(said).to_be_hidden()
    wines.open_sheet()
    expect(one).to_have_attribute("aria-pressed", "false")


@pytest.mark.slow
def test_the_panel_that_the_others_turn_to_can_be_chosen(
    wines: StudioPage, pair: tuple[Panel, Panel]
):
    left, right = pair
    anchors = [panel.node.get_by_role("button", name="Align the other") for panel in pair]
    expect(anchors[0]).to_have_attribute("aria-pressed", "true")
    before = [angle_of(panel) for panel in pair]
    anchors[1].click()
    expect(anchors[1]).to_have_attribute("aria-pressed", "true")
    expect(anchors[0]).to_have_attribute("aria-pressed", "false")
    wines.wait_until(lambda: angle_of(right) != before[1], "the chosen one lies as it was found")
    wines.wait_until(lambda: angle_of(left) != before[0], "the other follows it")


@pytest.mark.slow
def test_no_name_of_a_feature_is_cut_in_a_small_panel(page: Page, wines: StudioPage):
    page.set_viewport_size({"width": 1440, "height": 900})
    panels = [wines.run(method) for method in ("LDA", "PCA", "ICA", "Factor analysis")]
    for panel in panels:
        panel.expect_end()
    for panel in panels:
        box = panel.part("motion").bounding_box()
        assert box is not None
        assert len(panel.names) > 3
        for name in panel.names:
            assert name["left"] >= 0, name
            assert name["right"] <= box["width"], name


@pytest.mark.slow
def test_no_two_names_meet_and_every_arrow_has_one(page: Page, wines: StudioPage):
    wines.run("LDA").expect_end()
    panel = wines.run("PCA")
    panel.expect_end()
    assert len(panel.names) > 3
    assert not [pair for pair in combinations(panel.names, 2) if meet(*pair)]
    heads = trace_of(panel, PlaneTrace.ARROW_HEADS)
    assert len(heads["x"]) == sum(1 for name in heads["text"] if name) > 3
