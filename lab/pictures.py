"""The pictures of the documentation: screenshots of the current page.

`python -m lab.pictures [NAME]` starts its own studio and writes `docs/pictures`.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, FilePayload, Locator, ViewportSize, expect, sync_playwright

from lab.driver.launcher import running_studio
from lab.driver.page import LOAD_MODULE, Panel, StudioPage
from lab.images import still
from lab.recordings import RECORDINGS
from lab.setup.find_browser import launch_options
from melm_core.datasets import batches as drifting_batches
from melm_studio.layout import ids

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
VIEWPORT: ViewportSize = {"width": 1440, "height": 900}
ENDLESS_STARTS = 500
SOME_PLANES = 60
POINTING_AT_NOTHING = (2, 2)

# No plane of a finished run is requested or moving, and every picture fills its element.
IS_AT_REST = (
    "async () => {"
    + LOAD_MODULE
    + """
  const { shownPanels } = await load("panel/panels.mjs");
  const { isFitted } = await load("plane/pixel_axes.mjs");
  return shownPanels().every((panel) => {
    const plot = panel.part("plot");
    const isMoving = panel.isFinal && plot.classList.contains("is-moving");
    const list = panel.part("feature-list");
    // What a quick list lacks is written here, too.
    const listed = panel.isFinal ? panel.part("second-words") : list;
    const isListed = !list?.checkVisibility() || listed.textContent;
    return panel.requests.requested === null && isFitted(plot) && !isMoving && isListed;
  });
}"""
)

# A table with a column of every kind.
POTS = "\n".join(
    ["number,workshop,height_cm,width_cm,weight_g,glaze,place,ware"]
    + [
        f"{1001 + i},Kiln 4,{20 + i * 7 % 11},{30 + i * 5 % 13},{400 + i * 31 % 170},"
        f"{('clear', 'lead', 'none')[i % 3]},find {i * 17 % 37},{('red', 'grey')[i % 2]}"
        for i in range(40)
    ]
)

# Prepares the page for its picture, which shows only what the scene returns, if any.
Scene: TypeAlias = Callable[[StudioPage], Locator | None]


def explore_at_work(studio: StudioPage) -> None:
    """A running run."""
    panel = studio.run("MELM", n_init=ENDLESS_STARTS)
    studio.wait_until(lambda: panel.sequence > SOME_PLANES, "some planes were shown")
    studio.page.mouse.move(*POINTING_AT_NOTHING)


def explore(studio: StudioPage) -> None:
    """A finished run."""
    _found(studio, "MELM")


def arrow(studio: StudioPage) -> None:
    """An arrow that was dragged."""
    panel = _found(studio, "MELM")
    found = panel.divergence
    x, y = panel.arrow_tip
    studio.page.mouse.move(x, y)
    studio.page.mouse.down()
    studio.page.mouse.move(x - 60, y + 90, steps=4)
    studio.page.mouse.up()
    studio.page.mouse.move(*POINTING_AT_NOTHING)
    studio.wait_until(lambda: panel.divergence != found, "the plane follows")


def one_component(studio: StudioPage) -> None:
    """The densities of the classes on a line."""
    _choose_components(studio, 1)
    _found(studio, "MELM")


def three_components(studio: StudioPage) -> None:
    """Three components, from a rotated view angle."""
    _choose_components(studio, 3)
    panel = _found(studio, "MELM")
    layers = panel.open_layers()
    layers.get_by_role("slider", name="Azimuth").fill("35")
    layers.get_by_role("slider", name="Elevation").fill("-20")
    studio.page.keyboard.press("Escape")


def is_it_real(studio: StudioPage) -> Locator:
    """The check of a run on noise."""
    studio.choose_sample("Pure noise")
    panel = _found(studio, "LDA")
    opened = panel.open_door("Folds and shuffles")
    expect(opened.locator(".check-answer")).to_contain_text("p =")
    expect(opened.locator("progress")).to_be_hidden(timeout=60_000)
    return opened


def decision_surface(studio: StudioPage) -> None:
    """A kernel machine beside its modes."""
    studio.hold_out(25)
    panel = studio.run("Kernel Fisher")
    panel.expect_end()
    opened = panel.open_door("Decision surface")
    expect(opened.locator(".heatmaplayer image")).to_have_count(2)


def columns(studio: StudioPage) -> Locator:
    """The roles of the columns of an uploaded table."""
    file = FilePayload(name="pots.csv", mimeType="text/csv", buffer=POTS.encode())
    studio.file_input.set_input_files(file)
    expect(studio.data_name).to_have_text("pots")
    return _columns(studio, "ware")


def tutorial_columns(studio: StudioPage) -> Locator:
    """The roles of the columns of the tutorial's table."""
    return _columns(studio, "cultivar")


