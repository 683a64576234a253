"""The downloads hold what is on screen, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv as csv_module
import io
import re
import runpy
import sys
from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest

from callbacks.routes.export import components_table
from melm_core.methods import METHODS, SavedPlane
from melm_studio.rows import placement
from melm_studio.rows.spreadsheet import csv_text
from melm_studio.tables import EXACT, load_sample
from tests.callbacks.tables import blobs, breast_cancer, csv
from tests.melm_core.helpers import of_each_contract

COORDINATES = ["component_1", "component_2"]
N_ROWS = 90


def mixed() -> pd.DataFrame:
    """Numbers with gaps, categories with gaps, a constant, a column to leave out; 3 classes."""
    rng = np.random.default_rng(0)
    codes = np.arange(N_ROWS) % 3
    table = pd.DataFrame(rng.normal(size=(N_ROWS, 5)) + 1.5 * codes[:, None]).add_prefix("x")
    table.loc[::7, "x0"] = np.nan
    return table.assign(
        side=rng.choice(["left", "right"], N_ROWS),
        color=rng.choice(["red", "blue", "green", None], N_ROWS),
        batch=7,
        ignored=rng.normal(size=N_ROWS),
        label=[f"class {code}" for code in codes],
    )


MIXED = mixed()


@pytest.fixture(scope="module")
def finished(studio):
    """A visitor's LDA and MELM runs on breast cancer, worked to their end."""
    visitor = studio.visitor()
    visitor.choose_file(csv(breast_cancer()), "breast cancer.csv")
    runs = {method: visitor.start(method=method, random_state=5) for method in ("lda", "melm")}
    studio.work()
    return SimpleNamespace(visitor=visitor, runs=runs, data=studio.data_of(visitor))


def download(visitor, run: str, what: str, **query) -> pd.DataFrame:
    answer = visitor.http.get(f"/runs/{run}/{what}.csv", query_string=query)
    assert answer.status_code == 200
    assert answer.mimetype == "text/csv"
    return pd.read_csv(io.StringIO(answer.text), **EXACT)


@pytest.mark.parametrize("method", ["lda", "melm"])
@pytest.mark.parametrize("query", [{}, {"plane": 0}], ids=["newest", "first"])
def test_the_components_turn_the_file_into_the_points(finished, method, query):
    visitor, run = finished.visitor, finished.runs[method]
    points = download(visitor, run, "points", **query)
    parts = download(visitor, run, "components", **query)
    rows = pd.read_csv(io.BytesIO(csv(breast_cancer()))).iloc[points["row"] - 1]
    values = rows[parts["feature"]].to_numpy()
    standardized = (values - parts["center"].to_numpy()) / parts["scale"].to_numpy()
    coordinates = standardized @ parts[COORDINATES].to_numpy()
    np.testing.assert_allclose(coordinates, points[COORDINATES], rtol=0, atol=1e-8)
    assert list(points["label"]) == list(rows["diagnosis"])
    assert len(points) == 569


def test_the_components_are_those_of_the_plane_asked_for(studio, finished):
    run = finished.runs["melm"]
    first, newest = studio.store.event(run, 0), studio.store.last_event(run)
    for query, event in (({"plane": 0}, first), ({}, newest)):
        parts = download(finished.visitor, run, "components", **query)
        np.testing.assert_array_equal(parts[COORDINATES].to_numpy().T, event.components)
    assert not np.allclose(first.components, newest.components)


def test_the_seen_column_is_the_split_of_the_run(finished):
    points = download(finished.visitor, finished.runs["melm"], "points")
    train, held_out = finished.data.split(0.25, 5)
    assert set(points["row"][points["training"]]) == set(train.row_numbers)
    assert set(points["row"][~points["training"]]) == set(held_out.row_numbers)


def test_the_file_is_named_after_the_data_and_the_method(finished):
    answer = finished.visitor.http.get(f"/runs/{finished.runs['lda']}/points.csv")
    expected = "attachment; filename=breast-cancer-lda-points.csv"
    assert answer.headers["Content-Disposition"] == expected


@pytest.mark.parametrize("name", ['a"; x=.csv', "größe ☃.csv", "a\r\nX-Evil: 1.csv", "../up.csv"])
def test_no_file_name_breaks_the_header(studio, visitor, name):
    visitor.choose({"kind": "upload", **visitor.upload(csv(blobs())), "name": name})
    run = visitor.start(method="pca")
    studio.work()
    answer = visitor.http.get(f"/runs/{run}/points.csv")
    assert answer.status_code == 200
    assert "X-Evil" not in answer.headers
    assert answer.headers["Content-Disposition"].startswith("attachment; filename")
    assert "/" not in answer.headers["Content-Disposition"]


