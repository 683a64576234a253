"""Rules that choose the kernel width of MELM by the training rows, compared on held-out rows.

A cell is one repeat of five folds on one data set. In each fold it has the held-out accuracies of
the planes of all widths, and, from the training rows alone, what the rules need: the accuracies of
inner folds, and the divergences with the true labels and with shuffled ones. What a rule would
have achieved follows without another fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from lab.experiments import data
from lab.experiments.held_out import DATA_SETS, Fold, folds
from lab.experiments.records import Cell, Settings, Values, complete
from lab.experiments.report import Entry, Provenance, Report, Section
from melm_core import MELM, MELMCV
from melm_core.base import FloatArray, GammaPath, IntArray
from melm_core.melm import GAMMAS

N_SHUFFLES = 4
N_REPEATS = 3
_QUICK_SETS = ("heart",)
_REFERENCE = "γ 1"

# The budget of a path, the same as that of an inner fold of MELMCV.
_N_STARTS = 6
_N_FOLLOWED = 3
_TOL = 1e-6


def report(settings: Settings) -> Report:
    """Held-out accuracy of every width and of every rule, and differences from γ = 1."""
    names = _QUICK_SETS if settings.quick else DATA_SETS
    repeats = 1 if settings.quick else N_REPEATS
    cells = [
        Cell("gamma", cell, {"name": name, "repeat": repeat}, data.find(settings.data, name))
        for repeat in range(repeats)
        for name in names
    ]
    records = complete(cells, settings)
    by_name: dict[str, list[Values]] = {}
    for record in filter(None, records):
        by_name.setdefault(record.parameters["name"], []).extend(record.values["folds"])
    scores = {name: _scores(by_name[name]) for name in names if name in by_name}
    return Report(
        name="gamma",
        title="Rules that choose the kernel width",
        source=_SOURCE,
        sections=(
            Section("Balanced accuracy, mean of three classifiers", _entries(scores)),
            Section("All data sets together", _overall(scores), (_OVERALL,)),
        ),
        provenance=Provenance.of(records),
    )


def _scores(of_folds: Sequence[Values]) -> dict[str, FloatArray]:
    """The accuracy in every fold, by width and by rule."""
    by_gamma = np.array([np.mean(fold["accuracies"], axis=1) for fold in of_folds])
    fixed = {f"γ {gamma:g}": by_gamma[:, i] for i, gamma in enumerate(GAMMAS)}
    chosen = {
        label: by_gamma[np.arange(len(of_folds)), [rule(fold) for fold in of_folds]]
        for label, rule in RULES.items()
    }
    return fixed | chosen


def _entries(scores: Mapping[str, Mapping[str, FloatArray]]) -> tuple[Entry, ...]:
    return tuple(
        Entry(name, label, float(values.mean()))
        for name, of_name in scores.items()
        for label, values in of_name.items()
    )


def _overall(scores: Mapping[str, Mapping[str, FloatArray]]) -> tuple[Entry, ...]:
    """Means over the data sets, and differences from the reference that are paired by fold."""
    labels = next(iter(scores.values()), {})
    entries = []
    for label in labels:
        values = [of_name[label] for of_name in scores.values()]
        pairs = [of_name[label] - of_name[_REFERENCE] for of_name in scores.values()]
        error = np.sqrt(sum(pair.var(ddof=1) / len(pair) for pair in pairs)) / len(pairs)
        mean = float(np.mean([each.mean() for each in values]))
        difference = float(np.mean([pair.mean() for pair in pairs]))
        entries += [
            Entry(label, f"mean of {len(scores)} data sets", mean),
            Entry(label, f"less {_REFERENCE}", difference, standard_error=float(error)),
        ]
    return tuple(entries)


def one_standard_error(fold: Values) -> int:
    """The widest kernel within one standard error of the best (Breiman and others, 1984)."""
    path = GammaPath(np.array(GAMMAS), np.array(fold["inner"]))
    best = int(path.accuracies.argmax())
    enough = path.accuracies[best] - path.standard_errors[best]
    return int(np.argmax(path.accuracies >= enough))


def best_of_inner_folds(fold: Values) -> int:
    """The rule of MELMCV: the width of the largest accuracy in inner folds."""
    return GAMMAS.index(GammaPath(np.array(GAMMAS), np.array(fold["inner"])).chosen)


def label_contrast(fold: Values) -> int:
    """The width at which the divergence exceeds that of shuffled labels by the largest factor."""
    return int(np.argmax(np.array(fold["divergences"]) / np.mean(fold["shuffled"], axis=0)))


RULES: Mapping[str, Callable[[Values], int]] = {
    "inner folds, one standard error": one_standard_error,
    "inner folds, best": best_of_inner_folds,
    "label contrast": label_contrast,
}


def cell(folder: Path, *, name: str, repeat: int) -> Values:
    """What every width achieves in each fold, and what the rules see of its training rows."""
    return {"folds": [_of_fold(fold, repeat) for fold in folds(folder, name, repeat)]}


def _of_fold(fold: Fold, seed: int) -> Values:
    path = smooth_to_local(fold.X, fold.y, seed)
    chooser = MELMCV(n_init=_N_STARTS, random_state=seed).fit(fold.X, fold.y)
    stream = np.random.default_rng(seed)
    shuffled = [stream.permutation(fold.y) for _ in range(N_SHUFFLES)]
    return {
        "accuracies": [fold.accuracies(fit.transform) for fit in path],
        "inner": chooser.gamma_path_.fold_accuracies.tolist(),
        "divergences": [fit.divergence_ for fit in path],
        "shuffled": [
            [fit.divergence_ for fit in smooth_to_local(fold.X, labels, seed)]
            for labels in shuffled
        ],
    }


def smooth_to_local(X: FloatArray, y: IntArray, seed: int) -> list[MELM]:
    """A fit at each width, which begins with the best planes of the wider kernels.

    Parameters
    ----------
    X, y : ndarray of shape (n_samples, n_features), (n_samples,)
    seed : int
    """
    widest = MELM(gamma=GAMMAS[0], n_init=_N_STARTS, random_state=seed).set_search(tol=_TOL)
    fits = [widest.fit(X, y)]
    for gamma in GAMMAS[1:]:
        by_value = {
            round(start.objective, 5): start.components for start in fits[-1].start_results_
        }
        best = [by_value[value] for value in sorted(by_value, reverse=True)[:_N_FOLLOWED]]
        fits.append(MELM(gamma=gamma).set_search(init=np.stack(best), tol=_TOL).fit(X, y))
    return fits


_SOURCE = (
    "Five folds, features standardized by the training rows. MELM with the default covariances; "
    "the planes of falling widths are followed from the widest. Inner folds and shuffled labels "
    f"({N_SHUFFLES} shuffles) see the training rows only. Balanced accuracy of an SVM, 15 "
    "neighbors and kernel densities with fixed parameters; the mean of the three."
)
_OVERALL = (
    "Differences are paired by fold; their standard error is over folds, which share training "
    "rows, so it is somewhat too small."
)
