"""Held-out accuracies of a plane: data sets, methods and classifiers of `generalization`.

Differences of two methods are paired by fold. Folds of one data set share training rows, so their
differences are not independent, and their standard error as if they were is too small. Nadeau and
Bengio correct it. Different data sets are independent: the spread of their means says whether a
difference would hold on further ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from lab.experiments import data
from lab.experiments.records import Values
from melm_core import MELM, MELMCV, BaggedMELM
from melm_core.base import FloatArray, IntArray, balanced_share
from melm_core.datasets import crescents, five_gaussians, five_mixtures, two_gaussians, two_mixtures
from melm_core.diagnostics import PLANE_CLASSIFIERS
from melm_core.evaluation import Score
from melm_core.folds import stratified_folds
from melm_core.methods import AUTO, METHODS

N_FOLDS = 5

# C and inverse square width of the SVM, neighbours, kernel width: fixed, so that nothing is tuned.
_JUDGES: Mapping[str, Any] = {"SVM-RBF": (3.0, 0.5), "KNN": 15, "KDE": 1.0}
_MOST_ROWS = 600

# A mean difference this small is no win: fits that agree, as where the plane is the whole space.
_TIE = 1e-9

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


@dataclass(frozen=True)
class PairedDifferences:
    """The differences of two methods on several data sets.

    Parameters
    ----------
    by_fold : sequence of ndarray of shape (n_folds_of_all_repeats,)
        One entry a data set, at least two folds each.
    n_folds : int
        Folds of one repeat: each tests one row for every n_folds - 1 that it trains on.

    References
    ----------
    C. Nadeau, Y. Bengio: Inference for the Generalization Error, Machine Learning 52, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from lab.experiments.held_out import PairedDifferences
    >>> both = PairedDifferences([np.array([0.01, 0.03]), np.array([0.02, 0.02])], n_folds=2)
    >>> round(both.mean, 3), round(both.error, 4), both.n_won, both.n_lost
    (0.02, 0.0087, 2, 0)
    """

    by_fold: Sequence[FloatArray]
    n_folds: int

    @property
    def of_sets(self) -> FloatArray:
        """The mean difference on each data set."""
        return np.array([differences.mean() for differences in self.by_fold])

    @property
    def mean(self) -> float:
        """The mean over the data sets."""
        return float(self.of_sets.mean())

    @property
    def errors(self) -> FloatArray:
        """The corrected standard error on each data set: s^2 (1 / n + n_test / n_train)."""
        of_sets = [Score.over_refits(each, self.n_folds) for each in self.by_fold]
        return np.array([score.standard_error for score in of_sets])

    @property
    def error(self) -> float:
        """The corrected standard error of the mean on these very data sets."""
        return float(np.sqrt(np.square(self.errors).sum()) / len(self.by_fold))

    @property
    def error_over_sets(self) -> float:
        """The standard error of the mean as that of a sample of data sets."""
        return float(self.of_sets.std(ddof=1) / np.sqrt(len(self.by_fold)))

    @property
    def n_won(self) -> int:
        """Data sets on which the first method is better."""
        return int((self.of_sets > _TIE).sum())

    @property
    def n_lost(self) -> int:
        """Data sets on which the second method is better."""
        return int((self.of_sets < -_TIE).sum())


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


def density_cell(
    folder: Path, *, name: str, repeat: int, gamma: float, density_gamma: float
) -> Values:
    """Held-out balanced accuracy by the densities of MELM's fit itself, one a fold."""
    fits = (
        (
            MELM(gamma=gamma, density_gamma=density_gamma, random_state=repeat).fit(fold.X, fold.y),
            fold,
        )
        for fold in folds(folder, name, repeat)
    )
    return {
        "folds": [
            [balanced_share(fit.predict(fold.X_test) == fold.y_test, fold.y_test)]
            for fit, fold in fits
        ]
    }


def accuracies(Z: FloatArray, y: IntArray, points: FloatArray, true: IntArray) -> list[float]:
    """Balanced accuracy of each classifier in the plane, in coordinates of unit covariance."""
    center = Z.mean(axis=0)
    root = np.linalg.cholesky(np.atleast_2d(np.cov(Z.T)))
    Z, points = (np.linalg.solve(root, (part - center).T).T for part in (Z, points))
    return [
        balanced_share(next(judge.predict(Z, y, points, [_JUDGES[judge.name]])) == true, true)
        for judge in PLANE_CLASSIFIERS
    ]


def _melm(options: Values, seed: int) -> Fit:
    kind: type[MELM] = BaggedMELM if "n_bootstrap" in options else MELM
    if options.get("gamma") == AUTO:
        kind, options = MELMCV, {name: options[name] for name in options if name != "gamma"}
    return lambda X, y: kind(random_state=seed, **options).fit(X, y).transform


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
    "tsne": _registered("tsne"),
    "umap": _registered("umap"),
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
