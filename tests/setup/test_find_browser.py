from __future__ import annotations

from pathlib import Path

import pytest

from lab.setup import find_browser
from lab.setup.find_browser import BrowserError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH, on a machine without other browsers."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(find_browser, "MACOS_APPLICATIONS", ())
    return tmp_path


def program(folder: Path, name: str, script: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_an_installed_browser_is_found_on_the_path(folder: Path) -> None:
    chrome = program(folder, "google-chrome", "echo Google Chrome 150.0")
    assert find_browser.find_browser() == chrome


def test_chromium_is_preferred_to_chrome(folder: Path) -> None:
    program(folder, "google-chrome", "echo Google Chrome 150.0")
    chromium = program(folder, "chromium", "echo Chromium 150.0")
    assert find_browser.find_browser() == chromium


def test_a_shell_without_windows_is_preferred_to_a_whole_browser(folder: Path) -> None:
    program(folder, "chromium", "echo Chromium 150.0")
    shell = program(folder, "chromium-headless-shell", "echo Chromium 150.0")
    assert find_browser.find_browser() == shell


def test_an_older_debian_gets_the_whole_browser(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find_browser, "_downloaded", lambda: None)
    monkeypatch.setattr(find_browser, "_is_ubuntu", lambda: False)
    program(folder, "apt-get", "exit 0")
    program(folder, "sh", f'[ "$2" = chromium ] && /bin/cp {folder}/new {folder}/chromium')
    program(folder, "new", "echo Chromium 120.0")
    assert find_browser.ensure_browser() == folder / "chromium"


def test_the_variable_chromium_overrides_the_search(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(folder, "chromium", "echo Chromium 150.0")
    chosen = program(folder, "mine", "echo Chromium 151.0")
    monkeypatch.setenv("CHROMIUM", str(chosen))
    assert find_browser.find_browser() == chosen


def test_a_wrong_variable_is_an_error_that_names_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMIUM", str(folder / "missing"))
    with pytest.raises(BrowserError, match=r"CHROMIUM=.*missing is not a browser that starts"):
        find_browser.find_browser()


def test_the_script_that_starts_a_snap_is_passed_over(folder: Path) -> None:
    program(folder, "chromium-browser", "echo Chromium 150.0 # exec /snap/bin/chromium")
    chrome = program(folder, "google-chrome", "echo Google Chrome 150.0")
    assert find_browser.find_browser() == chrome


def test_a_browser_that_does_not_start_is_passed_over(folder: Path) -> None:
    program(folder, "chromium", "exit 1")
    chrome = program(folder, "google-chrome", "echo Google Chrome 150.0")
    assert find_browser.find_browser() == chrome


def test_without_any_browser_the_choice_is_left_to_playwright(folder: Path) -> None:
    assert find_browser.find_browser() is None
