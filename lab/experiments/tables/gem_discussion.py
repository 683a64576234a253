"""Section 5 of the GEM paper: continuous targets, a thousand classes, many features, blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any, Self

import dask.array as dask_array
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_diabetes, load_digits, make_friedman1
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import train_test_split
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from lab.experiments.records import Cell, Record, Settings, Values, complete
from lab.experiments.report import Entry, Provenance, Report, Section
from melm_core import GEM
from melm_core.base import FloatArray, IntArray
from melm_core.gem import (
    Denominator,
    WideClass,
    half_powers,
    leading_eigenvectors,
    wide_eigenvectors,
)

_ALPHAS = (1, 2, 3)
_TEST_SHARE = 0.3
_N_SPLITS = 5
_PENALTIES = np.logspace(-3.0, 4.0, 15)

# Continuous targets

_TARGETS = ("diabetes", "Friedman 1", "sizes of projections", "two sizes, a vector")
_REGRESSIONS = ("ridge", "random directions", "GEM", "gradient boosting")

# A thousand classes

_N_CLASSES, _N_FEATURES, _N_OF_CLASS = 1_000, 30, 20
_N_DIRECTIONS = 224  # that each method may have, 4 axes times 8 * 7 pairs of bins
_SOLVED = ("raw features", "random directions", "hypercube, largest", "contraction")

# Many features

_WIDTHS = (1_000, 4_000, 20_000)
_MOST_FOR_MOMENTS = 4_000
_N_ROWS, _N_LEADING, _GAMMA = 300, 10, 0.1


def report(settings: Settings) -> Report:
    """A section for each of the four."""
    seeds = range(1 if settings.quick else _N_SPLITS)
    n_classes = 60 if settings.quick else _N_CLASSES
    widths = _WIDTHS[:1] if settings.quick else _WIDTHS
    targets = [
        Cell("gem-discussion", target_cell, {"target": target, "method": method, "seed": seed})
        for target in _TARGETS
        for method in _REGRESSIONS
        for seed in seeds
    ]
    many = [
        Cell(
            "gem-discussion",
            classes_cell,
            {"n_classes": n_classes, "method": method, "seed": 0},
        )
        for method in _SOLVED
    ]
    wide = [Cell("gem-discussion", wide_cell, {"n_features": width, "seed": 0}) for width in widths]
    blocks = [Cell("gem-discussion", blocks_cell, {"n_blocks": 7})]
    records = complete([*targets, *many, *wide, *blocks], settings)
    parts = iter(records)
    of_targets, of_many, of_wide, of_blocks = (
        [next(parts) for _ in cells] for cells in (targets, many, wide, blocks)
    )
    return Report(
        name="gem-discussion",
        title="GEM: other targets, many classes and many features",
        source=(
            "Karampatziakis and Mineiro, 2014, section 5, which names these and prints no numbers."
        ),
        sections=(
            Section(
                "Continuous and vector targets by discretization",
                tuple(_target_entries(targets, of_targets)),
                (_NOTE_OF_TARGETS,),
            ),
            Section(
                f"{n_classes:,} classes by contraction",
                tuple(_class_entries(of_many)),
                (_NOTE_OF_CLASSES,),
            ),
            Section(
                "Many features by a randomized solver",
                tuple(_wide_entries(widths, of_wide)),
                (_NOTE_OF_WIDTHS,),
            ),
            Section(
                "Second moments of a Dask array",
                tuple(_block_entries(of_blocks[0])),
                (_NOTE_OF_BLOCKS,),
            ),
        ),
        provenance=Provenance.of(records),
    )


def target_cell(_folder: Path, *, target: str, method: str, seed: int) -> Values:
    """R² of one regression on the held-out rows of one split."""
    X, y = _table(target)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=_TEST_SHARE, random_state=seed
    )
    model = _regression(method, seed, is_vector=y.ndim > 1)
    return {"r2": float(model.fit(X_train, y_train).score(X_test, y_test))}


def classes_cell(_folder: Path, *, n_classes: int, method: str, seed: int) -> Values:
    """Error of discriminant analysis on features of directions, and what these took."""
    X, y = many_classes(n_classes, seed)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=_TEST_SHARE, stratify=y, random_state=seed
    )
    began = process_time()
    directions, n_problems = _directions(method, X_train, y_train, seed)
    seconds = process_time() - began
    features = X_train, X_test
    if directions is not None:
        powers = [half_powers(rows @ directions.T, _ALPHAS) for rows in features]
        features = powers[0], powers[1]
    model = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis("lsqr", shrinkage="auto"))
    model.fit(features[0], y_train)
    return {
        "error": 100.0 * float(np.mean(model.predict(features[1]) != y_test)),
        "directions": 0 if directions is None else len(directions),
        "problems": n_problems,
        "seconds": seconds,
    }


def wide_cell(_folder: Path, *, n_features: int, seed: int) -> Values:
    """Seconds and eigenvalues by the moments, where they fit, and by the randomized solver."""
    stream = np.random.default_rng(seed)
    sizes = 1.0 / np.sqrt(np.arange(1, n_features + 1))
    top, bottom = (
        stream.standard_normal((_N_ROWS, n_features)) * own for own in (sizes, np.roll(sizes, 50))
    )
    began = process_time()
    denominator = WideClass.of(bottom).denominator(gamma=_GAMMA, label="b", is_centered=False)
    numerator = WideClass.of(top)
    found, _ = wide_eigenvectors(
        numerator.rows, numerator.mean, denominator, n_directions=_N_LEADING
    )
    seconds = {"randomized": process_time() - began}
    difference = None
    if n_features <= _MOST_FOR_MOMENTS:
        began = process_time()
        factored = Denominator.of(bottom.T @ bottom / _N_ROWS, gamma=_GAMMA, label="b")
        exact, _ = leading_eigenvectors(
            top.T @ top / _N_ROWS, top.mean(axis=0), factored, n_directions=_N_LEADING
        )
        seconds["moments"] = process_time() - began
        difference = float(np.abs(found / exact - 1.0).max())
    return {"seconds": seconds, "difference": difference, "first": float(found[0])}


def blocks_cell(_folder: Path, *, n_blocks: int) -> Values:
    """The largest differences between GEM of a Dask array of rows and of the rows in memory."""
    X, y = load_digits(return_X_y=True)
    size = -(-len(X) // n_blocks)
    gem = GEM().fit(X, y)
    rows, labels = (dask_array.from_array(one, chunks=(size, *one.shape[1:])) for one in (X, y))
    lazy = GEM().fit(rows, labels)
    projections = lazy.transform(X) - gem.transform(X)
    return {
        "directions": len(gem.directions_),
        "eigenvalues": float(np.abs(lazy.eigenvalues_ / gem.eigenvalues_ - 1.0).max()),
        "projections": float(np.abs(projections).max() / np.abs(gem.transform(X)).max()),
    }


def many_classes(n_classes: int, seed: int) -> tuple[FloatArray, IntArray]:
    """Classes that differ by their means in ten of the features, and by their spread in all."""
    stream = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_classes), _N_OF_CLASS)
    means = np.zeros((n_classes, _N_FEATURES))
    means[:, :10] = 2.0 * stream.standard_normal((n_classes, 10))
    spreads = np.exp(0.5 * stream.standard_normal((n_classes, _N_FEATURES)))
    mixing = np.linalg.qr(stream.standard_normal((_N_FEATURES, _N_FEATURES)))[0]
    X = (means[y] + spreads[y] * stream.standard_normal((len(y), _N_FEATURES))) @ mixing
    return X, y.astype(np.int64)


def _table(target: str) -> tuple[FloatArray, FloatArray]:
    if target == "diabetes":
        X, y = load_diabetes(return_X_y=True)
        return X, y
    if target == "Friedman 1":
        X, y = make_friedman1(1_000, n_features=10, noise=1.0, random_state=0)
        return X, y
    stream = np.random.default_rng(0)
    X = stream.standard_normal((1_000, 10))
    sizes = np.abs(X @ stream.standard_normal((10, 2)))
    y = sizes if "vector" in target else sizes.sum(axis=1)
    return X, y + 0.3 * stream.standard_normal(y.shape)


def _regression(method: str, seed: int, *, is_vector: bool) -> Any:
    if method == "gradient boosting":
        one = HistGradientBoostingRegressor(random_state=seed)
        return MultiOutputRegressor(one) if is_vector else one
    features: Mapping[str, Callable[[], Any]] = {
        "ridge": FunctionTransformer,
        "random directions": lambda: _RandomPowers(seed),
        "GEM": lambda: GEM(n_directions=2, alphas=_ALPHAS, contract="target"),
    }
    return make_pipeline(StandardScaler(), features[method](), StandardScaler(), _ridge())


def _ridge() -> RidgeCV:
    return RidgeCV(_PENALTIES)


class _RandomPowers(TransformerMixin, BaseEstimator):
    """Half powers along as many random directions as GEM has at most."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, X: FloatArray, y: Any) -> Self:
        n_contracted = 1 if y.ndim == 1 else y.shape[1]
        n_directions = 2 * 4 * 3 * n_contracted
        stream = np.random.default_rng(self.seed)
        self.directions_ = stream.standard_normal((n_directions, X.shape[1]))
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        return half_powers(X @ self.directions_.T, _ALPHAS)


