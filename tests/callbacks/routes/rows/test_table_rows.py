"""Rows of the table: what the page is told of one, of a selection, and of those worth a look."""

from __future__ import annotations

import io
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from melm_studio.rows.details import table_value
from melm_studio.tables import load_sample, prepare, read_table
from tests.callbacks.tables import csv

OUTLIER = 17
MISLABELED, OTHERS_MISLABELED = 40, (25, 55, 70, 85, 100, 120, 150, 170)
WITHOUT_CLASS = 7  # and the next one


def wine() -> pd.DataFrame:
    """Wine with one row far away and nine with the label of another class."""
    table = load_sample("wine").frame.copy()
    table.loc[OUTLIER - 1, "alcohol"] = 60.0
    labels = table["cultivar"].to_numpy(dtype=object)
    names = np.unique(labels)
    for row in (MISLABELED, *OTHERS_MISLABELED):
        labels[row - 1] = names[(np.flatnonzero(names == labels[row - 1])[0] + 1) % 3]
    names = [f"bottle {i + 1:03}" for i in range(len(table))]
    labels[[WITHOUT_CLASS - 1, WITHOUT_CLASS]] = None
    return table.assign(cultivar=labels, note="=1+1", bottle=names)


@pytest.fixture(scope="module")
def finished(studio):
    visitor = studio.visitor()
    visitor.choose_file(csv(wine()), "wine.csv", roles={"bottle": "name", "note": "info"})
    runs = {method: visitor.start(method=method) for method in ("lda", "pca", "kpca")}
    studio.work()
    return SimpleNamespace(studio=studio, visitor=visitor, runs=runs)


def ask(finished, path: str, method: str = "lda", rows=None):
    visitor, run = finished.visitor, finished.runs[method]
    last = visitor.news(run)["sequences"][-1]
    address = f"/runs/{run}/{path.format(plane=f'planes/{last}')}"
    if rows is None:
        return visitor.http.get(address)
    return visitor.http.post(address, json={"rows": rows})


@pytest.mark.parametrize("method", ["lda", "pca", "kpca"])
def test_a_row_has_its_class_and_its_prediction(finished, method) -> None:
    found = ask(finished, "{plane}/rows/3", method).get_json()
    assert found["summary"]["label"] == wine()["cultivar"][2]
    assert (found["summary"]["row"], found["summary"]["name"]) == (3, "bottle 003")
    assert found["info"] == [["note", "=1+1"]]
    is_known = method != "kpca"  # whose refits take longer than a visitor waits
    assert found["summary"]["probability"].endswith(" %") == is_known
    known = ("held out", "out of fold") if is_known else ("no probability",)
    assert found["summary"]["basis"] in known
    assert len(found["contributions"]) == (0 if method == "kpca" else 3)


def test_a_zero_of_the_table_is_a_zero() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.gamma(2, size=(60, 20)) * (rng.random((60, 20)) < 0.5))
    table.columns = pd.Index([f"pixel {i}" for i in range(20)])
    data = prepare(read_table(csv(table.assign(label=["a", "b"] * 30)), "pixels.csv"))
    for index, feature in np.argwhere(table.to_numpy() == 0):
        assert table_value(data, int(index), int(feature)) == "0"


def test_the_strongest_contribution_names_why_a_row_is_far_away(finished) -> None:
    found = ask(finished, f"{{plane}}/rows/{OUTLIER}", "pca").get_json()
    assert found["contributions"][0]["feature"] == "alcohol"
    assert found["contributions"][0]["value"] == "60"
    assert found["summary"]["unlike"]
    assert (found["summary"]["predicted"], found["summary"]["probability"]) == ("", "")


def test_an_unknown_row_is_not_found(finished) -> None:
    assert ask(finished, "{plane}/rows/1000").status_code == 404


def test_a_selection_says_who_it_is_and_what_distinguishes_it(finished) -> None:
    table = wine()
    rows = (np.argsort(-table["proline"].to_numpy())[:20] + 1).tolist()
    found = ask(finished, "{plane}/rows", rows=rows).get_json()
    assert found["n_rows"] == 20
    assert sum(n for _, n in found["classes"]) == 20
    assert [row["row"] for row in found["rows"]] == sorted(rows)
    difference = found["differences"][0]
    assert difference["feature"] == "proline"
    is_chosen = table.index.isin(np.array(rows) - 1)
    expected = f"{table['proline'][is_chosen].mean():,.4g}"
    assert difference["selected"] == expected
    assert difference["deviations"] > 1.5


