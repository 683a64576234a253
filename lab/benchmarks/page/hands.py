"""Responsiveness of the page: scrubbing through a run, dragging γ, and morphs."""

from __future__ import annotations

import io
import statistics
from collections.abc import Sequence

from sklearn.datasets import make_blobs

from lab.benchmarks.page.studio import StudioPage, studio_page
from lab.benchmarks.table import Measurement
from lab.driver.page import LOAD_MODULE

STARTS = 16
SCRUBBED_MS = 5_000
MORPHED_MS = 3_000
GAMMAS = (0.5, 0.62, 0.75, 0.9, 1.2, 1.5, 2.0, 2.6, 3.3, 4.2)
NARROW_GAMMAS = (0.1, 0.12, 0.14, 0.16, 0.19, 0.22, 0.26, 0.31, 0.37, 0.44)
N_ROWS = (1_000, 100_000)
N_FEATURES = 10

# Moves the history slider back and forth at every paint, as a user would.
_SCRUB = """async ([run, milliseconds]) => {
  const slider = document.querySelector(`[data-run="${run}"] [aria-label="History of the run"]`);
  const begin = performance.now();
  for (let at = 0; performance.now() - begin < milliseconds; at += 3) {
    const last = Number(slider.max);
    slider.value = last - Math.abs((at % (2 * last)) - last);
    slider.dispatchEvent(new Event("input"));
    await new Promise(requestAnimationFrame);
  }
}"""

# Milliseconds from a change of the kernel width to the painted contours.
_WIDEN = (
    "async ([run, gammas]) => {"
    + LOAD_MODULE
    + """
  const { panelOfRun } = await load("panel/panels.mjs");
  const panel = panelOfRun(run);
  const times = [];
  for (const gamma of gammas) {
    const begin = performance.now();
    const painted = new Promise((resolve) =>
      panel.node.addEventListener("panel:painted", resolve, { once: true }));
    const asked = panel.changeView({ gamma });
    await painted;
    times.push(performance.now() - begin);
    await asked;
  }
  return times;
}"""
)


# Planes painted per second during a morph from one run to another.
_MORPH = (
    "async ([run, other, milliseconds]) => {"
    + LOAD_MODULE
    + """
  const { panelOfRun } = await load("panel/panels.mjs");
  const panel = panelOfRun(run);
  let painted = 0;
  panel.node.addEventListener("panel:painted", () => { painted += 1; });
  const begin = performance.now();
  const choice = document.querySelector('[data-bar="morph-to"]');
  choice.value = other;
  choice.dispatchEvent(new Event("change"));
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  return (1000 * painted) / (performance.now() - begin);
}"""
)


def scrub(repeats: int) -> list[Measurement]:
    """Planes painted per second while the slider of a finished run is moved."""
    with studio_page(workers=2) as page:
        run_id = page.finished("MELM", STARTS)
        rates = tuple(_scrubbed(page, run_id) for _ in range(repeats))
    return [Measurement("scrubbing", "frames/s", rates)]


def morph(repeats: int) -> list[Measurement]:
    """Planes painted per second during a morph from PCA to MELM, at most 20."""
    rates = []
    for _ in range(repeats):  # planes drawn before are cached
        with studio_page(workers=2) as page:
            melm, pca = page.finished("MELM", STARTS), page.finished("PCA")
            page.show("Present")
            rates.append(page.page.evaluate(_MORPH, [pca, melm, MORPHED_MS]))
    return [Measurement("morph from PCA to MELM", "frames/s", tuple(rates))]


def gamma_drag(repeats: int) -> list[Measurement]:
    """Time from a change of γ to its painted contours, median of ten, by size of the table."""
    with studio_page(workers=2) as page:
        return [_widened(page, n_rows, repeats) for n_rows in N_ROWS]


def _scrubbed(page: StudioPage, run_id: str) -> float:
    begin, n_before = page.now(), len(page.drawn())
    page.page.evaluate(_SCRUB, [run_id, SCRUBBED_MS])
    return 1000 * (len(page.drawn()) - n_before) / (page.now() - begin)


def _widened(page: StudioPage, n_rows: int, repeats: int) -> Measurement:
    page.upload(_table(n_rows), f"blobs-{n_rows}.csv")
    run_id = page.finished("PCA")
    page.page.evaluate(_WIDEN, [run_id, GAMMAS[:2]])  # the first ones also compute the profile
    medians = tuple(median_to_paint(page, run_id, repeat) for repeat in range(repeats))
    return Measurement(f"γ changed to contours painted, {n_rows:,} rows", "ms", medians)


def median_to_paint(
    page: StudioPage, run_id: str, repeat: int, gammas: Sequence[float] = GAMMAS
) -> float:
    """Median of the milliseconds from a change of γ to its contours, at some γ of a repeat."""
    times = page.page.evaluate(_WIDEN, [run_id, _fresh_gammas(repeat, gammas)])
    return float(statistics.median(times))


def _fresh_gammas(repeat: int, gammas: Sequence[float]) -> list[float]:
    """Kernel widths not used before, because the studio caches what it has drawn."""
    return [round(gamma * 1.01 ** (repeat + 1), 4) for gamma in gammas]


def _table(n_rows: int) -> bytes:
    X, y = make_blobs(n_rows, N_FEATURES, centers=3, cluster_std=4.0, random_state=0)
    text = io.StringIO()
    text.write(",".join([*(f"x{i}" for i in range(N_FEATURES)), "class"]) + "\n")
    for row, code in zip(X, y, strict=True):
        text.write(",".join([*(f"{value:.4g}" for value in row), "abc"[code]]) + "\n")
    return text.getvalue().encode()
