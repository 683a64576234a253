"""What refits say of new rows, beside many new rows: regions, ellipses, shares, probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from lab.experiments.honesty.shapes import SHAPES, PlantedTables
from melm_core.base import FloatArray, IntArray
from melm_core.density import PlaceRegions
from melm_core.evaluation import Refits, Study

METHODS = {"melm": "MELM", "lda": "LDA", "plsda": "PLS-DA"}
_SHARES = (0.5, 0.8, 0.95)
NEW_ROWS = 2_000
_N_TABLES, _FEW_TABLES = 20, 2
_NOISE_TABLES = 100
# Rows and features of normal tables, with noise and two deviations between the means.
_SIZES = ((100, 30), (80, 60), (60, 300))
_NOISE_SIZES = ((80, 60), (60, 300))
_SEPARATIONS = (0.0, 2.0)
# Features that are asked of a shape, with 100 rows: the wide ones have twenty times as many.
_FEATURES_OF_SHAPES = dict.fromkeys(SHAPES, 10)
# Of the regions of 50, 80 and 95 %.
TOLERANCES = (0.06, 0.06, 0.04)
_LOSS_TOLERANCE = 0.05
_CHANCE_TOLERANCE = 0.02
_SHARE_TOLERANCE = 0.04
# Of rows in groups, of which there are few, regions are promised to hold no less than they say.
_IN_GROUPS = ("unequal groups",)
# Normal ellipses are promised where classes are not skewed.
_SKEWED = ("lognormal",)
_ELLIPSE = (0.88, 1.0)


@dataclass(frozen=True)
class Case:
    """The method that is refitted to tables of a shape."""

    method: str
    tables: PlantedTables

    @property
    def words(self) -> str:
        """Method, shape and size."""
        return f"{METHODS[self.method]}, {self.tables}"


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
    (X, y, groups), (X_new, y_new, _) = case.tables.drawn(number, NEW_ROWS)
    given = np.arange(len(y)) if groups is None else groups
    refits = Refits.of(Study(case.method, X, y, groups=given))
    codes = np.unique(y_new)
    places = refits.place(X_new)
    shares = refits.rule.probabilities(places)
    linear = refits.linear_rule.probabilities(places)
    rows, unseen = refits.study.rows, refits.regions(_SHARES)
    fitted = PlaceRegions.of(refits.fitted, rows.y, _SHARES, rows.groups)
    ellipses = refits.ellipses()
    inside_ellipse = [
        ellipses[c].hold(places[y_new == c], "rows").mean() for c in codes if ellipses[c]
    ]
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
    return _known_mean(np.where(np.isnan(regions.log_levels), np.nan, held))


def _known_mean(values: Any) -> FloatArray:
    """The mean over the first axis of what is known; nan where nothing is."""
    values = np.asarray(values)
    is_known = ~np.isnan(values)
    sums = np.where(is_known, values, 0.0).sum(axis=0)
    means: FloatArray = np.where(
        is_known.any(axis=0), sums / np.maximum(is_known.sum(axis=0), 1), np.nan
    )
    return means


def _loss(shares: FloatArray, y: IntArray) -> float:
    own = np.maximum(shares[np.arange(len(y)), y], 1e-300)
    return float(np.mean([-np.log(own[y == c]).mean() for c in np.unique(y)]))


def _simulate(quick: bool) -> Iterator[Measured]:
    yield from _regions(quick)
    yield from _shapes(quick)
    yield from _chance(quick)


def _regions(quick: bool) -> Iterator[Measured]:
    """New rows in the regions of unseen places, beside those of fitted places."""
    sizes = _SIZES[:1] if quick else _SIZES
    methods = ["lda"] if quick else list(METHODS)
    for (n_rows, n_features), separation, method in product(sizes, _SEPARATIONS, methods):
        case = Case(method, PlantedTables("normal", n_rows, n_features, separation))
        found = _of_tables(case, quick)
        inside = _known_mean([one.inside for one in found])
        fitted = _known_mean([one.inside_fitted for one in found])
        for share, tolerance, now, before in zip(_SHARES, TOLERANCES, inside, fitted, strict=True):
            wanted = (share - tolerance, min(share + tolerance, 1.0))
            words = f"new rows in the region of {100 * share:.0f} %"
            yield Measured(case.words, words, float(now), wanted, f"{before:.3f} as fitted")


def _shapes(quick: bool) -> Iterator[Measured]:
    """Regions, ellipses, shares and log loss through the bank of shapes."""
    shapes = ("normal", "90:10") if quick else tuple(SHAPES)
    methods = ["lda"] if quick else list(METHODS)
    for shape, method in product(shapes, methods):
        case = Case(method, PlantedTables(shape, 100, _FEATURES_OF_SHAPES[shape], 2.0))
        found = _of_tables(case, quick)
        inside = _known_mean([one.inside for one in found])
        for share, tolerance, now in zip(_SHARES, TOLERANCES, inside, strict=True):
            if np.isnan(now):  # too few groups: none is drawn, and nothing is said
                continue
            words = f"new rows in the region of {100 * share:.0f} %"
            most = 1.0 if shape in _IN_GROUPS else min(share + tolerance, 1.0)
            yield Measured(case.words, words, float(now), (share - tolerance, most))
        if shape not in _SKEWED:
            ellipse = float(np.mean([one.in_ellipse for one in found]))
            yield Measured(case.words, "in the ellipse of 95 %", ellipse, _ELLIPSE)
        excess = np.mean([one.loss - min(one.linear_loss, np.log(one.n_classes)) for one in found])
        words = "log loss above that of a linear rule or of chance"
        yield Measured(case.words, words, float(excess), (-np.inf, _LOSS_TOLERANCE))
        bias = float(np.mean([one.share - one.true_share for one in found]))
        words = "share of the folds less that of new rows"
        yield Measured(case.words, words, bias, (-_SHARE_TOLERANCE, _SHARE_TOLERANCE))


def _chance(quick: bool) -> Iterator[Measured]:
    """The share of the folds on noise."""
    n_tables = _FEW_TABLES if quick else _NOISE_TABLES
    tolerance = 0.2 if quick else _CHANCE_TOLERANCE
    for (n_rows, n_features), method in product(_NOISE_SIZES, ("lda",) if quick else METHODS):
        shares = []
        for number in range(n_tables):
            X, y, _ = SHAPES["normal"].draw(n_rows, n_features, 0.0, FIRST_SEED + number)
            study = Study(method, X, y, groups=np.arange(n_rows))
            shares.append(Refits.of(study).share.balanced_accuracy)
        words = f"{METHODS[method]}, noise {n_rows} x {n_features}"
        wanted = (0.5 - tolerance, 0.5 + tolerance)
        yield Measured(words, "share of the folds", float(np.mean(shares)), wanted)


@cache
def _of_tables(case: Case, quick: bool) -> tuple[_Judged, ...]:
    return tuple(_judged(case, number) for number in range(_FEW_TABLES if quick else _N_TABLES))


CLAIM = Claim(
    "new-rows",
    "Regions hold what they say of rows that nobody has seen, the share of the folds is that of "
    "new rows, and probabilities are no worse than those of a linear rule.",
    simulate=_simulate,
    notes=(
        "100 rows in groups of up to twelve: regions of 50 and 80 % hold .58 to .59 and .88 to "
        ".90 of new rows. Of rows in groups they are promised to hold no less than they say, and "
        "where groups are too few for a region of 95 %, none is drawn."
    ),
)
