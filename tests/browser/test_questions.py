"""A table whose rows may belong together asks about them before anything in it is called real."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Page, expect

from tools.driver.page import StudioPage


def test_a_column_like_subjects_is_asked_about_before_a_yes(page: Page, tmp_path: Path):
    rng = np.random.default_rng(0)
    subject = np.repeat(np.arange(20), 6)
    X = rng.normal(size=(20, 2))[subject] + 0.3 * rng.normal(size=(120, 2))
    kind = np.where(rng.permutation(20) % 2, "ill", "healthy")[subject]
    table = pd.DataFrame({"p": X[:, 0], "q": X[:, 1], "code": subject + 1, "kind": kind})
    table.sample(frac=1, random_state=0).to_csv(tmp_path / "samples.csv", index=False)

    studio = StudioPage(page)
    studio.upload(tmp_path / "samples.csv")
    question = page.get_by_role("group", name="Do rows with the same code belong together?")
    expect(question).to_be_visible()
    together = question.get_by_role("button", name="Keep them together")
    expect(together).to_have_attribute("aria-pressed", "false")
    together.click()
    expect(together).to_have_attribute("aria-pressed", "true")
    grouped = studio.run("LDA")
    grouped.expect_end()
    grouped.node.get_by_role("button", name="Is it real?").click()
    expect(grouped.part("verdict")).to_contain_text("in cross-validation", timeout=60_000)
    expect(grouped.part("verdict")).not_to_contain_text("Yes.")
