"""People get back to their runs: by a link, or by the name that a trusted proxy gives them."""

from __future__ import annotations

import re

import pytest

from lab.driver.visitor import opened_studio
from melm_studio.configuration.settings import Settings

PROXIED = {"proxies": 1, "user_header": "X-Forwarded-User"}


def link_of(visitor) -> str:
    page = visitor.http.post("/links-and-tokens/recovery").text
    return re.search(r"<code>http://localhost(/recovery/[^<]+)</code>", page)[1]


def runs_of(client) -> list[str]:
    return list(client.get("/frames").json["states"])


def test_a_link_leads_back_to_the_runs_from_another_browser(studio, visitor):
    visitor.choose_sample("iris")
    run = visitor.start(method="pca")
    other = studio.visitor()
    link = link_of(visitor)
    assert "Show them here" in other.http.get(link).text
    assert runs_of(other.http) == []  # nothing has changed yet
    assert other.http.post(link).headers["Location"] == "../"
    assert runs_of(other.http) == runs_of(visitor.http) == [run]


def test_another_site_cannot_make_this_browser_someone_else_s(studio, visitor):
    victim = studio.visitor()
    name = victim.owner
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    assert victim.http.post(link_of(visitor), headers=headers).status_code == 403
    assert victim.owner == name


@pytest.mark.parametrize(
    "forge", [lambda key: key[:-2], lambda key: f"x{key}"], ids=["cut", "long"]
)
def test_a_link_that_was_tampered_with_opens_nothing(studio, visitor, forge):
    path, _, key = link_of(visitor).rpartition("/")
    other = studio.visitor()
    name = other.owner
    for ask in (other.http.get, other.http.post):
        assert ask(f"{path}/{forge(key)}").status_code == 404
    assert other.owner == name


def test_a_cookie_or_a_token_is_no_link_and_a_link_no_token(studio, visitor):
    key = link_of(visitor).rpartition("/")[2]
    token = visitor.http.post("/api/v1/tokens").json["token"]
    for other in (visitor.cookie, token):
        assert studio.visitor().http.get(f"/recovery/{other}").status_code == 404
    answer = studio.app.server.test_client().get(
        "/frames", headers={"Authorization": f"Bearer {key}"}
    )
    assert answer.status_code == 401


def asked(studio, path, **headers):
    return studio.app.server.test_client().get(
        path, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )


def test_runs_follow_the_name_that_a_trusted_proxy_gives(tmp_path):
    with opened_studio(tmp_path, **PROXIED) as studio:
        page = asked(studio, "/", X_Forwarded_User="ada")
        assert page.status_code == 200
        owners = []
        for name in ("ada", "ada", "bob"):
            client = studio.app.server.test_client()
            client.get("/", headers={"X-Forwarded-User": name})
            with client.session_transaction() as session:
                owners.append(session["owner"])
        assert owners[0] == owners[1] != owners[2]
        assert "ada" not in owners[0]
        page = asked(studio, "/links-and-tokens", X_Forwarded_User="ada").text
        assert "known by your login" in page
        client = studio.app.server.test_client()
        refused = client.post("/links-and-tokens/recovery", headers={"X-Forwarded-User": "ada"})
        assert refused.status_code == 400


def test_a_browser_with_the_cookie_of_one_person_is_the_other_once_the_proxy_says_so(tmp_path):
    with opened_studio(tmp_path, **PROXIED) as studio:
        client = studio.app.server.test_client()
        for name in ("ada", "bob"):
            client.get("/", headers={"X-Forwarded-User": name})
            with client.session_transaction() as session:
                owner = session["owner"]
            fresh = studio.app.server.test_client()
            fresh.get("/", headers={"X-Forwarded-User": name})
            with fresh.session_transaction() as session:
                assert session["owner"] == owner


def test_whom_the_proxy_does_not_name_is_refused(tmp_path):
    with opened_studio(tmp_path, **PROXIED) as studio:
        refused = asked(studio, "/")
        assert refused.status_code == 401
        assert "X-Forwarded-User" in refused.json["words"]
        assert asked(studio, "/health").status_code == 200


def test_a_header_is_not_believed_without_a_proxy(studio, capsys):
    with pytest.raises(SystemExit):
        Settings.from_environment_and_flags(["--user-header", "X-Forwarded-User"], {})
    assert "MELM_PROXIES" in capsys.readouterr().err
    first, second = (asked(studio, "/", X_Forwarded_User="ada") for _ in range(2))
    assert first.headers["Set-Cookie"] != second.headers["Set-Cookie"]
