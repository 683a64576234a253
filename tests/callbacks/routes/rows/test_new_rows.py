"""New rows: placed as the rows of the table, whatever the order of rows and columns."""

from __future__ import annotations

import io
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from callbacks.routes import rows
from lab.driver.traces import points as trace_points
from melm_core.methods import SavedPlane
from melm_studio.rows import held_out_probabilities
from tests.callbacks.tables import blobs, csv

N_ROWS = 90


def samples(n_rows: int = N_ROWS, seed: int = 0) -> pd.DataFrame:
    """Three classes with numbers, gaps and a category."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n_rows) % 3
    table = pd.DataFrame(rng.normal(size=(n_rows, 4)) + 3 * np.eye(3, 4)[codes])
    table.columns = pd.Index(["width", "height", "depth", "weight"])
    table.loc[5::9, "depth"] = np.nan
    return table.assign(
        color=rng.choice(["red", "blue", "green"], n_rows),
        label=[f"class {code}" for code in codes],
    )


@pytest.fixture(scope="module")
def finished(studio):
    visitor = studio.visitor()
    visitor.choose_file(csv(samples()), "boxes.csv")
    runs = {method: visitor.start(method=method) for method in ("lda", "pca", "kpca", "tsne")}
    studio.work()
    return SimpleNamespace(visitor=visitor, runs=runs)


def placed(finished, table: pd.DataFrame, method: str = "lda", suffix: str = "", **query):
    """The answer about new rows, and about its plane."""
    visitor, run = finished.visitor, finished.runs[method]
    file = visitor.upload(csv(table), "second.csv")
    last = visitor.news(run)["sequences"][-1]
    query = {"file": file["key"], "name": file["name"], **query}
    return visitor.http.get(f"/runs/{run}/planes/{last}/new-rows{suffix}", query_string=query)


def points(answer) -> np.ndarray:
    found = answer.get_json()["points"]
    return np.column_stack([found["x"], found["y"]])


def drawn(finished, method: str) -> dict[int, tuple[float, float]]:
    """Where the run's own rows are drawn, by row."""
    visitor, run = finished.visitor, finished.runs[method]
    rows = visitor.http.get(f"/runs/{run}/figure").get_json()["rows"]
    traces = visitor.news(run)["plane"]["traces"]
    found = {}
    for numbers, trace in zip(rows, traces, strict=True):
        if not numbers:
            continue
        found |= dict(zip(numbers, map(tuple, trace_points(trace)), strict=True))
    return found


@pytest.mark.parametrize("method", ["lda", "pca", "kpca", "tsne"])
def test_the_rows_of_the_table_itself_fall_on_their_points(finished, method) -> None:
    shuffled = samples().sample(frac=1, random_state=1)
    answer = placed(finished, shuffled[shuffled.columns[::-1]], method)
    expected = drawn(finished, method)
    assert points(answer) == pytest.approx(
        np.array([expected[row + 1] for row in shuffled.index]), abs=2e-4
    )


def test_probabilities_and_coordinates_are_those_of_the_saved_model(finished) -> None:
    new = samples(30, seed=1).drop(columns="label")
    visitor, run = finished.visitor, finished.runs["lda"]
    plane = SavedPlane.from_json(visitor.http.get(f"/runs/{run}/model.json").text)
    table = pd.read_csv(io.StringIO(placed(finished, new, suffix=".csv").text))
    assert table[["component_1", "component_2"]].to_numpy() == pytest.approx(
        plane.transform(new), abs=1e-9
    )
    columns = [f"probability of class {code}" for code in range(3)]
    alike = table["unlike the others"].isna().to_numpy()
    assert alike.sum() > 20
    found = plane.predict_proba(new)
    assert (~plane.are_unlike(new)).tolist() == alike.tolist()
    assert np.isnan(found[~alike]).all()
    assert table[columns].to_numpy()[alike] == pytest.approx(found[alike].round(2), abs=1e-9)
    assert table["predicted"].to_numpy()[alike].tolist() == plane.predict(new)[alike].tolist()
    assert "label" not in table


def test_labels_give_an_accuracy_beside_chance_and_a_confusion(finished) -> None:
    report = placed(finished, samples(60, seed=2)).get_json()["report"]
    assert "60 labeled new rows told apart (guessing: 33 %)" in report["headline"]
    assert np.sum(report["confusion"]) == 60
    assert np.trace(report["confusion"]) > 45


def test_without_labels_the_predicted_classes_are_counted(finished) -> None:
    report = placed(finished, samples(6).drop(columns="label")).get_json()["report"]
    assert report["headline"].startswith("6 new rows: ")
    assert report["confusion"] == []


