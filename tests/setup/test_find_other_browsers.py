from __future__ import annotations

from pathlib import Path

import pytest

from lab.setup.find_other_browsers import WebKit, find_firefox, find_webkit


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def program(path: Path, script: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_the_long_term_firefox_of_debian_is_preferred(folder: Path) -> None:
    assert find_firefox() is None
    firefox = program(folder / "bin/firefox")
    assert find_firefox() == firefox
    assert find_firefox() != program(folder / "bin/firefox-esr") == find_firefox()


def test_the_script_that_starts_a_snap_is_passed_over(folder: Path) -> None:
    program(folder / "bin/firefox", "exec /snap/bin/firefox")
    assert find_firefox() is None


def test_webkit_is_found_only_with_its_driver_its_browser_and_a_screen(folder: Path) -> None:
    driver = program(folder / "bin/WebKitWebDriver")
    browser = program(folder / "lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser")
    assert find_webkit(folder) is None
    screen = program(folder / "bin/Xvfb")
    assert find_webkit(folder) == WebKit(driver, browser, screen)
    browser.unlink()
    assert find_webkit(folder) is None
