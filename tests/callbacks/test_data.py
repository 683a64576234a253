"""Choosing a sample, a label column and a preparation; choices that cannot be read; recent data."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from lab.driver.visitor import components
from melm_studio.layout import ids
from melm_studio.tables.preparation import prepare
from melm_studio.tables.roles import NO_LABEL
from melm_studio.tables.samples import SAMPLES, load_sample
from tests.callbacks.tables import blobs, csv

ERROR, DATA = f"{ids.DATA_ERROR}.children", f"{ids.DATA}.data"
CHOICE, SOURCE = f"{ids.CHOICE}.data", f"{ids.SOURCE}.data"
SCALING = ids.recipe("scaling")
SAMPLE = {"kind": "sample", "key": "iris", "label": None, "standardize": True}
LIST = f"{ids.RECENT_LIST}.children"
IRIS = {"kind": "sample", "key": "iris"}


@pytest.fixture
def items(visitor):
    """Opens the menu and returns its data and runs."""

    def open_menu(remembered=None):
        visitor.values[f"{ids.RECENT}.data"] = remembered
        changes = visitor.fire(ids.RECENT_OPEN, "n_clicks", 1)
        found = [part["props"] for part in components(changes[LIST])]
        return [props for props in found if "data-source" in props]

    return open_menu


@pytest.mark.parametrize("key", SAMPLES)
def test_every_sample_is_prepared_as_its_table_is(studio, visitor, key):
    changes = visitor.choose_sample(key)
    expected = prepare(load_sample(key))
    assert changes[ERROR] is None
    assert (changes[DATA]["id"], changes[DATA]["name"]) == (
        expected.content_hash,
        SAMPLES[key].label,
    )
    assert studio.data_of(visitor).content_hash == expected.content_hash


def test_the_guessed_label_comes_first_and_any_column_can_be_one(visitor):
    table = blobs().assign(group=["u", "v", "w"] * 20)
    changes = visitor.choose_file(csv(table))
    assert changes["label.value"] == "label"
    assert [option["value"] for option in changes["label.data"]] == [
        "label",
        "group",
        "x",
        "y",
        NO_LABEL,
    ]


def test_another_label_than_the_guess_gives_its_classes(studio, visitor):
    groups = np.random.default_rng(0).permutation([*"uvw" * 20])  # by no design
    visitor.choose_file(csv(blobs().assign(group=groups)))
    visitor.fire(ids.CHOICE, "data", visitor.fire(ids.LABEL, "value", "group")[CHOICE])
    data = studio.data_of(visitor)
    assert data.class_names == ("u", "v", "w")
    assert "label = b" in data.feature_names
    assert visitor.values["label.value"] == "group"


def test_a_column_is_information_and_a_feature_again_by_its_button(studio, visitor):
    visitor.choose_file(csv(blobs()))
    visitor.choose(visitor.fire(ids.feature(0), "n_clicks", 1)[CHOICE])
    assert studio.data_of(visitor).feature_names == ("y",)
    visitor.choose(visitor.fire(ids.feature(0), "n_clicks", 1)[CHOICE])
    assert studio.data_of(visitor).feature_names == ("x", "y")


def test_a_button_of_a_column_that_is_gone_chooses_nothing(visitor):
    visitor.choose_file(csv(blobs()))
    assert CHOICE not in visitor.fire(ids.feature(2), "n_clicks", 1)


def test_without_standardising_the_numbers_stay_as_they_are(studio, visitor):
    table = blobs()
    visitor.choose_file(csv(table))
    visitor.fire(ids.CHOICE, "data", visitor.fire(SCALING, "value", "none")[CHOICE])
    np.testing.assert_array_equal(studio.data_of(visitor).X, table[["x", "y"]])
    assert visitor.values["recipe-open.children"] == "not standardized"


def test_what_the_page_itself_filled_in_is_no_new_choice(visitor):
    changes = visitor.choose_sample("iris")
    assert visitor.fire(ids.LABEL, "value", changes["label.value"]) == {}
    assert visitor.fire(SCALING, "value", "unit") == {}


def test_the_browser_remembers_a_choice_only_once_it_could_be_read(visitor):
    good = visitor.choose_sample("wine")
    assert good[SOURCE]["key"] == "wine"
    bad = visitor.choose_file(b"only one column\n1\n2\n")
    assert bad[ERROR].endswith(" Wine is still shown.")
    assert SOURCE not in bad
    assert visitor.fire(SCALING, "value", "none")[CHOICE]["key"] == "wine"


def test_what_is_remembered_is_shown_and_not_written_back(visitor):
    changes = visitor.fire(ids.SOURCE, "data", SAMPLE)
    assert changes[DATA]["name"] == SAMPLES["iris"].label
    assert SOURCE not in changes


def test_a_scaling_before_there_are_data_chooses_nothing(visitor):
    assert visitor.fire(SCALING, "value", "none") == {}


@pytest.mark.parametrize(
    "source",
    [
        None,
        "text",
        7,
        [],
        {},
        {"kind": "sample"},
        SAMPLE | {"key": None},
        SAMPLE | {"key": ["iris"]},
        SAMPLE | {"key": "gone"},
        SAMPLE | {"kind": "hologram"},
        SAMPLE | {"label": 3},
        SAMPLE | {"standardize": "yes"},
        {"kind": "upload", "key": "0" * 64},
        {"kind": "upload", "key": "0" * 64, "name": 5},
    ],
    ids=repr,
)
def test_a_choice_that_this_page_never_wrote_gets_a_sentence(visitor, source):
    changes = visitor.fire(ids.SOURCE, "data", source)
    assert list(changes) == [ERROR]
    assert changes[ERROR].startswith("The last choice of data cannot be read.")


def test_a_table_that_is_not_stored_gets_a_sentence(visitor):
    changes = {"kind": "upload", "key": "0" * 64, "name": "old.csv"}
    found = visitor.fire(ids.SOURCE, "data", SAMPLE | changes)
    assert found == {
        ERROR: "old.csv is no longer stored here. Drop the file again, or choose a sample."
    }


def test_a_label_column_that_is_not_there_gets_a_sentence(visitor):
    changes = visitor.fire(ids.SOURCE, "data", SAMPLE | {"label": "planet"})
    assert list(changes) == [ERROR]
    assert changes[ERROR].startswith('There is no column "planet". The columns are sepal length')


def test_a_column_of_measurements_as_label_is_cut_into_ranges(visitor):
    changes = visitor.fire(ids.SOURCE, "data", SAMPLE | {"label": "petal length (cm)"})
    assert changes[ERROR] is None
    assert changes["label.value"] == "petal length (cm)"


def test_fields_that_an_older_page_did_not_keep_have_their_defaults(visitor):
    changes = visitor.fire(ids.SOURCE, "data", {"kind": "sample", "key": "iris"})
    assert changes[ERROR] is None
    assert changes["label.value"] == "species"
    assert changes["recipe-open.children"] == "Standardized"


def test_runs_are_listed_below_their_data_the_newest_first(visitor, items):
    visitor.choose_sample("iris")
    older = visitor.start(method="pca")
    newer = visitor.start(method="lda")
    visitor.choose_sample("wine")
    other = visitor.start(method="pca")
    listed = [item.get("data-run-to-show") for item in items([IRIS])]
    assert listed == [None, newer, older, None, other]


def test_an_item_holds_the_source_that_shows_its_data_again(visitor, items):
    visitor.choose({"kind": "sample", "key": "iris", "standardize": False})
    visitor.start(method="pca")
    data, run = items()
    shown = visitor.choose(json.loads(run["data-source"]))
    assert shown["recipe-open.children"] == "not standardized"
    assert json.loads(data["data-source"])["key"] == "iris"


def test_data_without_runs_are_listed_if_the_browser_remembers_them(items):
    assert [json.loads(item["data-source"])["key"] for item in items([IRIS])] == ["iris"]


def test_runs_of_others_are_not_listed(studio, visitor, items):
    stranger = studio.visitor()
    stranger.choose_sample("wine")
    stranger.start(method="pca")
    assert items() == []


@pytest.fixture
def of_subjects(visitor):
    """The changes after a table was dropped whose column says which rows belong together."""
    rng = np.random.default_rng(0)
    code = np.repeat(np.arange(20), 6)
    X = rng.normal(size=(20, 2))[code] + rng.normal(size=(120, 2))
    label = np.where(code % 2, "a", "b")
    table = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "code": code + 1, "label": label})
    return visitor.choose_file(csv(table.sample(frac=1.0, random_state=0)))


def buttons_of(changes):
    found = [part["props"] for part in components(changes[f"{ids.DATA_SUMMARY}.children"])]
    return {one["children"]: one for one in found if "aria-pressed" in one and "id" in one}


def test_a_question_of_the_table_is_answered_by_its_button(studio, visitor, of_subjects):
    assert studio.data_of(visitor).suspicions
    button = buttons_of(of_subjects)["Keep them together"]
    assert button["aria-pressed"] == "false"
    choice = visitor.fire(button["id"], "n_clicks", 1)[CHOICE]
    assert choice["answers"] == {"subjects:code": "together"}
    changes = visitor.choose(choice)
    assert buttons_of(changes)["Keep them together"]["aria-pressed"] == "true"
    data = studio.data_of(visitor)
    assert data.suspicions == ()
    assert len(np.unique(data.groups)) == 20


def test_a_button_of_a_table_that_has_changed_answers_nothing(visitor, of_subjects):
    button = buttons_of(of_subjects)["Rows are independent"]
    visitor.choose_sample("iris")
    assert CHOICE not in visitor.fire(button["id"], "n_clicks", 1)


def test_another_label_forgets_what_was_answered_of_its_column(visitor, of_subjects):
    button = buttons_of(of_subjects)["Rows are independent"]
    choice = visitor.fire(button["id"], "n_clicks", 1)[CHOICE]
    visitor.choose(choice)
    assert visitor.fire(ids.LABEL, "value", "code")[CHOICE]["answers"] == {}


def test_what_was_chosen_of_columns_is_forgotten_where_the_table_gets_others(visitor):
    rows = "".join(f"{at * 7 % 13},{at * 5 % 11},{at % 3},{'ab'[at % 2]}\n" for at in range(40))
    shown = visitor.choose_file(
        b"mass,length,visit,kind\n(kg),(mm),,\n" + rows.encode(),
        "t.csv",
        label="kind",
        roles={"length [mm]": "info"},
        answers={"use:visit": "batch", "limits": "limit"},
    )
    assert shown[ERROR] is None
    choice = visitor.fire(buttons_of(shown)["Only the first"]["id"], "n_clicks", 1)[CHOICE]
    assert choice["answers"] == {"header": "first", "limits": "limit"}
    assert visitor.choose(choice)[ERROR] is None


def test_an_answer_that_there_is_not_is_refused_by_the_page(visitor):
    changes = visitor.choose({**SAMPLE, "answers": {"neighbors": "perhaps"}})
    assert '"perhaps" is no answer to neighbors' in changes[ERROR]
