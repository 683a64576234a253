"""Before and after, treatments within patients, patients within treatments: what shuffles keep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import rdata

from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from lab.experiments.records import DEFAULT_DATA
from melm_core.base import FloatArray, IntArray
from melm_core.datasets import pure_noise
from melm_core.diagnostics import FactorEffects
from melm_core.evaluation import Study, permutation_test
from melm_core.methods import METHODS
from melm_core.recipe import centered_within

_LEVEL, _N_FEATURES = 0.05, 6
# Of independent rows the level is exact: it is to be neither above nor far below.
_LEVEL_TOLERANCE = 0.015
# Rows and features of independent rows, and the method, once with fewer features than rows.
_INDEPENDENT = ((60, 5, "lda"), (60, 300, "plsda"))
_SUBJECT, _OCCASION = 3.0, 1.0  # standard deviations of what rows have in common, beside their own
_EFFECT = 1.2  # of the treatment on one feature, in standard deviations of a row


@dataclass(frozen=True)
class _Design:
    """Subjects with some rows under one label or two."""

    n_subjects: int
    n_rows: int  # of a subject under a label
    is_crossed: bool = True
    occasion: float = 0.0

    def draw(self, seed: int, effect: float = 0.0) -> tuple[FloatArray, IntArray, IntArray]:
        """Rows, labels and subjects."""
        stream = np.random.default_rng(FIRST_SEED + seed)
        n_occasions = self.n_subjects * (2 if self.is_crossed else 1)
        occasion = np.repeat(np.arange(n_occasions), self.n_rows)
        subject = occasion // 2 if self.is_crossed else occasion
        y = occasion % 2
        X = _SUBJECT * stream.standard_normal((self.n_subjects, _N_FEATURES))[subject]
        X = X + self.occasion * stream.standard_normal((n_occasions, _N_FEATURES))[occasion]
        X = X + stream.standard_normal((len(y), _N_FEATURES))
        X[:, 0] += effect * y
        return X, y, subject


# Of `UCH.RData` of the R package limpca: the percentages that its vignette prints, of factors,
# their interactions and the residuals.
_UCH, _FACTORS = "UCH.RData", ("Hippurate", "Citrate", "Time")
_PUBLISHED = (39.31, 29.91, 16.24, 1.54, 6.23, 0.54, 1.68, 4.30)

_PAIRED = _Design(20, 1)
_DESIGNS = {
    "paired: before and after in 20 patients": _PAIRED,
    "crossed: 2 treatments in 12 patients, 3 rows each": _Design(12, 3, occasion=_OCCASION),
    "nested: 20 patients under one treatment each, 4 rows": _Design(20, 4, is_crossed=False),
}


def _simulate(quick: bool) -> Iterator[Measured]:
    n_tables, n_shuffles = (1, 4) if quick else (100, 59)
    yield from _independent(10 * n_tables, n_shuffles)
    yield from _figures(n_tables, n_shuffles)


def _independent(n_tables: int, n_shuffles: int) -> Iterator[Measured]:
    """How often a separation of independent rows is significant in noise."""
    for n_rows, n_features, method in _INDEPENDENT:
        drawn = (pure_noise(n_rows, n_features, 2, FIRST_SEED + n) for n in range(n_tables))
        studies = [Study(method, *table, groups=np.arange(n_rows)) for table in drawn]
        share = _share(studies, n_shuffles)
        size = f"{n_rows} x {n_features}, {n_tables} tables"
        yield Measured(
            f"independent rows, {METHODS[method].label}, {size}",
            "significant in noise",
            share,
            (_LEVEL - _LEVEL_TOLERANCE, _LEVEL + _LEVEL_TOLERANCE),
            error=_error(n_tables),
        )


def _figures(n_tables: int, n_shuffles: int) -> Iterator[Measured]:
    error = _error(n_tables)
    for name, design in _DESIGNS.items():
        drawn = [design.draw(seed) for seed in range(n_tables)]
        own, plain = (_of_subjects, _of_centered) if design.is_crossed else (_of_groups, _of_rows)
        kept = _share([own(*table) for table in drawn], n_shuffles)
        shuffled = _share([plain(*table) for table in drawn], n_shuffles)
        words = "significant in noise, labels exchanged as the design does"
        yield Measured(name, words, kept, (0.0, _LEVEL + 2.0 * error), error=error)
        yield Measured(name, "significant in noise, labels of rows shuffled", shuffled, (0.0, 1.0))
    drawn = [_PAIRED.draw(seed, _EFFECT) for seed in range(n_tables)]
    within = _share([_of_subjects(*table) for table in drawn], n_shuffles)
    between = _share([_of_groups(*table) for table in drawn], n_shuffles)
    yield from _effects(4 * n_tables)
    words = f"an effect of {_EFFECT:g} sd in 20 pairs"
    ratio = within / max(between, 1.0 / n_tables)
    beside = f"{within:.2f} within patients, {between:.2f} with patients kept together alone"
    yield Measured(words, "times the power", ratio, (1.5, np.inf), beside)


def _effects(n_tables: int) -> Iterator[Measured]:
    """How often treatments that change nothing have a significant share of the variation."""
    error = _error(n_tables)
    for name, design in _DESIGNS.items():
        if design.is_crossed:
            drawn = (design.draw(10_000 + seed) for seed in range(n_tables))
            tests = [
                FactorEffects.of(X, {"treatment": y}, subjects=subject, n_permutations=99)
                for X, y, subject in drawn
            ]
            share = float(np.mean([test.effects[0].p_value <= _LEVEL for test in tests]))
            words = "its share of the variation is significant in noise"
            yield Measured(name, words, share, (0.0, _LEVEL + 2.0 * error), error=error)
    if (file := DEFAULT_DATA / _UCH).exists():
        found = [100.0 * share for share in _shares_of_urine(file)]
        words = "shares of three factors and their interactions, in % of the variation"
        apart = float(np.abs(np.subtract(found, _PUBLISHED)).max())
        yield Measured("UCH, urine with hippurate and citrate", words, apart, (0.0, 0.005))


def _shares_of_urine(file: Path) -> list[float]:
    table = rdata.read_rda(file)["UCH"]
    factors = {name: table["design"][name].astype(str) for name in _FACTORS}
    found = FactorEffects.of(np.asarray(table["outcomes"]), factors, order=3, n_permutations=1)
    return [*(effect.share for effect in found.effects), found.residual]


def _of_subjects(X: FloatArray, y: IntArray, subject: IntArray) -> Study:
    return Study("lda", X, y, groups=subject, within=True)


def _of_groups(X: FloatArray, y: IntArray, subject: IntArray) -> Study:
    return Study("lda", X, y, groups=subject)


def _of_rows(X: FloatArray, y: IntArray, _: IntArray) -> Study:
    return Study("lda", X, y, groups=np.arange(len(y)))


def _of_centered(X: FloatArray, y: IntArray, subject: IntArray) -> Study:
    return _of_rows(centered_within(X, subject), y, subject)


def _error(n_tables: int) -> float:
    """Of the share of tables that are significant."""
    return float(np.sqrt(_LEVEL * (1.0 - _LEVEL) / n_tables))


def _share(studies: list[Study], n_shuffles: int) -> float:
    """Of the studies, those whose p-value is at most the level."""
    tests = (permutation_test(one, n_permutations=n_shuffles) for one in studies)
    return float(np.mean([test.p_value <= _LEVEL for test in tests]))


CLAIM = Claim(
    "designs",
    "Labels are exchanged as the design of an experiment does, so that noise of subjects and "
    "occasions is significant in no more than 5 % of tables, and a change within subjects is seen "
    "more often than where subjects are only kept together.",
    _simulate,
)
