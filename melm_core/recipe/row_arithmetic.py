"""The arithmetic of a recipe on rows. It needs numpy only: downloaded programs contain it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

# <arithmetic>: `program_of` copies the lines from here to the end into a program.
Numbers = npt.NDArray[np.float64]
BLOCK_CELLS = 2_000_000
ROUNDING = 1e-12  # of a mean, relative to its terms


def prepared_features(X: Numbers, rules: dict[str, Any]) -> Numbers:
    """Fill and transform encoded rows, (n_rows, n_columns), by fitted rules, before scaling.

    What cannot be computed, such as the logarithm of a negative number, is NaN.
    """
    gaps = ~np.isfinite(X)
    indicators = gaps[:, rules["indicators"]].astype(np.float64)
    X = np.where(gaps, rules["fill"], X) if rules["steps"] or gaps.any() else X
    if rules["neighbors"]:
        X = filled_by_neighbors(X, gaps, rules)
    for step in rules["steps"]:
        X[:, step["at"]] = changed_by(step, X[:, step["at"]])
    features = np.hstack([X, indicators]) if len(rules["indicators"]) else X
    return with_curves(features, rules["curves"]) if rules["curves"] else features


def rows_within(X: Numbers, subjects: npt.NDArray[np.int64], within: dict[str, Any]) -> Numbers:
    """Encoded rows after the steps that come before, less the mean of the rows of their subject.

    A row is NaN throughout if a step cannot be computed, if its subject is unknown, -1, or if that
    has no other row.
    """
    rules, gaps = within["rules"], np.isnan(X)
    features = prepared_features(X, rules) if rules else X
    if rules and not within["keeps_gaps"]:
        gaps = np.zeros_like(gaps)
    lost = (~np.isfinite(features) & ~gaps).any(axis=1) | (subjects < 0)
    counts = np.bincount(subjects[~lost], minlength=int(subjects.max(initial=0)) + 1)
    lost |= counts[subjects] < 2
    return centered_within(np.where(gaps | lost[:, None], np.nan, features), subjects)


def centered_within(X: Numbers, groups: npt.NDArray[np.int64]) -> Numbers:
    """Subtract from each row the mean of its group's rows.

    The means need neither labels nor other groups, so that rows of a group that no fit has seen are
    centered as all others are. NaN where a value is missing; exactly 0 where all rows of a group
    are equal but for rounding.
    """
    codes = np.unique(groups, return_inverse=True)[1]
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    is_finite = np.isfinite(X)
    sums = np.add.reduceat(np.where(is_finite, X, 0.0)[order], starts)
    counts = np.add.reduceat(is_finite[order], starts, dtype=np.int64)
    centered = X - (sums / np.maximum(counts, 1))[codes]
    return np.where(np.abs(centered) <= ROUNDING * np.abs(X), 0.0, centered)


def with_curves(features: Numbers, curves: list[dict[str, Any]]) -> Numbers:
    """Append to the features the columns of their curves, feature by feature."""
    return np.hstack([features, *(bent(features[:, curve["at"]], curve) for curve in curves)])


def bent(x: Numbers, curve: dict[str, Any]) -> Numbers:
    """Compute the columns of one curve: cubic between its knots, linear beyond the outer ones."""
    knots, pieces = np.array(curve["knots"]), np.array(curve["pieces"])
    place = (x - curve["low"]) / curve["width"]
    inside = np.clip(place, knots[0], knots[-1])
    piece = np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, len(pieces) - 1)
    powers, columns = np.arange(4), np.empty((len(x), pieces.shape[2]))
    for number, cubic in enumerate(pieces):
        rows = piece == number
        columns[rows] = (inside[rows, None] - knots[number]) ** powers @ cubic
    slopes = powers * (knots[-1] - knots[-2]) ** np.maximum(powers - 1, 0) @ pieces[-1]
    slopes = np.where(place[:, None] < knots[0], pieces[0, 1], slopes)
    beyond: Numbers = (place - inside)[:, None] * slopes
    return columns + beyond


def changed_by(step: dict[str, Any], X: Numbers) -> Numbers:
    """Apply one step to the columns that it changes."""
    kind = step["kind"]
    with np.errstate(all="ignore"):
        if kind == "log":
            return np.log(np.where(X > 0, X, np.nan))
        if kind == "log1p":
            return np.log1p(np.where(X > -1, X, np.nan))
        if kind == "asinh":
            return np.arcsinh(X / float(step["cofactor"]))
        if kind == "row_sum":
            total: Numbers = X.sum(axis=1, keepdims=True)
            return X / np.where(total > 0, total, np.nan)
        if kind == "snv":
            spread = X.std(axis=1, ddof=1, keepdims=True)
            is_flat = np.ptp(X, axis=1, keepdims=True) == 0
            centered: Numbers = X - X.mean(axis=1, keepdims=True)
            return centered / np.where(is_flat, np.nan, spread)
    return derivative(X, np.array(step["filter"]))


def derivative(X: Numbers, weights: Numbers) -> Numbers:
    """Filter each row by Savitzky and Golay: row i of the weights is for place i of a window."""
    width, half = len(weights), len(weights) // 2
    windows = np.lib.stride_tricks.sliding_window_view(X, width, axis=1)
    start, end = X[:, :width] @ weights[:half].T, X[:, -width:] @ weights[half + 1 :].T
    return np.hstack([start, windows @ weights[half], end])


def filled_by_neighbors(X: Numbers, gaps: npt.NDArray[np.bool_], rules: dict[str, Any]) -> Numbers:
    """Replace gaps by the mean of the nearest known rows that have a number there.

    Distances are Euclidean in columns divided by their widths, over the columns that both rows
    have, as a mean; of equally near rows the first counts.
    """
    columns, neighbors = rules["numeric"], np.array(rules["neighbors"], dtype=np.float64)
    widths, filled = np.array(rules["widths"]), X.copy()
    rows = np.flatnonzero(gaps[:, columns].any(axis=1))
    n_block = max(1, BLOCK_CELLS // neighbors.size)
    for block in np.split(rows, range(n_block, len(rows), n_block)):
        cells = np.where(gaps[np.ix_(block, columns)], np.nan, X[np.ix_(block, columns)])
        squares = ((cells[:, None] - neighbors) / widths) ** 2
        n_both = np.isfinite(squares).sum(axis=2)
        total = np.where(np.isfinite(squares), squares, 0.0).sum(axis=2)
        distances = np.where(n_both > 0, total / np.maximum(n_both, 1), np.inf)
        order = np.argsort(distances, axis=1, kind="stable")
        for column in np.flatnonzero(np.isnan(cells).any(axis=0)):
            gap = np.flatnonzero(np.isnan(cells[:, column]))
            values = neighbors[order[gap], column]
            near = np.isfinite(np.take_along_axis(distances[gap], order[gap], axis=1))
            counts = np.isfinite(values) & near
            counts &= counts.cumsum(axis=1) <= rules["n_neighbors"]
            n_found = counts.sum(axis=1)
            sums = np.where(counts, values, 0.0).sum(axis=1)
            filled_rows = block[gap[n_found > 0]]
            filled[filled_rows, columns[column]] = (sums / np.maximum(n_found, 1))[n_found > 0]
    return filled
