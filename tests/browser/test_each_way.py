"""A table whose rows may belong together gets one answer, and no question beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from lab.driver.page import StudioPage

ANSWER = "Yes, unless more than 20 neighboring rows belong together."


@pytest.mark.slow
def test_rows_that_drift_are_answered_without_a_question_and_so_after_a_reload(
    page: Page, tmp_path: Path
):
    y, X = np.repeat([0, 1], 100), np.random.default_rng(8).normal(size=(200, 3))
    for row in range(1, 200):
        X[row] = 0.7 * X[row - 1] + np.sqrt(0.51) * X[row]
    frame = pd.DataFrame(X + 1.4 * y[:, np.newaxis], columns=["p", "q", "r"])
    frame.assign(kind=np.array(["a", "b"])[y]).to_csv(tmp_path / "map.csv", index=False)
    studio = StudioPage(page)
    studio.upload(tmp_path / "map.csv")
    question = page.get_by_role("group", name="Do neighboring rows of the file belong together?")
    expect(question).to_be_hidden()
    run = studio.run("LDA")
    run.expect_end()
    run.node.get_by_role("button", name="Is it real?").click()
    expect(run.part("verdict")).to_contain_text(ANSWER, timeout=60_000)
    page.reload()
    expect(page.get_by_text(ANSWER).first).to_be_visible(timeout=30_000)
    expect(question).to_be_hidden()
