"""Find the Chromium or Chrome that browser tests, benchmarks and pictures drive.

Run as a program, it installs one if none is found, and prints its path.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

# The shell first: it draws no window around a page, which costs the others processor time.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
# The second where Debian is too old for the first.
DEBIAN_PACKAGES = ("chromium-headless-shell", "chromium")
MACOS_APPLICATIONS = (
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    Path("/Applications/Chromium.app/Contents/MacOS/Chromium"),
)
APT_INSTALL = Path(__file__).with_name("apt_install.sh")
FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class BrowserError(RuntimeError):
    """No browser is available; the message says what to type."""


def find_browser() -> Path | None:
    """Return the installed browser; the variable CHROMIUM overrides the search.

    None leaves the choice to Playwright, which then starts the one it downloaded.
    """
    if chosen := os.environ.get("CHROMIUM"):
        if not _starts(Path(chosen)):
            raise BrowserError(
                f"CHROMIUM={chosen} is not a browser that starts. "
                "Correct the path, or type: unset CHROMIUM"
            )
        return Path(chosen)
    return next((path for path in _candidates() if not is_snap(path) and _starts(path)), None)


def launch_options() -> dict[str, Any]:
    """Return the options with which Playwright starts the browser."""
    # Chromium refuses to run in its sandbox as root.
    flags = [*FLAGS, "--no-sandbox"] if os.geteuid() == 0 else [*FLAGS]
    return {"executable_path": find_browser(), "args": flags}


def ensure_browser() -> Path:
    """Return a browser that starts, installing one if possible."""
    browser = find_browser() or _downloaded()
    if browser is None and _has_debian_package() and _install_debian_package():
        browser = find_browser()
    if browser is None and _download():
        browser = _downloaded()
    if browser is None:
        raise BrowserError(f"The browser tests need Chromium or Chrome. {_remedy()}")
    return browser


def _candidates() -> Iterator[Path]:
    yield from (Path(path) for name in NAMES if (path := shutil.which(name)))
    yield from MACOS_APPLICATIONS


def is_snap(path: Path) -> bool:
    """Return whether a program is a snap, or a script that starts one."""
    # A snap cannot read the profile folder that Playwright creates, and Ubuntu's package is a
    # script that starts the snap.
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return "snap" in path.resolve().parts or b"/snap/bin/" in file.read(4096)


def _starts(path: Path) -> bool:
    try:
        version = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return "Chrom" in version.stdout


def _downloaded() -> Path | None:
    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    return path if _starts(path) else None


def _has_debian_package() -> bool:
    return shutil.which("apt-get") is not None and not _is_ubuntu()


def _is_ubuntu() -> bool:
    try:
        return platform.freedesktop_os_release()["ID"] == "ubuntu"
    except OSError:
        return False


def _install_debian_package() -> bool:
    return any(
        subprocess.run(["sh", APT_INSTALL, package], check=False).returncode == 0
        for package in DEBIAN_PACKAGES
    )


def _download() -> bool:
    print("Downloading Chromium with Playwright.", file=sys.stderr)
    # Output goes to stderr: stdout is only for the path.
    command = [sys.executable, "-m", "playwright", "install", *_with_libraries(), "chromium"]
    return subprocess.run(command, stdout=sys.stderr, check=False).returncode == 0


def _with_libraries() -> list[str]:
    # apt-get installs the system libraries, and asks for a password unless sudo needs none.
    may_install = os.geteuid() == 0 or (
        shutil.which("sudo") is not None
        and subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
    )
    return ["--with-deps"] if may_install and shutil.which("apt-get") else []


def _remedy() -> str:
    if _has_debian_package():
        return f"Type: sudo apt-get install {DEBIAN_PACKAGES[0]}"
    if _is_ubuntu():
        return f"Type: sudo {sys.executable} -m playwright install --with-deps chromium"
    return "Install one of them and try again."


if __name__ == "__main__":
    try:
        print(ensure_browser())
    except BrowserError as error:
        sys.exit(str(error))
