"""Two other methods of the same question, SQFA and ULCA, on the rows of `generalization`.

Both are written here after their papers: the package `sqfa` needs PyTorch, half a gigabyte, and
ULCA's reference implementation is a page of its own. One repeat of the folds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from lab.experiments.data import DATA_SETS
from lab.experiments.held_out import ENTRANTS, Fit, Projection, folds
from melm_core.base import FloatArray, IntArray

_N_STARTS = 4  # at random, beside the plane of LDA
# Of a class covariance, so that classes that are constant in a feature have logarithms.
_RIDGE = 1e-6
_MOST_STEPS = 200


def compare(folder: Path, names: Sequence[str] = tuple(DATA_SETS)) -> None:
    """Print the mean held-out balanced accuracy of three classifiers in each plane.

    Parameters
    ----------
    folder : Path
        Of the data sets of the MELM paper.
    names : sequence of str
    """
    print(f"| | {' | '.join(_COLUMNS)} |\n|---{'|---:' * len(_COLUMNS)}|", flush=True)
    means = []
    with threadpool_limits(1):
        for name in names:
            means.append([_score(folder, name, fit) for fit in _COLUMNS.values()])
            print(_row(name, means[-1]), flush=True)
    print(_row("mean", np.mean(means, axis=0)), flush=True)


def _score(folder: Path, name: str, fit: Fit) -> float:
    scores = [fold.accuracies(fit(fold.X, fold.y)) for fold in folds(folder, name, repeat=0)]
    return float(np.mean(scores))


def _row(name: str, scores: Sequence[float] | FloatArray) -> str:
    return f"| {name} | {' | '.join(f'{score:.3f}' for score in scores)} |"


def sqfa(X: FloatArray, y: IntArray) -> Projection:
    """Supervised quadratic feature analysis: Gaussians of the classes far apart in the plane.

    Maximizes the mean over the pairs of classes of Calvo and Oller's lower bound of the Fisher-Rao
    distance: the affine-invariant distance of the second moments of the projected rows with a
    constant 1 appended.

    References
    ----------
    D. Herrera-Esposito, J. Burge: Supervised Quadratic Feature Analysis, arXiv 2502.00168, 2025.
    """
    moments = [augmented_moments(X[y == code]) for code in np.unique(y)]
    stream = np.random.default_rng(0)
    size = (2, X.shape[1])
    # The map of LDA is linear, and its rows are those that the unit vectors fall on.
    lda = _LDA(X, y)(np.vstack([np.zeros(size[1]), np.eye(size[1])]))
    starts = [(lda[1:] - lda[0]).T, *(stream.normal(size=size) for _ in range(_N_STARTS))]
    found = [
        minimize(
            lambda w: negative_distance(w.reshape(size), moments),
            np.linalg.qr(start.T)[0].T.ravel(),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": _MOST_STEPS},
        )
        for start in starts
    ]
    plane = min(found, key=lambda result: result.fun).x.reshape(size)
    return lambda points: points @ plane.T


def augmented_moments(rows: FloatArray) -> FloatArray:
    """Second moments of rows with a constant 1 appended."""
    mean = rows.mean(axis=0)
    covariance = np.cov(rows.T, bias=True) + _RIDGE * np.eye(rows.shape[1])
    return np.block([[covariance + np.outer(mean, mean), mean[:, None]], [mean, np.ones(1)]])


def negative_distance(plane: FloatArray, moments: list[FloatArray]) -> tuple[float, FloatArray]:
    """Minus the mean distance of the classes, and its gradient."""
    n_components, n_features = plane.shape
    lift = np.zeros((n_components + 1, n_features + 1))
    lift[:-1, :-1], lift[-1, -1] = plane, 1.0
    projected = [lift @ moment @ lift.T for moment in moments]
    gradients = [np.zeros_like(projected[0]) for _ in moments]
    total, pairs = 0.0, list(combinations(range(len(moments)), 2))
    for one, other in pairs:
        ratios, vectors = eigh(projected[one], projected[other])
        logs = np.log(ratios)
        distance = max(float(np.linalg.norm(logs)), np.finfo(np.float64).tiny)
        total += distance
        gradients[one] += (vectors * (logs / ratios / distance)) @ vectors.T
        gradients[other] -= (vectors * (logs / distance)) @ vectors.T
    slope = np.sum(
        [2 * own @ lift @ moment for own, moment in zip(gradients, moments, strict=True)], axis=0
    )
    return -total / len(pairs), -slope[:-1, :-1].ravel() / len(pairs)


def ulca(target: Callable[[int], FloatArray], background: Callable[[int], FloatArray]) -> Fit:
    """Unified linear comparative analysis: the trace ratio of two sums of class covariances.

    Parameters
    ----------
    target, background : callable
        From the number of classes to the weights of the covariances within the classes in the
        numerator and in the denominator; the numerator has the covariance of the class means too.

    References
    ----------
    T. Fujiwara, X. Wei, J. Zhao, K.-L. Ma: Interactive Dimensionality Reduction for Comparative
    Analysis, IEEE Transactions on Visualization and Computer Graphics 28, 2022.
    """

    def fit(X: FloatArray, y: IntArray) -> Projection:
        n_classes = int(y.max()) + 1
        within = np.array([np.cov(X[y == code].T, bias=True) for code in range(n_classes)])
        means = np.array([X[y == code].mean(axis=0) for code in range(n_classes)])
        wanted = np.tensordot(target(n_classes), within, 1) + np.cov(means.T, bias=True)
        unwanted = np.tensordot(background(n_classes), within, 1)
        plane = _trace_ratio(wanted, unwanted + _RIDGE * np.eye(len(unwanted)))
        return lambda points: points @ plane

    return fit


def _trace_ratio(wanted: FloatArray, unwanted: FloatArray) -> FloatArray:
    """Orthonormal columns with the largest ratio of the traces, by Dinkelbach's iteration."""
    ratio = 0.0
    for _ in range(_MOST_STEPS):
        plane = eigh(wanted - ratio * unwanted)[1][:, -2:]
        kept, removed = (np.trace(plane.T @ part @ plane) for part in (wanted, unwanted))
        last, ratio = ratio, kept / removed
        if abs(ratio - last) <= 1e-9 * abs(ratio):
            break
    return np.asarray(plane)


def _all(n_classes: int) -> FloatArray:
    return np.ones(n_classes)


def _none(n_classes: int) -> FloatArray:
    return np.zeros(n_classes)


def _first(n_classes: int) -> FloatArray:
    return np.eye(1, n_classes).ravel()


def _others(n_classes: int) -> FloatArray:
    return _all(n_classes) - _first(n_classes)


_LDA = ENTRANTS["lda"]({}, 0)
_COLUMNS: Mapping[str, Fit] = {
    "LDA": _LDA,
    "MELM (default)": ENTRANTS["melm"]({}, 0),
    "SQFA": sqfa,
    "ULCA, classes apart": ulca(_none, _all),
    "ULCA, first class wide": ulca(_first, _others),
}
