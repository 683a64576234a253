from __future__ import annotations

from itertools import combinations
from math import exp, log, pi

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from melm_core import MELM
from melm_core.density.engines import direct_sums
from melm_core.density.kernel_density import kernel_classes
from melm_core.melm.class_overlap import held_out_divergence
from melm_core.melm.objective import (
    cauchy_schwarz_divergence,
    divergence_and_gradient,
    divergence_terms,
    information_potentials,
    nearest_pair_terms,
)
from tests.melm_core.helpers import (
    assert_gradient,
    classes,
    finite_differences,
    invertible,
    plane,
)

SHRINKAGES = (0.0, 0.3, "auto")
# Printed by the program that the authors of the MELM paper published, for breast cancer in
# standard deviations: its value, and the norm and first entry of its gradient, at the plane of
# 30 x 2 standard normal numbers of a seed, with empirical covariances.
AUTHORS_VALUES = (
    # seed, gamma, value, norm, first entry
    (0, 0.5, 3.526034045397461, 2.339051504164588, 0.011706897030631512),
    (1, 1.0, 0.7278560132536942, 1.6536010918759172, -0.005679235866833526),
    (2, 2.0, 0.8304010345357451, 0.6907047549663596, 0.11639958649000515),
)


def flattened(n_classes: int = 2, n_features: int = 5, seed: int = 0):
    """Return classes of which the first is nearly flat, so that automatic shrinkage acts."""
    X, y = classes(n_classes, n_features, seed)
    X[y == 0, 0] *= 1e-3
    return X, y


def naive_log_potential(a, b, covariance) -> float:
    """Return log ip_ab of the paper's formula as two plain loops."""
    precision, k = np.linalg.inv(covariance), len(covariance)
    norm = (2 * pi) ** (-k / 2) * np.linalg.det(covariance) ** -0.5
    total = 0.0
    for z in a:
        for w in b:
            total += norm * exp(-0.5 * float((z - w) @ precision @ (z - w)))
    return log(total / (len(a) * len(b)))


