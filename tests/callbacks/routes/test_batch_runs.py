"""Several runs at once: every method at every γ in every preparation that was chosen."""

from __future__ import annotations

import pytest

from melm_studio.layout import ids
from melm_studio.runs.records.run import RunState
from melm_studio.workspace.workspace import MAX_PANELS
from tests.callbacks.tables import blobs, csv

ERROR, DATA = f"{ids.RUN_ERROR}.children", f"{ids.DATA}.data"


def press(visitor, methods, gammas=("1",), *, both=False, **controls):
    visitor.values |= {
        f"{ids.BATCH_METHODS}.value": list(methods),
        f"{ids.BATCH_GAMMAS}.value": list(gammas),
        f"{ids.BATCH_BOTH}.checked": both,
    }
    return visitor.press_run_of_compare(**controls)


def runs(studio, visitor):
    return studio.store.runs_of(visitor.owner)


def test_every_method_runs_at_every_gamma(studio, ready):
    changes = press(ready, ["pca", "lda"], ["0.5", "2"])
    assert changes["revision"] == ready.frames()["revision"]
    assert changes[ERROR] is None
    asked = [(run.method, run.parameters.gamma, run.state) for run in runs(studio, ready)]
    queued = RunState.QUEUED
    assert asked == [
        ("pca", 0.5, queued),
        ("pca", 2.0, queued),
        ("lda", 0.5, queued),
        ("lda", 2.0, queued),
    ]
    assert len(ready.panels()) == 4


def test_runs_on_both_preparations_stand_on_one_page(studio, ready):
    press(ready, ["pca"], both=True)
    standard, raw = runs(studio, ready)
    assert [run.source.standardize for run in (standard, raw)] == [True, False]
    assert standard.data_id != raw.data_id
    assert ready.panels() == [standard.run_id, raw.run_id]
    studio.work()
    assert {run.state for run in runs(studio, ready)} == {RunState.DONE}
    ready.choose({"kind": "sample", "key": "iris", "standardize": False})
    assert ready.panels() == [standard.run_id, raw.run_id]


def test_a_file_can_be_prepared_in_both_ways_too(studio, visitor):
    visitor.choose_file(csv(blobs()))
    assert press(visitor, ["lda"], both=True)[ERROR] is None
    studio.work()
    assert [run.state for run in runs(studio, visitor)] == [RunState.DONE] * 2


def test_the_other_settings_are_those_of_the_rail(studio, ready):
    ready.values[f"{ids.METHOD}.value"] = "melm"
    ready.fire(ids.METHOD, "value", "melm")
    ready.set_own("multiclass", "mean")
    press(ready, ["melm", "pca"], n_init=3, random_state=5, held_out=10, n_components="1")
    melm, pca = runs(studio, ready)
    shared = {"n_components": 1, "gamma": 1.0, "random_state": 5, "held_out": 0.1}
    assert melm.parameters.values == shared | {"n_init": 3, "multiclass": "mean"}
    assert shared.items() <= pca.parameters.values.items()


def test_what_is_the_own_of_a_method_goes_to_that_method_alone(studio, ready):
    ready.fire(ids.METHOD, "value", "gem")
    ready.set_own("regularization", 1.0)
    press(ready, ["gem", "kfd"], method="gem")
    gem, fisher = runs(studio, ready)
    assert gem.parameters.own["regularization"] == 1.0
    assert fisher.parameters.own["regularization"] != 1.0


def test_more_runs_than_the_page_holds_are_refused_with_their_number(studio, ready):
    ready.start(method="pca")
    changes = press(ready, ["pca", "lda"], ["0.25", "0.5", "1", "2", "5"])
    assert list(changes) == [ERROR]
    assert changes[ERROR].startswith(
        f"These are 9 runs; the page holds {MAX_PANELS} panels and shows 1."
    )
    assert len(runs(studio, ready)) == 1


def test_runs_that_are_on_the_page_are_not_started_again(studio, ready):
    press(ready, ["pca", "lda"])
    press(ready, ["pca", "gem"])
    assert [run.method for run in runs(studio, ready)] == ["pca", "lda", "gem"]
    again = press(ready, ["pca", "gem"])
    assert again[ERROR] is None
    assert again["notice"] == "All of these runs are on the page already."
    assert len(runs(studio, ready)) == 3


def test_a_run_of_a_guessed_label_is_not_started_again(studio, visitor):
    table = blobs(label="kind").assign(site=["north", "south", "east"] * 20)
    visitor.choose_file(csv(table))
    visitor.press_run(method="lda")
    press(visitor, ["lda", "pca"], ["2"])
    assert [run.method for run in runs(studio, visitor)] == ["lda", "pca"]
    press(visitor, ["lda"], ["2"], both=True)
    assert [run.method for run in runs(studio, visitor)] == ["lda", "pca", "lda"]


@pytest.mark.parametrize(
    ("methods", "gammas", "sentence"),
    [
        ([], ["1"], "Choose at least one method"),
        (["pca"], [], "Choose at least one method"),
        (["pca"], ["wide"], "must be a number from 0.1 to 10; it is 'wide'"),
        (["pca"], ["1", "99"], "must be a number from 0.1 to 10; it is 99.0"),
        (["magic"], ["1"], "There is no method 'magic'"),
    ],
)
def test_what_cannot_run_is_said_and_nothing_is_queued(studio, ready, methods, gammas, sentence):
    assert sentence in press(ready, methods, gammas)[ERROR]
    assert runs(studio, ready) == []


def test_a_comma_is_a_decimal_point_too(studio, ready):
    press(ready, ["pca"], ["0,25"])
    assert runs(studio, ready)[0].parameters.gamma == 0.25


def test_if_one_run_is_impossible_none_starts(studio, visitor):
    visitor.choose_file(csv(blobs()))
    changes = press(visitor, ["pca", "melm"], n_components="3")
    assert "PCA projects onto 3 dimensions, and the data have 2 features" in changes[ERROR]
    assert runs(studio, visitor) == []


def test_a_file_that_is_gone_is_named(studio, visitor):
    visitor.choose_file(csv(blobs()))
    data = visitor.values[DATA]
    visitor.values[DATA] = data | {"source": data["source"] | {"key": "0" * 64}}
    assert "table.csv is no longer stored here" in press(visitor, ["pca"])[ERROR]


def test_before_there_are_data_it_is_said(visitor):
    assert "no data to run on yet" in press(visitor, ["pca"])[ERROR]


@pytest.mark.attack
def test_a_batch_of_endless_choices_is_refused_before_they_are_listed(visitor):
    visitor.choose_sample("iris")
    visitor.values |= {
        f"{ids.BATCH_METHODS}.value": ["pca"] * 100_000,
        f"{ids.BATCH_GAMMAS}.value": ["1"] * 100_000,
    }
    refused = visitor.press_run_of_compare()[ERROR]
    assert refused.startswith("These are 10,000,000,000 choices")
