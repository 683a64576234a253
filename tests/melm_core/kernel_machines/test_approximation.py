from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from melm_core.baselines.kernel_fisher import KernelFisherDiscriminant
from melm_core.datasets import crescents
from melm_core.density.kernel_density import kernel_classes
from melm_core.kernel_machines.approximation import (
    ApproximateKernelClassifier,
    ApproximationWarning,
    KernelMachineApproximation,
    fidelity,
    fitted_amplitudes,
    measured_speed_up,
    reduced_set,
)
from melm_core.kernel_machines.machine import KernelMachine
from melm_core.linalg.planes import principal_angles
from tests.melm_core.helpers import classes, finite_differences, invertible, plane
from tests.melm_core.kernel_machines.kernel_machine_examples import densities, fisher

HELD_OUT = crescents(100, n_rows_per_class=400)

# Most machines below are small, and small ones are not worth approximating.
pytestmark = pytest.mark.filterwarnings(
    "ignore::melm_core.kernel_machines.approximation.ApproximationWarning"
)

# The machines of small tables are small, and the faster ones.
MACHINES = [
    SVC(gamma=4.0),
    KernelFisherDiscriminant(bandwidth=0.35, regularization=0.03),
    KernelRidge(alpha=10.0, kernel="rbf", gamma=4.0),
    GaussianProcessRegressor(RBF(0.35), alpha=1.0, optimizer=None),
]
X, Y = crescents(0)
NEW, Y_NEW = crescents(1)


def signed(seed=0, n_features=2):
    rng = np.random.default_rng(seed)
    return KernelMachine(rng.normal(size=(80, n_features)), rng.normal(size=80), 0.8)


def approximate(machine, **parameters):
    return KernelMachineApproximation(machine, **parameters)


@pytest.mark.parametrize("method", ["exact", "paper"])
@pytest.mark.parametrize("refit", [True, False])
def test_separated_single_bumps_are_reproduced(method, refit):
    rng = np.random.default_rng(0)
    centers = 20.0 * np.array([[0, 0], [1, 0], [0, 1], [2, 1]])
    machine = KernelMachine(centers, [1.0, -2.0, 0.5, -0.1], 1.5, 0.7)
    approximation = approximate(machine, method=method, refit=refit)
    X = np.repeat(centers, 30, axis=0) + 2.0 * rng.normal(size=(120, 2))
    expected = machine.decision_function(X)
    np.testing.assert_allclose(approximation.decision_function(X), expected, atol=1e-8)
    assert approximation.fidelity.r2 == pytest.approx(1)


@pytest.mark.parametrize("method", ["exact", "paper"])
def test_without_refit_the_integral_of_the_machine_is_kept(method):
    rng = np.random.default_rng(0)
    machine = KernelMachine(rng.normal(size=(40, 2)), rng.normal(size=40) + 1, 0.6)
    approximation = approximate(machine, method=method, refit=False)
    line = np.linspace(-14, 14, 501)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    integral = approximation.decision_function(grid).sum() * (line[1] - line[0]) ** 2
    assert integral == pytest.approx(2 * np.pi * 0.36 * machine.weights.sum(), rel=1e-6)


@pytest.mark.parametrize("method", ["exact", "paper"])
@pytest.mark.parametrize("axes", ["cumulants", "divergence"])
def test_separated_bumps_of_their_own_widths_are_reproduced(method, axes):
    rng = np.random.default_rng(0)
    centers = 20.0 * np.array([[0, 0], [1, 0], [0, 1], [2, 1]])
    machine = KernelMachine(centers, [1.0, 0.0, 0.5, -0.1], [1.5, 9.0, 0.7, 3.0], 0.7)
    approximation = approximate(machine, method=method, axes=axes)
    X = np.repeat(centers, 30, axis=0) + 2.0 * rng.normal(size=(120, 2))
    expected = machine.decision_function(X)
    np.testing.assert_allclose(approximation.decision_function(X), expected, atol=1e-8)


def test_a_machine_of_equal_bandwidths_is_approximated_as_one_of_a_single_bandwidth():
    machine = signed()
    many = KernelMachine(machine.centers, machine.weights, np.full(80, 0.8))
    one, other = (approximate(m).decision_function(machine.centers) for m in (machine, many))
    np.testing.assert_allclose(other, one, atol=1e-9)


