"""An analysis that is added opens from the inspector, is computed, and is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from lab.driver.page import StudioPage
from tests.melm_studio.analyses.toy.mean_row import MEAN_ROW
from tests.melm_studio.analyses.toy.studio import served, toy_studio


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Of a studio that has the toy."""
    with toy_studio(tmp_path) as studio, served(studio) as url:
        yield url


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_a_toy_analysis_is_shown(address: str, page: Page, size: tuple[int, int]):
    studio = StudioPage(page, address)
    studio.choose_sample("Iris")
    panel = studio.run("PCA")
    panel.expect_end()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    opened = panel.open_door(MEAN_ROW.title)
    expect(opened.get_by_role("listitem")).to_have_count(3)
    expect(opened.get_by_role("status")).to_contain_text("from the mean of their class")
    assert panel.part("plot").bounding_box()["y"] >= 0  # the picture stays in sight
    opened.locator("summary").click()
    expect(opened).to_have_count(0)
    expect(panel.node.locator(f'[data-known="{MEAN_ROW.name}"]')).to_contain_text(
        "from the mean of their class"
    )