def test_a_selection_as_csv_holds_every_column_and_no_formula(finished) -> None:
    text = ask(finished, "{plane}/rows.csv", rows=[5, 2]).text
    table = pd.read_csv(io.StringIO(text))
    assert table["row"].tolist() == [2, 5]
    assert table["proline"].tolist() == wine()["proline"][[1, 4]].tolist()
    assert table["note"].tolist() == ["'=1+1", "'=1+1"]
    assert table["name"].tolist() == ["bottle 002", "bottle 005"]
    assert {"predicted", "T2", "Q", "component_1", "held out"} <= set(table.columns)


def test_a_selection_as_csv_has_the_columns_of_its_rows_below_one_that_was_left_out(studio) -> None:
    lines = csv(load_sample("wine").frame).splitlines(keepends=True)
    visitor = studio.visitor()
    visitor.choose_file(b"".join([*lines[:3], b"cut off\n", *lines[3:]]), "wine.csv")
    run = visitor.start(method="lda")
    studio.work()
    address = f"/runs/{run}/planes/{visitor.news(run)['sequences'][-1]}/rows.csv"
    text = visitor.http.post(address, json={"rows": [2, 4, 179]}).text
    table = pd.read_csv(io.StringIO(text))
    assert table["row"].tolist() == [2, 4, 179]
    assert table["proline"].tolist() == load_sample("wine").frame["proline"][[1, 2, 177]].tolist()


@pytest.mark.parametrize("rows", ["all", [-1], [1.5], {"a": 1}])
def test_what_is_no_list_of_rows_is_refused_in_a_sentence(finished, rows) -> None:
    answer = ask(finished, "{plane}/rows", rows=rows)
    assert answer.status_code == 400
    assert answer.get_json()["words"].endswith(".")


def test_an_outlier_leads_the_list_of_outliers(finished) -> None:
    found = ask(finished, "{plane}/outliers", "pca").get_json()
    assert found["rows"][0] == OUTLIER
    assert "99 % limit of T²" in found["words"]


def test_suspects_are_judged_by_planes_fitted_without_the_row(finished) -> None:
    waiting = ask(finished, "suspect-labels", rows=[]).get_json()
    assert waiting["rows"] is None
    finished.studio.work()
    found = ask(finished, "suspect-labels", rows=[]).get_json()
    wrong = {MISLABELED, *OTHERS_MISLABELED}
    assert wrong <= set(found["rows"])
    n_right = len(set(found["rows"]) - wrong)
    assert n_right <= binom.ppf(0.95, len(found["rows"]), 0.25)  # a quarter may be, in the mean
    assert "judged by planes fitted without each row." in found["words"]
    details = ask(finished, f"{{plane}}/rows/{MISLABELED}").get_json()["summary"]
    assert details["basis"] in ("out of fold", "held out")
    assert details["predicted"] != details["label"]
    table = pd.read_csv(io.StringIO(ask(finished, "{plane}/rows.csv", rows=[MISLABELED]).text))
    assert table["predicted"].tolist() == [details["predicted"]]
    of_another_width = ask(finished, f"{{plane}}/rows/{MISLABELED}?gamma=3").get_json()["summary"]
    assert of_another_width["basis"] == details["basis"]


@pytest.mark.slow
def test_a_nonlinear_method_has_probabilities_once_suspect_labels_were_searched(studio) -> None:
    visitor = studio.visitor()
    visitor.choose_sample("iris")
    mine = SimpleNamespace(visitor=visitor, runs={"kpca": visitor.start(method="kpca")})
    studio.work()
    before = ask(mine, "{plane}/rows/3", "kpca").get_json()["summary"]
    assert (before["predicted"], before["probability"]) == ("setosa", "")
    ask(mine, "suspect-labels", "kpca", rows=[])
    studio.work()
    summary = ask(mine, "{plane}/rows/3", "kpca").get_json()["summary"]
    assert summary["probability"].endswith(" %")
    assert summary["basis"] in ("held out", "out of fold")


