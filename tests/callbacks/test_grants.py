"""Every token, link and ticket ends by itself or when it is revoked, and makes none that lasts."""

from __future__ import annotations

import re
import time
from types import SimpleNamespace
from typing import Any

import pytest

from callbacks import identity
from callbacks.routes.api.endpoints import PREFIX
from lab.driver.visitor import opened_studio
from melm_studio.configuration.limits import DiskFullError, LimitReachedError

DAY, MINUTE = 86_400.0, 60.0
PAGE = "/links-and-tokens"
SAMPLE = {"source": {"kind": "sample", "key": "wine", "name": "Wine"}}


@pytest.fixture
def later(monkeypatch):
    """Move the clock by which grants are judged."""

    def move(seconds: float) -> None:
        clock = SimpleNamespace(time=lambda: time.time() + seconds)
        monkeypatch.setattr(identity, "time", clock)

    return move


def token_of(visitor) -> str:
    return visitor.http.post(f"{PREFIX}/tokens").json["token"]


def link_of(visitor) -> str:
    page = visitor.http.post(f"{PAGE}/recovery").text
    return re.search(r"<code>http://localhost(/recovery/[^<]+)</code>", page)[1]


def ticket_of(visitor) -> str:
    return visitor.http.post(f"{PREFIX}/links", json=SAMPLE).json["path"]


def asked(studio, token: str, path: str = f"{PREFIX}/runs", method: str = "GET", **more: Any):
    client = studio.app.server.test_client(use_cookies=False)
    return client.open(path, method=method, headers={"X-Melm-Token": token}, **more)


def ids_of(studio, visitor) -> list[str]:
    return [grant.grant_id for grant in studio.store.grants.of_owner(visitor.owner)]


def revoke(visitor, grant_id: str) -> int:
    return visitor.http.post(f"{PAGE}/{grant_id}/revoke").status_code


def test_a_token_is_valid_for_30_days_and_no_longer(studio, visitor, later):
    token = token_of(visitor)
    later(30 * DAY - 60)
    assert asked(studio, token).status_code == 200
    later(30 * DAY + 1)
    refused = asked(studio, token)
    assert refused.status_code == 401
    assert "30 days" in refused.json["error"]


def test_a_recovery_link_is_valid_for_90_days_and_no_longer(studio, visitor, later):
    link, guest = link_of(visitor), studio.visitor()
    later(90 * DAY - 60)
    assert guest.http.get(link).status_code == 200
    later(90 * DAY + 1)
    for ask in (guest.http.get, guest.http.post):
        assert ask(link).status_code == 404
    assert "90 days" in guest.http.get(link).json["error"]
    assert guest.owner != visitor.owner


def test_a_ticket_is_valid_for_ten_minutes_and_no_longer(studio, visitor, later):
    ticket, guest = ticket_of(visitor), studio.visitor()
    later(10 * MINUTE - 5)
    assert guest.http.get(ticket).status_code == 302
    later(10 * MINUTE + 1)
    assert guest.http.get(ticket).status_code == 404


@pytest.mark.parametrize("make", [token_of, link_of, ticket_of])
def test_what_is_revoked_lets_nobody_in(studio, visitor, make):
    secret = make(visitor)
    (grant_id,) = ids_of(studio, visitor)
    assert revoke(studio.visitor(), grant_id) == 404  # it is another visitor's
    assert revoke(visitor, grant_id) == 303
    assert revoke(visitor, grant_id) == 404
    guest = studio.visitor()
    answer = asked(studio, secret) if make is token_of else guest.http.get(secret)
    assert answer.status_code in (401, 404)
    assert "was revoked" in answer.json["error"]


def test_a_token_makes_neither_tokens_nor_recovery_links(studio, visitor):
    token = token_of(visitor)
    for path in (f"{PREFIX}/tokens", f"{PAGE}/token", f"{PAGE}/recovery"):
        answer = asked(studio, token, path, "POST")
        assert answer.status_code == 403, path
        assert "A token can make neither" in answer.json["error"]
    assert len(ids_of(studio, visitor)) == 1


