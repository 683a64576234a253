"""A recipe learns from training rows alone, and does what its sources say."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.signal import savgol_filter
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.preprocessing import RobustScaler, StandardScaler

from melm_core.base import UserError
from melm_core.recipe import (
    Fill,
    MissingValues,
    Preparation,
    Recipe,
    RecipeRules,
    Scaling,
    Step,
    StepKind,
)

RNG = np.random.default_rng(0)
N_ROWS, N_COLUMNS = 40, 9
ROWS = np.exp(RNG.normal(size=(N_ROWS, N_COLUMNS)))
GAPPY = np.where(RNG.random(ROWS.shape) < 0.2, np.nan, ROWS)
AS_THEY_ARE = Recipe(scaling=Scaling.NONE)


def preparation(recipe: Recipe, n_columns: int = N_COLUMNS) -> Preparation:
    names = tuple(f"x{at}" for at in range(n_columns))
    return Preparation(recipe, names, tuple(range(n_columns)))


def prepared(recipe: Recipe, rows: np.ndarray = ROWS) -> np.ndarray:
    return preparation(recipe, rows.shape[1]).fit(rows).apply(rows)


def one_step(kind: StepKind, **values) -> Recipe:
    return Recipe(steps=(Step(kind, **values),), scaling=Scaling.NONE)


def test_the_default_is_what_scikit_learn_calls_median_and_standard():
    filled = SimpleImputer(strategy="median").fit_transform(GAPPY)
    expected = StandardScaler().fit_transform(filled)
    np.testing.assert_allclose(prepared(Recipe(), GAPPY), expected, atol=1e-12)
    assert Recipe().is_plain


@pytest.mark.parametrize("n_neighbors", [1, 3])
def test_nearest_rows_are_those_of_scikit_learn_in_standard_units(n_neighbors):
    missing = MissingValues(fill=Fill.NEAREST, n_neighbors=n_neighbors)
    widths = np.nanstd(GAPPY, axis=0)
    expected = KNNImputer(n_neighbors=n_neighbors).fit_transform(GAPPY / widths) * widths
    found = prepared(Recipe(missing=missing, scaling=Scaling.NONE), GAPPY)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_gap_without_any_near_row_gets_the_median():
    rows = np.array([[1.0, np.nan], [np.nan, 4.0], [np.nan, 6.0], [2.0, np.nan]])
    missing = MissingValues(fill=Fill.NEAREST)
    found = prepared(Recipe(missing=missing, scaling=Scaling.NONE), rows)
    np.testing.assert_array_equal(found, [[1.0, 5.0], [1.5, 4.0], [1.5, 6.0], [2.0, 5.0]])


def test_a_constant_and_indicators_mark_what_was_missing():
    missing = MissingValues(fill=Fill.CONSTANT, constant=-1.0, indicator=True)
    fitted = preparation(Recipe(missing=missing, scaling=Scaling.NONE)).fit(GAPPY)
    found = fitted.apply(GAPPY)
    is_missing = np.isnan(GAPPY)
    np.testing.assert_array_equal(found[:, :N_COLUMNS], np.where(is_missing, -1.0, GAPPY))
    np.testing.assert_array_equal(found[:, N_COLUMNS:], is_missing[:, is_missing.any(axis=0)])
    names = fitted.rules.feature_names(["x0", "x1"] + [""] * (N_COLUMNS - 2))
    assert names[N_COLUMNS] == "x0 missing"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (StepKind.LOG, np.log(ROWS)),
        (StepKind.LOG_PLUS_ONE, np.log1p(ROWS)),
        (StepKind.ASINH, np.arcsinh(ROWS)),
        (StepKind.ROW_SUM, ROWS / ROWS.sum(axis=1)[:, None]),
        (StepKind.SNV, StandardScaler().fit_transform(ROWS.T).T * np.sqrt(1 - 1 / N_COLUMNS)),
        (StepKind.DERIVATIVE, savgol_filter(ROWS, 7, 2, deriv=1, axis=1)),
    ],
)
def test_a_step_computes_what_its_source_says(kind, expected):
    np.testing.assert_allclose(prepared(one_step(kind)), expected, atol=1e-12)


@pytest.mark.parametrize(("window", "degree"), [(3, 1), (5, 2), (9, 4)])
def test_the_derivative_is_that_of_scipy_up_to_the_ends(window, degree):
    found = prepared(one_step(StepKind.DERIVATIVE, window=window, degree=degree))
    expected = savgol_filter(ROWS, window, degree, deriv=1, axis=1)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("scaling", "expected"),
    [
        (Scaling.CENTER, ROWS - ROWS.mean(axis=0)),
        (Scaling.PARETO, (ROWS - ROWS.mean(axis=0)) / np.sqrt(ROWS.std(axis=0))),
        (Scaling.RANGE, (ROWS - ROWS.mean(axis=0)) / np.ptp(ROWS, axis=0)),
        (Scaling.ROBUST, RobustScaler().fit_transform(ROWS)),
    ],
)
def test_scalings_are_those_of_their_names(scaling, expected):
    np.testing.assert_allclose(prepared(Recipe(scaling=scaling)), expected, atol=1e-12)


def test_steps_are_taken_in_order():
    steps = (Step(StepKind.ROW_SUM), Step(StepKind.LOG))
    expected = np.log(ROWS / ROWS.sum(axis=1)[:, None])
    np.testing.assert_allclose(prepared(Recipe(steps=steps, scaling=Scaling.NONE)), expected)
    turned = prepared(Recipe(steps=steps[::-1], scaling=Scaling.NONE), ROWS + 1)
    assert not np.allclose(turned, np.log((ROWS + 1) / (ROWS + 1).sum(axis=1)[:, None]))


def test_a_step_changes_the_columns_chosen_for_it_and_no_category():
    indicators = (ROWS[:, :1] > 1).astype(float)
    rows = np.hstack([ROWS, indicators])
    recipe = one_step(StepKind.LOG, columns=("x1", "x3"))
    names = (*(f"x{at}" for at in range(N_COLUMNS)), "kind = b")
    found = Preparation(recipe, names, tuple(range(N_COLUMNS))).fit(rows).apply(rows)
    expected = rows.copy()
    expected[:, [1, 3]] = np.log(rows[:, [1, 3]])
    np.testing.assert_array_equal(found, expected)
    everything = Preparation(one_step(StepKind.SNV), names, tuple(range(N_COLUMNS)))
    np.testing.assert_array_equal(everything.fit(rows).apply(rows)[:, -1], rows[:, -1])


@given(
    rows=hnp.arrays(float, (12, 4), elements=st.floats(0.1, 1e3) | st.just(np.nan)),
    fill=st.sampled_from(Fill),
    scaling=st.sampled_from(Scaling),
    indicator=st.booleans(),
)
def test_held_out_rows_change_nothing_that_was_learned(rows, fill, scaling, indicator):
    missing = MissingValues(fill=fill, indicator=indicator)
    recipe = Recipe(missing=missing, steps=(Step(StepKind.ASINH),), scaling=scaling)
    training, held_out = rows[:8], rows[8:]
    fitted = preparation(recipe, 4).fit(training)
    alone = np.vstack([fitted.apply(row[None]) for row in held_out])
    np.testing.assert_allclose(fitted.apply(held_out), alone, rtol=1e-12, atol=1e-12)
    again = preparation(recipe, 4).fit(training)
    np.testing.assert_array_equal(again.center, fitted.center)
    assert np.isfinite(fitted.apply(rows)).all()


def test_another_recipe_is_learned_from_other_rows():
    fitted = preparation(Recipe()).fit(GAPPY[:20])
    assert not np.allclose(fitted.center, preparation(Recipe()).fit(GAPPY).center)
    assert fitted.rules.fill == pytest.approx(np.nanmedian(GAPPY[:20], axis=0))


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        (StepKind.LOG, 0.0, 'The logarithm needs positive numbers: 1 value.* "x2" in row 105, 0'),
        (StepKind.LOG_PLUS_ONE, -1.0, "numbers above -1"),
        (StepKind.ROW_SUM, -1e6, "rows with a positive sum"),
    ],
)
def test_a_value_that_a_step_cannot_change_is_named(kind, value, words):
    rows = ROWS.copy()
    rows[5, 2] = value
    with pytest.raises(UserError, match=words):
        preparation(one_step(kind)).fit(rows, np.arange(100, 100 + N_ROWS))


def test_new_rows_that_a_step_cannot_change_are_not_a_number():
    fitted = preparation(one_step(StepKind.LOG)).fit(ROWS)
    assert np.isnan(fitted.apply(-ROWS[:1])).all()


def test_choices_that_cannot_be_are_refused():
    with pytest.raises(UserError, match="odd number of columns; it is 4"):
        Step(StepKind.DERIVATIVE, window=4)
    with pytest.raises(UserError, match="larger than the degree"):
        Step(StepKind.DERIVATIVE, window=3, degree=3)
    with pytest.raises(UserError, match="at least as many numeric columns as its window, 11"):
        preparation(one_step(StepKind.DERIVATIVE, window=11)).fit(ROWS)
    with pytest.raises(UserError, match='"age", which the table does not have'):
        preparation(one_step(StepKind.LOG, columns=("age",))).fit(ROWS)


def test_rules_survive_json():
    missing = MissingValues(fill=Fill.NEAREST, indicator=True)
    steps = (Step(StepKind.LOG), Step(StepKind.DERIVATIVE, window=5))
    fitted = preparation(Recipe(missing=missing, steps=steps)).fit(GAPPY)
    again = msgspec.json.decode(msgspec.json.encode(fitted.rules), type=RecipeRules)
    assert again == fitted.rules
    assert again.recipe == Recipe(missing=missing, steps=steps)


def test_values_that_do_not_count_are_dropped():
    assert Recipe(missing=MissingValues(n_neighbors=9, constant=3.0)) == Recipe()
    assert msgspec.json.encode(Recipe()) == b"{}"
