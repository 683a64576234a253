"""Rows chosen by values or a range: said in the title and the report, in links, and undone."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from lab.driver.visitor import components
from melm_studio.layout import ids
from melm_studio.planes.captions import title
from tests.callbacks.tables import csv
from tests.callbacks.test_share_link import RESTORED, open_link, shared

CHOICE, ERROR = f"{ids.CHOICE}.data", f"{ids.COLUMNS_ERROR}.children"
N_ROWS = 60


@pytest.fixture
def shown(visitor):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(N_ROWS, 3))).add_prefix("x")
    table = table.assign(
        age=np.arange(N_ROWS) + 20.0, site=["A", "B", None] * 20, label=["u", "v"] * 30
    )
    assert visitor.choose_file(csv(table), "sites.csv")["data-error.children"] is None
    return visitor


def tab(visitor) -> dict:
    visitor.open_table()
    return visitor.fire(ids.TABLE_TAB, "value", "rows", ids.FILTERS)


def add(visitor, column: str, button: str = ids.FILTER_KEEP, **parts) -> dict:
    """Choose rows as the form does, and return the changes of the page."""
    visitor.fire(ids.FILTER_COLUMN, "value", column)
    for part in components(visitor.values[f"{ids.FILTER_VALUES}.children"]):
        if isinstance(part["props"].get("id"), dict):
            part["props"]["value"] = parts.get(part["props"]["id"]["name"])
    return visitor.fire(button, "n_clicks", 1)


def texts(tree) -> str:
    return " ".join(
        part["props"]["children"]
        for part in components(tree)
        if isinstance(part["props"].get("children"), str)
    )


def test_rows_with_a_value_are_kept_and_named(studio, shown):
    shown.choose(add(shown, "site", values=["A", ""])[CHOICE])
    data = studio.data_of(shown)
    assert set(data.row_numbers % 3) == {1, 0}
    assert "Rows chosen by you, only site A, missing: 40 of 60." in data.steps
    words = texts(tab(shown)[f"{ids.FILTERS}.children"])
    assert "40 of 60 rows are used." in words
    assert "only site A, missing" in words


def test_a_range_is_left_out_and_put_back(studio, shown):
    before = studio.data_of(shown).content_hash
    shown.choose(add(shown, "age", ids.FILTER_DROP, low=30, high=39.5)[CHOICE])
    assert set(studio.data_of(shown).row_numbers).isdisjoint(range(11, 21))
    run = shown.start(method="lda")
    studio.work()
    assert "without age from 30 to 39.5" in title(studio.store.get(run))
    tab(shown)
    shown.choose(shown.fire(ids.filter_removal("0"), "n_clicks", 1)[CHOICE])
    assert studio.data_of(shown).content_hash == before


@pytest.mark.slow
def test_a_link_and_a_report_carry_the_filter_and_undo_ends_it(studio, shown):
    shown.choose(add(shown, "site", values=["B"])[CHOICE])
    run = shown.start(method="lda")
    studio.work()
    assert "only site B" in shown.http.get(f"/runs/{run}/report.html").text
    query = shared(shown, run).json["query"]
    shown.choose_sample("iris")
    assert open_link(shown, query)[RESTORED]["run"] == run
    rows = shown.http.post(f"/runs/{run}/planes/0/rows.csv", json={"rows": [2, 59]})
    assert list(pd.read_csv(io.StringIO(rows.text))["age"]) == [21, 78]
    again = shown.http.post(f"/runs/{run}/put-back", json={}).json
    assert again["choice"]["filters"] == []


@pytest.mark.parametrize(
    ("column", "parts", "words"),
    [
        ("site", {}, "Choose values of site, or an end of a range."),
        ("age", {"low": 5, "high": 1}, "must begin below its end; it is from 5 to 1."),
        ("", {}, "Choose a column first."),
    ],
)
def test_a_filter_without_rows_gets_a_sentence(shown, column, parts, words):
    assert words in add(shown, column, **parts)[ERROR]


def test_a_filter_that_leaves_no_row_keeps_the_data(studio, shown):
    before = studio.data_of(shown).content_hash
    refused = shown.choose(add(shown, "age", low=500)[CHOICE])
    assert "No row is left: only age from 500." in refused["data-error.children"]
    assert studio.data_of(shown).content_hash == before
