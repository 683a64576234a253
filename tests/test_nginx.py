"""The files of deploy/ for nginx, in a real nginx, before an application that says what it got."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
import urllib3
from requests.adapters import HTTPAdapter

from tests.deployment import DEPLOY
from tests.nginx import needs_nginx, proxied

pytestmark = [pytest.mark.slow, needs_nginx]

MOST_S = 10
OK, ACCEPTED, FOUND, UNAUTHORIZED, FORBIDDEN, TOO_MANY = 200, 202, 302, 401, 403, 429


class Echo(BaseHTTPRequestHandler):
    """Answers with the headers of the request."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(OK, {}, json.dumps({k.lower(): v for k, v in self.headers.items()}))

    def _answer(self, status: int, headers: dict[str, str], body: str = "") -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


class Identities(Echo):
    """Says, as oauth2-proxy does, who a cookie belongs to."""

    def do_GET(self) -> None:
        is_ada = "login=ada" in self.headers.get("Cookie", "")
        name = {"X-Auth-Request-User": "ada@example.org"} if is_ada else {}
        self._answer(ACCEPTED if is_ada else UNAUTHORIZED, name)


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(autouse=True)
def own_certificate():
    """The certificate of the tests is signed by nobody."""
    urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)


@pytest.fixture
def application() -> Iterator[str]:
    with serving(Echo) as url:
        yield url


def asked(address: str, path: str = "/", come_from: str = "127.0.0.1", **options):
    with requests.Session() as session:
        session.mount("https://", From(come_from))
        return session.get(
            address + path, verify=False, timeout=MOST_S, allow_redirects=False, **options
        )


class From(HTTPAdapter):
    """Requests that come from an address of this machine."""

    def __init__(self, address: str) -> None:
        self._address = address
        super().__init__()

    def init_poolmanager(self, *arguments, **options) -> None:
        super().init_poolmanager(*arguments, **options, source_address=(self._address, 0))


def test_host_scheme_and_address_reach_the_studio_and_a_forged_name_does_not(application, tmp_path):
    with proxied(application, tmp_path) as address:
        forged = {"X-Forwarded-User": "root", "X-Forwarded-Proto": "http"}
        answer = asked(address, headers=forged)
    got = answer.json()
    assert got["host"] == got["x-forwarded-host"] == "localhost"
    assert (got["x-forwarded-proto"], got["x-forwarded-for"]) == ("https", "127.0.0.1")
    assert "x-forwarded-user" not in got
    assert "max-age=31536000" in answer.headers["Strict-Transport-Security"]


@pytest.mark.parametrize("path", ["/metrics", "/ready"])
def test_what_is_for_monitoring_is_for_this_machine_only(application, tmp_path, path):
    with proxied(application, tmp_path) as address:
        assert asked(address, path).status_code == OK
        assert asked(address, path, come_from="127.0.0.2").status_code == FORBIDDEN
        assert asked(address, "/health", come_from="127.0.0.2").status_code == OK


def test_an_address_that_asks_too_often_is_refused_and_others_are_served(application, tmp_path):
    # As it is, but for a machine that asks slowly.
    slow = {"rate=100r/s": "rate=1r/s", "burst=500": "burst=5"}
    with proxied(application, tmp_path, slow) as address:
        found = {asked(address).status_code for _ in range(30)}
        assert found == {OK, TOO_MANY}
        assert asked(address, come_from="127.0.0.2").status_code == OK


def test_a_password_names_the_user(application, tmp_path: Path):
    password = subprocess.run(
        ["openssl", "passwd", "-apr1", "secret"], capture_output=True, check=True, text=True
    ).stdout
    (tmp_path / "users").write_text(f"ada:{password}")
    snippet = (DEPLOY / "melm-basic-auth.conf").read_text()
    assert "/etc/nginx/melm.htpasswd;" in snippet
    own = tmp_path / "basic.conf"
    own.write_text(snippet.replace("/etc/nginx/melm.htpasswd;", f"{tmp_path}/users;"))
    line = "# include /etc/nginx/snippets/melm-basic-auth.conf;"
    with proxied(application, tmp_path, {line: f"include {own};"}) as address:
        assert asked(address).status_code == UNAUTHORIZED
        assert asked(address, auth=("ada", "wrong")).status_code == UNAUTHORIZED
        named = asked(address, auth=("ada", "secret"), headers={"X-Forwarded-User": "root"})
        assert named.json()["x-forwarded-user"] == "ada"
        assert asked(address, "/ready").status_code == OK


def test_an_identity_provider_names_the_user(application, tmp_path: Path):
    line = "# include /etc/nginx/snippets/melm-oauth2.conf;"
    with serving(Identities) as provider:
        snippet = (DEPLOY / "melm-oauth2.conf").read_text()
        assert "http://127.0.0.1:4180" in snippet
        own = tmp_path / "oauth2.conf"
        own.write_text(snippet.replace("http://127.0.0.1:4180", provider))
        with proxied(application, tmp_path, {line: f"include {own};"}) as address:
            stranger = asked(address, "/?run=1")
            assert stranger.status_code == FOUND
            assert urlsplit(stranger.headers["Location"]).path == "/oauth2/start"
            known = asked(address, cookies={"login": "ada"}, headers={"X-Forwarded-User": "root"})
            assert known.json()["x-forwarded-user"] == "ada@example.org"
            assert asked(address, "/ready").status_code == OK
