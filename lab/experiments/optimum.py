"""The default search compared with many direct random starts, on the data of the MELM paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from lab.experiments.data import DATA_SETS, load, standardized
from melm_core import MELM
from melm_core.base import FloatArray, IntArray
from melm_core.melm import SearchOptions

_PAPER_STARTS = 16

# Random planes find better optima if they begin with kernels a little wider than those of gamma.
_WIDER = 1.75
_HEAD = (
    f"{'data':16}{'gamma':>6}{'direct best':>13}{'wider':>9}{'default':>9}{'worst':>9}"
    f"{'share':>8}{'evaluations':>13}{'of 16 direct':>14}"
)


@dataclass(frozen=True)
class Row:
    """The results for one data set and one gamma.

    `direct` and `wider` hold the divergences that random planes reach, optimized at
    gamma at once or with wider kernels first; `default` those of default fits,
    one for each seed. The printed share is the median of these divided by the
    best value of all fits.
    """

    name: str
    gamma: float
    direct: FloatArray
    wider: FloatArray
    direct_evaluations: float
    default: FloatArray
    default_evaluations: float

    def __str__(self) -> str:
        known = max(self.direct.max(), self.wider.max(), self.default.max())
        budget = _PAPER_STARTS * self.direct_evaluations
        return (
            f"{self.name:16}{self.gamma:6.2g}{self.direct.max():13.4f}"
            f"{self.wider.max():9.4f}{np.median(self.default):9.4f}"
            f"{self.default.min():9.4f}{np.median(self.default) / known:8.1%}"
            f"{self.default_evaluations:13.0f}{self.default_evaluations / budget:14.0%}"
        )


def compare(
    folder: Path,
    *,
    gammas: Sequence[float],
    n_direct: int,
    seeds: Iterable[int],
    only: Sequence[str] | None = None,
) -> None:
    """Print a row for every data set and gamma as soon as it is computed."""
    seeds = tuple(seeds)
    print(f"{n_direct} direct starts; default fits with seeds {seeds}.")
    print(_HEAD)
    with threadpool_limits(1):
        for gamma in gammas:
            for name in only or DATA_SETS:
                data = load(folder, name)
                X = standardized(data.X)
                row = measure(name, X, data.y, gamma=gamma, n_direct=n_direct, seeds=seeds)
                print(row, flush=True)


def measure(
    name: str, X: FloatArray, y: IntArray, *, gamma: float, n_direct: int, seeds: Sequence[int]
) -> Row:
    """Fit from direct starts and with the default search."""
    stream = np.random.default_rng(0)
    planes = stream.standard_normal((n_direct, 2, X.shape[1]))
    direct = MELM(gamma=gamma, shrinkage="auto").set_search(init=planes).fit(X, y)
    wide = SearchOptions(init=planes, continuation=(_WIDER,))
    wider = MELM(gamma=gamma, shrinkage="auto", search=wide).fit(X, y)
    default = [MELM(gamma=gamma, shrinkage="auto", random_state=seed).fit(X, y) for seed in seeds]
    return Row(
        name=name,
        gamma=gamma,
        direct=np.array([start.objective for start in direct.start_results_]),
        wider=np.array([start.objective for start in wider.start_results_]),
        direct_evaluations=float(np.mean([start.n_evaluations for start in direct.start_results_])),
        default=np.array([melm.divergence_ for melm in default]),
        default_evaluations=float(np.median([melm.n_evaluations_ for melm in default])),
    )