def test_a_sample_of_the_new_rows_is_noted(finished, monkeypatch) -> None:
    monkeypatch.setattr(rows, "MAX_DRAWN_ROWS", 30)
    found = placed(finished, samples()).get_json()
    assert len(found["points"]["x"]) == 30
    assert any("shows 30 of the 90 new rows" in note for note in found["report"]["notes"])
    monkeypatch.undo()
    notes = placed(finished, samples()).get_json()["report"]["notes"]
    assert not any("picture shows" in note for note in notes)


def test_a_row_far_from_all_others_is_flagged(finished) -> None:
    new = samples(20, seed=3)
    new.loc[7, "weight"] = 60.0
    answer = placed(finished, new).get_json()
    assert answer["points"]["unlike"][7] is True
    assert answer["points"]["words"][7] == "unlike the training rows"
    row = answer["report"]["rows"][7]
    assert (row["predicted"], row["probability"]) == ("", "")
    unnamed = placed(finished, new.drop(columns="label")).get_json()["report"]["headline"]
    assert "unlike the training rows" in unnamed
    table = pd.read_csv(io.StringIO(placed(finished, new, suffix=".csv").text))
    columns = ["predicted", *(f"probability of class {code}" for code in range(3))]
    assert table.loc[7, columns].isna().all()
    assert sum(answer["points"]["unlike"]) <= 3
    assert any("unlike anything in the run's table" in note for note in answer["report"]["notes"])


PROBABILITIES = [f"probability of class {code}" for code in range(3)]


@pytest.mark.parametrize("query", [{}, {"gamma": 3}])
def test_probabilities_of_new_rows_are_calibrated_at_every_kernel_width(finished, query) -> None:
    new = samples(40, seed=5)
    report = placed(finished, new, **query).get_json()["report"]
    assert not any("probabilities" in note for note in report["notes"])
    assert {row["basis"] for row in report["rows"]} == {"held out"}
    table = pd.read_csv(io.StringIO(placed(finished, new, suffix=".csv", **query).text))
    shares = table[PROBABILITIES].dropna().to_numpy()
    assert len(shares) > 30
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(shares)), abs=0.015)  # as rounded
    assert shares.round(2) == pytest.approx(shares, abs=1e-12)


def test_an_edited_plane_names_classes_without_probabilities(finished) -> None:
    new = samples(40, seed=5)
    report = placed(finished, new, n_top_features=3).get_json()["report"]
    assert any(note.startswith("No probabilities") for note in report["notes"])
    assert {row["probability"] for row in report["rows"]} == {""}
    assert {row["basis"] for row in report["rows"]} == {"no probability"}
    table = pd.read_csv(io.StringIO(placed(finished, new, suffix=".csv", n_top_features=3).text))
    assert table["predicted"].notna().sum() > 30
    assert not set(PROBABILITIES) & set(table.columns)


@pytest.mark.slow
def test_a_large_table_is_calibrated_by_a_sample_that_is_named(studio, monkeypatch) -> None:
    monkeypatch.setattr(held_out_probabilities, "MOST_REFITTED_ROWS", 60)
    visitor = studio.visitor()
    visitor.choose_file(csv(samples(240, seed=7)), "large.csv")
    mine = SimpleNamespace(visitor=visitor, runs={"lda": visitor.start(method="lda", held_out=0)})
    studio.work()
    report = placed(mine, samples(20, seed=5)).get_json()["report"]
    assert "Their probabilities are calibrated by 60 rows of the run." in report["notes"]
    assert {row["basis"] for row in report["rows"]} == {"held out, calibrated by 60 rows"}


@pytest.mark.parametrize("method", ["kpca", "tsne"])
def test_no_row_is_unlike_the_others_of_a_nonlinear_projection(finished, method) -> None:
    new = samples(20, seed=3)
    new.loc[7, "weight"] = 60.0
    answer = placed(finished, new, method).get_json()
    assert not any(answer["points"]["unlike"])
    assert not any("T²" in note for note in answer["report"]["notes"])


def test_other_units_are_noticed(finished) -> None:
    new = samples(20, seed=3)
    new["height"] -= 5_000
    notes = placed(finished, new).get_json()["report"]["notes"]
    assert any("median of height" in note and "Check its unit" in note for note in notes)


