"""Run the tests of the library with the lowest versions that it allows: `python -m tools.lowest`.

An environment in build/lowest gets the lowest direct requirements of the library and, beside them,
what its tests need. Arguments go to pytest.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
_FOLDER = ROOT / "build" / "lowest"
_LIBRARY = ROOT / "requirements" / "core.in"
# Some tests read tables of the studio, whose own bounds are higher.
_STUDIO = ROOT / "requirements" / "studio.in"
_TOOLS = (
    "hypothesis",
    "playwright",
    "psutil",
    "pytest",
    "pytest-timeout",
    "redis",
)
_LEFT_OUT = (
    # scikit-learn's own checks are told from 1.6 on which may fail.
    "tests/melm_core/test_estimator_checks.py",
    # Some examples need dask, whose pyarrow needs numpy 2.
    "tests/melm_core/test_examples.py",
)
_NEWER = (
    # The t-SNE of 1.5 leaves a row among those of another class, from this seed.
    "tests/melm_core/methods/wrappers/test_neighbor_embedding.py"
    "::test_classes_far_apart_are_embedded_apart",
    # Quadratic discriminant analysis has its solvers from 1.8 on.
    "tests/melm_core/rotations/test_objective.py"
    "::test_the_whole_space_is_quadratic_discriminant_analysis",
)


def main(arguments: list[str]) -> int:
    """Make the environment anew and run the tests; return the exit code."""
    venv.create(_FOLDER, clear=True)
    python = _FOLDER / "bin" / "python"
    pins = _FOLDER / "lowest.txt"
    uv: list[str | Path] = [sys.executable, "-m", "uv", "pip"]
    lowest = ["compile", "--quiet", "--no-header", "--resolution", "lowest-direct"]
    files: list[str | Path] = [_LIBRARY, "--output-file", pins, "--python", python]
    subprocess.run([*uv, *lowest, *files], check=True)
    install = [*uv, "install", "--quiet", "--python", python]
    subprocess.run([*install, "--requirement", pins], check=True)
    beside = re.findall(r"^[\w-]+", _STUDIO.read_text(), re.MULTILINE)
    packages = [name for name in beside if not name.startswith("-")]
    subprocess.run([*install, "--constraint", pins, *_TOOLS, *packages], check=True)
    subprocess.run([*uv, "freeze", "--python", python], check=True)
    # The options of the project name plugins that are not there.
    options: list[str | Path] = ["-c", os.devnull, "--rootdir", ROOT, "-o", f"pythonpath={ROOT}"]
    tests = ["--import-mode=importlib", "-m", "not slow"]
    tests += [f"--ignore={file}" for file in _LEFT_OUT]
    tests += [*(f"--deselect={test}" for test in _NEWER), "tests/melm_core"]
    command: list[str | Path] = [python, "-m", "pytest", "-q", *options, *tests, *arguments]
    return subprocess.run(command, check=False, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
