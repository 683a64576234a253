"""What another version wrote, and this one cannot read, neither breaks anything nor is changed."""

from __future__ import annotations

import json
import time

import pytest

from melm_studio.configuration.messages import OTHER_VERSION
from melm_studio.runs.records.run import RunRecord, RunRequest, RunState, UnreadableRun
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.attempts import reopen
from melm_studio.runs.store.quota import sweep
from melm_studio.talks import Talk
from tests.melm_studio.runs.helpers import created, plane, started

# What a later version might have written instead of a field, or of everything.
LATER = {
    "state": {"state": "archived"},
    "kind": {"kind": 1},
    "method": {"method": "quantum"},
    "parameters": {"parameters": {"gamma": {"value": 1}}},
    "type": {"created_s": "today"},
    "no record": None,
}


@pytest.fixture(params=LATER)
def written(request, monkeypatch):
    """Write a run as a later version would."""

    def write(store, begin=created):
        def later(record):
            change = LATER[request.param]
            known = json.loads(as_now(record))
            return b"\x93damaged" if change is None else json.dumps(known | change).encode()

        as_now = RunRecord.to_bytes
        run = begin(store)
        with monkeypatch.context() as patched:
            patched.setattr(RunRecord, "to_bytes", later)
            store.annotate(run.run_id)
        return run.run_id

    return write


def test_a_run_that_cannot_be_read_says_so_in_its_owner_s_list(store, written):
    run_id, other = written(store), created(store)
    runs = store.runs_of("ada")
    assert {run.run_id for run in runs} == {run_id, other.run_id}
    (unreadable,) = (run for run in runs if run.run_id == run_id)
    assert isinstance(unreadable, UnreadableRun)
    assert unreadable.name == store.get(run_id).name == "Run of another version"
    assert (unreadable.owner, unreadable.message) == ("ada", OTHER_VERSION)


@pytest.mark.fault
def test_the_queue_goes_on_beside_a_run_that_cannot_be_read(store, written):
    run_id, other = written(store), created(store)
    assert [run.run_id for run in store.unfinished()] == [other.run_id]
    assert store.claim() == other
    assert store.claim() is None
    store.release(run_id)
    store.places_taken()
    sweep(store, time.time())


def test_nothing_changes_a_run_that_cannot_be_read_but_what_its_user_says(store, written):
    run_id = written(store, started)
    store.beat(run_id, 1.0)
    store.cancel(run_id)
    assert not store.transition(run_id, [*RunState], state=RunState.DONE)
    assert not reopen(store, run_id)
    before = store.get(run_id)
    store.annotate(run_id, removed_s=5.0)
    after = store.get(run_id)
    assert (after.removed_s, after.method, after.name) == (5.0, before.method, before.name)


@pytest.mark.fault
def test_a_later_version_finds_its_run_as_it_was_but_for_the_removal(store, monkeypatch):
    run_id = created(store).run_id
    later = RunRecord.to_bytes

    def with_a_field(record):
        return json.dumps(json.loads(later(record)) | {"method": "quantum", "qubits": 3}).encode()

    with monkeypatch.context() as patched:
        patched.setattr(RunRecord, "to_bytes", with_a_field)
        store.annotate(run_id)
    store.annotate(run_id, removed_s=5.0)
    seen = []

    def reading(raw):
        seen.append(json.loads(raw))
        raise ValueError

    monkeypatch.setattr(RunRecord, "from_bytes", reading)
    store.get(run_id)
    assert (seen[0]["method"], seen[0]["qubits"], seen[0]["removed_s"]) == ("quantum", 3, 5.0)
    assert seen[0]["state"] == "queued"


def test_a_run_that_cannot_be_read_can_be_deleted(store, written):
    run_id = written(store)
    store.delete(run_id)
    assert store.get(run_id) is None
    assert store.runs_of("ada") == []


def test_planes_requests_files_and_talks_of_another_version_break_nothing(store, monkeypatch):
    run = started(store)
    talk = Talk(talk_id="t", owner="bob", address="", created_s=0.0, expires_s=9e9)
    with monkeypatch.context() as patched:
        for kind in (type(plane()), RunRequest, Talk):
            patched.setattr(kind, "to_bytes", lambda record: b'{"later": 1')
        store.append(run.run_id, plane())
        store.update_request(run.run_id, RunRequest.paused)
        store.talks.put(talk)
    assert store.events(run.run_id) == []
    assert store.last_event(run.run_id) is None
    assert not store.request(run.run_id).is_cancelled
    assert store.talks.get("t") is None
    store.talks.put(Talk(talk_id="u", owner="ada", address="", created_s=0.0, expires_s=9e9))
    assert store.talks.of_owner("ada").talk_id == "u"
    store.put_file("ada", FileKind.DATA, "d", b"data")
    sweep(store, time.time())
