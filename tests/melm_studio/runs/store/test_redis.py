"""What only the store on Redis promises."""

from __future__ import annotations

import json
import pickle
import socket
import threading
from contextlib import suppress
from itertools import chain

import pytest

from melm_studio.configuration.limits import DiskFullError, Limits
from melm_studio.configuration.settings import RedisAddress
from melm_studio.runs.records.run import RunRequest, RunState, UnreadableRun, reopened
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store import redis_client
from melm_studio.runs.store.protocol import StoreUnavailableError
from melm_studio.runs.store.redis import RedisRunStore
from melm_studio.workers.execute import execute_queued
from tests.melm_studio.runs.helpers import (
    Trap,
    blobs,
    created,
    plane,
    queue_run,
    run_of,
    started,
    wait_until,
)
from tests.melm_studio.runs.processes import raced
from tests.melm_studio.runs.redis_server import running_redis

IMPORTS = """
import json, os, sys
from melm_studio.configuration.limits import Limits
from melm_studio.runs.records.run import PlaneEvent, RunState
from melm_studio.configuration.settings import RedisAddress
from melm_studio.runs.store.redis import RedisRunStore
"""
PREPARE = """
store = RedisRunStore(RedisAddress(*sys.argv[1:3]), Limits(), 5.0)
event = PlaneEvent.from_bytes(bytes.fromhex(sys.argv[4]))
"""
RACE = """
won = store.transition(sys.argv[3], {RunState.QUEUED}, state=RunState.RUNNING, pid=os.getpid())
numbers = [store.append(sys.argv[3], event) for _ in range(20)]
claimed = [record.run_id for record in iter(store.claim, None)]
answer = json.dumps([won, numbers, claimed])
"""


@pytest.fixture
def prefix(tmp_path):
    return str(tmp_path)


@pytest.fixture
def store(redis_server, prefix):
    store = redis_server.store(prefix)
    yield store
    store.close()


@pytest.fixture
def own_server(tmp_path):
    """A server that the test may kill."""
    with running_redis(tmp_path) as server:
        yield server


@pytest.fixture
def client(redis_server):
    with redis_server.client() as client:
        yield client


def store_without_patience(server):
    return RedisRunStore(RedisAddress(server.url), Limits(), 0.2)


def keys(client, prefix):
    return set(client.scan_iter(f"{RedisAddress('', prefix).key()}/*"))


# ------------------------------------------------------------------------------------- processes


@pytest.mark.slow
def test_processes_that_compete_win_once_append_in_order_and_share_the_queue(
    store, redis_server, prefix
):
    contested = run_of()
    store.create(contested)
    records = [created(store, owner) for owner in "abc" for _ in range(5)]
    arguments = [redis_server.url, prefix, contested.run_id, plane().to_bytes().hex()]
    answers = raced(IMPORTS, PREPARE, RACE, *arguments, n_rivals=3)
    won, numbers, claimed = zip(*map(json.loads, answers.values()), strict=True)
    assert sorted(won) == [False, False, True]
    assert store.get(contested.run_id).pid == [*answers][won.index(True)]
    assert sorted(chain.from_iterable(numbers)) == list(range(60))
    assert [event.sequence for event in store.events(contested.run_id)] == list(range(60))
    assert sorted(chain.from_iterable(claimed)) == sorted(record.run_id for record in records)


def test_a_run_is_queued_again_only_by_the_places_that_are_left_then(store):
    record = started(store)
    store.transition(record.run_id, {RunState.RUNNING}, state=RunState.FAILED)
    n_queued = []

    def queued_again(run, request):
        n_queued.append(store.n_queued())
        if len(n_queued) == 1:
            created(store, "bob")
        return reopened(run), request

    assert store.change(record.run_id, queued_again)
    assert n_queued == [0, 1]


# ------------------------------------------------------------------------------------- the server


