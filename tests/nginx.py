"""A real nginx with deploy/nginx.conf in front of a studio."""

from __future__ import annotations

import getpass
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from melm_studio.programs.local_studio import free_port
from tests.deployment import DEPLOY
from tests.melm_studio.runs.helpers import wait_until

# Where Debian puts it, which is not on everybody's path.
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
CERTIFY = (
    "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost "
    "-addext subjectAltName=DNS:localhost"
)

needs_nginx = pytest.mark.skipif(
    not (NGINX and shutil.which("openssl")),
    reason="nginx or openssl is not installed: sudo apt-get install nginx-light openssl",
)

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
def proxied(url: str, folder: Path, replaced: Mapping[str, str] | None = None) -> Iterator[str]:
    """The https address of a proxy in front of an address, with a certificate of its own.

    Parameters
    ----------
    url : str
    folder : Path
    replaced : mapping of str to str
        Further parts of deploy/nginx.conf, and what the example has instead.
    """
    key, certificate, port = folder / "studio.key", folder / "studio.pem", free_port()
    command = [*CERTIFY.split(), "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    site = (DEPLOY / "nginx.conf").read_text()
    here = {
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/ssl/certs/studio.pem": str(certificate),
        "/etc/ssl/private/studio.key": str(key),
        "http://127.0.0.1:8050": url,
    }
    for example, value in {**here, **(replaced or {})}.items():
        assert example in site
        site = site.replace(example, value)
    (folder / "site.conf").write_text(site)
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, user=getpass.getuser()))
    process = subprocess.Popen([str(NGINX), "-p", str(folder), "-c", str(folder / "nginx.conf")])
    try:
        wait_until(lambda: _listens(port) or process.poll())
        assert process.poll() is None, "nginx refused its configuration"
        yield f"https://localhost:{port}"
    finally:
        process.terminate()
        process.wait(20)


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1.0):
        return True
    return False
