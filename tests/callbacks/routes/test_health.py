"""The server says whether it lives and can work."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from callbacks.routes import health
from callbacks.routes.health import MAX_SUPERVISOR_SILENCE_S
from lab.driver.visitor import opened_studio
from melm_studio.configuration.limits import DiskFullError
from melm_studio.runs.store.protocol import Sign

FOR_MACHINES = ["/health", "/ready", "/metrics"]


def ready(studio):
    answer = studio.app.server.test_client().get("/ready")
    return answer.status_code, answer.text


def test_health_is_ok_and_says_what_sums(visitor, monkeypatch):
    monkeypatch.setenv("MELM_ENGINE", "numpy")
    answer = visitor.http.get("/health")
    assert answer.status_code == 200
    assert answer.text == "ok, sums over pairs of rows: numpy (MELM_ENGINE asks for it)"


def test_the_studio_is_ready_while_its_store_takes_and_its_supervisor_lives(studio):
    studio.store.mark(Sign.SUPERVISOR, time.time())
    assert ready(studio) == (200, "ready")


def test_a_studio_whose_supervisor_is_silent_is_not_ready(studio):
    studio.store.mark(Sign.SUPERVISOR, time.time() - MAX_SUPERVISOR_SILENCE_S - 60)
    status, said = ready(studio)
    assert status == 503
    assert said.startswith("the last heartbeat of the supervisor was 6")


@pytest.mark.fault
@pytest.mark.parametrize(("silence_s", "status"), [(4.9, 200), (5.1, 503), (-86_400.0, 200)])
def test_a_supervisor_may_be_silent_for_five_seconds(studio, monkeypatch, silence_s, status):
    now = time.time()
    studio.store.mark(Sign.SUPERVISOR, now - silence_s)
    monkeypatch.setattr(health, "time", SimpleNamespace(time=lambda: now))
    assert ready(studio)[0] == status


def test_a_studio_that_never_had_a_supervisor_is_not_ready(tmp_path):
    with opened_studio(tmp_path) as studio:
        assert ready(studio) == (503, "no supervisor has worked the queue yet")


@pytest.mark.fault
@pytest.mark.parametrize("error", [DiskFullError(), OSError("read-only")], ids=repr)
def test_a_studio_whose_store_cannot_be_written_is_not_ready_but_lives(studio, monkeypatch, error):
    def refuse(now):
        raise error

    monkeypatch.setattr(studio.store, "probe", refuse)
    studio.store.mark(Sign.SUPERVISOR, time.time())
    assert ready(studio) == (503, "the store cannot be written")
    assert studio.app.server.test_client().get("/health").status_code == 200


@pytest.mark.fault
def test_a_process_whose_key_is_not_that_of_the_store_is_not_ready(studio, monkeypatch):
    monkeypatch.setattr(studio.store, "secret", lambda: b"another")
    studio.store.mark(Sign.SUPERVISOR, time.time())
    status, said = ready(studio)
    assert (status, said.partition(",")[0]) == (
        503,
        "the key in the store is no longer that of this process",
    )


@pytest.mark.parametrize("path", FOR_MACHINES)
def test_what_machines_ask_makes_no_visitor(studio, path):
    assert "Set-Cookie" not in studio.app.server.test_client().get(path).headers
