"""What a visitor has before the eyes: controls, words, and the pixels of the picture."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page, ViewportSize

from lab.benchmarks.page.studio import ANSWERED, VIEWPORT, StudioPage, studio_page
from lab.benchmarks.table import Measurement

SIZES: tuple[ViewportSize, ...] = (
    VIEWPORT,
    {"width": 1280, "height": 720},
    {"width": 390, "height": 844},
)
# A list whose items are one stop of the Tab key counts as many controls as it has items.
_CONTROLS = "a[href], button, input, select, summary, textarea, [tabindex='0']"
_COUNT = """(controls) => {
  const isIn = ({ left, right, top, bottom }) =>
    Math.min(right, innerWidth) - Math.max(left, 0) > 2 &&
    Math.min(bottom, innerHeight) - Math.max(top, 0) > 2;
  const isSeen = (node) =>
    node.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    !node.closest(".only-spoken, .skip-link") &&
    isIn(node.getBoundingClientRect());
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let words = 0;
  while (texts.nextNode()) {
    const { parentElement, nodeValue } = texts.currentNode;
    if (isSeen(parentElement)) words += (nodeValue.match(/\\S*[\\p{L}\\p{N}]\\S*/gu) ?? []).length;
  }
  const shown = [...document.querySelectorAll(controls)].filter(isSeen);
  const picture = [...document.querySelectorAll(".panel .plot")].find(isSeen);
  const { width, height } = picture.getBoundingClientRect();
  return [shown.length, words, width, height];
}"""


def in_sight(repeats: int) -> list[Measurement]:
    """Count what is in sight after a run of MELM on wine whose shuffles are done, in each mode."""
    del repeats  # the counts do not vary
    with studio_page(workers=1) as studio:
        studio.choose("Wine", "178 rows")
        studio.finished("MELM", n_init=6)
        studio.page.wait_for_function(ANSWERED)
        return [
            measurement
            for mode in ("Explore", "Compare", "Present")
            for size in SIZES
            for measurement in _counted(studio, mode, size)
        ]


def _counted(studio: StudioPage, mode: str, size: ViewportSize) -> Iterator[Measurement]:
    studio.page.set_viewport_size(VIEWPORT)
    if studio.page.locator("body").get_attribute("data-mode") == "present":
        studio.page.keyboard.press("Escape")  # which leaves it, as its header is hidden
    studio.show(mode)
    studio.page.set_viewport_size(size)
    studio.page.mouse.move(0, 0)
    n_controls, n_words, width, height = _count(studio.page)
    where = f"{mode}, {size['width']} x {size['height']}"
    yield Measurement(f"controls in sight, {where}", "", (n_controls,))
    yield Measurement(f"words in sight, {where}", "", (n_words,))
    yield Measurement(f"the first picture, {where}", "1,000 pixels", (width * height / 1000,))


def _count(page: Page) -> tuple[float, float, float, float]:
    page.wait_for_timeout(1000)  # until what moves is at rest
    n_controls, n_words, width, height = page.evaluate(_COUNT, _CONTROLS)
    return n_controls, n_words, width, height
