"""scikit-learn's own checks over every estimator."""

from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

from melm_core import MELM, DiscriminantPlane, EntropyProjection, KernelDensityClassifier

ESTIMATORS = [
    MELM(n_init=2),
    DiscriminantPlane(),
    EntropyProjection(n_init=2),
    KernelDensityClassifier(),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_estimator_check(estimator, check):
    check(estimator)
