"""The compiled library reads and writes nothing but what it was handed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from melm_core.compiled.loading import build, compiler

HERE = Path(__file__).parent


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_no_address_is_touched_that_was_not_handed_over(tmp_path):
    """All tests of the library once more, of one that notices every such access."""
    command = compiler()
    if command is None:
        pytest.skip("There is no C compiler.")
    sanitizer = subprocess.run(
        [*command, "-print-file-name=libasan.so"], check=True, capture_output=True, text=True
    ).stdout.strip()
    if not Path(sanitizer).is_absolute():
        pytest.skip("This compiler comes without AddressSanitizer.")
    built = build(tmp_path, ("-fsanitize=address", "-O1"))
    tests = [HERE / "test_compiled_objective.py", HERE / "test_compiled_climb.py"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests],
        env=os.environ
        | {
            "LD_PRELOAD": sanitizer,
            "ASAN_OPTIONS": "detect_leaks=0",
            "MELM_TESTED_LIBRARY": str(built),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-4_000:] + run.stderr[-4_000:]
    assert " passed" in run.stdout