def test_the_work_on_suspect_labels_is_done_once(finished) -> None:
    before = len(finished.studio.store.runs_of(finished.visitor.owner))
    for _ in range(3):
        ask(finished, "suspect-labels", "pca", rows=[])
    assert len(finished.studio.store.runs_of(finished.visitor.owner)) == before + 1


def test_a_row_is_found_by_its_name_or_its_number(finished) -> None:
    assert ask(finished, "rows-named?text=BOTTLE 02").get_json()["rows"] == [*range(20, 30)]
    assert ask(finished, "rows-named?text=12").get_json()["rows"] == [12, 112, *range(120, 130)]
    assert ask(finished, "rows-named?text=nobody").get_json()["rows"] == []


def test_a_row_names_the_rows_nearest_by_its_features(finished) -> None:
    data = finished.studio.data_of(finished.visitor)
    distances = np.linalg.norm(data.X - data.X[2], axis=1)
    order = np.argsort(distances, kind="stable")[1:4]
    assert ask(finished, "{plane}/rows/3").get_json()["nearest"] == [
        f"bottle {data.row_numbers[at]:03} ({data.class_names[data.y[at]]})" for at in order
    ]


def test_rows_are_found_by_the_texts_of_other_columns(finished) -> None:
    found = ask(finished, "rows-named?text=%3D1").get_json()
    assert len(found["rows"]) == 176  # those with a class, which all have this note
    assert found["words"] == "176 rows found in note"
    assert ask(finished, "rows-named?text=").get_json()["rows"] == []


@pytest.mark.parametrize("method", ["lda", "kpca"])
def test_a_row_without_a_class_has_a_prediction(finished, method) -> None:
    found = ask(finished, f"{{plane}}/rows/{WITHOUT_CLASS}", method).get_json()
    summary = found["summary"]
    assert (summary["row"], summary["name"], summary["label"]) == (WITHOUT_CLASS, "bottle 007", "")
    assert summary["predicted"] == load_sample("wine").frame["cultivar"][WITHOUT_CLASS - 1]
    assert summary["basis"] == ("held out" if method == "lda" else "no probability")
    assert found["info"] == [["note", "=1+1"]]
    for one in found["contributions"]:
        value = wine()[one["feature"]][WITHOUT_CLASS - 1]
        assert float(one["value"].replace(",", "")) == pytest.approx(value, rel=1e-3)


def test_rows_with_and_without_a_class_are_selected_together(finished) -> None:
    chosen = [WITHOUT_CLASS - 1, WITHOUT_CLASS, WITHOUT_CLASS + 1, WITHOUT_CLASS + 2]
    found = ask(finished, "{plane}/rows", rows=chosen).get_json()
    assert [row["row"] for row in found["rows"]] == chosen
    assert dict(found["classes"])["without a label"] == 2
    assert found["n_rows"] == sum(count for _, count in found["classes"]) == 4
    others = wine().drop(index=[row - 1 for row in chosen])
    for one in found["differences"]:
        mean = others[one["feature"]].mean()
        assert float(one["others"].replace(",", "")) == pytest.approx(mean, rel=1e-3)
    table = pd.read_csv(io.BytesIO(ask(finished, "{plane}/rows.csv", rows=chosen).data))
    assert table["row"].tolist() == chosen
    np.testing.assert_allclose(table["alcohol"], wine()["alcohol"][np.array(chosen) - 1])
    assert table["held out"].isna().tolist() == [False, True, True, False]


@pytest.mark.slow
def test_the_card_of_a_row_shows_a_long_text_in_part(studio) -> None:
    visitor = studio.visitor()
    table = wine().assign(note=[f"{at} {'and so on ' * 400} end" for at in range(len(wine()))])
    visitor.choose_file(csv(table), "wine.csv")
    run = visitor.start(method="lda")
    studio.work()
    [(name, text)] = visitor.http.get(f"/runs/{run}/planes/0/rows/3").get_json()["info"]
    assert (name, len(text)) == ("note", 300)
    assert text.startswith("2 and so on")
    assert text.endswith("end")
