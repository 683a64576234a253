"""The three classifiers that score a plane: SVM with an RBF kernel, KNN and class densities.

All three give the classes equal weight, consistent with the balanced accuracy:
in the loss of the SVM, in the votes of the neighbors, and in the priors of the
densities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import cKDTree
from sklearn.svm import SVC

from melm_core.base.array_types import FloatArray, IntArray
from melm_core.base.sample_weights import balanced_share
from melm_core.density.covariances import whitening
from melm_core.density.kernel_density import kernel_classes
from melm_core.folds.folds import sampled_rows, stratified_folds
from melm_core.linalg.class_moments import covariance_of

N_INNER_FOLDS = 3

# C and the kernel width of the SVM are tuned on at most this many rows: the time is quadratic in
# their number and the choice hardly changes.
MOST_TUNING_ROWS = 500

_SVM_TOLERANCE = 1e-2

# (Z, y, points, candidates) -> predicted class codes of the points for each candidate.
Predict = Callable[[FloatArray, IntArray, FloatArray, Sequence[Any]], Iterator[IntArray]]


@dataclass(frozen=True)
class PlaneClassifier:
    """A classifier with candidate parameters that are tuned by inner cross-validation.

    Attributes
    ----------
    name : str
    candidates : tuple
        Parameter values from smooth to local; the first of ties is used.
    predict : callable
        (Z, y, points, candidates) -> iterator over the predictions of each
        candidate, which may share computations.

    Examples
    --------
    >>> from melm_core.diagnostics import PLANE_CLASSIFIERS
    >>> [classifier.name for classifier in PLANE_CLASSIFIERS]
    ['SVM-RBF', 'KNN', 'KDE']
    """

    name: str
    candidates: tuple[Any, ...]
    predict: Predict

    def tuned_predictions(
        self, Z: FloatArray, y: IntArray, points: FloatArray, random_state: int
    ) -> IntArray:
        """Predictions by the candidate with the best inner cross-validation score.

        Parameters
        ----------
        Z : ndarray of shape (n_samples, n_components)
        y : ndarray of shape (n_samples,)
            Class codes, each present.
        points : ndarray of shape (n_points, n_components)
        random_state : int

        Returns
        -------
        ndarray of shape (n_points,)
            Class codes.
        """
        candidate = self._chosen(Z, y, random_state)
        return next(self.predict(Z, y, points, [candidate]))

    def _chosen(self, Z: FloatArray, y: IntArray, random_state: int) -> Any:
        if np.bincount(y).min() < 2:
            return self.candidates[len(self.candidates) // 2]
        rows = sampled_rows(y, MOST_TUNING_ROWS)
        Z, y = Z[rows], y[rows]
        scores = np.zeros(len(self.candidates))
        for fold in stratified_folds(y, N_INNER_FOLDS, random_state):
            predictions = self.predict(Z[fold.train], y[fold.train], Z[fold.test], self.candidates)
            scores += [balanced_share(codes == y[fold.test], y[fold.test]) for codes in predictions]
        return self.candidates[int(scores.argmax())]


def confusion_shares(y: IntArray, predicted: IntArray, n_classes: int) -> FloatArray:
    """Confusion matrix with rows normalized to one.

    Parameters
    ----------
    y, predicted : ndarray of shape (n_samples,)
        True and predicted class codes.
    n_classes : int

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Share of the rows of each class (first axis) predicted as each class
        (second axis).

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import confusion_shares
    >>> confusion_shares(np.array([0, 0, 1]), np.array([0, 1, 1]), 2)
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    counts = np.bincount(y * n_classes + predicted, minlength=n_classes**2)
    table = counts.reshape(n_classes, n_classes)
    shares: FloatArray = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    return shares


def mutual_confusion(shares: FloatArray) -> FloatArray:
    """Symmetric confusion of each pair of classes, shape (n_classes, n_classes).

    Entry (a, b) is the mean of the share of a told as b and of b told as a: 0 for separated
    classes, 1 / n_classes for identical ones. The diagonal is zero.

    Parameters
    ----------
    shares : ndarray of shape (n_classes, n_classes)
        See `confusion_shares`.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import mutual_confusion
    >>> mutual_confusion(np.array([[0.5, 0.5], [0.0, 1.0]]))
    array([[0.  , 0.25],
           [0.25, 0.  ]])
    """
    mutual: FloatArray = 0.5 * (shares + shares.T)
    np.fill_diagonal(mutual, 0.0)
    return mutual


def unit_covariance(Z: FloatArray, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Standardize rows and points by the mean and covariance of the rows.

    Directions without variance are dropped. If there is no other, a single
    coordinate of zeros remains.
    """
    mean = Z.mean(axis=0)
    whitener = whitening(covariance_of(Z))
    if whitener.shape[1] == 0:
        return np.zeros((len(Z), 1)), np.zeros((len(points), 1))
    return (Z - mean) @ whitener, (points - mean) @ whitener


def _by_svm(
    Z: FloatArray, y: IntArray, points: FloatArray, candidates: Sequence[tuple[float, float]]
) -> Iterator[IntArray]:
    for penalty, inverse_width in candidates:
        svm = SVC(C=penalty, gamma=inverse_width, class_weight="balanced", tol=_SVM_TOLERANCE)
        yield svm.fit(Z, y).predict(points)


def _by_neighbors(
    Z: FloatArray, y: IntArray, points: FloatArray, candidates: Sequence[int]
) -> Iterator[IntArray]:
    # The votes of all rows together would be a tie, because the classes have equal weight.
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
        classes = kernel_classes(Z, y, n_components=Z.shape[1], gamma=gamma, shrinkage="auto")
        yield classes.log_densities(points, engine="direct").argmax(axis=1)


PLANE_CLASSIFIERS = (
    PlaneClassifier(
        "SVM-RBF",
        # C, and gamma of the kernel in coordinates of unit covariance
        tuple((penalty, width) for width in (0.1, 0.5, 2.5) for penalty in (0.3, 3.0, 30.0)),
        _by_svm,
    ),
    PlaneClassifier("KNN", (41, 25, 15, 9, 5, 3, 1), _by_neighbors),
    PlaneClassifier("KDE", (2.0, 1.0, 0.5, 0.25), _by_densities),
)


def fold_confusion(
    Z: FloatArray, y: IntArray, test_Z: FloatArray, test_y: IntArray, random_state: int = 0
) -> FloatArray:
    """Confusion matrix of each tuned classifier, shape (n_classifiers, n_classes, n_classes).

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_components)
        Projected training rows.
    y : ndarray of shape (n_samples,)
        Class codes, each present.
    test_Z : ndarray of shape (n_test, n_components)
    test_y : ndarray of shape (n_test,)
    random_state : int
        Seed of the inner folds.

    Notes
    -----
    The rows of the test are held out of the classifiers. Where the plane was fitted to them as
    well, they are not held out of it, and their classes are too far apart.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_core.diagnostics import fold_confusion
    >>> Z, y = np.array([[0.0], [0.1], [5.0], [5.1]]), np.array([0, 0, 1, 1])
    >>> fold_confusion(Z, y, Z, y).shape
    (3, 2, 2)
    """
    Z, test_Z = unit_covariance(Z, test_Z)
    n_classes = int(y.max()) + 1
    return np.stack(
        [
            confusion_shares(
                test_y, classifier.tuned_predictions(Z, y, test_Z, random_state), n_classes
            )
            for classifier in PLANE_CLASSIFIERS
        ]
    )
