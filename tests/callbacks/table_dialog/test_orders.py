"""Categories that the user puts in order."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lab.driver.visitor import components
from melm_studio.layout import ids
from tests.callbacks.tables import csv
from tests.callbacks.test_share_link import RESTORED, open_link, shared

CHOICE = f"{ids.CHOICE}.data"
AGE = 2  # the place of its column


@pytest.fixture
def shown(visitor):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(40, 2))).add_prefix("x")
    table = table.assign(age=["young", "old", "middle-aged", "old"] * 10, label=["u", "v"] * 20)
    visitor.choose_file(csv(table), "ages.csv", roles={"age": "ordered"})
    data = visitor.values[f"{ids.DATA}.data"]
    visitor.fire(ids.TABLE_SHOWN, "data", data, ids.COLUMNS_TABLE)
    return visitor


def fields(visitor) -> dict:
    tree = visitor.values[f"{ids.COLUMNS_TABLE}.children"]
    parts = [part["props"] for part in components(tree)]
    return {
        part["id"]["column"]: part["value"]
        for part in parts
        if isinstance(part.get("id"), dict) and part["id"]["type"] == "order"
    }


@pytest.mark.slow
def test_categories_are_put_in_order_and_a_link_keeps_it(studio, shown):
    assert fields(shown) == {AGE: "middle-aged < old < young"}
    assert shown.fire(ids.order(AGE), "value", "middle-aged < old < young") == {}
    wanted = "young < middle-aged < old"
    shown.choose(shown.fire(ids.order(AGE), "value", wanted)[CHOICE])
    data = studio.data_of(shown)
    ages = data.X[:, AGE] * data.scale[AGE] + data.center[AGE]
    assert ages[:3].round(9).tolist() == [0, 2, 1]
    assert f"age is an ordered category ({wanted}): one feature, its position." in data.steps
    run = shown.start(method="lda")
    studio.work()
    query = shared(shown, run).json["query"]
    shown.choose_sample("iris")
    assert open_link(shown, query)[RESTORED]["run"] == run


@pytest.mark.parametrize(
    ("order", "problem"),
    [("young < old", "lacks middle-aged"), ("old < old < young < middle-aged", "names a category")],
)
def test_an_order_without_each_category_once_is_refused(studio, shown, order, problem):
    before = studio.data_of(shown).content_hash
    refused = shown.choose(shown.fire(ids.order(AGE), "value", order)[CHOICE])
    assert f"The order of age {problem}" in refused["data-error.children"]
    assert studio.data_of(shown).content_hash == before