def test_all_is_there_after_the_server_was_killed_and_started_again(own_server):
    store = own_server.store("melm")
    record = queue_run(store, blobs(60), "pca")
    execute_queued(store)
    done, plane_before = store.get(record.run_id), store.last_event(record.run_id)
    waiting, secret = created(store), store.secret()
    own_server.kill()
    own_server.start()
    assert store.get(record.run_id) == done
    assert done.state is RunState.DONE
    assert store.last_event(record.run_id).to_bytes() == plane_before.to_bytes()
    assert store.get_file("ada", FileKind.DATA, record.data_id) is not None
    assert store.secret() == secret
    assert store.claim() == waiting
    store.close()


@pytest.mark.fault
def test_a_server_that_lost_everything_gets_its_key_back(store, client, prefix, caplog):
    secret = store.secret()
    assert caplog.messages == ["the store was empty, it got a new key"]
    client.delete(*keys(client, prefix))
    assert store.secret() == secret
    assert caplog.messages[1:] == ["the store was empty, it got its key"]


def test_work_goes_on_when_the_server_is_back(own_server):
    store = own_server.store("melm")
    record = started(store)
    finished = threading.Event()

    def append_until_finished():
        while not finished.is_set():
            store.append(record.run_id, plane())

    writer = threading.Thread(target=append_until_finished)
    writer.start()
    for _ in range(2):
        n_events = store.n_events(record.run_id)
        wait_until(lambda so_far=n_events: store.n_events(record.run_id) > so_far + 10)
        own_server.kill()
        own_server.start()
    n_events = store.n_events(record.run_id)
    wait_until(lambda: store.n_events(record.run_id) > n_events + 10)
    finished.set()
    writer.join()
    events = store.events(record.run_id)
    assert [event.sequence for event in events] == list(range(len(events)))
    store.close()


@pytest.mark.slow
def test_a_server_that_is_gone_is_told_in_a_sentence_until_it_is_back(own_server):
    store = store_without_patience(own_server)
    record = started(store)
    own_server.kill()
    for use in (
        lambda: store.get(record.run_id),
        lambda: store.beat(record.run_id, 1.0),
        lambda: store.append(record.run_id, plane()),
        lambda: store.request(record.run_id),
        lambda: store.put_file("ada", FileKind.DATA, "d", b"x"),
    ):
        with pytest.raises(StoreUnavailableError, match=r"cannot reach .* try again in a minute"):
            use()
    own_server.start()
    assert store.append(record.run_id, plane()) == 0
    store.close()


@pytest.mark.fault
def test_a_server_that_is_silent_is_given_up_in_time(monkeypatch):
    monkeypatch.setattr(redis_client, "ANSWER_S", 0.4)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        with pytest.raises(StoreUnavailableError):
            redis_client.open_client(url, patience_s=0.4).get("anything")
        silent.settimeout(0)
        connections = []
        with suppress(BlockingIOError):
            while True:
                connections.append(silent.accept()[0])
    # A refusal would have been tried again every 0.1 s.
    assert len(connections) <= 2
    for connection in connections:
        connection.close()


@pytest.mark.fault
def test_a_server_without_room_is_told_like_a_full_disk(own_server):
    store = own_server.store("melm")
    record = started(store)
    with own_server.client() as client:
        client.config_set("maxmemory", 1)
        assert_full(store, record)
        client.config_set("maxmemory", 0)
    assert store.append(record.run_id, plane()) == 0
    store.close()


@pytest.mark.fault
def test_a_server_that_cannot_save_is_told_like_a_full_disk(own_server, tmp_path):
    store = own_server.store("melm")
    record = started(store)
    (tmp_path / "dump.rdb").mkdir()  # where the snapshot should be
    with own_server.client() as client:
        client.config_set("save", "3600 1")
        client.bgsave()
        wait_until(lambda: client.info("persistence")["rdb_last_bgsave_status"] == "err")
        assert_full(store, record)
        client.config_set("save", "")
    assert store.append(record.run_id, plane()) == 0
    store.close()


