"""Figure 4 of the MELM paper: the best of several random starts, by number of starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import gammaln

from lab.experiments.figures import figure3
from lab.experiments.figures.svg import COLORS, Line, Panel, picture
from lab.experiments.paper_numbers import FIGURE_4_SETS
from lab.experiments.records import Settings
from lab.experiments.report import Entry, Report, Section
from melm_core.base import FloatArray, IntArray

_NUMBERS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_PAPER_STARTS = 16
_CLOSE = 0.95


def report(settings: Settings) -> Report:
    """Both panels of the figure, and their values at powers of two."""
    divergences, provenance = figure3.optima(settings)
    known = {name: values for name, values in divergences.items() if len(values)}
    ratios = {name: _ratios(values) for name, values in known.items()}
    return Report(
        name="figure4",
        title="Figure 4: the best of several random starts",
        source=(
            "Czarnecki, Józefowicz and Tabor, 2015. The expected divergence of the best of s "
            "random starts, and its ratio to the highest value; the dashed line marks 16 starts."
        ),
        sections=(
            Section("", notes=(_sentence(ratios),), picture=_picture(known)),
            Section("Ratio to the highest divergence", tuple(_entries(ratios))),
        ),
        provenance=provenance,
    )


def expected_maximum(values: FloatArray, n_starts: Sequence[int]) -> FloatArray:
    """Mean of the maximum over all subsets of s values, for each s.

    The i-th smallest value is the maximum of a share C(i - 1, s - 1) / C(n, s) of
    the subsets. The mean is an unbiased estimate of the expected maximum of s
    independent starts.

    Parameters
    ----------
    values : ndarray of shape (n,)
    n_starts : sequence of int
        Each from 1 to n.

    Returns
    -------
    ndarray of shape (len(n_starts),)
    """
    ascending = np.sort(values)
    n = len(values)
    ranks = np.arange(1, n + 1)
    means = []
    for s in n_starts:
        reached = ranks >= s
        shares = np.exp(_log_choices(ranks[reached] - 1, s - 1) - _log_choices(n, s))
        means.append(shares @ ascending[reached])
    return np.array(means)


def _log_choices(n: IntArray | int, k: int) -> FloatArray:
    result: FloatArray = gammaln(np.add(n, 1)) - gammaln(k + 1) - gammaln(np.subtract(n, k) + 1)
    return result


def _numbers(values: FloatArray) -> list[int]:
    return [s for s in _NUMBERS if s <= len(values)]


def _ratios(values: FloatArray) -> Mapping[int, float]:
    numbers = _numbers(values)
    ratios = expected_maximum(values, numbers) / values.max()
    return dict(zip(numbers, ratios.tolist(), strict=True))


def _entries(ratios: Mapping[str, Mapping[int, float]]) -> list[Entry]:
    return [
        Entry(name, f"s = {s}", ratio)
        for name, by_number in ratios.items()
        for s, ratio in by_number.items()
    ]


def _sentence(ratios: Mapping[str, Mapping[int, float]]) -> str:
    at_sixteen = {name: row[_PAPER_STARTS] for name, row in ratios.items() if _PAPER_STARTS in row}
    far = [f"{name} ({ratio:.3f})" for name, ratio in at_sixteen.items() if ratio < _CLOSE]
    return (
        f"From the starts of Figure 3. After {_PAPER_STARTS} starts, the expected best value is "
        f"within 5 % of the highest on {len(at_sixteen) - len(far)} of {len(at_sixteen)} data "
        f"sets; the paper states {FIGURE_4_SETS} of 10."
        + (f" Exceptions: {', '.join(far)}." if far else "")
    )


def _picture(known: Mapping[str, FloatArray]) -> str:
    names = list(known)
    if not names:
        return ""
    colors = {name: COLORS[i % len(COLORS)] for i, name in enumerate(names)}
    curves = {name: _curve(values) for name, values in known.items()}

    def lines(shares: bool) -> list[Line]:
        return [
            Line(
                curve / (1.0, known[name].max()) if shares else curve,
                colors[name],
                is_dashed=names.index(name) >= len(COLORS),
            )
            for name, curve in curves.items()
        ]

    label = "starts, as a power of two"
    values, ratios = lines(shares=False), lines(shares=True)
    left = Panel("expected divergence", [*values, _threshold(values)], label)
    right = Panel("ratio to the highest", [*ratios, _threshold(ratios)], label)
    key = Panel("", legend=[(name, colors[name]) for name in names])
    return picture([left, right, key], n_columns=3, scale=1.5)


def _curve(values: FloatArray) -> FloatArray:
    numbers = _numbers(values)
    return np.column_stack([np.log2(numbers), expected_maximum(values, numbers)])


def _threshold(lines: Sequence[Line]) -> Line:
    heights = np.concatenate([line.vertices[:, 1] for line in lines])
    x = np.log2(_PAPER_STARTS)
    return Line(np.array([[x, heights.min()], [x, heights.max()]]), "#000000", is_dashed=True)
