"""Drawing every row of large tables: what a frame takes while the picture moves."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.datasets import make_blobs

from lab.benchmarks.page.studio import DEADLINE_MS, StudioPage, studio_page
from lab.benchmarks.table import Measurement
from lab.driver.page import LOAD_MODULE

N_ROWS = (100_000, 1_000_000)
N_FEATURES = 4
N_FRAMES = 40

# Milliseconds of each of some frames, every one of them a pixel further to the right.
_PAN = (
    "async ([run, nFrames]) => {"
    + LOAD_MODULE
    + """
  const { panelOfRun } = await load("panel/panels.mjs");
  const { toPixels } = await load("plane/pixel_axes.mjs");
  const panel = panelOfRun(run);
  const { layer, view } = panel.painting;
  const pixels = (point) => toPixels(panel.part("plot"), point);
  const [[left, top], [right, bottom]] = [pixels([0, 0]), pixels([1, 1])];
  const times = [];
  for (let frame = 1; frame <= nFrames; frame += 1) {
    await new Promise(requestAnimationFrame);
    const began = performance.now();
    const x = { offset: left + frame, scale: right - left };
    const axes = { x, y: { offset: top, scale: bottom - top } };
    layer.every.draw(axes, panel.painting.shown().pixels, view);
    times.push(performance.now() - began);
  }
  return times;
}"""
)

# A panel at rest draws the sample until all rows are there.
_UNTIL_ALL_ARE_DRAWN = (
    "async ([run, deadline]) => {"
    + LOAD_MODULE
    + """
  const { panelOfRun } = await load("panel/panels.mjs");
  const end = performance.now() + deadline;
  const isWhole = (panel) => panel.painting.every !== null;
  while (!isWhole(panelOfRun(run))) { // Dash may render another panel meanwhile
    if (performance.now() > end) throw new Error("Not all rows are drawn.");
    await new Promise(requestAnimationFrame);
  }
}"""
)


def all_rows(repeats: int) -> list[Measurement]:
    """Median time of a frame of 1e5 and 1e6 rows while they are panned."""
    with studio_page(workers=2) as page:
        return [found for n_rows in N_ROWS for found in _measured(page, n_rows, repeats)]


def _measured(page: StudioPage, n_rows: int, repeats: int) -> list[Measurement]:
    page.upload(_table(n_rows), f"blobs-{n_rows}.csv")
    run_id = page.finished("PCA")
    page.page.evaluate(_UNTIL_ALL_ARE_DRAWN, [run_id, DEADLINE_MS])
    medians = tuple(
        float(np.median(page.page.evaluate(_PAN, [run_id, N_FRAMES]))) for _ in range(repeats)
    )
    return [Measurement(f"frame of all rows while panned, {n_rows:,} rows", "ms", medians)]


def _table(n_rows: int) -> bytes:
    frame, labels = make_blobs(n_rows, N_FEATURES, centers=3, cluster_std=2.0, random_state=0)
    table = pd.DataFrame(frame, columns=[f"x{i}" for i in range(N_FEATURES)])
    table["class"] = np.array(list("abc"))[labels]
    return table.to_csv(index=False, float_format="%.4g").encode()
