"""Columns that are the label in other words, and labels made from features; tables without any."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from experiments.honesty.claim import FIRST_SEED, Claim, Measured
from experiments.honesty.shapes import SHAPES
from melm_core.base import FloatArray, IntArray
from melm_core.evaluation import are_quantized, label_twins

_N_ROWS, _N_FEATURES = 90, 6
_CLASSES = np.array(["healthy", "mild", "severe"])
_N_TABLES, _FEW_TABLES = 25, 2
_SEPARATIONS = (0.0, 1.0, 2.0)

_Column = npt.NDArray[Any]


def _dummies(y: IntArray, _: np.random.Generator) -> dict[str, _Column]:
    return {f"grade_{name}": (y == code).astype(float) for code, name in enumerate(_CLASSES)}


# Given class codes and a stream: the columns that are the label once more.
PLANTED: Mapping[str, Callable[[IntArray, np.random.Generator], dict[str, _Column]]] = {
    "the same words": lambda y, _: {"grade": _CLASSES[y]},
    "a code": lambda y, _: {"grade": np.array([2.0, 0.0, 1.0])[y]},
    "other words, one of 90 mistyped": lambda y, _: {
        "grade": np.where(np.arange(len(y)) == 0, "M", np.array(["H", "M", "S"])[y])
    },
    "a finer class": lambda y, stream: {
        "grade": np.char.add(_CLASSES[y], stream.integers(0, 2, len(y)).astype(str))
    },
    "a coarser class": lambda y, _: {"ill": np.where(y > 0, "yes", "no")},
    "dummies": _dummies,
    "ranges that do not overlap": lambda y, stream: {
        "score": 10.0 * y + stream.uniform(0, 5, len(y))
    },
    "a later measurement": lambda y, stream: {"score": 3.0 * y + 0.4 * stream.normal(size=len(y))},
}


def _simulate(quick: bool) -> tuple[Measured, ...]:
    return tuple(_figures(_FEW_TABLES if quick else _N_TABLES))


def _figures(n_tables: int) -> Iterator[Measured]:
    for kind, planted in PLANTED.items():
        named = [_is_named(planted, FIRST_SEED + number) for number in range(n_tables)]
        yield Measured(kind, "named, and nothing else", float(np.mean(named)), (1.0, 1.0))
    clean = {name: _any_named(X, y) for name, (X, y) in _clean_tables()}
    share = float(np.mean(list(clean.values())))
    yield Measured(f"{len(clean)} clean tables", "a column is named", share, (0.0, 0.0))
    noise = [_any_named(*_noise(FIRST_SEED + number)) for number in range(20 * n_tables)]
    words = f"{len(noise)} tables of noise of several types"
    yield Measured(words, "a column is named", float(np.mean(noise)), (0.0, 0.01))
    made = [_is_said_to_be_made(_clusters, FIRST_SEED + number) for number in range(n_tables)]
    words = "k-means of a Gaussian, 100 rows"
    yield Measured(words, "said to be made of it", float(np.mean(made)), (0.8, 1.0))
    found = [_is_said_to_be_made(_few_rows, FIRST_SEED + number) for number in range(40 * n_tables)]
    words = f"{len(found)} tables of 40 rows, two Gaussians"
    yield Measured(words, "said to be made of it", float(np.mean(found)), (0.0, 0.02))


def _is_named(
    planted: Callable[[IntArray, np.random.Generator], dict[str, _Column]], seed: int
) -> bool:
    stream = np.random.default_rng(seed)
    y = stream.permutation(np.arange(_N_ROWS) % len(_CLASSES))
    noise = stream.normal(size=(_N_FEATURES, _N_ROWS))
    columns: dict[str, _Column] = {f"m{at}": cells for at, cells in enumerate(noise)}
    twins = planted(y, stream)
    columns |= twins
    found = label_twins(list(columns.values()), _CLASSES[y], list(columns))
    return {name for one in found if one.twin for name in one.names} == set(twins)


def _any_named(X: Any, y: Any) -> bool:
    return any(one.twin for one in label_twins(X, y))


def _is_said_to_be_made(
    draw: Callable[[np.random.Generator], tuple[FloatArray, IntArray]], seed: int
) -> bool:
    return are_quantized(*draw(np.random.default_rng(seed)))


def _clusters(stream: np.random.Generator) -> tuple[FloatArray, IntArray]:
    X = stream.normal(size=(100, 2))
    return X, KMeans(3, n_init=4, random_state=0).fit_predict(X)


def _few_rows(stream: np.random.Generator) -> tuple[FloatArray, IntArray]:
    """Two Gaussians that all but overlap, where few rows look like clusters the most often."""
    y = stream.permutation(np.arange(40) % 2)
    X = stream.normal(size=(40, 3))
    X[:, 0] += stream.uniform(3.0, 4.5) * y
    return X, y


def _clean_tables() -> Iterator[tuple[str, tuple[FloatArray, IntArray]]]:
    for load in (load_iris, load_wine, load_breast_cancer, load_digits):
        yield load.__name__, load(return_X_y=True)
    for name in ("normal", "t3", "lognormal", "90:10", "ties"):
        for separation in _SEPARATIONS:
            yield f"{name} {separation}", _told_by_three(name, 120, separation)
    yield "many rows", _told_by_three("normal", 1_000, 1.0)


def _told_by_three(shape: str, n_rows: int, separation: float) -> tuple[FloatArray, IntArray]:
    """A table in which three features tell the classes apart, none of them alone."""
    X, y, _ = SHAPES[shape].draw(n_rows, 8, 0.0, FIRST_SEED)
    X[:, :3] += separation * y[:, None]
    return X, y


def _noise(seed: int) -> tuple[list[_Column], IntArray]:
    """Columns of several types, and a label of two to four classes."""
    stream = np.random.default_rng(seed)
    n_rows = int(stream.integers(20, 150))
    y = stream.permutation(np.arange(n_rows) % int(stream.integers(2, 5)))
    columns = [
        stream.normal(size=n_rows),
        stream.integers(0, 3, n_rows),
        np.array(list("abcd"))[stream.integers(0, 4, n_rows)],
        stream.integers(0, 2, n_rows),
        stream.poisson(3, n_rows),
        np.where(stream.random(n_rows) < 0.3, np.nan, stream.normal(size=n_rows)),
    ]
    return columns, y


CLAIM = Claim(
    "twins",
    "A column that is the label in other words is named before anything is said of a plane, and "
    "no other column is; labels that k-means made of the features are recognized.",
    _simulate,
)
