"""Straight features and bent ones: held-out accuracy of planes, and of classifiers without one.

A cell is one entrant on one data set in one repeat of five folds: the balanced accuracy of 15
neighbors and of an SVM with fixed parameters in the plane, or that of a classifier on all features.
Features bend by `melm_core.recipe`, fitted to the training rows, as everything else. A cell of
noise counts the tables whose features are chosen to bend, though no feature knows the class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cross_decomposition import PLSRegression
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.svm import SVC

from lab.experiments import data
from lab.experiments.held_out import N_FOLDS, Fold, PairedDifferences, accuracies, folds
from lab.experiments.records import Cell, Record, Settings, Values, complete
from lab.experiments.report import Entry, Provenance, Report, Section
from melm_core import MELM
from melm_core.base import FloatArray, IntArray
from melm_core.baselines import DiscriminantPlane
from melm_core.datasets import pure_noise
from melm_core.diagnostics import PLANE_CLASSIFIERS
from melm_core.evaluation import AutoCurves
from melm_core.recipe import CurvedFeatures, Preparation, Recipe

N_REPEATS, N_NOISE = 3, 100
NINE = (
    "heart",
    "diabetes",
    "liver-disorders",
    "sonar",
    "ionosphere",
    "australian",
    "breast-cancer",
    "splice",
    "german.numer",
)
DATA_SETS = (
    *NINE,
    "iris",
    "wine",
    "digits",
    "two Gaussians",
    "two mixtures",
    "crescents in noise",
    "five Gaussians",
    "five mixtures",
    "wide",
)
# Rows, features and classes of noise.
NOISE = ((60, 10, 2), (100, 30, 2), (150, 2, 2), (90, 5, 3))
_QUICK_SETS, _QUICK_NOISE = ("heart", "liver-disorders"), 5
_JUDGES = ("KNN", "SVM-RBF")
_N_TREES = 300

Fit = Callable[[FloatArray, IntArray, int], Any]


def report(settings: Settings) -> Report:
    """Accuracies, differences of bent from straight features, and choices on noise."""
    names = _QUICK_SETS if settings.quick else DATA_SETS
    repeats = 1 if settings.quick else N_REPEATS
    n_noise = _QUICK_NOISE if settings.quick else N_NOISE
    planes = complete(
        [
            Cell(
                "curves",
                cell,
                {"name": name, "repeat": repeat, "entrant": entrant},
                data.find(settings.data, name),
            )
            for repeat in range(repeats)
            for entrant in ENTRANTS
            for name in names
        ],
        settings,
    )
    noise = complete(
        [Cell("curves-noise", noise_cell, {"shape": list(s), "n_tables": n_noise}) for s in NOISE],
        settings,
    )
    scores = _scores(planes)
    groups = {f"the {len(NINE)} of two classes": NINE, f"all {len(DATA_SETS)}": DATA_SETS}
    if settings.quick:
        groups = {"quick": names}
    return Report(
        name="curves",
        title="Straight and bent features",
        source=_SOURCE,
        sections=(
            Section("Balanced accuracy on held-out rows", _entries(scores, names)),
            Section("Means", _means(scores, groups), (_MEANS,)),
            Section("Bent less straight, by data set", _gains(scores, names), (_GAINS,)),
            Section("Noise: tables whose features stay straight", _noise(noise), (_NOISE,)),
        ),
        provenance=Provenance.of([*planes, *noise]),
    )


def cell(folder: Path, *, name: str, repeat: int, entrant: str) -> Values:
    """Held-out balanced accuracy in every fold."""
    features, fit = ENTRANTS[entrant]
    made = [features(fold, repeat) for fold in folds(folder, name, repeat)]
    return {"folds": [fit(fold, repeat) for fold in made]}


def noise_cell(_folder: Path, *, shape: Sequence[int], n_tables: int) -> Values:
    """In how many tables of noise features are chosen to bend."""
    n_rows, n_features, n_classes = shape
    choices = [
        AutoCurves(_preparation(n_features), seed).choice(
            *pure_noise(
                n_rows=n_rows, n_features=n_features, n_classes=n_classes, random_state=seed
            )
        )
        for seed in range(n_tables)
    ]
    return {"n_straight": sum(not choice.is_curved for choice in choices), "of": n_tables}


def _preparation(n_features: int) -> Preparation:
    return Preparation(Recipe(), tuple(map(str, range(n_features))), tuple(range(n_features)))


def straight(fold: Fold, _seed: int) -> Fold:
    """The features as they are."""
    return fold


def curved(fold: Fold, _seed: int) -> Fold:
    """Bent features."""
    features = CurvedFeatures().fit(fold.X)
    return Fold(features.transform(fold.X), fold.y, features.transform(fold.X_test), fold.y_test)


def orthonormal(fold: Fold, _seed: int) -> Fold:
    """Bent features whose columns are uncorrelated within each feature, of equal variance."""
    bent, parts = CurvedFeatures().fit(fold.X), []
    train, test = bent.transform(fold.X), bent.transform(fold.X_test)
    for feature in range(fold.X.shape[1]):
        columns = np.flatnonzero(bent.groups_ == feature)
        _, lengths, axes = np.linalg.svd(train[:, columns], full_matrices=False)
        kept = axes[lengths > 1e-8 * lengths[0]] if lengths[0] else axes[:1]
        own = [part[:, columns] @ kept.T for part in (train, test)]
        widths = own[0].std(axis=0)
        parts.append([part / np.where(widths > 0, widths, 1.0) for part in own])
    train, test = (np.hstack(part) for part in zip(*parts, strict=True))
    return Fold(train, fold.y, test, fold.y_test)


def auto(fold: Fold, seed: int) -> Fold:
    """Bent features where inner folds of the training rows gain by them."""
    preparation = AutoCurves(_preparation(fold.X.shape[1]), seed).chosen(fold.X, fold.y)
    return curved(fold, seed) if preparation.curves else fold


def _in_plane(plane: Fit) -> Callable[[Fold, int], float]:
    def accuracy(fold: Fold, seed: int) -> float:
        fitted = plane(fold.X, fold.y, seed)
        points = [np.asarray(fitted.transform(rows)) for rows in (fold.X, fold.X_test)]
        found = accuracies(points[0], fold.y, points[1], fold.y_test)
        names = [judge.name for judge in PLANE_CLASSIFIERS]
        return float(np.mean([found[names.index(judge)] for judge in _JUDGES]))

    return accuracy


def _on_all(classifier: Callable[[int], Any]) -> Callable[[Fold, int], float]:
    def accuracy(fold: Fold, seed: int) -> float:
        predicted = classifier(seed).fit(fold.X, fold.y).predict(fold.X_test)
        return float(balanced_accuracy_score(fold.y_test, predicted))

    return accuracy


def _lda(X: FloatArray, y: IntArray, _seed: int) -> Any:
    return DiscriminantPlane(shrinkage=0.0).fit(X, y)


def _rlda(X: FloatArray, y: IntArray, _seed: int, n_components: int = 2) -> Any:
    return DiscriminantPlane(n_components, shrinkage="ledoit-wolf").fit(X, y)


def _pls(X: FloatArray, y: IntArray, _seed: int) -> Any:
    return PLSRegression(2, scale=False).fit(X, np.eye(int(y.max()) + 1)[y])


def _melm(X: FloatArray, y: IntArray, seed: int, gamma: float, n_init: int) -> Any:
    return MELM(gamma=gamma, n_init=n_init, random_state=seed).fit(X, y)


_PLANES: Mapping[str, Fit] = {
    "LDA": _lda,
    "LDA, regularized": _rlda,
    "LDA, regularized, 1 component": partial(_rlda, n_components=1),
    "PLS": _pls,
    "MELM γ 2, 6 starts": partial(_melm, gamma=2.0, n_init=6),
    "MELM γ 1, 14 starts": partial(_melm, gamma=1.0, n_init=14),
}
STRAIGHT, CURVED = "straight", "curved"
# Features and what is fitted to them, by the label of the row.
ENTRANTS: Mapping[str, tuple[Callable[[Fold, int], Fold], Callable[[Fold, int], float]]] = {
    **{
        f"{label}, {kind}": (features, _in_plane(plane))
        for label, plane in _PLANES.items()
        for kind, features in ((STRAIGHT, straight), (CURVED, curved))
    },
    "LDA, regularized, auto": (auto, _in_plane(_rlda)),
    "LDA, regularized, orthonormal curves": (orthonormal, _in_plane(_rlda)),
    "MELM γ 2, 6 starts, auto": (auto, _in_plane(_PLANES["MELM γ 2, 6 starts"])),
    "MELM γ 2, 6 starts, orthonormal curves": (
        orthonormal,
        _in_plane(_PLANES["MELM γ 2, 6 starts"]),
    ),
    "random forest, no plane": (
        straight,
        _on_all(
            lambda seed: RandomForestClassifier(
                _N_TREES, class_weight="balanced", random_state=seed
            )
        ),
    ),
    "SVM, no plane": (
        straight,
        _on_all(lambda _: SVC(C=3.0, gamma="scale", class_weight="balanced")),
    ),
}


def _scores(records: Sequence[Record | None]) -> dict[str, dict[str, FloatArray]]:
    """Accuracies in every fold of the repeats that all have, by entrant and data set."""
    found: dict[str, dict[str, list[float]]] = {}
    for record in filter(None, records):
        own = found.setdefault(record.parameters["entrant"], {})
        own.setdefault(record.parameters["name"], []).extend(record.values["folds"])
    fewest = min((len(values) for own in found.values() for values in own.values()), default=0)
    return {
        entrant: {name: np.array(values[:fewest]) for name, values in own.items()}
        for entrant, own in found.items()
    }


def _entries(
    scores: Mapping[str, Mapping[str, FloatArray]], names: Sequence[str]
) -> tuple[Entry, ...]:
    return tuple(
        Entry(entrant, name, float(values.mean()) if values is not None else None)
        for entrant in ENTRANTS
        for name in names
        for values in (scores.get(entrant, {}).get(name),)
    )


def _means(
    scores: Mapping[str, Mapping[str, FloatArray]], groups: Mapping[str, Sequence[str]]
) -> tuple[Entry, ...]:
    """The mean of each entrant, and what it gains over its straight form and over the forest."""
    entries = []
    for title, names in groups.items():
        for entrant in ENTRANTS:
            own = scores.get(entrant, {})
            is_complete = all(name in own for name in names)
            mean = float(np.mean([own[name].mean() for name in names])) if is_complete else None
            entries.append(Entry(entrant, title, mean))
            rivals = {"less straight": _straight_of(entrant), "less the forest": _FOREST}
            for words, rival in rivals.items():
                difference = _difference(scores, entrant, rival, names)
                if difference is not None and rival != entrant:
                    entries.append(
                        Entry(
                            entrant,
                            f"{title}, {words}",
                            difference.mean,
                            standard_error=difference.error,
                        )
                    )
    return tuple(entries)


_FOREST = "random forest, no plane"


def _straight_of(entrant: str) -> str:
    """The entrant with the same method and straight features."""
    return f"{entrant.rpartition(', ')[0]}, {STRAIGHT}"


def _difference(
    scores: Mapping[str, Mapping[str, FloatArray]], entrant: str, rival: str, names: Sequence[str]
) -> PairedDifferences | None:
    own, other = scores.get(entrant, {}), scores.get(rival, {})
    if not all(name in own and len(own[name]) == len(other.get(name, ())) for name in names):
        return None
    return PairedDifferences([own[name] - other[name] for name in names], N_FOLDS)


def _gains(
    scores: Mapping[str, Mapping[str, FloatArray]], names: Sequence[str]
) -> tuple[Entry, ...]:
    entries = []
    for name in names:
        for label in _PLANES:
            difference = _difference(scores, f"{label}, {CURVED}", f"{label}, {STRAIGHT}", [name])
            if difference is not None:
                entries.append(Entry(name, label, difference.mean, standard_error=difference.error))
    return tuple(entries)


def _noise(records: Sequence[Record | None]) -> tuple[Entry, ...]:
    entries = []
    for record in filter(None, records):
        n_rows, n_features, n_classes = record.parameters["shape"]
        row = f"{n_rows} rows, {n_features} features, {n_classes} classes"
        entries += [
            Entry(row, name, record.values[key], decimals=0)
            for name, key in (("straight", "n_straight"), ("of", "of"))
        ]
    return tuple(entries)


_SOURCE = (
    "Five folds, three times, features standardized by the training rows and bent by them. In a "
    "plane: the mean of 15 neighbors and an SVM with fixed parameters, in coordinates of unit "
    "covariance; without a plane: the classifier itself on all features. Generated data and "
    "digits: at most 600 rows."
)
_MEANS = (
    "Differences are paired by fold; ± is the standard error of Nadeau and Bengio, for these very "
    "data sets."
)
_GAINS = "Paired by fold; ± is the standard error of Nadeau and Bengio."
_NOISE = (
    "Standard normal rows, classes in turn. Auto bends features where twice five inner folds gain "
    "more than their standard error and bent features beat guessing by more than two."
)
