from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA

from melm_core import EntropyPlane
from melm_core.density import ClassDensities
from melm_core.density.covariances import bandwidth_factor
from melm_core.density.engines.direct_sums import log_potential
from melm_core.linalg.planes import principal_angles
from melm_core.melm.entropy_plane import gaussian_entropy, kernel_entropy
from tests.melm_core.helpers import (
    assert_gradient,
    assert_orthonormal,
    finite_differences,
    invertible,
    plane,
)


def table(n_features: int = 5, n_rows: int = 80, seed: int = 0):
    """Return rows whose principal variances are well apart, in a turned frame."""
    rng = np.random.default_rng(seed)
    frame = np.linalg.qr(rng.normal(size=(n_features, n_features)))[0]
    return (rng.normal(size=(n_rows, n_features)) * 2.0 ** -np.arange(n_features)) @ frame + 3.0


def covariance(X):
    return np.cov(X.T, ddof=0)


def kernel_density(X, squared_factor):
    return ClassDensities((X,), squared_factor * covariance(X)[None])


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("direction", ["max", "min"])
def test_the_extreme_planes_of_the_gaussian_entropy_are_principal_ones(k, direction):
    X = table()
    axes = PCA().fit(X).components_
    expected = axes[:k] if direction == "max" else axes[-k:]
    found = EntropyPlane(k, direction=direction, n_init=3, random_state=0).fit(X)
    assert_orthonormal(found.components_)
    for result in found.start_results_:
        assert principal_angles(result.components, expected).max() < 1e-3


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_gaussian_entropy_is_that_of_the_projected_variances(k):
    X = table()
    found = EntropyPlane(k, random_state=0, n_init=2).fit(X)
    variances = np.linalg.eigvalsh(covariance(X))[::-1][:k]
    expected = 0.5 * (k * np.log(4 * np.pi) + np.log(variances).sum())
    assert found.entropy_ == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_derivative_of_the_gaussian_entropy_agrees_with_finite_differences(k):
    components, spread = invertible(k) @ plane(k, 5), covariance(table())
    _, gradient = gaussian_entropy(components, spread)
    numeric = finite_differences(lambda V: gaussian_entropy(V, spread)[0], components)
    assert_gradient(gradient, numeric)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_derivative_of_the_kernel_entropy_agrees_with_finite_differences(k):
    X = table()
    components, density = invertible(k) @ plane(k, 5), kernel_density(X, 0.2)
    _, gradient = kernel_entropy(components, density)
    numeric = finite_differences(lambda V: kernel_entropy(V, density)[0], components)
    assert_gradient(gradient, numeric)


def test_both_entropies_depend_on_the_span_only():
    X = table()
    spread, one = covariance(X), plane(2, 5)
    other = invertible(2) @ one
    gaussian = [gaussian_entropy(V, spread)[0] for V in (one, other)]
    kernel = [kernel_entropy(V, kernel_density(X, 1.0))[0] for V in (one, other)]
    assert gaussian[1] == pytest.approx(gaussian[0], rel=1e-12)
    assert kernel[1] == pytest.approx(kernel[0], rel=1e-10)


def test_the_kernel_entropy_of_an_orthonormal_frame_is_minus_the_log_potential():
    X = table()
    components, kernel = plane(2, 5), 0.1 * covariance(table())
    projected = X @ components.T
    potential = log_potential(projected, projected, 2 * components @ kernel @ components.T)
    value, _ = kernel_entropy(components, kernel_density(X, 0.1))
    assert value == pytest.approx(-potential.value, rel=1e-12)


def test_a_very_wide_kernel_has_the_entropy_of_a_gaussian_of_its_width():
    X, components = table(), plane(2, 5)
    value, _ = kernel_entropy(components, kernel_density(X, 1e6))
    expected, _ = gaussian_entropy(components, 1e6 * covariance(X))
    assert value == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("direction", ["max", "min"])