@pytest.mark.parametrize("factor", [3.0, -0.5])
@pytest.mark.parametrize("refit", [True, False])
def test_a_multiple_of_the_weights_gives_a_multiple_of_the_values(factor, refit):
    machine = signed()
    scaled = KernelMachine(machine.centers, factor * machine.weights, machine.bandwidth)
    one, other = (
        approximate(m, refit=refit).decision_function(machine.centers) for m in (machine, scaled)
    )
    tolerance = 1e-12 * np.abs(other).max() if not refit else 1e-8 * np.abs(other).max()
    np.testing.assert_allclose(other, factor * one, atol=tolerance)


@pytest.mark.slow
@pytest.mark.parametrize("refit", [True, False])
def test_turning_moving_and_scaling_the_data_changes_nothing(refit):
    machine, turn, X = fisher(), plane(2, 2), HELD_OUT[0]
    moved = KernelMachine(
        7.0 * machine.centers @ turn + 30.0,
        machine.weights,
        7.0 * machine.bandwidth,
        machine.intercept,
    )
    one = approximate(machine, refit=refit).decision_function(X)
    other = approximate(moved, refit=refit).decision_function(7.0 * X @ turn + 30.0)
    np.testing.assert_allclose(other, one, atol=1e-8 if refit else 1e-10)


def test_a_whitened_machine_is_approximated_in_its_own_coordinates():
    machine, W = signed(), invertible(2)
    stretched = KernelMachine(machine.centers @ np.linalg.inv(W), machine.weights, 0.8, 0.0, W)
    X = np.random.default_rng(1).normal(size=(50, 2))
    one = approximate(machine, refit=False).decision_function(X)
    other = approximate(stretched, refit=False)
    moved = X @ np.linalg.inv(W)
    np.testing.assert_allclose(other.decision_function(moved), one, atol=1e-9)
    for mode in other.modes:
        height = stretched.decision_function(mode.location[None])[0]
        assert height == pytest.approx(mode.value, rel=1e-8)


def test_the_order_of_the_centers_does_not_matter():
    machine = signed()
    order = np.random.default_rng(1).permutation(80)
    shuffled = KernelMachine(machine.centers[order], machine.weights[order], 0.8)
    X = np.random.default_rng(2).normal(size=(50, 2))
    one, other = (approximate(m, refit=False).decision_function(X) for m in (machine, shuffled))
    np.testing.assert_allclose(other, one, atol=1e-10)


def test_centers_without_weight_are_ignored():
    machine = signed()
    padded = KernelMachine(
        np.vstack([machine.centers, 3 + machine.centers]),
        np.pad(machine.weights, (0, 80)),
        machine.bandwidth,
    )
    one, other = (approximate(m).decision_function(machine.centers) for m in (machine, padded))
    np.testing.assert_allclose(other, one, atol=1e-12)


def test_the_members_of_a_mode_are_numbered_as_in_the_machine():
    weights = np.array([0.0, 1.0, 0.0, -1.0, 1.0])
    machine = KernelMachine([[0.0], [0.0], [5.0], [10.0], [20.0]], weights, 1.0)
    modes = approximate(machine).modes
    assert sorted(mode.members.tolist() for mode in modes) == [[1], [3], [4]]
    assert sorted(part.members.tolist() for mode in modes for part in mode.components) == [
        [1],
        [3],
        [4],
    ]


@pytest.mark.parametrize("method", ["exact", "paper"])
def test_the_modes_describe_the_machine(method):
    machine = fisher()
    approximation = approximate(machine, method=method)
    modes = approximation.modes
    members = np.concatenate([mode.members for mode in modes])
    np.testing.assert_array_equal(np.sort(members), np.arange(300))
    assert sum(len(mode.components) for mode in modes) == approximation.n_components
    heights = [abs(mode.value) for mode in modes]
    assert heights == sorted(heights, reverse=True)
    for mode in modes:
        value = machine.decision_function(mode.location[None])[0] - machine.intercept
        assert mode.value == pytest.approx(value, rel=1e-8)
        assert mode.sign == np.sign(value)
        slope = finite_differences(lambda x: machine.decision_function(x[None])[0], mode.location)
        np.testing.assert_allclose(slope, 0, atol=1e-6)


def test_the_components_of_a_mode_split_its_members_by_sign():
    machine = fisher()
    for mode in approximate(machine).modes:
        parts = np.concatenate([part.members for part in mode.components])
        np.testing.assert_array_equal(np.sort(parts), np.sort(mode.members))
        for part in mode.components:
            assert (np.sign(machine.weights[part.members]) == part.sign).all()
            assert part.weight == pytest.approx(machine.weights[part.members].sum())


