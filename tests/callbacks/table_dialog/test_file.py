"""The tab of the file: another sheet, and cells beyond a limit."""

from __future__ import annotations

import numpy as np
import pytest

from lab.driver.visitor import components
from melm_studio.layout import ids
from tests.melm_studio.tables.test_readers import workbook

CHOICE = f"{ids.CHOICE}.data"


def sheet(*names: str) -> list[list]:
    rng = np.random.default_rng(0)
    rows = [[*rng.normal(size=len(names)).tolist(), "ab"[i % 2]] for i in range(20)]
    return [[*names, "label"], *rows]


@pytest.fixture
def book(visitor):
    raw = workbook(first=sheet("x", "y"), second=sheet("p", "q", "r"))
    assert visitor.choose_file(raw, "book.xlsx")["data-error.children"] is None
    return visitor


def form(visitor) -> dict[str, dict]:
    visitor.open_table()
    changes = visitor.fire(ids.TABLE_TAB, "value", "file", ids.FILE_FORM)
    parts = [part["props"] for part in components(changes[f"{ids.FILE_FORM}.children"])]
    return {part["id"]["name"]: part for part in parts if isinstance(part.get("id"), dict)}


def test_another_sheet_is_another_table(studio, book):
    assert form(book)["sheet"]["value"] == "first"
    chosen = book.fire(ids.read_option("sheet"), "value", "second")
    book.choose(chosen[CHOICE])
    assert studio.data_of(book).feature_names == ("p", "q", "r")
    assert form(book)["sheet"]["value"] == "second"


def test_another_sheet_is_chosen_by_its_button(studio, book):
    data = studio.data_of(book)
    (at,) = (at for at, one in enumerate(data.questions) if one.id == "sheet")
    assert [choice.value for choice in data.questions[at].choices] == ["first", "second"]
    chosen = book.fire(ids.answer(at, 1), "n_clicks", 1)[CHOICE]
    assert chosen["answers"] == {"sheet": "second"}
    book.choose(chosen)
    assert studio.data_of(book).feature_names == ("p", "q", "r")
    assert form(book)["sheet"]["value"] == "second"
    test_what_has_just_been_drawn_chooses_nothing(book)
    book.choose(book.fire(ids.read_option("sheet"), "value", "first")[CHOICE])
    assert studio.data_of(book).feature_names == ("x", "y")


def test_what_questions_alone_ask_stays_as_it_was_answered(visitor):
    rows = "".join(
        f"{'low' if at % 5 == 0 else at * 1.5},{at % 7},{'ab'[at % 2]}\n" for at in range(40)
    )
    visitor.choose_file(b"lead,zinc,label\n" + rows.encode(), "t.csv", answers={"words": "empty"})
    form(visitor)
    assert visitor.fire(ids.read_option("limits"), "value", "auto") == {}
    chosen = visitor.fire(ids.read_option("limits"), "value", "empty")[CHOICE]
    assert chosen["reading"] == {"limits": "empty", "words": "empty"}


def test_what_has_just_been_drawn_chooses_nothing(book):
    for name, part in form(book).items():
        assert book.fire(ids.read_option(name), "value", part["value"]) == {}


def test_cells_below_a_limit_are_read_as_the_user_says(studio, visitor):
    visitor.choose_file(
        b"lead,zinc,label\n" + b"<0.5,1,a\n1.5,2,b\n1.5,1,b\n1.5,2,a\n<0.5,2,b\n" * 8, "t.csv"
    )
    form(visitor)
    visitor.choose(visitor.fire(ids.read_option("limits"), "value", "indicator")[CHOICE])
    assert studio.data_of(visitor).feature_names == ("lead", "lead beyond limit", "zinc")


def test_a_label_of_25_values_in_a_workbook_gives_25_classes_and_runs(studio, visitor):
    rows = [[i % 7 + i / 60, i * 5 % 13, i * i % 11, f"site {i % 25:02}"] for i in range(100)]
    raw = workbook(sites=[["x", "y", "z", "site"], *rows])
    visitor.choose_file(raw, "sites.xlsx")
    visitor.choose(visitor.fire(ids.LABEL, "value", "site")[CHOICE])
    assert len(studio.data_of(visitor).class_names) == 25
    run = visitor.start(method="pca")
    studio.work()
    assert studio.store.get(run).state == "done"
