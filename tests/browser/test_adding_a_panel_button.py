"""The button of docs/adding-a-panel-button.md, pressed."""

from __future__ import annotations

import sys

import pytest
from playwright.sync_api import expect

from lab.driver.launcher import running_studio
from lab.driver.page import StudioPage
from melm_studio.layout import ids
from tests.callbacks.routes.test_adding_a_panel_button import add_the_button, copy_of_the_studio


@pytest.mark.slow
def test_three_parts_add_a_button_that_works(tmp_path, page):
    copy = tmp_path / "copy"
    copy.mkdir()
    add_the_button(copy_of_the_studio(copy))
    command = (sys.executable, str(copy / "app.py"))
    with running_studio(tmp_path, workers=1, command=command) as studio:
        copied = StudioPage(page, studio.url)
        panel = copied.run("PCA")
        panel.expect_end()
        panel.node.get_by_role("button", name="Parameters").click()
        expect(page.locator(f"#{ids.NOTICE}")).to_contain_text("n_components 2")
        page.close()  # before its studio ends
