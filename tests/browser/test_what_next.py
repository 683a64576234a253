"""What is asked of new rows and of more of them, and a map that came with a table."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from lab.driver.page import StudioPage


@pytest.mark.slow
def test_each_answer_is_a_sentence_first_below_its_line_one_at_a_time(page: Page):
    studio = StudioPage(page)
    studio.choose_sample("Wine")
    panel = studio.run("LDA")
    panel.expect_end()
    opened = panel.open_door("Compare with a new batch", "New rows")
    words = opened.get_by_role("status")
    expect(words).to_contain_text("Choose New rows from a file…, or drop that file on the picture.")
    opened = panel.open_door("How many more rows?")
    expect(opened.get_by_role("status").first).to_contain_text(
        "guessing gives 33 %", timeout=60_000
    )
    panel.open_door("Folds and shuffles")
    expect(page.locator(".analysis[open]")).to_have_count(1)
    panel.inspect("Features")
    expect(page.locator(".analysis[open]")).to_have_count(0)


@pytest.mark.slow
def test_a_dropped_map_is_drawn_as_it_is_beside_a_plane(page: Page, tmp_path: Path):
    stream = np.random.default_rng(0)
    y = stream.integers(0, 2, 80)
    table = pd.DataFrame({f"x{at}": stream.normal(size=80) for at in range(4)})
    table["pacmap_1"], table["pacmap_2"] = 30.0 * y + stream.normal(size=80), stream.normal(size=80)
    file = tmp_path / "map.csv"
    table.assign(label=np.where(y, "a", "b")).to_csv(file, index=False)
    studio = StudioPage(page)
    studio.upload(file)
    expect(page.locator("body")).to_have_attribute("data-mode", "compare")
    expect(studio.panels).to_have_count(2)
    of_map, plane = studio.panel(0), studio.panel(1)
    expect(of_map.part("title")).to_have_text("pacmap_1 and pacmap_2")
    expect(of_map.part("verdict")).to_contain_text(
        re.compile("Cannot be decided.*only refitting can tell"), timeout=60_000
    )
    expect(of_map.node.locator('[data-axis="x"]')).to_have_text("pacmap_1")
    page.get_by_role("button", name="Test all").click()
    expect(plane.part("verdict")).to_contain_text(re.compile(r"^✘ ?No"), timeout=60_000)
