"""The steps of docs/adding-a-panel-button.md, carried out on a copy of the studio."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
COPIED = ("assets", "callbacks", "melm_core", "melm_studio")
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
SCRIPT = re.compile(r"```js\n(.*?)```", re.DOTALL)


def copy_of_the_studio(folder: Path) -> Path:
    shutil.copy(ROOT / "app.py", folder)
    for part in COPIED:  # with what is compiled, but for what is just being written
        ignored = shutil.ignore_patterns("*.pyc.*")
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
    insert_before(callbacks, "^    runs,$", "    run_parameters,\n")
    insert_before(callbacks, r"(?<=routes = \()\w|(?<=ROUTES = \()\s", "run_parameters, ")


# What the copy says of itself: of the page, of its script, and of the route.
ASKED = """
import json, sys
from pathlib import Path
from melm_studio.layout.scripts import PAGE_SCRIPT, page_bundle
from lab.driver.visitor import opened_studio

with opened_studio(Path(sys.argv[1])) as studio:
    visitor = studio.visitor()
    visitor.choose_sample("iris")
    run = visitor.start(method="pca")
    print(json.dumps([
        'data-part="parameters"' in visitor.http.get("/").text,
        "addToPanels(addRunParameters)" in page_bundle(PAGE_SCRIPT).script,
        visitor.http.get(f"/runs/{run}/parameters").json["n_components"],
        studio.visitor().http.get(f"/runs/{run}/parameters").status_code,
    ]))
"""


def test_three_parts_add_a_button_with_its_script_and_route(tmp_path):
    copy, kept = tmp_path / "copy", tmp_path / "kept"
    copy.mkdir()
    add_the_button(copy_of_the_studio(copy))
    told = subprocess.run(
        [sys.executable, "-c", ASKED, str(kept)],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": f"{copy}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.stdout, told.stderr
    assert json.loads(told.stdout) == [True, True, 2, 404]
