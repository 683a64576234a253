"""A report is saved from a run and from a comparison, and opens without the studio."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Download, Page, expect

from lab.driver.page import StudioPage


def opened(page: Page, saved: Download, folder: Path) -> Page:
    """The saved file in place of the studio, without a network."""
    path = folder / saved.suggested_filename
    saved.save_as(path)
    page.goto("about:blank")  # the studio asks for frames as long as it is open
    page.context.set_offline(True)
    page.goto(path.as_uri())
    return page


@pytest.mark.slow
def test_a_report_of_a_run_opens_by_itself(page: Page, tmp_path: Path):
    studio = StudioPage(page)
    studio.hold_out(20)
    panel = studio.run("LDA")
    panel.expect_end()
    report = opened(page, panel.download("Report"), tmp_path)
    expect(report.get_by_role("heading", name="LDA").first).to_be_visible()
    picture = report.get_by_role("img")
    assert picture.evaluate("image => image.complete && image.naturalWidth > 100")
    expect(report.get_by_text("of held-out rows are told apart (guessing: 33 %")).to_be_visible()
    assert report.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert report.pdf().startswith(b"%PDF")


@pytest.mark.slow
def test_a_report_of_a_comparison_holds_all_runs(page: Page, tmp_path: Path):
    studio = StudioPage(page)
    for method in ("LDA", "PCA"):
        studio.run(method).expect_end()
    studio.show("Compare")
    with page.expect_download() as waiting:
        studio.share("Report")
    report = opened(page, waiting.value, tmp_path)
    expect(report.get_by_role("img")).to_have_count(3)
    expect(report.get_by_role("table", name="Angles between the planes")).to_be_visible()
