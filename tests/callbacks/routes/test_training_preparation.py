"""What prepares the features of a run is fitted to its training rows, wherever they stand."""

from __future__ import annotations

import io
import runpy
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from melm_core.linalg.planes import principal_angles
from melm_core.methods import SavedPlane
from tests.callbacks.tables import csv

NUMERIC = ["width", "height", "depth"]
COORDINATES = ["component_1", "component_2"]
N_ROWS = 120
EXACT = {"rtol": 0, "atol": 1e-12}


def boxes() -> pd.DataFrame:
    """Three classes with gaps and a category; the last row is of no class."""
    rng = np.random.default_rng(0)
    codes = np.arange(N_ROWS) % 3
    # Wide tails: medians, means and deviations depend on the rows that they are of.
    table = pd.DataFrame(rng.lognormal(codes[:, None], size=(N_ROWS, 3)), columns=NUMERIC).round(4)
    table.loc[::6, "depth"] = np.nan
    color = rng.choice(["blue", "green", "red"], N_ROWS)
    table = table.assign(color=color, label=[f"class {code}" for code in codes])
    table.loc[N_ROWS - 1, "label"] = None
    return table


# The recipe of the page, and the same steps of scikit-learn.
RECIPES = {
    "standardized": ({}, [SimpleImputer(strategy="median")]),
    "steps": (
        {"missing": {"fill": "constant", "constant": 1.5}, "steps": [{"kind": "asinh"}]},
        [SimpleImputer(strategy="constant", fill_value=1.5), FunctionTransformer(np.arcsinh)],
    ),
    "nearest rows": (
        {"missing": {"fill": "nearest", "n_neighbors": 1}},
        [StandardScaler(), KNNImputer(n_neighbors=1)],
    ),
}


@pytest.fixture(scope="module", params=RECIPES)
def fitted(request, studio):
    """A run, its rows, and the pipeline that is fitted to the training rows."""
    recipe, steps = RECIPES[request.param]
    visitor, table = studio.visitor(), boxes()
    visitor.choose_file(csv(table), "boxes.csv", label="label", recipe=recipe)
    run = visitor.start(method="pca", held_out=40, random_state=3)
    studio.work()
    base = f"/runs/{run}"
    points = pd.read_csv(io.StringIO(visitor.http.get(f"{base}/points.csv").text))
    rows = table.iloc[points["row"] - 1].reset_index(drop=True)
    train = rows[points["training"]]
    encoder = OneHotEncoder(categories=[["blue", "green", "red"]], sparse_output=False)
    parts = pd.read_csv(io.StringIO(visitor.http.get(f"{base}/components.csv").text))
    columns = make_column_transformer((make_pipeline(*steps), NUMERIC), (encoder, ["color"]))
    return SimpleNamespace(
        visitor=visitor,
        base=base,
        run=run,
        components=parts[COORDINATES].to_numpy(),
        rows=rows,
        points=points,
        train=train,
        pipeline=make_pipeline(columns, StandardScaler()).fit(train),
        model=SavedPlane.from_json(visitor.http.get(f"{base}/model.json").text),
    )


def place(fitted, rows: pd.DataFrame) -> np.ndarray:
    return fitted.pipeline.transform(rows) @ fitted.components


def test_points_are_those_of_a_pipeline_fitted_to_the_training_rows(fitted):
    assert 0.3 < 1 - fitted.points["training"].mean() < 0.45
    expected = place(fitted, fitted.rows)
    np.testing.assert_allclose(fitted.points[COORDINATES], expected, **EXACT)


def test_the_plane_is_that_of_a_pipeline_fitted_to_the_training_rows(fitted):
    found = PCA(2).fit(fitted.pipeline.transform(fitted.train)).components_
    assert principal_angles(fitted.components.T, found).max() < 1e-9


def test_the_saved_plane_and_the_program_place_rows_as_the_studio_does(
    fitted, tmp_path, monkeypatch, capsys
):
    np.testing.assert_allclose(
        fitted.model.transform(fitted.rows), fitted.points[COORDINATES], **EXACT
    )
    program, table = tmp_path / "plane.py", tmp_path / "rows.csv"
    program.write_text(fitted.visitor.http.get(f"{fitted.base}/script.py").text)
    fitted.rows.to_csv(table, index=False)
    monkeypatch.setattr(sys, "argv", ["plane.py", str(table)])
    runpy.run_path(str(program), run_name="__main__")
    printed = pd.read_csv(io.StringIO(capsys.readouterr().out))
    np.testing.assert_allclose(printed[COORDINATES], fitted.points[COORDINATES], **EXACT)


def test_new_rows_and_rows_without_a_class_are_prepared_as_the_training_rows_are(fitted):
    visitor, table = fitted.visitor, boxes()
    file = visitor.upload(csv(table), "again.csv")
    last = visitor.news(fitted.run)["sequences"][-1]
    answer = visitor.http.get(
        f"{fitted.base}/planes/{last}/new-rows.csv",
        query_string={"file": file["key"], "name": file["name"]},
    )
    new = pd.read_csv(io.StringIO(answer.text))
    np.testing.assert_allclose(new[COORDINATES], place(fitted, table), **EXACT)
    rows = visitor.http.post(f"{fitted.base}/planes/{last}/rows.csv", json={"rows": [1, N_ROWS]})
    listed = pd.read_csv(io.StringIO(rows.text))
    np.testing.assert_allclose(
        listed[COORDINATES], place(fitted, table.iloc[[0, N_ROWS - 1]]), **EXACT
    )
