"""The page loads its scripts once, all at the same time, and starts Dash after them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest

from lab.driver.visitor import opened_studio
from melm_studio.layout import scripts
from melm_studio.layout.scripts import (
    ASSETS,
    MODULES,
    PAGE_SCRIPT,
    STYLES,
    assets_path,
    script_preloads,
    style_sheet,
)

IMPORT = re.compile(r'^(?:import|export) .*?from "(\./|\.\./)([^"]+)";$', re.MULTILINE)
# In a template, the name of a module may be a value.
ON_DEMAND = re.compile(r'import\(["`](\./|\.\./)([^"`]+\.mjs)["`]\)')


def imported(module: Path, *ways: re.Pattern[str]) -> set[Path]:
    """The modules that a module imports in any of these ways, itself or by another one."""
    found: set[Path] = set()
    waiting = [module]
    while waiting:
        importing = waiting.pop()
        text = importing.read_text()
        for start, rest in [path for way in ways for path in way.findall(text)]:
            pattern = re.sub(r"\$\{\w+\}", "*", rest)
            folder = (importing.parent / start / pattern).resolve().parent
            named = set(folder.glob(Path(pattern).name)) - found
            found |= named
            waiting += named
    return found


def test_an_entry_imports_every_module_now_or_later():
    every = set((ASSETS / MODULES).rglob("*.mjs"))
    presenter = ASSETS / MODULES / "present/presenter_page.mjs"  # of a window of its own
    replay = ASSETS / MODULES / "present/replay/page.mjs"  # of a file of its own
    widget = ASSETS / MODULES / "present/plane_widget.mjs"  # of a notebook
    entries = {ASSETS / "main.mjs", ASSETS / "follow.mjs", presenter, replay, widget}
    found = [imported(entry, IMPORT, ON_DEMAND) for entry in entries]
    assert set().union(*found) == every - {presenter, replay, widget}


def test_the_page_has_one_script_that_is_a_module_and_dash_waits_for_it(tmp_path):
    with opened_studio(tmp_path) as studio:
        html = studio.visitor().http.get("/").text
    modules = re.findall(r'<script type="module" src="([^"]+)"', html)
    assert ".mjs?" not in html  # as Dash names modules
    assert modules == [f"/{assets_path()}/{PAGE_SCRIPT}"]
    assert "new DashRenderer" not in html
    assert "startDash" in (ASSETS / "main.mjs").read_text()
    assert html.index('type="module"') < html.index('as="script"')  # is fetched first


def test_the_path_of_the_assets_changes_with_any_of_them(tmp_path, monkeypatch):
    copy = tmp_path / "assets"
    shutil.copytree(ASSETS, copy)
    monkeypatch.setattr(scripts, "ASSETS", copy)
    paths = [assets_path()]
    for change in ("main.mjs", "styles/page.css", "icons/new.svg"):
        (copy / change).write_text("// changed")
        paths.append(assets_path())
    assert len(set(paths)) == 4


def test_the_style_sheet_holds_every_rule_of_every_file_and_no_comment():
    files = [path.read_text() for path in (ASSETS / STYLES).glob("*.css")]
    assert len(files) > 5
    sheet = style_sheet()
    assert "/*" not in sheet
    assert sheet.count("}") == sum(text.count("}") for text in files)
    selectors = {line for text in files for line in text.splitlines() if line.endswith("{")}
    assert all(selector.strip() in sheet for selector in selectors)


def test_the_style_sheet_holds_the_icons_so_that_a_panel_requests_none():
    files = [path.read_text() for path in (ASSETS / STYLES).glob("*.css")]
    named = {name for text in files for name in re.findall(r'url\("\.\./(icons/[^"]+)"\)', text)}
    within = {
        unquote(drawing)
        for drawing in re.findall(r'url\("data:image/svg\+xml,([^"]+)"\)', style_sheet())
    }
    images = {name: (ASSETS / name).read_text().strip() for name in named}
    assert within == set(images.values()) - {images["icons/samples.svg"]}
    assert len(within) > 10
    requested = re.findall(r'url\("\.\./(icons[^"]+)"\)', style_sheet())
    assert requested == ["icons/samples.svg"]  # which wait for their menu


def test_scripts_that_the_page_does_not_use_are_left_out():
    folder = "/_dash-component-suites/dash"
    table, polyfill, react = (
        f'<script src="{folder}/{name}.v1.js"></script>'
        for name in ("dash_table/bundle", "deps/polyfill@7", "deps/react@18")
    )
    (link,) = script_preloads(f"{polyfill}\n{react}\n{table}").splitlines()
    address = f"{folder}/deps/react@18.v1.js"
    assert link == f'<link rel="preload" as="script" href="{address}" data-src="{address}">'


@pytest.mark.slow
def test_the_page_repeats_nothing_that_it_requests(tmp_path):
    with opened_studio(tmp_path) as studio:
        html = studio.visitor().http.get("/").text
    assert "validation_layout" not in html
    assert "dash_table/bundle" not in html
    assert "deps/polyfill" not in html
    assert html.count('rel="stylesheet"') == 1
