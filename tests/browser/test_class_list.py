"""The list of classes beside the table: dragged into an order, and searched where it is long."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, Page, expect

from lab.driver.page import StudioPage


def write_table(file: Path, names: list[str]) -> Path:
    """A table with six rows of each class."""
    X = np.random.default_rng(0).normal(size=(6 * len(names), 3))
    pd.DataFrame(X, columns=list("pqr")).assign(kind=names * 6).to_csv(file, index=False)
    return file


def classes(page: Page) -> Locator:
    return page.get_by_role("list", name="Classes").locator(".class-name:visible")


@pytest.mark.slow
def test_classes_are_dragged_into_an_order_and_moved_by_keyboard(page: Page, tmp_path: Path):
    studio = StudioPage(page)
    studio.upload(write_table(tmp_path / "kinds.csv", ["ash", "elm", "oak"]))
    studio.open_sheet()
    grips = page.locator(".legend .grip")
    expect(classes(page)).to_have_text(["ash", "elm", "oak"])
    grips.nth(2).hover()
    page.mouse.down()
    page.mouse.move(*centre(grips.nth(0)))
    page.mouse.up()
    expect(classes(page)).to_have_text(["oak", "ash", "elm"])
    expect(page.locator(".legend [data-class='0']")).to_have_text("oak")  # the table has it so

    ash = page.get_by_role("button", name="ash", exact=True)
    ash.focus()
    page.keyboard.press("Alt+ArrowDown")
    expect(page.locator(".legend [data-class='2']")).to_have_text("ash")
    expect(ash).to_be_focused()
    expect(page.get_by_text("18 rows, 3 features, 3 classes")).to_be_visible()


@pytest.mark.slow
def test_a_finger_drags_classes_too(page: Page, tmp_path: Path):
    studio = StudioPage(page)
    studio.upload(write_table(tmp_path / "kinds.csv", ["ash", "elm", "oak"]))
    studio.open_sheet()
    grips = page.locator(".legend .grip")
    expect(classes(page)).to_have_text(["ash", "elm", "oak"])
    finger = page.context.new_cdp_session(page)
    (x, y), (_, goal) = centre(grips.nth(0)), centre(grips.nth(2))
    for kind, points in (
        ("touchStart", [{"x": x, "y": y}]),
        ("touchMove", [{"x": x, "y": y + 8}]),
        ("touchMove", [{"x": x, "y": goal + 4}]),
        ("touchEnd", []),
    ):
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    expect(page.locator(".legend [data-class='2']")).to_have_text("ash")


@pytest.mark.slow
def test_one_of_thirty_classes_is_found_by_its_name(page: Page, tmp_path: Path):
    names = [f"a long name of a station on the coast, depth {at} of the column" for at in range(30)]
    studio = StudioPage(page)
    studio.upload(write_table(tmp_path / "stations.csv", names))
    studio.open_sheet()
    expect(classes(page)).to_have_count(30)
    assert len({*classes(page).all_inner_texts()}) == 30  # cut where they differ
    page.get_by_role("searchbox", name="Find a class").fill("depth 17")
    expect(classes(page)).to_have_count(1)
    expect(classes(page)).to_contain_text("17")


def centre(element: Locator) -> tuple[float, float]:
    box = element.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
