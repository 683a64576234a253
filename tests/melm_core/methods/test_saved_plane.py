"""A plane as a file that anybody can read."""

from __future__ import annotations

import json
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from melm_core.base import ColumnEncoding
from melm_core.density import DensityRule, SetLimits
from melm_core.methods.saved_plane import RowLimits, SavedPlane
from tests.melm_core.helpers import plane

NAMES = ("a", "b", "c", "d")
CENTER, SCALE = np.array([1.0, -2.0, 0.1, 3e5]), np.array([0.3, 1.0, 7.0, 1e4])


def saved() -> SavedPlane:
    return SavedPlane(plane(2, 4), center=CENTER, scale=SCALE, feature_names=NAMES)


def rows() -> pd.DataFrame:
    X = np.random.default_rng(0).normal(size=(9, 4)) * SCALE + CENTER
    return pd.DataFrame(X, columns=NAMES)


def test_a_plane_comes_back_from_its_file_digit_for_digit():
    again = SavedPlane.from_json(saved().to_json(method="melm"))
    for name in ("components_", "center_", "scale_", "feature_names_in_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(saved(), name))
    np.testing.assert_array_equal(again.transform(rows()), saved().transform(rows()))


def test_the_coordinates_are_those_of_the_prepared_rows():
    prepared = (rows().to_numpy() - CENTER) / SCALE
    np.testing.assert_allclose(saved().transform(rows()), prepared @ plane(2, 4).T, atol=1e-13)


def test_back_and_forth_is_the_projection_onto_the_plane():
    Z = saved().transform(rows())
    back = pd.DataFrame(saved().inverse_transform(Z), columns=NAMES)
    np.testing.assert_allclose(saved().transform(back), Z, atol=1e-10)


def test_it_says_what_else_is_known_and_nothing_runs_when_it_is_read():
    values = json.loads(saved().to_json(method="melm", parameters={"gamma": 1.0}))
    assert values["method"] == "melm"
    assert values["feature_names"] == list(NAMES)


def test_columns_of_other_names_are_refused():
    with pytest.raises(ValueError, match='The table lacks "a"'):
        saved().transform(rows().rename(columns={"a": "z"}))


def test_it_can_be_a_step_of_a_pipeline():
    pipeline = make_pipeline(FunctionTransformer(saved().transform), StandardScaler()).fit(rows())
    np.testing.assert_allclose(pipeline.transform(rows()).std(axis=0), 1.0)


def file(**changes) -> str:
    """The text of a file of one feature, with changes."""
    one = SavedPlane([[1.0]], center=[0.0], scale=[1.0], feature_names=["a"])
    return json.dumps(json.loads(one.to_json()) | changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "This is not JSON"),
        ("[]", "lacks version, components, center"),
        ("{}", "lacks version, components, center"),
        (file(feature_names=["a", "b"]), r"components has shape \(1, 1\); it must be"),
        (file(center=[0, 1]), r"center of shape \(2,\)"),
    ],
)
def test_what_is_no_such_file_is_refused_with_what_it_lacks(text, message):
    with pytest.raises(ValueError, match=message):
        SavedPlane.from_json(text)


ENCODINGS = (
    ColumnEncoding("a", fill=2.0),
    ColumnEncoding("kind", levels=("blue", "red")),
    ColumnEncoding("size", levels=("L", "S", None)),
)
MIXED = pd.DataFrame({"size": ["S", None], "kind": ["red", "blue"], "x": 0, "a": [5.0, np.nan]})


def mixed() -> SavedPlane:
    names = [name for encoding in ENCODINGS for name in encoding.feature_names]
    center, scale = np.arange(5.0), np.arange(1.0, 6.0)
    return SavedPlane(
        plane(2, 5), center=center, scale=scale, feature_names=names, encodings=ENCODINGS
    )


