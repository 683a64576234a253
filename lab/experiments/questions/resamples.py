"""How far planes turn between bootstrap resamples: of real tables, and of pure noise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine
from threadpoolctl import threadpool_limits

from lab.experiments.data import DATA_SETS, load
from melm_core.base import FloatArray, IntArray
from melm_core.datasets import pure_noise
from melm_core.evaluation import Refits, Study, Unchanged, stability
from melm_core.linalg import principal_angles
from melm_core.methods import METHODS

N_RESAMPLES = 20  # as on the page
_METHODS = ("lda", "melm")
# Rows, features and classes of tables without structure.
_NOISE = ((60, 50, 3), (178, 13, 3), (300, 10, 2))


def compare(folder: Path, seed: int = 0) -> None:
    """Print the angles between the plane of all training rows and those of their resamples.

    Parameters
    ----------
    folder : Path
        Of the data sets of the MELM paper.
    seed : int
    """
    print("| data | guessing | method | held out | median angle | 5 to 95 % |")
    print("|---|---:|---|---:|---:|---:|")
    with threadpool_limits(1):
        for name, X, y in _data(folder, seed):
            for method in _METHODS:
                print(_row(name, method, X, y, seed), flush=True)


def _data(folder: Path, seed: int) -> Iterator[tuple[str, FloatArray, IntArray]]:
    yield ("wine", *load_wine(return_X_y=True))
    for name in DATA_SETS:
        data = load(folder, name)
        yield name, data.X, data.y
    for shape in _NOISE:
        yield (f"noise, {' x '.join(map(str, shape[:2]))}", *pure_noise(*shape, random_state=seed))


def _row(name: str, method: str, X: FloatArray, y: IntArray, seed: int) -> str:
    study = _study(method, X, y, seed)
    (fold,) = study.folds(1)
    share = Refits.of(study, (fold,)).share.balanced_accuracy
    fitted = study.without(fold)
    kept, plane = fold.train, fitted.components
    train = fitted.preparation.apply(X[kept])
    resampled = _study(method, train, y[kept], seed, preparation=Unchanged())
    found = stability(resampled, n_resamples=N_RESAMPLES, start=plane)
    angles = np.degrees([principal_angles(other, plane)[-1] for other in found.planes])
    low, middle, high = np.quantile(angles, [0.05, 0.5, 0.95])
    label = METHODS[method].label
    return (
        f"| {name} | {1 / len(np.unique(y)):.3f} | {label} | {share:.3f} "
        f"| {middle:.0f}° | {low:.0f}° to {high:.0f}° |"
    )


def _study(
    method: str, X: FloatArray, y: IntArray, seed: int, preparation: Unchanged | None = None
) -> Study:
    return Study(
        method,
        X,
        y,
        parameters={"random_state": seed},
        groups=np.arange(len(y)),
        preparation=preparation,
        random_state=seed,
    )
