"""What the audit says of the pictures that people make: of noise, of clusters, and of real classes.

PLS-DA, OPLS-DA, neighborhood components and a small labeled autoencoder are always asked; UMAP with
labels, PaCMAP and CEBRA where their packages are installed. Every audit is kept, so that an
interrupted run goes on where it stopped.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier, NeighborhoodComponentsAnalysis
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lab.experiments.data import find, load
from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from lab.experiments.records import DEFAULT_DATA, Cell, Settings, Values, complete
from melm_core import METHODS
from melm_core.answers import LEVEL, TOLD_APART, Answer
from melm_core.base import FloatArray, IntArray
from melm_core.datasets import pure_noise
from melm_core.evaluation import Audit, audit

_N_FOLDS = 5
_N_SHUFFLES, _N_QUICK_SHUFFLES = 39, 19
_CEBRA_ROUNDS = 200
_Table = tuple[FloatArray, IntArray, IntArray | None]


class Bottleneck(TransformerMixin, BaseEstimator):
    """The two numbers through which a network passes all that it says of the classes."""

    def fit(self, X: FloatArray, y: IntArray) -> Self:
        """Train the network."""
        self.network_ = MLPClassifier((16, 2), "tanh", solver="lbfgs", max_iter=50, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # it says enough after few rounds
            self.network_.fit(X, y)
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """The values of its narrowest layer."""
        layers = zip(self.network_.coefs_[:-1], self.network_.intercepts_[:-1], strict=True)
        for weights, bias in layers:
            X = np.tanh(X @ weights + bias)
        return X


class Unlabeled(TransformerMixin, BaseEstimator):
    """PaCMAP, whose second argument of fit is no label."""

    def fit(self, X: FloatArray, y: IntArray) -> Self:
        """Make the map."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it has a seed
            self.map_ = import_module("pacmap").PaCMAP(2, random_state=0, save_tree=True)
            self.map_.fit(np.ascontiguousarray(X, dtype=np.float32))
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Places of rows in the map."""
        placed: FloatArray = self.map_.transform(np.ascontiguousarray(X, dtype=np.float32))
        return placed


class Contrastive(TransformerMixin, BaseEstimator):
    """CEBRA with labels, of few rounds and with a seed."""

    def fit(self, X: FloatArray, y: IntArray) -> Self:
        """Train the network."""
        torch = import_module("torch")
        torch.set_num_threads(1)
        torch.manual_seed(0)
        self.network_ = import_module("cebra").CEBRA(
            "offset1-model",
            output_dimension=2,
            max_iterations=_CEBRA_ROUNDS,
            batch_size=64,
            device="cpu",
            verbose=False,
        )
        self.network_.fit(X.astype(np.float32), y)
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Places of rows on the circle that two coordinates leave."""
        placed: FloatArray = self.network_.transform(X.astype(np.float32))
        return placed


@dataclass(frozen=True)
class _Program:
    """What makes pictures: how, on how many tables it is asked, and the package that it needs."""

    made: Callable[[], Any]
    n_tables: int = 100
    package: str = ""


# What takes seconds a fit is asked about fewer tables.
_PROGRAMS: Mapping[str, _Program] = {
    "PLS-DA": _Program(lambda: METHODS["plsda"].estimator({})),
    "OPLS-DA": _Program(lambda: METHODS["oplsda"].estimator({})),
    "neighborhood components": _Program(
        lambda: NeighborhoodComponentsAnalysis(2, max_iter=30, random_state=0)
    ),
    "an autoencoder with labels": _Program(Bottleneck),
    "UMAP with labels": _Program(
        lambda: import_module("umap").UMAP(random_state=0, n_jobs=1), 100, "umap"
    ),
    "PaCMAP and its neighbors": _Program(
        lambda: make_pipeline(Unlabeled(), KNeighborsClassifier()), 100, "pacmap"
    ),
    "CEBRA with labels": _Program(Contrastive, 10, "cebra"),  # a minute each
}


def _noise(seed: int) -> _Table:
    return *pure_noise(100, 30, 2, random_state=seed), None


def _patients(seed: int) -> _Table:
    """Four rows of each of 30 patients, whose label is that of the patient."""
    stream = np.random.default_rng(seed)
    patients = np.repeat(np.arange(30), 4)
    X = stream.normal(size=(30, 30))[patients] + 0.5 * stream.normal(size=(120, 30))
    return X, stream.permutation(np.arange(30) % 2)[patients], patients


def _clusters(seed: int) -> _Table:
    """Two, three or four clusters of one Gaussian."""
    stream = np.random.default_rng(seed)
    X = stream.normal(size=(150, 4))
    return X, KMeans(int(stream.integers(2, 5)), n_init=4, random_state=0).fit_predict(X), None


def _real(name: str) -> _Table:
    if name in _SHIPPED:
        return *_SHIPPED[name](return_X_y=True), None
    rows = load(DEFAULT_DATA, name, raw=True)
    return rows.X, rows.y, None


