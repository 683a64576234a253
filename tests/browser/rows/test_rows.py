"""Tasks with rows: name an outlier, leave it out and run again, place a second file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page, Route, expect

from lab.driver.page import Panel, StudioPage, wait_until
from melm_studio.planes.figure import PlaneTrace
from melm_studio.tables import load_sample
from tests.browser.test_axe import barriers

OUTLIER = 17
POINTS = (PlaneTrace.TRAIN, PlaneTrace.HELD_OUT)


def wine() -> pd.DataFrame:
    """Wine with names, and a row far from all others."""
    table = load_sample("wine").frame.copy()
    table.insert(0, "bottle", [f"bottle {i + 1:03}" for i in range(len(table))])
    table.loc[OUTLIER - 1, "alcohol"] = 60.0
    return table


def marks_of_new_rows(panel: Panel) -> Counter[str]:
    """How many new rows are drawn by each symbol."""
    drawn = [trace for trace in panel.traces if trace["kind"] == "new_rows"]
    return Counter(symbol for trace in drawn for symbol in trace["marker"]["symbol"])


def n_colors_of_points(panel: Panel) -> int:
    colors = [trace["marker"]["color"] for trace in panel.traces if trace["kind"] in POINTS]
    return len({one for each in colors for one in ([each] if isinstance(each, str) else each)})


@pytest.fixture
def studio_page(page: Page, tmp_path: Path) -> StudioPage:
    """A page that shows wine with one outlier."""
    studio = StudioPage(page)
    file = tmp_path / "bottles.csv"
    wine().to_csv(file, index=False)
    studio.upload(file)
    return studio


@pytest.fixture
def finished(studio_page: StudioPage) -> Panel:
    """A finished PCA run, of which some rows are new."""
    studio_page.hold_out(25)
    panel = studio_page.run("PCA")
    panel.expect_end()
    panel.inspect("Rows")
    return panel


@pytest.mark.slow
def test_an_outlier_is_named_and_left_out(finished: Panel, page: Page) -> None:
    finished.part("find-outliers").click()
    first = finished.part("selected-rows").get_by_role("button").filter(has_text="bottle 017")
    expect(first).to_contain_text("unlike")
    expect(finished.part("differences")).to_contain_text("alcohol")
    finished.part("leave-out").click()
    again = page.locator('.panel.is-front[data-edits$="left out"]')
    expect(again).to_have_attribute("data-state", "done")
    expect(again.locator('[data-part="title"]')).to_contain_text("left out")
    again.locator('[data-part="put-back"]').click()
    expect(finished.node).to_have_class(re.compile(r"\bis-front\b"))


@pytest.mark.slow
def test_the_row_under_the_pointer_is_described(finished: Panel, page: Page) -> None:
    x, y = finished.place_of(30)
    page.mouse.move(x + 40, y + 40)
    page.mouse.move(x, y)
    card = finished.node.get_by_role("tooltip")
    expect(card).to_contain_text("bottle 030")
    expect(card).to_contain_text("SD")
    page.mouse.move(1, 1)
    expect(card).to_be_hidden()


@pytest.mark.slow
def test_a_row_is_found_by_its_name(finished: Panel) -> None:
    field = finished.node.get_by_label("Find rows by name, number or text")
    field.fill("bottle 042")
    field.press("Enter")
    expect(finished.part("selected-rows").get_by_role("listitem")).to_have_count(1)
    expect(finished.part("selected-rows")).to_contain_text("bottle 042")
    finished.part("clear-rows").click()
    expect(field).to_be_visible()


@pytest.mark.slow
def test_rows_that_were_selected_before_are_not_listed_late(finished: Panel, page: Page) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    def find(name: str) -> None:
        n = len(held)
        field = finished.node.get_by_label("Find rows by name, number or text")
        field.fill(name)
        field.press("Enter")
        wait_until(page, lambda: len(held) > n, f"{name} is asked for")

    page.route(re.compile(r"/planes/\d+/rows\?"), hold)
    find("bottle 042")
    finished.part("clear-rows").click()
    find("bottle 043")
    held[1].continue_()
    expect(finished.part("selected-rows")).to_contain_text("bottle 043")
    with page.expect_event("requestfinished", lambda request: request == held[0].request):
        held[0].continue_()
    page.evaluate("() => new Promise((resolve) => setTimeout(resolve))")
    expect(finished.part("selected-rows")).to_contain_text("bottle 043")


@pytest.mark.slow
def test_a_selection_is_saved(finished: Panel, page: Page) -> None:
    finished.part("find-outliers").click()
    expect(finished.part("selected-rows")).to_contain_text("bottle 017")
    with page.expect_download() as waiting:
        finished.part("row-actions").click()
        page.get_by_role("menuitem", name="Save as CSV").click()
    table = pd.read_csv(waiting.value.path())
    assert f"bottle {OUTLIER:03}" in table["name"].tolist()


@pytest.mark.slow
def test_suspect_labels_are_found_in_the_background(finished: Panel) -> None:
    finished.part("find-suspects").click()
    expect(finished.part("found-words")).to_contain_text("judged by planes fitted without")


@pytest.mark.slow
def test_rows_are_found_another_way_while_some_are_selected(finished: Panel) -> None:
    rows = finished.inspect("Rows")
    rows.get_by_role("button", name="Outliers").click()
    expect(finished.part("selected-rows")).to_contain_text("bottle")
    expect(rows.get_by_role("button", name="Suspect labels")).to_be_visible()
    field = rows.get_by_label("Find rows by name, number or text")
    field.fill("bottle 042")
    field.press("Enter")
    expect(finished.part("selected-rows").get_by_role("button")).to_have_text([re.compile("042")])


@pytest.fixture
def add_rows(finished: Panel, page: Page, tmp_path: Path) -> Callable[[pd.DataFrame], None]:
    def add(table: pd.DataFrame) -> None:
        file = tmp_path / "second.csv"
        table.to_csv(file, index=False)
        with page.expect_file_chooser() as chooser:
            finished.open_door("Rows from a file…", "New rows")
        chooser.value.set_files(file)

    return add


@pytest.mark.slow
def test_a_second_file_is_placed_in_the_plane(finished: Panel, add_rows, page: Page) -> None:
    add_rows(wine().iloc[10:30])
    expect(finished.part("new-headline")).to_contain_text("20 labeled new rows")
    expect(finished.part("new-list").get_by_role("listitem")).to_have_count(20)
    marks = marks_of_new_rows(finished)
    assert marks.total() == 20
    assert marks["x"] >= 1
    finished.part("new-remove").click()
    expect(finished.part("new-rows")).to_be_hidden()
    assert marks_of_new_rows(finished) == Counter()


@pytest.mark.slow
def test_rows_are_pasted_into_a_field_where_the_clipboard_may_not_be_read(
    finished: Panel, page: Page
) -> None:
    page.evaluate("() => Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    tab = finished.inspect("New rows")
    tab.get_by_role("button", name="Paste rows").click()
    field = tab.get_by_label("Rows with their header")
    expect(field).to_be_focused()
    field.evaluate(
        """(field, text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
        }""",
        wine().iloc[10:30].to_csv(index=False),
    )
    expect(finished.part("new-headline")).to_contain_text("20 labeled new rows")
    expect(field).to_be_hidden()


@pytest.mark.slow
def test_a_column_in_another_unit_is_multiplied_by_a_button_above_the_rows(
    finished: Panel, add_rows
) -> None:
    rows = wine().iloc[20:40]
    add_rows(rows.assign(proline=rows["proline"] / 1000))
    expect(finished.part("new-headline")).to_contain_text("second.csv: ")
    multiply = finished.part("new-rows").get_by_role("button", name="Multiply by 1,000")
    first = finished.part("new-list").get_by_role("listitem").first
    assert multiply.bounding_box()["y"] < first.bounding_box()["y"]
    multiply.click()
    expect(finished.part("new-notes")).to_contain_text("proline was multiplied by 1,000")
    expect(multiply).to_be_hidden()


@pytest.mark.slow
def test_a_file_without_the_columns_is_refused_in_a_sentence(
    add_rows, page: Page, console_errors: list[str]
) -> None:
    add_rows(wine()[["bottle", "alcohol"]])
    expect(page.locator("#notice")).to_contain_text('The table lacks "malic_acid", ')
    console_errors.clear()  # the refusal


@pytest.mark.slow
def test_new_rows_are_placed_in_every_panel_of_compare(
    finished: Panel, add_rows, studio_page: StudioPage
) -> None:
    add_rows(wine().iloc[10:30])
    expect(finished.part("new-headline")).to_contain_text("20 labeled new rows")
    other = studio_page.run("LDA")
    other.expect_end()
    studio_page.show("Compare")
    for panel in (finished, other):
        expect(panel.node.locator(".new-rows-line")).to_contain_text("20 labeled new rows")


@pytest.mark.slow
def test_cards_and_legend_have_no_serious_barrier(finished: Panel, add_rows, page: Page) -> None:
    add_rows(wine().iloc[10:30])
    expect(finished.part("new-headline")).to_contain_text("20 labeled new rows")
    finished.inspect("Rows")
    finished.part("find-outliers").click()
    expect(finished.part("selected-rows")).to_contain_text("bottle 017")
    finished.node.get_by_role("button", name="Color and shape by a column").click()
    finished.part("color-by").select_option("cultivar")
    expect(finished.node.locator(".mark-legend")).to_contain_text("Barolo")
    assert not barriers(page)


FARTHEST = """(plot) => [...plot.querySelectorAll(".scatterlayer .point")]
  .map((point) => point.getBoundingClientRect())
  .map(({ x, y, width, height }) => [x + width / 2, y + height / 2])
  .sort((one, other) => one[1] - other[1])[0]"""


@pytest.mark.slow
def test_a_row_far_from_the_plane_is_selected_and_explained(finished: Panel, page: Page) -> None:
    expect(finished.part("show-distances")).to_be_hidden()
    finished.part("find-outliers").click()
    opened = finished.open_door("T² and Q of every row", "Rows")
    plot = opened.locator('[data-kept="plot"]')
    expect(plot.locator(".scatterlayer .point").first).to_be_visible()
    place = plot.evaluate(FARTHEST)
    page.mouse.move(*place)
    expect(plot.locator(".hoverlayer .hovertext").first).to_be_visible()
    page.mouse.click(*place)
    expect(opened.get_by_role("status").last).to_contain_text("What moves bottle 017")
    expect(opened.locator('[data-kept="contributions"]')).to_contain_text("alcohol")
    choice = opened.get_by_role("combobox", name="Row, farthest first")
    choice.focus()
    page.keyboard.press("Home")
    farthest = choice.locator("option").nth(1).inner_text()
    expect(plot.locator(".annotation-text")).to_have_text(farthest)
    page.keyboard.press("ArrowDown")
    second = choice.locator("option").nth(2).inner_text()
    expect(plot.locator(".annotation-text")).to_have_text(second)
    expect(finished.part("selection-words")).to_contain_text("1 row")


@pytest.mark.slow
def test_points_are_colored_by_another_column(finished: Panel, page: Page) -> None:
    assert n_colors_of_points(finished) <= 6
    finished.node.get_by_role("button", name="Color and shape by a column").click()
    finished.part("color-by").select_option("proline")
    legend = finished.node.locator(".mark-legend")
    expect(legend).to_contain_text("proline")
    wait_until(
        page, lambda: n_colors_of_points(finished) > 50, "the points have the colors of the column"
    )
    finished.part("color-by").select_option("cultivar")
    page.keyboard.press("Escape")
    legend.get_by_role("button", name="Barolo").click()
    expect(finished.part("selection-words")).to_contain_text("59 rows")


DROP = """(picture, text) => {
  const data = new DataTransfer();
  data.items.add(new File([text], "dropped.csv", { type: "text/csv" }));
  for (const type of ["dragenter", "dragover", "drop"]) {
    picture.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true }));
  }
}"""


@pytest.mark.slow
def test_a_file_dropped_on_a_picture_is_placed_and_the_data_stay(
    finished: Panel, studio_page: StudioPage
) -> None:
    text = wine().iloc[:12].to_csv(index=False)
    finished.node.locator(".picture").evaluate(DROP, text)
    expect(finished.part("new-headline")).to_contain_text("12 labeled new rows")
    expect(studio_page.panels).to_have_count(1)
