"""Tables that are read from Parquet files block by block: time, memory, the plane."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from pathlib import Path

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.engines import with_clusters
from benchmarks.scale import Fit, reset_peak, resident_bytes
from benchmarks.table import Measurement
from melm_core import MELM
from melm_core.base import FloatArray

_ROWS = (100_000, 1_000_000, 10_000_000)
_MOST_ROWS = 100_000_000
_N_FEATURES = 10
_BLOCK = 500_000
_COLUMNS = [f"x{number}" for number in range(_N_FEATURES)]


def beyond_memory(_repeats: int) -> list[Measurement]:
    """Default fits to generated files of a planted plane, which are deleted afterwards."""
    return [entry for n_rows in _ROWS for entry in _measured(n_rows)]


def hundred_million(_repeats: int) -> list[Measurement]:
    """The same for 100,000,000 rows, 8 GB of files."""
    return _measured(_MOST_ROWS)


def _measured(n_rows: int) -> list[Measurement]:
    with (
        tempfile.TemporaryDirectory() as folder,
        multiprocessing.get_context("spawn").Pool(1) as pool,
    ):
        plane = write_planted(Path(folder), n_rows, seed=0)
        done = pool.apply(_fit, (folder, plane))
    name = f"{n_rows:,} x {_N_FEATURES} from files"
    return [
        Measurement(f"MELM fit, {name}", "s", (done.seconds,)),
        Measurement(f"smallest principal cosine to the true plane, {name}", "", (done.cosine,)),
        Measurement(f"peak memory of the process, {name}", "GB", (done.beyond / 1e9,)),
    ]


def write_planted(folder: Path, n_rows: int, seed: int) -> FloatArray:
    """Write files of at most half a million rows each; returns the planted plane.

    Parameters
    ----------
    folder : Path
    n_rows : int
    seed : int
    """
    normal = np.random.default_rng(seed).standard_normal((_N_FEATURES, 2))
    plane = np.linalg.qr(normal)[0].T
    for number, begin in enumerate(range(0, n_rows, _BLOCK)):
        count = min(_BLOCK, n_rows - begin)
        stream = np.random.default_rng([seed, number])
        y = stream.integers(0, 2, count)
        X = with_clusters(stream.standard_normal((count, _N_FEATURES)), y, plane)
        frame = pd.DataFrame(X, columns=_COLUMNS).assign(label=y)
        frame.to_parquet(folder / f"part-{number:05d}.parquet", index=False)
    return plane


def _fit(folder: str, plane: FloatArray) -> Fit:
    table = dd.read_parquet(folder)
    reset_peak()
    began = time.perf_counter()
    with threadpool_limits(1), dask.config.set(scheduler="threads", num_workers=2):
        fit = MELM(random_state=0).fit(table[_COLUMNS], table["label"])
    seconds = time.perf_counter() - began
    cosine = float(np.linalg.svd(fit.components_ @ plane.T)[1].min())
    return Fit(seconds, resident_bytes("VmHWM"), cosine, 0.0)
