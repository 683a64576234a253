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


# Fifteen rows with ten features have many optima of nearly the same divergence.
MANY_OPTIMA = dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ),
    "rounding decides between optima of nearly the same divergence",
)


def excused(estimator):
    return MANY_OPTIMA if isinstance(estimator, MELM) else {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=excused)
def test_scikit_learn_estimator_check(estimator, check):
    check(estimator)
