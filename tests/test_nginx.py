"""The files of deploy/ for nginx, in a real nginx, before an application that says what it got."""

from __future__ import annotations

import json
import re
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import flask
import pytest
import requests
import urllib3
from requests.adapters import HTTPAdapter

from lab.driver.launcher import running_studio
from lab.driver.visitor import opened_studio
from melm_studio.programs.client import RefusedError, StudioClient
from tests.callbacks.guards.test_ambiguous_requests import AMBIGUOUS, EMPTY_CHUNKS, POST, SECOND
from tests.callbacks.guards.web_servers import serving
from tests.deployment import DEPLOY
from tests.nginx import needs_nginx, proxied

pytestmark = [pytest.mark.slow, needs_nginx]

MOST_S = 10
CONTINUE, OK, ACCEPTED, FOUND, SEE_OTHER = 100, 200, 202, 302, 303
NO_FILE, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, TOO_LARGE, TOO_MANY = 400, 401, 403, 404, 413, 429
FILES = ("/upload", "/api/v1/files")  # as tests/callbacks/test_addresses.py says


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
def answering(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
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
    with answering(Echo) as url:
        yield url


def asked(address: str, path: str = "/", come_from: str = "127.0.0.1", **options):
    with requests.Session() as session:
        session.mount("https://", From(come_from))
        asking = {"method": "GET", "verify": False, "timeout": MOST_S, "allow_redirects": False}
        return session.request(url=address + path, **asking | options)


def posted(address: str, path: str, **options):
    return asked(address, path, method="POST", **options)


class From(HTTPAdapter):
    """Requests that come from an address of this machine."""

    def __init__(self, address: str) -> None:
        self._address = address
        super().__init__()

    def init_poolmanager(self, *arguments, **options) -> None:
        super().init_poolmanager(*arguments, **options, source_address=(self._address, 0))


@pytest.mark.parametrize("path", ["/", "/upload", "/t/talk", "/ready"])
def test_host_scheme_and_address_reach_the_studio_and_a_forged_name_does_not(
    application, tmp_path, path
):
    with proxied(application, tmp_path) as address:
        forged = {"X-Forwarded-User": "root", "X-Forwarded-Proto": "http"}
        answer = asked(address, path, headers=forged)
    got = answer.json()
    assert got["host"] == got["x-forwarded-host"] == urlsplit(address).netloc
    assert (got["x-forwarded-proto"], got["x-forwarded-for"]) == ("https", "127.0.0.1")
    assert "x-forwarded-user" not in got
    assert "max-age=31536000" in answer.headers["Strict-Transport-Security"]


def test_the_page_of_another_port_is_let_in_by_its_origin(tmp_path):
    """Of a browser that sends no Sec-Fetch-Site."""
    with (
        opened_studio(tmp_path / "studio", proxies=1) as studio,
        serving(studio.app.server, proxies=1) as port,
        proxied(f"http://127.0.0.1:{port}", tmp_path) as address,
    ):

        def sent_from(origin: str) -> requests.Response:
            headers = {"Origin": origin}
            with requests.Session() as session:
                return session.post(
                    f"{address}/upload", headers=headers, verify=False, timeout=MOST_S
                )

        assert sent_from(address).status_code == NO_FILE
        assert sent_from("https://localhost").status_code == FORBIDDEN


def test_large_bodies_are_taken_at_the_addresses_that_take_files(tmp_path):
    with (
        opened_studio(tmp_path / "studio", proxies=1) as studio,
        serving(studio.app.server, proxies=1, max_upload_mb=128) as port,
        proxied(f"http://127.0.0.1:{port}", tmp_path) as address,
    ):

        def sent_to(path: str, mb: int) -> int:
            with socket.create_connection(("127.0.0.1", urlsplit(address).port), MOST_S) as plain:
                context = ssl.create_default_context()
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
                with context.wrap_socket(plain) as connection:
                    head = f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {mb * 2**20}\r\n"
                    connection.sendall(f"{head}Expect: 100-continue\r\n\r\n".encode())
                    return int(connection.recv(1_000).split()[1])

        assert {sent_to(path, 128) for path in FILES} == {CONTINUE}
        assert {sent_to(path, 130) for path in FILES} == {TOO_LARGE}
        assert sent_to("/preview", 16) == CONTINUE
        assert {sent_to(path, 17) for path in ("/", "/frames", "/t/x", "/preview")} == {TOO_LARGE}


@pytest.fixture
def seen() -> list[str]:
    """What the application behind the proxy was asked for: paths and lengths of bodies."""
    return []


@pytest.fixture
def embedded(seen, tmp_path) -> Iterator[str]:
    """A proxy in front of the embedded server, which answers one request after another."""
    application = flask.Flask(__name__)

    def answer(path: str = "") -> str:
        seen.append(f"{path}:{len(flask.request.get_data())}")
        return "here"

    application.route("/upload", endpoint="upload", methods=["POST"])(lambda: answer("upload"))
    application.route("/<path>", endpoint="other", methods=["GET", "POST"])(answer)
    with (
        serving(application, proxies=1, threads=1) as port,
        proxied(f"http://127.0.0.1:{port}", tmp_path) as address,
    ):
        yield address


def statuses(address: str, sent: bytes) -> list[int]:
    """Send bytes, and return the statuses of the answers until the proxy closes."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    answer = b""
    with (
        socket.create_connection(("127.0.0.1", urlsplit(address).port), MOST_S) as plain,
        context.wrap_socket(plain) as connection,
    ):
        connection.sendall(sent)
        while part := connection.recv(65_536):
            answer += part
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", answer)]


LAST = b"GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@pytest.mark.attack
def test_no_request_is_hidden_from_the_proxy_in_the_body_of_another(embedded, seen):
    for name, head in AMBIGUOUS.items():
        seen.clear()
        # Where the proxy finds one request in the first, and the studio two, there is one more.
        found = statuses(embedded, POST + head + EMPTY_CHUNKS + SECOND + LAST)
        assert statuses(embedded, LAST) == [OK]  # after whatever else has arrived
        assert len(seen) == found.count(OK) + 1, (name, found, seen)


@pytest.mark.attack
@pytest.mark.parametrize("first", ["Content-Length", "Transfer-Encoding"])
def test_a_length_beside_chunks_is_refused_by_the_proxy(embedded, seen, first):
    lines = [b"Content-Length: 48\r\n", b"Transfer-Encoding: chunked\r\n"]
    lines.sort(key=lambda line: not line.startswith(first.encode()))
    assert statuses(embedded, POST + b"".join(lines) + b"\r\n" + EMPTY_CHUNKS + SECOND) == [400]
    assert seen == []


@pytest.mark.attack
def test_a_body_in_chunks_reaches_the_studio_with_its_length(embedded, seen):
    parts = (b"x" * 50_000 for _ in range(20))
    assert posted(embedded, "/upload", data=parts).status_code == OK
    assert seen == ["upload:1000000"]


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


def included(name: str, folder: Path, replaced: dict[str, str] | None = None) -> dict[str, str]:
    """The line of nginx.conf that includes a file of deploy/, without the mark of comment."""
    text = (DEPLOY / name).read_text()
    for example, value in (replaced or {}).items():
        assert example in text
        text = text.replace(example, value)
    (folder / name).write_text(text)
    return {f"# include /etc/nginx/snippets/{name};": f"include {folder}/{name};"}


def with_passwords(folder: Path) -> dict[str, str]:
    lines = []
    for user in ("ada", "bob"):
        command = ["openssl", "passwd", "-apr1", "secret"]
        password = subprocess.run(command, capture_output=True, check=True, text=True).stdout
        lines.append(f"{user}:{password}")
    (folder / "users").write_text("".join(lines))
    here = {"/etc/nginx/melm.htpasswd;": f"{folder}/users;"}
    return included("melm-basic-auth.conf", folder, here)


def with_provider(folder: Path, provider: str) -> dict[str, str]:
    return included("melm-oauth2.conf", folder, {"http://127.0.0.1:4180": provider})


def with_tokens(folder: Path) -> dict[str, str]:
    return included("melm-tokens.conf", folder)


def test_a_password_names_the_user(application, tmp_path: Path):
    with proxied(application, tmp_path, with_passwords(tmp_path)) as address:
        assert asked(address).status_code == UNAUTHORIZED
        assert asked(address, auth=("ada", "wrong")).status_code == UNAUTHORIZED
        named = asked(address, auth=("ada", "secret"), headers={"X-Forwarded-User": "root"})
        assert named.json()["x-forwarded-user"] == "ada"
        # Without melm-tokens.conf, a token is no way past the password.
        token = {"X-Melm-Token": "x"}
        assert asked(address, headers=token).status_code == UNAUTHORIZED
        both = asked(address, auth=("ada", "secret"), headers=token).json()
        assert (both["x-forwarded-user"], both["x-melm-token"]) == ("ada", "x")
        assert asked(address, "/ready").status_code == OK


def test_an_identity_provider_names_the_user(application, tmp_path: Path):
    with (
        answering(Identities) as provider,
        proxied(application, tmp_path, with_provider(tmp_path, provider)) as address,
    ):
        stranger = asked(address, "/?run=1")
        assert stranger.status_code == FOUND
        assert urlsplit(stranger.headers["Location"]).path == "/oauth2/start"
        # Of this host and port, whatever they are.
        assert stranger.headers["Location"] == f"{address}/oauth2/start?rd=/?run=1"
        known = asked(address, cookies={"login": "ada"}, headers={"X-Forwarded-User": "root"})
        assert known.json()["x-forwarded-user"] == "ada@example.org"
        assert asked(address, headers={"X-Melm-Token": "x"}).status_code == FOUND
        assert asked(address, "/oauth2/auth").status_code == NOT_FOUND
        assert asked(address, "/ready").status_code == OK


@pytest.mark.parametrize("login", ["password", "provider"])
def test_a_request_with_a_token_passes_the_login_without_a_name(application, tmp_path, login):
    with answering(Identities) as provider:
        names = {
            "password": lambda: with_passwords(tmp_path),
            "provider": lambda: with_provider(tmp_path, provider),
        }[login]()
        with proxied(application, tmp_path, names | with_tokens(tmp_path)) as address:
            forged = {"X-Melm-Token": "x", "X-Forwarded-User": "root"}
            for credentials in (
                {},
                {"auth": ("ada", "wrong")},
                {"auth": ("ada", "secret"), "cookies": {"login": "ada"}},
            ):
                got = asked(address, headers=forged, **credentials).json()
                assert "x-forwarded-user" not in got
                assert got["x-melm-token"] == "x"
            for empty in ({}, {"X-Melm-Token": ""}, {"X_Melm_Token": "x"}):
                answer = asked(address, headers=empty)
                assert answer.status_code == (UNAUTHORIZED if login == "password" else FOUND)
            known = {"auth": ("ada", "secret"), "cookies": {"login": "ada"}}
            assert asked(address, **known).json()["x-forwarded-user"].startswith("ada")


@pytest.mark.parametrize("passes", ["with the password too", "with the token alone"])
def test_a_program_works_behind_a_login_by_its_token(tmp_path, monkeypatch, passes):
    """The client of the studio, a real studio and a real nginx with the files of deploy/."""
    sites = with_passwords(tmp_path)
    (tmp_path / "netrc").touch()
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    if passes == "with the token alone":
        sites |= with_tokens(tmp_path)
    else:
        (tmp_path / "netrc").write_text("machine localhost login ada password secret")
    flags = ["--user-header", "X-Forwarded-User"]
    with (
        running_studio(tmp_path, workers=1, proxies=1, flags=flags) as studio,
        proxied(studio.url, tmp_path, sites) as address,
    ):
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "studio.pem"))
        ada = {"auth": ("ada", "secret")}
        token = posted(address, "/api/v1/tokens", **ada).json()["token"]
        client = StudioClient(address, token)
        run = client.start({"kind": "sample", "key": "wine"}, "pca")
        assert client.finished(run.id).state == "done"
        assert client.result(run.id).features
        assert b"<html" in client.report([run.id])
        header = {"X-Melm-Token": token}
        assert [each["id"] for each in asked(address, "/api/v1/runs", **ada).json()["runs"]] == [
            run.id
        ]
        for path in ("/api/v1/tokens", "/links-and-tokens/token"):
            assert posted(address, path, headers=header, **ada).status_code == FORBIDDEN
        bob = asked(address, "/api/v1/runs", headers=header, auth=("bob", "secret"))
        if passes == "with the token alone":
            # The password was not asked for, so the name counts for nothing: the token does.
            assert [each["id"] for each in bob.json()["runs"]] == [run.id]
            wrong = asked(address, "/t/", headers={"X-Melm-Token": "x"})
            assert wrong.status_code == UNAUTHORIZED
        else:
            assert bob.status_code == FORBIDDEN
        wrong = {"X-Melm-Token": "x"}
        assert asked(address, "/api/v1/runs", headers=wrong, **ada).status_code == UNAUTHORIZED
        (known,) = client_tokens(address, **ada)
        revoked = f"/links-and-tokens/{known['id']}/revoke"
        assert posted(address, revoked, **ada).status_code == SEE_OTHER
        with pytest.raises(RefusedError, match="was revoked"):
            client.runs()


def client_tokens(address: str, **credentials) -> list[dict[str, str]]:
    return asked(address, "/api/v1/tokens", **credentials).json()["tokens"]
