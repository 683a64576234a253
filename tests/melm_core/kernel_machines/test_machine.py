from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.decomposition import KernelPCA
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, SVR

from melm_core.baselines.kernel_fisher import KernelFisherDiscriminant
from melm_core.datasets import crescents
from melm_core.density.classifier import KernelDensityClassifier
from melm_core.density.kernel_density import kernel_classes
from melm_core.kernel_machines.approximation import KernelMachineApproximation
from melm_core.kernel_machines.machine import KernelMachine
from melm_core.methods.wrappers.decompositions import KernelPCAProjection
from tests.melm_core.helpers import classes, invertible

CENTERS = np.array([[0.0, 0.0], [1.0, 2.0], [-1.0, 0.5]])
WEIGHTS = np.array([1.0, -2.0, 0.5])


def held_out(X):
    rng = np.random.default_rng(1)
    return X.mean(axis=0) + X.std(axis=0) * rng.normal(size=(40, X.shape[1]))


@pytest.mark.parametrize("intercept", [0.0, -3.0])
def test_the_values_are_the_written_sum(intercept):
    X = np.random.default_rng(0).normal(size=(50, 2))
    kernels = np.exp(-cdist(X, CENTERS, "sqeuclidean") / (2 * 0.7**2))
    machine = KernelMachine(CENTERS, WEIGHTS, 0.7, intercept)
    np.testing.assert_allclose(machine.decision_function(X), kernels @ WEIGHTS + intercept)


def test_every_center_may_have_a_bandwidth_of_its_own():
    X, widths = np.random.default_rng(0).normal(size=(50, 2)), np.array([0.2, 0.7, 3.0])
    kernels = np.exp(-cdist(X, CENTERS, "sqeuclidean") / (2 * widths**2))
    machine = KernelMachine(CENTERS, WEIGHTS, widths, 0.5)
    np.testing.assert_allclose(machine.decision_function(X), kernels @ WEIGHTS + 0.5)
    same = KernelMachine(CENTERS, WEIGHTS, [0.7, 0.7, 0.7]).decision_function(X)
    np.testing.assert_allclose(same, KernelMachine(CENTERS, WEIGHTS, 0.7).decision_function(X))


def test_a_whitener_stretches_the_distances():
    X, W = np.random.default_rng(0).normal(size=(50, 2)), invertible(2)
    round_ = KernelMachine(CENTERS @ W, WEIGHTS, 0.7)
    stretched = KernelMachine(CENTERS, WEIGHTS, 0.7, whitener=W)
    np.testing.assert_allclose(stretched.decision_function(X), round_.decision_function(X @ W))


def test_rows_far_from_the_origin_lose_no_digits():
    X = np.random.default_rng(0).normal(size=(50, 2))
    near = KernelMachine(CENTERS, WEIGHTS, 0.7).decision_function(X)
    far = KernelMachine(CENTERS + 2.0**20, WEIGHTS, 0.7).decision_function(X + 2.0**20)
    np.testing.assert_allclose(far, near, atol=1e-8)


@pytest.mark.parametrize(
    "estimator",
    [
        SVC(),
        SVC(gamma=0.7, C=10.0),
        SVC(gamma="auto", class_weight="balanced"),
        KernelFisherDiscriminant(),
        KernelFisherDiscriminant(bandwidth=0.8, max_rows=30),
    ],
    ids=repr,
)
def test_the_machine_of_a_classifier_has_its_decision_function(estimator):
    X, y = classes(2, 3)
    estimator.fit(X, y)
    machine = KernelMachine.from_estimator(estimator)
    new = held_out(X)
    expected = estimator.decision_function(new)
    np.testing.assert_allclose(machine.decision_function(new), expected, atol=1e-9)


@pytest.mark.parametrize(
    "estimator",
    [
        KernelRidge(kernel="rbf"),
        KernelRidge(kernel="rbf", gamma=0.4, alpha=0.1),
        SVR(gamma=0.3),
        GaussianProcessRegressor(RBF(1.3), alpha=0.1, optimizer=None),
        GaussianProcessRegressor(
            2.0 * RBF(0.8) + WhiteKernel(0.3), normalize_y=True, optimizer=None
        ),
        GaussianProcessRegressor(
            WhiteKernel(0.1) + RBF([0.8, 1.5, 3.0]) * ConstantKernel(3.0), optimizer=None
        ),
    ],
    ids=repr,
)
def test_the_machine_of_a_regressor_has_its_predictions(estimator):
    X, y = classes(2, 3)
    estimator.fit(X, 2.0 * y + 0.5)
    machine = KernelMachine.from_estimator(estimator)
    new = held_out(X)
    expected = estimator.predict(new)
    np.testing.assert_allclose(machine.decision_function(new), expected, atol=1e-9)


