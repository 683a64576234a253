"""The three classifiers that judge a plane: SVM with an RBF kernel, KNN and class densities.

All three ignore how frequent the classes are, as the balanced accuracy that
they are judged by does: the errors of the SVM, the votes of the neighbors and
the densities count every class the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import cKDTree
from sklearn.svm import SVC

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.density.direct_sums import log_density
from melm_core.density.kernel_density import kernel_classes, whitening
from melm_core.evaluation.folds import sampled_rows, stratified_folds
from melm_core.linalg.class_moments import covariance_of

N_INNER_FOLDS = 3

# C and the width of the kernel are chosen on at most this many rows: the time
# of an SVM grows with their square and the choice hardly changes.
MOST_TUNING_ROWS = 500

_SVM_TOLERANCE = 1e-2

# Classes predicted at the points for each candidate: (Z, y, points, candidates).
Predict = Callable[[FloatArray, IntArray, FloatArray, Sequence[Any]], Iterator[IntArray]]


@dataclass(frozen=True)
class PlaneClassifier:
    """A classifier, and the candidates among which inner folds choose.

    Attributes
    ----------
    name : str
    candidates : tuple
        From smooth to local; the first of equally good ones is taken.
    predict : callable
        Predicts for several candidates at once, so that they share distances.
    """

    name: str
    candidates: tuple[Any, ...]
    predict: Predict

    def tuned_predictions(
        self, Z: FloatArray, y: IntArray, points: FloatArray, random_state: int
    ) -> IntArray:
        """Classes of the points by the candidate that does best in inner folds of the rows.

        Parameters
        ----------
        Z : ndarray of shape (n_samples, n_components)
        y : ndarray of shape (n_samples,)
            Class codes, each present.
        points : ndarray of shape (n_points, n_components)
        random_state : int
        """
        chosen = self._chosen(Z, y, random_state)
        return next(self.predict(Z, y, points, [chosen]))

    def _chosen(self, Z: FloatArray, y: IntArray, random_state: int) -> Any:
        if np.bincount(y).min() < 2:
            return self.candidates[len(self.candidates) // 2]
        rows = sampled_rows(y, MOST_TUNING_ROWS)
        Z, y = Z[rows], y[rows]
        scores = np.zeros(len(self.candidates))
        for fold in stratified_folds(y, N_INNER_FOLDS, random_state):
            predictions = self.predict(Z[fold.train], y[fold.train], Z[fold.test], self.candidates)
            scores += [balanced_accuracy(y[fold.test], codes) for codes in predictions]
        return self.candidates[int(scores.argmax())]


def confusion_shares(y: IntArray, predicted: IntArray, n_classes: int) -> FloatArray:
    """Share of each class (rows) that is taken for each class (columns)."""
    counts = np.bincount(y * n_classes + predicted, minlength=n_classes**2)
    table = counts.reshape(n_classes, n_classes)
    shares: FloatArray = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    return shares


def balanced_accuracies(confusions: FloatArray) -> FloatArray:
    """Mean over the classes of the share recognized, of tables on the last two axes."""
    accuracies: FloatArray = np.diagonal(confusions, axis1=-2, axis2=-1).mean(axis=-1)
    return accuracies


def balanced_accuracy(y: IntArray, predicted: IntArray) -> float:
    """Mean over the classes of the share that is recognized; every class must be present."""
    n_classes = int(y.max()) + 1
    right = np.bincount(y[y == predicted], minlength=n_classes)
    return float(np.mean(right / np.bincount(y)))


def unit_covariance(Z: FloatArray, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rows and points in coordinates in which the rows have mean 0 and unit covariance.

    Directions in which the rows do not vary are left out; one stays, all zero,
    where they vary in none.
    """
    mean = Z.mean(axis=0)
    whitener = whitening(covariance_of(Z))
    if whitener.shape[1] == 0:
        return np.zeros((len(Z), 1)), np.zeros((len(points), 1))
    return (Z - mean) @ whitener, (points - mean) @ whitener


def class_log_densities(
    Z: FloatArray, y: IntArray, points: FloatArray, gamma: float = 1.0
) -> FloatArray:
    """Logarithm of every class density at the points, shape (n_points, n_classes).

    The kernels are those of the divergence, see `melm_core.density.kernel_density`.
    """
    classes = kernel_classes(Z, y, n_components=Z.shape[1], gamma=gamma)
    columns = [
        log_density(points, rows, covariance)
        for rows, covariance in zip(classes.rows, classes.covariances, strict=True)
    ]
    return np.column_stack(columns)


def _by_svm(
    Z: FloatArray, y: IntArray, points: FloatArray, candidates: Sequence[tuple[float, float]]
) -> Iterator[IntArray]:
    for penalty, inverse_width in candidates:
        svm = SVC(C=penalty, gamma=inverse_width, class_weight="balanced", tol=_SVM_TOLERANCE)
        yield svm.fit(Z, y).predict(points)


def _by_neighbors(
    Z: FloatArray, y: IntArray, points: FloatArray, candidates: Sequence[int]
) -> Iterator[IntArray]:
    # The votes of all rows together are a tie, as every class counts the same.
    most = min(max(candidates), max(1, len(Z) // 2))
    _, neighbors = cKDTree(Z).query(points, k=np.arange(1, most + 1))
    weights = np.eye(int(y.max()) + 1) / np.bincount(y)[:, None]
    votes = weights[y[neighbors]].cumsum(axis=1)  # (n_points, most, n_classes)
    for n_neighbors in candidates:
        yield votes[:, min(n_neighbors, most) - 1].argmax(axis=1)


def _by_densities(
    Z: FloatArray, y: IntArray, points: FloatArray, candidates: Sequence[float]
) -> Iterator[IntArray]:
    for gamma in candidates:
        yield class_log_densities(Z, y, points, gamma).argmax(axis=1)


PLANE_CLASSIFIERS = (
    PlaneClassifier(
        "SVM-RBF",
        # C, and the inverse square width of the kernel in coordinates of unit covariance
        tuple((penalty, width) for width in (0.1, 0.5, 2.5) for penalty in (0.3, 3.0, 30.0)),
        _by_svm,
    ),
    PlaneClassifier("KNN", (41, 25, 15, 9, 5, 3, 1), _by_neighbors),
    PlaneClassifier("KDE", (2.0, 1.0, 0.5, 0.25), _by_densities),
)
