"""Files that arrive, files that cannot be read, and the choice of the label."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from lab.driver.page import StudioPage
from melm_studio.layout import ids

RAGGED = "length,width,kind\n1,2,a\n1,2\n"
RAGGED_SENTENCE = "Row 3 (the first line is row 1) has 2 fields where the header has 3."

# Drops a file on an element as a file manager does.
DROP = """(element, [name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name, { type: "text/csv" }));
  for (const type of ["dragenter", "dragover", "drop"]) {
    element.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  }
}"""

PASTE = """(element, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
}"""


@pytest.fixture
def pots() -> str:
    """Twenty pots with a form and a ware; either could be the label."""
    rows = [
        f"{20 + i * 7 % 11},{30 + i * 5 % 13},{i * 3 % 17},{('bowl', 'jar')[i % 2]},"
        f"{('red', 'grey', 'black')[i % 3]}"
        for i in range(30)
    ]
    return "\n".join(["height,width,weight,form,ware", *rows])


def test_a_dropped_file_becomes_the_data_and_run_waits_for_it(page: Page, pots: str):
    """The page lists runs of the table that it shows alone: that one is listed is the proof."""
    studio, held = StudioPage(page), list[Route]()
    expect(studio.data_size).to_contain_text("rows")
    page.route("**/upload", lambda route: held.append(route))  # noqa: PLW0108 - playwright marks it
    drop(studio, "pots.csv", pots)
    studio.wait_until(lambda: bool(held), "the file is being sent")
    studio.choose_method("LDA")
    studio.run_button.click()
    expect(page.get_by_text("The run begins as soon as the table is there.")).to_be_visible()
    expect(studio.panels).to_have_count(0)
    held[0].continue_()
    expect(studio.data_name).to_have_text("pots")
    expect(studio.data_size).to_contain_text("30 rows")
    expect(studio.panels).to_have_count(1)


@pytest.mark.fault
@pytest.mark.slow
def test_a_file_that_others_are_read_before_is_told_and_then_becomes_the_data(
    page: Page, pots: str
):
    studio, seen = StudioPage(page), []
    expect(studio.data_size).to_contain_text("rows")

    def refuse(route: Route) -> None:
        if seen or f"{ids.DATA_SUMMARY}.children" not in (route.request.post_data or ""):
            route.continue_()
            return
        answer = {"words": "The file will be read after 3 others.", "error": ""}
        route.fulfill(status=503, headers={"Retry-After": "1"}, json=answer)

    page.route(re.compile("/_dash-update-component"), refuse)
    drop(studio, "pots.csv", pots)
    status = page.locator(f"#{ids.DROP_ZONE} [role=status]")
    expect(status).to_have_text("The file will be read after 3 others.")
    seen.append(status)
    expect(studio.data_name).to_have_text("pots")
    expect(status).not_to_contain_text("read after")


@pytest.mark.slow
def test_cells_copied_from_a_spreadsheet_are_pasted(page: Page, pots: str):
    studio = StudioPage(page)
    page.locator("body").evaluate(PASTE, pots.replace(",", "\t"))
    expect(studio.data_name).to_have_text("pasted")
    expect(studio.data_size).to_contain_text("30 rows")


@pytest.mark.slow
def test_the_label_can_be_changed(page: Page, pots: str):
    studio = StudioPage(page)
    drop(studio, "pots.csv", pots)
    studio.open_sheet()
    classes = studio.summary.get_by_role("list", name="Classes").get_by_role("listitem")
    label = page.get_by_role("textbox", name="Label column")
    for column, names in {"form": ("bowl", "jar"), "ware": ("black", "grey", "red")}.items():
        label.click()
        page.get_by_role("option", name=column).click()
        expect(classes).to_have_count(len(names))
        for item, name in zip(classes.all(), names, strict=True):
            expect(item).to_contain_text(name)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["input", "drop"])
def test_a_bad_file_is_explained_and_leaves_data_and_runs_alone(
    page: Page, tmp_path: Path, way: str
):
    """One that is above the limit is not even sent."""
    studio, sent = StudioPage(page), list[str]()
    studio.choose_sample("Wine")
    panel = studio.run("PCA")
    panel.expect_end()
    page.on("request", lambda request: sent.append(request.url))
    zone = page.locator(f"#{ids.DROP_ZONE} label")
    expect(zone).to_have_attribute("title", re.compile("At most 128 MB, 2,000,000 rows"))
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(129 * 2**20)
    studio.file_input.set_input_files(large)
    expect(studio.data_error).to_contain_text(
        "large.csv: The file has 129 MB, and at most 128 MB can be read."
    )
    assert not [url for url in sent if url.endswith("/upload")]
    if way == "drop":
        drop(studio, "ragged.csv", RAGGED)
    else:
        ragged = tmp_path / "ragged.csv"
        ragged.write_text(RAGGED)
        studio.file_input.set_input_files(ragged)
    expect(studio.data_error).to_contain_text(RAGGED_SENTENCE)
    expect(studio.data_error).to_be_visible()
    expect(studio.data_name).to_have_text("Wine")
    expect(panel.node).to_be_visible()


@pytest.mark.slow
def test_a_reload_after_a_bad_file_shows_the_data_that_were_there(page: Page):
    studio = StudioPage(page)
    studio.choose_sample("Iris")
    drop(studio, "ragged.csv", RAGGED)
    expect(studio.data_error).to_contain_text(RAGGED_SENTENCE)
    page.reload()
    expect(studio.data_name).to_have_text("Iris")


@pytest.mark.slow
def test_the_next_good_file_takes_the_complaint_away(page: Page, pots: str):
    studio = StudioPage(page)
    drop(studio, "ragged.csv", RAGGED)
    expect(studio.data_error).to_contain_text(RAGGED_SENTENCE)
    drop(studio, "pots.csv", pots)
    expect(studio.data_name).to_have_text("pots")
    expect(studio.data_error).to_be_empty()


@pytest.mark.slow
def test_starts_are_disabled_with_their_reason_where_a_method_takes_none(page: Page):
    studio = StudioPage(page)
    reason = page.locator(f"#{ids.N_INIT_REASON}")
    studio.choose_method("PCA")
    studio.show_settings()
    expect(studio.starts).to_be_disabled()
    expect(reason).to_have_text("PCA has a unique solution, so it needs no starts.")
    studio.choose_method("MELM")
    expect(studio.starts).to_be_enabled()
    expect(reason).to_be_empty()


def drop(studio: StudioPage, name: str, text: str) -> None:
    studio.page.locator(f"#{ids.DROP_ZONE}").evaluate(DROP, [name, text])
