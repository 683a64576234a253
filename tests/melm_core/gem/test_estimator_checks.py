"""scikit-learn's own checks over every estimator of the GEM family."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from melm_core.baselines.signal_noise import MEMBERS, SignalNoisePlane
from melm_core.gem.classifier import DeepGEM, FourierGEM, GEMClassifier
from melm_core.gem.ensemble import GEMEnsemble
from melm_core.gem.estimator import GEM, GEMPlane
from melm_core.gem.features import GEMFeatures, HalfPowers
from melm_core.linalg.second_moments import ClassSecondMoments

ESTIMATORS = [
    ClassSecondMoments(),
    GEM(),
    GEMPlane(),
    GEMFeatures(),
    HalfPowers(),
    GEMClassifier(),
    DeepGEM(),
    FourierGEM(n_fourier=20),
    GEMEnsemble(2),
    *(SignalNoisePlane(member=member) for member in MEMBERS),
]


# More features than rows separate the classes exactly: the plane is the same, its axes are not.
UNDETERMINED = dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ),
    "all ratios are equal, so that rounding turns the directions within their plane",
)


def excused(estimator):
    return UNDETERMINED if getattr(estimator, "member", None) in {"fisher_lda", "sir"} else {}


# Rows far from the origin have second moments that hardly differ between the classes.
@pytest.mark.filterwarnings("ignore:No eigenvalue reaches theta")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=excused)
def test_scikit_learn_estimator_check(estimator, check):
    check(estimator)
