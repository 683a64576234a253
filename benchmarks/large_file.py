"""A file of 100 MB: seconds to read and to prepare it, and peak memory."""

from __future__ import annotations

import multiprocessing
import resource
import time

import numpy as np

from benchmarks.table import Measurement
from melm_studio.tables import prepare, read_table

N_ROWS, N_FEATURES = 1_000_000, 10
_BLOCK = 10_000  # rows that repeat
_KIB = 1024


def large_file(_repeats: int) -> list[Measurement]:
    """A CSV file of a million rows, read and prepared in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        n_bytes, read_s, prepare_s, peak = pool.apply(_measured)
    what = f"CSV file of {n_bytes / 1e6:.0f} MB, {N_ROWS:,} x {N_FEATURES}"
    return [
        Measurement(f"{what}: read", "s", (read_s,)),
        Measurement(f"{what}: prepare", "s", (prepare_s,)),
        Measurement(f"{what}: peak memory", "GB", (peak / 1e9,)),
    ]


def _measured() -> tuple[int, float, float, float]:
    raw = _csv()
    began = time.perf_counter()
    table = read_table(raw, "large.csv")
    is_read = time.perf_counter()
    prepare(table)
    is_prepared = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIB
    return len(raw), is_read - began, is_prepared - is_read, peak


def _csv() -> bytes:
    numbers = np.random.default_rng(0).normal(size=(_BLOCK, N_FEATURES)).round(7)
    block = "".join(f"{','.join(map(str, row))},{'ab'[at % 2]}\n" for at, row in enumerate(numbers))
    header = ",".join([*(f"x{at}" for at in range(N_FEATURES)), "label"])
    return f"{header}\n{block * (N_ROWS // _BLOCK)}".encode()