@pytest.mark.slow
def test_a_column_off_by_a_power_of_ten_is_asked_about_and_multiplied(studio, visitor) -> None:
    table = samples().assign(height=lambda known: 700 + 100 * known["height"])
    visitor.choose_file(csv(table), "mg.csv")
    mine = SimpleNamespace(visitor=visitor, runs={"lda": visitor.start(method="lda")})
    studio.work()
    other = table.assign(height=table["height"] / 1_000)
    (asked,) = placed(mine, other).get_json()["report"]["scales"]
    assert (asked["column"], asked["factor"]) == ("height", 1_000)
    assert asked["label"] == "Multiply by 1,000"
    answer = placed(mine, other, scaled='{"height": 1000}')
    np.testing.assert_allclose(points(answer), points(placed(mine, table)), atol=1e-6)
    report = answer.get_json()["report"]
    assert report["scales"] == []
    assert "height was multiplied by 1,000, as you chose." in report["notes"]
    refused = placed(mine, other, scaled='{"color": 10}')
    assert "not a column of numbers" in refused.get_json()["words"]
    assert placed(mine, other, scaled="[").status_code == 400


def test_the_table_itself_is_in_its_own_units(finished) -> None:
    assert placed(finished, samples()).get_json()["report"]["scales"] == []


def test_where_most_new_rows_are_unlike_no_classes_are_said(finished) -> None:
    new = samples(20, seed=3)
    new.loc[:12, "weight"] = 60.0
    answer = placed(finished, new).get_json()
    assert answer["report"]["headline"].startswith("13 of 20 new rows are unlike")
    assert {row["predicted"] for row in answer["report"]["rows"]} == {""}
    assert answer["report"]["confusion"] == []
    assert not any("class " in words for words in answer["points"]["words"])
    table = pd.read_csv(io.StringIO(placed(finished, new, suffix=".csv").text))
    columns = ["predicted", *(f"probability of class {code}" for code in range(3))]
    assert table[columns].isna().all(axis=None)


def test_missing_columns_are_named(finished) -> None:
    answer = placed(finished, samples(5).drop(columns=["width", "color"]))
    assert answer.status_code == 400
    assert 'The table lacks "width", "color".' in answer.get_json()["words"]


def test_a_column_without_a_number_is_not_filled(finished) -> None:
    answer = placed(finished, samples(5).assign(width=np.nan))
    assert answer.status_code == 400
    assert '"width" is empty, and a whole column is not filled' in answer.get_json()["words"]


def test_rows_of_unseen_categories_are_left_out_and_counted(finished) -> None:
    new = samples(9)
    new.loc[[2, 4], "color"] = "purple"
    answer = placed(finished, new).get_json()
    assert answer["points"]["rows"] == [1, 2, 4, 6, 7, 8, 9]
    said = (
        '2 rows left out. Column "color" has categories that the plane was not fitted to: "purple"'
    )
    assert any(said in note for note in answer["report"]["notes"])


def test_columns_spelled_otherwise_are_matched_and_said(finished) -> None:
    new = samples(9).rename(columns={"width": "Width "})
    notes = placed(finished, new).get_json()["report"]["notes"]
    assert "Columns spelled otherwise: Width as width." in notes


def test_formulas_in_names_of_classes_and_rows_are_not_evaluated(finished) -> None:
    text = placed(finished, samples(9).assign(label="=1+1"), suffix=".csv").text
    assert "\n=" not in text
    assert ",=" not in text


def test_the_file_of_another_visitor_is_not_found(studio, finished) -> None:
    file = studio.visitor().upload(csv(samples(9)), "second.csv")
    run = finished.runs["lda"]
    last = finished.visitor.news(run)["sequences"][-1]
    answer = finished.visitor.http.get(
        f"/runs/{run}/planes/{last}/new-rows",
        query_string={"file": file["key"], "name": "second.csv"},
    )
    assert answer.status_code in (200, 400)  # equal files have equal keys
    other = studio.visitor().upload(csv(samples(8, seed=9)), "other.csv")
    answer = finished.visitor.http.get(
        f"/runs/{run}/planes/{last}/new-rows",
        query_string={"file": other["key"], "name": "other.csv"},
    )
    assert answer.status_code == 400
    assert "no longer stored" in answer.get_json()["words"]


def with_units(unit: str, factor: float = 1.0) -> pd.DataFrame:
    """The table of `samples` whose widths are given in a unit."""
    table = samples()
    return table.assign(width=[f"{factor * value:.9g} {unit}" for value in table["width"]])


@pytest.mark.slow
def test_a_second_file_in_another_unit_is_converted_and_says_so(studio, visitor):
    visitor.choose_file(csv(with_units("mg/kg")), "first.csv")
    run = visitor.start(method="lda")
    studio.work()
    finished = SimpleNamespace(visitor=visitor, runs={"lda": run})
    same = points(placed(finished, with_units("mg/kg")))
    other = placed(finished, with_units("g/kg", 1e-3))
    np.testing.assert_allclose(points(other), same, atol=1e-6)
    assert any("converted from g/kg" in note for note in other.get_json()["report"]["notes"])
    np.testing.assert_allclose(points(placed(finished, samples())), same, atol=1e-6)


