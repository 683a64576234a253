"""Requests of other sites and requests without end are turned away; proxies are believed."""

from __future__ import annotations

import io
import socket

import pytest

from callbacks.guards import request_guards
from callbacks.guards.abandoned_requests import OF_GUNICORN
from lab.driver.visitor import Studio, Visitor, opened_studio

HERE = {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"}
FOREIGN = {
    "another site": {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
    "a site beside": {"Sec-Fetch-Site": "same-site", "Origin": "http://evil.localhost"},
    "an old browser": {"Origin": "https://evil.example"},
    "another port": {"Origin": "http://localhost:8051"},
    "a page without a place": {"Origin": "null"},
    "a forged origin": {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
}


def posting_routes(studio: Studio) -> list[str]:
    """The address of every route that changes something."""
    rules = studio.app.server.url_map.iter_rules()
    return [rule.rule for rule in rules if rule.methods - {"GET", "HEAD", "OPTIONS"}]


@pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN)
def test_no_route_changes_anything_for_another_site(studio, visitor, headers):
    visitor.choose_sample("iris")
    run = visitor.start(method="pca")
    for route in posting_routes(studio):
        address = route.replace("<run_id>", run)
        answer = visitor.http.post(address, headers=headers)
        assert answer.status_code == 403, address
        assert answer.json["error"].startswith("This request came from another site")
    assert visitor.panels() == [run]


@pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN)
def test_another_site_cannot_make_somebody_a_visitor(studio, headers):
    answer = studio.app.server.test_client().post("/upload", headers=headers)
    assert answer.status_code == 403
    assert "Set-Cookie" not in answer.headers


def test_the_routes_that_change_something_are_known(studio):
    routes = posting_routes(studio)
    assert {"/upload", "/_dash-update-component"} <= set(routes)
    assert len(routes) > 4


@pytest.mark.parametrize(
    "headers",
    [HERE, {"Sec-Fetch-Site": "none"}, {"Origin": "http://localhost"}, {}],
    ids=["the page", "the user", "an old browser", "a program"],
)
def test_the_page_itself_is_let_in(visitor, headers):
    answer = visitor.http.post("/upload", headers=headers)
    assert answer.status_code == 400
    assert answer.json["error"].startswith("No file arrived.")


@pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN)
def test_a_link_from_another_site_opens_the_page(visitor, headers):
    assert visitor.http.get("/", headers=headers).status_code == 200


def test_a_request_without_end_is_refused_before_it_is_read(visitor):
    answer = visitor.http.post("/_dash-update-component", json="x" * 17 * 2**20)
    assert answer.status_code == 413


@pytest.mark.parametrize(
    ("address", "n_bytes", "words"),
    [
        ("/_dash-update-component", 16 * 2**20 + 1, "larger than 16 MB"),
        ("/preview", 16 * 2**20 + 1, "larger than 16 MB"),
        ("/talk/shown", 2**20 + 1, "larger than 1 MB"),
        ("/runs/x/rename", 2**20 + 1, "larger than 1 MB"),
        ("/runs/x/remove", 4_097, "no more than 4 kB"),
        ("/story", 8 * 2**20 + 1, "the most that a story has"),
        ("/upload", 129 * 2**20, "larger than 128 MB"),
        ("/api/v1/files", 129 * 2**20, "larger than 128 MB"),
        ("/frames", 4_097, "no more than 4 kB"),
    ],
)
def test_a_length_above_the_limit_of_an_address_is_refused(visitor, address, n_bytes, words):
    # By its length alone: what the client sends is shorter.
    said = {"CONTENT_LENGTH": str(n_bytes)}
    answer = visitor.http.post(address, data=b"{}", environ_overrides=said)
    assert answer.status_code == 413
    assert words in answer.json["error"]


class Endless(io.RawIOBase):
    """A body, as a rule without an end, which counts what is read of it."""

    def __init__(self, n_bytes: int = 2**62) -> None:
        self.n_read, self._n_bytes = 0, n_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        n = min(len(buffer), self._n_bytes - self.n_read)
        self.n_read += n
        buffer[:n] = b"x" * n
        return n


