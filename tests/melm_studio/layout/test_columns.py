"""What the window of the columns shows, and which choices it offers."""

from __future__ import annotations

import pytest

from melm_studio.layout import ids
from melm_studio.layout.table_dialog.columns import ROLES, columns_table
from melm_studio.layout.table_dialog.dialog import table_dialog
from melm_studio.tables.roles import PICTURES, Column, Role, Use
from tests.melm_studio.layout.trees import part, parts, texts


def row(role: Role, n_values: int = 30, exclusion_reason: str = "", name: str = "x"):
    return Column(name, role, "why", n_values, 2, exclusion_reason)


def options(column: Column) -> dict[str, bool]:
    """The choices of a row and whether each can be made."""
    offered = part(columns_table([(7, column)], 1), ids.role(7))["data"]
    return {option["value"]: not option["disabled"] for option in offered}


def impossible(column: Column) -> set[str]:
    return {choice for choice, can_be_made in options(column).items() if not can_be_made}


def test_every_role_has_a_name_and_is_one_of_the_choices():
    assert set(ROLES) == set(Role)
    assert {choice for choice, _ in ROLES.values()} == {"label", *Use}


def test_pictures_can_only_be_information_or_left_out():
    assert impossible(row(Role.INFO, exclusion_reason=PICTURES)) == {"label", *Use} - {
        "info",
        "ignored",
    }


@pytest.mark.parametrize("role", Role)
def test_a_row_shows_its_role_and_can_always_keep_it(role):
    column = row(role, exclusion_reason="every value is the same")
    select = part(columns_table([(7, column)], 1), ids.role(7))
    (current,) = (option for option in select["data"] if option["value"] == select["value"])
    assert current["label"] == ROLES[role][1]
    assert not current["disabled"]


def test_what_a_column_cannot_be_is_not_offered():
    everything = {"label", *Use}
    assert impossible(row(Role.ID)) == set()
    assert impossible(row(Role.CATEGORICAL, 3)) == set()
    constant = row(Role.CONSTANT, 1, "every value is the same")
    assert impossible(constant) == {"label", "feature", "category", "ordered"}
    assert set(options(constant)) == everything


def test_a_row_has_name_reason_and_counts_of_its_column():
    table = columns_table([(0, row(Role.NUMERIC, 1234, name="<b>width</b>"))], 1)
    assert texts(table)[-4:] == ["<b>width</b>", "why", "1,234", "2"]
    assert part(table, ids.role(0))["aria-label"] == "Role of <b>width</b>"
    assert [p["scope"] for p in parts(table) if "scope" in p] == ["col"] * 5 + ["row"]


def test_the_caption_counts_what_is_shown():
    rows = [(at, row(Role.NUMERIC)) for at in range(2)]
    assert "2 columns" in texts(columns_table(rows, 2))
    assert "10,000 columns, 2 shown" in texts(columns_table(rows, 10_000))


def test_a_search_that_finds_nothing_says_so():
    assert texts(columns_table([], 0)) == ["No column name contains this text."]


def test_the_window_begins_closed():
    assert part(table_dialog(), ids.COLUMNS)["opened"] is False
