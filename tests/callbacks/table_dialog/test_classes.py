"""The tab of the classes: values renamed, merged and left out, numbers cut."""

from __future__ import annotations

import numpy as np
import pytest

from lab.driver.visitor import components
from melm_studio.layout import ids
from melm_studio.runs.records.data_source import DataSource
from melm_studio.validation import read
from melm_studio.workspace.view_query import from_query, to_query
from melm_studio.workspace.view_spec import ViewSpec
from tests.callbacks.tables import blobs, csv

CHOICE, ERROR = f"{ids.CHOICE}.data", f"{ids.COLUMNS_ERROR}.children"


@pytest.fixture
def wares(visitor):
    table = blobs().assign(ware=["red", "grey", "black"] * 20, price=np.arange(60) ** 1.5)
    visitor.choose_file(csv(table), label="ware")
    return visitor


def form(visitor) -> list[dict]:
    visitor.open_table()
    changes = visitor.fire(ids.TABLE_TAB, "value", "classes", ids.CLASSES_FORM)
    return [part["props"] for part in components(changes[f"{ids.CLASSES_FORM}.children"])]


def applied(visitor, names=(), **rules) -> dict:
    """Fill in the form, press Apply, and take the data that follow."""
    parts = [part for part in form(visitor) if isinstance(part.get("id"), dict)]
    for part in parts:
        one = part["id"]
        if one["type"] == "class-name":
            part["value"] = dict(names).get(part["name"], part["value"])
        else:
            part["value"] = rules.get(one["name"], part["value"])
    changes = visitor.fire(ids.CLASSES_APPLY, "n_clicks", 1)
    return visitor.choose(changes[CHOICE]) if CHOICE in changes else changes


def test_the_form_shows_every_value_with_its_rows(wares):
    names = [part["name"] for part in form(wares) if "name" in part]
    assert names == ["black", "grey", "red"]


def test_values_are_renamed_merged_and_left_out(studio, wares):
    applied(wares, names={"red": "bright", "black": ""})
    assert studio.data_of(wares).class_names == ("grey", "bright")
    applied(wares, names={"black": "dark", "grey": "dark"})
    assert studio.data_of(wares).class_names == ("dark", "bright")


@pytest.mark.slow
def test_a_number_is_cut_at_given_cuts_and_into_equal_parts(studio, wares):
    wares.choose({**wares.values["data.data"]["source"], "label": "price"})
    applied(wares, how="cuts", cuts="10; 100")
    assert studio.data_of(wares).class_names == ("up to 10", "10 to 100", "above 100")
    applied(wares, how="quantiles", quantiles=2)
    assert len(studio.data_of(wares).class_names) == 2


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ({"how": "cuts", "cuts": "low"}, "The cuts must be numbers, separated by semicolons; they"),
        ({"how": "cuts", "cuts": " "}, "Name at least one number"),
        ({"min_rows": 0}, "The fewest rows of a class must be a whole number from 2 to"),
        ({"how": "quantiles", "quantiles": 99}, "The number of classes must be a whole number"),
    ],
)
def test_rules_that_cannot_be_get_a_sentence(wares, rules, sentence):
    wares.choose({**wares.values["data.data"]["source"], "label": "price"})
    changes = applied(wares, **rules)
    assert list(changes) == [ERROR]
    assert changes[ERROR].startswith(sentence)


def test_the_detected_classes_come_back_and_another_label_has_its_own(studio, wares):
    applied(wares, names={"red": ""})
    wares.choose(wares.fire(ids.CLASSES_RESET, "n_clicks", 1)[CHOICE])
    assert studio.data_of(wares).class_names == ("black", "grey", "red")
    applied(wares, names={"red": "bright"})
    chosen = wares.fire(ids.LABEL, "value", "label")[CHOICE]
    assert chosen["classes"] == {}


def test_an_order_goes_with_the_classes_until_they_are_reset(studio, wares):
    source = wares.values["data.data"]["source"]
    wares.choose({**source, "orders": {"ware": ["red", "black", "grey"], "age": ["b", "a"]}})
    assert studio.data_of(wares).class_names == ("red", "black", "grey")
    applied(wares, names={"black": "dark"})
    assert studio.data_of(wares).class_names == ("red", "grey", "dark")
    again = wares.fire(ids.CLASSES_RESET, "n_clicks", 1)[CHOICE]
    assert again["orders"] == {"age": ["b", "a"]}
    wares.choose(again)
    assert studio.data_of(wares).class_names == ("black", "grey", "red")


def test_classes_are_kept_by_links(wares):
    source = wares.values["data.data"]["source"]
    wares.choose({**source, "orders": {"ware": ["red", "black", "grey"]}})
    applied(wares, names={"red": "bright & new"}, min_rows=3)
    source = read(wares.values["data.data"]["source"], DataSource, "The data")
    spec = ViewSpec(source=source, method="pca")
    assert from_query(to_query(spec)).source == source


def test_runs_of_other_classes_are_no_runs_of_this_table(wares):
    run = wares.start(method="pca")
    assert wares.panels() == [run]
    applied(wares, names={"red": "grey"})
    assert wares.panels() == []