def test_a_browser_that_a_token_let_in_makes_none_and_ends_with_the_token(tmp_path, later):
    with opened_studio(tmp_path, framed_by="http://localhost:*") as studio:
        visitor, guest = studio.visitor(), studio.visitor()
        token = token_of(visitor)
        body = {**SAMPLE, "same_visitor": True}
        path = asked(studio, token, f"{PREFIX}/links", "POST", json=body).json["path"]
        guest.http.get(path)
        assert guest.owner == visitor.owner
        for path in (f"{PREFIX}/tokens", f"{PAGE}/token", f"{PAGE}/recovery"):
            assert guest.http.post(path).status_code == 403
        cookie = guest.cookie
        later(30 * DAY + 1)
        for path in ("/frames", "/frames", "/"):
            refused = guest.http.get(path)
            assert (refused.status_code, "begin anew" in refused.json["words"]) == (401, True)
        assert guest.http.get("/").status_code == 200
        assert guest.owner != visitor.owner
        later(0)
        assert studio.visitor(cookie=cookie).owner == visitor.owner
        revoke(visitor, ids_of(studio, visitor)[0])
        assert studio.app.server.test_client().get("/").status_code == 200
        client = studio.app.server.test_client()
        client.set_cookie(visitor.cookie_name, cookie)
        assert client.get("/frames").status_code == 401


def test_a_browser_of_one_notebook_opens_another_and_follows_its_newest_token(tmp_path):
    with opened_studio(tmp_path, framed_by="http://localhost:*") as studio:
        visitor, other, guest = studio.visitor(), studio.visitor(), studio.visitor()
        body = {**SAMPLE, "same_visitor": True}

        def path_by(token: str) -> str:
            return asked(studio, token, f"{PREFIX}/links", "POST", json=body).json["path"]

        first, second = token_of(visitor), token_of(visitor)
        for token in (token_of(other), first, second):
            assert guest.http.get(path_by(token)).status_code == 302
        assert guest.owner == visitor.owner
        late = path_by(first)
        revoke(visitor, ids_of(studio, visitor)[0])
        assert guest.http.get("/frames").status_code == 200
        assert "was revoked" in studio.visitor().http.get(late).json["error"]
        revoke(visitor, ids_of(studio, visitor)[1])
        assert guest.http.get("/frames").status_code == 401


def test_a_browser_that_a_recovery_link_let_in_stays_until_the_link_is_revoked(studio, visitor):
    link, guest, thief = link_of(visitor), studio.visitor(), studio.visitor()
    for browser in (guest, thief):
        browser.http.post(link)
        assert browser.owner == visitor.owner
    (grant_id,) = ids_of(studio, visitor)
    cookie = thief.cookie
    studio.store.tidy(time.time() + 91 * DAY)  # the link is over, and its record gone
    assert ids_of(studio, visitor) == []
    assert thief.http.get("/frames").status_code == 200

    link = link_of(visitor)
    (grant_id,) = ids_of(studio, visitor)
    for browser in (guest, thief):
        browser.http.get("/")
        browser.http.delete_cookie(browser.cookie_name)
        browser.http.get("/")
        browser.http.post(link)
    cookie = thief.cookie
    assert revoke(guest, grant_id) == 303  # of the browsers it let in, the one that revokes stays
    assert guest.http.get("/frames").status_code == 200
    assert guest.owner == visitor.owner
    assert thief.http.get("/frames").status_code == 401
    # For as long as a browser keeps its cookie, the link is known as revoked.
    studio.store.tidy(time.time() + 31 * DAY)
    client = studio.app.server.test_client()
    client.set_cookie(visitor.cookie_name, cookie)
    assert client.get("/frames").status_code == 401
    assert client.post(link_of(visitor)).status_code == 303  # a new link lets it in again
    assert client.get("/frames").status_code == 200