@pytest.mark.parametrize(
    "projection",
    [
        KernelPCA(3, kernel="rbf", gamma=0.4),
        KernelPCA(3, kernel="rbf"),
        KernelPCAProjection(3),
        KernelPCAProjection(3, bandwidth=0.8, max_rows=20),
    ],
    ids=repr,
)
def test_each_kernel_principal_component_is_a_machine(projection):
    X, _ = classes(2, 3)
    projection.fit(X)
    new = held_out(X)
    for component, expected in enumerate(projection.transform(new).T):
        machine = KernelMachine.from_estimator(projection, component=component)
        np.testing.assert_allclose(machine.decision_function(new), expected, atol=1e-9)


def test_each_discriminant_of_kernel_fisher_is_a_machine():
    X, y = classes(3, 3)
    model = KernelFisherDiscriminant().fit(X, y)
    machine = KernelMachine.from_estimator(model, component=1)
    new = held_out(X)
    np.testing.assert_allclose(machine.decision_function(new), model.discriminants(new)[:, 1])


def test_a_kernel_principal_component_of_crescents_is_approximated():
    X, _ = crescents(0)
    components = KernelPCA(2, kernel="rbf", gamma=2.0).fit(X)
    machine = KernelMachine.from_estimator(components, component=0)
    approximation = KernelMachineApproximation(machine, X)
    assert approximation.n_components < 20
    assert approximation.fidelity.r2 > 0.95


@pytest.mark.parametrize(
    ("estimator", "component", "message"),
    [
        (KernelPCA(3, kernel="rbf"), None, "has 3 decision functions.* component=0"),
        (KernelPCA(3, kernel="rbf"), 3, "component=3 is not among the 3"),
        (KernelPCA(3, kernel="rbf"), -1, "component=-1 is not among the 3"),
        (KernelPCA(3), 0, "kernel='linear' is not Gaussian"),
        (SVC(), 0, "a SVC has none, so leave it out"),
    ],
)
def test_a_component_that_does_not_exist_is_refused(estimator, component, message):
    with pytest.raises(ValueError, match=message):
        KernelMachine.from_estimator(estimator.fit(*classes(2, 3)), component=component)


def test_sparse_support_vectors_are_read_too():
    X, y = classes(2, 3)
    dense, sparse = SVC().fit(X, y), SVC().fit(csr_array(X), y)
    one, other = (KernelMachine.from_estimator(svc).decision_function(X) for svc in (dense, sparse))
    np.testing.assert_allclose(one, other, atol=1e-6)


def test_a_density_classifier_of_one_kernel_is_the_difference_of_its_densities():
    X, y = crescents(0, n_rows_per_class=60)
    model = KernelDensityClassifier(shrinkage=1.0).fit(X, y)
    machine = KernelMachine.from_estimator(model)
    new = held_out(X)
    densities = np.exp(model.kernel_classes_.log_densities(new))
    peak = 1 / (2 * np.pi * np.sqrt(np.linalg.det(model.kernel_classes_.covariances[0])))
    expected = (densities[:, 1] - densities[:, 0]) / peak
    np.testing.assert_allclose(machine.decision_function(new), expected, atol=1e-12)
    np.testing.assert_array_equal(machine.decision_function(new) > 0, model.predict(new) == 1)


def test_class_densities_of_two_widths_are_read_exactly():
    X, y = classes(2, 1)  # kernels on a line differ in width alone
    model = KernelDensityClassifier().fit(X, y)
    machine = KernelMachine.from_estimator(model)
    new = held_out(X)
    densities = np.exp(model.kernel_classes_.log_densities(new))
    peak = 1 / np.sqrt(2 * np.pi * model.kernel_classes_.covariances[0, 0, 0])
    expected = (densities[:, 1] - densities[:, 0]) / peak
    np.testing.assert_allclose(machine.decision_function(new), expected, atol=1e-12)
    assert len(np.unique(machine.bandwidth)) == 2


def test_a_density_classifier_of_two_kernels_is_refused_with_the_way_out():
    X, y = classes(2, 3)
    model = KernelDensityClassifier().fit(X, y)
    with pytest.raises(ValueError, match=r"KernelMachine.from_densities\("):
        KernelMachine.from_estimator(model)
    shared = KernelMachine.from_densities(model.kernel_classes_)
    assert len(shared.centers) == len(X)
    agreement = np.mean((shared.decision_function(X) > 0) == (model.predict(X) == 1))
    assert agreement > 0.85


