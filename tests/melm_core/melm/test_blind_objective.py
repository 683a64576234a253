from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from melm_core import MELM
from melm_core.base import UserError
from melm_core.density import (
    SmallCellsWarning,
    kernel_cells,
    kernel_classes,
    nuisance_accuracy,
    nuisance_cells,
    whitened_kernel_classes,
)
from melm_core.melm import (
    MELMCV,
    BaggedMELM,
    MELMObjective,
    SampleSizes,
    SearchOptions,
    divergence,
    divergence_and_gradient,
    nuisance_divergence,
)
from melm_core.melm.search import wide_kernel_optima
from tests.melm_core.helpers import assert_gradient, finite_differences, invertible, plane


def drifting(n_rows=180, n_classes=2, n_values=3, n_features=5, seed=0):
    """Return classes along feature 0, a drift along feature 1 that also tells them apart."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    b = (y + rng.integers(0, 2, n_rows) + rng.integers(0, n_values, n_rows)) % n_values
    X = rng.standard_normal((n_rows, n_features))
    X[:, 0] += 1.2 * y
    X[:, 1] += 1.5 * b + 0.8 * y
    return X, y, b


def blind_classes(X, y, b, *, k=2, weights=None):
    """Return the classes with their cells, in the coordinates of the data."""
    cells = nuisance_cells(y, b, n_components=k, weights=weights)
    classes = kernel_classes(X, y, n_components=k, weights=weights)
    return replace(classes, cells=kernel_cells(X, cells, n_components=k, weights=weights))


@pytest.mark.parametrize(
    ("n_classes", "n_values", "k", "engine"),
    [
        (2, 3, 2, "direct"),
        (4, 3, 2, "direct"),
        (3, 2, 1, "nufft"),
        pytest.param(4, 3, 2, "nufft", marks=pytest.mark.slow),
    ],
)
def test_the_gradient_is_that_of_the_value(n_classes, n_values, k, engine):
    classes = blind_classes(*drifting(240, n_classes, n_values), k=k)

    def value(components):
        return divergence_and_gradient(
            classes, components, nuisance_weight=1.5, engine=engine, multiclass="softmin"
        )

    at = plane(k, 5)
    assert_gradient(value(at)[1], finite_differences(lambda V: value(V)[0], at))


def test_the_value_is_the_divergence_less_the_mean_over_the_classes():
    X, y, b = drifting(240, n_classes=3)
    classes, at = blind_classes(X, y, b), plane(2, 5)
    own = [divergence(part, at, multiclass="mean") for part in classes.cells]
    assert nuisance_divergence(classes.cells, at) == pytest.approx(np.mean(own), rel=1e-12)
    value, _ = divergence_and_gradient(classes, at, nuisance_weight=2.0, multiclass="mean")
    expected = divergence(classes, at, multiclass="mean") - 2.0 * np.mean(own)
    assert value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("precision", "tolerance"), [(np.float32, 1e-4), (np.float64, 1e-9)])
def test_several_planes_at_once_have_the_values_of_each(precision, tolerance):
    classes = blind_classes(*drifting(240, n_classes=4)).widened(1.3)
    planes = np.stack([plane(2, 5, seed) for seed in range(3)])
    once = MELMObjective(blind_classes(*drifting(240, n_classes=4)), "mean", precision, 1.5)
    values, gradients = once.widened(1.3).values_and_gradients(planes)
    for components, value, gradient in zip(planes, values, gradients, strict=True):
        expected, by_components = divergence_and_gradient(
            classes, components, nuisance_weight=1.5, multiclass="mean"
        )
        assert value == pytest.approx(expected, abs=tolerance)
        scale = np.abs(by_components).max()
        np.testing.assert_allclose(gradient, by_components, atol=10 * tolerance * scale)


def test_without_a_weight_the_plane_is_that_of_melm():
    X, y, b = drifting()
    melm = MELM(random_state=0).fit(X, y)
    weightless = MELM(nuisance_weight=0.0, random_state=0).fit(X, y, nuisance=b)
    np.testing.assert_array_equal(weightless.components_, melm.components_)
    assert weightless.divergence_ == melm.divergence_
    assert not hasattr(melm, "nuisance_divergence_")


@pytest.mark.parametrize(
    ("n_classes", "n_values"),
    [
        (2, 3),
        pytest.param(4, 3, marks=pytest.mark.slow),
        pytest.param(2, 2, marks=pytest.mark.slow),
    ],
)
def test_a_larger_weight_takes_the_nuisance_out_of_the_plane(n_classes, n_values):
    X, y, b = drifting(240, n_classes, n_values)
    fits = [
        MELM(nuisance_weight=w, n_init=3, random_state=0).fit(X, y, nuisance=b)
        for w in (0.0, 1.0, 6.0)
    ]
    told = [fit.nuisance_divergence_ for fit in fits]
    assert told[0] > told[1] > told[2]
    assert told[2] < 0.5 * told[0]
    best = max(result.objective for result in fits[1].start_results_)
    expected = fits[1].divergence_ - fits[1].nuisance_divergence_
    assert best == pytest.approx(expected, rel=1e-6)


def test_neither_names_nor_order_nor_units_of_the_data_matter():
    X, y, b = drifting()
    melm = MELM(n_init=2, random_state=0, shrinkage="auto").fit(X, y, nuisance=b)
    named = np.array(["C", "A", "B"])[b]
    order = np.random.default_rng(1).permutation(len(y))
    others = (
        MELM(n_init=2, random_state=0, shrinkage="auto").fit(X, y, nuisance=named),
        MELM(n_init=2, random_state=0, shrinkage="auto").fit(X[order], y[order], nuisance=b[order]),
        MELM(n_init=2, random_state=0, shrinkage="auto").fit(
            X @ invertible(5) + 3.0, y, nuisance=b
        ),
    )
    for other in others:
        assert other.divergence_ == pytest.approx(melm.divergence_, rel=1e-5)
        assert other.nuisance_divergence_ == pytest.approx(melm.nuisance_divergence_, rel=1e-3)


def test_a_row_of_weight_two_counts_as_two_rows():
    X, y, b = drifting(120)
    weights = np.where(np.arange(len(y)) % 3, 1.0, 2.0)
    twice = np.repeat(np.arange(len(y)), weights.astype(int))
    weighted = blind_classes(X, y, b, weights=weights)
    repeated = blind_classes(X[twice], y[twice], b[twice])
    at = plane(2, 5)
    assert nuisance_divergence(weighted.cells, at) == pytest.approx(
        nuisance_divergence(repeated.cells, at), rel=1e-10
    )


def test_more_features_than_rows_cost_no_accuracy():
    X, y, b = drifting(60, n_features=90)
    melm = MELM(n_init=1, random_state=0).set_search(max_iter=20).fit(X, y, nuisance=b)
    cells = nuisance_cells(y, b, n_components=2)
    kernels = kernel_cells(X, cells, n_components=2, gamma=melm.gamma)
    own = nuisance_divergence(kernels, melm.components_)
    assert melm.nuisance_divergence_ == pytest.approx(own, rel=1e-5)


def test_the_kept_number_is_that_of_the_data():
    X, y, b = drifting()
    melm = MELM(n_init=1, gamma=1.0, random_state=0).set_search(max_iter=20)
    melm.fit(X + 100.0, y, nuisance=b)
    classes = blind_classes(X, y, b)
    own = nuisance_divergence(classes.cells, melm.components_)
    assert melm.nuisance_divergence_ == pytest.approx(own, rel=1e-8)


def test_the_limit_of_wide_kernels_is_blind_too():
    X, y, b = drifting(400)
    classes, whitener = whitened_kernel_classes(X, y, n_components=1)
    cells = kernel_cells(X, nuisance_cells(y, b, n_components=1), n_components=1)
    classes = replace(classes, cells=tuple(own.project(whitener.T) for own in cells))
    loadings = []
    for weight in (0.0, 8.0):
        best, *_ = wide_kernel_optima(
            classes,
            [plane(1, 5, seed) for seed in range(3)],
            multiclass="mean",
            max_planes=1,
            nuisance_weight=weight,
        )
        direction = (best @ whitener.T).ravel()
        loadings.append(abs(direction[1]) / np.linalg.norm(direction))
    assert loadings[1] < 0.3 * loadings[0]


def test_a_confounded_design_is_refused_with_the_reason():
    X, y, _ = drifting()
    with pytest.raises(UserError, match="nothing can tell the classes from the nuisance"):
        MELM().fit(X, y, nuisance=np.array(["spring", "autumn"])[y])
    with pytest.raises(UserError, match="same nuisance"):
        MELM().fit(X, y, nuisance=np.zeros(len(y)))


@pytest.mark.parametrize(
    ("nuisance", "words"),
    [(np.zeros(3), "one value for each"), ([None] + ["A"] * 179, "1 missing values")],
)
def test_a_nuisance_that_does_not_fit_the_rows_is_refused(nuisance, words):
    X, y, _ = drifting()
    with pytest.raises(UserError, match=words):
        MELM().fit(X, y, nuisance=nuisance)


@pytest.mark.parametrize("weight", [-1.0, np.nan, "much"])
def test_a_weight_below_zero_is_refused(weight):
    X, y, b = drifting()
    with pytest.raises(UserError, match="nuisance_weight"):
        MELM(nuisance_weight=weight).fit(X, y, nuisance=b)


def test_a_cell_of_few_rows_is_left_out_with_a_warning():
    X, y, b = drifting()
    b = np.where(b == 2, 0, b)
    b[np.flatnonzero(y == 1)[:2]] = 7
    with pytest.warns(SmallCellsWarning, match="at least 4 rows.*2 of 1 in 7"):
        melm = MELM(n_init=1, random_state=0).set_search(max_iter=10).fit(X, y, nuisance=b)
    assert melm.nuisance_divergence_ > 0


def test_a_class_of_one_value_has_no_term():
    _, y, b = drifting(240, n_classes=3)
    b[y == 2] = 0
    cells = nuisance_cells(y, b, n_components=2)
    assert sorted(set(cells.class_codes.tolist())) == [0, 1]
    assert (cells.codes[y == 2] == -1).all()


@pytest.mark.parametrize(
    "kind", [pytest.param(MELMCV, marks=pytest.mark.slow), partial(BaggedMELM, n_bootstrap=2)]
)
def test_inner_fits_are_blind_too(kind):
    X, y, b = drifting(90)
    melm = kind(nuisance_weight=8.0, n_init=1, random_state=0).set_search(max_iter=15)
    told = melm.fit(X, y, nuisance=b).nuisance_divergence_
    unaware = kind(nuisance_weight=0.0, n_init=1, random_state=0).set_search(max_iter=15)
    assert told < unaware.fit(X, y, nuisance=b).nuisance_divergence_


@pytest.mark.slow
def test_a_sample_of_many_rows_keeps_the_cells():
    X, y, b = drifting(600)
    steps = []
    sizes = SampleSizes(max_rows=300, small=150, large=200)
    sampled, whole = (
        MELM(nuisance_weight=4.0, n_init=4, random_state=0, search=search, callback=steps.append)
        for search in (SearchOptions(sample_sizes=sizes), None)
    )
    for fit in (sampled, whole):
        fit.fit(X, y, nuisance=b)
    assert any(step.stage.endswith("200 rows") for step in steps)
    objectives = [fit.divergence_ - 4.0 * fit.nuisance_divergence_ for fit in (sampled, whole)]
    assert objectives[0] == pytest.approx(objectives[1], rel=0.05)


def test_the_nuisance_is_routed_through_a_pipeline():
    X, y, b = drifting(90)
    with config_context(enable_metadata_routing=True):
        melm = MELM(n_init=2, random_state=0).set_search(max_iter=10).set_fit_request(nuisance=True)
        pipeline = make_pipeline(StandardScaler(), melm).fit(X, y, nuisance=b)
    assert pipeline[-1].nuisance_divergence_ >= 0


def test_accuracy_of_the_nuisance_is_chance_where_it_has_no_effect():
    rng = np.random.default_rng(0)
    X, y, b = (
        rng.standard_normal((3_000, 2)),
        np.repeat([0, 1, 2], 1_000),
        rng.integers(0, 3, 3_000),
    )
    b[y == 2] = 0
    train = np.arange(len(y)) % 2 == 0
    cells = nuisance_cells(y[train], b[train], n_components=2)
    kernels = kernel_cells(X[train], cells, n_components=2)
    told = nuisance_accuracy(X[~train], y[~train], b[~train], cells, kernels)
    assert told.chance == pytest.approx(1 / 3)
    assert abs(told.accuracy - told.chance) < 4 * told.standard_error
    assert told.n_rows == int((y[~train] < 2).sum())
