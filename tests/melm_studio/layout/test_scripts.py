"""The page loads its scripts once, all at the same time, and starts Dash after them."""

from __future__ import annotations

import re
from pathlib import Path

from melm_studio.layout.scripts import ASSETS, MODULES, module_preloads
from tools.driver.visitor import opened_studio

IMPORT = re.compile(r'^(?:import|export) .*?from "(\./|\.\./)([^"]+)";$', re.MULTILINE)


def imported(module: Path) -> set[Path]:
    """The modules that a module imports, itself or by another one."""
    found: set[Path] = set()
    waiting = [module]
    while waiting:
        importing = waiting.pop()
        for start, rest in IMPORT.findall(importing.read_text()):
            path = (importing.parent / start / rest).resolve()
            if path not in found:
                found.add(path)
                waiting.append(path)
    return found


def test_the_entry_imports_every_module():
    assert imported(ASSETS / "main.mjs") == set((ASSETS / MODULES).rglob("*.mjs"))


def test_every_module_is_preloaded_once():
    links = re.findall(r'href="([^"]+)"', module_preloads(lambda path: f"/assets/{path}"))
    assert sorted(links) == sorted(
        f"/assets/{path.relative_to(ASSETS).as_posix()}"
        for path in (ASSETS / MODULES).rglob("*.mjs")
    )


def test_the_page_has_one_script_that_is_a_module_and_dash_waits_for_it(tmp_path):
    with opened_studio(tmp_path) as studio:
        html = studio.visitor().http.get("/").text
    assert re.findall(r'<script[^>]*src="([^"?]+)[^>]*type="module"', html) == ["/assets/main.mjs"]
    assert "new DashRenderer" not in html
    assert "startDash();" in (ASSETS / "main.mjs").read_text()


def test_no_folder_of_modules_is_crowded_and_no_module_is_long():
    folders = [ASSETS, *(path for path in (ASSETS / MODULES).rglob("*") if path.is_dir())]
    for folder in [*folders, ASSETS / MODULES]:
        modules = list(folder.glob("*.mjs"))
        assert len(modules) <= 20
        assert all(len(path.read_text().splitlines()) < 400 for path in modules)
