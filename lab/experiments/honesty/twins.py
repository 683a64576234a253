"""Columns that are the label in other words, and labels made from features; tables without any."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.mixture import GaussianMixture

from lab.experiments.data import DATA_SETS, load
from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from lab.experiments.honesty.shapes import SHAPES
from lab.experiments.records import DEFAULT_DATA
from melm_core.base import FloatArray, IntArray
from melm_core.labels import are_quantized, label_twins

_N_ROWS, _N_FEATURES = 90, 6
_CLASSES = np.array(["healthy", "mild", "severe"])
_N_TABLES, _FEW_TABLES = 25, 4
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


def _simulate(quick: bool) -> Iterator[Measured]:
    return _figures(_FEW_TABLES, _SIZES[:1]) if quick else _figures(_N_TABLES, _SIZES)


def _figures(n_tables: int, sizes: Iterable[tuple[int, int]]) -> Iterator[Measured]:
    for kind, planted in PLANTED.items():
        named = [_is_named(planted, FIRST_SEED + number) for number in range(n_tables)]
        yield Measured(kind, "named, and nothing else", float(np.mean(named)), (1.0, 1.0))
    clean = {name: _any_named(X, y) for name, (X, y) in _clean_tables()}
    share = float(np.mean(list(clean.values())))
    yield Measured(f"{len(clean)} clean tables", "a column is named", share, (0.0, 0.0))
    noise = [_any_named(*_noise(FIRST_SEED + number)) for number in range(20 * n_tables)]
    words = f"{len(noise)} tables of noise of several types"
    yield Measured(words, "a column is named", float(np.mean(noise)), (0.0, 0.01))
    yield from _made_of_features(n_tables, sizes)
    made = float(np.mean([are_quantized(*table) for table in _tables_of_classes()]))
    words = "clean tables, and those of the paper"
    yield Measured(words, "said to be made of the features", made, (0.0, 0.0))


def _made_of_features(n_tables: int, sizes: Iterable[tuple[int, int]]) -> Iterator[Measured]:
    for n_rows, n_features in sizes:
        words = f"said to be made of the features, {n_rows} x {n_features}"
        for name, cluster in _CLUSTERINGS.items():
            made = (
                _clusters(cluster, n_rows, n_features, FIRST_SEED + at)
                for at in range(n_tables // 2)
            )
            found = [are_quantized(*table) for table in made if np.bincount(table[1]).min() > 2]
            yield Measured(f"{name} of a Gaussian", words, float(np.mean(found)), (0.8, 1.0))
        known = (_classes(n_rows, n_features, FIRST_SEED + at) for at in range(n_tables))
        share = float(np.mean([are_quantized(*table) for table in known]))
        yield Measured("Gaussian classes", words, share, (0.0, 0.05))
    for n_rows in _FEW_ROWS:
        groups = (_groups_of_noise(n_rows, FIRST_SEED + at) for at in range(n_tables))
        share = float(np.mean([are_quantized(*table) for table in groups]))
        words = f"said to be made of the features, {n_rows} x {_MANY_FEATURES:,}"
        yield Measured("groups of noise", words, share, (0.0, 0.05))


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


_CLUSTERINGS: Mapping[str, Callable[[FloatArray, int], IntArray]] = {
    "k-means": lambda X, k: KMeans(k, n_init=4, random_state=0).fit_predict(X),
    "a mixture": lambda X, k: GaussianMixture(k, random_state=0).fit_predict(X),
    "Ward's tree": lambda X, k: AgglomerativeClustering(k).fit_predict(X),
}
_SIZES = ((40, 5), (60, 100), (100, 50), (150, 20), (300, 10))
_FEW_ROWS, _MANY_FEATURES = (8, 12, 20, 40), 3_000


def _clusters(
    cluster: Callable[[FloatArray, int], IntArray], n_rows: int, n_features: int, seed: int
) -> tuple[FloatArray, IntArray]:
    """Two, three or five clusters of one Gaussian."""
    stream = np.random.default_rng(seed)
    X = _gaussian(stream, n_rows, n_features)
    return X, cluster(X, int(stream.choice([2, 3, 5])))


def _classes(n_rows: int, n_features: int, seed: int) -> tuple[FloatArray, IntArray]:
    """Two, three or five classes, 1 to 6 standard deviations apart."""
    stream = np.random.default_rng(seed)
    X = _gaussian(stream, n_rows, n_features)
    y = stream.permutation(np.arange(n_rows) % int(stream.choice([2, 3, 5])))
    return X + stream.uniform(1.0, 6.0) / np.sqrt(2.0) * np.eye(n_features)[y], y


def _groups_of_noise(n_rows: int, seed: int) -> tuple[FloatArray, IntArray]:
    """Two groups that no feature knows of: measurements, or counts, most of them 0."""
    stream = np.random.default_rng(seed)
    shape = n_rows, _MANY_FEATURES
    draw = stream.normal if seed % 2 else partial(stream.negative_binomial, 0.3, 0.08)
    X = np.asarray(draw(size=shape), dtype=np.float64)
    return X, stream.permutation(np.arange(n_rows) % 2).astype(np.int64)


def _gaussian(stream: np.random.Generator, n_rows: int, n_features: int) -> FloatArray:
    """Rows, the features of which are correlated in half of the tables."""
    X = stream.normal(size=(n_rows, n_features))
    mixing = stream.normal(size=(n_features,) * 2) / np.sqrt(n_features)
    mixed: FloatArray = X @ (np.eye(n_features) + stream.integers(0, 2) * mixing)
    return mixed


def _tables_of_classes() -> Iterator[tuple[FloatArray, IntArray]]:
    yield from (table for _, table in _clean_tables())
    for name in DATA_SETS:
        if any(DEFAULT_DATA.glob(f"{name}*")):
            rows = load(DEFAULT_DATA, name, raw=True)
            yield rows.X, rows.y


def _clean_tables() -> Iterator[tuple[str, tuple[FloatArray, IntArray]]]:
    for read in (load_iris, load_wine, load_breast_cancer, load_digits):
        yield read.__name__, read(return_X_y=True)
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
    "no other column is; labels that a clustering made of one Gaussian are recognized, and classes "
    "are not taken for such.",
    simulate=_simulate,
    notes=(
        "`label_twins` judges each column alone, in held-out rows. Words and codes are left out "
        "until somebody answers, and of a number that was kept a check says what is told apart "
        "without it. Several columns that are the label only together, other than dummies, are "
        "not looked for. A label made from the features is known by its name, or by classes that "
        "lie as clusters of one Gaussian do, and as Gaussian classes so close would not. Mixtures "
        "of few rows are often not recognized: each class has a shape of its own, which few rows "
        "do not tell. Clusterings are of 12 tables of each size, classes of 25."
    ),
)
