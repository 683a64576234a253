"""Nothing of ours needs what Windows lacks, as far as that can be told elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_command_and_a_studio_run_without_what_windows_lacks():
    done = subprocess.run(
        [sys.executable, "-m", "tests.as_on_windows"],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("as on Windows\n")
    assert "Traceback" not in done.stderr
