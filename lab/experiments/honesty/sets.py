"""Do sets of classes hold the class of new rows as often as promised?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from lab.experiments.honesty.shapes import SHAPES
from melm_core import DiscriminantPlane
from melm_core.base import FloatArray, IntArray
from melm_core.evaluation import ConformalClassifier, Refits, Study
from melm_core.methods import RowLimits, SavedPlane

_N_ROWS, _N_NEW = 120, 1_000
_PROMISED = 0.9
_WANTED = (0.87, 0.93)
# Where refits differ much, more rows have their class in their set than is promised.
_AT_LEAST = (0.87, 1.0)
_COVERED = "new rows whose set holds their class"
_SHAPES = ("normal", "crescents", "three classes", "more noise than rows")
# Rows, features and standard deviations between classes of the bank of shapes.
_BANK = 120, 5, 2.0


def simulate(quick: bool) -> Iterator[Measured]:
    """Coverage of new rows in tables of four shapes, with groups, and of rows like none."""
    n_tables = 1 if quick else 50
    shapes = _SHAPES[:1] if quick else _SHAPES
    for shape in shapes:
        yield from _of_shape(shape, n_tables)
    for name in ("t3",) if quick else SHAPES:
        yield _of_bank(name, 1 if quick else 20)
    yield from _of_groups(n_tables)
    yield from _of_far_rows(n_tables=1 if quick else 5)


def table(shape: str, seed: int) -> tuple[FloatArray, IntArray]:
    """Rows and classes: first those of the fit, then new ones."""
    stream, n = np.random.default_rng(seed), _N_ROWS + _N_NEW
    n_classes = 3 if shape == "three classes" else 2
    y = np.arange(n) % n_classes
    X = stream.normal(size=(n, 60 if shape == "more noise than rows" else 6))
    if shape == "normal":
        X[:, 0] += 1.2 * y
    elif shape == "crescents":
        angle, side = np.pi * stream.random(n), 1 - 2 * y
        X[:, 0] = side * np.cos(angle) + y + 0.5 * X[:, 0]
        X[:, 1] = side * np.sin(angle) + 0.5 * y + 0.5 * X[:, 1]
        X[:, 2:] = stream.standard_t(3, size=(n, 4))
    elif shape == "three classes":
        X[np.arange(n), y] += 1.2
    else:
        X[:, :3] += 0.7 * y[:, None]
    return X, y


def _model() -> ConformalClassifier:
    return ConformalClassifier(make_pipeline(StandardScaler(), DiscriminantPlane()), _PROMISED)


def saved_plane(X: FloatArray, y: IntArray) -> SavedPlane:
    """A plane of all rows with limits of sets from refits without folds, as the studio saves it."""
    refits = Refits.of(Study("lda", X, y))
    components, scaler = refits.whole.components, StandardScaler().fit(X)
    rows = scaler.transform(X)
    return SavedPlane(
        components,
        center=scaler.mean_,
        scale=scaler.scale_,
        feature_names=[f"x{at}" for at in range(X.shape[1])],
        class_names=[str(code) for code in np.unique(y)],
        rule=refits.rule_along(components),
        is_calibrated=True,
        limits=RowLimits(rows.mean(axis=0), np.eye(2), np.inf, np.inf),
        set_limits=refits.set_limits(_PROMISED, components),
    )


def _of_shape(shape: str, n_tables: int) -> Iterator[Measured]:
    covered, of_classes, sizes, said, saved = [], [], [], [], []
    for seed in range(FIRST_SEED, FIRST_SEED + n_tables):
        X, y = table(shape, seed)
        model = _model().fit(X[:_N_ROWS], y[:_N_ROWS])
        sets, new = model.predict_set(X[_N_ROWS:]), y[_N_ROWS:]
        holds = sets[np.arange(_N_NEW), new]
        covered.append(holds.mean())
        of_classes.append(np.bincount(new, holds) / np.bincount(new))
        sizes.append(sets.sum(axis=1).mean())
        said.append(model.coverage_.share)
        own = saved_plane(X[:_N_ROWS], y[:_N_ROWS]).predict_set(X[_N_ROWS:])
        saved.append(own[np.arange(_N_NEW), new].mean())
    case = f"{shape}, {_N_ROWS} rows, {n_tables} tables"
    wanted = _AT_LEAST if shape == "more noise than rows" else _WANTED
    yield Measured(
        case,
        _COVERED,
        float(np.mean(covered)),
        wanted,
        f"{np.mean(sizes):.2f} classes a set",
    )
    by_class = np.mean(of_classes, axis=0)
    yield Measured(case, "of the worst class", float(by_class.min()), wanted)
    yield Measured(case, "by the limits of a saved plane", float(np.mean(saved)), _WANTED)
    yield Measured(
        case,
        "said of held-out rows less found of new ones",
        float(np.mean(said) - np.mean(covered)),
        (-0.03, 0.03),
    )


def _of_bank(name: str, n_tables: int) -> Measured:
    """Coverage of new rows of a shape of the bank; of groups, of new groups."""
    n_rows, n_features, distance = _BANK
    covered = []
    for seed in range(FIRST_SEED, FIRST_SEED + n_tables):
        X, y, groups = SHAPES[name].draw(n_rows, n_features, distance, 2 * seed)
        new = SHAPES[name].draw(_N_NEW, n_features, distance, 2 * seed + 1)
        sets = _model().fit(X, y, groups).predict_set(new.X)
        covered.append(sets[np.arange(_N_NEW), new.y].mean())
    case = f"{name}, {n_rows} rows, {n_tables} tables"
    return Measured(case, _COVERED, float(np.mean(covered)), _AT_LEAST)


def _of_groups(n_tables: int) -> Iterator[Measured]:
    """New rows of new patients, whose rows are alike; with groups given and without."""
    by_group: list[float] = []
    by_row: list[float] = []
    for seed in range(FIRST_SEED, FIRST_SEED + n_tables):
        stream = np.random.default_rng(seed)
        patient = np.repeat(np.arange(440), 4)
        y = patient % 2
        X = 1.5 * stream.normal(size=(440, 4))[patient] + 0.5 * stream.normal(size=(1_760, 4))
        X[:, 0] += 1.5 * y
        own = patient < 80
        for found, groups in ((by_group, patient[own]), (by_row, None)):
            sets = _model().fit(X[own], y[own], groups).predict_set(X[~own])
            found.append(sets[np.arange((~own).sum()), y[~own]].mean())
    yield Measured(
        f"80 patients of 4 rows, {n_tables} tables",
        _COVERED,
        float(np.mean(by_group)),
        _AT_LEAST,
        f"{np.mean(by_row):.3f} as if rows were independent",
    )


def _of_far_rows(n_tables: int) -> Iterator[Measured]:
    """Rows of wine with one value times 20 that lies far from all others."""
    X, y = load_wine(return_X_y=True)
    empty, kept = [], []
    for seed in range(FIRST_SEED, FIRST_SEED + n_tables):
        stream = np.random.default_rng(seed)
        order = stream.permutation(len(y))
        own, new = order[:130], order[130:]
        model = _model().fit(X[own], y[own])
        far = X[new].copy()
        features = stream.integers(X.shape[1], size=len(new))
        at = np.arange(len(new)), features
        far[at] *= 20.0
        is_far = np.abs(far[at] - X[own].mean(axis=0)[features]) > 15.0 * X[own].std(0)[features]
        empty.append((~model.predict_set(far[is_far]).any(axis=1)).mean())
        kept.append((~model.predict_set(X[new]).any(axis=1)).mean())
    yield Measured(
        "wine, new rows of no class",
        "one value times 20, more than 15 sd away",
        float(np.mean(empty)),
        (0.95, 1.0),
    )
    yield Measured("wine, new rows of no class", "as they are", float(np.mean(kept)), (0.0, 0.1))


CLAIM = Claim(
    name="sets",
    promise=(
        "Of new rows 90 % have their class in their set, within 3 %, in all and by class, and of "
        "any shape and with groups 87 % and more: the more where refits differ, as if features are "
        "as many as rows or groups are few. A row like no class is of none."
    ),
    simulate=simulate,
)
