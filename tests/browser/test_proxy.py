"""The studio behind the proxy of deploy/nginx.conf, as a visitor of its https address."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from lab.driver.launcher import running_studio
from lab.driver.page import StudioPage
from tests.nginx import needs_nginx, proxied

pytestmark = [pytest.mark.slow, needs_nginx]


@pytest.mark.parametrize("prefix", ["", "/melm"])
def test_a_visitor_of_the_https_address_uploads_and_runs(
    tmp_path: Path, browser: Browser, prefix: str
):
    below = {"location / {": f"location {prefix}/ {{"}
    with (
        running_studio(tmp_path, proxies=1, flags=["--path-prefix", prefix]) as studio,
        proxied(studio.url, tmp_path, below) as address,
        browser.new_context(ignore_https_errors=True) as context,
    ):
        page = StudioPage(context.new_page(), f"{address}{prefix}/")
        rows = "\n".join(f"{i % 7},{i % 11},{'ab'[i % 2]}" for i in range(200_000))
        table = f"one,other,class\n{rows}\n".encode()
        assert len(table) > 1_000_000  # what nginx takes where nothing is said
        page.file_input.set_input_files(
            {"name": "many.csv", "mimeType": "text/csv", "buffer": table}
        )
        expect(page.data_size).to_contain_text("2 features, 2 classes")
        page.run("PCA").expect_end()
        (cookie,) = context.cookies()
        assert cookie["secure"]
        assert cookie["httpOnly"]
        assert urlsplit(address).hostname == cookie["domain"]
