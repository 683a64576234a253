"""The process of a run keeps within its memory."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.melm_studio.runs.processes import PROJECT_ROOT

PROGRAM = """
import numpy as np
from melm_studio.configuration.memory_limit import limit_memory
limit_memory(1_024)
np.ones(2**24)  # 128 MB
try:
    np.ones(2**28)  # 2 GB
except MemoryError:
    print("refused")
"""


@pytest.mark.fault
def test_a_process_allocates_no_more_than_it_may():
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "refused\n"), done.stderr