def batches(studio: StudioPage) -> None:
    """A plane from which the batches were taken out, and what that costs."""
    file = FilePayload(name="cells.csv", mimeType="text/csv", buffer=_drifting().encode())
    studio.file_input.set_input_files(file)
    expect(studio.data_name).to_have_text("cells")
    panel = studio.run("MELM")  # which holds rows out, and has no places of folds
    panel.expect_end()
    expect(panel.open_door("What it costs").locator(".scatterlayer").first).to_be_visible()
    panel.node.get_by_role("slider", name="Batch weight").fill("2")
    expect(panel.part("changed")).to_contain_text("batch weight 2")


def _drifting() -> str:
    """A table whose rows were measured in three batches."""
    X, y, batch = drifting_batches(0)
    frame = pd.DataFrame(X, columns=[f"marker {number}" for number in range(1, 13)])
    names = {"batch": ("spring", "summer", "fall"), "tissue": ("healthy", "tumor")}
    found = {"batch": batch, "tissue": y}
    return frame.assign(
        **{column: np.array(names[column])[codes] for column, codes in found.items()}
    ).to_csv(index=False)


def compare(studio: StudioPage) -> None:
    """Four methods side by side, and their scores."""
    _four_methods(studio)
    table = studio.page.get_by_role("table", name="Scores of the runs")
    expect(table.locator("tbody")).to_have_count(4)
    table.get_by_role("button", name="Sort by Accuracy, held out").click()
    expect(table.locator("[aria-sort=descending]")).to_have_count(1)


def pair(studio: StudioPage) -> None:
    """What two of four methods differ in."""
    _four_methods(studio)
    for method in ("LDA", "PLS-DA"):
        studio.page.get_by_role("checkbox", name=method).uncheck()
    expect(studio.page.locator(f"#{ids.PAIR}")).to_contain_text("apart")


def present(studio: StudioPage) -> None:
    """A run as an audience sees it."""
    _found(studio, "PCA")
    _found(studio, "MELM")
    studio.show("Present")
    studio.page.keyboard.press("?")


def story(studio: StudioPage) -> None:
    """Three views with their captions."""
    page = studio.page
    captions = {
        "PCA": "Largest variance: two cultivars overlap.",
        "LDA": "Separated class means: all three cultivars are distinct.",
        "MELM": "Separated densities: hardly any rows lie between.",
    }
    for method in captions:
        _found(studio, method)
        studio.share("Add to story")
        expect(page.locator(f"#{ids.NOTICE}")).to_contain_text("Added to the story")
    studio.share("Story…")
    for number, caption in enumerate(captions.values(), 1):
        page.get_by_label(f"Caption of view {number}").fill(caption)
    page.get_by_role("button", name="Close this note").click()


SCENES: dict[str, Scene] = {
    "explore-at-work": explore_at_work,
    "explore": explore,
    "arrow": arrow,
    "one-component": one_component,
    "three-components": three_components,
    "is-it-real": is_it_real,
    "decision-surface": decision_surface,
    "columns": columns,
    "tutorial-columns": tutorial_columns,
    "batches": batches,
    "compare": compare,
    "pair": pair,
    "present": present,
    "story": story,
}
DARK = {"present"}
PICTURES = {name: f"{name}.gif" for name in RECORDINGS} | {name: f"{name}.png" for name in SCENES}


