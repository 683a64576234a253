"""`melm-studio run --predict` predicts classes, however many, and numbers, row by row."""

from __future__ import annotations

import csv
import json

import numpy as np
import pandas as pd
import pytest

from melm_studio.command import main
from melm_studio.programs import predict_label
from melm_studio.programs.predict_label import FILE, label_values, predicted_label
from melm_studio.programs.run_table import REFUSED, SOME_FAILED, judged_data


@pytest.fixture(autouse=True)
def few_shuffles(monkeypatch):
    monkeypatch.setattr(predict_label, "N_PERMUTATIONS", 19)


@pytest.fixture
def features():
    values = np.random.default_rng(0).normal(size=(90, 3)).round(3)
    return pd.DataFrame(values, columns=[*"abc"])


def sizes(features):
    """Numbers that no line explains, and no single feature."""
    return np.abs(features["a"] + features["b"] - features["c"]).round(3)


def predicted(frame, folder, *, is_checked=False):
    """What is found of the label y by GEM, and the predictions that are written."""
    raw = frame.to_csv(index=False).encode()
    source = {"kind": "upload", "key": "0" * 64, "name": "table.csv", "label": "y"}
    data = judged_data(raw, source)
    labels = label_values(raw, source, data)
    options = {"n_folds": 3, "is_checked": is_checked, "seed": 0}
    found = predicted_label("gem", data, labels, folder / "gem", **options)
    return found, pd.read_csv(folder / "gem" / FILE)


@pytest.mark.slow
def test_the_command_writes_predictions_and_scores_and_says_what_it_cannot_predict(
    features, tmp_path
):
    table, out = tmp_path / "table.csv", tmp_path / "out"
    features.assign(y=sizes(features)).to_csv(table, index=False)
    options = ["--methods", "pca", "--folds", "2", "--quiet", "--out", str(out)]
    status = main(["run", str(table), "--label", "y", *options, "--predict", "gem_deep", "gem"])
    assert status == SOME_FAILED
    with (out / "scores.csv").open() as file:
        rows = {row["method"]: row for row in csv.DictReader(file)}
    assert [*rows] == ["pca", "predict_gem_deep", "predict_gem"]
    assert rows["predict_gem_deep"]["refusal"].endswith("the label is a number. Choose gem.")
    assert (rows["pca"]["measure"], rows["predict_gem"]["measure"]) == ("balanced accuracy", "Q2")
    refused, done = json.loads((out / "summary.json").read_text())["predictions"]
    assert refused["refusal"] == rows["predict_gem_deep"]["refusal"]
    assert float(rows["predict_gem"]["held_out"]) == done["held_out"] > 0.5
    assert [path.parent.name for path in out.glob(f"*/{FILE}")] == ["predict_gem"]


@pytest.mark.slow
def test_classes_are_predicted_without_their_rows(features, tmp_path):
    frame = features.assign(y=np.where(sizes(features) > 1.0, "far", "near"))
    found, table = predicted(frame, tmp_path, is_checked=True)
    assert table["label"].tolist() == frame["y"].tolist()
    right = (table["label"] == table["predicted"]).groupby(table["label"]).mean().mean()
    assert right == pytest.approx(found.held_out)
    assert 0.8 < right <= found.train
    assert (found.chance, found.measure, found.answer) == (0.5, "balanced accuracy", "yes")
    assert found.words.startswith("Yes. ")
    assert "guessing gives 50 %" in found.words


@pytest.mark.slow
def test_a_number_is_predicted_and_not_its_ranges(features, tmp_path):
    frame = features.assign(y=sizes(features))
    found, table = predicted(frame, tmp_path, is_checked=True)
    np.testing.assert_array_equal(table["label"], frame["y"])
    assert len(np.unique(table["predicted"])) > 80
    assert (found.chance, found.measure, found.answer) == (0.0, "Q2", "yes")
    assert 0.5 < found.held_out < found.train
    assert "of the variance of held-out rows; guessing gives 0 %" in found.words


# That many classes are predicted without pairs is tested of the classifier, in less time.
@pytest.mark.slow
def test_more_classes_are_predicted_than_can_be_drawn(tmp_path):
    rng, y = np.random.default_rng(1), np.repeat(np.arange(60), 4)
    X = 4.0 * rng.normal(size=(60, 3))[y] + rng.normal(size=(240, 3))
    frame = pd.DataFrame(X.round(3), columns=[*"abc"]).assign(y=[f"kind {code}" for code in y])
    found, table = predicted(frame, tmp_path)
    assert table["label"].nunique() == 60
    assert found.chance == pytest.approx(1 / 60)
    assert found.held_out > 0.2


@pytest.mark.slow
def test_rows_that_may_depend_on_each_other_are_asked_about_before_a_yes(tmp_path):
    rng, subject = np.random.default_rng(3), np.repeat(np.arange(12), 5)
    frame = pd.DataFrame(rng.normal(size=(12, 3))[subject] + 0.2 * rng.normal(size=(60, 3)))
    frame = frame.rename(columns=str).assign(code=subject + 1, y=np.where(subject % 2, "x", "z"))
    found, _ = predicted(frame.sample(frac=1.0, random_state=0), tmp_path, is_checked=True)
    assert found.answer == "unknown"
    assert found.words.startswith("Cannot be decided. ")
    assert "Do rows with the same code belong together?" in found.questions[0].sentence


def test_predictions_need_folds(features, tmp_path, capsys):
    path = tmp_path / "table.csv"
    features.assign(y=np.arange(90) % 2).to_csv(path, index=False)
    options = ["--predict", "gem", "--folds", "0", "--out", str(tmp_path / "out")]
    assert main(["run", str(path), *options]) == REFUSED
    assert "--predict needs folds, and --folds is 0" in capsys.readouterr().err
