"""Held-out accuracies of a plane: data sets, methods and classifiers of `generalization`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from experiments import data
from experiments.records import Values
from melm_core import MELM
from melm_core.base import FloatArray, IntArray
from melm_core.datasets import crescents, five_gaussians, five_mixtures, two_gaussians, two_mixtures
from melm_core.evaluation import PLANE_CLASSIFIERS, stratified_folds
from melm_core.methods import METHODS

N_FOLDS = 5

# C and inverse square width of the SVM, neighbours, kernel width: fixed, so that nothing is tuned.
_JUDGES: Mapping[str, Any] = {"SVM-RBF": (3.0, 0.5), "KNN": 15, "KDE": 1.0}
_MOST_ROWS = 600

Projection = Callable[[FloatArray], FloatArray]
Fit = Callable[[FloatArray, IntArray], Projection]


@dataclass(frozen=True, eq=False)
class Fold:
    """Training and test rows, standardized by the training rows."""

    X: FloatArray
    y: IntArray
    X_test: FloatArray
    y_test: IntArray

    def accuracies(self, projection: Projection) -> list[float]:
        """Balanced accuracy of each classifier on the test rows in a plane."""
        return accuracies(projection(self.X), self.y, projection(self.X_test), self.y_test)


def folds(folder: Path, name: str, repeat: int) -> Iterator[Fold]:
    """The folds of one repeat on a data set."""
    X, y = rows(folder, name)
    for fold in stratified_folds(y, N_FOLDS, repeat):
        mean, widths = X[fold.train].mean(axis=0), X[fold.train].std(axis=0)
        varying = widths > 0
        train, test = (
            (X[part][:, varying] - mean[varying]) / widths[varying]
            for part in (fold.train, fold.test)
        )
        yield Fold(train, y[fold.train], test, y[fold.test])


def cell(folder: Path, *, name: str, repeat: int, method: str, options: Values) -> Values:
    """Held-out balanced accuracies, one row a fold and one column a classifier."""
    fit = ENTRANTS[method](options, repeat)
    return {"folds": [fold.accuracies(fit(fold.X, fold.y)) for fold in folds(folder, name, repeat)]}


def density_cell(folder: Path, *, name: str, repeat: int, gamma: float) -> Values:
    """Held-out balanced accuracy by the densities of MELM's fit itself, one a fold."""
    fits = (
        (MELM(gamma=gamma, random_state=repeat).fit(fold.X, fold.y), fold)
        for fold in folds(folder, name, repeat)
    )
    return {"folds": [[_balanced(fit.predict(fold.X_test), fold.y_test)] for fit, fold in fits]}


def accuracies(Z: FloatArray, y: IntArray, points: FloatArray, true: IntArray) -> list[float]:
    """Balanced accuracy of each classifier in the plane, in coordinates of unit covariance."""
    center = Z.mean(axis=0)
    root = np.linalg.cholesky(np.atleast_2d(np.cov(Z.T)))
    Z, points = (np.linalg.solve(root, (part - center).T).T for part in (Z, points))
    return [
        _balanced(next(judge.predict(Z, y, points, [_JUDGES[judge.name]])), true)
        for judge in PLANE_CLASSIFIERS
    ]


def _balanced(predicted: IntArray, true: IntArray) -> float:
    right = np.bincount(true[predicted == true], minlength=int(true.max()) + 1)
    return float(np.mean(right / np.bincount(true)))


def _melm(options: Values, seed: int) -> Fit:
    return lambda X, y: MELM(random_state=seed, **options).fit(X, y).transform


def _registered(key: str) -> Callable[[Values, int], Fit]:
    def fit(options: Values, seed: int) -> Fit:
        estimator = METHODS[key].estimator({"n_components": 2, "random_state": seed})
        return lambda X, y: estimator.set_params(**options).fit(X, y).transform

    return fit


def _regularized_lda(_options: Values, _seed: int) -> Fit:
    """Scikit-learn's, completed to a plane by the first principal component of what it leaves."""

    def fit(X: FloatArray, y: IntArray) -> Projection:
        lda = LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto").fit(X, y)
        axes = np.linalg.qr(lda.scalings_[:, : min(2, int(y.max()))])[0]
        rest = X - X @ axes @ axes.T
        missing = 2 - axes.shape[1]
        added = np.linalg.svd(rest - rest.mean(axis=0), full_matrices=False)[2][:missing]
        plane = np.column_stack([axes, added.T])
        return lambda points: points @ plane

    return fit


def _pls(_options: Values, _seed: int) -> Fit:
    def fit(X: FloatArray, y: IntArray) -> Projection:
        pls = PLSRegression(2, scale=False).fit(X, np.eye(int(y.max()) + 1)[y])
        return lambda points: np.asarray(pls.transform(points))

    return fit


ENTRANTS: Mapping[str, Callable[[Values, int], Fit]] = {
    "melm": _melm,
    "lda": _registered("lda"),
    "regularized lda": _regularized_lda,
    "nca": _registered("nca"),
    "pls": _pls,
    "rotations": _registered("rotations"),
    "gem": _registered("gem"),
    "pca": _registered("pca"),
}


def rows(folder: Path, name: str) -> tuple[FloatArray, IntArray]:
    """Features and class codes of a data set, at most 600 rows of the large ones."""
    if name in data.DATA_SETS:
        full = data.load(folder, name)
        return full.X, full.y
    X, y = GENERATED[name]()
    kept = np.random.default_rng(0).permutation(len(y))[:_MOST_ROWS]
    return X[np.sort(kept)], y[np.sort(kept)]


def _crescents_in_noise() -> tuple[FloatArray, IntArray]:
    """Two interleaved crescents, turned into ten features of which eight are noise."""
    X, y = crescents(0)
    stream = np.random.default_rng(0)
    turn = np.linalg.qr(stream.standard_normal((10, 10)))[0]
    return np.hstack([X / X.std(axis=0), stream.standard_normal((len(X), 8))]) @ turn, y


def _wide() -> tuple[FloatArray, IntArray]:
    """Two classes of 60 rows in 300 features, whose means differ in ten of them."""
    stream = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    X = stream.standard_normal((120, 300)) + stream.standard_normal((120, 5)) @ (
        stream.standard_normal((5, 300))
    )
    X[:, :10] += 1.5 * y[:, None]
    return X, y


GENERATED: Mapping[str, Callable[[], tuple[FloatArray, IntArray]]] = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "digits": lambda: load_digits(return_X_y=True),
    "two Gaussians": lambda: two_gaussians(0),
    "two mixtures": lambda: two_mixtures(0),
    "five Gaussians": lambda: five_gaussians(0),
    "five mixtures": lambda: five_mixtures(0),
    "crescents in noise": _crescents_in_noise,
    "wide": _wide,
}


# Those whose fits are quick come first.
DATA_SETS = (
    "heart",
    "sonar",
    "liver-disorders",
    "diabetes",
    "australian",
    "breast-cancer",
    "ionosphere",
    "german.numer",
    "splice",
    "iris",
    "wine",
    "two Gaussians",
    "two mixtures",
    "crescents in noise",
    "fourclass",
    "wide",
    "five Gaussians",
    "five mixtures",
    "digits",
)
