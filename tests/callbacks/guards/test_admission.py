"""Under gunicorn, too, threads are left for what is prompt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from callbacks.guards import admission
from callbacks.guards.admission import Places, admit, leave
from callbacks.guards.error_answers import REPEAT_AFTER_S
from callbacks.guards.held_connections import HOLD


@pytest.fixture
def taken() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.mark.fault
def test_a_quarter_of_the_threads_is_left(taken):
    places = Places(8)
    assert all(places.take(taken, is_heavy=False) for _ in range(6))
    assert not places.take(taken, is_heavy=False)
    taken.close()
    assert places.take(taken, is_heavy=False)


@pytest.mark.fault
def test_of_requests_of_seconds_two_are_answered_and_one_waits(taken, monkeypatch):
    monkeypatch.setattr(admission, "HEAVY_WAITS_S", 0.0)
    places = Places(8)
    assert all(places.take(taken, is_heavy=True) for _ in range(2))
    refused = ExitStack()
    assert not places.take(refused, is_heavy=True)
    refused.close()
    assert all(places.take(taken, is_heavy=False) for _ in range(4))


def test_who_finds_no_place_is_told_to_come_again_and_health_is_answered(studio, taken):
    server, places = studio.app.server, Places(1)
    assert places.take(taken, is_heavy=False)
    with server.test_request_context("/panels", method="POST"):
        body, status, headers = admit(places)
        leave(None)
    assert (status, headers["Retry-After"]) == (503, str(REPEAT_AFTER_S))
    assert "will answer soon" in body["words"]
    with server.test_request_context("/health"):
        assert admit(places) is None
    # What the embedded server has let in.
    with server.test_request_context("/panels", method="POST", environ_base={HOLD: None}):
        assert admit(places) is None
    taken.close()
    for _ in range(2):
        with server.test_request_context("/panels", method="POST"):
            assert admit(places) is None
            leave(None)
