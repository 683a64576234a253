"""The studio behind the proxy of deploy/nginx.conf, as a visitor of its https address."""

from __future__ import annotations

import getpass
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from melm_studio.programs.local_studio import free_port
from tests.deployment import DEPLOY
from tools.driver.launcher import Studio, running_studio
from tools.driver.page import StudioPage

# Where Debian puts it, which is not on everybody's path.
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
CERTIFY = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (NGINX and shutil.which("openssl")),
        reason="nginx or openssl is not installed: sudo apt-get install nginx openssl",
    ),
]

# What a distribution sets around the sites, in a folder of the test's own.
AROUND = """
daemon off;
user {user};
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


@contextmanager
def proxied(studio: Studio, folder: Path) -> Iterator[str]:
    """The https address of a proxy in front of a studio, with a certificate of its own."""
    key, certificate, port = folder / "studio.key", folder / "studio.pem", free_port()
    command = [*CERTIFY.split(), "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    site = (DEPLOY / "nginx.conf").read_text()
    for example, here in {
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/ssl/certs/studio.pem": str(certificate),
        "/etc/ssl/private/studio.key": str(key),
        "http://127.0.0.1:8050": studio.url,
    }.items():
        assert example in site
        site = site.replace(example, here)
    (folder / "site.conf").write_text(site)
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, user=getpass.getuser()))
    process = subprocess.Popen([str(NGINX), "-p", str(folder), "-c", str(folder / "nginx.conf")])
    try:
        yield f"https://localhost:{port}"
    finally:
        process.terminate()
        process.wait(20)


def test_a_visitor_of_the_https_address_uploads_and_runs(tmp_path: Path, browser: Browser):
    with (
        running_studio(tmp_path, proxies=1) as studio,
        proxied(studio, tmp_path) as address,
        browser.new_context(ignore_https_errors=True) as context,
    ):
        page = StudioPage(context.new_page(), address)
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