def test_a_revoked_link_is_known_for_longer_than_a_cookie_lives(studio):
    cookie_s = studio.app.server.permanent_session_lifetime.total_seconds()
    assert cookie_s < identity.REVOKED_KEPT_S == 32 * DAY


def test_opening_one_s_own_link_changes_nothing(studio, visitor):
    visitor.http.post(link_of(visitor))
    revoke(visitor, ids_of(studio, visitor)[0])
    assert visitor.http.get("/frames").status_code == 200


def test_a_use_is_marked_at_most_once_a_minute(studio, visitor, later, monkeypatch):
    token, writes = token_of(visitor), []
    store_grants, change = studio.store.grants, studio.store.grants.change
    monkeypatch.setattr(
        store_grants, "change", lambda *given: (writes.append(given), change(*given))
    )
    for _ in range(5):
        asked(studio, token)
    assert len(writes) == 1
    later(61)
    asked(studio, token)
    assert len(writes) == 2


@pytest.mark.fault
def test_a_full_disk_keeps_nobody_out(studio, visitor, monkeypatch):
    token = token_of(visitor)

    def full(*_):
        raise DiskFullError

    monkeypatch.setattr(studio.store.grants, "change", full)
    assert asked(studio, token).status_code == 200


def test_a_full_studio_makes_no_more_grants(studio, visitor, monkeypatch):
    monkeypatch.setattr(studio.store, "bytes_stored", lambda: studio.store.limits.total_bytes)
    refused = visitor.http.post(f"{PREFIX}/tokens")
    assert refused.status_code == 409
    assert "MELM_MAX_TOTAL_MB" in refused.json["error"]


def test_whoever_has_many_cookies_leaves_tokens_to_visitors_with_runs(studio, visitor, monkeypatch):
    monkeypatch.setattr("melm_studio.runs.records.grant.MOST_OF_ADDRESS", 6)
    programs = [studio.app.server.test_client() for _ in range(5)]
    for client in (visitor.http, *programs):
        client.environ_base["REMOTE_ADDR"] = "192.0.2.62"
    kept = token_of(visitor)
    answers = [program.post(f"{PREFIX}/tokens") for program in programs]
    assert [answer.status_code for answer in answers] == [201, 201, 409, 409, 409]
    assert "Start a run first" in answers[-1].json["error"]
    visitor.choose_sample("iris")
    visitor.start(method="pca")
    assert token_of(visitor)
    assert asked(studio, kept).status_code == 200


def test_what_a_ticket_opens_is_bounded(studio):
    with studio.app.server.test_request_context():
        identity.make_grant(identity.GrantKind.TICKET, "ada", "", content="x" * 2**16)
        with pytest.raises(LimitReachedError, match="64 kB"):
            identity.make_grant(identity.GrantKind.TICKET, "ada", "", content="x" * (2**16 + 1))


def test_tokens_are_listed_and_revoked_over_the_interface(studio, visitor):
    first, second = token_of(visitor), token_of(visitor)
    link_of(visitor)
    listed = asked(studio, first, f"{PREFIX}/tokens").json["tokens"]
    assert [each["used"] is None for each in listed] == [False, True]
    assert first not in str(listed)
    path = f"{PREFIX}/tokens/{listed[1]['id']}"
    stranger = token_of(studio.visitor())
    assert asked(studio, stranger, path, "DELETE").status_code == 404
    left = asked(studio, first, path, "DELETE").json["tokens"]
    assert [each["id"] for each in left] == [listed[0]["id"]]
    assert asked(studio, second).status_code == 401
    (link_id,) = set(ids_of(studio, visitor)) - {each["id"] for each in listed}
    assert asked(studio, first, f"{PREFIX}/tokens/{link_id}", "DELETE").status_code == 404
