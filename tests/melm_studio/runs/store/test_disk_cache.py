"""One thread or process at a time writes to a folder, whatever becomes of the others."""

from __future__ import annotations

import fcntl
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from melm_studio.runs.store.disk_cache import WriteLock

PATIENCE_S = 30.0
# The lock as the system has it, since what imports the studio takes two seconds to start.
HOLD = """
import fcntl, sys
with open(sys.argv[1], "wb") as stream:
    fcntl.flock(stream, fcntl.LOCK_EX)
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def file(tmp_path) -> Path:
    return tmp_path / "write.lock"


@pytest.fixture
def holder(file) -> Iterator[subprocess.Popen[bytes]]:
    """Another process, which holds the lock."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(file)], **pipes)
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.communicate()


def test_threads_write_one_after_the_other(file):
    lock, inside, most = WriteLock(file, PATIENCE_S), [], []

    def write(number: int) -> None:
        for _ in range(50):
            with lock.held():
                inside.append(number)
                most.append(len(inside))
                inside.remove(number)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert (max(most), len(most)) == (1, 200)


def test_blocks_of_a_thread_nest_and_the_outermost_releases(file):
    lock = WriteLock(file, PATIENCE_S)
    with lock.held():
        with lock.held():
            pass
        assert not _is_free(file)
    assert _is_free(file)


def test_an_error_in_the_block_releases_it(file):
    with pytest.raises(ValueError, match="inside"), WriteLock(file, PATIENCE_S).held():
        raise ValueError("inside")
    assert _is_free(file)


@pytest.mark.fault
@pytest.mark.parametrize("fault", [None, signal.SIGKILL])
def test_a_process_waits_for_another_until_it_is_done_or_killed(file, holder, fault):
    is_inside = threading.Event()

    def write() -> None:
        with WriteLock(file, PATIENCE_S).held():
            is_inside.set()

    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(write)
        assert not _is_free(file)
        assert not is_inside.is_set()
        if fault is None:
            holder.communicate(b"\n")
        else:
            holder.send_signal(fault)
        written.result(PATIENCE_S)
    assert is_inside.is_set()


@pytest.mark.fault
def test_after_the_timeout_the_database_has_the_last_word(file, holder):
    with WriteLock(file, timeout_s=0.0).held():
        assert holder.poll() is None


def _is_free(file: Path) -> bool:
    """Whether another descriptor gets the lock at once; it is given back."""
    with file.open("rb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
