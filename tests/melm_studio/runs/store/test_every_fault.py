"""Whatever write of a store fails, or is its last, what was acknowledged is there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.melm_studio.runs.store import faults

SOURCE = Path(faults.__file__).with_name("faults.c")
N_FAULTS = 4
LEAST_OPERATIONS = 400


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="needs a C compiler on Linux"
)
def test_a_fault_at_any_write_loses_nothing_and_is_told(tmp_path):
    library = tmp_path / "faults.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], check=True)
    environment = {**os.environ, "LD_PRELOAD": str(library), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", faults.__name__]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert found["n_operations"] > LEAST_OPERATIONS
    assert found["n_tried"] == N_FAULTS * found["n_operations"]
