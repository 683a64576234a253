"""Making something else of a column, from the window to the exported program."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lab.driver.visitor import components
from melm_studio.layout import ids
from tests.callbacks.tables import blobs, csv

CHOICE, ERROR = f"{ids.CHOICE}.data", f"{ids.DATA_ERROR}.children"
TABLE, TOTAL, PAGE = (
    f"{ids.COLUMNS_TABLE}.children",
    f"{ids.COLUMNS_PAGE}.total",
    f"{ids.COLUMNS_PAGE}.value",
)


def pots() -> pd.DataFrame:
    """Two features, an identifier, a long list of places, a constant, another label."""
    n = np.arange(60)
    wares = np.random.default_rng(0).permutation(["red", "grey", "black"] * 20)  # by no design
    return blobs().assign(number=n, place=[f"p{i % 30}" for i in n], unit="cm", ware=wares)


@pytest.fixture
def pottery(visitor):
    visitor.choose_file(csv(pots()), "pots.csv")
    return visitor


def opened(visitor, **changes) -> dict:
    """What the open window shows."""
    visitor.values |= {f"{ids.COLUMNS_SEARCH}.value": "", PAGE: 1} | changes
    data = visitor.values[f"{ids.DATA}.data"]
    return visitor.fire(ids.TABLE_SHOWN, "data", data, ids.COLUMNS_TABLE)


def roles(visitor) -> dict[str, str]:
    """The roles in the window, by the place of the column."""
    shown = opened(visitor)[TABLE]
    selects = [p["props"] for p in components(shown) if isinstance(p["props"].get("id"), dict)]
    return {select["id"]["column"]: select["value"] for select in selects}


def make(visitor, column: str, use: str) -> dict:
    """Choose a role in the window, and take the data that follow."""
    at = list(pots().columns).index(column)
    chosen = visitor.fire(ids.role(at), "value", use)
    return visitor.choose(chosen[CHOICE])


def test_the_window_opens_by_its_button(visitor):
    assert visitor.fire(ids.COLUMNS_OPEN, "n_clicks", 1) == {f"{ids.COLUMNS}.opened": True}


def test_a_closed_window_asks_for_nothing(studio):
    """Its parts follow a store that a script fills while the window is open."""
    with studio.app.server.test_client() as client:
        callbacks = client.get("/_dash-dependencies").json
    parts = (ids.COLUMNS_TABLE, ids.CLASSES_FORM, ids.FILTERS, ids.RECIPE_FORM, ids.FILE_FORM)
    for part in parts:
        (inputs,) = (one["inputs"] for one in callbacks if f"{part}.children" in one["output"])
        assert not {ids.DATA, ids.COLUMNS} & {one["id"] for one in inputs}


def test_every_column_stands_in_the_window_as_it_was_guessed(pottery):
    expected = ["feature", "feature", "label", "name", "info", "ignored", "category"]
    assert list(roles(pottery).values()) == expected


def test_rows_that_are_put_up_choose_nothing(pottery):
    for at, use in roles(pottery).items():
        assert pottery.fire(ids.role(at), "value", use) == {}


@pytest.mark.slow
def test_a_column_is_left_out_and_taken_back(studio, pottery):
    make(pottery, "y", "ignored")
    assert "y" not in studio.data_of(pottery).feature_names
    assert roles(pottery)[1] == "ignored"
    make(pottery, "y", "feature")
    assert "y" in studio.data_of(pottery).feature_names


@pytest.mark.slow
@pytest.mark.parametrize(("column", "feature"), [("number", "number"), ("place", "place = p7")])
def test_an_identifier_or_a_long_list_becomes_a_feature(studio, pottery, column, feature):
    changes = make(pottery, column, "feature")
    assert changes[ERROR] is None
    assert feature in studio.data_of(pottery).feature_names


@pytest.mark.slow
def test_another_column_becomes_the_label(studio, pottery):
    changes = make(pottery, "ware", "label")
    assert changes["label.value"] == "ware"
    assert studio.data_of(pottery).class_names == ("black", "grey", "red")


def test_where_the_label_is_left_out_another_is_guessed(studio, pottery):
    changes = make(pottery, "label", "ignored")
    assert changes["label.value"] == "ware"
    assert not any("label" in name for name in studio.data_of(pottery).feature_names)


@pytest.mark.slow
def test_the_label_that_is_chosen_in_the_rail_is_no_feature_any_more(studio, pottery):
    make(pottery, "ware", "ignored")
    chosen = pottery.fire(ids.LABEL, "value", "ware")[CHOICE]
    assert chosen["roles"] == {}
    assert pottery.choose(chosen)[ERROR] is None
    assert studio.data_of(pottery).class_names == ("black", "grey", "red")


def test_what_a_column_cannot_be_gets_a_sentence_and_the_window_shows_what_is_so(pottery):
    changes = make(pottery, "unit", "feature")
    assert list(changes) == [ERROR]
    assert changes[ERROR] == '"unit" cannot be a feature: every value is the same. Leave it out.'
    pottery.fire(ids.COLUMNS_ERROR, "children", changes[ERROR], ids.COLUMNS_TABLE)
    assert roles(pottery)[5] == "ignored"


@pytest.mark.slow
def test_the_guesses_come_back_at_a_click(studio, pottery):
    guessed = studio.data_of(pottery).content_hash
    assert opened(pottery)[f"{ids.COLUMNS_RESET}.disabled"] is True
    make(pottery, "y", "ignored")
    make(pottery, "number", "feature")
    assert opened(pottery)[f"{ids.COLUMNS_RESET}.disabled"] is False
    chosen = pottery.fire(ids.COLUMNS_RESET, "n_clicks", 1)
    pottery.choose(chosen[CHOICE])
    assert studio.data_of(pottery).content_hash == guessed


def test_many_columns_stand_on_pages_and_are_found_by_name(visitor):
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.normal(size=(20, 120)), columns=[f"gene {i}" for i in range(120)])
    visitor.choose_file(csv(wide.assign(label=["a", "b"] * 10)))
    first = opened(visitor)
    assert (first[TOTAL], first[PAGE]) == (5, 1)
    last = opened(visitor, **{PAGE: 99})
    assert last[PAGE] == 5
    assert len([*components(last[TABLE])]) < len([*components(first[TABLE])])
    found = opened(visitor, **{f"{ids.COLUMNS_SEARCH}.value": "GENE 11"})
    names = [p["props"]["children"] for p in components(found[TABLE]) if p["type"] == "Th"]
    assert names[5:] == ["gene 11", *(f"gene {i}" for i in range(110, 120))]


def test_all_columns_that_are_found_are_left_out_at_once(studio, visitor):
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.normal(size=(20, 30)), columns=[f"gene {i}" for i in range(30)])
    visitor.choose_file(csv(wide.assign(label=["a", "b"] * 10)))
    assert opened(visitor)[f"{ids.COLUMNS_ALL}.disabled"] is True
    assert (
        opened(visitor, **{f"{ids.COLUMNS_SEARCH}.value": "gene 1"})[f"{ids.COLUMNS_ALL}.disabled"]
        is False
    )
    changes = visitor.fire(ids.COLUMNS_ALL, "value", "ignored")
    visitor.choose(changes[CHOICE])
    assert changes[f"{ids.COLUMNS_ALL}.value"] is None
    assert len(studio.data_of(visitor).feature_names) == 30 - 11


def test_data_that_are_gone_get_a_sentence(studio, pottery):
    pottery.values[f"{ids.DATA}.data"]["id"] = "0" * 64
    assert "no longer stored here" in opened(pottery)[TABLE]
    assert pottery.fire(ids.role(1), "value", "ignored") == {}


def test_a_place_beyond_the_table_chooses_nothing(pottery):
    assert pottery.fire(ids.role(99), "value", "ignored") == {}


@pytest.mark.parametrize("given", [None, [], "x", {"x": "target"}, {"x": 7}, {"x": ["feature"]}])
def test_roles_that_this_page_never_wrote_get_a_sentence(visitor, given):
    changes = visitor.choose({"kind": "sample", "key": "iris", "roles": given})
    assert list(changes) == [ERROR]
    assert changes[ERROR].startswith("The last choice of data cannot be read.")


def test_roles_of_a_column_that_is_not_there_get_a_sentence(visitor):
    changes = visitor.choose({"kind": "sample", "key": "iris", "roles": {"planet": "feature"}})
    assert changes[ERROR].startswith('There is no column "planet".')


@pytest.mark.slow
def test_a_run_knows_the_choice_and_its_program_applies_it(studio, pottery):
    make(pottery, "number", "feature")
    make(pottery, "ware", "ignored")
    run = pottery.start(method="pca")
    studio.work()
    assert studio.store.get(run).source.roles == {"number": "feature", "ware": "ignored"}
    script = pottery.http.get(f"/runs/{run}/script.py").text
    columns = script.partition("COLUMNS = {")[2].partition("}")[0]
    assert "'number':" in columns
    assert "'ware':" not in columns


GRID = f"{ids.GRID}.value"


def drawings() -> bytes:
    """Sixteen columns that nothing calls pixels."""
    X = np.random.default_rng(0).normal(size=(60, 16))
    table = pd.DataFrame(X, columns=[f"m {one}" for one in "abcdefghijklmnop"])
    return csv(table.assign(label=["a", "b"] * 30))


def grid_shown(visitor) -> dict:
    """What the open window says of a grid."""
    data = visitor.values[f"{ids.DATA}.data"]
    return visitor.fire(ids.TABLE_SHOWN, "data", data, ids.GRID)


def test_a_person_says_that_features_are_pixels_and_takes_it_back(visitor):
    visitor.choose_file(drawings(), "drawings.csv")
    shown = grid_shown(visitor)
    assert (shown[f"{ids.GRID_FIELD}.hidden"], shown[GRID]) == (False, "")
    visitor.choose(visitor.fire(ids.GRID, "value", "4 x 4")[CHOICE])
    assert visitor.values[f"{ids.DATA}.data"]["source"]["answers"] == {"grid": "4x4"}
    assert grid_shown(visitor)[GRID] == "4 x 4"
    visitor.choose(visitor.fire(ids.GRID, "value", "")[CHOICE])
    assert visitor.values[f"{ids.DATA}.data"]["source"]["answers"] == {"grid": "none"}
    assert grid_shown(visitor)[GRID] == ""


def test_a_recognized_grid_is_filled_in_and_chooses_nothing(visitor):
    visitor.choose_sample("digits")
    assert grid_shown(visitor)[GRID] == "8 x 8"
    assert CHOICE not in visitor.fire(ids.GRID, "value", "8 x 8")


def test_a_grid_that_the_columns_cannot_be_gets_a_sentence(visitor):
    visitor.choose_file(drawings(), "drawings.csv")
    answer = visitor.fire(ids.GRID, "value", "5 x 5")
    assert CHOICE not in answer
    assert "5 x 5 has 25 pixels, but the table has 16 numeric columns" in str(answer)


def test_what_is_no_size_gets_a_sentence_at_its_field(visitor):
    visitor.choose_file(drawings(), "drawings.csv")
    answer = visitor.fire(ids.GRID, "value", "large")
    assert CHOICE not in answer
    assert "is no size of an image" in str(answer)


def test_a_table_of_few_features_is_not_asked_for_a_grid(pottery):
    assert grid_shown(pottery)[f"{ids.GRID_FIELD}.hidden"] is True