def test_columns_are_encoded_filled_and_found_by_name():
    encoded = np.array([[5.0, 1, 0, 1, 0], [2.0, 0, 0, 0, 1]])
    expected = (encoded - np.arange(5.0)) / np.arange(1.0, 6.0) @ plane(2, 5).T
    again = SavedPlane.from_json(mixed().to_json())
    np.testing.assert_allclose(again.transform(MIXED), expected, rtol=0, atol=1e-13)
    rows = MIXED[list(again.feature_names_in_)].to_numpy(dtype=object)
    np.testing.assert_array_equal(again.transform(rows), again.transform(MIXED))
    np.testing.assert_array_equal(again.transform(MIXED[::-1]), again.transform(MIXED)[::-1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": ["red", "pink"]}, 'that the plane was not fitted to: "pink"'),
        ({"kind": ["red", None]}, 'that the plane was not fitted to: "missing"'),
        ({"a": ["high", "wide"]}, 'No cell of "a" is a number; the first is "high"'),
    ],
)
def test_a_cell_that_cannot_be_encoded_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        mixed().transform(MIXED.assign(**change))


def test_missing_cells_without_a_value_to_replace_them_are_refused():
    with pytest.raises(ValueError, match='Column "b" has 8 missing or infinite'):
        saved().transform(rows().assign(b=lambda table: table["b"].where(table.index == 0)))


def test_a_column_without_a_number_is_refused_and_not_filled():
    filled = mixed()
    name = next(one.name for one in ENCODINGS if one.fill is not None and not one.levels)
    with pytest.raises(ValueError, match=f'"{name}" is empty, and a whole column is not'):
        filled.transform(MIXED.assign(**{name: np.nan}))
    assert filled.transform(MIXED.assign(**{name: np.nan}).iloc[:1]).shape == (1, 2)


def caffeine() -> SavedPlane:
    units = {"mg/g": {"mg/g": (1.0, 0.0), "g/g": (1000.0, 0.0)}}
    plane = SavedPlane(
        [[1.0, 1.0]],
        center=[13.0, 0.0],
        scale=[2.0, 1.0],
        feature_names=["caffeine (mg/g)", "pH"],
        units=units,
    )
    return SavedPlane.from_json(plane.to_json())


@pytest.mark.parametrize(
    "given",
    [
        {"caffeine (mg/g)": [12, 14]},
        {"Caffeine": [12.0, 14.0]},
        {"caffeine [g/g]": [0.012, 0.014]},
        {"caffeine (g/g)": ["0.012", "14 mg/g"]},
        {"caffeine (mg/g)": ["0.012 g/g", 14]},
    ],
)
def test_numbers_in_another_unit_are_converted(given):
    frame = pd.DataFrame({"PH": [5.0, 5.0], **given})
    is_converted = "g/g" in f"{given}".replace("mg/g", "")
    says_so = pytest.warns(UserWarning, match=r"caffeine \(mg/g\) was converted from g/g\.")
    with says_so if is_converted else nullcontext():
        found = caffeine().transform(frame)
    np.testing.assert_allclose(found.ravel(), [4.5, 5.5])


@pytest.mark.parametrize(
    ("name", "cell", "message"),
    [
        ("caffeine (s)", 12.0, r"is given in s, which does not convert to mg/g"),
        ("caffeine (mg/g)", "12 s", r"is given in s, which does not convert to mg/g"),
    ],
)
def test_numbers_in_what_does_not_convert_are_refused(name, cell, message):
    with pytest.raises(ValueError, match=message):
        caffeine().transform(pd.DataFrame({name: [cell], "pH": [5.0]}))


def test_an_array_of_another_width_is_refused():
    with pytest.raises(ValueError, match=r"X has shape \(2, 3\); it must be \(n_samples, 4\)"):
        saved().transform(np.zeros((2, 3)))


