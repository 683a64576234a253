"""At rest every row is where a plane that never saw it puts it, and the answer comes by itself."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from lab.driver.launcher import Studio
from lab.driver.page import StudioPage


def noise(n_rows: int = 60, n_features: int = 90) -> bytes:
    """Return a table of two classes that nothing tells apart."""
    rng = np.random.default_rng(0)
    head = [*(f"f{i}" for i in range(n_features)), "kind"]
    rows = [
        [*(f"{value:.3f}" for value in rng.normal(size=n_features)), "ab"[i % 2]]
        for i in range(n_rows)
    ]
    return "\n".join(map(",".join, [head, *rows])).encode()


@pytest.mark.slow
def test_noise_falls_into_a_heap_by_itself_and_is_the_same_after_a_reload(
    page: Page, answering: Studio
):
    studio = StudioPage(page, f"{answering.url}/")
    studio.file_input.set_input_files(
        {"name": "noise.csv", "mimeType": "text/csv", "buffer": noise()}
    )
    expect(studio.data_name).to_have_text("noise")
    panel = studio.run("LDA")
    places = panel.part("places")
    expect(places).to_contain_text(re.compile(r"rows move by \d\.\d\sSD"), timeout=60_000)
    unseen, fitted = (
        places.get_by_role("button", name=name) for name in ("As unseen", "As fitted")
    )
    expect(unseen).to_have_attribute("aria-pressed", "true")
    strip = panel.part("verdict")
    expect(strip).to_contain_text(
        re.compile(r"\d\d(\s±\s\d+)?\s% of held-out rows .* guessing gives 50\s%")
    )
    features = panel.node.locator("[data-feature]")
    expect(features.first).to_have_attribute("title", re.compile("not sure"))
    moves, description = panel.part("moves"), panel.part("description")
    said = moves.inner_text()
    expect(description).to_contain_text("standard deviations apart")

    fitted.click()
    expect(places).to_contain_text("the plane has seen these rows")
    expect(fitted).to_have_attribute("aria-pressed", "true")
    unseen.click()
    expect(moves).to_have_text(said)

    page.reload()
    expect(panel.part("moves")).to_have_text(said, timeout=60_000)


@pytest.mark.slow
def test_real_structure_stays_and_is_answered_without_a_question(page: Page, answering: Studio):
    studio = StudioPage(page, f"{answering.url}/")
    panel = studio.run("LDA")
    expect(panel.part("places")).to_contain_text("SD", timeout=60_000)
    expect(panel.part("verdict")).to_contain_text(
        re.compile(r"Yes\. .*\(p\s=\s0\.005\)"), timeout=60_000
    )
    expect(panel.part("sign")).to_have_text("✔")
    studio.show("Present")
    page.keyboard.press("u")
    expect(panel.part("moves")).to_contain_text("has seen")
    page.keyboard.press("u")
    expect(panel.part("moves")).to_contain_text("SD")


@pytest.mark.slow
def test_a_plane_that_holds_rows_out_has_open_circles_and_no_switch(page: Page, answering: Studio):
    studio = StudioPage(page, f"{answering.url}/")
    studio.hold_out(25)
    panel = studio.run("PCA")
    panel.expect_end()
    expect(panel.node.locator(".point-legend")).to_be_visible()
    places = panel.part("places")
    expect(places).to_contain_text(re.compile(r"regions of \d+\sheld-out rows"))
    expect(places.get_by_role("button")).to_have_count(0)