def test_the_axes_are_standard_deviations_of_the_bumps():
    machine = fisher()
    for mode in approximate(machine, refit=False).modes:
        for part in mode.components:
            shares = machine.weights[part.members] / part.weight
            offsets = machine.centers[part.members] - part.mean
            np.testing.assert_allclose(shares @ offsets, 0, atol=1e-9)
            covariance = (offsets * shares[:, None]).T @ offsets + 0.35**2 * np.eye(2)
            np.testing.assert_allclose(part.axes.T @ part.axes, covariance, atol=1e-9)
            assert part.amplitude == part.sign


def test_a_turned_lattice_is_one_mode_along_the_axes_of_its_rotation():
    turn = plane(2, 2, 3)
    first, second = np.meshgrid(0.5 * np.arange(6), 0.5 * np.arange(4))
    lattice = np.column_stack([first.ravel(), second.ravel()]) @ turn
    (mode,) = approximate(KernelMachine(lattice, np.ones(24), 1.0)).modes
    (part,) = mode.components
    for row in turn:
        angles = [principal_angles(axis[None], row[None])[0] for axis in part.axes]
        assert min(angles) < 1e-6
    np.testing.assert_allclose(mode.location, lattice.mean(axis=0), atol=1e-8)


def test_every_marginal_reports_its_multipliers_and_fallback():
    marginals = [
        marginal
        for mode in approximate(fisher()).modes
        for part in mode.components
        for marginal in part.marginals
    ]
    for marginal in marginals:
        assert len(marginal.multipliers) == marginal.order
        assert marginal.multipliers[-1] < 0
        assert (marginal.order == 4) == (marginal.fallback == "none")
    assert {marginal.order for marginal in marginals} == {2, 4}


def test_refitted_amplitudes_are_the_closest():
    machine = fisher()
    errors = []
    for refit in (True, False):
        values = approximate(machine, refit=refit).decision_function(machine.centers)
        errors.append(np.linalg.norm(values - machine.decision_function(machine.centers)))
    assert errors[0] < errors[1]


def test_amplitudes_are_recovered_and_silent_components_get_none():
    rng = np.random.default_rng(0)
    values = np.column_stack([rng.uniform(size=(30, 2)), np.zeros(30)])
    fitted = fitted_amplitudes(values, values @ [2.0, -3.0, 1.0])
    np.testing.assert_allclose(fitted, [2.0, -3.0, 0.0], atol=1e-10)


def test_given_rows_take_the_place_of_the_centers():
    machine = KernelMachine.from_estimator(SVC(gamma=4.0).fit(*crescents(0)))
    X = crescents(0)[0]
    wanted = machine.decision_function(X)
    at_rows, at_centers = (KernelMachineApproximation(machine, rows) for rows in (X, None))
    errors = [np.linalg.norm(a.decision_function(X) - wanted) for a in (at_rows, at_centers)]
    assert errors[0] < errors[1]
    assert at_rows.fidelity == fidelity(wanted, at_rows.decision_function(X))


def test_the_prediction_is_the_side_of_the_decision_surface():
    approximation = approximate(fisher())
    values = approximation.decision_function(HELD_OUT[0])
    np.testing.assert_array_equal(approximation.predict(HELD_OUT[0]), np.sign(values))


def test_fidelity_is_one_of_a_perfect_copy_and_falls_with_what_is_missed():
    wanted = np.array([1.0, -1.0, 2.0, -2.0])
    assert fidelity(wanted, wanted).r2 == fidelity(wanted, wanted).sign_agreement == 1
    half = fidelity(wanted, np.array([1.0, 1.0, 2.0, -2.0]))
    assert half.r2 == pytest.approx(1 - 4 / 10)
    assert half.sign_agreement == 0.75
    assert fidelity(np.ones(3), np.ones(3)).r2 == 1
    assert fidelity(np.ones(3), np.zeros(3)).r2 == 0


@pytest.mark.filterwarnings("error")
def test_a_low_fidelity_warns():
    model = KernelFisherDiscriminant(bandwidth=0.6, regularization=1e-3).fit(*crescents(0))
    machine = KernelMachine.from_estimator(model)
    with pytest.warns(ApproximationWarning, match="The approximation is inaccurate"):
        approximate(machine, method="paper", refit=False)


