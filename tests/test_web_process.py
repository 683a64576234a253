"""The web process as it is started: what it does about memory, and what it leaves when it dies."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from lab.driver.launcher import ROOT, running_studio
from melm_studio.configuration.memory import MOST_ARENAS

# Serves as `python app.py` does, and prints what only the process itself knows.
_TELLING = f"""
import ctypes, gc, os, sys
sys.path.insert(0, {str(ROOT)!r})
import app
code = app.main(sys.argv[1:], os.environ)
print("left out of collections:", gc.get_freeze_count(), flush=True)
if hasattr(libc := ctypes.CDLL(None), "malloc_stats"):
    libc.malloc_stats()
sys.exit(code)
"""


@pytest.mark.fault
@pytest.mark.slow
def test_its_threads_share_free_memory_and_its_libraries_are_left_out_of_collections(tmp_path):
    with running_studio(tmp_path, command=(sys.executable, "-c", _TELLING)) as studio:
        pass
    n_left_out = int(studio.output.rpartition("left out of collections:")[2].split()[0])
    assert n_left_out > 100_000
    assert studio.output.count("Arena ") <= MOST_ARENAS


@pytest.mark.slow
@pytest.mark.fault
def test_a_crash_of_native_code_says_where_in_the_log(tmp_path):
    with pytest.raises(AssertionError, match=f"exit code -{signal.SIGSEGV.value}") as ended:
        crash(tmp_path)
    assert "Fatal Python error: Segmentation fault" in str(ended.value)
    assert "in main" in str(ended.value)  # of the stack of a thread


def crash(folder: Path) -> None:
    with running_studio(folder) as studio:
        studio.process.send_signal(signal.SIGSEGV)
        studio.process.wait(60)