def _directions(
    method: str, X: FloatArray, y: IntArray, seed: int
) -> tuple[FloatArray | None, int]:
    """Directions of a method, at most _N_DIRECTIONS, and how many eigenvalue problems it solved."""
    if method == "raw features":
        return None, 0
    if method == "random directions":
        stream = np.random.default_rng(seed)
        return stream.standard_normal((_N_DIRECTIONS, X.shape[1])), 0
    if method == "contraction":
        contracted = GEM(
            contract="classes", n_bins=8, n_contractions=4, n_directions=1, theta=1.1
        ).fit(X, y)
        return contracted.directions_, sum(
            (len(edges) + 1) * len(edges) for edges in contracted.edges_
        )
    gem = GEM(pairs="hypercube", n_directions=1, theta=1e-9, random_state=seed).fit(X, y)
    return gem.directions_[np.argsort(-gem.eigenvalues_)[:_N_DIRECTIONS]], len(gem.directions_)


def _target_entries(cells: Sequence[Cell], records: Sequence[Record | None]) -> Iterator[Entry]:
    values: dict[tuple[str, str], list[float]] = {}
    for one, record in zip(cells, records, strict=True):
        own = values.setdefault((one.parameters["target"], one.parameters["method"]), [])
        own += [record.values["r2"]] if record else []
    for (target, method), found in values.items():
        error = float(np.std(found, ddof=1) / np.sqrt(len(found))) if len(found) > 1 else None
        mean = float(np.mean(found)) if found else None
        yield Entry(target, method, mean, standard_error=error, decimals=3)


