"""The window of the columns, by pointer and by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from lab.driver.page import StudioPage
from melm_studio.layout import ids
from tests.callbacks.table_dialog.test_columns import pots
from tests.callbacks.tables import csv

MOST_STEPS = 20


@pytest.fixture
def window(page: Page) -> Locator:
    """The window of a table of pots."""
    studio = StudioPage(page)
    file = {"name": "pots.csv", "mimeType": "text/csv", "buffer": csv(pots())}
    studio.file_input.set_input_files(file)
    expect(studio.data_name).to_have_text("pots")
    studio.open_sheet()
    page.get_by_role("button", name="Columns").click()
    window = page.get_by_role("dialog", name="Columns and classes of the table")
    expect(row(window, "place")).to_be_visible()
    return window


def row(window: Locator, column: str) -> Locator:
    head = window.page.get_by_role("rowheader", name=column, exact=True)
    return window.get_by_role("row").filter(has=head)


def role(window: Locator, column: str) -> Locator:
    return window.get_by_role("textbox", name=f"Role of {column}", exact=True)


def walk_to(option: Locator) -> None:
    """Press an arrow key until the option is the one that Enter would choose."""
    for _ in range(MOST_STEPS):
        option.page.keyboard.press("ArrowUp")
        if option.get_attribute("data-combobox-selected"):
            return
    raise AssertionError(f"The option is not within {MOST_STEPS} presses of an arrow key.")


@pytest.mark.slow
def test_an_identifier_becomes_a_feature_by_keyboard_and_the_focus_stays(window: Locator):
    keyboard = window.page.keyboard
    choice = role(window, "number")
    expect(choice).to_have_value("Name")
    choice.focus()
    keyboard.press("Enter")
    option = window.page.get_by_role("option", name="Feature", exact=True)
    expect(option).to_be_visible()
    walk_to(option)
    keyboard.press("Enter")
    expect(row(window, "number")).to_contain_text("as you chose")
    expect(role(window, "number")).to_be_focused()
    expect(role(window, "number")).to_have_value("Numeric feature")
    window.get_by_role("button", name="Reset to detected roles").click()
    expect(role(window, "number")).to_have_value("Name")


@pytest.mark.slow
def test_another_label_gives_other_classes_behind_the_window(window: Locator):
    page = window.page
    role(window, "ware").click()
    page.get_by_role("option", name="Label").click()
    expect(role(window, "ware")).to_have_value("Label")
    expect(role(window, "label")).to_have_value("Categorical feature")
    page.keyboard.press("Escape")
    expect(window).to_be_hidden()
    page.locator(f"#{ids.DATA_NAME}").click()  # opens the sheet of the table
    classes = page.get_by_role("list", name="Classes").get_by_role("listitem")
    expect(classes).to_have_count(3)


@pytest.mark.slow
def test_what_a_column_cannot_be_cannot_be_chosen(window: Locator):
    role(window, "unit").click()
    for choice in ("Label", "Feature"):
        option = window.page.get_by_role("option", name=choice, exact=True)
        expect(option).to_have_attribute("data-combobox-disabled", "true")
    expect(row(window, "unit")).to_contain_text("every value is the same")


@pytest.mark.slow
def test_what_is_refused_is_said_in_the_window_and_not_seen_any_more(window: Locator):
    for column in ("x", "y", "ware"):
        role(window, column).click()
        window.page.get_by_role("option", name="Left out").click()
        if column != "ware":
            expect(row(window, column)).to_contain_text("as you chose")
    expect(window.get_by_role("alert")).to_contain_text("A picture needs a feature")
    expect(role(window, "ware")).to_have_value("Categorical feature")
    window.page.keyboard.press("Escape")
    expect(window).to_be_hidden()
    window.page.locator(f"#{ids.DATA_NAME}").click()  # opens the sheet of the table
    window.page.get_by_role("button", name="Columns").click()
    expect(row(window, "place")).to_be_visible()
    expect(window.get_by_role("alert")).to_be_hidden()


@pytest.mark.slow
def test_columns_are_found_by_their_name(window: Locator):
    window.get_by_label("Search columns by name").fill("la")
    expect(window.get_by_role("rowheader")).to_have_text(["label", "place"])
    expect(window.get_by_role("table")).to_contain_text(re.compile("2 columns"))
