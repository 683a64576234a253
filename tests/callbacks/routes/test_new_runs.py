"""Pressing Run starts a run with what the controls hold, or a sentence says why not."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from melm_core.methods import METHODS, Method
from melm_core.methods.method import BATCH_WEIGHT, GAMMA, HELD_OUT, SEED, SHARED, STARTS, Choice
from melm_studio.installation import install_command
from melm_studio.layout import ids
from melm_studio.runs.records.run import RunState
from melm_studio.workspace.workspace import MAX_PANELS
from tests.callbacks.tables import blobs, csv

ERROR, DATA = f"{ids.RUN_ERROR}.children", f"{ids.DATA}.data"
DEFAULTS = {
    "n_components": 2,
    "gamma": 2.0,
    "n_init": 6,
    "random_state": 0,
    "held_out": 0.0,
    "multiclass": "softmin",
}


def refusal(studio, visitor, **controls) -> str:
    """The sentence that Run gives in place of a run."""
    changes = visitor.press_run(**controls)
    assert list(changes) == [ERROR]
    assert studio.store.runs_of(visitor.owner) == []
    return changes[ERROR]


def test_run_queues_what_the_page_shows_at_first(studio, ready):
    changes = ready.press_run()
    (record,) = studio.store.runs_of(ready.owner)
    assert changes[ERROR] is None
    assert changes["revision"] == ready.frames()["revision"]
    assert changes["runs"] == [panel["run"] for panel in changes["panels"]] == [record.run_id]
    assert (record.method, record.state) == ("melm", RunState.QUEUED)
    assert record.parameters.values == DEFAULTS
    assert (record.data_id, record.data_name) == (ready.values[DATA]["id"], "Iris")


def test_a_run_has_the_parameters_of_the_controls(studio, ready):
    ready.press_run(method="melm", gamma=0.316, n_init=3, random_state=7, held_out=10)
    (record,) = studio.store.runs_of(ready.owner)
    expected = {"gamma": 0.316, "n_init": 3, "random_state": 7, "held_out": 0.1}
    assert record.parameters.values == DEFAULTS | expected


@pytest.mark.parametrize("gamma", [0.1, 10, 1.995])
def test_gamma_is_the_number_in_its_field(studio, ready, gamma):
    ready.press_run(gamma=gamma)
    (record,) = studio.store.runs_of(ready.owner)
    assert record.parameters.gamma == gamma


def test_gamma_may_be_left_to_the_method(studio, ready):
    ready.press_run(gamma="auto")
    (record,) = studio.store.runs_of(ready.owner)
    assert record.parameters.gamma == "auto"


def test_a_method_without_gamma_draws_its_densities_with_the_default_in_place_of_auto(
    studio, ready
):
    ready.press_run(method="pca", gamma="auto")
    (record,) = studio.store.runs_of(ready.owner)
    assert record.parameters.gamma == GAMMA.default


def test_every_run_gives_the_panels_a_new_revision(ready):
    assert ready.press_run()["revision"] != ready.press_run()["revision"]


@pytest.mark.parametrize("method", ["pca", "lda"])
def test_a_method_without_starts_ignores_what_that_field_holds(studio, ready, method):
    ready.press_run(method=method, n_init="")
    (record,) = studio.store.runs_of(ready.owner)
    assert record.method == method


def test_without_data_there_is_no_run(studio, visitor):
    assert refusal(studio, visitor).startswith("There are no data to run on yet.")


@pytest.mark.parametrize("value", [None, "", "many", -1e9, 1e9, True, [2]], ids=repr)
@pytest.mark.parametrize(
    ("control", "parameter"),
    [("gamma", GAMMA), ("n_init", STARTS), ("random_state", SEED), ("held_out", HELD_OUT)],
)
def test_a_control_that_is_empty_or_out_of_bounds_is_named(
    studio, ready, control, parameter, value
):
    if (control, value) == ("random_state", 1e9):
        value = 1e10
    if control == "held_out" and value in (None, ""):
        return  # is what is usual for the table
    sentence = refusal(studio, ready, **{control: value})
    assert sentence.startswith(f"{parameter.label} must be a ")
    assert sentence.endswith("it is empty." if value in (None, "") else f"it is {value!r}.")


def test_nan_which_is_not_json_starts_no_run(studio, ready):
    assert "must be given by names and values" in refusal(studio, ready, gamma=float("nan"))


def test_a_method_whose_package_is_missing_is_refused_with_the_way_to_install_it(
    studio, ready, monkeypatch
):
    monkeypatch.setattr(Method, "is_installed", False)
    sentence = refusal(studio, ready, method="umap")
    assert sentence.startswith("UMAP needs a package that is not installed here.")
    assert sentence.endswith(install_command("umap"))


def test_an_unknown_method_is_refused_with_the_known_ones(studio, ready):
    sentence = refusal(studio, ready, method="magic")
    assert sentence.startswith("There is no method 'magic'. Choose one of MELM, Rotations, ")
    assert all(method.label in sentence for method in METHODS.values())


@pytest.mark.parametrize("key", [key for key in METHODS if METHODS[key].is_installed])
def test_a_run_of_any_method_carries_the_settings_of_that_method(studio, ready, key):
    ready.fire(ids.METHOD, "value", key)
    # The table has no batches, so a weight of them is left out.
    unused = SHARED | {BATCH_WEIGHT.name}
    own = [setting for setting in METHODS[key].parameters if setting.name not in unused]
    for setting in own:
        ready.set_own(setting.name, another(setting))
    record = studio.store.get(ready.start(method=key))
    for setting in own:
        assert record.parameters.values[setting.name] == another(setting)


def another(setting):
    """Return a value that is allowed and not the default."""
    if isinstance(setting, Choice):
        return next(value for value in setting.options if value != setting.default)
    return setting.maximum


def test_a_setting_that_is_not_allowed_is_refused_with_its_rule(studio, ready):
    ready.fire(ids.METHOD, "value", "kfd")
    ready.set_own("bandwidth_scale", -1)
    expected = "Kernel bandwidth must be a number from 0.1 to 10; it is -1."
    assert refusal(studio, ready, method="kfd") == expected


def test_data_that_a_method_cannot_work_on_are_refused_before_a_worker_tries(studio, visitor):
    rows = "".join(f"{i},{i * i % 7},{'ab'[i % 2]}\n" for i in range(40))
    visitor.choose_file(f"u,v,label\n{rows}3,4,c\n9,1,c\n".encode(), answers={"small": "kept"})
    sentence = refusal(studio, visitor, method="rotations")
    assert sentence.startswith("Rotations needs at least 3 rows of every class, and 'c' has 2.")


@pytest.mark.parametrize("data_id", ["theirs", "unknown"])
def test_data_that_the_visitor_never_stored_are_refused(studio, visitor, data_id):
    other = studio.visitor()
    other.choose_sample("wine")
    known = {"theirs": other.values[DATA]["id"]}
    visitor.choose_sample("iris")
    visitor.values[DATA] |= {"id": known.get(data_id, "0" * 64)}
    assert refusal(studio, visitor).startswith("These data are no longer stored here.")


def test_a_page_full_of_panels_takes_no_further_run(studio, ready):
    for _ in range(MAX_PANELS):
        ready.press_run()
    assert ready.press_run() == {
        ERROR: f"The page holds {MAX_PANELS} panels. Remove one to run another."
    }
    assert len(studio.store.runs_of(ready.owner)) == MAX_PANELS


def test_other_data_and_removed_panels_make_room(studio, ready):
    for _ in range(MAX_PANELS):
        ready.press_run()
    ready.command(ready.panels()[0], "remove")
    assert ready.press_run()[ERROR] is None
    ready.choose_sample("wine")
    assert ready.press_run()[ERROR] is None


@pytest.mark.fault
def test_of_presses_at_the_same_time_no_more_than_the_page_holds_become_runs(studio, ready):
    cookie = ready.cookie

    def press(seed):
        another = studio.visitor(cookie)
        another.values |= ready.values
        another.press_run(method="pca", random_state=seed)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(press, range(MAX_PANELS + 3)))
    assert len(studio.store.runs_of(ready.owner)) == MAX_PANELS


def test_a_run_with_endless_choices_is_refused(studio, ready):
    marks = [{"column": "c", "value": str(i), "rows": list(range(10_000))} for i in range(30)]
    ready.values[DATA] = ready.values[DATA] | {
        "source": ready.values[DATA]["source"] | {"marks": marks}
    }
    assert "more than 1 MB" in refusal(studio, ready)


def test_a_name_of_megabytes_is_refused(studio, ready):
    ready.values[DATA] = ready.values[DATA] | {"name": "x" * 6_000_000}
    assert "text of 0 to 2,000 characters" in refusal(studio, ready)


def test_a_run_that_is_on_the_page_is_offered_and_runs_again_if_wanted(studio, ready):
    ready.press_run()
    (first,) = studio.store.runs_of(ready.owner)
    answer = ready.post_run()
    assert answer.json == {"same": {"run": first.run_id, "title": "MELM, γ 2"}}
    assert studio.store.runs_of(ready.owner) == [first]
    assert ready.post_run(again=True).status_code == 201
    assert [run.name for run in studio.store.runs_of(ready.owner)] == ["", "MELM, γ 2 (2)"]


def test_a_run_that_was_cut_short_is_not_offered(studio, ready):
    ready.press_run()
    (first,) = studio.store.runs_of(ready.owner)
    studio.store.cancel(first.run_id)
    ready.post_run()
    assert len(studio.store.runs_of(ready.owner)) == 2


def test_without_a_form_a_run_is_what_the_page_holds_at_first(studio, ready):
    """So that the button of the first page need not wait for the method line."""
    answer = ready.http.post("/runs", json={"data": ready.values[DATA]})
    (record,) = studio.store.runs_of(ready.owner)
    assert answer.json["runs"] == [record.run_id]
    assert ready.post_run().json["same"]["run"] == record.run_id


def test_before_there_are_data_it_is_said(studio, visitor):
    assert "no data to run on yet" in refusal(studio, visitor)


@pytest.mark.parametrize("body", [None, [], {"form": {}}, {"data": None, "form": {"method": 1}}])
def test_what_is_no_form_is_refused_in_a_sentence(visitor, body):
    answer = visitor.http.post("/runs", json=body)
    assert answer.status_code == 400
    assert answer.json["words"].endswith(".")


def test_a_table_with_batches_holds_rows_out_and_others_are_judged_by_folds(studio, visitor):
    frame = blobs(n_rows=90).assign(batch=["april", "may", "june"] * 30)
    visitor.choose_file(csv(frame))
    visitor.press_run(method="lda")
    (record,) = studio.store.runs_of(visitor.owner)
    assert record.parameters.held_out == 0.25