def naive_divergence(X, y, components, gamma) -> float:
    k = len(components)
    rows, kernels = [], []
    for code in range(y.max() + 1):
        own = X[y == code] @ components.T
        h = gamma * (4 / (k + 2)) ** (1 / (k + 4)) * len(own) ** (-1 / (k + 4))
        rows.append(own)
        kernels.append(h**2 * np.cov(own.T, ddof=0).reshape(k, k))

    def potential(a, b):
        return naive_log_potential(rows[a], rows[b], kernels[a] + kernels[b])

    pairs = list(combinations(range(len(rows)), 2))
    return sum(potential(a, a) + potential(b, b) - 2 * potential(a, b) for a, b in pairs) / len(
        pairs
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("gamma", [0.25, 1.0])
def test_the_divergence_is_the_formula_of_the_paper(n_classes, k, gamma):
    X, y = classes(n_classes, 4)
    components = plane(k, 4)
    value = cauchy_schwarz_divergence(X, y, components, gamma=gamma, multiclass="mean")
    assert value == pytest.approx(naive_divergence(X, y, components, gamma), rel=1e-10)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shrinkage", SHRINKAGES)
@pytest.mark.parametrize("gamma", [0.25, 1.0])
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_gradient_agrees_with_finite_differences(n_classes, k, gamma, shrinkage, seed):
    X, y = flattened(n_classes, 4, seed)
    settings = {"gamma": gamma, "shrinkage": shrinkage}
    components = plane(k, 4, seed) @ invertible(4, seed)  # the rows need not be orthonormal
    _, gradient = cauchy_schwarz_divergence(X, y, components, return_gradient=True, **settings)
    numeric = finite_differences(
        lambda rows: cauchy_schwarz_divergence(X, y, rows, **settings), components
    )
    assert_gradient(gradient, numeric)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_gradient_has_no_part_within_the_plane(n_classes, k, seed):
    X, y = classes(n_classes, 5, seed)
    components = plane(k, 5, seed) @ invertible(5, seed)
    _, gradient = cauchy_schwarz_divergence(X, y, components, return_gradient=True)
    within = components @ gradient.T
    np.testing.assert_allclose(within, 0, atol=1e-11 * np.abs(gradient).max())


@pytest.mark.parametrize("shrinkage", SHRINKAGES)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_divergence_depends_on_the_span_only(k, shrinkage):
    X, y = flattened(3)
    components = plane(k, 5)
    value = cauchy_schwarz_divergence(X, y, components, shrinkage=shrinkage)
    other = cauchy_schwarz_divergence(X, y, invertible(k) @ components, shrinkage=shrinkage)
    assert other == pytest.approx(value, rel=1e-10)


@pytest.mark.parametrize("shrinkage", SHRINKAGES)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_divergence_is_invariant_under_linear_maps_of_the_data(k, shrinkage):
    X, y = flattened(3)
    components, M = plane(k, 5), invertible(5)
    value = cauchy_schwarz_divergence(X, y, components, shrinkage=shrinkage)
    mapped = cauchy_schwarz_divergence(
        X @ M, y, np.linalg.solve(M, components.T).T, shrinkage=shrinkage
    )
    assert mapped == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("shrinkage", SHRINKAGES)
def test_the_divergence_is_invariant_under_translation(shrinkage):
    X, y = flattened(2)
    components = plane(2, 5)
    value = cauchy_schwarz_divergence(X, y, components, shrinkage=shrinkage)
    moved = cauchy_schwarz_divergence(X + 1e3, y, components, shrinkage=shrinkage)
    assert moved == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("codes", [(1, 0, 2), (2, 0, 1), (2, 1, 0)])
@pytest.mark.parametrize("shrinkage", SHRINKAGES)
def test_the_names_of_the_classes_do_not_matter(codes, shrinkage):
    X, y = flattened(3)
    components = plane(2, 5)
    value = cauchy_schwarz_divergence(X, y, components, shrinkage=shrinkage)
    renamed = cauchy_schwarz_divergence(X, np.array(codes)[y], components, shrinkage=shrinkage)
    assert renamed == pytest.approx(value, rel=1e-12)


def test_the_order_of_the_rows_does_not_matter():
    X, y = classes(3, 5)
    components = plane(2, 5)
    order = np.random.default_rng(0).permutation(len(y))
    value, gradient = cauchy_schwarz_divergence(X, y, components, return_gradient=True)
    shuffled = cauchy_schwarz_divergence(X[order], y[order], components, return_gradient=True)
    assert shuffled[0] == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(shuffled[1], gradient, rtol=1e-10)


@pytest.mark.parametrize("gamma", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("seed", range(5))
def test_the_divergence_is_never_negative(gamma, seed):
    X, y = classes(2, 4, seed)
    assert cauchy_schwarz_divergence(X, y, plane(2, 4, seed), gamma=gamma) > 0


def test_identical_classes_do_not_diverge():
    rows, _ = classes(1, 4)
    X, y = np.vstack([rows, rows]), np.repeat([0, 1], len(rows))
    value, gradient = cauchy_schwarz_divergence(X, y, plane(2, 4), return_gradient=True)
    assert value == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(gradient, 0, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_the_divergence_is_the_fitting_term_less_the_regularizing_term(n_classes):
    X, y = classes(n_classes, 5)
    projected = kernel_classes(X, y, n_components=2)
    value, _ = divergence_and_gradient(projected, plane(2, 5), multiclass="mean")
    terms = divergence_terms(projected, plane(2, 5), multiclass="mean")
    assert terms.fitting - terms.regularizing == pytest.approx(value, rel=1e-12)
    assert terms.divergence == terms.fitting - terms.regularizing


def test_the_nearest_pair_is_that_of_the_smallest_divergence_of_two():
    X, y = classes(4, 5)
    kernels = kernel_classes(X, y, n_components=2, gamma=1.0, shrinkage=0.0)
    (a, b), terms = nearest_pair_terms(kernels.project(plane(2, 5)))
    of_two = {}
    for pair in combinations(range(4), 2):
        rows = np.isin(y, np.unique(y)[list(pair)])
        of_two[pair] = cauchy_schwarz_divergence(X[rows], y[rows], plane(2, 5), gamma=1.0)
    assert (a, b) == min(of_two, key=of_two.get)
    assert terms.divergence == pytest.approx(of_two[a, b], rel=1e-8)


def test_other_coordinates_of_a_plane_move_both_terms_alike():
    X, y = classes(3, 5)
    projected = kernel_classes(X, y, n_components=2).project(plane(2, 5))
    A = np.array([[3.0, 1.0], [0.0, 0.2]])
    pair, terms = nearest_pair_terms(projected)
    other, moved = nearest_pair_terms(projected.project(A))
    assert other == pair
    shift = 2 * np.log(abs(np.linalg.det(A)))
    assert moved.fitting - terms.fitting == pytest.approx(shift)
    assert moved.regularizing - terms.regularizing == pytest.approx(shift)


def test_the_regularizing_term_is_the_sum_of_the_quadratic_entropies():
    X, y = classes(2, 4)
    projected = kernel_classes(X, y, n_components=2, shrinkage=0.0).project(plane(2, 4))
    entropies = [
        -naive_log_potential(rows, rows, 2 * covariance)
        for rows, covariance in zip(projected.rows, projected.covariances, strict=True)
    ]
    terms = divergence_terms(projected, np.eye(2))
    assert terms.regularizing == pytest.approx(sum(entropies), rel=1e-10)


@pytest.mark.parametrize(("k", "n_lines"), [(1, 2001), (2, 301)])
@pytest.mark.parametrize("gamma", [0.7, 1.5])
def test_the_divergence_is_the_integral_of_the_densities_that_are_drawn(k, n_lines, gamma):
    X, y = classes(2, 4)
    components = plane(k, 4)
    value = cauchy_schwarz_divergence(X, y, components, gamma=gamma, shrinkage="ledoit-wolf")
    drawn = kernel_classes(X, y, n_components=k, gamma=gamma).project(components)
    Z = X @ components.T
    reach = 7 * np.sqrt(drawn.covariances.max())
    axes = np.linspace(Z.min(axis=0) - reach, Z.max(axis=0) + reach, n_lines).T
    grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, k)
    f, g = np.exp(drawn.log_densities(grid)).T
    cell = np.prod([axis[1] - axis[0] for axis in axes])
    assert f.sum() * cell == pytest.approx(1, rel=1e-8)
    integral = np.log(f @ f) + np.log(g @ g) - 2 * np.log(f @ g)  # the cells cancel
    assert integral == pytest.approx(value, rel=1e-8)


@pytest.mark.parametrize("separation", [20, 100])
def test_classes_far_apart_have_a_finite_value_and_the_right_gradient(separation):
    X, y = classes(2, 4)
    X = (X - X.mean(0)) / X.std(0)
    X[y == 1, 0] += separation
    components = plane(2, 4)
    value, gradient = cauchy_schwarz_divergence(X, y, components, gamma=0.1, return_gradient=True)
    assert np.isfinite(value)
    assert value > separation
    numeric = finite_differences(
        lambda rows: cauchy_schwarz_divergence(X, y, rows, gamma=0.1), components
    )
    np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-4 * np.abs(numeric).max())


def constant_class():
    X, y = classes(2, 4)
    X[y == 0, 1] = 0.7
    return X, y


def more_features_than_rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(12, 20)), np.arange(12) % 2


