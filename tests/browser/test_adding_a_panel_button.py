"""The steps of docs/adding-a-panel-button.md, carried out on a copy of the studio."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from melm_studio.layout import ids
from tools.driver.launcher import running_studio
from tools.driver.page import StudioPage

ROOT = Path(__file__).parents[2]
COPIED = ("assets", "callbacks", "melm_core", "melm_studio")
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
SCRIPT = re.compile(r"```js\n(.*?)```", re.DOTALL)


def copy_of_the_studio(folder: Path) -> Path:
    shutil.copy(ROOT / "app.py", folder)
    for part in COPIED:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / part, folder / part, ignore=ignored)
    return folder


def insert_before(file: Path, place: str, text: str) -> None:
    """Put text before the first place where the pattern matches."""
    old = file.read_text()
    new = re.sub(place, lambda found: text + found.group(), old, count=1, flags=re.MULTILINE)
    assert new != old, f"{file.name} has no place such as {place}"
    file.write_text(new)


def add_the_button(studio: Path) -> None:
    guide = (ROOT / "docs" / "adding-a-panel-button.md").read_text()
    element, route = PYTHON.findall(guide)
    module, imported, connected = SCRIPT.findall(guide)

    panel = studio / "melm_studio/layout/panel.py"
    insert_before(panel, r"icon_button\(\"close\"", "_parameters(),\n        ")
    insert_before(panel, r"^def _verdict", element + "\n\n")

    (studio / "assets/studio/panel/run_parameters.mjs").write_text(module)
    entry = studio / "assets/main.mjs"
    insert_before(entry, "^import", imported)
    insert_before(entry, "^startRunLoop", connected)

    (studio / "callbacks/routes/run_parameters.py").write_text(route)
    callbacks = studio / "callbacks/page.py"
    insert_before(callbacks, "^    run_commands,$", "    run_parameters,\n")
    insert_before(callbacks, r"(?<=routes = \()\w|(?<=ROUTES = \()\s", "run_parameters, ")


@pytest.mark.slow
def test_three_parts_add_a_button_that_works(tmp_path, page):
    copy = tmp_path / "copy"
    copy.mkdir()
    add_the_button(copy_of_the_studio(copy))
    command = (sys.executable, str(copy / "app.py"))
    with running_studio(tmp_path, workers=1, command=command) as studio:
        copied = StudioPage(page, studio.url)
        panel = copied.run("PCA")
        panel.expect_end()
        panel.node.get_by_role("button", name="Parameters").click()
        expect(page.locator(f"#{ids.NOTICE}")).to_contain_text("n_components 2")