@pytest.mark.parametrize("name", ["город", "größe", "数据 1", "Δοκιμή"])
def test_a_name_in_any_script_is_sent_in_a_header_that_servers_take(studio, visitor, name):
    visitor.choose({"kind": "upload", **visitor.upload(csv(blobs())), "name": f"{name}.csv"})
    run = visitor.start(method="pca")
    studio.work()
    for file in ("points.csv", "model.json", "script.py"):
        sent = visitor.http.get(f"/runs/{run}/{file}").headers["Content-Disposition"]
        assert sent.isascii()  # which any server encodes
        (encoded,) = re.findall(r"filename\*=UTF-8''([^;]+)", sent)
        assert unquote(encoded) == f"{name.replace(' ', '-')}-pca-{file}"


@pytest.mark.parametrize("plane", ["9999", "-1"])
def test_a_plane_that_does_not_exist_is_not_found(finished, plane):
    route = f"/runs/{finished.runs['lda']}/points.csv"
    assert finished.visitor.http.get(route, query_string={"plane": plane}).status_code == 404


def test_a_plane_that_is_no_number_gives_the_newest(finished):
    run = finished.runs["melm"]
    newest = download(finished.visitor, run, "components")
    pd.testing.assert_frame_equal(
        download(finished.visitor, run, "components", plane="last"), newest
    )


@pytest.mark.parametrize("mark", ["=", "+", "-", "@"])
def test_no_label_or_header_begins_a_formula(studio, visitor, mark):
    formula = f"{mark}SUM(A1)"
    visitor.choose_file(csv(blobs(labels=(formula, "b"), x=formula)))
    run = visitor.start(method="pca")
    studio.work()
    points = download(visitor, run, "points")
    assert set(points["label"]) == {f"'{formula}", "b"}
    assert list(download(visitor, run, "components")["feature"]) == [f"'{formula}", "y"]


@pytest.mark.parametrize("mark", [*"=+-@\t\r\n", " =", "\uff1d", "\uff20"])
def test_no_feature_begins_a_formula_however_it_is_written(studio, finished, mark):
    event = studio.store.last_event(finished.runs["lda"])
    names = (f"{mark}1", *finished.data.feature_names[1:])
    parts = components_table(replace(finished.data, feature_names=names), event)
    table = pd.read_csv(io.StringIO(csv_text(parts)), keep_default_na=False)
    assert table["feature"].tolist() == [f"'{mark}1".replace("\r", "\n"), *names[1:]]


@pytest.mark.parametrize("separator", [*";,|\t"])
@pytest.mark.parametrize("name", ["x;=1+1", "x\t@a", "x| +1", "x,-1", "\n@1", '"x;=1+1"'])
def test_no_cell_begins_a_formula_whatever_separator_a_spreadsheet_takes(
    studio, finished, name, separator
):
    event = studio.store.last_event(finished.runs["lda"])
    names = (name, *finished.data.feature_names[1:])
    text = csv_text(components_table(replace(finished.data, feature_names=names), event))
    for row in csv_module.reader(io.StringIO(text), delimiter=separator):
        texts = [cell.strip() for cell in row if not re.fullmatch(r"[\d.,e+-]+", cell)]
        assert not [cell for cell in texts if cell.startswith(("=", "+", "@", "-"))]


LINEAR = of_each_contract(key for key, method in METHODS.items() if method.is_linear)


@pytest.mark.parametrize("method", LINEAR)
@pytest.mark.parametrize("kind", [pytest.param("sample", marks=pytest.mark.slow), "upload"])
def test_program_and_model_give_the_points_for_every_linear_method(
    studio, monkeypatch, capsys, tmp_path, *, kind, method
):
    visitor = studio.visitor()
    frame = load_sample("wine").frame if kind == "sample" else MIXED
    if kind == "sample":
        visitor.choose_sample("wine")
    else:
        visitor.choose_file(csv(frame), "mixed.csv", roles={"ignored": "ignored"})
    run = visitor.start(method=method, n_starts=1)
    studio.work()
    points = download(visitor, run, "points")[COORDINATES]
    script, table = tmp_path / "script.py", tmp_path / "table.csv"
    script.write_text(visitor.http.get(f"/runs/{run}/script.py").text, encoding="utf-8")
    table.write_bytes(csv(frame))
    monkeypatch.setattr(sys, "argv", [str(script), str(table)])
    capsys.readouterr()
    runpy.run_path(str(script), run_name="__main__")
    computed = pd.read_csv(io.StringIO(capsys.readouterr().out))
    np.testing.assert_allclose(computed[COORDINATES], points, rtol=0, atol=1e-9)
    model = SavedPlane.from_json(visitor.http.get(f"/runs/{run}/model.json").text)
    np.testing.assert_allclose(model.transform(frame), points, rtol=0, atol=1e-9)
    names = model.classes_
    sets = [
        " or ".join(names[own]) if own.any() else "no class" for own in model.predict_set(frame)
    ]
    assert computed["classes at 90 %"].tolist() == sets
    is_alike = ~model.are_unlike(frame)
    probabilities = model.predict_proba(frame)
    np.testing.assert_array_equal(np.isfinite(probabilities).all(axis=1), is_alike)
    np.testing.assert_allclose(probabilities[is_alike].sum(axis=1), 1.0, rtol=0, atol=1e-12)
    right = (model.predict(frame) == frame.iloc[:, -1])[is_alike]
    # In VCA's plane of wine, predictions are little better than naming the largest class.
    least = 1.0 if (kind, method) == ("sample", "vca") else 1.2
    assert right.mean() > least * frame.iloc[:, -1].value_counts(normalize=True).max()