def assert_full(store, record):
    for use in (
        lambda: store.append(record.run_id, plane()),
        lambda: store.put_file("ada", FileKind.DATA, "d", b"x"),
        lambda: store.beat(record.run_id, 1.0),
        lambda: store.probe(1.0),
    ):
        with pytest.raises(DiskFullError):
            use()


# ------------------------------------------------------------------------------------- keys, values


def test_studios_of_different_prefixes_share_a_server_without_seeing_each_other(
    store, redis_server, prefix
):
    other = redis_server.store(f"{prefix}2")
    record = created(store)
    store.put_file("ada", FileKind.DATA, "d", b"secret")
    assert other.get(record.run_id) is None
    assert other.get_file("ada", FileKind.DATA, "d") is None
    assert other.owners() == other.unfinished() == []
    assert other.claim() is None
    assert other.secret() != store.secret()
    other.close()


def test_what_is_deleted_and_dropped_leaves_no_key(store, client, prefix):
    store.secret()
    before = keys(client, prefix)
    record = started(store)
    store.put_file("ada", FileKind.DATA, "d", b"data")
    store.append(record.run_id, plane())
    store.put_report(record.run_id, b"report")
    store.update_request(record.run_id, RunRequest.paused)
    assert len(keys(client, prefix) - before) >= 9
    store.delete(record.run_id)
    store.delete_file(store.files_of("ada")[0])
    store.tidy(0.0)
    assert keys(client, prefix) == before


def test_equal_data_of_two_owners_are_kept_once(store, client, prefix):
    raw = bytes(range(256)) * 1_000
    store.put_file("ada", FileKind.DATA, "x", raw)
    store.put_file("bob", FileKind.DATA, "y", raw)
    store.put_file("bob", FileKind.UPLOAD, "y.csv", raw)
    (content,) = [key for key in keys(client, prefix) if b"/content/" in key]
    assert client.strlen(content) == len(raw)
    for holding in [*store.files_of("ada"), *store.files_of("bob")]:
        assert client.exists(content)
        store.delete_file(holding)
    assert not client.exists(content)


def test_a_pickle_on_the_server_is_never_run(store, client, prefix, tmp_path):
    sprung = tmp_path / "sprung"
    client.set(RedisAddress("", prefix).key("run", "evil"), pickle.dumps(Trap(sprung)))
    assert isinstance(store.get("evil"), UnreadableRun)
    assert not sprung.exists()


def test_a_queued_run_that_is_put_back_goes_before_those_that_came_later(store):
    first, second = created(store), created(store)
    store.claim()
    store.release(first.run_id)
    assert [store.claim(), store.claim()] == [first, second]


# ------------------------------------------------------------------------------------- addresses


@pytest.mark.parametrize(
    ("text", "url", "prefix"),
    [
        ("redis://host", "redis://host", "melm"),
        ("redis://host:6380/2", "redis://host:6380/2", "melm"),
        ("rediss://me:pass@host/0?prefix=lab", "rediss://me:pass@host/0", "lab"),
    ],
)
def test_an_address_is_a_server_and_a_prefix(text, url, prefix):
    assert RedisAddress.from_text(text) == RedisAddress(url, prefix)


@pytest.mark.parametrize(
    "text", ["host:6379", "http://host", "redis://", "redis://host/zero", "redis://host:port/0"]
)
def test_what_is_no_address_is_refused_with_an_example(text):
    with pytest.raises(ValueError, match="an address such as redis://host:6379/0"):
        RedisAddress.from_text(text)


def test_an_address_is_shown_without_its_password():
    assert RedisAddress("redis://me:pass@host:1/0").shown == "redis://host:1/0"


def test_parts_of_a_key_do_not_mix():
    address = RedisAddress("redis://host", "a")
    assert address.key("b/c") != address.key("b", "c")