def predicting() -> tuple[SavedPlane, DensityRule]:
    """A plane of the iris with its class densities, and these."""
    iris = load_iris()
    rule = DensityRule.of(iris.data @ plane(2, 4).T, iris.target, gamma=0.7).calibrated(2.0)
    saved_plane = SavedPlane(
        plane(2, 4),
        center=np.zeros(4),
        scale=np.ones(4),
        feature_names=iris.feature_names,
        class_names=iris.target_names.tolist(),
        rule=rule,
        is_calibrated=True,
        limits=RowLimits(iris.data.mean(axis=0), np.eye(2), 9.0, np.inf),
        set_limits=SetLimits(0.9, np.array([2.0, 2.0, np.inf]), -4.0, 0.5, 0.3),
    )
    return saved_plane, rule


def test_probabilities_are_those_of_the_calibrated_rule_digit_for_digit():
    saved_plane, rule = predicting()
    again = SavedPlane.from_json(saved_plane.to_json())
    X = load_iris(as_frame=True).data.sample(frac=0.5, random_state=0)
    Z = X.to_numpy() @ plane(2, 4).T
    is_alike = ~again.are_unlike(X)
    assert 0.9 < is_alike.mean() <= 1.0
    np.testing.assert_allclose(
        again.predict_proba(X)[is_alike], rule.probabilities(Z)[is_alike], rtol=0, atol=1e-12
    )
    names = load_iris().target_names[rule.most_likely(Z)]
    assert list(again.predict(X)[is_alike]) == list(names[is_alike])


def test_a_row_unlike_all_others_has_no_class_and_no_probability():
    again = SavedPlane.from_json(predicting()[0].to_json())
    X = load_iris(as_frame=True).data.head(3)
    X.iloc[1] *= 20.0
    assert again.are_unlike(X).tolist() == [False, True, False]
    assert again.predict(X)[1] is None
    assert np.isnan(again.predict_proba(X)[1]).all()
    assert np.isfinite(again.predict_proba(X)[[0, 2]]).all()


def test_a_row_like_no_class_is_of_none_but_of_those_with_too_few_rows():
    again = SavedPlane.from_json(predicting()[0].to_json())
    X = load_iris(as_frame=True).data.head(3)
    X.iloc[1] *= 20.0
    of_setosa = [True, False, True]
    assert again.predict_set(X).tolist() == [of_setosa, [False, False, True], of_setosa]


def test_a_file_without_sets_is_read_and_says_so():
    values = json.loads(predicting()[0].to_json())
    del values["set_limits"]  # as in files of earlier versions
    again = SavedPlane.from_json(json.dumps(values))
    with pytest.raises(ValueError, match="saved without sets of classes"):
        again.predict_set(load_iris(as_frame=True).data)


def test_limits_of_sets_for_other_classes_are_refused():
    values = json.loads(predicting()[0].to_json())
    values["set_limits"]["largest"] = [2.0]
    with pytest.raises(ValueError, match="a number for each of the 3 classes"):
        SavedPlane.from_json(json.dumps(values))


def test_without_calibration_there_are_classes_but_no_probabilities():
    values = json.loads(predicting()[0].to_json()) | {"temperature": None}
    again = SavedPlane.from_json(json.dumps(values))
    X = load_iris(as_frame=True).data
    assert set(again.predict(X)) - {None} == set(load_iris().target_names)
    with pytest.raises(ValueError, match="saved without calibrated probabilities"):
        again.predict_proba(X)


def test_a_plane_without_class_densities_says_that_it_cannot_predict():
    again = SavedPlane.from_json(saved().to_json())
    with pytest.raises(ValueError, match="saved without class densities"):
        again.predict(rows())


def test_a_file_of_a_later_version_is_refused():
    values = json.loads(saved().to_json()) | {"version": 3}
    with pytest.raises(ValueError, match="has version 3, and this package reads version 2"):
        SavedPlane.from_json(json.dumps(values))


def test_densities_and_encodings_of_other_shapes_are_refused():
    values = json.loads(predicting()[0].to_json())
    with pytest.raises(ValueError, match="for each of the 2 classes"):
        SavedPlane.from_json(json.dumps(values | {"class_names": ["a", "b"]}))
    with pytest.raises(ValueError, match="encoded as 3 features, but the plane has 4"):
        SavedPlane.from_json(json.dumps(values | {"columns": values["columns"][1:]}))
