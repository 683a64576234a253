"""Cells of Tables 2 and 3, of the rotations and of GEM on data that are quick to fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lab.experiments.data import DataSet
from lab.experiments.figures import figure3
from lab.experiments.paper_numbers import TABLE_2, TABLE_3
from lab.experiments.planes import COLUMNS
from lab.experiments.records import Settings
from lab.experiments.tables import gem_tables, rotations_tables, table2, table3, table3_tried
from melm_core.evaluation import Separability
from melm_core.folds import stratified_folds


@pytest.fixture
def folder(tmp_path):
    """Two classes apart along one feature that varies little beside two of noise."""
    stream = np.random.default_rng(0)
    y = np.repeat([-1, 1], 40)
    X = stream.normal(size=(80, 3)) + np.array([4.0, 0.0, 0.0]) * y[:, None]
    pd.DataFrame(X).assign(label=y).to_csv(tmp_path / "small.csv", index=False)
    return tmp_path


def test_the_columns_are_those_of_the_paper():
    assert list(TABLE_3["heart"]) == list(COLUMNS)
    assert list(TABLE_2["heart"]) == [*COLUMNS, "I"]


@pytest.mark.slow
@pytest.mark.parametrize("method", COLUMNS)
def test_every_method_of_the_tables_gives_a_plane(method, folder):
    values = table3.cell(folder, name="small", method=method, tune={}, share=0.5, seed=0)
    assert values["n_rows"] == 40
    assert 0.4 < values["score"] <= 1


@pytest.mark.slow
def test_of_the_candidates_the_one_that_separates_best_is_taken(folder):
    def score(*gammas):
        tune = {"gamma": list(gammas)}
        return table3.cell(folder, name="small", method="GEM", tune=tune, share=0.5, seed=0)

    each = [score(gamma)["score"] for gamma in (0.01, 100.0)]
    assert score(0.01, 100.0)["score"] == max(each)


@pytest.mark.parametrize("shift", [0.0, 1.5])
def test_a_score_that_is_tuned_on_its_own_folds_is_higher_than_one_that_is_not(shift):
    y = np.repeat([0, 1], 60)
    Z = np.random.default_rng(0).normal(size=(120, 2)) + shift * y[:, None]
    tuned_on_them = table3_tried.optimistic_score(Z, y, stratified_folds(y, 5, 0))
    assert tuned_on_them > Separability.of(Z, y).mean.balanced_accuracy


@pytest.mark.parametrize("method", ["PCA", "I"])
def test_a_cell_of_table_2_has_every_classifier_with_its_error(method, folder):
    values = table2.cell(folder, name="small", method=method, tune={}, seed=0)
    assert set(values["scores"]) == {"SVM-RBF", "KNN", "KDE", "mean"}
    assert values["scores"][values["best"]]["score"] > 0.8
    assert all(score["standard_error"] >= 0 for score in values["scores"].values())


def test_in_a_plane_of_its_own_every_start_is_the_same(folder, monkeypatch):
    X = np.random.default_rng(0).normal(size=(40, 2))
    flat = DataSet(X, np.repeat([0, 1], 20))
    monkeypatch.setattr("lab.experiments.data.load", lambda *_: flat)
    values = figure3.cell(folder, name="flat", gamma=1.0, n_starts=5, seed=0)
    assert len(values["divergences"]) == 5
    assert np.ptp(values["divergences"]) == 0


@pytest.mark.parametrize(
    ("method", "priors"),
    [
        ("LDA", "uniform"),
        ("QDA", "uniform"),
        ("naive Bayes", "empirical"),
        ("naive Bayes, kernels", "empirical"),
    ],
)
def test_the_priors_of_the_papers_benchmarks_are_known(method, priors, tmp_path):
    paper = rotations_tables.rotation_benchmarks(rotations_tables.BREAST_CANCER)[method]
    values = rotations_tables.cell(
        tmp_path,
        problem=rotations_tables.BREAST_CANCER,
        method=method,
        n_components=None,
        priors=priors,
        max_iter=0,
        seed=0,
    )
    for column in ("acc", "M", "MSE"):
        assert values[column] == pytest.approx(paper[column], abs=6e-4)


def test_mnist_is_taken_where_its_file_is(folder):
    (folder / "small.csv").rename(folder / "mnist.csv")
    settings = Settings(data=folder, results=folder / "results", computes=False)
    titles = [section.title for section in gem_tables.report(settings).sections]
    assert "MNIST" in titles
    values = gem_tables.cell(
        folder, name="mnist", method="GEM", most_rows=80, parameters={"theta": 1.1}, seed=0
    )
    assert values["error (%)"] < 10
