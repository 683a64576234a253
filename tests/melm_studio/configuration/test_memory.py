"""Memory that a process no longer needs goes back to the system, or is used again."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys
import weakref

import pytest

from melm_studio.configuration.memory import (
    PROCESS_MB,
    READERS,
    USED,
    leave_out_of_collections,
    limits_of_groups,
    memory_budget,
    return_large_blocks,
    share_free_memory,
    web_process_mb,
)
from melm_studio.workspace.project.read_apart import JOBS

only_with_glibc = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="only glibc has these options"
)
# Allocates in twelve threads at the same time, and lets glibc list its pools.
_POOLS = """
import ctypes
import threading
from melm_studio.configuration.memory import share_free_memory

{first}
libc, together = ctypes.CDLL(None), threading.Barrier(12)
libc.malloc.restype = ctypes.c_void_p

def allocate():
    together.wait()
    assert libc.malloc(1_000)
    together.wait()

threads = [threading.Thread(target=allocate) for _ in range(12)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc.malloc_stats()
"""


class Cycle:
    def __init__(self) -> None:
        self.itself = self


def n_pools(first: str) -> int:
    command = [sys.executable, "-c", _POOLS.format(first=first)]
    printed = subprocess.run(command, capture_output=True, check=True, text=True).stderr
    return printed.count("Arena ")


@pytest.mark.fault
@only_with_glibc
def test_threads_share_two_pools_of_free_memory():
    assert n_pools("") > 2
    assert n_pools("assert share_free_memory()") <= 2


@only_with_glibc
def test_the_system_is_told_to_take_large_blocks_back():
    assert return_large_blocks()


def test_the_system_may_have_no_such_options(monkeypatch):
    monkeypatch.setattr("ctypes.CDLL", lambda _: object())
    assert not return_large_blocks()
    assert not share_free_memory()


@pytest.mark.fault
def test_cycles_of_requests_are_found_without_a_look_at_the_libraries():
    try:
        leave_out_of_collections()
        n_left_out = gc.get_freeze_count()
        assert n_left_out > 10_000
        cycle = weakref.ref(Cycle())
        gc.collect()
        assert cycle() is None
        assert gc.get_freeze_count() <= n_left_out
    finally:
        gc.unfreeze()


THREADS, UPLOAD_MB = 8, 128


@pytest.mark.fault
@pytest.mark.parametrize("gigabytes", [4, 6, 8, 16, 64, 512])
def test_all_parts_together_take_less_than_a_machine_has(gigabytes):
    total = USED * gigabytes * 1024
    reader_mb, runs_mb = memory_budget(gigabytes * 1024, THREADS, UPLOAD_MB)
    assert web_process_mb(reader_mb, THREADS, UPLOAD_MB) + runs_mb <= total
    assert PROCESS_MB + runs_mb <= total  # a worker of its own
    if gigabytes >= 8:  # two web processes of their own
        assert 2 * web_process_mb(reader_mb, THREADS, UPLOAD_MB) <= total


def test_readers_are_counted_as_they_are():
    assert sum(JOBS.values()) == READERS


@pytest.mark.slow
def test_a_container_has_the_memory_that_it_may_take(tmp_path):
    own, groups = tmp_path / "cgroup", tmp_path / "groups"
    inner = groups / "system.slice" / "studio.service"
    inner.mkdir(parents=True)
    own.write_text("1:cpu:/\n0::/system.slice/studio.service\n")
    assert limits_of_groups(groups, own) == []
    (inner / "memory.max").write_text("max\n")
    (inner.parent / "memory.max").write_text(f"{2**32}\n")
    assert limits_of_groups(groups, own) == [2**32]
    own.write_text("0::/\n")  # as a container sees its own
    (groups / "memory.max").write_text(f"{2**31}\n")
    assert limits_of_groups(groups, own) == [2**31]
    assert limits_of_groups(groups, tmp_path / "none") == []
