from __future__ import annotations

import msgspec
import numpy as np
import pytest
from sklearn.preprocessing import SplineTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from melm_core import SavedPlane
from melm_core.base import ColumnEncoding
from melm_core.recipe import (
    CurvedFeatures,
    Preparation,
    Recipe,
    RecipeRules,
    Scaling,
    Step,
    StepKind,
    beyond_curves,
)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return np.column_stack(
        [rng.standard_normal(200) * 1e4 + 1e8, rng.exponential(1e-3, 200), rng.integers(0, 3, 200)]
    )


@parametrize_with_checks([CurvedFeatures()])
def test_it_is_a_transformer_as_scikit_learn_wants(estimator, check):
    check(estimator)


def test_columns_are_those_of_a_spline_transformer_also_beyond_the_ends(rows):
    x = rows[:, [1]]
    wide = np.linspace(-2.0, 3.0, 50)[:, None] * np.ptp(x) + x.min()
    theirs = SplineTransformer(3, knots="quantile", extrapolation="linear", include_bias=False)
    expected = theirs.fit(x).transform(wide)
    at = theirs.transform(x)
    ours = CurvedFeatures().fit(x).transform(wide)[:, 1:]
    np.testing.assert_allclose(ours, (expected - at.mean(axis=0)) / at.std(axis=0), atol=1e-8)


def test_rows_beyond_the_range_are_on_a_straight_line(rows):
    x = rows[:, [0]]
    curved = CurvedFeatures().fit(x)
    beyond = x.max() + np.ptp(x) * np.arange(4.0)[:, None]
    np.testing.assert_allclose(np.diff(curved.transform(beyond), n=2, axis=0), 0.0, atol=1e-6)


def test_features_of_few_values_stay_straight(rows):
    curved = CurvedFeatures().fit(rows)
    assert [curve.at for curve in curved.curves_] == [0, 1]
    assert curved.groups_.tolist() == [0, 1, 2, *[0] * 4, *[1] * 4]


def test_columns_are_standardized(rows):
    columns = CurvedFeatures().fit_transform(rows)
    np.testing.assert_allclose(columns.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(columns.std(axis=0), 1.0)


def test_a_feature_with_one_value_in_most_rows_bends_between_its_distinct_values():
    x = np.concatenate([np.zeros(90), np.arange(1.0, 11.0)])[:, None]
    (curve,) = CurvedFeatures().fit(x).curves_
    assert curve.knots == (0.0, 0.5, 1.0)


def test_a_wide_table_stays_straight(rows):
    assert CurvedFeatures(max_curved=1).fit(rows).groups_.tolist() == [0, 1, 2]


def test_a_preparation_bends_what_its_steps_make():
    X = np.exp(np.random.default_rng(0).standard_normal((60, 2)))
    recipe = Recipe(steps=(Step(StepKind.LOG),), scaling=Scaling.CENTER)
    fitted = Preparation(recipe, ("a", "b"), (0, 1), curves=True).fit(X)
    logs = np.log(X)
    own = CurvedFeatures().fit(logs)
    np.testing.assert_allclose(fitted.apply(X)[:, :2], logs - logs.mean(axis=0))
    np.testing.assert_allclose(fitted.apply(X)[:, 2:], own.transform(logs)[:, 2:], atol=1e-9)
    assert fitted.groups.tolist() == own.groups_.tolist()
    assert fitted.rules.feature_names(["a", "b"])[2] == "a, curve 1"


def test_knots_are_those_of_the_rows_that_it_was_fitted_to(rows):
    fitted = Preparation(Recipe(), ("a", "b", "c"), (0, 1, 2), curves=True).fit(rows[:100])
    assert fitted.rules.curves[0].low == rows[:100, 0].min()


def test_rules_with_curves_survive_json(rows):
    rules = Preparation(Recipe(), ("a", "b", "c"), (0, 1, 2), curves=True).fit(rows).rules
    assert msgspec.json.decode(msgspec.json.encode(rules), type=RecipeRules) == rules


def test_a_saved_plane_bends_new_rows(rows):
    fitted = Preparation(Recipe(), ("a", "b", "c"), (0, 1, 2), curves=True).fit(rows)
    components = np.linalg.qr(np.random.default_rng(1).standard_normal((11, 2)))[0].T
    plane = SavedPlane(
        components,
        center=fitted.center,
        scale=fitted.scale,
        feature_names=fitted.rules.feature_names(["a", "b", "c"]),
        encodings=[ColumnEncoding(name) for name in "abc"],
        rules=fitted.rules,
    )
    again = SavedPlane.from_json(plane.to_json())
    np.testing.assert_allclose(
        again.transform(rows * 1.01), fitted.apply(rows * 1.01) @ components.T
    )


def test_values_beyond_the_range_are_marked_by_row_and_curve(rows):
    curves = CurvedFeatures().fit(rows).curves_
    new = np.array([rows.mean(axis=0), rows.max(axis=0) + 1.0])
    assert beyond_curves(new, curves).tolist() == [[False, False], [True, True]]