def two_rows_of_a_class():
    X, y = classes(2, 4)
    kept = np.concatenate([np.flatnonzero(y == 0)[:2], np.flatnonzero(y == 1)])
    return X[kept], y[kept]


def classes_constant_all_over():
    y = np.arange(30) % 2
    return np.where(y[:, None] == 0, 0.1, 0.7) * np.ones(3), y


@pytest.mark.parametrize(
    "data",
    [constant_class, more_features_than_rows, two_rows_of_a_class, classes_constant_all_over],
)
@pytest.mark.parametrize("shrinkage", SHRINKAGES)
def test_flat_kernels_have_a_finite_value_and_a_finite_gradient(data, shrinkage):
    X, y = data()
    for components in (np.eye(X.shape[1])[:2], plane(2, X.shape[1])):
        value, gradient = cauchy_schwarz_divergence(
            X, y, components, gamma=0.1, shrinkage=shrinkage, return_gradient=True
        )
        assert np.isfinite(value)
        assert np.isfinite(gradient).all()


@pytest.mark.parametrize("entries", [1, 7, 100])
def test_the_size_of_the_blocks_does_not_matter(entries, monkeypatch):
    X, y = classes(3, 5)
    components = plane(2, 5)
    value, gradient = cauchy_schwarz_divergence(X, y, components, return_gradient=True)
    monkeypatch.setattr(direct_sums, "BLOCK_ENTRIES", entries)
    blocked = cauchy_schwarz_divergence(X, y, components, return_gradient=True)
    assert blocked[0] == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(blocked[1], gradient, rtol=1e-10)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_held_out_divergence_of_the_training_rows_is_the_divergence(n_classes):
    X, y = classes(n_classes, 5)
    train = kernel_classes(X, y, n_components=2).project(plane(2, 5))
    value, _ = divergence_and_gradient(train, np.eye(2))
    assert held_out_divergence(train, train.rows) == pytest.approx(value, rel=1e-12)