def _class_entries(records: Sequence[Record | None]) -> Iterator[Entry]:
    columns = {"error (%)": ("error", 1), "directions": ("directions", 0)}
    columns |= {"eigenvalue problems": ("problems", 0), "CPU seconds": ("seconds", 1)}
    for method, record in zip(_SOLVED, records, strict=True):
        for column, (key, decimals) in columns.items():
            yield Entry(method, column, record.values[key] if record else None, decimals=decimals)


def _wide_entries(widths: Sequence[int], records: Sequence[Record | None]) -> Iterator[Entry]:
    for width, record in zip(widths, records, strict=True):
        row, values = f"{width:,} features", record.values if record else {}
        seconds = values.get("seconds", {})
        yield Entry(row, "CPU seconds, randomized", seconds.get("randomized"), decimals=2)
        if width > _MOST_FOR_MOMENTS:
            continue
        yield Entry(row, "CPU seconds, moments", seconds.get("moments"), decimals=2)
        yield Entry(row, "log10 of the difference", _log(values.get("difference")), decimals=1)


def _block_entries(record: Record | None) -> Iterator[Entry]:
    values = record.values if record else {}
    row = "digits in 7 blocks"
    yield Entry(row, "directions", values.get("directions"), decimals=0)
    for key in ("eigenvalues", "projections"):
        yield Entry(row, f"log10 of the difference, {key}", _log(values.get(key)), decimals=1)


def _log(difference: float | None) -> float | None:
    """The logarithm of a relative difference, of rounding errors where it is below these."""
    return None if difference is None else float(np.log10(max(difference, 1e-16)))


_NOTE_OF_TARGETS = (
    "R² on held-out rows, the mean over five splits. GEM contracts the target, with half powers of "
    "two directions for each pair of four bins, and as many random directions beside it; both, and "
    "the raw features, end in ridge regression, whose penalty is selected by leave-one-out. "
    "Gradient boosting is the opponent that needs no directions. Where the size of a projection "
    "counts, GEM finds it and the others do not; it gains on Friedman 1, less than boosting, and "
    "nothing on diabetes, where a line is best."
)
_NOTE_OF_CLASSES = (
    f"{_N_OF_CLASS} rows of each class in {_N_FEATURES} features, 30 % held out; planted, since no "
    "table of so many classes comes with scikit-learn. All pairs would be 999,000 eigenvalue "
    "problems, and a hypercube has about 10,000, whose directions would be 60,000 features; of "
    "these the largest eigenvalues are taken, as many as the contraction has. Discriminant "
    "analysis with Ledoit-Wolf's shrinkage follows. Seconds are of the directions alone. The "
    "contraction comes within a point of the hypercube with a fortieth of its eigenvalue problems."
)
_NOTE_OF_WIDTHS = (
    f"The ten largest eigenvalues of two classes with {_N_ROWS} rows each, at γ {_GAMMA:g}: the "
    "seconds of one pair, and the largest relative difference from those of the moments. `GEM` "
    "takes the randomized solver above 10,000 features, where a second moment takes 0.8 GB."
)
_NOTE_OF_BLOCKS = (
    "The moments are summed over the blocks of a Dask array, so that the rows need not fit in "
    "memory (`ClassSecondMoments`, `GEM`). Differences are the largest, and relative: -16 is none."
)
