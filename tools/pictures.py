"""The pictures of the documentation, taken of the page as it is.

`python -m tools.pictures [NAME]` starts a studio of its own and writes `docs/pictures`.
"""

from __future__ import annotations

import argparse
import io
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from layout import ids
from tests.browser.page import Panel, StudioPage, wait_until
from tests.browser.studio import running_studio
from tools.find_browser import launch_options
from tools.live_picture import live_picture

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
VIEWPORT: ViewportSize = {"width": 1440, "height": 900}
COLOURS = 128
LIVE = "live"
ENDLESS_STARTS = 500
SEQUENCE_AT_WORK = 60
ASIDE = (2, 2)  # where the pointer points at nothing

# A table with a column of every kind.
POTS = "\n".join(
    ["number,workshop,height_cm,width_cm,weight_g,glaze,place,ware"]
    + [
        f"{1001 + i},Kiln 4,{20 + i * 7 % 11},{30 + i * 5 % 13},{400 + i * 31 % 170},"
        f"{('clear', 'lead', 'none')[i % 3]},find {i * 17 % 37},{('red', 'grey')[i % 2]}"
        for i in range(40)
    ]
)

Scene: TypeAlias = Callable[[StudioPage], None]


def explore_at_work(studio: StudioPage) -> None:
    """A run that has not ended."""
    panel = studio.run("MELM", n_init=ENDLESS_STARTS)
    wait_until(studio.page, lambda: panel.sequence > SEQUENCE_AT_WORK, "the run is at work")


def explore(studio: StudioPage) -> None:
    """A run that is done."""
    _found(studio, "MELM")


def arrow(studio: StudioPage) -> None:
    """An arrow held by the pointer."""
    panel = _found(studio, "MELM")
    found = panel.divergence
    tip = panel.part("plot").evaluate(TIP)
    studio.page.mouse.move(*tip)
    studio.page.mouse.down()
    studio.page.mouse.move(tip[0] - 60, tip[1] + 90, steps=4)
    studio.wait_until(lambda: panel.divergence != found, "the plane follows")


def one_component(studio: StudioPage) -> None:
    """The densities of the classes on a line."""
    _choose_components(studio, 1)
    _found(studio, "MELM")


def three_components(studio: StudioPage) -> None:
    """A space, seen from the side."""
    _choose_components(studio, 3)
    panel = _found(studio, "MELM")
    panel.node.get_by_label("Side").fill("35")
    panel.node.get_by_label("Above").fill("-20")


def is_it_real(studio: StudioPage) -> None:
    """What a check says of noise."""
    studio.choose_sample("Pure noise")
    panel = _found(studio, "LDA")
    panel.node.get_by_role("button", name="Is it real?").click()
    expect(studio.page.locator(f"#{ids.CHECK_STOP}")).to_be_disabled()
    expect(studio.page.locator(".verdict")).to_contain_text("held-out")


def decision_surface(studio: StudioPage) -> None:
    """A kernel machine beside its modes."""
    panel = _found(studio, "MELM")
    panel.node.get_by_role("button", name="Decision surface").click()
    expect(studio.page.locator(f"#{ids.SURFACE_PLOT}")).to_have_attribute("data-state", "drawn")


def columns(studio: StudioPage) -> None:
    """The roles of the columns of a table that was dropped."""
    file = {"name": "pots.csv", "mimeType": "text/csv", "buffer": POTS.encode()}
    studio.file_input.set_input_files(file)
    expect(studio.summary).to_contain_text("pots")
    studio.page.get_by_role("button", name="Columns").click()
    expect(studio.page.get_by_role("rowheader", name="ware")).to_be_visible()


def compare(studio: StudioPage) -> None:
    """Four methods side by side, and their figures."""
    _four_methods(studio)
    studio.page.get_by_role("tab", name="Table").click()
    table = studio.page.get_by_role("table", name="The runs and their figures")
    expect(table.locator("tbody tr")).to_have_count(4)
    table.get_by_role("button", name="Sort by Divergence, unseen").click()
    expect(table.locator("[aria-sort=descending]")).to_have_count(1)


def agreement(studio: StudioPage) -> None:
    """The angles between four planes."""
    _four_methods(studio)
    studio.page.get_by_role("tab", name="Agreement of planes").click()
    expect(studio.page.get_by_role("table", name="Angles between the planes")).to_be_visible()


def present(studio: StudioPage) -> None:
    """A run as a lecture room sees it."""
    _found(studio, "MELM")
    studio.show("Present")


def story(studio: StudioPage) -> None:
    """Three views with their captions."""
    page = studio.page
    captions = {
        "PCA": "The largest variance: two cultivars run into each other.",
        "LDA": "The class means apart: all three are told apart.",
        "MELM": "The densities apart: what lies between the classes is empty.",
    }
    for method in captions:
        _found(studio, method)
        page.get_by_role("button", name="Add to story").click()
        expect(page.locator(f"#{ids.NOTICE}")).to_contain_text("Added to the story")
    page.get_by_role("button", name="Story", exact=True).click()
    for number, caption in enumerate(captions.values(), 1):
        page.get_by_label(f"Caption of view {number}").fill(caption)
    page.get_by_role("button", name="Close this note").click()


STILLS: dict[str, Scene] = {
    "explore-at-work": explore_at_work,
    "explore": explore,
    "arrow": arrow,
    "one-component": one_component,
    "three-components": three_components,
    "is-it-real": is_it_real,
    "decision-surface": decision_surface,
    "columns": columns,
    "compare": compare,
    "agreement": agreement,
    "present": present,
    "story": story,
}
DARK = {"present"}
FILES = {LIVE: f"{LIVE}.gif"} | {name: f"{name}.png" for name in STILLS}


def main() -> None:
    """Take the pictures that were asked for."""
    arguments = _parser().parse_args()
    FOLDER.mkdir(exist_ok=True)
    with _browser_and_studio() as (browser, url):
        for name in [arguments.name] if arguments.name else FILES:
            picture = _picture(browser, url, name)
            (FOLDER / FILES[name]).write_bytes(picture)
            print(f"{FILES[name]}: {len(picture) / 1000:.0f} kB", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.pictures", description=__doc__)
    parser.add_argument("name", nargs="?", choices=FILES, help="all of them by default")
    return parser


@contextmanager
def _browser_and_studio() -> Iterator[tuple[Browser, str]]:
    with (
        tempfile.TemporaryDirectory() as folder,
        running_studio(Path(folder)) as studio,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(**launch_options())
        yield browser, studio.url
        browser.close()


def _picture(browser: Browser, url: str, name: str) -> bytes:
    """The bytes of a picture, on the page of a new visitor."""
    context = browser.new_context(
        base_url=url,
        viewport=VIEWPORT,
        color_scheme="dark" if name in DARK else "light",
        reduced_motion="reduce",
    )
    with context.new_page() as page:
        studio = StudioPage(page)
        studio.choose_sample("Wine")
        if name == LIVE:
            return live_picture(studio)
        STILLS[name](studio)
        return _still(page)


def _still(page: Page) -> bytes:
    """The page at rest as a PNG of a few colours."""
    if not page.evaluate("document.querySelector('.can-take')"):
        page.mouse.move(*ASIDE)
    page.mouse.move
    expect(page.locator(".is-moving")).to_have_count(0)
    return smaller(page.screenshot(animations="disabled"))
