"""`melm-studio audit` says of a map or an estimator what the page says of a run."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from melm_core.answers import LABELS_MAY_BE_USED
from melm_core.datasets import pure_noise
from melm_studio.command import main
from melm_studio.programs.run_table import DONE, REFUSED

ESTIMATORS = """
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.manifold import TSNE
picture = LinearDiscriminantAnalysis()
def made():
    return LinearDiscriminantAnalysis()
alone = TSNE()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A map that the labels made of noise, beside the noise, and estimators."""
    X, y = pure_noise(60, 40, 2)
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(40)])
    picture = LinearDiscriminantAnalysis().fit(X, y).transform(X)[:, 0]
    frame["umap_1"], frame["umap_2"] = picture, np.random.default_rng(0).normal(size=60)
    frame["kind"] = np.where(y, "a", "b")
    frame["patient"] = [f"p{i // 2}" for i in range(60)]
    frame.to_csv(tmp_path / "map.csv", index=False)
    (tmp_path / "audited_pictures.py").write_text(ESTIMATORS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def command(*options):
    given = ["--label", "kind", "--quiet", "--permutations", "39", *options]
    return main(["audit", "map.csv", *given])


@pytest.mark.slow
def test_a_map_that_the_labels_made_gets_the_sentence_and_its_program_a_no(folder, capsys):
    options = ["--coordinates", "umap_1", "umap_2", "--estimator", "audited_pictures:picture"]
    assert command(*options, "--json") == DONE
    printed = capsys.readouterr().out
    lines = printed[: printed.index("{")].splitlines()
    of_map, of_program = (line for line in lines if not line.startswith("  "))
    assert of_map.startswith("Map: Cannot be decided")
    assert LABELS_MAY_BE_USED in of_map
    assert of_program.startswith("audited_pictures:picture: No.")
    numbers = json.loads(printed[printed.index("{") :])
    assert numbers["coordinates"]["share"] > 0.8 > numbers["estimator"]["share"]
    assert numbers["estimator"]["share_train"] > 0.8
    assert numbers["estimator"]["chance"] == 0.5


@pytest.mark.slow
def test_a_method_of_the_studio_is_refitted_to_the_other_columns(folder, capsys):
    assert command("--coordinates", "umap_1", "umap_2", "--refit", "lda") == DONE
    lines = capsys.readouterr().out.splitlines()
    of_map, refitted = (line for line in lines if not line.startswith("  "))
    assert of_map.startswith("Map: Cannot be decided")
    assert refitted.startswith("LDA, refitted: No.")


def test_a_method_without_its_package_is_refused_with_the_command(folder, capsys, monkeypatch):
    monkeypatch.setattr("melm_core.methods.method.find_spec", lambda name: None)
    assert command("--refit", "supervised_umap") == REFUSED
    assert "UMAP with labels needs a package that is not installed" in capsys.readouterr().err


def test_a_function_of_a_module_makes_the_estimator(folder, capsys):
    assert command("--estimator", "audited_pictures:made") == DONE
    assert "guessing gives 50 %" in capsys.readouterr().out


@pytest.mark.slow
def test_a_table_is_read_as_answered(folder, capsys):
    table = pd.read_csv("map.csv", dtype=str)
    table.loc[0, "umap_1"] = "<0.5"
    table.to_csv("map.csv", index=False)
    options = ["--coordinates", "umap_1", "umap_2"]
    assert command(*options) == DONE
    assert command(*options, "--answer", "limits", "empty") == REFUSED
    assert "a coordinate is missing" in capsys.readouterr().err


@pytest.mark.slow
def test_groups_of_a_column_stay_together(folder, capsys):
    assert command("--estimator", "audited_pictures:picture", "--groups", "patient") == DONE
    assert "within" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "Say what to judge"),
        (["--coordinates", "tsne"], 'There is no column "tsne"'),
        (["--coordinates", "patient"], "no column of numbers named 'patient'"),
        (["--estimator", "audited_pictures"], "must be module:object"),
        (["--estimator", "audited_pictures:nothing"], "has no nothing"),
        (["--estimator", "no_such_module:it"], "Start it in the folder of the module"),
        (["--estimator", "audited_pictures:alone"], "audit_coordinates"),
        (["--speed", "1"], "melm-studio audit has no --speed"),
    ],
)
def test_what_cannot_be_judged_is_refused_with_the_way_out(folder, capsys, options, words):
    assert command(*options) == REFUSED
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("shift", "n_shuffles", "words"),
    [
        pytest.param(
            1.4,
            "199",
            "LDA, refitted: Yes, unless more than 20 neighboring rows belong together. ",
            marks=pytest.mark.slow,
        ),
        (0.0, "39", "not if runs of 20 neighboring rows belong together"),
    ],
    ids=["real", "noise"],
)
def test_rows_that_may_belong_together_are_judged_each_way(
    folder, capsys, shift, n_shuffles, words
):
    y, rng = np.repeat([0, 1], 100), np.random.default_rng(8)
    X = rng.normal(size=(200, 3))
    for row in range(1, 200):
        X[row] = 0.7 * X[row - 1] + np.sqrt(0.51) * X[row]
    frame = pd.DataFrame(X + shift * y[:, None], columns=["p", "q", "r"])
    frame.assign(kind=np.array(["a", "b"])[y]).to_csv("map.csv", index=False)
    assert command("--refit", "lda", "--json", "--permutations", n_shuffles) == DONE
    printed = capsys.readouterr()
    assert words in printed.out
    is_open = "Cannot be decided yet." in printed.out
    assert is_open == (shift == 0.0)
    assert ("--answer neighbors independent" in printed.err) == is_open
    found = json.loads(printed.out[printed.out.index("\n{") :])["refit"]
    assert found["readings"][0]["together"] == "runs of 20 neighboring rows"


@pytest.mark.slow
def test_a_column_that_decides_alone_is_told_with_the_share_without_it(folder, capsys):
    rng = np.random.default_rng(1)
    y = rng.permutation(np.arange(60) % 2)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["p", "q", "r"])
    frame["score"] = 10.0 * y + rng.uniform(0, 5, 60)
    frame.assign(kind=np.array(["a", "b"])[y]).to_csv("map.csv", index=False)
    asked = ("--refit", "lda", "--json", "--permutations", "19")
    assert command(*asked, "--answer", "twin:score", "measurement") == DONE
    printed = capsys.readouterr().out
    assert "Only because of score:" in printed
    assert "Yes" not in printed
    [left] = json.loads(printed[printed.index("\n{") :])["refit"]["without"]
    assert left["share"] < 0.75
