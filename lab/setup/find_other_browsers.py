"""Find the Firefox and the WebKit in which the slow tests walk through the studio.

Run as a program, it installs what is missing where that is possible, prints the paths, and
otherwise what to type. The walk is skipped in a browser that is not there.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from lab.setup.find_browser import is_snap

APT_INSTALL = Path(__file__).with_name("apt_install.sh")
FIREFOX_PACKAGES = ("firefox-esr",)
WEBKIT_PACKAGES = ("webkit2gtk-driver", "xvfb")
# Where Debian and Fedora put WebKit's browser, by version of its interface.
MINI_BROWSERS = ("lib/*/webkit2gtk-4*/MiniBrowser", "libexec/webkit2gtk-4*/MiniBrowser")
FIREFOX_REMEDY = "The walk through Firefox needs: sudo apt-get install firefox-esr"
WEBKIT_REMEDY = "The walk through WebKit needs: sudo apt-get install webkit2gtk-driver xvfb"


@dataclass(frozen=True)
class WebKit:
    """WebKit's driver, the browser that it starts, and the screen that this one is shown on."""

    driver: Path
    browser: Path
    screen: Path


def find_firefox() -> Path | None:
    """Return the installed Firefox."""
    found = (Path(path) for name in ("firefox-esr", "firefox") if (path := shutil.which(name)))
    return next((path for path in found if not is_snap(path)), None)


def find_webkit(prefix: Path = Path("/usr")) -> WebKit | None:
    """Return the installed WebKit, if nothing of it is missing."""
    programs = [shutil.which(name) for name in ("WebKitWebDriver", "Xvfb")]
    browsers = [path for pattern in MINI_BROWSERS for path in sorted(prefix.glob(pattern))]
    if not all(programs) or not browsers:
        return None
    driver, screen = (Path(str(program)) for program in programs)
    return WebKit(driver, browsers[-1], screen)


def _install(*packages: str) -> None:
    subprocess.run(["sh", APT_INSTALL, *packages], check=False)


if __name__ == "__main__":
    if not find_firefox():
        _install(*FIREFOX_PACKAGES)
    if not find_webkit():
        _install(*WEBKIT_PACKAGES)
    for found, remedy in ((find_firefox(), FIREFOX_REMEDY), (find_webkit(), WEBKIT_REMEDY)):
        print(found or remedy, file=sys.stdout if found else sys.stderr)
