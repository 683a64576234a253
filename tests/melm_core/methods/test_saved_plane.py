"""A plane as a file that anybody can read."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from melm_core.methods.saved_plane import SavedPlane
from tests.melm_core.helpers import plane

NAMES = ("a", "b", "c", "d")
CENTER, SCALE = np.array([1.0, -2.0, 0.1, 3e5]), np.array([0.3, 1.0, 7.0, 1e4])


def saved() -> SavedPlane:
    return SavedPlane.of(plane(2, 4), center=CENTER, scale=SCALE, feature_names=NAMES)


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
    pipeline = make_pipeline(saved(), StandardScaler()).fit(rows())
    np.testing.assert_allclose(pipeline.transform(rows()).std(axis=0), 1.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "This is not JSON"),
        ("[]", "lacks components, center, scale, feature_names"),
        ('{"components": [[1, 0]], "center": [0, 0], "scale": [1, 1]}', "lacks feature_names"),
        (
            '{"components": [[1]], "center": [0], "scale": [1], "feature_names": ["a", "b"]}',
            r"components has shape \(1, 1\); it must be \(n_components, 2\)",
        ),
        (
            '{"components": [[1]], "center": [0, 1], "scale": [1], "feature_names": ["a"]}',
            r"center of shape \(2,\)",
        ),
    ],
)
def test_what_is_no_such_file_is_refused_with_what_it_lacks(text, message):
    with pytest.raises(ValueError, match=message):
        SavedPlane.from_json(text)