@pytest.mark.parametrize(
    ("address", "kind", "limit"),
    [
        ("/_dash-update-component", "application/json", 16 * 2**20),
        ("/talk", "application/json", 2**20),
        ("/story", "application/json", 8 * 2**20),
        ("/upload", "multipart/form-data; boundary=a", 2 * 2**20),
    ],
)
def test_a_body_without_a_length_is_read_up_to_the_limit(tmp_path, address, kind, limit):
    body = Endless()
    with opened_studio(tmp_path, max_upload_mb=1) as studio:
        answer = studio.visitor().http.post(
            address,
            content_type=kind,
            environ_overrides={
                "wsgi.input": body,
                "wsgi.input_terminated": True,
                "HTTP_TRANSFER_ENCODING": "chunked",
            },
        )
    # JSON that was cut off there is malformed.
    assert answer.status_code in {400, 413}
    assert answer.json["error"].endswith(".")
    assert body.n_read <= limit + 2**17


@pytest.mark.parametrize(("n_bytes", "is_all_read"), [(17 * 2**20, True), (2**40, False)])
def test_gunicorn_receives_a_refused_body_for_a_while(visitor, monkeypatch, n_bytes, is_all_read):
    """It would close the connection after 64 kB, and most clients would not read the answer."""
    monkeypatch.setattr(request_guards, "RECEIVES_S", 60.0 if is_all_read else 0.01)
    body = Endless(n_bytes)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        said = {"CONTENT_LENGTH": str(n_bytes), "wsgi.input": body, OF_GUNICORN: ours}
        answer = visitor.http.post("/_dash-update-component", environ_overrides=said)
        assert ours.gettimeout() is None
    assert answer.status_code == 413
    assert (body.n_read == n_bytes) is is_all_read


def test_a_form_of_many_fields_is_refused_with_a_sentence(visitor):
    fields = {f"field {number}": "x" for number in range(2_000)}
    answer = visitor.http.post("/upload", data=fields, content_type="multipart/form-data")
    assert answer.status_code == 413
    assert "more fields" in answer.json["error"]


def test_the_limit_of_a_file_is_its_own(tmp_path):
    with opened_studio(tmp_path, max_upload_mb=32) as studio:
        assert studio.visitor().upload(b"x" * 20 * 2**20)["name"] == "table.csv"


def first_cookie(visitor: Visitor, **headers: str) -> str:
    visitor.http.delete_cookie(visitor.cookie_name)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return visitor.http.get("/", headers=named).headers["Set-Cookie"]


def test_the_cookie_of_a_page_of_https_is_kept_to_https(visitor):
    visitor.http.delete_cookie(visitor.cookie_name)
    cookie = visitor.http.get("/", base_url="https://localhost").headers["Set-Cookie"]
    assert "; Secure" in cookie
    assert "; Secure" not in first_cookie(visitor)


@pytest.mark.parametrize(("proxies", "is_believed"), [(0, False), (1, True)])
def test_a_proxy_is_believed_only_where_there_is_one(tmp_path, proxies, is_believed):
    with opened_studio(tmp_path, proxies=proxies) as studio:
        visitor = studio.visitor()
        assert ("; Secure" in first_cookie(visitor, X_Forwarded_Proto="https")) is is_believed
        said = {"Origin": "https://studio.example", "X-Forwarded-Host": "studio.example"}
        answer = visitor.http.post("/upload", headers=said)
        assert answer.status_code == (400 if is_believed else 403)


def answer_to(folder, host, **settings):
    with opened_studio(folder, **settings) as studio:
        return studio.app.server.test_client().get("/health", headers={"Host": host})


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8050", 200),
        ("127.0.0.1:8050", 200),
        ("evil.example.org", 400),
    ],
)
def test_only_the_names_of_this_machine_are_answered_to_on_it(tmp_path, host, status):
    assert answer_to(tmp_path, host).status_code == status


def test_only_named_hosts_are_answered_to(tmp_path):
    hosts = {"hosts": "lab.example.org, lab", "proxies": 1}
    assert answer_to(tmp_path, "lab", **hosts).status_code == 200
    refused = answer_to(tmp_path, "localhost", **hosts)
    assert refused.status_code == 400
    assert "MELM_HOSTS" in refused.json["words"]
