"""The wheels of library and studio, and empty environments to install them in."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "distributions/melm-core"


def built_wheels(folder: Path) -> dict[str, Path]:
    """Build both wheels into a folder; return them by the name of the distribution."""
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    for root in (ROOT, LIBRARY):
        command = [*build, "--directory", folder]
        subprocess.run(command, cwd=root, check=True, capture_output=True)
    return {wheel.name.split("-")[0]: wheel for wheel in folder.glob("*.whl")}


def installed(folder: Path, *wanted: Path | str) -> Path:
    """An environment in a folder with distributions and what they need."""
    environment = folder / "environment"
    venv.create(environment)
    install = [sys.executable, "-m", "uv", "pip", "install", "--quiet"]
    subprocess.run([*install, "--python", environment / "bin" / "python", *wanted], check=True)
    return environment
