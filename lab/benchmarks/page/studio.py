"""A separate studio for each benchmark, and its page in headless Chromium."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

from lab.driver.launcher import Studio, running_studio
from lab.setup.find_browser import launch_options
from melm_core.methods import METHODS

VIEWPORT: ViewportSize = {"width": 1440, "height": 900}
DEADLINE_MS = 300_000
POLL_MS = 500
NO_PLANES_AFTER = 999_999_999  # a sequence that no run reaches: the response has no planes

# Records in milliseconds when Run was pressed, and when the browser painted each plane of each run.
RECORD = """
window.pressed = null;
window.drawn = [];
addEventListener("click", (event) => {
  if (event.target.closest?.("#run")) window.pressed = performance.now();
}, true);
new MutationObserver((changes) => {
  for (const { target, oldValue } of changes) {
    if (target.dataset.sequence === oldValue) continue; // repainted on other axes
    const { run } = target.dataset;
    requestAnimationFrame(() => window.drawn.push([performance.now(), run]));
  }
}).observe(document, {
  subtree: true,
  attributes: true,
  attributeFilter: ["data-sequence"],
  attributeOldValue: true,
});
"""


# At once: a run may end between two looks at its button.
_PRESS_SHOWN = "(buttons) => buttons.forEach((button) => button.hidden || button.click())"
# Folds and shuffles of the run in front are done; Iris and wine get a yes.
ANSWERED = "() => document.querySelector('[data-answer=yes]') !== null"
_N_PANELS = "(n) => document.querySelectorAll('[data-run]').length === n"


class StudioPage:
    """The page of a studio, showing the breast cancer sample."""

    def __init__(self, page: Page, studio: Studio) -> None:
        self.page = page
        self.studio = studio
        self.panels = page.locator("[data-run]")
        page.set_default_timeout(DEADLINE_MS)
        page.add_init_script(RECORD)
        self.open()

    def open(self) -> None:
        """Load the page and choose the sample."""
        self.page.goto("/")
        self.show("Explore")  # the tab remembers the mode
        self.choose("Breast cancer", "569 rows, 30 features")

    def choose(self, sample: str, size: str) -> None:
        """Choose a sample, and wait until the page shows its size."""
        self.page.locator("#data-name").click()
        self.page.get_by_role("button", name="Samples", exact=True).click()
        named = self.page.get_by_text(sample, exact=True)
        self.page.get_by_role("menuitem").filter(has=named).click()
        self.page.get_by_text(size).wait_for()
        self.page.locator("#data-name").click()

    def leave(self) -> None:
        """Leave the page; runs continue."""
        self.page.goto("about:blank")

    def upload(self, raw: bytes, name: str) -> None:
        """Upload a file and wait until its data are loaded."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_bytes(raw)  # Playwright passes on 50 MB at most that are not in a file
            self.page.get_by_label("Table file").set_input_files(path)
            self._wait_for_data(name)

    def _wait_for_data(self, name: str) -> None:
        self.page.locator("#data-name").get_by_text(name.removesuffix(".csv")).wait_for()
        self.panels.wait_for(state="detached")  # those of the previous data

    def show(self, mode: str) -> None:
        """Choose a mode by its name."""
        self.page.locator("#mode").get_by_text(mode, exact=True).click()

    def run(self, n_init: int, method: str = "MELM") -> str:
        """Press Run and return the id of the run once its panel exists."""
        position = self.panels.count()
        self.choose_method(n_init, method)
        self.press_run()
        return self.panels.nth(position).get_attribute("data-run") or ""

    def choose_method(self, n_init: int, method: str) -> None:
        """Choose the method of the next run."""
        self.page.locator("#method").fill(method)  # which unfolds the group that it is in
        self.page.get_by_role("option", name=method, exact=True).click()
        # The controls have their defaults once the explanation is shown.
        (chosen,) = (known for known in METHODS.values() if known.label == method)
        self.page.locator("#method-explanation").get_by_text(chosen.explanation).wait_for(
            state="attached"  # behind a button
        )
        if method == "MELM":  # the other methods used here have no starts
            self._show_settings()
            self.page.get_by_label("Starts", exact=True).fill(str(n_init))

    def press_run(self) -> None:
        """Press Run."""
        self.page.get_by_role("button", name="Run", exact=True).click()

    def press_run_of_explore(self) -> None:
        """Press Run of one method, which Compare hides.

        To look for it by its role would take time of the page's main thread.
        """
        self.page.evaluate("document.getElementById('run').click()")

    def _show_settings(self) -> None:
        settings = self.page.locator("details:has(#n-init)")
        if settings.get_attribute("open") is None:
            settings.locator("summary").click()

    def wait_for_first_frame(self, run_id: str) -> None:
        """Wait until a plane of the run is on screen."""
        self.page.locator(f'[data-run="{run_id}"][data-sequence]').wait_for()

    def wait_for_end(self, run_id: str) -> str:
        """Wait for the end of a run, shown or not, and return its summary."""
        address = f"/frames?run={run_id}:{NO_PLANES_AFTER}"
        while True:
            news = self.page.request.get(address).json()["runs"][run_id]
            if news["is_final"]:
                return str(news["words"])
            self.page.wait_for_timeout(POLL_MS)

    def finished(self, method: str, n_init: int = 1) -> str:
        """Run a method, wait until its last plane is on screen, and return the id of the run."""
        run_id = self.run(n_init, method)
        self.wait_for_end(run_id)
        self.wait_for_first_frame(run_id)
        return run_id

    def remove(self) -> None:
        """Remove the run in front."""
        n_panels = self.panels.count()
        self.page.locator('.panel.is-front [data-part="remove"]').click()
        self.page.wait_for_function(_N_PANELS, arg=n_panels - 1)

    def collected(self) -> dict[str, float]:
        """The counts of the browser after it has collected garbage, by their names."""
        protocol = self.page.context.new_cdp_session(self.page)
        protocol.send("Performance.enable")
        protocol.send("HeapProfiler.collectGarbage")
        metrics = protocol.send("Performance.getMetrics")["metrics"]
        protocol.detach()
        return {metric["name"]: float(metric["value"]) for metric in metrics}

    def stop_all(self) -> None:
        """Stop every run on the page that has not ended."""
        self.page.locator('[data-run] [data-part="stop"]').evaluate_all(_PRESS_SHOWN)

    def begin_anew(self) -> None:
        """Wait for the end of every run on the page, then reload it as a new visitor."""
        for run_id in self.panels.evaluate_all("nodes => nodes.map((node) => node.dataset.run)"):
            self.wait_for_end(run_id)
        # The page asks for news as long as it is open, and each answer may set a new cookie.
        self.leave()
        self.page.context.clear_cookies()
        self.open()

    def drawn(self) -> list[tuple[float, str]]:
        """Times in ms of the planes drawn since the page was loaded, with their runs."""
        return [(at, run_id) for at, run_id in self.page.evaluate("window.drawn")]

    def pressed(self) -> float:
        """Time of the last press of Run, in ms."""
        return float(self.page.evaluate("window.pressed"))

    def now(self) -> float:
        """Current time of the page's clock, in ms."""
        return float(self.page.evaluate("performance.now()"))


def fit_seconds(words: str) -> float:
    """The seconds in the summary of a finished run, as "16 starts, 756 evaluations, 1.3 s"."""
    found = re.search(r"([\d.]+) s$", words)
    if found is None:
        raise RuntimeError(f"The run did not finish: {words}")
    return float(found[1])


@contextmanager
def studio_page(workers: int) -> Generator[StudioPage]:
    """Start a studio and a browser, and stop both afterwards."""
    with own_studio(workers) as studio, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options())
        try:
            yield StudioPage(browser.new_page(base_url=studio.url, viewport=VIEWPORT), studio)
        finally:
            browser.close()


@contextmanager
def own_studio(workers: int) -> Generator[Studio]:
    """Start a studio in a temporary folder, and stop it afterwards."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_studio(Path(folder), workers=workers) as studio,
    ):
        yield studio