_SHIPPED = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}
_REAL = (*_SHIPPED, *(name for name in ("heart", "sonar") if find(DEFAULT_DATA, name, raw=True)))


@dataclass(frozen=True)
class _Kind:
    """Tables of a kind: given a seed or a name, one of them; which answers are wanted of how many.

    Where No is wanted, it may be said of fewer by two standard errors of the level.
    """

    table: Callable[[Any], _Table]
    words: str
    counted: tuple[Answer, ...]
    wanted: tuple[float, float]
    names: tuple[str, ...] = ()
    most_of_slow: int = 100  # tables, of programs that need a package

    def n_tables(self, program: _Program) -> int:
        """How many a program is asked about."""
        most = self.most_of_slow if program.package else program.n_tables
        return len(self.names) or min(program.n_tables, most)

    def limits(self, n_tables: int) -> tuple[float, float]:
        """The least and the largest share of so many tables that keeps the promise."""
        error = np.sqrt(LEVEL * (1.0 - LEVEL) / n_tables) if Answer.NO in self.counted else 0.0
        least, most = self.wanted
        return least - 2.0 * float(error), most


_NO, _TOLD = ("answered No", (Answer.NO,)), ("answered Yes or Partly", TOLD_APART)
_KINDS: Mapping[str, _Kind] = {
    "noise, 100 x 30": _Kind(_noise, *_NO, (1.0 - LEVEL, 1.0)),
    "noise, 120 x 30 of 30 patients": _Kind(_patients, *_NO, (1.0 - LEVEL, 1.0)),
    "clusters of a Gaussian, 150 x 4": _Kind(_clusters, *_TOLD, (0.0, 0.0), most_of_slow=20),
    f"{len(_REAL)} real tables": _Kind(_real, *_TOLD, (0.8, 1.0), _REAL),
}


def answer_cell(
    _folder: Path, *, program: str, kind: str, table: int | str, n_shuffles: int
) -> Values:
    """The answer to a picture of a table, and the shares of its held-out and training rows."""
    counts_no = Answer.NO in _KINDS[kind].counted

    def is_settled(so_far: Audit) -> bool:
        # No more than guessing is a No, and what looks like clusters no Yes, of any p.
        return so_far.share <= so_far.chance or (bool(so_far.remark) and not counts_no)

    found = audit(
        make_pipeline(StandardScaler(), _PROGRAMS[program].made()),
        *_KINDS[kind].table(table),
        n_permutations=n_shuffles,
        n_folds=_N_FOLDS,
        callback=is_settled,
    )
    answer = found.answer or (Answer.NO if found.share <= found.chance else Answer.UNKNOWN)
    return {"answer": str(answer), "held_out": found.share, "train": found.share_train}


def _simulate(quick: bool) -> Iterator[Measured]:
    programs = dict(_installed(with_slow=not quick))
    for kind, tables in _KINDS.items():
        if quick and tables.names:
            continue
        for name, program in programs.items():
            n_tables = 1 if quick else tables.n_tables(program)
            found = _answered(name, kind, n_tables, quick=quick)
            share = float(np.mean([one["answer"] in tables.counted for one in found]))
            train = np.mean([one["train"] for one in found])
            beside = f"of {n_tables}; training rows {train:.2f}"
            what = f"{kind}: {tables.words}"
            yield Measured(name, what, share, tables.limits(n_tables), beside)


def _installed(*, with_slow: bool) -> Iterator[tuple[str, _Program]]:
    """The programs whose packages are there; says which are not."""
    for name, program in _PROGRAMS.items():
        if not program.package:
            yield name, program
        elif find_spec(program.package) is None:
            print(f"{name} is left out: {program.package} is not installed.", file=sys.stderr)
        elif with_slow:
            yield name, program


def _answered(program: str, kind: str, n_tables: int, *, quick: bool) -> list[Values]:
    names = _KINDS[kind].names or range(FIRST_SEED, FIRST_SEED + n_tables)
    n_shuffles = _N_QUICK_SHUFFLES if quick else _N_SHUFFLES
    asked: list[Values] = [
        {"program": program, "kind": kind, "table": name, "n_shuffles": n_shuffles}
        for name in names
    ]
    if quick:
        return [answer_cell(DEFAULT_DATA, **one) for one in asked]
    cells = [Cell("field", answer_cell, one) for one in asked]
    return [record.values for record in complete(cells, Settings(n_jobs=1)) if record]


CLAIM = Claim(
    "field",
    "Whatever program made the picture, the audit says No of noise in 95 of 100 tables, with the "
    "rows of patients kept together, and Yes of no clusters that were made from the features.",
    simulate=_simulate,
    notes=(
        "Wanted is the level and two errors; in brackets are the tables, and the share of training "
        "rows that the same pictures tell apart. PaCMAP sees no label: judged are the nearest "
        "neighbors in its map. UMAP, PaCMAP and CEBRA are asked where their packages are "
        "installed: CEBRA, which takes most of a minute for a table, of ten. Of clusters of few "
        "rows the audit may say Yes: some are not recognized. Real are iris, wine, breast cancer, "
        "heart and sonar."
    ),
)
