"""Memory that a process no longer needs goes back to the system, or is used again."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys
import weakref

import pytest

from melm_studio.configuration.allocator import (
    leave_out_of_collections,
    return_large_blocks,
    share_free_memory,
)

only_with_glibc = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="only glibc has these options"
)
# Allocates in twelve threads at the same time, and lets glibc list its pools.
_POOLS = """
import ctypes
import threading
from melm_studio.configuration.allocator import share_free_memory

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
