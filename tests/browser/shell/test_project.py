"""A project goes from one studio to another, by two clicks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from lab.driver.launcher import running_studio
from lab.driver.page import Panel, StudioPage, share_by
from melm_studio.layout import ids


@pytest.mark.slow
def test_a_project_opens_in_another_studio_with_an_empty_folder(
    page: Page, new_context: Callable[..., BrowserContext], tmp_path: Path
):
    studio = StudioPage(page)
    panel = studio.run("MELM", n_init=1)
    panel.expect_end()
    studio.share("Add to story")
    expect(page.locator(f"#{ids.NOTICE}")).to_contain_text("Added to the story")
    with page.expect_download() as download:
        studio.share("Save as a project")
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert file.suffix == ".melm"

    folder = tmp_path / "elsewhere"
    folder.mkdir()
    with running_studio(folder) as elsewhere:
        other = new_context().new_page()
        other.goto(elsewhere.url)
        other.locator(f"#{ids.DATA_NAME}").click()
        other.locator(f"#{ids.RECENT_OPEN}").click()
        with other.expect_file_chooser() as chooser:
            other.get_by_role("menuitem", name="Open a project").click()
        chooser.value.set_files(file)
        expect(other.locator(f"#{ids.NOTICE}")).to_have_text(
            "The project has 1 run and a story of 1 view."
        )
        run_id = other.locator("[data-run]").get_attribute("data-run")
        theirs = Panel(other.locator(f'[data-run="{run_id}"]'))
        theirs.expect_end()
        assert theirs.run_id != panel.run_id
        assert theirs.divergence == panel.divergence
        assert theirs.slider.get_attribute("max") == panel.slider.get_attribute("max")
        share_by(other, "Story…")
        expect(other.locator(f"#{ids.STORY_LIST} li")).to_have_count(1)
        other.close()  # before its studio ends
