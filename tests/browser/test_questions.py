"""Questions about a table are answered by buttons beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from lab.driver.page import StudioPage


@pytest.mark.slow
def test_rows_of_a_column_like_subjects_are_kept_together_by_a_button(page: Page, tmp_path: Path):
    rng = np.random.default_rng(0)
    subject = np.repeat(np.arange(20), 6)
    X = rng.normal(size=(20, 2))[subject] + 0.3 * rng.normal(size=(120, 2))
    kind = np.where(rng.permutation(20) % 2, "ill", "healthy")[subject]
    table = pd.DataFrame({"p": X[:, 0], "q": X[:, 1], "code": subject + 1, "kind": kind})
    table.sample(frac=1, random_state=0).to_csv(tmp_path / "samples.csv", index=False)

    studio = StudioPage(page)
    studio.upload(tmp_path / "samples.csv")
    studio.open_sheet()
    question = page.get_by_role("group", name="Do rows with the same code belong together?")
    expect(question).to_be_hidden()  # the verdict needs no answer
    page.get_by_text("1 question").click()
    together = question.get_by_role("button", name="Keep them together")
    expect(together).to_have_attribute("aria-pressed", "false")
    together.click()
    page.get_by_text("1 answered question").click()
    expect(together).to_have_attribute("aria-pressed", "true")
    studio.close_sheet()
    grouped = studio.run("LDA")
    grouped.expect_end()
    grouped.node.get_by_role("button", name="Is it real?").click()
    expect(grouped.part("verdict")).to_contain_text("in cross-validation", timeout=60_000)
    expect(grouped.part("verdict")).not_to_contain_text("Yes.")


@pytest.mark.slow
def test_three_questions_about_reading_are_answered_by_buttons(page: Page, tmp_path: Path):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 60))
    table = pd.DataFrame({"lead": x, "zinc": [f"{each:.3f}" for each in 5 + y]})
    table["visit"], table["mass"] = np.arange(60) % 3 + 1, [f"{each:.3f}" for each in 9 + x]
    table["kind"] = np.where(np.arange(60) % 2, "ill", "healthy")
    table.loc[::4, "zinc"], table.loc[::6, "mass"] = "<0.5", "broken"
    table.to_csv(tmp_path / "visits.csv", index=False)
    answer_otherwise(
        page,
        tmp_path / "visits.csv",
        ("How are these cells read?", "Half the limit", "Half, and a column that says so"),
        ("What is visit?", "A number", "Information"),
        ("Are these columns text or numbers?", "Numbers, and words are empty", "Text"),
    )
    expect(page.get_by_text("3 answered questions")).to_be_visible()
    # lead, zinc, and which cells of it lie beyond a limit
    expect(page.get_by_text("60 rows, 3 features, 2 classes")).to_be_visible()


@pytest.mark.slow
def test_what_the_label_means_is_answered_by_buttons(page: Page, tmp_path: Path):
    at = np.arange(90)
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(90, 3)), columns=["p", "q", "r"])
    table["species"] = np.array(["Beech", "beech", "oak", "NA"])[at % 4]
    table.loc[80:, "SampleType"] = "QC"
    table.loc[:79, "SampleType"] = "sample"
    table.to_csv(tmp_path / "trees.csv", index=False)
    answer_otherwise(
        page,
        tmp_path / "trees.csv",
        ("Are quality controls, blanks and the like left out?", "Leave them out", "Keep them"),
        ("Is NA missing or a class?", "Missing", "A class"),
        ("Are names one if only capitals differ?", "Keep them apart", "They are the same"),
    )
    expect(page.get_by_text("90 rows, 3 features, 3 classes")).to_be_visible()


def test_the_keyboard_stays_where_a_question_or_a_column_was(page: Page, tmp_path: Path):
    x, y = np.random.default_rng(0).normal(size=(2, 60))
    table = pd.DataFrame({"lead": x, "mass": [f"{each:.3f}" for each in 9 + y], "tin": x * y})
    table["kind"] = np.where(np.arange(60) % 2, "ill", "healthy")
    table.loc[::6, "mass"] = "broken"
    table.to_csv(tmp_path / "metals.csv", index=False)
    studio = StudioPage(page)
    studio.upload(tmp_path / "metals.csv")
    studio.open_sheet()
    page.get_by_role("button", name="Text", exact=True).press("Enter")
    expect(page.get_by_text("1 answered question")).to_be_focused()  # folds it away
    feature = page.get_by_role("group", name="Features").get_by_role("button", name="tin")
    feature.press("Enter")
    expect(feature).to_have_attribute("aria-pressed", "false")
    expect(feature).to_be_focused()


def answer_otherwise(page: Page, file: Path, *questions: tuple[str, str, str]) -> None:
    """Answer the questions about a table by other buttons than those that are pressed."""
    studio = StudioPage(page)
    studio.upload(file)
    studio.open_sheet()
    for name, done, other in questions:
        question = page.get_by_role("group", name=name)
        pressed = question.get_by_role("button", name=done, exact=True)
        expect(pressed).to_have_attribute("aria-pressed", "true")
        question.get_by_role("button", name=other, exact=True).click()
        expect(question).to_be_hidden()  # folded, where it can be answered anew