def train_and_held_out_divergence_of_noise(seed: int) -> tuple[float, float]:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(120, 15)), np.arange(120) % 2
    melm = MELM(gamma=1.0, n_init=1, random_state=0).fit(X[:60], y[:60])
    Z, labels = melm.transform(X[60:]), y[60:]
    held_out_rows = [Z[labels == code] for code in (0, 1)]
    return melm.divergence_, held_out_divergence(melm.projected_classes_, held_out_rows)


def test_planes_fitted_to_chance_do_not_diverge_on_held_out_rows_on_average():
    train, held_out = np.mean(list(map(train_and_held_out_divergence_of_noise, range(20))), axis=0)
    assert train > 1.5
    assert abs(held_out) < 0.3


@pytest.mark.parametrize(
    "name_of",
    [lambda y: 2 * y - 1, lambda y: y == 1, lambda y: np.array(["ant", "bee"])[y].tolist()],
    ids=["signs", "booleans", "words"],
)
def test_classes_may_have_any_names(name_of):
    X, y = classes(2, 4)
    components = plane(2, 4)
    value = cauchy_schwarz_divergence(X, y, components)
    assert cauchy_schwarz_divergence(X.tolist(), name_of(y), components.tolist()) == value
    np.testing.assert_array_equal(
        information_potentials(X, name_of(y), components), information_potentials(X, y, components)
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"components": np.eye(3)[:2]},
            r"components has shape \(2, 3\); it must be \(n_components, 4\)",
        ),
        ({"components": np.ones(4)}, r"components has shape \(4,\); it must be"),
        ({"components": np.ones((2, 4))}, "must be finite and linearly independent"),
        ({"components": np.full((1, 4), np.nan)}, "must be finite and linearly independent"),
        ({"gamma": 0}, "gamma=0 must be a finite number above 0"),
        ({"shrinkage": 2}, "shrinkage=2 must be a number from 0 to 1"),
        ({"engine": "fast"}, "engine='fast' must be one of"),
        ({"multiclass": "all"}, "multiclass='all' must be one of"),
        ({"y": np.zeros(len(classes(2, 4)[1]))}, "The labels hold only one class"),
    ],
)
def test_an_argument_that_breaks_a_rule_is_named_with_it(changes, message):
    X, y = classes(2, 4)
    arguments = {"X": X, "y": y, "components": plane(2, 4), **changes}
    with pytest.raises(ValueError, match=message):
        cauchy_schwarz_divergence(**arguments)


@pytest.mark.parametrize("engine", ["direct", "nufft"])
@pytest.mark.parametrize("printed", AUTHORS_VALUES, ids=lambda printed: f"gamma={printed[1]}")
def test_value_and_gradient_are_those_of_the_authors_program(printed, engine):
    seed, gamma, value, norm, first = printed
    X, y = load_breast_cancer(return_X_y=True)
    components = np.random.default_rng(seed).normal(size=(30, 2)).T
    ours, gradient = cauchy_schwarz_divergence(
        (X - X.mean(axis=0)) / X.std(axis=0),
        y,
        components,
        gamma=gamma,
        engine=engine,
        return_gradient=True,
    )
    assert ours == pytest.approx(value, rel=1e-8)
    assert np.linalg.norm(gradient) == pytest.approx(norm, rel=1e-7)
    assert gradient[0, 0] == pytest.approx(first, rel=1e-5)
