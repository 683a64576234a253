"""The three classifiers on the unprojected data: column I of Table 2."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lab.experiments.cross_validation import N_FOLDS, of_folds
from melm_core.base import FloatArray, IntArray
from melm_core.diagnostics import PLANE_CLASSIFIERS, PlaneClassifier, confusion_shares
from melm_core.evaluation import Separability
from melm_core.folds import Fold, stratified_folds

_SVM = PLANE_CLASSIFIERS[0].name
_PLANE_FEATURES = 2


def cross_validated_identity(X: FloatArray, y: IntArray, *, random_state: int) -> Separability:
    """Held-out scores without a projection, over the same folds as those of the planes.

    Features are standardized by the training rows but not whitened, because
    whitening would amplify the noise in directions of small variance. Squared
    distances are proportional to the number of features, so the gammas of the
    SVM are divided by it.
    """
    folds = stratified_folds(y, N_FOLDS, random_state)
    return of_folds([_fold_confusion(X, y, fold, random_state) for fold in folds], y)


def _fold_confusion(X: FloatArray, y: IntArray, fold: Fold, random_state: int) -> FloatArray:
    mean, widths = X[fold.train].mean(axis=0), X[fold.train].std(axis=0)
    varying = widths > 0
    X_train, X_test = (
        (X[rows][:, varying] - mean[varying]) / widths[varying] for rows in (fold.train, fold.test)
    )
    classifiers = [_for_features(classifier, X_train.shape[1]) for classifier in PLANE_CLASSIFIERS]
    predictions = [
        classifier.tuned_predictions(X_train, y[fold.train], X_test, random_state)
        for classifier in classifiers
    ]
    n_classes = int(y.max()) + 1
    return np.stack([confusion_shares(y[fold.test], codes, n_classes) for codes in predictions])


def _for_features(classifier: PlaneClassifier, n_features: int) -> PlaneClassifier:
    if classifier.name != _SVM:
        return classifier
    share = _PLANE_FEATURES / n_features
    return replace(
        classifier, candidates=tuple((c, share * width) for c, width in classifier.candidates)
    )
