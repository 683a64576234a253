"""One layer says who a request is from, whatever it carries and however its store is."""

from __future__ import annotations

import logging
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app import create_app
from callbacks.routes.api.endpoints import PREFIX
from lab.driver.visitor import Studio, opened_studio, shared_reader
from melm_studio.configuration.limits import Limits
from melm_studio.configuration.settings import RedisAddress, Settings
from melm_studio.runs.store import redis_client
from melm_studio.runs.store.protocol import StoreUnavailableError
from melm_studio.runs.store.redis import RedisRunStore
from tests.melm_studio.runs.redis_server import running_redis

RUNS, TOKENS = f"{PREFIX}/runs", f"{PREFIX}/tokens"
WORDS = str(StoreUnavailableError())
ADA, BOB = {"X-Forwarded-User": "ada"}, {"X-Forwarded-User": "bob"}


@contextmanager
def on_redis(folder, monkeypatch) -> Iterator[tuple[Studio, object]]:
    """A studio on a server of its own, which it gives up quickly."""
    monkeypatch.setattr(redis_client, "ANSWER_S", 0.2)
    with running_redis(folder) as server:
        store = RedisRunStore(RedisAddress(server.url), Limits(), 0.2)
        yield Studio(create_app(Settings(data_dir=folder), store, shared_reader()), store), server
        store.close()


@pytest.mark.parametrize("path", ["/t/", "/t/?code=ABCDEF", "/t/talk", "/t/talk/pictures"])
def test_no_token_that_is_not_valid_is_a_way_around_a_login_to_a_talk(tmp_path, path):
    """nginx asks no login of a request with a token, whichever it is."""
    with opened_studio(tmp_path, user_header="X-Forwarded-User", proxies=1) as studio:
        client = studio.app.server.test_client(use_cookies=False)
        token = client.post(TOKENS, headers=ADA).json["token"]
        for wrong in ("x", "", " ", token[:-1]):
            assert client.get(path, headers={"X-Melm-Token": wrong}).status_code == 401
        answer = client.get(path, headers={"X-Melm-Token": token})
        assert answer.status_code == client.get(path).status_code != 401
        assert "Set-Cookie" not in answer.headers


@pytest.mark.fault
@pytest.mark.parametrize("fault", ["silent", "away"])
def test_a_store_that_does_not_answer_is_a_sentence_whatever_a_request_carries(
    tmp_path, monkeypatch, caplog, fault
):
    with on_redis(tmp_path, monkeypatch) as (studio, server):
        visitor, guest = studio.visitor(), studio.visitor()
        token = visitor.http.post(TOKENS).json["token"]
        page = visitor.http.post("/links-and-tokens/recovery").text
        guest.http.post(re.search(r"localhost(/recovery/[^<]+)</code>", page)[1])
        assert guest.owner == visitor.owner
        program = studio.app.server.test_client(use_cookies=False)
        caplog.set_level(logging.ERROR)
        try:
            if fault == "silent":
                server.process.send_signal(signal.SIGSTOP)
            else:
                server.kill()
            for headers in ({"Authorization": f"Bearer {token}"}, {"X-Melm-Token": token}):
                for method, path in (
                    ("GET", RUNS),
                    ("POST", RUNS),
                    ("GET", "/"),
                    ("GET", "/frames"),
                ):
                    answer = program.open(path, method=method, headers=headers)
                    assert (answer.status_code, answer.json["error"]) == (503, WORDS), path
                answer = program.get("/health", headers=headers)
                assert (answer.status_code, answer.text[:2]) == (200, "ok")
            for method, path in (("GET", "/"), ("POST", TOKENS), ("POST", "/runs/x/remove")):
                answer = guest.http.open(path, method=method)
                assert (answer.status_code, answer.json["error"]) == (503, WORDS), path
            answer = visitor.http.post(TOKENS)
            assert (answer.status_code, answer.json["error"]) == (503, WORDS)
            assert guest.owner == visitor.owner  # nobody lost their cookie meanwhile
            assert [record for record in caplog.records if record.exc_info] == []
        finally:
            if fault == "silent":
                server.process.send_signal(signal.SIGCONT)


def test_a_token_in_either_header_opens_the_same_runs(studio, visitor):
    visitor.choose_sample("wine")
    run = visitor.start(method="pca")
    token = visitor.http.post(TOKENS).json["token"]
    program = studio.app.server.test_client(use_cookies=False)
    for headers in ({"Authorization": f"Bearer {token}"}, {"X-Melm-Token": token}):
        answer = program.get(RUNS, headers=headers)
        assert [each["id"] for each in answer.json["runs"]] == [run]
        assert "Set-Cookie" not in answer.headers


@pytest.fixture
def behind_logins(tmp_path):
    with opened_studio(tmp_path, proxies=1, user_header="X-Forwarded-User") as studio:
        yield studio


def asked(studio, path=RUNS, method="GET", **headers):
    client = studio.app.server.test_client(use_cookies=False)
    return client.open(path, method=method, headers=headers)


def test_behind_a_login_a_token_acts_as_the_user_who_made_it(behind_logins):
    token = asked(behind_logins, TOKENS, "POST", **ADA).json["token"]
    own = [grant.owner for grant in grants_of(behind_logins, ADA)]
    for headers in ({"X-Melm-Token": token}, {"X-Melm-Token": token, **ADA}):
        answer = asked(behind_logins, TOKENS, **headers)
        assert answer.status_code == 200
        assert len(answer.json["tokens"]) == len(own) == 1
        assert "Set-Cookie" not in answer.headers


def grants_of(studio, user):
    client = studio.app.server.test_client()
    client.get("/", headers=user)
    with client.session_transaction() as session:
        return studio.store.grants.of_owner(session["owner"])


def test_a_token_makes_nobody_else_of_a_user_who_is_logged_in(behind_logins):
    token = asked(behind_logins, TOKENS, "POST", **ADA).json["token"]
    for path in ("/", RUNS, TOKENS, "/frames"):
        refused = asked(behind_logins, path, **BOB, **{"X-Melm-Token": token})
        assert refused.status_code == 403
        assert "not one of the user who is logged in" in refused.json["error"]
        assert "Set-Cookie" not in refused.headers


@pytest.mark.parametrize("token", ["", " ", "\x0b", "\xa0", "x"])
def test_an_empty_token_is_no_way_around_a_login(behind_logins, token):
    """A proxy that lets requests with tokens pass may take for one what is none."""
    for user in (ADA, {}):
        refused = behind_logins.app.server.test_client().get(
            RUNS, environ_overrides={"HTTP_X_MELM_TOKEN": token}, headers=user
        )
        assert refused.status_code == 401


def test_behind_a_login_authorization_is_the_proxy_s(behind_logins):
    token = asked(behind_logins, TOKENS, "POST", **ADA).json["token"]
    assert asked(behind_logins, TOKENS, **ADA, Authorization="Bearer of.another.kind").json
    assert asked(behind_logins, Authorization=f"Bearer {token}").status_code == 401


def test_behind_a_login_no_address_makes_a_user_somebody_else(tmp_path):
    settings = {"proxies": 1, "user_header": "X-Forwarded-User", "framed_by": "http://localhost:*"}
    sample = {"source": {"kind": "sample", "key": "wine"}, "same_visitor": True}
    with opened_studio(tmp_path, **settings) as studio:
        client = studio.app.server.test_client()
        path = client.post(f"{PREFIX}/links", json=sample, headers=ADA).json["path"]
        assert client.get(path, headers=ADA).status_code == 302
        refused = client.get(path, headers=BOB)
        assert refused.status_code == 403
        assert "A login or token says who" in refused.json["error"]
