"""No address and no visitor keeps others from their answers."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from callbacks.guards.fair_requests import (
    HEAVY_RULES,
    Client,
    FairQueue,
    RequestLimits,
    client_of,
)

LIMITS = RequestLimits(of_address=2, heavy_of_address=1, heavy=2)


@pytest.fixture
def queue():
    """A queue of tasks that are pairs of a client and a number."""
    return FairQueue(LIMITS, lambda task: task[0], lambda: None)


def put(queue, address, *numbers, visitor="", heavy=False):
    for number in numbers:
        queue.append((Client(address, visitor, heavy), number))


def taken(queue):
    """All that is answered now; none of it ends."""
    turns = []
    while queue:
        turns.append(queue.popleft())
    return turns


def numbers(turns):
    return [turn.task[1] for turn in turns]


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


def test_heavy_answers_leave_threads_to_light_ones(queue):
    put(queue, "a", 1, 2, heavy=True)
    put(queue, "b", 3, heavy=True)
    put(queue, "c", 4, heavy=True)
    put(queue, "a", 5)
    assert sorted(numbers(taken(queue))) == [1, 3, 5]


def test_a_task_that_fails_frees_its_place(queue):
    def fail():
        raise RuntimeError

    client = Client("a", "")
    queue = FairQueue(LIMITS, lambda task: client, lambda: None)
    for _ in range(2 * LIMITS.of_address):
        queue.append(SimpleNamespace(service=fail))
        with pytest.raises(RuntimeError):
            queue.popleft().service()


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "9.9.9.9", "1.1.1.1"),
        (1, "9.9.9.9, 2.2.2.2", "2.2.2.2"),
        (2, "9.9.9.9, 2.2.2.2, 3.3.3.3", "2.2.2.2"),
        (1, "", "1.1.1.1"),
        (2, "2.2.2.2", "1.1.1.1"),
    ],
)
def test_the_address_is_that_which_the_trusted_proxies_saw(proxies, forwarded, address):
    request = SimpleNamespace(command="GET", path="/frames", headers={"X_FORWARDED_FOR": forwarded})
    channel = SimpleNamespace(requests=[request], addr=("1.1.1.1", 1))
    assert client_of(channel, proxies).address == address


@pytest.mark.parametrize(
    ("line", "is_heavy"),
    [
        ("GET /runs/x/replay.html", True),
        ("POST /upload", True),
        ("GET /upload", False),
        ("POST /api/v1/runs", True),
        ("GET /api/v1/runs", False),
        ("GET /frames", False),
        ("GET /health", False),
        ("POST /melm/upload", True),
        ("GET /melm/frames", False),
    ],
)
def test_what_takes_long_is_heavy(line, is_heavy):
    command, path = line.split()
    request = SimpleNamespace(command=command, path=path, headers={})
    channel = SimpleNamespace(requests=[request], addr=("1.1.1.1", 1))
    assert client_of(channel, 0, "/melm").is_heavy is is_heavy


def test_what_is_called_heavy_is_a_route(studio):
    rules = studio.app.server.url_map.iter_rules()
    assert set(HEAVY_RULES) <= {
        f"{method} {rule.rule}" for rule in rules for method in rule.methods
    }
