"""A plane in the notebooks that people have: fitted in the kernel, seen and touched in the page.

The wheels are installed with the extra `notebook`, and marimo, in an environment of their own.
"""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import URLError

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from melm_studio.programs.local_studio import free_port
from tests.melm_studio.runs.helpers import wait_until
from tests.wheels import built_wheels, installed

pytestmark = pytest.mark.slow

LOADS_MS = 120_000
SEARCH = """\
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import melm_studio
from melm_core import MELM

X, y = load_wine(return_X_y=True)
search = make_pipeline(StandardScaler(), MELM(random_state=0))
"""
JUPYTER = (
    f"{SEARCH}plane = melm_studio.view(search, X, y)\nplane",
    "fitted = plane.fit()",
    "print(len(plane.selected), 'selected')",
)
MARIMO = f"""\
import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
{"".join(f"    {line}" if line.strip() else line for line in SEARCH.splitlines(keepends=True))}
    plane = mo.ui.anywidget(melm_studio.view(search, X, y))
    plane
    return mo, plane


@app.cell
def _(mo, plane):
    fit = mo.ui.button(label="Fit", on_click=lambda _: plane.widget.fit())
    fit
    return


@app.cell
def _(mo, plane):
    mo.md(f"{{len(plane.value['selected'])}} selected")
    return


if __name__ == "__main__":
    app.run()
"""
# How often the picture is painted differently; what is the same again is not painted.
COUNT_PLANES = """() => {
  window.planes = 0;
  const draw = CanvasRenderingContext2D.prototype.clearRect;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    window.planes += 1;
    return draw.apply(this, box);
  };
}"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("notebooks")
    wheels = built_wheels(folder)
    return installed(folder, wheels["melm_core"], f"{wheels['melm_studio']}[notebook]", "marimo")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page whose errors are the notebook's own affair."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    yield page
    page.close()


@contextmanager
def served(command: list[str | Path], folder: Path, url: str) -> Iterator[None]:
    """A notebook server, for the block."""
    with (folder / "output.txt").open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        try:
            wait_until(lambda: answers(url), deadline_s=120)
            yield
        finally:
            process.terminate()
            process.wait()


def answers(url: str) -> bool:
    with suppress(URLError, ConnectionError):
        return urllib.request.urlopen(url, timeout=5).status == 200
    return False


def test_jupyterlab_shows_a_search_and_takes_a_selection(environment, tmp_path, page):
    cells = [
        {
            "cell_type": "code",
            "id": str(number),
            "source": source,
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        }
        for number, source in enumerate(JUPYTER)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    book = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "planes.ipynb").write_text(json.dumps(book))
    port = free_port()
    options = [f"--port={port}", "--IdentityProvider.token=", "--allow-root", "--no-browser"]
    command = [environment / "bin/jupyter", "lab", *options]
    with served(command, tmp_path, f"http://127.0.0.1:{port}/api"):
        page.goto(f"http://127.0.0.1:{port}/lab/tree/planes.ipynb")
        # Dash's extension for JupyterLab has it suggest a build.
        page.add_locator_handler(
            page.locator("dialog.jp-Dialog"),
            lambda dialog: dialog.locator(".jp-mod-reject").click(),
        )
        run_cell(page, 0)
        plane = page.locator(".melm-plane")
        expect(plane).to_contain_text("Not fitted yet", timeout=LOADS_MS)
        page.evaluate(COUNT_PLANES)
        run_cell(page, 1)
        expect_a_moving_plane(plane)
        select_all_rows(page, plane)
        run_cell(page, 2)
        expect(page.locator(".jp-OutputArea-output").last).to_have_text("178 selected\n")


def run_cell(page: Page, number: int) -> None:
    """Run a cell of JupyterLab; a dialog that opens meanwhile takes the first keys."""
    cell = page.locator(".jp-CodeCell").nth(number)
    for _ in range(5):
        cell.locator(".cm-content").click(timeout=LOADS_MS)
        page.keyboard.press("Shift+Enter")
        with suppress(AssertionError):
            return expect(cell.locator(".jp-InputPrompt")).not_to_have_text("[ ]:")
    raise AssertionError(f"Cell {number} does not run.")


def test_marimo_shows_a_search_and_takes_a_selection(environment, tmp_path, page):
    (tmp_path / "planes.py").write_text(MARIMO)
    port = free_port()
    options = ["--headless", "--no-token", f"--port={port}"]
    command = [environment / "bin/marimo", "run", "planes.py", *options]
    with served(command, tmp_path, f"http://127.0.0.1:{port}/health"):
        page.goto(f"http://127.0.0.1:{port}/")
        plane = page.locator(".melm-plane")
        expect(plane).to_contain_text("Not fitted yet", timeout=LOADS_MS)
        page.evaluate(COUNT_PLANES)
        page.get_by_role("button", name="Fit").click()
        expect_a_moving_plane(plane)
        select_all_rows(page, plane)
        expect(page.get_by_text("178 selected")).to_be_visible(timeout=LOADS_MS)


def expect_a_moving_plane(plane: Locator) -> None:
    """The picture has been painted anew for several planes of the search."""
    expect(plane.locator(".classes button")).to_have_text(["0", "1", "2"], timeout=LOADS_MS)
    plane.page.wait_for_function("window.planes > 3", timeout=LOADS_MS)


def select_all_rows(page: Page, plane: Locator) -> None:
    """Draw a line around the picture."""
    plane.get_by_role("button", name="Select by a line").click()
    box = plane.locator(".plot").bounding_box()
    corners = [(0.01, 0.01), (0.99, 0.01), (0.99, 0.99), (0.01, 0.99), (0.01, 0.01)]
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in corners]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=4)
    page.mouse.up()
    expect(plane.get_by_role("status")).to_contain_text("178 rows selected")
