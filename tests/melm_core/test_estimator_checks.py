"""scikit-learn's own checks over every public estimator, and those that fail with their reasons."""

from __future__ import annotations

import inspect
from types import MappingProxyType

import pytest
from sklearn.base import BaseEstimator
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import melm_core
from melm_core import (
    GEM,
    MELM,
    MELMCV,
    ApproximateKernelClassifier,
    BaggedMELM,
    ChernoffDiscriminantPlane,
    ClassPCAPlane,
    ClassSecondMoments,
    DiscriminantPlane,
    EntropyPlane,
    GEMClassifier,
    GEMPlane,
    KernelDensityClassifier,
    KernelFisherDiscriminant,
    MutualInformationProjection,
    NeighborhoodComponentsPlane,
    OPLSDiscriminantPlane,
    PerClassPCAPlane,
    PLSDiscriminantPlane,
    RotationPlane,
    SignalNoisePlane,
    evaluation,
)
from melm_core.baselines.signal_noise import MEMBERS
from melm_core.evaluation import ClassModel, ConformalClassifier
from melm_core.methods import METHODS
from melm_core.methods.wrappers.decompositions import (
    FactorAnalysisPlane,
    IndependentComponentsPlane,
    KernelPCAProjection,
    NonNegativePlane,
    PrincipalComponentsPlane,
)
from melm_core.methods.wrappers.neighbor_embedding import TSNEProjection

# Rows with weights and rows that are repeated have one optimum, which searches reach up to their
# tolerance: by other steps, since the sums in single precision differ in their last digits.
_EXACT = MELM(n_init=2).set_search(tol=1e-12)
PUBLIC = [
    ApproximateKernelClassifier(SVC()),
    ApproximateKernelClassifier(KernelFisherDiscriminant()),
    ApproximateKernelClassifier(KernelRidge(kernel="rbf")),
    BaggedMELM(n_bootstrap=2, n_init=2),
    ChernoffDiscriminantPlane(),
    ClassModel(),
    ClassPCAPlane(),
    ClassPCAPlane(class_weight="balanced"),
    ClassSecondMoments(),
    DiscriminantPlane(),
    EntropyPlane(n_init=2),
    GEM(),
    GEM(alphas=(1, 2, 3)),
    GEM(contract="classes"),
    GEM(contract="target"),
    GEM(denominator="covariance"),
    GEMClassifier(),
    GEMClassifier(pairs="hypercube", n_members=2),
    GEMPlane(),
    KernelDensityClassifier(),
    KernelFisherDiscriminant(),
    _EXACT,
    MELMCV(n_init=1).set_search(max_iter=10),
    MutualInformationProjection(),
    NeighborhoodComponentsPlane(max_iter=20),
    OPLSDiscriminantPlane(),
    PerClassPCAPlane(),
    PLSDiscriminantPlane(),
    RotationPlane(n_init=2, max_iter=20),
    RotationPlane(n_init=1, max_iter=5, density="mixture"),
    RotationPlane(n_init=1, max_iter=5, density="kde"),
    ConformalClassifier(DiscriminantPlane()),
    ConformalClassifier(LogisticRegression()),
    *(SignalNoisePlane(member=member) for member in MEMBERS),
]
WRAPPERS = [
    FactorAnalysisPlane(max_iter=100),
    IndependentComponentsPlane(random_state=0),
    KernelPCAProjection(),
    NonNegativePlane(random_state=0),
    PrincipalComponentsPlane(),
]
# One of each contract: a search, a solution in one step, a transform for each pair of classes, a
# classifier, what wraps another estimator. The other classes share their base, and are slow tests.
CONTRACTS = [
    ConformalClassifier(DiscriminantPlane()),
    DiscriminantPlane(),
    GEM(),
    GEMClassifier(),
    KernelDensityClassifier(),
    _EXACT,
    PrincipalComponentsPlane(),
]
_CONTRACTS = {repr(estimator) for estimator in CONTRACTS}
SLOW = [
    *(estimator for estimator in [*PUBLIC, *WRAPPERS] if repr(estimator) not in _CONTRACTS),
    TSNEProjection(max_iter=250, max_rows=60),
]

_WEIGHTS = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)
_DRAWN_ROWS = (
    "bags and folds are drawn from rows: a repeated row may be in two of them, one with a weight "
    "in one only"
)
# The reason why each check fails that does, by estimator.
EXPECTED_FAILED_CHECKS = MappingProxyType(
    {
        MELMCV: dict.fromkeys(_WEIGHTS, _DRAWN_ROWS),
        BaggedMELM: dict.fromkeys(_WEIGHTS, _DRAWN_ROWS),
        NeighborhoodComponentsPlane: {
            "check_transformer_n_iter": "the discriminants separate its two clusters perfectly, so "
            "the ascent from them has no step to make and n_iter_ is 0"
        },
        RotationPlane: {
            "check_transformer_n_iter": "its two blobs are so far apart that M is 0, its largest "
            "value, in the plane that a start begins with: there is no step to take"
        },
    }
)
# More features than rows separate the classes exactly: the plane is the same, its axes are not.
_EQUAL_RATIOS = dict.fromkeys(
    _WEIGHTS, "all ratios are equal, so that rounding turns the directions within their plane"
)
_SINGLE_ROW = dict.fromkeys(
    _WEIGHTS, "one class is left with one row of positive weight, which has no covariance"
)


_ONE_CUT = dict.fromkeys(_WEIGHTS, "the cuts between bins count each row once")


def expected(estimator):
    if getattr(estimator, "member", None) in {"fisher_lda", "sir"}:
        return _EQUAL_RATIOS
    if getattr(estimator, "denominator", None) == "covariance":
        return _SINGLE_ROW
    if getattr(estimator, "contract", None) == "classes":
        return _ONE_CUT
    return EXPECTED_FAILED_CHECKS.get(type(estimator), {})


# Rows far from the origin have second moments that hardly differ between the classes; the machines
# of small tables are small, and the faster ones.
@pytest.mark.filterwarnings(
    "ignore:No eigenvalue reaches theta",
    "ignore::melm_core.kernel_machines.approximation.ApproximationWarning",
)
@parametrize_with_checks(CONTRACTS, expected_failed_checks=expected, xfail_strict=True)
def test_scikit_learn_estimator_check(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings(
    "ignore:No eigenvalue reaches theta",
    "ignore::melm_core.kernel_machines.approximation.ApproximationWarning",
)
@parametrize_with_checks(SLOW, expected_failed_checks=expected, xfail_strict=True)
def test_scikit_learn_estimator_check_of_slow_estimators(estimator, check):
    check(estimator)


def test_every_public_estimator_is_checked():
    assert {repr(estimator) for estimator in [*PUBLIC, *WRAPPERS]} >= _CONTRACTS
    public = {
        value
        for room in (melm_core, evaluation)
        for value in vars(room).values()
        if inspect.isclass(value) and issubclass(value, BaseEstimator)
    }
    assert {type(estimator) for estimator in PUBLIC} == public


def test_the_estimator_of_every_method_is_checked():
    checked = {type(estimator) for estimator in [*CONTRACTS, *SLOW]}
    own = {type(method.estimator({})) for method in METHODS.values() if not method.extra}
    assert own <= checked
