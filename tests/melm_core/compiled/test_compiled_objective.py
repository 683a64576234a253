"""The compiled objective is that of numpy, whatever the rows, the kernels and the processor."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from melm_core.compiled import CompiledObjective, Term, kernel_sums
from melm_core.compiled.loading import AGGREGATES, Library
from melm_core.density import ClassDensities, whitened_kernel_classes
from melm_core.density.engines.direct_sums import log_density
from melm_core.melm import MELMObjective, divergence_and_gradient
from melm_core.melm.multiclass import SOFTNESS
from melm_core.melm.objective import objective_of_planes
from melm_core.melm.search import gaussian_term, wide_kernel_objective

pytestmark = pytest.mark.usefixtures("in_numpy")

TOLERANCES = {np.float32: 2e-5, np.float64: 1e-11}


def compiled(
    classes: ClassDensities,
    own: Library,
    n_components: int,
    multiclass: str = "softmin",
    precision: type = np.float64,
) -> CompiledObjective:
    term = classes.compiled_term(multiclass, precision)
    return CompiledObjective([term], n_components, SOFTNESS, own)


def drawn(seed: int) -> tuple[ClassDensities, np.ndarray]:
    """Classes of any number, sizes, scale, offset and weights, and a plane."""
    stream = np.random.default_rng(seed)
    n_classes, n_features = int(stream.integers(2, 13)), int(stream.integers(1, 20))
    n_components = min(int(stream.integers(1, 4)), n_features)
    counts = stream.integers(2, 300 // n_classes + 3, n_classes)
    scale = 10.0 ** stream.uniform(-12, 12)
    offset = scale * stream.choice([0.0, 1.0, 1e4])
    rows = tuple(
        scale * stream.standard_normal((n, n_features)) + offset + scale * stream.normal()
        for n in counts
    )
    roots = stream.standard_normal((n_classes, n_features, n_features + 2))
    covariances = scale**2 * roots @ roots.swapaxes(1, 2) / n_features
    weights = None
    if stream.random() < 0.5:
        weights = tuple(stream.uniform(0.2, 5.0, n) for n in counts)
    plane = stream.standard_normal((n_components, n_features))
    return ClassDensities(rows, covariances, weights=weights), plane


def assert_alike(found, expected, tolerance: float) -> None:
    (value, gradient), (expected_value, expected_gradient) = found, expected
    assert value == pytest.approx(expected_value, rel=tolerance, abs=tolerance)
    scale = max(np.abs(expected_gradient).max(), 1.0)  # of the whole space it is zero
    np.testing.assert_allclose(gradient, expected_gradient, atol=30 * tolerance * scale)


@pytest.mark.parametrize("seed", range(40))
def test_it_is_the_divergence_of_any_classes(kind, seed):
    classes, plane = drawn(seed)
    multiclass = list(AGGREGATES)[seed % 3]
    expected = divergence_and_gradient(classes, plane, engine="direct", multiclass=multiclass)
    for precision, tolerance in TOLERANCES.items():
        objective = compiled(classes, kind, len(plane), multiclass, precision)
        values, gradients = objective.values_and_gradients(plane[None])
        # An offset of 1e4 widths costs digits of every double.
        assert_alike((values[0], gradients[0]), expected, max(tolerance, 1e-10))


def far_apart() -> tuple[ClassDensities, np.ndarray]:
    stream = np.random.default_rng(1)
    rows = tuple(stream.standard_normal((40, 3)) + shift for shift in (0.0, 60.0, 300.0))
    return ClassDensities(rows, np.stack([0.01 * np.eye(3)] * 3)), stream.standard_normal((2, 3))


@pytest.mark.parametrize("precision", TOLERANCES)
def test_classes_whose_kernels_underflow_keep_value_and_gradient(kind, precision):
    classes, plane = far_apart()
    expected = divergence_and_gradient(classes, plane, engine="direct", multiclass="mean")
    assert expected[0] > 1e4
    objective = compiled(classes, kind, 2, "mean", precision)
    values, gradients = objective.values_and_gradients(plane[None])
    assert_alike((values[0], gradients[0]), expected, 1e-5 if precision is np.float32 else 1e-12)


def test_constant_classes_have_kernels_of_the_least_width(kind):
    rows = (np.zeros((3, 2)), np.ones((4, 2)))
    classes = ClassDensities(rows, np.zeros((2, 2, 2)))
    plane = np.array([[1.0, 0.0]])
    expected, _ = divergence_and_gradient(classes, plane, engine="direct")
    (value,), _ = compiled(classes, kind, 1).values_and_gradients(plane[None])
    assert value == pytest.approx(expected, rel=1e-12)


def iris(**changes):
    X, y = load_iris(return_X_y=True)
    classes, _ = whitened_kernel_classes(X, y, n_components=2, gamma=1.0)
    return replace(classes, **changes), np.random.default_rng(0).standard_normal((5, 2, 4))


def test_the_gradient_is_that_of_finite_differences(kind):
    classes, planes = iris()
    objective, plane, step = compiled(classes, kind, 2), planes[0], 1e-6
    _, gradients = objective.values_and_gradients(plane[None])
    for place in np.ndindex(plane.shape):
        moved = np.stack([plane, plane])
        moved[0][place] -= step
        moved[1][place] += step
        low, high = objective.values_and_gradients(moved)[0]
        assert (high - low) / (2 * step) == pytest.approx(gradients[0][place], abs=1e-6)


def test_widened_kernels_are_those_of_widened_classes(kind):
    classes, planes = iris()
    values, gradients = compiled(classes, kind, 2).widened(1.7).values_and_gradients(planes)
    expected = MELMObjective(classes.widened(1.7)).values_and_gradients(planes)
    np.testing.assert_allclose(values, expected[0], rtol=1e-12)
    np.testing.assert_allclose(gradients, expected[1], atol=1e-11)


@pytest.mark.parametrize("multiclass", AGGREGATES)
def test_the_limit_of_wide_kernels_is_that_of_numpy(kind, multiclass):
    classes, planes = iris()
    expected = wide_kernel_objective(classes, multiclass)(planes)
    term = gaussian_term(classes, multiclass)
    found = CompiledObjective([term], 2, SOFTNESS, kind).values_and_gradients(planes)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-11)
    np.testing.assert_allclose(found[1], expected[1], atol=1e-10)


def test_a_nuisance_is_subtracted(kind):
    stream = np.random.default_rng(2)
    classes, planes = iris()
    cells = tuple(
        ClassDensities((rows[::2], rows[1::2] + stream.normal(size=4)), classes.covariances[:2])
        for rows in classes.rows
    )
    classes = replace(classes, cells=cells)
    expected = MELMObjective(classes, nuisance_weight=3.0).values_and_gradients(planes)
    terms = [classes.compiled_term("softmin")]
    terms += [own.compiled_term("mean", share=-1.0) for own in cells]
    found = CompiledObjective(terms, 2, SOFTNESS, kind).values_and_gradients(planes)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-11)
    np.testing.assert_allclose(found[1], expected[1], atol=1e-10)


def test_potentials_are_those_of_numpy(kind):
    classes, planes = iris()
    expected = classes.project(planes[0]).potentials("direct").log_values
    found = compiled(classes, kind, 2).log_potentials(planes[0])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("n_components", [1, 2, 3])
@pytest.mark.parametrize("has_weights", [False, True])
def test_densities_are_those_of_numpy(monkeypatch, n_components, has_weights):
    stream = np.random.default_rng(3)
    rows = stream.standard_normal((37, n_components))
    points = np.vstack([10 * stream.standard_normal((50, n_components)), [[500.0] * n_components]])
    weights = stream.uniform(0.1, 3.0, 37) if has_weights else None
    covariance = 0.3 * np.eye(n_components)
    expected = log_density(points, rows, covariance, weights)
    monkeypatch.delenv("MELM_ENGINE")
    found = log_density(points, rows, covariance, weights)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_several_threads_do_not_disturb_each_other(kind):
    classes, planes = iris()
    objective = compiled(classes, kind, 2)
    expected, _ = objective.values_and_gradients(planes)
    with ThreadPoolExecutor(4) as pool:
        for values, _ in pool.map(lambda _: objective.values_and_gradients(planes), range(40)):
            np.testing.assert_array_equal(values, expected)


def test_what_does_not_fit_is_refused_before_the_library_is_entered(kind, monkeypatch):
    classes, planes = iris()
    objective = compiled(classes, kind, 2)
    with pytest.raises(ValueError, match=r"shape \(2, 3\) instead of \(2, 4\)"):
        objective.values_and_gradients(planes[:, :, :3])
    with pytest.raises(ValueError, match="knows 1 to 3"):
        compiled(classes, kind, 4)
    other = Term.of_rows([np.ones((2, 3))] * 2, np.ones((2, 3, 3)), aggregate="mean")
    with pytest.raises(ValueError, match="same features"):
        CompiledObjective([classes.compiled_term("mean"), other], 2, SOFTNESS, kind)
    with pytest.raises(ValueError, match="no compiled sum"):
        kernel_sums(np.ones((2, 4)), np.ones((2, 4)), None)


def test_it_is_laid_out_anew_in_another_process(monkeypatch):
    monkeypatch.delenv("MELM_ENGINE")
    classes, planes = iris()
    objective = objective_of_planes(classes, 2)
    copy = pickle.loads(pickle.dumps(objective))  # noqa: S301 - written here
    np.testing.assert_array_equal(
        copy.values_and_gradients(planes)[0], objective.values_and_gradients(planes)[0]
    )
