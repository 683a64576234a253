"""What refits say of new rows, beside many new rows: regions, ellipses, shares, probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from experiments.honesty.claim import FIRST_SEED, Claim, Measured
from experiments.honesty.shapes import SHAPES
from melm_core.base import FloatArray, IntArray
from melm_core.evaluation import Refits, Study

_METHODS = {"melm": "MELM", "lda": "LDA", "plsda": "PLS-DA"}
_SHARES = (0.5, 0.8, 0.95)
_NEW_ROWS = 2_000
_N_TABLES, _FEW_TABLES = 20, 2
_NOISE_TABLES = 100
# Rows, features that are asked of the shape, and separation.
_TABLES = ((100, 30, 0.0), (100, 30, 2.0), (80, 60, 0.0), (80, 60, 2.0), (60, 300, 0.0), (60, 300, 2.0))
_SHAPE_TABLE = (100, 10, 2.0)
_TOLERANCES = (0.06, 0.06, 0.04)
_SHARE_TOLERANCE = 0.02
_LOSS_TOLERANCE = 0.05
_CHANCE_TOLERANCE = 0.02


@dataclass(frozen=True)
class Case:
    """Tables of a shape, and the method that is refitted to each."""

    method: str
    shape: str
    n_rows: int
    n_features: int
    separation: float

    @property
    def words(self) -> str:
        """Method, size and shape."""
        distance = f"{self.separation:g} sd" if self.separation else "noise"
        size = f"{self.n_rows} x {self.n_features}"
        return f"{_METHODS[self.method]}, {self.shape} {size}, {distance}"


@dataclass(frozen=True, eq=False)
class _Judged:
    """Of one table, what refits say and what new rows show."""

    share: float
    true_share: float
    loss: float
    linear_loss: float
    n_classes: int
    inside: FloatArray
    inside_fitted: FloatArray
    in_ellipse: float


def _judged(case: Case, number: int) -> _Judged:
    draw = SHAPES[case.shape].draw
    table = (case.n_features, case.separation)
    X, y, groups = draw(case.n_rows, *table, FIRST_SEED + number, population=number)
    X_new, y_new, _ = draw(_NEW_ROWS, *table, 2 * FIRST_SEED + number, population=number)
    given = np.arange(len(y)) if groups is None else groups
    refits = Refits.of(Study(case.method, X, y, groups=given))
    codes = np.unique(y_new)
    places = refits.place(X_new)
    shares = refits.rule.probabilities(places)
    linear = refits.linear_rule.probabilities(places)
    unseen, fitted = refits.regions(_SHARES), refits.regions(_SHARES, as_fitted=True)
    ellipses = refits.ellipses()
    inside_ellipse = [ellipses[c].hold(places[y_new == c], "rows").mean() for c in codes if ellipses[c]]
    return _Judged(
        share=refits.share.balanced_accuracy,
        true_share=float(np.mean([(shares[y_new == c].argmax(axis=1) == c).mean() for c in codes])),
        loss=_loss(shares, y_new),
        linear_loss=_loss(linear, y_new),
        n_classes=len(codes),
        inside=_inside(unseen, places, y_new),
        inside_fitted=_inside(fitted, places, y_new),
        in_ellipse=float(np.mean(inside_ellipse)),
    )


def _inside(regions: Any, places: FloatArray, y: IntArray) -> FloatArray:
    """The share of new rows in the regions of their class, mean of the classes that have them."""
    held = np.array([regions.hold(c, places[y == c]).mean(axis=0) for c in np.unique(y)])
    is_known = ~np.isnan(regions.log_levels)
    shares: FloatArray = (held * is_known).sum(axis=0) / np.maximum(is_known.sum(axis=0), 1)
    return np.where(is_known.any(axis=0), shares, np.nan)


def _loss(shares: FloatArray, y: IntArray) -> float:
    own = np.maximum(shares[np.arange(len(y)), y], 1e-300)
    return float(np.mean([-np.log(own[y == c]).mean() for c in np.unique(y)]))