def main() -> None:
    """Take the pictures that were asked for."""
    asked = _parser().parse_args().name
    FOLDER.mkdir(exist_ok=True)
    with _browser_and_url() as (browser, url):
        for name in [asked] if asked else PICTURES:
            taken = picture(browser, url, name)
            (FOLDER / PICTURES[name]).write_bytes(taken)
            print(f"{PICTURES[name]}: {len(taken) / 1000:.0f} kB", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lab.pictures", description="Take the pictures of the documentation."
    )
    parser.add_argument("name", nargs="?", choices=PICTURES, help="all of them by default")
    return parser


@contextmanager
def _browser_and_url() -> Generator[tuple[Browser, str]]:
    with (
        tempfile.TemporaryDirectory() as folder,
        running_studio(Path(folder)) as studio,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(**launch_options())
        yield browser, studio.url
        browser.close()


def picture(browser: Browser, url: str, name: str) -> bytes:
    """The bytes of a picture of the page, taken by a new visitor."""
    page = browser.new_page(
        base_url=url, viewport=VIEWPORT, color_scheme="dark" if name in DARK else "light"
    )
    if name in RECORDINGS:
        page.clock.install()
    studio = StudioPage(page)
    taken = RECORDINGS[name](studio) if name in RECORDINGS else _still(studio, SCENES[name])
    _end(studio)
    return taken


def _still(studio: StudioPage, scene: Scene) -> bytes:
    window = scene(studio)
    studio.wait_until(lambda: studio.page.evaluate(IS_AT_REST), "every figure fills its element")
    return still((window or studio.page).screenshot(animations="disabled"))


def _end(studio: StudioPage) -> None:
    """Stop runs and checks that would slow down the next picture, also behind a window."""
    stops = studio.panels.get_by_role("button", name="Stop", include_hidden=True)
    stops.evaluate_all("nodes => nodes.forEach((node) => node.checkVisibility() && node.click())")
    studio.page.close()


def _found(studio: StudioPage, method: str) -> Panel:
    panel = studio.run(method)
    panel.expect_end()
    expect(panel.part("moves")).to_be_visible()
    expect(panel.part("sign")).not_to_be_empty(timeout=60_000)  # the answer has come by itself
    studio.page.mouse.move(*POINTING_AT_NOTHING)
    return panel


def _choose_components(studio: StudioPage, number: int) -> None:
    studio.show_settings()
    components = studio.page.get_by_role("radiogroup", name="Components")
    components.get_by_text(str(number), exact=True).click()


def _window(studio: StudioPage, name: str) -> Locator:
    return studio.page.get_by_role("dialog", name=name)


def _columns(studio: StudioPage, label: str) -> Locator:
    studio.open_sheet()
    studio.page.get_by_role("button", name="Columns").click()
    expect(studio.page.get_by_role("rowheader", name=label)).to_be_visible()
    return _window(studio, "Columns and classes of the table")


def _four_methods(studio: StudioPage) -> None:
    """In Compare, the three methods that are selected by default, and one more."""
    studio.show("Compare")
    methods = studio.page.get_by_role("textbox", name="Methods")
    methods.fill("PLS-DA")
    studio.page.get_by_role("option", name="PLS-DA", exact=True).click()
    methods.press("Escape")
    studio.run_button.click()
    expect(studio.panels).to_have_count(4)
    for position in range(4):
        studio.panel(position).expect_end()
        expect(studio.panel(position).part("moves")).to_be_visible(timeout=240_000)
    for numbers in (ids.COMPARED_LIST, ids.COMPARED):  # until no share and no p is still to come
        table = studio.page.locator(f"#{numbers}")
        expect(table).to_contain_text("PLS-DA")
        expect(table).not_to_contain_text(re.compile(r"\d …"), timeout=240_000)
    expect(studio.page.locator(f"#{ids.COMPARED_LIST}")).not_to_contain_text("–", timeout=240_000)


if __name__ == "__main__":
    main()
