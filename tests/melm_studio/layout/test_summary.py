"""What is known of a data set, in words and figures."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import msgspec
import numpy as np
import pandas as pd
import pytest
from dash import html

from melm_studio.layout.table_sheet import data_size, data_summary
from melm_studio.tables import Choice, Column, Question, Role, prepare, read_table
from melm_studio.tables.labeled_data import LabeledData
from melm_studio.tables.summary import summarize
from melm_studio.workspace.described_tables import TableDescription
from tests.melm_studio.layout.trees import parts, texts
from tests.melm_studio.runs.helpers import blobs

SWATCHES = [(f"var(--class-{code})", "circle") for code in range(3)]


def described(data: LabeledData, **changes) -> TableDescription:
    return TableDescription(
        id="",
        name=data.name,
        label="",
        class_names=data.class_names,
        steps=data.steps,
        warnings=data.warnings,
        questions=data.questions,
        has_batches=data.batches is not None,
        summary=replace(summarize(data), **changes),
        labels=(),
    )


def shown(data: LabeledData, **changes):
    return data_summary(described(data, **changes), SWATCHES)


def test_thousands_are_separated():
    data = blobs(12_345)
    assert data_size(summarize(data)) == "12,345 rows, 5 features, 3 classes"
    assert "4,115" in texts(*shown(data))


def test_filled_cells_and_principal_components_are_a_step_away():
    assert (
        "54 % of the cells are filled, that is, not zero. "
        "4 principal components hold 95 % of the variance."
    ) in texts(*shown(blobs(), density=0.5358, n_directions=4))
    assert "1 principal component holds 95 %" in str(shown(blobs(), n_directions=1))


def test_components_counted_in_a_sample_say_so():
    found = str(shown(blobs(90), n_directions=4, n_rows_used=60))
    assert "of the variance, in a sample of 60 rows." in found


def test_the_legend_has_every_class_with_its_rows_and_its_look():
    data = replace(blobs(9), y=np.array([0, 0, 0, 0, 0, 1, 1, 2, 2]))
    swatches = [("red", "circle"), ("green", "circle"), ("red", "square")]
    summary = data_summary(described(data, class_directions=(4, 1, 1)), swatches)
    looks = [p for p in parts(*summary) if "swatch" in str(p.get("className"))]
    assert [(p["style"], p["className"].split()[1]) for p in looks] == [
        ("background-color: red", "circle"),
        ("background-color: green", "circle"),
        ("background-color: red", "square"),
    ]
    assert texts(*summary)[:6] == ["0", "5", "1", "2", "2", "2"]
    (first, *_) = [p["title"] for p in parts(*summary) if p.get("className") == "count"]
    assert first == "5 rows; 4 principal components for 95 % of their variance"


def test_warnings_are_in_sight_and_other_notes_are_folded_in_their_order():
    steps = ("Read as tab-separated.", "7 rows repeat.", "<b>x</b> is constant and left out.")
    (legend, warning, notes) = shown(replace(blobs(), steps=steps, warnings=steps[1:2]))
    assert texts(legend)[0] == "0"
    assert texts(warning) == ["7 rows repeat."]
    assert texts(notes)[:3] == ["3 notes on the table", steps[0], steps[2]]


def test_features_are_pressed_and_information_is_not():
    columns = (Column("depth", Role.NUMERIC, "numeric"), Column("site", Role.INFO, "a place"))
    (features,) = features_of(shown_with(columns))
    assert pressed(features.to_plotly_json()["props"]) == {"depth": "true", "site": "false"}
    assert [p["title"] for p in parts(features) if "title" in p] == [
        "depth: numeric",
        "site: a place",
    ]


@pytest.mark.parametrize(("n_columns", "is_open"), [(0, []), (12, [True]), (13, [False])])
def test_columns_are_in_sight_if_they_are_few(n_columns, is_open):
    columns = tuple(Column(f"x{n}", Role.NUMERIC, "numeric") for n in range(n_columns))
    found = features_of(shown_with(columns))
    assert [each.open for each in found] == is_open


@pytest.mark.parametrize(("n_columns", "n_named"), [(24, 24), (25, 0)])
def test_many_columns_are_not_named_one_by_one(n_columns, n_named):
    rows = pd.DataFrame(np.random.default_rng(0).standard_normal((20, n_columns)))
    file = rows.add_prefix("x").assign(kind=["a", "b"] * 10).to_csv(index=False).encode()
    table = read_table(file, "table.csv")
    assert len(TableDescription.of(table, prepare(table)).columns) == n_named


def test_a_question_is_in_sight_with_a_button_for_each_answer():
    asked = Question(
        "doubles", "Are they? Yes.", (Choice("together", "Are"), Choice("no", "Are not"))
    )
    data = replace(blobs(), questions=(asked, msgspec.structs.replace(asked, answer="no")))
    found = [one.to_plotly_json()["props"] for one in questions_of(shown(data))]
    assert [("data-open" in props, props["aria-label"]) for props in found] == [
        (True, "Are they?"),
        (False, "Are they?"),
    ]
    assert [pressed(props) for props in found] == [
        {"Are": "false", "Are not": "false"},
        {"Are": "false", "Are not": "true"},
    ]


def test_three_questions_are_in_sight_those_without_a_default_first_and_answers_are_folded():
    choices = (Choice("a", "A"), Choice("b", "B"))
    asked = [Question(f"use:{at}", f"What is {at}?", choices, default="a") for at in range(5)]
    needed = Question("doubles", "Are they?", choices)
    answered = Question("limits", "How?", choices, answer="b", default="a")
    data = replace(blobs(), questions=(answered, *asked, needed))
    found = [part for part in shown(data) if is_question(part)]
    names = [one.to_plotly_json()["props"]["aria-label"] for one in found]
    assert names == ["Are they?", "What is 0?", "What is 1?"]
    assert pressed(found[1].to_plotly_json()["props"]) == {"A": "true", "B": "false"}
    assert "4 more questions" in texts(*shown(data))


def test_what_the_verdict_is_computed_for_each_way_is_folded():
    choices = (Choice("a", "A"), Choice("b", "B"))
    asked = Question("doubles", "Are they?", choices, default="each-way")
    data = replace(blobs(), questions=(asked,))
    assert not [part for part in shown(data) if is_question(part)]
    (found,) = questions_of(shown(data))
    assert pressed(found.to_plotly_json()["props"]) == {"A": "false", "B": "false"}
    assert "1 question" in texts(*shown(data))


def questions_of(parts_shown):
    """The questions in sight, and then those that are folded."""
    folds = [
        part.children for part in parts_shown if isinstance(part, html.Details) and part.children
    ]
    return [part for part in chain(parts_shown, *folds) if is_question(part)]


def shown_with(columns):
    return data_summary(replace(described(blobs()), columns=columns), SWATCHES)


def features_of(parts_shown):
    """The buttons of the columns, if there are any."""
    return [part for part in parts_shown if "column-buttons" in getattr(part, "className", "")]


def is_question(part):
    return getattr(part, "className", "") == "table-question"


def pressed(props):
    _, buttons = props["children"]
    return {one.children: one.to_plotly_json()["props"]["aria-pressed"] for one in buttons.children}
