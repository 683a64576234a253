"""How the time of a fit grows with rows, features and classes, beside other methods.

UMAP with labels and openTSNE are measured where their packages are installed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.neighbors import NeighborhoodComponentsAnalysis
from threadpoolctl import threadpool_limits

from lab.benchmarks.table import Measurement
from melm_core.methods import METHODS

_METHODS = ("melm", "lda", "plsda")
_N_COMPONENTS = 2
_N_INFORMATIVE = 10

# A method ends where a table would take it longer, if its time goes on to grow as it has.
_LONGEST_S = 60.0


@dataclass(frozen=True)
class Size:
    """Of a planted table."""

    n_rows: int
    n_features: int
    n_classes: int

    def __str__(self) -> str:
        return f"{self.n_rows:,} x {self.n_features:,}, {self.n_classes} classes"


_GROWING = (
    [Size(n_rows, 10, 2) for n_rows in (100, 1_000, 10_000, 100_000, 1_000_000)],
    [Size(300, n_features, 2) for n_features in (5, 20, 100, 500, 2_000)],
    [Size(2_000, 20, n_classes) for n_classes in (2, 5, 10, 20, 40)],
)


def growth(_repeats: int) -> list[Measurement]:
    """CPU seconds of a fit of each method to planted tables of growing size."""
    methods = {
        METHODS[key].label: METHODS[key].estimator({"n_components": _N_COMPONENTS})
        for key in _METHODS
    }
    methods["NCA of scikit-learn"] = NeighborhoodComponentsAnalysis(_N_COMPONENTS, random_state=0)
    if find_spec("umap"):
        methods["UMAP with labels"] = import_module("umap").UMAP(random_state=0, n_jobs=1)
    if find_spec("openTSNE"):
        methods["openTSNE"] = import_module("openTSNE.sklearn").TSNE(random_state=0, n_jobs=1)
    with threadpool_limits(1):
        return [
            Measurement(f"{name}, {size}", "CPU s", (seconds,))
            for sizes in _GROWING
            for name, method in methods.items()
            for size, seconds in zip(sizes, _times(method, sizes), strict=False)
        ]


def _times(method: Any, sizes: Sequence[Size]) -> list[float]:
    """Of the first sizes, up to that at which the method ends."""
    seconds: list[float] = []
    for size in sizes:
        if len(seconds) > 1 and seconds[-1] * max(seconds[-1] / seconds[-2], 1.0) > _LONGEST_S:
            break
        X, y = make_classification(
            size.n_rows,
            size.n_features,
            n_informative=min(_N_INFORMATIVE, size.n_features),
            n_redundant=0,
            n_classes=size.n_classes,
            n_clusters_per_class=1,
            random_state=0,
        )
        began = time.process_time()
        clone(method).fit(X, y)
        seconds.append(time.process_time() - began)
    return seconds
