"""Figure 3 of the MELM paper: optima reached from random planes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from lab.experiments import data
from lab.experiments.figures.svg import Bars, Panel, picture
from lab.experiments.records import Cell, Record, Settings, Values, complete
from lab.experiments.report import Entry, Provenance, Report, Section
from melm_core import MELM
from melm_core.base import FloatArray

_GAMMA = 1.0
_N_BLOCKS, _STARTS_A_BLOCK = 10, 50
_QUICK_BLOCKS, _QUICK_STARTS = 2, 10
_QUICK_SETS = ("heart", "liver-disorders")
_N_BINS = 25
_CLOSE = 0.95


def report(settings: Settings) -> Report:
    """A histogram for each data set, with summary statistics."""
    divergences, provenance = optima(settings)
    panels = [_histogram(name, values) for name, values in divergences.items() if len(values)]
    return Report(
        name="figure3",
        title="Figure 3: optima reached from random planes",
        source=(
            "Czarnecki, Józefowicz and Tabor, 2015. Histograms of the Cauchy-Schwarz divergence "
            "after L-BFGS from random planes."
        ),
        sections=(
            Section("", notes=(_protocol(settings.quick),), picture=picture(panels)),
            Section("In numbers", tuple(_entries(divergences)), ("The paper gives no numbers.",)),
        ),
        provenance=provenance,
    )


def optima(settings: Settings) -> tuple[Mapping[str, FloatArray], Provenance]:
    """The divergences reached by the starts on each data set, as far as they are computed."""
    cells = _cells(settings)
    records = complete(cells, settings)
    reached: dict[str, list[float]] = {}
    for one, record in zip(cells, records, strict=True):
        place = reached.setdefault(one.parameters["name"], [])
        place += _divergences(record)
    return {name: np.array(values) for name, values in reached.items()}, Provenance.of(records)


def cell(folder: Path, *, name: str, gamma: float, n_starts: int, seed: int) -> Values:
    """A block of starts on one data set."""
    table = data.load(folder, name)
    X = data.standardized(table.X)
    planes = np.random.default_rng(seed).standard_normal((n_starts, 2, X.shape[1]))
    melm = MELM(gamma=gamma, shrinkage="auto").set_search(init=planes).fit(X, table.y)
    # With only two features there is a single plane, and all starts are equal.
    reached = np.resize([result.objective for result in melm.start_results_], n_starts)
    return {"divergences": reached.tolist(), "n_evaluations": melm.n_evaluations_}


def _cells(settings: Settings) -> list[Cell]:
    quick = settings.quick
    n_blocks, n_starts = (_QUICK_BLOCKS, _QUICK_STARTS) if quick else (_N_BLOCKS, _STARTS_A_BLOCK)
    return [
        Cell(
            "figure3",
            cell,
            {"name": name, "gamma": _GAMMA, "n_starts": n_starts, "seed": seed},
            data.find(settings.data, name),
        )
        for name in (_QUICK_SETS if quick else data.DATA_SETS)
        for seed in range(n_blocks)
    ]


def _divergences(record: Record | None) -> list[float]:
    return [] if record is None else record.values["divergences"]


def _entries(divergences: Mapping[str, FloatArray]) -> list[Entry]:
    return [
        Entry(name, column, value, decimals=decimals)
        for name, values in divergences.items()
        for column, value, decimals in _summary(values)
    ]


def _summary(values: FloatArray) -> list[tuple[str, float | None, int]]:
    columns = ("starts", "lowest", "median", "highest", "share within 5 % of the highest")
    if len(values) == 0:
        return [(column, None, 3) for column in columns]
    share = np.mean(values >= _CLOSE * values.max())
    numbers = (len(values), values.min(), np.median(values), values.max(), share)
    decimals = (0, 3, 3, 3, 3)
    return [
        (column, float(number), digits)
        for column, number, digits in zip(columns, numbers, decimals, strict=True)
    ]


def _histogram(name: str, values: FloatArray) -> Panel:
    heights, edges = np.histogram(values, bins=_N_BINS)
    return Panel(name, [Bars(edges, heights.astype(np.float64))], x_label="divergence")


def _protocol(quick: bool) -> str:
    n_starts = _QUICK_BLOCKS * _QUICK_STARTS if quick else _N_BLOCKS * _STARTS_A_BLOCK
    return (
        f"{n_starts} random planes for each data set, optimized at kernel width {_GAMMA:g} without "
        "continuation. The optimization uses coordinates that are white within the classes, and "
        "omits the paper's penalty, which is zero at every optimum. fourclass has two features, so "
        "all its planes are the same."
    )
