"""The page by keyboard, and the page without its server."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tools.driver.launcher import running_studio
from tools.driver.page import StudioPage

NO_SERVER = r"net::ERR_|the server did not respond"


def test_a_run_can_be_started_by_keyboard_alone(page: Page):
    studio = StudioPage(page)
    studio.tab_to(studio.file_input)
    studio.tab_to(studio.method)
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("PCA")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(studio.method).not_to_have_value("MELM")
    expect(studio.method).to_have_value(re.compile("PCA"))
    studio.tab_to(studio.run_button)
    page.keyboard.press("Enter")
    expect(studio.panels).to_have_count(1)
    studio.panel(0).expect_end()


def test_a_lost_server_is_told_and_the_pictures_stay(
    page: Page, tmp_path: Path, console_errors: list[str]
):
    with running_studio(tmp_path) as own:
        studio = StudioPage(page, own.url)
        panel = studio.run("PCA")
        panel.expect_end()
        expect(studio.connection).to_be_hidden()
    expect(studio.connection).to_contain_text("The server does not answer")
    expect(panel.part("plot").locator(".point").first).to_be_visible()
    studio.file_input.set_input_files(
        {"name": "late.csv", "mimeType": "text/csv", "buffer": b"a,b\n1,2\n"}
    )
    expect(studio.data_error).to_contain_text("The server does not answer")
    page.close()
    # The browser itself reports every request that finds no server, and so does Dash.
    console_errors[:] = [error for error in console_errors if not re.search(NO_SERVER, error)]
