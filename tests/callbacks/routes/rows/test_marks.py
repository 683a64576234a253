"""Colors and symbols belong to the points that the page draws."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from lab.driver.traces import decoded
from melm_studio.tables import load_sample
from tests.callbacks.tables import csv


@pytest.fixture(scope="module")
def finished(studio):
    visitor = studio.visitor()
    table = load_sample("wine").frame.copy()
    table["plate"] = np.arange(len(table)) % 4 + 1
    table.loc[10:14, "cultivar"] = np.nan
    visitor.choose_file(csv(table), "wine.csv")
    run = visitor.start(method="lda")
    studio.work()
    return SimpleNamespace(visitor=visitor, run=run, table=table)


def ask(finished, path: str, **query):
    return finished.visitor.http.get(f"/runs/{finished.run}/{path}", query_string=query)


@pytest.mark.parametrize("path", ["colors", "symbols"])
def test_every_drawn_point_has_the_mark_of_its_value(finished, path) -> None:
    rows = ask(finished, "figure").get_json()["rows"]
    found = ask(finished, path, column="plate").get_json()
    assert [len(marks) for marks in found["marks"]] == [len(numbers) for numbers in rows]
    marks = {entry["text"]: entry["mark"] for entry in found["legend"]}
    for numbers, trace in zip(rows, found["marks"], strict=True):
        assert trace == [marks[str(finished.table["plate"][row - 1])] for row in numbers]


def test_every_column_of_the_file_can_be_chosen(finished) -> None:
    assert ask(finished, "columns").get_json()["columns"] == list(finished.table.columns)


def test_an_unknown_column_is_refused_in_a_sentence(finished) -> None:
    answer = ask(finished, "colors", column="nothing")
    assert answer.status_code == 400
    assert 'no column "nothing"' in answer.get_json()["words"]


def test_every_row_has_a_mark_where_some_have_no_class(finished) -> None:
    found = ask(finished, "colors", column="plate").get_json()
    codes = decoded(found["every"]["codes"]).astype(int)
    marks = {entry["text"]: entry["mark"] for entry in found["legend"]}
    expected = [marks[str(value)] for value in finished.table["plate"]]
    assert [found["every"]["palette"][code] for code in codes] == expected
