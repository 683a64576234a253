"""Files of 1 and 100 MB: seconds to read them, also apart and with units, and to prepare them."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import numpy as np

from lab.benchmarks.table import Measurement
from melm_studio.reading import FileReader, ReadingLimits
from melm_studio.tables import TABLE_JOB, prepare, read_table, read_table_apart

N_ROWS, N_FEATURES = 1_000_000, 10
N_ROWS_WITH_UNITS = 400_000
_BLOCK = 10_000  # rows that repeat
_KIB = 1024
T = TypeVar("T")
MAX_ROWS, MAX_COLUMNS = 10 * N_ROWS, 1_000


def large_file(repeats: int) -> list[Measurement]:
    """CSV files of ten thousand and a million rows, read and prepared in a process of its own."""
    n_bytes, prepare_s, peak = _in_a_process(_prepared)
    what = f"CSV file of {n_bytes / 1e6:.0f} MB, {N_ROWS:,} x {N_FEATURES}"
    rows = [
        Measurement(f"{what}: prepare", "s", (prepare_s,)),
        Measurement(f"{what}: peak memory of reading and preparing", "GB", (peak / 1e9,)),
    ]
    for n_rows in (_BLOCK, N_ROWS):
        here, apart, taken, size = zip(*_in_a_process(_read, n_rows, repeats), strict=True)
        what = f"CSV file of {len(_csv(n_rows)) / 1e6:.0f} MB"
        added = tuple(1_000 * (there - own) for own, there in zip(here, apart, strict=True))
        times = tuple(there / own for own, there in zip(here, apart, strict=True))
        rows += [
            Measurement(f"{what}: read", "s", here),
            Measurement(f"{what}: read by a reader", "s", apart),
            Measurement(f"{what}: a reader adds", "ms", added),
            Measurement(f"{what}: a reader takes times as long", "", times),
            Measurement(f"{what}: most memory, with the file, while a reader reads", "MB", taken),
            Measurement(f"{what}: memory of its table", "MB", size),
        ]
    plain, written = zip(*_in_a_process(_with_units, repeats), strict=True)
    times = tuple(there / own for own, there in zip(plain, written, strict=True))
    what = f"CSV file of {N_ROWS_WITH_UNITS:,} x {N_FEATURES}"
    return [
        *rows,
        Measurement(f"{what}: read", "s", plain),
        Measurement(f"{what}: times as long with units in three columns", "", times),
    ]


def _in_a_process(function: Callable[..., T], *arguments: object) -> T:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def _prepared() -> tuple[int, float, float]:
    raw = _csv(N_ROWS)
    table = read_table(raw, "large.csv")
    begin = time.perf_counter()
    prepare(table)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIB
    return len(raw), time.perf_counter() - begin, peak


def _read(n_rows: int, repeats: int) -> list[tuple[float, float, float, float]]:
    """Seconds to read a file here and by a reader; megabytes that the latter takes here."""
    with closing(FileReader({TABLE_JOB: 1}, ReadingLimits(4_096, 120))) as reader:
        _pair(reader, _BLOCK)  # waits for it to start
        return [_pair(reader, n_rows) for _ in range(repeats)]


def _with_units(repeats: int) -> list[tuple[float, float]]:
    """Seconds to read a file, and the same with units behind the numbers of three columns."""
    files = [_csv(N_ROWS_WITH_UNITS), _csv(N_ROWS_WITH_UNITS, unit=" mg/kg")]
    found = []
    for _ in range(repeats):
        seconds = []
        for file in files:
            begin = time.perf_counter()
            read_table(file, "large.csv")
            seconds.append(time.perf_counter() - begin)
        found.append((seconds[0], seconds[1]))
    return found


def _pair(reader: FileReader, n_rows: int) -> tuple[float, float, float, float]:
    files = [_csv(n_rows)]
    without = _memory("VmRSS") - len(files[0])
    Path("/proc/self/clear_refs").write_text("5")  # the most memory is that from now on
    begin = time.perf_counter()
    table = read_table_apart(
        reader, files.pop(), "large.csv", max_rows=MAX_ROWS, max_columns=MAX_COLUMNS
    )
    apart = time.perf_counter() - begin
    taken = _memory("VmHWM") - without
    size = int(table.frame.memory_usage(deep=True).sum())
    raw = _csv(n_rows)
    begin = time.perf_counter()
    read_table(raw, "large.csv")
    return time.perf_counter() - begin, apart, taken / 1e6, size / 1e6


def _memory(name: str) -> int:
    """Bytes of memory of this process: what it has, or the most that it had."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (kilobytes,) = (int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))
    return kilobytes * _KIB


def _csv(n_rows: int, unit: str = "") -> bytes:
    numbers = np.random.default_rng(0).normal(size=(_BLOCK, N_FEATURES)).round(7)
    lines = []
    for at, row in enumerate(numbers.tolist()):
        cells = [f"{value}{unit if place < 3 else ''}" for place, value in enumerate(row)]
        lines.append(f"{','.join(cells)},{'ab'[at % 2]}\n")
    header = ",".join([*(f"x{at}" for at in range(N_FEATURES)), "label"])
    return f"{header}\n{''.join(lines) * (n_rows // _BLOCK)}".encode()
