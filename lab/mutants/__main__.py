"""Put each fault into a copy of the project, and see its test fail: `python -m lab.mutants`."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from lab.mutants.table import MUTANTS, Mutant

_ROOT = Path(__file__).parents[2]
_MOST_S = 300
# Of pytest: some tests failed; anything else would not say that the fault was found.
_FAILED = 1


def main() -> int:
    """Print what each fault met; return 1 if one survived."""
    parser = argparse.ArgumentParser(prog="python -m lab.mutants", description=__doc__)
    parser.add_argument("--only", default="", help="faults in files whose path has this")
    parser.add_argument(
        "--from", dest="first", type=int, default=1, help="number of the first fault, to go on"
    )
    options = parser.parse_args()
    chosen = [
        (number, mutant)
        for number, mutant in enumerate(MUTANTS, start=1)
        if number >= options.first and options.only in mutant.path
    ]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        _copy_project(copy)
        survivors = [number for number, mutant in chosen if not _is_found(number, mutant, copy)]
    print(f"{len(chosen)} faults, {len(survivors)} survived.")
    return 1 if survivors else 0


def _copy_project(copy: Path) -> None:
    """Copy the files that git knows; the virtual environment stays where it is."""
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=_ROOT, capture_output=True, check=True, text=True
    ).stdout
    for name in filter(None, names.split("\0")):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(_ROOT / name, copy / name)


def _is_found(number: int, mutant: Mutant, copy: Path) -> bool:
    """Whether the test fails with the fault; its file is as before afterwards."""
    file = copy / mutant.path
    text = file.read_text()
    file.write_text(text.replace(mutant.before, mutant.after, 1))
    try:
        found = _fails(mutant.test, copy)
    finally:
        file.write_text(text)
    met = "found   " if found else "SURVIVED"
    print(f"{number:2} {met} {mutant.path}: {mutant.after!r}", flush=True)
    return found


def _fails(test: str, copy: Path) -> bool:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", test]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command,
            cwd=copy,
            env=environment,
            capture_output=True,
            check=False,
            timeout=_MOST_S,
        )
    except subprocess.TimeoutExpired:  # a fault that makes a test wait for ever is seen too
        return True
    if done.returncode not in (0, _FAILED):
        raise RuntimeError(done.stdout.decode() + done.stderr.decode())
    return done.returncode == _FAILED


if __name__ == "__main__":
    sys.exit(main())
