"""What a page loads at once is one script; other modules take from it what is in it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from melm_studio.layout.scripts import (
    ASSETS,
    ENTRIES,
    PAGE_SCRIPT,
    PRESENTER_SCRIPT,
    bundle,
    module_on_demand,
    page_bundle,
)

COUNTER = "let n = 0;\nexport const raised = () => (n += 1);\nexport const LAST = 3;\n"
TWICE = """import { raised as once } from "../counter.mjs";
export function twice() {
  once();
  return once();
}
"""
LATER = """import { raised } from "../counter.mjs";
import { also } from "./also.mjs";
export const later = () => [raised(), also()];
"""
ALSO = 'import { twice } from "./twice.mjs";\nexport const also = () => twice();\n'
ENTRY = (
    'import { LAST } from "./counter.mjs";\n'
    'import { twice } from "./deep/twice.mjs";\n'
    'export const load = () => import("./deep/later.mjs");\n'
    "export const all = () => [twice(), LAST];\n"
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "deep").mkdir()
    for name, text in {
        "counter.mjs": COUNTER,
        "deep/twice.mjs": TWICE,
        "deep/later.mjs": LATER,
        "deep/also.mjs": ALSO,
        "entry.mjs": ENTRY,
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def printed(folder: Path, code: str) -> str:
    node = Path(sys.executable).with_name("node")
    command = [node, "--input-type=module", "--eval", code]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return run.stdout.strip()


def test_a_module_exists_once_whether_it_is_in_the_script_or_loaded_later(folder):
    page = bundle(folder / "entry.mjs", folder)
    assert len(page.exported) == 3
    served = {
        path: module_on_demand(path, page, "all.mjs", folder) for path in folder.rglob("*.mjs")
    }
    (folder / "all.mjs").write_text(page.script)
    for path, text in served.items():
        path.write_text(text)
    code = """
      import { modules } from "./all.mjs";
      import { raised } from "./counter.mjs";
      const { all, load } = modules["entry.mjs"];
      console.log(JSON.stringify([all(), (await load()).later(), raised()]));
    """
    assert printed(folder, code) == "[[2,3],[3,5],6]"


def test_what_cannot_be_bundled_is_named(folder):
    (folder / "counter.mjs").write_text("export default 3;\n")
    with pytest.raises(ValueError, match=r"counter\.mjs cannot be bundled: export default 3"):
        bundle(folder / "entry.mjs", folder)
    (folder / "counter.mjs").write_text('import { all } from "./entry.mjs";\n')
    with pytest.raises(ValueError, match=r"in a circle: entry\.mjs, counter\.mjs"):
        bundle(folder / "entry.mjs", folder)


@pytest.mark.parametrize("name", ENTRIES)
def test_no_script_of_a_page_imports_anything_at_once(name):
    assert not re.findall(r"^\s*import ", page_bundle(name).script, re.MULTILINE)


def test_what_a_page_loads_later_is_there():
    loaded = re.findall(r'import\("\./([^"]+\.mjs)"\)', page_bundle(PAGE_SCRIPT).script)
    assert "studio/workspace/figure_dialog.mjs" in loaded
    assert all((ASSETS / path).exists() for path in loaded)
    assert ASSETS / "studio/workspace/figure_dialog.mjs" not in page_bundle(PAGE_SCRIPT).exported


def test_the_presenter_starts_no_page():
    assert "startDash" not in page_bundle(PRESENTER_SCRIPT).script
