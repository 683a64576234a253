"""The lists of rows say of each its name, its class, and what else it may be."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from melm_studio.layout.lists import (
    difference_items,
    feature_list,
    new_row_items,
    new_rows,
    row_items,
    selection_words,
)
from melm_studio.planes.features import feature_ranking
from melm_studio.rows.new_rows import ScaleQuestion
from melm_studio.rows.new_rows_report import NewRowsReport
from melm_studio.rows.row_summaries import RowSummary
from melm_studio.rows.selection import Difference, Selection
from tests.melm_studio.layout.trees import parts, texts

ROW = RowSummary(
    row=7, name="", label="a", predicted="a", probability="80 %", basis="held out", unlike=""
)

WORTH = {"share": 0.5, "is_seen": True, "words": "3 % lost"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ["row 7", "a", "80 %"]),
        ({"name": "x", "possible": "a or b"}, ["x", "a", "a or b"]),
        ({"predicted": "b"}, ["row 7", "a", "b 80 %"]),
        ({"label": ""}, ["row 7", "a", "80 %"]),
        ({"label": "", "possible": "a or b"}, ["row 7", "a or b", ""]),
        ({"unlike": "off the plane"}, ["row 7", "a", "unlike the training rows"]),
    ],
)
def test_a_line_names_what_the_row_may_be(changes, said):
    assert texts(*new_row_items([replace(ROW, **changes)])) == said


def test_only_another_class_stands_out():
    for changes, stands_out in [({}, False), ({"predicted": "b"}, True), ({"label": ""}, False)]:
        classes = [
            part.get("className") for part in parts(*new_row_items([replace(ROW, **changes)]))
        ]
        assert ("row-taken is-other" in classes) is stands_out


def test_a_selected_row_is_a_button_that_rings_it_and_more_rows_are_counted():
    items = row_items([ROW], 1_201)
    (button,) = (part for part in parts(*items) if "data-mark" in part)
    assert (button["data-mark"], button["title"]) == ("7", "row 7: a 80 % (held out)")
    assert texts(*items)[-1] == "and 1,200 more; save as CSV for all"
    assert "more" not in texts(*row_items([ROW], 1))[-1]


def test_a_selection_is_counted_and_told_apart():
    differences = (Difference("ash", -1.26, "2.1", "2.4"), Difference("hue", None, "1", "1"))
    found = Selection(n_rows=1, classes=(("a", 1),), rows=(ROW,), differences=differences)
    assert texts(selection_words(found)) == ["1 row"]
    items = difference_items(found.differences)
    assert texts(*items) == ["ash", "−1.3 SD", "hue", ""]
    assert parts(*items)[0]["title"] == "ash: mean 2.1, 2.4 of the other rows"


def test_a_question_of_units_stands_above_the_new_rows_and_the_confusion_below():
    report = NewRowsReport(
        name="b.csv",
        headline="",
        notes=("Two rows were left out.",),
        class_names=("a", "b"),
        confusion=((3, 1), (0, 2)),
        rows=(ROW,),
        n_rows=1,
        scales=(ScaleQuestion("ash", 0.001, "Is ash in g?", "Multiply by 0.001"),),
    )
    shown = new_rows(report)
    assert [type(each).__name__ for each in shown] == ["Div", "Ol", "Table", "Ul"]
    (button,) = (part for part in parts(shown[0]) if "data-scales" in part)
    assert (button["data-scales"], float(button["data-factor"])) == ("ash", 0.001)
    right = [part["children"] for part in parts(shown[2]) if part.get("className") == "is-right"]
    assert right == ["3", "2"]
    assert "Table" not in [type(each).__name__ for each in new_rows(replace(report, confusion=()))]


def ranked(*changes, **more):
    """A ranking of as many features as there are changes, whose arrows are 2, 1, … long."""
    loadings = np.array([[0.0, float(at)] for at in range(len(changes), 0, -1)])
    ranking = feature_ranking([f"f{at}" for at in range(len(changes))], loadings)
    features = [each | change for each, change in zip(ranking["features"], changes, strict=True)]
    return ranking | {"features": features} | more


def buttons(ranking):
    return [each for each in parts(feature_list(ranking)) if "data-feature" in each]


def test_until_losses_are_known_bars_are_as_long_as_arrows():
    bars = [
        each["style"]["--share"]
        for each in parts(feature_list(ranked({}, {})))
        if each.get("className") == "feature-bar"
    ]
    assert bars == ["1.0000", "0.5000"]


def test_what_a_feature_is_worth_is_said_and_where_that_is_not_sure():
    unseen = {**WORTH, "is_seen": False, "words": "none lost"}
    unstable = {"is_stable": False, "stability": "in 1 of 9"}
    ranking = ranked(WORTH, unseen, {**unseen, **unstable})
    first, second, third = buttons(ranking)
    assert (first["title"], first["className"]) == ("f0: 3 % lost", "feature")
    assert second["aria-label"] == "f1, loading 2.00, not sure: none lost"
    assert second["className"] == "feature is-unseen"
    assert third["title"] == "f2: not sure: none lost; in 1 of 9"
    assert third["className"] == "feature is-unseen is-unstable"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, [""]),
        ({"of": 1_204}, ["The strongest 1 of 1,204."]),
        ({"of": 9, "stability": "It turns."}, ["The strongest 1 of 9. It turns."]),
    ],
)
def test_features_beyond_the_list_are_counted(more, said):
    shown = feature_list(ranked({}, **more))
    assert texts(shown[-1]) == said


def line_of(ranking):
    shown = parts(feature_list(ranking))
    (line,) = (each for each in shown if each.get("className") == "features-line")
    return line


def test_a_line_is_shown_where_features_are_in_order_alone():
    assert line_of(ranked({}))["hidden"]
    line = line_of(ranked({}, line={"words": "Length", "points": "0,1 2,3"}))
    assert (line["hidden"], line["aria-label"]) == (False, "Length")