@pytest.mark.filterwarnings("error")
def test_a_sparse_machine_is_told_to_be_the_faster_one():
    machine = KernelMachine.from_estimator(SVC(gamma=12.5).fit(*crescents(0, noise=0.15)))
    words = r"\d+ components instead of \d+ centers .* use the machine itself"
    with pytest.warns(ApproximationWarning, match=words):
        approximation = approximate(machine)
    assert approximation.evaluation_cost_ratio >= 1
    assert re.search(words, approximation.describe_cost())


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_many_centers_are_replaced_by_few_components_without_a_warning():
    approximation = approximate(densities(3_000))
    assert approximation.n_components <= 20
    assert approximation.evaluation_cost_ratio < 1 / 10
    assert "times as fast" in approximation.describe_cost()


def test_the_cost_counts_components_axes_and_powers():
    approximation = approximate(fisher(), order=6)
    expected = approximation.n_components * (2 + 6) / 300
    assert approximation.evaluation_cost_ratio == pytest.approx(expected)


def test_the_measured_speed_up_is_a_ratio_of_times():
    assert measured_speed_up(fisher(), approximate(fisher()), HELD_OUT[0][:50], repeats=1) > 0


@pytest.mark.parametrize("bandwidth", [1e-3, 1e3])
@pytest.mark.parametrize("n_features", [60, 400])
def test_many_features_do_not_overflow(n_features, bandwidth):
    rng = np.random.default_rng(0)
    centers = bandwidth * rng.normal(size=(12, n_features)) / np.sqrt(n_features)
    machine = KernelMachine(centers, rng.normal(size=12), bandwidth)
    values = approximate(machine).decision_function(centers)
    assert np.isfinite(values).all()
    np.testing.assert_allclose(values, machine.decision_function(centers), atol=0.2)


def test_constant_and_repeated_features_are_no_obstacle():
    X, y = crescents(0, n_rows_per_class=40)
    table = np.column_stack([X, X[:, 0], np.full(80, 7.0)])
    machine = KernelMachine(table, np.where(y == 1, 1.0, -1.0), 0.5)
    assert approximate(machine).fidelity.sign_agreement > 0.9


def test_densities_of_labeled_rows_are_approximated():
    X, y = classes(2, 2)
    machine = KernelMachine.from_densities(kernel_classes(X, y, n_components=2))
    assert approximate(machine).fidelity.r2 > 0.9


def test_weights_that_cancel_within_a_mode_are_kept_apart():
    machine = KernelMachine([[0.0], [0.0], [30.0]], [1.0, -1.0, 1e-3], 0.5)
    values = approximate(machine, refit=False).decision_function([[0.0], [30.0]])
    np.testing.assert_allclose(values, [0.0, 1e-3], atol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"order": 3}, "order=3 is odd"),
        ({"order": 0}, "order=0 must be a whole number of at least 2"),
        ({"method": "best"}, "method='best' must be one of"),
        ({"axes": "best"}, "axes='best' must be one of"),
        ({"merge_tolerance": 0.0}, "merge_tolerance=0.0 must be"),
        ({"max_starts": 0}, "max_starts=0 must be"),
    ],
)
def test_impossible_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        approximate(signed(), **parameters)


@pytest.mark.parametrize("rows", [np.full((3, 2), np.nan), np.ones((3, 5))])
def test_impossible_rows_are_refused(rows):
    with pytest.raises(ValueError, match="X has no rows"):
        KernelMachineApproximation(signed(), rows[:0, :2])
    with pytest.raises(ValueError, match="X "):
        KernelMachineApproximation(signed(), rows)
    with pytest.raises(ValueError, match="X "):
        approximate(signed()).decision_function(rows)


def test_an_estimator_in_place_of_its_machine_is_refused():
    with pytest.raises(TypeError, match=r"not a SVC; convert a fitted estimator with KernelMac"):
        approximate(SVC().fit(*crescents(0)))


@pytest.mark.slow
def test_no_other_warnings_are_given():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ApproximationWarning)
        for seed in range(5):
            approximate(signed(seed, n_features=1 + seed), order=6)


def machine(whitener=None):
    X, y = crescents(0, n_rows_per_class=40)
    return KernelMachine(X, np.where(y == 1, 1.0, -1.0), 0.35, 0.2, whitener)


def error(reduced, original):
    X, _ = crescents(1, n_rows_per_class=40)
    wanted = original.decision_function(X)
    return np.linalg.norm(reduced.decision_function(X) - wanted) / np.linalg.norm(wanted)


