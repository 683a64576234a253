"""Runs and data unused for days are deleted; those in use stay."""

from __future__ import annotations

import time

import pytest
from msgspec.structs import replace

from melm_studio.runs.records.run import RunState
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.quota import (
    SECONDS_PER_DAY,
    TRUSTED_AFTER_S,
    Sweeper,
    sweep,
)
from tests.melm_studio.runs.helpers import UPLOADED, ManualClock, plane, run_of

DAYS = 3


@pytest.fixture
def store(open_store):
    return open_store(days_kept=DAYS)


def run_that_ended(store, days_ago=0.0, owner="ada", **changes):
    record = replace(run_of(owner), **changes)
    store.create(record)
    store.append(record.run_id, plane())
    ended_s = time.time() - days_ago * SECONDS_PER_DAY
    store.transition(record.run_id, {RunState.QUEUED}, state=RunState.DONE, finished_s=ended_s)
    return record


def sweep_after(store, days):
    sweep(store, time.time() + days * SECONDS_PER_DAY)


def test_a_run_that_ended_long_ago_goes_with_its_history_and_its_data(store):
    record = run_that_ended(store, data_id="d", source=UPLOADED)
    store.put_file("ada", FileKind.DATA, "d", b"data")
    store.put_file("ada", FileKind.UPLOAD, UPLOADED.key, b"upload")
    sweep_after(store, DAYS - 1)
    assert store.get(record.run_id) is not None
    assert store.get_file("ada", FileKind.DATA, "d") == b"data"
    sweep_after(store, DAYS + 1)
    assert store.get(record.run_id) is None
    assert store.n_events(record.run_id) == 0
    assert store.files_of("ada") == []
    assert store.owners() == []


def test_what_is_used_least_makes_room_for_others(open_store, monkeypatch):
    store = open_store(days_kept=30, total_mb=10)
    # A server holds what other tests have stored, too.
    monkeypatch.setattr(store, "bytes_stored", lambda: 0)
    old = run_that_ended(store, days_ago=20)
    recent = run_that_ended(store, days_ago=6, owner="bob")
    fresh = run_that_ended(store, days_ago=0.5, owner="eve")

    def stored_with(*records):
        return sum(store.get(record.run_id) is not None for record in records) * 2**20

    monkeypatch.setattr(store, "bytes_stored", lambda: 8 * 2**20 + stored_with(old, recent))
    sweep_after(store, 0)
    assert [store.get(record.run_id) is None for record in (old, recent, fresh)] == [1, 0, 0]
    monkeypatch.setattr(store, "bytes_stored", lambda: 10 * 2**20)
    sweep_after(store, 0)
    assert [store.get(record.run_id) is None for record in (recent, fresh)] == [1, 0]


@pytest.mark.fault
def test_a_clock_that_jumps_deletes_nothing(store):
    record, clock = run_that_ended(store), ManualClock(time.time())
    sweeper = Sweeper(store, clock)
    sweeper.sweep()
    clock.now_s += TRUSTED_AFTER_S
    clock.ahead_s = 10 * DAYS * SECONDS_PER_DAY
    sweeper.sweep()
    assert store.get(record.run_id) is not None
    clock.now_s += TRUSTED_AFTER_S
    sweeper.sweep()  # nobody has set it back
    assert store.get(record.run_id) is None


@pytest.mark.fault
def test_nothing_is_deleted_within_six_hours_after_a_jump(store):
    record, clock = run_that_ended(store), ManualClock(time.time())
    sweeper = Sweeper(store, clock)
    sweeper.sweep()
    clock.now_s += 7 * 3_600.0
    clock.ahead_s = 366 * SECONDS_PER_DAY
    sweeper.sweep()
    clock.now_s += 5.9 * 3_600.0
    sweeper.sweep()
    assert store.get(record.run_id) is not None
    clock.now_s += 0.2 * 3_600.0
    sweeper.sweep()
    assert store.get(record.run_id) is None


@pytest.mark.parametrize(("used_mb", "is_full"), [(899, False), (901, True)])
def test_room_is_made_when_nine_tenths_are_taken(open_store, monkeypatch, used_mb, is_full):
    store = open_store(days_kept=30, total_mb=1_000)  # a server of many tests has some already
    old = run_that_ended(store, days_ago=20)
    monkeypatch.setattr(
        store, "bytes_stored", lambda: (store.get(old.run_id) is not None) * used_mb * 2**20
    )
    sweep_after(store, 0)
    assert (store.get(old.run_id) is None) == is_full


@pytest.mark.fault
def test_a_start_with_a_wrong_clock_deletes_nothing(store):
    record, clock = run_that_ended(store), ManualClock(time.time())
    Sweeper(store, clock).sweep()
    clock.now_s += 10 * DAYS * SECONDS_PER_DAY
    Sweeper(store, clock).sweep()
    assert store.get(record.run_id) is not None


def test_a_start_soon_after_the_last_sweep_deletes_what_is_due(store):
    record, clock = run_that_ended(store, days_ago=2 * DAYS), ManualClock(time.time())
    Sweeper(store, clock).sweep()
    assert store.get(record.run_id) is not None  # of a store that was never swept
    clock.now_s += 600
    Sweeper(store, clock).sweep()
    assert store.get(record.run_id) is None


def test_a_run_whose_data_are_still_opened_stays_with_its_data(store):
    record = run_that_ended(store, days_ago=2 * DAYS, data_id="d")
    store.put_file("ada", FileKind.DATA, "d", b"data")
    sweep_after(store, 1)
    assert store.get(record.run_id) is not None
    assert store.get_file("ada", FileKind.DATA, "d") == b"data"


def test_the_upload_of_a_run_that_stays_stays(store):
    store.put_file("ada", FileKind.UPLOAD, UPLOADED.key, b"upload")
    run_that_ended(store, days_ago=-DAYS, source=UPLOADED)
    sweep_after(store, DAYS + 1)
    assert store.get_file("ada", FileKind.UPLOAD, UPLOADED.key) == b"upload"


def test_a_run_that_waits_or_works_is_never_swept_away(store):
    waiting, working = run_of(), run_of()
    for record in (waiting, working):
        store.create(record)
    store.transition(working.run_id, {RunState.QUEUED}, state=RunState.RUNNING)
    sweep_after(store, 10 * DAYS)
    assert len(store.unfinished()) == 2


def test_what_is_fresh_of_another_owner_stays_though_it_is_equal(store):
    store.put_file("ada", FileKind.DATA, "d", b"same")
    store.put_file("bob", FileKind.DATA, "d", b"same")
    run_that_ended(store, days_ago=-DAYS, owner="bob", data_id="d")
    sweep_after(store, DAYS + 1)
    assert store.get_file("ada", FileKind.DATA, "d") is None
    assert store.get_file("bob", FileKind.DATA, "d") == b"same"


def test_a_new_store_says_nothing_of_the_clock(store, caplog):
    caplog.set_level("INFO")
    clock = ManualClock(time.time())
    Sweeper(store, clock).sweep()
    assert "clock" not in caplog.text
    clock.now_s += 10 * DAYS * SECONDS_PER_DAY
    Sweeper(store, clock).sweep()
    assert "clock" in caplog.text
