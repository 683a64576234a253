"""A workbook whose rows are chosen and whose columns are prepared, and a link to its picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from lab.driver.page import StudioPage, share_by

N_ROWS = 60


def pots() -> pd.DataFrame:
    """Pots from three sites, of positive sizes."""
    rng = np.random.default_rng(0)
    ware = np.arange(N_ROWS) % 2
    return pd.DataFrame(
        {
            "height": (rng.normal(size=N_ROWS) + ware + 20).round(3),
            "width": (rng.normal(size=N_ROWS) + 30).round(3),
            "weight": rng.lognormal(size=N_ROWS).round(3),
            "site": np.array(["Aswan", "Byblos", "Corinth"])[np.arange(N_ROWS) // 20],
            "ware": np.array(["grey", "red"])[ware],
        }
    )


@pytest.mark.slow
def test_rows_steps_and_colors_reach_the_run_and_whoever_opens_its_link(
    page: Page, new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    file = tmp_path / "pots.xlsx"
    pots().to_excel(file, index=False)
    studio = StudioPage(page)
    studio.upload(file)
    studio.open_sheet()
    page.get_by_role("button", name="Columns").click()
    dialog = page.get_by_role("dialog", name="Columns and classes of the table")
    keep_rows(dialog)
    add_step(dialog)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(studio.data_size).to_contain_text("40 rows")

    panel = studio.run("LDA")
    panel.expect_end()
    title = panel.part("title").inner_text()
    assert "without site Byblos" in title
    assert "log" in title
    panel.node.get_by_role("button", name="Color and shape by a column").click()
    panel.part("color-by").select_option("weight")
    legend = panel.node.locator(".mark-legend")
    expect(legend).to_contain_text("weight")
    colors = legend.inner_text()
    page.keyboard.press("Escape")
    share_by(panel.node.page, "Copy link")
    expect(page.locator("#notice")).to_contain_text("address bar")

    other = new_context().new_page()
    other.goto(page.url)
    other.get_by_label("Table file").set_input_files(file)
    expect(other.locator("#notice")).to_contain_text("Reproduced")
    expect(other.locator('[data-run] [data-part="title"]')).to_have_text(title)
    expect(other.locator(".mark-legend")).to_have_text(colors, use_inner_text=True)


def keep_rows(dialog: Locator) -> None:
    page = dialog.page
    dialog.get_by_role("tab", name="Rows").click()
    expect(dialog).to_contain_text("60 of 60 rows are used")
    dialog.get_by_role("textbox", name="Choose rows by").click()
    page.get_by_role("option", name="site", exact=True).click()
    dialog.get_by_role("textbox", name="Values").click()
    page.get_by_role("option", name="Byblos").click()
    page.keyboard.press("Tab")
    dialog.get_by_role("button", name="Leave these rows out").click()
    expect(dialog).to_contain_text("40 of 60 rows are used")
    expect(dialog.get_by_role("button", name="Remove: without site Byblos")).to_be_visible()


def add_step(dialog: Locator) -> None:
    dialog.get_by_role("tab", name="Preparation").click()
    dialog.get_by_role("textbox", name="Add a step").click()
    dialog.page.get_by_role("option", name="Logarithm", exact=True).click()
    expect(dialog.get_by_role("listitem").filter(has_text="Logarithm")).to_be_visible()