def test_no_plane_at_random_is_more_extreme_for_the_kernel_density(direction):
    X = table(n_features=4, n_rows=50)
    found = EntropyPlane(direction=direction, density="kde", n_init=4, random_state=0).fit(X)
    density = kernel_density(X - X.mean(axis=0), bandwidth_factor(50, 2, 1.0) ** 2)
    at_random = [kernel_entropy(plane(2, 4, seed), density)[0] for seed in range(100)]
    own, _ = kernel_entropy(found.components_, density)
    assert found.entropy_ == pytest.approx(own, rel=1e-9)
    assert found.entropy_ > max(at_random) if direction == "max" else own < min(at_random)


@pytest.mark.parametrize("direction", ["max", "min"])
def test_progress_tells_the_entropy_and_a_stop_keeps_the_best_plane(direction):
    reports = []

    def stop(progress):
        reports.append(progress)
        return len(reports) == 4

    X = table()
    found = EntropyPlane(direction=direction, random_state=0, callback=stop).fit(X)
    assert len(reports) == 4
    entropies = [report.objective for report in reports]
    best = max(entropies) if direction == "max" else min(entropies)
    assert reports[-1].best_objective == best
    assert found.entropy_ == pytest.approx(best, rel=1e-12)
    for report in reports:
        value, _ = gaussian_entropy(report.components, covariance(X))
        assert report.objective == pytest.approx(value, rel=1e-10)


def test_the_same_seed_gives_the_same_plane():
    one, other = (EntropyPlane(random_state=3, n_init=2).fit(table()) for _ in range(2))
    np.testing.assert_array_equal(one.components_, other.components_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"direction": "up"}, "direction='up' must be one of 'max', 'min'"),
        ({"density": "box"}, "density='box' must be one of 'gaussian', 'kde'"),
        ({"gamma": 0}, "gamma=0 must be a finite number above 0"),
        ({"n_components": 6}, "n_components=6 exceeds the 5 feature"),
    ],
)
def test_a_parameter_that_breaks_its_rule_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        EntropyPlane(**parameters).fit(table())


def test_the_smallest_entropy_of_data_that_vary_in_fewer_directions_is_refused():
    X = table()
    X[:, 4] = X[:, 0] - X[:, 1]
    with pytest.raises(ValueError, match="vary along 4 of 5 directions only"):
        EntropyPlane(direction="min").fit(X)
    found = EntropyPlane(random_state=0).fit(X)
    assert principal_angles(found.components_, PCA(2).fit(X).components_).max() < 1e-3


@pytest.mark.parametrize("density", ["gaussian", "kde"])
def test_more_features_than_rows_have_the_plane_of_their_span(density):
    X = table(n_features=5, n_rows=30)
    frame = plane(5, 60)
    narrow = EntropyPlane(density=density, random_state=0).fit(X)
    steps = []
    wide = EntropyPlane(density=density, random_state=0, callback=steps.append).fit(X @ frame)
    assert wide.entropy_ == pytest.approx(narrow.entropy_, abs=1e-5)
    assert_orthonormal(wide.components_)
    assert principal_angles(wide.components_, narrow.components_ @ frame).max() < 1e-2
    assert steps[-1].components.shape == (2, 60)


def test_equal_rows_are_refused():
    with pytest.raises(ValueError, match="All rows are equal"):
        EntropyPlane().fit(np.ones((10, 3)))


def test_many_rows_are_summed_in_less_than_all_pairs_to_the_same_entropy():
    X = table(n_features=3, n_rows=6_000)
    density = kernel_density(X, bandwidth_factor(len(X), 2, 1.0) ** 2)
    components = plane(2, 3)
    projected = density.project(components)
    assert projected.engine("potentials") == "transforms"
    exact = -projected.potentials("direct").log_values[0, 0]
    assert kernel_entropy(components, density)[0] == pytest.approx(exact, abs=1e-8)
