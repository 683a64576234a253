"""No address and no visitor keeps others from their answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from types import SimpleNamespace

import pytest

from callbacks.addresses import Address, Body
from callbacks.guards import fair_requests
from callbacks.guards.error_answers import REPEAT_AFTER_S
from callbacks.guards.fair_requests import (
    Client,
    FairQueue,
    Places,
    RequestLimits,
    admit,
    client_of,
    leave,
)
from callbacks.guards.held_connections import HOLD

LIMITS = RequestLimits(of_network=2, not_prompt=5, heavy_of_network=1, heavy=2)


@pytest.fixture
def queue():
    """A queue of tasks that are pairs of a client and a number."""
    return FairQueue(LIMITS, lambda task: task[0], lambda: None)


def put(queue, address, *numbers, visitor="", heavy=False, prompt=False, file=False):
    for number in numbers:
        queue.append((Client(address, visitor, heavy, prompt, file), number))


def taken(queue):
    """All that is answered now; none of it ends."""
    turns = []
    while queue:
        turns.append(queue.popleft())
    return turns


def numbers(turns):
    return [turn.task[1] for turn in turns]


@pytest.mark.fault
def test_an_address_has_its_share_of_answers_and_the_rest_waits(queue):
    put(queue, "a", 1, 2, 3, 4)
    put(queue, "b", 5)
    assert sorted(numbers(taken(queue))) == [1, 2, 5]


def test_what_waited_is_next_when_an_answer_is_done(queue):
    put(queue, "a", 1, 2, 3)
    first, _ = taken(queue)
    queue.finish(first.client)
    assert numbers(taken(queue)) == [3]


def test_the_next_is_of_the_visitor_with_the_fewest_answers(queue):
    put(queue, "a", 1, 2, 3, visitor="crowd")
    first = queue.popleft()
    put(queue, "a", 4, visitor="newcomer")
    assert numbers(taken(queue)) == [4]
    queue.finish(first.client)
    assert numbers(taken(queue)) == [2]


@pytest.mark.fault
def test_heavy_answers_leave_threads_to_light_ones(queue):
    put(queue, "a", 1, 2, heavy=True)
    put(queue, "b", 3, heavy=True)
    put(queue, "c", 4, heavy=True)
    put(queue, "a", 5)
    assert sorted(numbers(taken(queue))) == [1, 3, 5]


@pytest.mark.fault
def test_prompt_answers_have_threads_that_no_others_take(queue):
    for address in "abcd":
        put(queue, address, 1, 2)
    put(queue, "a", 3, prompt=True)
    assert sorted(numbers(taken(queue))) == [1, 1, 1, 1, 2, 3]  # five, and the prompt one
    put(queue, "a", 4, 5, 6, prompt=True)
    put(queue, "e", 7, prompt=True)
    assert sorted(numbers(taken(queue))) == [4, 7]  # of which a network has a share, too


@pytest.mark.fault
def test_files_are_stored_beside_heavy_answers_one_at_a_time(queue):
    put(queue, "a", 1, 2, heavy=True)
    put(queue, "a", 3, 4, file=True)
    assert sorted(numbers(taken(queue))) == [1, 3]


def test_what_has_waited_too_long_is_told_so_and_takes_no_place(monkeypatch):
    told = list[str]()

    def task(name):
        return SimpleNamespace(
            service=partial(told.append, name), refuse_late=partial(told.append, f"no {name}")
        )

    queue = FairQueue(LIMITS, lambda _: Client("a", "", is_heavy=True), lambda: None)
    queue.append(task("first"))
    at_work = queue.popleft()
    queue.append(task("late"))
    assert not len(queue)
    monkeypatch.setattr("callbacks.guards.fair_requests.MOST_WAITED_S", -1.0)
    queue.popleft().service()
    monkeypatch.undo()
    queue.append(task("next"))
    at_work.service()
    queue.popleft().service()
    assert told == ["no late", "first", "next"]


@pytest.mark.fault
def test_whoever_was_refused_and_asks_again_is_next(queue, monkeypatch):
    put(queue, "a", 1, visitor="first", heavy=True)
    at_work = queue.popleft()
    put(queue, "a", 2, visitor="late", heavy=True)
    monkeypatch.setattr("callbacks.guards.fair_requests.MOST_WAITED_S", -1.0)
    refused = queue.popleft()
    monkeypatch.undo()
    put(queue, "a", 3, visitor="newcomer", heavy=True)
    put(queue, "a", 4, visitor="late", heavy=True)
    for turn in (refused, at_work):
        queue.finish(turn.client)
    assert numbers(taken(queue)) == [4]


def test_a_task_that_fails_frees_its_place(queue):
    def fail():
        raise RuntimeError

    client = Client("a", "")
    queue = FairQueue(LIMITS, lambda task: client, lambda: None)
    for _ in range(2 * LIMITS.of_network):
        queue.append(SimpleNamespace(service=fail))
        with pytest.raises(RuntimeError):
            queue.popleft().service()


@pytest.mark.parametrize(
    ("address", "error", "client"),
    [
        (Address(is_heavy=True), None, Client("a", "c", is_heavy=True)),
        (Address(), None, Client("a", "c")),
        (Address(is_heavy=True), "too large", Client("a", "c")),
        (Address(Body.FILE, is_heavy=True), None, Client("a", "c", has_file=True)),
        (Address(Body.FILE, is_heavy=True), "too large", Client("a", "c")),
    ],
)
def test_a_heavy_request_is_one_whose_address_is_and_that_is_not_refused(address, error, client):
    request = SimpleNamespace(network="a", headers={"COOKIE": "c"}, address=address, error=error)
    assert client_of(SimpleNamespace(requests=[request])) == client


@pytest.fixture
def held() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.mark.fault
def test_a_quarter_of_the_threads_is_left(held):
    places = Places(8)
    assert all(places.take(held, is_heavy=False) for _ in range(6))
    assert not places.take(held, is_heavy=False)
    held.close()
    assert places.take(held, is_heavy=False)


@pytest.mark.fault
def test_of_requests_of_seconds_two_are_answered_and_one_waits(held, monkeypatch):
    monkeypatch.setattr(fair_requests, "HEAVY_WAITS_S", 0.0)
    places = Places(8)
    assert all(places.take(held, is_heavy=True) for _ in range(2))
    refused = ExitStack()
    assert not places.take(refused, is_heavy=True)
    refused.close()
    assert all(places.take(held, is_heavy=False) for _ in range(4))


def test_who_finds_no_place_is_told_to_come_again_and_health_is_answered(studio, held):
    server, places = studio.app.server, Places(1)
    assert places.take(held, is_heavy=False)
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
    held.close()
    for _ in range(2):
        with server.test_request_context("/panels", method="POST"):
            assert admit(places) is None
            leave(None)
