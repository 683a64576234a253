"""A table of more rows than a figure draws: all are drawn, pointed at, and selected."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from lab.driver.page import LOAD_MODULE, StudioPage, wait_until

N_ROWS = 3_000
ALONE = 1_234  # a row amid the picture, far from all others, which the sample leaves out

# Where the layer draws a row on screen, and how opaque the layer is there.
PLACE = (
    "async (plot, row) => {"
    + LOAD_MODULE
    + """
  const { allPanels } = await load("panel/panels.mjs");
  const { pointOf } = await load("rows/row_layer.mjs");
  const { toPixels } = await load("plane/pixel_axes.mjs");
  const [x, y] = toPixels(plot, pointOf(allPanels()[0], row));
  const canvas = plot.parentElement.querySelector(".row-layer");
  const box = plot.getBoundingClientRect();
  const at = [x - parseFloat(canvas.style.left), y - parseFloat(canvas.style.top)];
  const [column, line] = at.map((pixel) => Math.floor((pixel * canvas.width) / canvas.clientWidth));
  const [, , , opacity] = canvas.getContext("2d").getImageData(column, line, 1, 1).data;
  return { x: box.left + x, y: box.top + y, opacity };
}"""
)


def table() -> pd.DataFrame:
    """Two classes on either side, and one row between them."""
    rng = np.random.default_rng(0)
    side = np.arange(N_ROWS) % 2
    frame = pd.DataFrame({"x": rng.normal(size=N_ROWS) + 8 * side, "y": rng.normal(size=N_ROWS)})
    frame.loc[ALONE - 1, ["x", "y"]] = 4.0, 0.0
    frame["side"] = np.where(side, "right", "left")
    return frame


@pytest.mark.slow
def test_every_row_is_drawn_pointed_at_and_selected(page: Page, tmp_path: Path) -> None:
    studio = StudioPage(page)
    file = tmp_path / "sides.csv"
    table().to_csv(file, index=False)
    studio.upload(file)
    panel = studio.run("PCA")
    panel.expect_end()
    plot = panel.part("plot")
    expect(panel.node.locator(".row-layer")).to_be_visible()
    assert not {trace["kind"] for trace in panel.traces} & {"train", "held_out"}

    place = plot.evaluate(PLACE, ALONE)
    assert place["opacity"] > 50
    page.mouse.move(place["x"] + 2, place["y"] + 1)
    expect(panel.node.locator(".row-card")).to_contain_text(f"row {ALONE}")

    page.mouse.move(place["x"], place["y"] + 40)
    page.mouse.wheel(0, -200)
    wait_until(page, lambda: plot.evaluate(PLACE, ALONE)["y"] < place["y"] - 2, "it is zoomed")
    wait_until(page, lambda: plot.evaluate(PLACE, ALONE)["opacity"] > 50, "the row is drawn there")

    place = plot.evaluate(PLACE, ALONE)
    panel.node.get_by_role("button", name=re.compile("^Lasso")).click()
    around = [(-12, -12), (12, -12), (12, 12), (-12, 12), (-12, -12)]
    page.mouse.move(place["x"] - 12, place["y"] - 12)
    page.mouse.down()
    for right, down in around[1:]:
        page.mouse.move(place["x"] + right, place["y"] + down, steps=4)
    page.mouse.up()
    expect(page.locator("#brushed")).to_contain_text("1 row selected: 1 right")
