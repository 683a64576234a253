"""Tables of many columns of counts: how often as long as pandas takes to parse them."""

from __future__ import annotations

import gc
import io
import time

import numpy as np
import pandas as pd

from lab.benchmarks.table import Measurement
from melm_studio.tables import prepare, read_table

SIZES = ((12, 5_000), (60, 20_000))


def many_columns(repeats: int) -> list[Measurement]:
    """Counts of taxa: CPU seconds of reading and preparing, by those that pandas takes to parse."""
    gc.collect()
    gc.freeze()  # as the processes that read files do
    rows: list[Measurement] = []
    for n_rows, n_columns in SIZES:
        raw = _counts(n_rows, n_columns)
        seconds = zip(*(_seconds(raw) for _ in range(repeats)), strict=True)
        parsed, read, prepared = map(np.array, seconds)
        what = f"{n_rows} x {n_columns:,} counts"
        rows += [
            Measurement(f"{what}: pandas", "s", tuple(parsed)),
            Measurement(f"{what}: read, times as long", "", tuple(read / parsed)),
            Measurement(f"{what}: prepared, times as long", "", tuple(prepared / parsed)),
            Measurement(f"{what}: both, times as long", "", tuple((read + prepared) / parsed)),
        ]
    return rows


def _seconds(raw: bytes) -> tuple[float, float, float]:
    start = time.process_time()
    pd.read_csv(io.BytesIO(raw), sep="\t")
    parsed = time.process_time()
    table = read_table(raw, "counts.tsv")
    read = time.process_time()
    prepare(table)
    return parsed - start, read - parsed, time.process_time() - read


def _counts(n_rows: int, n_columns: int) -> bytes:
    rng = np.random.default_rng(0)
    counts = pd.DataFrame(rng.negative_binomial(0.3, 0.08, (n_rows, n_columns))).add_prefix("otu")
    counts.insert(0, "soil", ["clay" if row % 2 else "sand" for row in range(n_rows)])
    return counts.to_csv(sep="\t", index=False).encode()
