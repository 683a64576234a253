"""A figure for print, made in its dialog."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from lab.driver.page import StudioPage
from melm_studio.layout import ids


@pytest.fixture
def dialog(page: Page) -> Locator:
    return page.locator(f"#{ids.FIGURE}")


def finished(page: Page, *methods: str) -> StudioPage:
    studio = StudioPage(page)
    studio.hold_out(20)
    for method in methods:
        studio.run(method).expect_end()
    return studio


def open_dialog(studio: StudioPage) -> None:
    studio.page.locator("[data-figure-of]").first.dispatch_event("click")


def preview(dialog: Locator) -> str:
    """The address of the preview, once it shows the form."""
    image = dialog.get_by_role("img", name="Preview of the figure")
    expect(image).to_have_attribute("data-state", "drawn")
    return image.get_attribute("src") or ""


def saved(dialog: Locator, file_format: str, folder: Path) -> bytes:
    dialog.get_by_label("Format").select_option(file_format)
    with dialog.page.expect_download() as waiting:
        dialog.get_by_role("button", name="Save figure").click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    assert path.suffix == f".{file_format}"
    return path.read_bytes()


@pytest.mark.slow
def test_a_run_is_saved_as_a_figure_of_one_column(page: Page, dialog: Locator, tmp_path: Path):
    open_dialog(finished(page, "LDA"))
    first = preview(dialog)
    expect(dialog.get_by_label("Width, mm")).to_have_value("85")
    dialog.get_by_label("Legend").select_option("right")
    expect(dialog.get_by_role("img")).not_to_have_attribute("src", first)
    svg = saved(dialog, "svg", tmp_path).decode()
    assert 'width="240.9' in svg  # 85 mm in points
    assert all(f">{name}<" in svg for name in ("Barolo", "Grignolino", "held out"))
    assert saved(dialog, "pdf", tmp_path).startswith(b"%PDF")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


@pytest.mark.slow
def test_sizes_on_offer_set_width_and_height_and_others_are_refused_in_a_sentence(
    page: Page, dialog: Locator, console_errors: list[str]
):
    open_dialog(finished(page, "LDA"))
    preview(dialog)
    size = dialog.get_by_label("Size")
    size.select_option(label="Two columns, 170 mm")
    expect(dialog.get_by_label("Width, mm")).to_have_value("170")
    dialog.get_by_label("Height, mm").fill("90")
    expect(size).to_have_value("")
    dialog.get_by_label("Height, mm").fill("2")
    expect(dialog.get_by_role("status")).to_contain_text("The height in mm must be")
    dialog.get_by_label("Height, mm").fill("80")
    preview(dialog)
    expect(dialog.get_by_role("status")).to_have_text("")
    assert all("/figure" in error for error in console_errors)
    console_errors.clear()


@pytest.mark.slow
def test_runs_are_saved_side_by_side_with_one_legend(page: Page, dialog: Locator, tmp_path: Path):
    studio = finished(page, "LDA", "PCA")
    studio.show("Compare")
    studio.share("Figure for print")
    preview(dialog)
    svg = saved(dialog, "svg", tmp_path).decode()
    assert svg.count(">held out<") == 1
    assert svg.count(">Barolo<") == 3  # in the legend, and on a cloud of each run
    assert svg.count(">Component 2, ") == 2
    dialog.get_by_label("Panels").select_option("one")
    assert saved(dialog, "svg", tmp_path).decode().count(">Component 2, ") == 1


@pytest.mark.slow
def test_an_audience_takes_the_picture_home(page: Page, dialog: Locator):
    studio = finished(page, "LDA")
    studio.show("Present")
    page.get_by_role("button", name="More", exact=True).click()
    page.locator('[data-figure-of="front"]').click()
    preview(dialog)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_dialog_has_no_serious_barrier(page: Page, dialog: Locator, scheme: str):
    page.emulate_media(color_scheme=scheme)
    open_dialog(finished(page, "LDA"))
    preview(dialog)
    dialog.get_by_text("More").click()
    violations = Axe().run(page).response["violations"]
    assert [each["id"] for each in violations if each["impact"] in ("serious", "critical")] == []
