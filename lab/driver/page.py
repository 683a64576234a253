"""The page of the studio, operated as a user does."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Download, Locator, Page, expect

from melm_core.methods import METHODS
from melm_studio.layout import ids

# Long enough for two cores that also run other processes.
DEADLINE_S = 60
DEADLINE_MS = 1000 * DEADLINE_S
MOST_TAB_STOPS = 40
NEXT_PAINT = "() => new Promise(requestAnimationFrame)"
# Defines a function that returns a module of the page by its path, as "panel/panels.mjs", and one
# that returns the traces of the picture that a plot shows, whoever has drawn it.
LOAD_MODULE = """
  const script = document.querySelector('[src$="/main.bundle.mjs"]').src;
  const load = (path) => import(script.replace("main.bundle.mjs", `studio/${path}`));
  const tracesOf = async (plot) => {
    const { panelOfRun } = await load("panel/panels.mjs");
    return panelOfRun(plot.closest("[data-run]").dataset.run).painting.animation.to.traces;
  };"""
TRACES = (
    "async (plot) => {"
    + LOAD_MODULE
    + """
  const traces = await tracesOf(plot);
  return traces
    .filter(({ visible, x }) => visible !== false && x.length)
    .map((trace) => ({ ...trace, kind: trace.meta.kind, x: [...trace.x], y: [...trace.y] }));
}"""
)
# The visible ranges of x and y.
AXES = (
    "async (plot) => {"
    + LOAD_MODULE
    + """
  const { toData } = await load("plane/pixel_axes.mjs");
  const [left, top] = toData(plot, [0, 0]);
  const [right, bottom] = toData(plot, [plot.clientWidth, plot.clientHeight]);
  return [[left, right], [bottom, top]];
}"""
)
TIP_OF_THE_STRONGEST_ARROW = (
    "async (plot) => {"
    + LOAD_MODULE
    + """
  const { toPixels } = await load("plane/pixel_axes.mjs");
  const tips = (await tracesOf(plot)).find(({ meta }) => meta.kind === "arrow_heads");
  const [x, y] = toPixels(plot, [tips.x[0], tips.y[0]]);
  const box = plot.getBoundingClientRect();
  return [box.left + x, box.top + y];
}"""
)
PLACE_OF_A_ROW = (
    "async (plot, row) => {"
    + LOAD_MODULE
    + """
  const { toPixels } = await load("plane/pixel_axes.mjs");
  const { panelOfRun } = await load("panel/panels.mjs");
  const { pointOf } = await load("rows/row_layer.mjs");
  const [x, y] = toPixels(plot, pointOf(panelOfRun(plot.closest("[data-run]").dataset.run), row));
  const box = plot.getBoundingClientRect();
  return [box.left + x, box.top + y];
}"""
)
CURVE = (
    "async (panel) => {"
    + LOAD_MODULE
    + """
  const { panelOfRun } = await load("panel/panels.mjs");
  const { traces } = panelOfRun(panel.dataset.run).history.chart.chart;
  return Object.fromEntries(traces.map(({ meta, x, y }) => [meta.kind, { x: [...x], y: [...y] }]));
}"""
)
# What is scrolled out of sight is not painted: its slider says which plane is there.
SHOWS_LAST_PLANE = """(panel, state) => {
  const slider = panel.querySelector('[aria-label="History of the run"]');
  const box = (node) => node.getBoundingClientRect();
  const [place, plot] = [box(panel.closest("#panels")), box(panel.querySelector(".plot"))];
  const isSeen = plot.top < place.bottom && plot.bottom > place.top;
  const said = slider?.getAttribute("aria-valuetext") ?? "";
  const last = isSeen ? panel.dataset.sequence : String(said.match(/\\d+/) - 1);
  const isLast = panel.dataset.state === state && last === String(slider?.max - 1);
  return isLast && !panel.matches("[data-asking], :has(.is-moving)");
}"""

# Notes on every canvas the texts that were drawn on it since it was cleared last, with their boxes.
NOTE_TEXTS = """(() => {
  const { clearRect, fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    this.canvas.drawnTexts = [];
    return clearRect.apply(this, box);
  };
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
    const size = this.measureText(text);
    (this.canvas.drawnTexts ??= []).push({
      text,
      left: x - size.actualBoundingBoxLeft,
      right: x + size.actualBoundingBoxRight,
      top: y - size.actualBoundingBoxAscent,
      bottom: y + size.actualBoundingBoxDescent,
    });
    return fillText.call(this, text, x, y, ...more);
  };
})()"""
TEXTS = "(canvas) => canvas.drawnTexts"
NO_NAME = re.compile(r"[-−.\d]+|Component.*")  # a number, or the title of an axis

# A panel that requests a plane, or animates one.
IN_MOTION = "[data-asking], .is-moving"

expect.set_options(timeout=DEADLINE_MS)


@dataclass(frozen=True)
class Panel:
    """A panel of the page, identified by its run."""

    node: Locator

    @property
    def run_id(self) -> str:
        return self.node.get_attribute("data-run") or ""

    @property
    def state(self) -> str | None:
        return self.node.get_attribute("data-state")

    @property
    def sequence(self) -> int:
        """The number of the plane on screen."""
        return int(self.node.get_attribute("data-sequence") or -1)

    @property
    def last_sequence(self) -> int:
        """The number of the newest plane that the page has."""
        return int(self.slider.get_attribute("max") or 0) - 1

    @property
    def divergence(self) -> float:
        """The divergence of the plane on screen, in full precision."""
        return float(self.node.get_attribute("data-divergence") or "nan")

    @property
    def slider(self) -> Locator:
        return self.node.get_by_label("History of the run")

    @property
    def stop(self) -> Locator:
        return self.node.get_by_role("button", name="Stop")

    @property
    def axes(self) -> list[list[float]]:
        """The visible ranges of x and y."""
        return list(self.part("plot").evaluate(AXES))

    @property
    def traces(self) -> list[dict[str, Any]]:
        """The traces on screen that are not empty; `kind` says what each draws."""
        return list(self.part("plot").evaluate(TRACES))

    @property
    def names(self) -> list[dict[str, Any]]:
        """The names in the picture, each with its box, where the page has `NOTE_TEXTS`."""
        return names_on(self.part("motion"))

    @property
    def arrow_tip(self) -> tuple[float, float]:
        """The position of the tip of the longest arrow on the screen."""
        x, y = self.part("plot").evaluate(TIP_OF_THE_STRONGEST_ARROW)
        return x, y

    @property
    def curve(self) -> dict[str, dict[str, list[float]]]:
        """The x and y of each trace of the curve, by its kind."""
        return dict(self.node.evaluate(CURVE))

    def place_of(self, row: int) -> tuple[float, float]:
        """The position of a row on the screen."""
        x, y = self.part("plot").evaluate(PLACE_OF_A_ROW, row)
        return x, y

    def part(self, name: str) -> Locator:
        return self.node.locator(f'[data-part="{name}"]')

    def expect_state(self, state: str) -> None:
        expect(self.node).to_have_attribute("data-state", state)

    def expect_end(self, state: str = "done") -> None:
        """Wait until the run has ended and its last plane is on screen."""
        self.expect_state(state)
        wait_until(
            self.node.page,
            # In one call: the page may replace its panels between two.
            lambda: self.node.evaluate(SHOWS_LAST_PLANE, state),
            "the last plane is on screen",
        )

    def expect_sequence(self, sequence: int) -> None:
        expect(self.node).to_have_attribute("data-sequence", str(sequence))

    def expect_a_plane(self) -> None:
        """Wait until the first plane is on screen."""
        expect(self.node.and_(self.node.page.locator("[data-sequence]"))).to_be_visible()

    def point_at(self) -> None:
        """Move the pointer to the center of the plot, once nothing moves in it."""
        self.part("plot").hover()
        expect(self.part("plot")).not_to_have_class(re.compile("is-moving"))

    def zoom(self) -> None:
        """Turn the wheel over the center of the plot."""
        self.part("plot").hover()
        self.node.page.mouse.wheel(0, -200)

    def inspect(self, tab: str) -> Locator:
        """Show a tab of the inspector: "Features", "Rows", "Trust" or "New rows"."""
        self.node.get_by_role("tab", name=tab, exact=True).click()
        return self.node.get_by_role("tabpanel", name=tab, exact=True)

    def open_curve(self) -> None:
        """Open the curve of the run, as the pointer does that approaches its slider."""
        self.node.locator(".curve-frame").hover()

    def open_door(self, label: str, tab: str = "Trust") -> Locator:
        """Press a button or a line of the inspector; return what such a line opens."""
        shown, own = self.inspect(tab), re.compile(f"^{re.escape(label)}$")
        shown.locator("button, summary").filter(has_text=own).click()
        return shown.locator(".analysis[open]")

    def download(self, item: str) -> Download:
        """Save a file of the plane in front."""
        page = self.node.page
        with page.expect_download() as waiting:
            if item in ("Report", "Replay"):
                share_by(page, item)
            else:
                share_by(page, "Program and data")
                dialog = page.get_by_role("dialog", name="Program and data")
                dialog.get_by_role("link", name=item).click()
        page.keyboard.press("Escape")
        return waiting.value

    def open_layers(self) -> Locator:
        """Open the popover of layers and arrows."""
        self.node.get_by_role("button", name="Layers and arrows").click()
        expect(self.part("tools")).to_be_visible()
        return self.part("tools")


class StudioPage:
    """An open page of the studio."""

    def __init__(self, page: Page, url: str = "/") -> None:
        self.page = page
        self.data_name = page.locator(f"#{ids.DATA_NAME}")
        self.sheet = page.locator(f"#{ids.TABLE_SHEET}")
        self.data_size = page.locator(f"#{ids.DATA_SIZE}")
        self.summary = page.locator(f"#{ids.DATA_SUMMARY}")
        self.data_error = page.locator(f"#{ids.DATA_ERROR}")
        self.connection = page.locator(f"#{ids.CONNECTION}")
        self.file_input = page.get_by_label("Table file")
        self.method = page.get_by_role("textbox", name="Method", exact=True)
        self.starts = page.get_by_label("Starts", exact=True)
        self.run_button = page.get_by_role("button", name="Run", exact=True)
        self.panels = page.locator("[data-run]")
        page.goto(url)
        expect(self.data_size).to_contain_text("rows")

    def upload(self, file: Path) -> None:
        """Choose a file and wait until the page shows its data."""
        self.file_input.set_input_files(file)
        expect(self.data_name).to_have_text(file.stem)

    def choose_sample(self, label: str) -> None:
        """Choose a sample in its menu and wait until the page shows it."""
        self.open_sheet()
        self.page.get_by_role("button", name="Samples", exact=True).click()
        self.page.get_by_role("menuitem").filter(
            has=self.page.get_by_text(label, exact=True)
        ).click()
        expect(self.data_name).to_have_text(label)
        self.close_sheet()

    def open_sheet(self) -> None:
        """Open the sheet of the table."""
        if not self.sheet.is_visible():
            self.data_name.click()
            expect(self.sheet).to_be_visible()

    def close_sheet(self) -> None:
        """Close the sheet of the table."""
        if self.sheet.is_visible():
            self.data_name.click()
            expect(self.sheet).to_be_hidden()

    def open_actions(self) -> None:
        """On a small screen, open what the header has folded away."""
        more = self.page.locator(".top-more")
        if more.is_visible():
            more.click()

    def share(self, item: str) -> None:
        """Choose a way out of what is on screen."""
        share_by(self.page, item)

    def show_settings(self) -> None:
        """Unfold the settings that are folded away."""
        settings = self.page.locator(f"details:has(#{ids.N_INIT})")
        if settings.get_attribute("open") is None:
            settings.locator("summary").click()

    def hold_out(self, percent: int) -> None:
        """Hold a share of the rows out of the planes of the runs that follow."""
        self.show_settings()
        self.page.get_by_label("Held out (%)").fill(str(percent))

    def choose_method(self, label: str) -> None:
        self.method.fill(label)
        self.page.get_by_role("option", name=label, exact=True).click()
        expect(self.method).to_have_value(label)
        # The explanation and the defaults of a method arrive together.
        (method,) = (known for known in METHODS.values() if known.label == label)
        explanation = self.page.locator(f"#{ids.METHOD_EXPLANATION}")
        expect(explanation).to_contain_text(method.explanation)

    def choose_methods(self, *labels: str) -> None:
        """In Compare, choose the methods that run side by side."""
        chosen = self.page.get_by_role("textbox", name="Methods")
        pills = self.page.locator(".mantine-MultiSelect-pill")
        while n := pills.count():
            chosen.press("Backspace")
            expect(pills).to_have_count(n - 1)
        for label in labels:
            chosen.fill(label)
            self.page.get_by_role("option", name=label, exact=True).click()
        chosen.press("Escape")

    def run(self, method: str, *, n_init: int | None = None) -> Panel:
        """Fill in the form, click Run and return the new panel."""
        if self.page.locator("body").get_attribute("data-mode") == "compare":
            self.choose_methods(method)
        else:
            self.choose_method(method)
        if n_init is not None:
            self.show_settings()
            self.starts.fill(str(n_init))
        n_panels = self.panels.count()
        self.run_button.click()
        again = self.page.get_by_role("button", name="Run it again")
        expect(self.panels.nth(n_panels).or_(again).first).to_be_visible()
        if again.is_visible():
            again.click()
        expect(self.panels).to_have_count(n_panels + 1)
        return self.panel(n_panels)

    def panel(self, position: int) -> Panel:
        """The panel at this position."""
        run_id = self.panels.nth(position).get_attribute("data-run")
        return Panel(self.page.locator(f'[data-run="{run_id}"]'))

    def show(self, mode: str) -> None:
        """Select a mode by its name."""
        self.open_actions()
        self.page.locator(f"#{ids.MODE}").get_by_text(mode, exact=True).click()
        expect(self.page.locator("body")).to_have_attribute("data-mode", mode.lower())
        expect(self.page.locator(IN_MOTION)).to_have_count(0)

    def toggle(self, label: str) -> None:
        """Click a switch above the panels, or, in Explore, among the layers of the run in front."""
        switch = self.page.get_by_role("switch", name=label, exact=True)
        view = self.page.locator("details.view")
        if view.is_visible() and view.get_attribute("open") is None:
            view.locator("summary").click()
        if not switch.is_visible():
            Panel(self.page.locator(".panel.is-front")).open_layers()
        switch.click()
        self.page.keyboard.press("Escape")

    def tab_to(self, target: Locator) -> None:
        """Press Tab until the target has the focus."""
        for _ in range(MOST_TAB_STOPS):
            self.page.keyboard.press("Tab")
            if target.evaluate("el => el === document.activeElement"):
                return
        raise AssertionError(f"{target} is not within {MOST_TAB_STOPS} presses of Tab.")

    def wait_until(self, condition: Callable[[], bool], claim: str) -> None:
        """Wait for a condition that no locator can express."""
        wait_until(self.page, condition, claim)


def share_by(page: Page, item: str) -> None:
    """Choose a way out of what is on screen: "Copy link", "Figure for print", "Add to story"."""
    opening = page.get_by_role("button", name="Share", exact=True)
    if not opening.is_visible():
        page.locator(".top-more").click()
    opening.click()
    page.get_by_role("menuitem", name=item).click()


def names_on(canvas: Locator) -> list[dict[str, Any]]:
    """The names of classes and features on a canvas, each with its box in pixels."""
    return [drawn for drawn in canvas.evaluate(TEXTS) if not NO_NAME.fullmatch(drawn["text"])]


def wait_until(page: Page, condition: Callable[[], bool], claim: str) -> None:
    """Check the condition after every paint until it holds."""
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, f"Not true within {DEADLINE_S} s: {claim}"
        page.evaluate(NEXT_PAINT)