@pytest.mark.parametrize("whitener", [None, invertible(2)], ids=["round", "stretched"])
def test_more_centers_follow_the_machine_closer(whitener):
    original = machine(whitener)
    errors = [error(reduced_set(original, n), original) for n in (4, 12, 36)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.05


def test_the_kernel_and_the_intercept_stay():
    original = machine(invertible(2))
    reduced = reduced_set(original, 5)
    assert len(reduced.centers) == len(reduced.weights) == 5
    assert (reduced.bandwidth, reduced.intercept) == (0.35, 0.2)
    np.testing.assert_array_equal(reduced.whitener, original.whitener)


def test_no_weights_on_the_same_centers_are_closer():
    original = machine()
    reduced = reduced_set(original, 6)
    rng = np.random.default_rng(0)
    wanted = original.decision_function(original.centers)

    def missed(weights):
        other = KernelMachine(reduced.centers, weights, 0.35, 0.2)
        return np.linalg.norm(other.decision_function(original.centers) - wanted)

    best = missed(reduced.weights)
    assert all(best < missed(reduced.weights + 0.1 * rng.normal(size=6)) for _ in range(20))


def test_repeated_centers_count_once():
    original = KernelMachine([[0.0], [0.0], [3.0]], [1.0, 1.0, -1.0], 0.5)
    reduced = reduced_set(original, 3)
    np.testing.assert_allclose(np.sort(reduced.centers[:, 0]), [0, 3])
    X = np.linspace(-1, 4, 9)[:, None]
    np.testing.assert_allclose(reduced.decision_function(X), original.decision_function(X))


def test_kernels_of_their_own_widths_keep_them_where_nothing_is_merged():
    original = KernelMachine([[0.0], [1.0], [3.0]], [1.0, 0.5, -1.0], [0.5, 0.2, 2.0])
    reduced = reduced_set(original, 3)
    X = np.linspace(-1, 4, 9)[:, None]
    wanted = original.decision_function(X)
    np.testing.assert_allclose(reduced.decision_function(X), wanted, atol=1e-12)
    merged = reduced_set(original, 2)
    np.testing.assert_allclose(np.sort(merged.bandwidth), [np.sqrt(0.145), 2.0])


@pytest.mark.parametrize("n_centers", [0, -1, 2.5])
def test_impossible_numbers_of_centers_are_refused(n_centers):
    with pytest.raises(ValueError, match="n_centers="):
        reduced_set(machine(), n_centers)


@pytest.mark.parametrize("machine", MACHINES, ids=repr)
def test_the_approximation_classifies_as_the_machine_does(machine):
    model = ApproximateKernelClassifier(machine).fit(X, Y)
    exact = model.machine_.decision_function(NEW) > 0
    assert np.mean(exact == model.predict(NEW)) > 0.95
    assert model.score(NEW, Y_NEW) > 0.9


def test_labels_of_any_kind_come_back():
    names = np.array(["upper", "lower"])[Y]
    model = ApproximateKernelClassifier(SVC(gamma=4.0)).fit(X, names)
    assert model.classes_.tolist() == ["lower", "upper"]
    values = model.decision_function(NEW)
    np.testing.assert_array_equal(model.predict(NEW), model.classes_[(values > 0).astype(int)])


def test_the_machine_that_was_given_is_not_touched():
    machine = SVC(gamma=4.0)
    ApproximateKernelClassifier(machine).fit(X, Y)
    assert not hasattr(machine, "support_vectors_")


@pytest.mark.slow
def test_it_stands_in_a_pipeline_and_a_grid_search():
    pipeline = make_pipeline(StandardScaler(), ApproximateKernelClassifier(SVC(gamma=2.0)))
    grid = {
        "approximatekernelclassifier__estimator__C": [0.1, 1.0],
        "approximatekernelclassifier__refit": [True, False],
    }
    search = GridSearchCV(pipeline, grid, cv=2).fit(X, Y)
    assert len(search.cv_results_["params"]) == 4
    assert search.score(NEW, Y_NEW) > 0.9


def test_three_classes_are_refused_and_one_against_the_rest_is_the_way_out():
    many, y = classes(3, 2)
    with pytest.raises(ValueError, match=r"Only binary classification .* OneVsRestClassifier"):
        ApproximateKernelClassifier(SVC()).fit(many, y)
    model = OneVsRestClassifier(ApproximateKernelClassifier(SVC())).fit(many, y)
    assert model.predict(many).shape == y.shape


def test_a_kernel_that_is_not_gaussian_is_refused():
    with pytest.raises(ValueError, match="kernel='poly' is not Gaussian"):
        ApproximateKernelClassifier(SVC(kernel="poly")).fit(X, Y)


def test_an_odd_order_is_refused():
    with pytest.raises(ValueError, match="order=5 is odd"):
        ApproximateKernelClassifier(SVC(), order=5).fit(X, Y)
