"""A full disk is told, loses nothing that was kept, and is forgotten once there is room."""

from __future__ import annotations

import time

import pytest

from melm_studio.configuration.limits import DiskFullError
from melm_studio.configuration.messages import NO_ROOM
from melm_studio.runs.records.run import RunState
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.workers.background_threads import heartbeat
from melm_studio.workers.execute import execute_run
from tests.melm_studio.runs.helpers import (
    ManualClock,
    blobs,
    created,
    plane,
    queue_run,
    run_of,
    started,
    wait_until,
)
from tests.melm_studio.runs.store.full_disk import FullDisk, no_file_larger_than

MB = 2**20


@pytest.fixture
def store(disk_store):
    return disk_store


@pytest.fixture
def disk(monkeypatch):
    return FullDisk(monkeypatch)


class FreeingClock:
    """A clock during whose sleep the disk is freed."""

    def __init__(self, disk, store):
        self.disk, self.store, self.n_sleeps = disk, store, 0

    def time(self):
        return time.time()

    def monotonic(self):
        return time.monotonic()

    def sleep(self, seconds):
        self.n_sleeps += 1
        self.disk.free(self.store)


def test_what_does_not_fit_is_refused_and_what_was_kept_stays(store, disk):
    record = started(store)
    store.append(record.run_id, plane())
    before = store.get(record.run_id)
    disk.fill(store)
    with pytest.raises(DiskFullError, match="free some space, then try again"):
        store.put_file("ada", FileKind.UPLOAD, "u", bytes(100_000))
    assert store.get_file("ada", FileKind.UPLOAD, "u") is None
    assert store.files_of("ada") == []
    assert store.get(record.run_id) == before
    assert store.n_events(record.run_id) == 1


def test_once_there_is_room_the_store_goes_on(store, disk):
    disk.fill(store)
    with pytest.raises(DiskFullError):
        store.put_file("ada", FileKind.UPLOAD, "u", bytes(100_000))
    disk.free(store)
    store.put_file("ada", FileKind.UPLOAD, "u", b"now")
    assert store.get_file("ada", FileKind.UPLOAD, "u") == b"now"
    assert store.claim() is None
    assert created(store) == store.claim()


@pytest.mark.fault
def test_a_large_file_that_does_not_fit_leaves_nothing_behind(store, tmp_path):
    with no_file_larger_than(2 * MB), pytest.raises(DiskFullError):
        store.put_file("ada", FileKind.UPLOAD, "u", bytes(3 * MB))
    assert list((tmp_path / "store").rglob("*.val")) == []
    assert store.files_of("ada") == []
    store.put_file("ada", FileKind.UPLOAD, "u", bytes(3 * MB))
    assert store.get_file("ada", FileKind.UPLOAD, "u") == bytes(3 * MB)


def test_a_run_fails_with_a_sentence_and_its_best_plane_once_there_is_room(
    store, disk, monkeypatch
):
    append = store.append

    def append_and_fill(run_id, event):
        sequence = append(run_id, event)
        if sequence == 5:
            disk.fill(store)
        return sequence

    monkeypatch.setattr(store, "append", append_and_fill)
    record = queue_run(store, blobs(), n_init=1_000)
    clock = FreeingClock(disk, store)
    execute_run(store, record.run_id, clock=clock)
    failed, final = store.get(record.run_id), store.last_event(record.run_id)
    assert (failed.state, failed.message) == (RunState.FAILED, NO_ROOM)
    assert clock.n_sleeps >= 1
    assert final.is_final
    assert final.objective == max(event.objective for event in store.events(record.run_id))


def test_a_run_that_cannot_be_begun_waits_for_room(store, disk, monkeypatch):
    transition, refusals = store.transition, [DiskFullError(), DiskFullError()]

    def refuse_first(*arguments, **changes):
        if refusals:
            raise refusals.pop()
        return transition(*arguments, **changes)

    monkeypatch.setattr(store, "transition", refuse_first)
    record = queue_run(store, blobs(), "pca")
    clock = FreeingClock(disk, store)
    execute_run(store, record.run_id, clock=clock)
    assert clock.n_sleeps == 2
    assert store.get(record.run_id).state is RunState.DONE


def test_the_heart_goes_on_beating_after_a_beat_that_found_no_room(store, monkeypatch):
    record, beat, refusals = run_of(), store.beat, [DiskFullError()]
    store.create(record)

    def refuse_first(*arguments):
        if refusals:
            raise refusals.pop()
        beat(*arguments)

    monkeypatch.setattr(store, "beat", refuse_first)
    with heartbeat(store, record.run_id, clock=ManualClock(7.0), period_s=0.001):
        wait_until(lambda: store.get(record.run_id).heartbeat_s == 7.0)
    assert refusals == []
