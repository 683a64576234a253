"""scikit-learn's own checks over every estimator."""

from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

from melm_core import MELM, DiscriminantPlane


@parametrize_with_checks([MELM(n_init=2), DiscriminantPlane()])
def test_scikit_learn_estimator_check(estimator, check):
    check(estimator)