@pytest.mark.slow
def test_the_model_of_an_edited_plane_has_classes_but_no_probabilities(finished):
    visitor, run = finished.visitor, finished.runs["melm"]
    address = f"/runs/{run}/model.json"
    text = visitor.http.get(address, query_string={"n_top_features": 3}).text
    model = SavedPlane.from_json(text)
    rows = pd.read_csv(io.BytesIO(csv(breast_cancer())))
    assert not model.is_calibrated_
    assert set(model.predict(rows)) - {None} <= set(model.classes_)
    with pytest.raises(ValueError, match="saved without calibrated probabilities"):
        model.predict_proba(rows)


def test_the_model_gives_the_points_of_the_file(finished):
    visitor, run = finished.visitor, finished.runs["melm"]
    model = SavedPlane.from_json(visitor.http.get(f"/runs/{run}/model.json").text)
    file = pd.read_csv(io.BytesIO(csv(breast_cancer())))
    points = download(visitor, run, "points")
    rows = file.iloc[points["row"] - 1][list(model.feature_names_in_)]
    np.testing.assert_allclose(model.transform(rows), points[COORDINATES], rtol=0, atol=1e-8)


def test_the_model_says_what_it_was_found_with(finished):
    visitor, run = finished.visitor, finished.runs["melm"]
    values = visitor.http.get(f"/runs/{run}/model.json").json
    assert values["method"] == "melm"
    assert values["parameters"]["random_state"] == 5
    assert values["data"]["sha256"] == finished.data.content_hash


def test_the_model_of_a_large_table_has_kernels_at_a_sample(monkeypatch, finished):
    monkeypatch.setattr(placement, "MAX_KERNELS", 50)
    values = finished.visitor.http.get(f"/runs/{finished.runs['melm']}/model.json").json
    assert sum(map(len, values["class_densities"]["rows"])) == pytest.approx(50, abs=1)


def test_the_model_predicts_with_the_kernel_width_on_screen(finished):
    address = f"/runs/{finished.runs['melm']}/model.json"
    run, shown = (
        np.array(
            finished.visitor.http.get(address, query_string=query).json["class_densities"][
                "covariances"
            ]
        )
        for query in ({}, {"gamma": 2.0})
    )
    np.testing.assert_allclose(shown, 4.0 * run)


@pytest.mark.attack
@pytest.mark.parametrize(
    "name",
    [
        'a"\r\nSet-Cookie: x=1\r\n.csv',
        "../../etc/passwd",
        "\u202efdp.csv",
        "\x00.csv",
        "名" * 1_996 + ".csv",
    ],
)
def test_the_name_of_a_file_cannot_add_a_header(visitor, studio, name):
    visitor.choose({"kind": "upload", **visitor.upload(csv(blobs())), "name": name})
    run = visitor.start(method="pca")
    studio.work()
    answer = visitor.http.get(f"/runs/{run}/points.csv")
    assert answer.status_code == 200
    (sent,) = answer.headers.getlist("Content-Disposition")
    assert not set(sent) & set("\r\n\x00/\u202e")
    assert len(sent) < 1_000  # nginx answers 502 where all headers have more than 4,096 bytes
    assert "x=1" not in str(answer.headers.getlist("Set-Cookie"))


def test_the_name_of_a_file_is_bounded(visitor):
    changes = visitor.choose(
        {"kind": "upload", **visitor.upload(csv(blobs())), "name": "a" * 10**5}
    )
    assert changes["data-error.children"]
