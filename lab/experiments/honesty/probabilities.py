"""Are rows that are given a probability right as often as that?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from sklearn.datasets import load_digits, load_wine
from sklearn.model_selection import StratifiedKFold

from lab.experiments.data import load
from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from lab.experiments.honesty.shapes import SHAPES
from lab.experiments.records import DEFAULT_DATA
from melm_core.base import FloatArray, IntArray
from melm_core.datasets import pure_noise
from melm_core.density import tempered_shares
from melm_core.diagnostics import Reliability
from melm_core.evaluation import Refits, Study

_SURE = (0.92, 1.0)


def tables(*, quick: bool) -> Iterator[tuple[str, FloatArray, IntArray]]:
    """Names, rows and labels; those of the papers where their files are."""
    yield ("wine", *load_wine(return_X_y=True))
    if quick:
        return
    X, y = load_digits(return_X_y=True)
    yield "digits", X[:, X.std(axis=0) > 0], y
    for name in ("sonar", "heart"):
        if any(DEFAULT_DATA.glob(f"{name}*")):
            rows = load(DEFAULT_DATA, name)
            yield name, rows.X, rows.y


def found_by(method: str, X: FloatArray, y: IntArray, seed: int) -> tuple[Reliability, Reliability]:
    """Of the probabilities of all rows, calibrated and as the densities are."""
    refits = _refits(method, X, y, seed)
    raw = Reliability.of(tempered_shares(refits.log_densities, 1.0), refits.y)
    return refits.reliability, raw


def _refits(method: str, X: FloatArray, y: IntArray, seed: int) -> Refits:
    parameters = {"n_init": 1, "random_state": seed}
    return Refits.of(Study(method, X, y, parameters=parameters, random_state=seed), gamma=1.0)


def simulate(quick: bool) -> Iterator[Measured]:
    """Confidence beside accuracy on noise and on real tables, and what sure rows are worth."""
    yield from _of_noise(quick=quick)
    yield from _of_new_noise(quick=quick)
    yield from _of_bank(quick=quick)
    yield from _of_tables(quick=quick)
    yield from _of_new_rows(quick=quick)


def of_new_rows(
    method: str, X: FloatArray, y: IntArray, new: FloatArray, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Probabilities of new rows in the plane of all others, calibrated and as the densities are."""
    refits = _refits(method, X, y, seed)
    places = refits.place(new)
    return refits.rule.probabilities(places), refits.rule.calibrated(1.0).probabilities(places)


def _of_new_noise(*, quick: bool) -> Iterator[Measured]:
    for method, n_tables in (("lda", 8 if quick else 40), ("melm", 0 if quick else 20)):
        gaps = []
        for seed in range(FIRST_SEED, FIRST_SEED + n_tables):
            X, y = pure_noise(1_200, 20, 2, seed)
            chosen = np.isin(np.arange(len(y)), np.argsort(y, kind="stable")[::6])
            shares = of_new_rows(method, X[chosen], y[chosen], X[~chosen], seed)
            found = [Reliability.of(each, y[~chosen]) for each in shares]
            gaps.append([each.confidence - each.accuracy for each in found])
        if gaps:
            own, raw = np.mean(gaps, axis=0)
            yield Measured(
                f"noise, 200 x 20, {method}, {n_tables} tables",
                "mean confidence less accuracy, new rows",
                float(own),
                (-0.05, 0.05),
                f"{raw:.3f}",
            )


def _of_bank(*, quick: bool) -> Iterator[Measured]:
    """Shapes of the bank, new rows: classes count alike, as the probabilities take them to."""
    n_tables = 1 if quick else 20
    for name, distance in product(("90:10",) if quick else SHAPES, (0.0, 2.0)):
        gaps = []
        for seed in range(FIRST_SEED, FIRST_SEED + n_tables):
            draw = SHAPES[name].draw
            X, y, groups = draw(200, 5, distance, 2 * seed)
            new = draw(1_000, 5, distance, 2 * seed + 1)
            study = Study("lda", X, y, groups=groups, random_state=seed)
            shares = Refits.of(study).classify(new.X)
            gap = shares.max(axis=1) - (shares.argmax(axis=1) == new.y)
            gaps.append((np.bincount(new.y, gap) / np.bincount(new.y)).mean())
        yield Measured(
            f"{name}, 200 rows, {distance:g} sd, {n_tables} tables",
            "mean confidence less balanced accuracy, new rows",
            float(np.mean(gaps)),
            (-0.2, 0.2) if quick else (-0.05, 0.05),
        )


