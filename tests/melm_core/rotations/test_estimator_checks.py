"""scikit-learn's own checks."""

from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

from melm_core.rotations.estimator import RotationFeatures

ESTIMATORS = [
    RotationFeatures(n_init=2, max_iter=20),
    RotationFeatures(n_init=1, max_iter=5, density="mixture"),
    RotationFeatures(n_init=1, max_iter=5, density="kde"),
]

# The two blobs of this check are so far apart that M is 0 to the last digit in the random plane
# itself: there is no step to take.
APART_FROM_THE_START = {
    "check_transformer_n_iter": "M is 0, its largest value, in the plane that a start begins with."
}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=lambda _: APART_FROM_THE_START)
def test_scikit_learn_estimator_check(estimator, check):
    check(estimator)