@pytest.mark.slow
def test_a_second_file_with_another_unit_in_its_header_is_converted(studio, visitor):
    table = samples().rename(columns={"width": "width (mm)"})
    visitor.choose_file(csv(table), "first.csv")
    run = visitor.start(method="lda")
    studio.work()
    finished = SimpleNamespace(visitor=visitor, runs={"lda": run})
    meters = table.assign(**{"width (mm)": table["width (mm)"] / 1_000})
    other = placed(finished, meters.rename(columns={"width (mm)": "Width (m)"}))
    np.testing.assert_allclose(points(other), points(placed(finished, table)), atol=1e-6)
    notes = other.get_json()["report"]["notes"]
    assert "width (mm) was converted from m." in notes


def test_numbers_in_a_unit_of_another_kind_are_refused(studio, visitor):
    visitor.choose_file(csv(with_units("mg/kg")), "first.csv")
    run = visitor.start(method="lda")
    studio.work()
    finished = SimpleNamespace(visitor=visitor, runs={"lda": run})
    answer = placed(finished, with_units("mm"))
    assert answer.status_code == 400
    said = '"width [mg/kg]" is given in mm, which does not convert to mg/kg (row 1,'
    assert said in answer.get_json()["words"]


@pytest.mark.slow
def test_of_labeled_new_rows_nine_in_ten_have_their_class_in_their_set(studio):
    visitor = studio.visitor()
    visitor.choose_file(csv(blobs(200)), "first.csv")
    run = visitor.start(method="lda")
    studio.work()
    second = blobs(400, seed=1)
    kept = SimpleNamespace(visitor=visitor, runs={"lda": run})
    table = pd.read_csv(io.StringIO(placed(kept, second, suffix=".csv").get_data(as_text=True)))
    holds = [
        own in words.split(" or ")
        for own, words in zip(second["label"], table["classes at 90 %"], strict=True)
    ]
    assert np.mean(holds) == pytest.approx(0.9, abs=0.05)
    listed = placed(kept, second).get_json()["report"]["rows"]
    assert {row["possible"] for row in listed} >= {"", "a or b"}
    cards = [
        visitor.http.get(f"/runs/{run}/planes/0/rows/{row}").json["summary"] for row in (1, 2, 3)
    ]
    assert all("possible" in card for card in cards)


def measured(n_rows: int, seed: int, limit: str = "<0.5 mg/l") -> pd.DataFrame:
    """Two classes with a column whose lowest cells lie below a limit, and words in another."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n_rows) % 2
    zinc = [f"{x:.3f} mg/l" for x in 3 + 4 * codes + rng.uniform(size=n_rows)]
    lead = [f"{x:.3f}" for x in 5 - codes + rng.uniform(size=n_rows)]
    table = pd.DataFrame({"zinc": zinc, "lead": lead, "kind": [("a", "b")[one] for one in codes]})
    table.loc[::5, "zinc"], table.loc[3::6, "lead"] = limit, "broken"
    return table


@pytest.mark.slow
@pytest.mark.parametrize("second_limit", ["<0.5 mg/l", "3.2 mg/l"])
def test_a_second_file_is_read_as_the_first_was_answered(studio, second_limit):
    visitor = studio.visitor()
    answers = {"limits": "indicator", "words": "empty"}
    visitor.choose_file(csv(measured(60, 0)), "water.csv", answers=answers)
    run = visitor.start(method="lda")
    studio.work()
    second = SimpleNamespace(visitor=visitor, runs={"lda": run})
    answer = placed(second, measured(30, 1, second_limit)).json
    assert len(answer["points"]["rows"]) == 30
    accuracy = np.array(answer["points"]["classes"]) == np.arange(30) % 2
    assert accuracy.mean() > 0.9


@pytest.mark.slow
def test_new_samples_in_columns_are_placed_where_those_of_the_table_were(studio):
    def genes(n_samples: int, seed: int, *, has_groups: bool) -> pd.DataFrame:
        rng = np.random.default_rng(seed)
        codes = np.arange(n_samples) % 2
        names = [f"s{at}" for at in range(n_samples)]
        rows = [["gene", *names], ["group", *(("ill", "well")[one] for one in codes)]]
        rows += [[f"g{at}", *(3 * codes * (at < 2) + rng.normal(size=n_samples)).round(3)]
                 for at in range(8)]  # fmt: skip
        return pd.DataFrame(rows[1:] if has_groups else rows[2:], columns=rows[0])

    visitor = studio.visitor()
    visitor.choose_file(csv(genes(60, 0, has_groups=True)), "genes.csv")
    run = visitor.start(method="lda")
    studio.work()
    second = SimpleNamespace(visitor=visitor, runs={"lda": run})
    answer = placed(second, genes(20, 1, has_groups=False)).json
    assert len(answer["points"]["rows"]) == 20