def test_the_shared_kernel_is_the_mean_weighted_by_the_rows():
    X, y = classes(2, 3)
    made = kernel_classes(X, y, n_components=3)
    machine = KernelMachine.from_densities(made)
    mean = (23 * made.covariances[0] + 17 * made.covariances[1]) / 40
    np.testing.assert_allclose(machine.whitener.T @ mean @ machine.whitener, np.eye(3), atol=1e-10)
    assert machine.weights.sum() == pytest.approx(0, abs=1e-12)


def test_densities_of_three_classes_are_refused():
    X, y = classes(3, 2)
    with pytest.raises(ValueError, match="two classes, and there are 3"):
        KernelMachine.from_densities(kernel_classes(X, y, n_components=2))


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (SVC(kernel="linear"), "kernel='linear' is not Gaussian"),
        (KernelRidge(kernel="laplacian"), "kernel='laplacian' is not Gaussian"),
        (KernelRidge(), "kernel='linear' is not Gaussian"),
        (GaussianProcessRegressor(Matern(), optimizer=None), "Matern.* is not an RBF"),
        (GaussianProcessRegressor(RBF() + RBF(2.0), optimizer=None), "is not an RBF"),
        (LogisticRegression(), "LogisticRegression is not a supported kernel machine"),
    ],
)
def test_what_is_no_gaussian_kernel_machine_is_refused(estimator, message):
    X, y = classes(2, 3)
    with pytest.raises(ValueError, match=message):
        KernelMachine.from_estimator(estimator.fit(X, y))


@pytest.mark.parametrize("estimator", [SVC(), KernelFisherDiscriminant()])
def test_more_than_two_classes_are_refused(estimator):
    with pytest.raises(ValueError, match="decision functions, and a kernel machine has one"):
        KernelMachine.from_estimator(estimator.fit(*classes(3, 3)))


def test_more_than_one_output_is_refused():
    X, y = classes(2, 3)
    model = KernelRidge(kernel="rbf").fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="The estimator has 2 decision functions"):
        KernelMachine.from_estimator(model)


def test_an_estimator_that_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError):
        KernelMachine.from_estimator(SVC())


@pytest.mark.parametrize("bandwidth", [0.0, -1.0, np.nan, np.inf, "wide"])
def test_impossible_bandwidths_are_refused(bandwidth):
    with pytest.raises(ValueError, match=r"bandwidth=.* must be a finite number above 0"):
        KernelMachine(CENTERS, WEIGHTS, bandwidth)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"weights": np.zeros(3)}, "All weights of the kernel machine are zero"),
        ({"weights": np.ones(2)}, "3 centers and 2 weights"),
        ({"weights": [1.0, np.nan, 1.0]}, "weights contains a value that is NaN"),
        ({"weights": np.ones((3, 1))}, r"weights must have 1 dimension\(s\)"),
        ({"centers": np.ones(3)}, r"centers must have 2 dimension\(s\)"),
        ({"centers": np.full((3, 2), np.inf)}, "centers contains a value that is NaN"),
        ({"centers": np.empty((0, 2)), "weights": np.empty(0)}, "All weights"),
        ({"bandwidth": [1.0, 2.0]}, "3 centers and 2 bandwidths; pass one bandwidth for each"),
        ({"bandwidth": [1.0, 0.0, 2.0]}, "The bandwidth 0 is not above 0"),
        ({"bandwidth": [1.0, np.nan, 2.0]}, "bandwidth contains a value that is NaN"),
        ({"bandwidth": np.ones((3, 1))}, r"bandwidth must have 1 dimension\(s\)"),
        ({"intercept": np.nan}, "intercept=nan must be a finite number"),
        ({"whitener": np.ones((3, 2))}, "whitener must have 2 rows"),
        ({"whitener": np.ones((2, 0))}, "at least one column"),
        ({"whitener": np.full((2, 2), np.nan)}, "whitener contains a value"),
    ],
)
def test_what_is_no_machine_is_refused(fields, message):
    usual = {"centers": CENTERS, "weights": WEIGHTS, "bandwidth": 1.0}
    with pytest.raises(ValueError, match=message):
        KernelMachine(**(usual | fields))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones((4, 3)), r"X has 3 feature\(s\), but the kernel machine was built with 2"),
        (np.full((4, 2), np.nan), "X contains a value that is NaN"),
        (np.ones(2), r"X must have 2 dimension\(s\)"),
    ],
)
def test_rows_of_another_kind_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        KernelMachine(CENTERS, WEIGHTS, 1.0).decision_function(X)