def _of_new_rows(*, quick: bool) -> Iterator[Measured]:
    """Rows of real tables that the plane, its densities and their calibration have not seen."""
    for name, X, y in tables(quick=quick):
        if name not in {"wine", "sonar"}:
            continue
        methods = ("plsda",) if quick else ("lda", "plsda", "melm")
        for method in methods:
            found = []
            for seed in range(1 if quick else 5):
                folds = StratifiedKFold(5, shuffle=True, random_state=FIRST_SEED + seed)
                own, raw = np.empty((2, len(y), len(np.unique(y))))
                codes = np.unique(y, return_inverse=True)[1]
                for train, test in folds.split(X, y):
                    own[test], raw[test] = of_new_rows(method, X[train], y[train], X[test], seed)
                found.append((Reliability.of(own, codes), Reliability.of(raw, codes)))
            after, before = ([pair[i] for pair in found] for i in (0, 1))
            n_sure, right = _sure(after)
            if n_sure:
                yield Measured(
                    f"{name}, {method}",
                    "right of new rows given 95 %",
                    right / n_sure,
                    (0.93, 1.0),
                    f"{_sure(before)[1] / max(_sure(before)[0], 1):.3f}; "
                    f"{n_sure / len(found):.1f} rows",
                )
            yield Measured(
                f"{name}, {method}",
                "mean confidence less accuracy, new rows",
                float(np.mean([each.confidence - each.accuracy for each in after])),
                (-0.05, 0.05),
                f"{np.mean([each.confidence - each.accuracy for each in before]):.3f}",
            )


def _of_noise(*, quick: bool) -> Iterator[Measured]:
    for method, n_tables in (("lda", 8 if quick else 40), ("melm", 0 if quick else 20)):
        if not n_tables:
            continue
        found = [
            found_by(method, *pure_noise(200, 20, 2, seed), seed)
            for seed in range(FIRST_SEED, FIRST_SEED + n_tables)
        ]
        own, raw = (
            np.mean([(each.confidence, each.accuracy) for each in reliabilities], axis=0)
            for reliabilities in zip(*found, strict=True)
        )
        yield Measured(
            f"noise, 200 x 20, {method}, {n_tables} tables",
            "mean confidence less accuracy",
            float(own[0] - own[1]),
            (-0.05, 0.05) if quick else (-0.03, 0.03),
            f"{raw[0] - raw[1]:.3f}",
        )


def _of_tables(*, quick: bool) -> Iterator[Measured]:
    methods, n_repeats = (("plsda",), 1) if quick else (("lda", "plsda"), 5)
    for name, X, y in tables(quick=quick):
        for method in (*methods, *(["melm"] if name == "sonar" else [])):
            found = [found_by(method, X, y, seed) for seed in range(n_repeats)]
            own, raw = (list(each) for each in zip(*found, strict=True))
            n_sure, right = _sure(own)
            yield Measured(
                f"{name}, {method}",
                "calibration error",
                float(np.mean([each.calibration_error for each in own])),
                (0.0, 0.08),
                f"{np.mean([each.calibration_error for each in raw]):.3f}",
            )
            yield Measured(
                f"{name}, {method}",
                "log loss",
                float(np.mean([each.log_loss for each in own])),
                (0.0, float(np.mean([each.log_loss for each in raw]))),
                f"{np.mean([each.log_loss for each in raw]):.3f}",
                wanted_words="no more than in brackets",
            )
            if n_sure:
                yield Measured(
                    f"{name}, {method}",
                    "right of rows given 95 %",
                    right / n_sure,
                    _SURE,
                    f"{_sure(raw)[1] / max(_sure(raw)[0], 1):.3f}; {n_sure / n_repeats:.1f} rows",
                )


def _sure(found: list[Reliability]) -> tuple[int, float]:
    """How many rows are given 95 % and more, and how many of them are right."""
    sure = [each for each in found if each.n_sure]
    return sum(each.n_sure for each in sure), sum(each.n_sure * each.sure_right for each in sure)


CLAIM = Claim(
    name="probabilities",
    promise=(
        "Calibrated out of fold, the mean confidence of rows is their accuracy, and of the rows "
        "given 95 % and more about 95 % are right. In brackets: by the densities as they are."
    ),
    simulate=simulate,
    notes=(
        "New rows are judged as the page, tables and saved planes judge them: in the plane of all "
        "rows, calibrated by refits of one start, of at most 2,000 rows; of real tables they are "
        "fifths held out. Behind the density as it is stands how many rows were given 95 %. On "
        "noise confidence is .01 to .02 above accuracy, since two classes cannot be given less "
        "than a half. Where densities were right already (wine), calibration costs some log loss, "
        "as no row is given more than its number of rows allows. Sonar by LDA and MELM, and "
        "heart, have hardly a row that may be called 95 % sure."
    ),
)
