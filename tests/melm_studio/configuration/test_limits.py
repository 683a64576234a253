"""Limits are enforced on every back end, with a message that names the way out."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest
from msgspec.structs import replace

from melm_studio.configuration.limits import LimitReachedError
from melm_studio.configuration.memory import BYTES_PER_MB
from melm_studio.runs.records.run import RunState
from melm_studio.runs.records.stored_files import FileKind
from tests.melm_studio.runs.helpers import UPLOADED, plane, run_of

MB = bytes(BYTES_PER_MB)


def created(store, owner="ada", **changes):
    record = replace(run_of(owner), **changes)
    store.create(record)
    return record


def refusal(do, *arguments) -> str:
    with pytest.raises(LimitReachedError) as refused:
        do(*arguments)
    return str(refused.value)


# ------------------------------------------------------------------------------------- runs


def test_a_full_queue_takes_no_run_until_one_leaves_it(open_store):
    store = open_store(queued_runs=2)
    created(store, "ada")
    created(store, "bob")
    said = refusal(store.create, run_of("eve"))
    assert said.startswith("The queue is full: at most 2 runs can wait")
    assert "Try again" in said
    assert store.runs_of("eve") == []
    store.transition(store.claim().run_id, {RunState.QUEUED}, state=RunState.RUNNING)
    created(store, "eve")


def test_a_visitor_keeps_so_many_runs_and_others_are_not_affected(open_store):
    store = open_store(session_runs=2)
    first, _ = created(store), created(store)
    said = refusal(store.create, run_of("ada"))
    assert said.startswith("You have 2 runs already")
    assert "Remove some panels" in said
    created(store, "bob")
    store.delete(first.run_id)
    created(store)


def test_one_address_leaves_places_in_the_queue_to_others_however_many_cookies_it_has(open_store):
    store = open_store(queued_runs=10)
    for number in range(5):
        store.set_address(f"cookie {number}", "crowd")
        created(store, f"cookie {number}")
    store.set_address("one more", "crowd")
    said = refusal(store.create, run_of("one more"))
    assert said.startswith("5 places of 10 in the queue are free, and your network address already")
    assert "Try again when" in said
    created(store, "newcomer")


def test_one_visitor_leaves_places_in_the_queue_to_others_of_the_address(open_store):
    store = open_store(queued_runs=12)
    for _ in range(4):
        created(store, "ada")
    said = refusal(store.create, run_of("ada"))
    assert said.startswith("8 places of 12 in the queue are free, and you already have 4")
    created(store, "bob")


def test_a_long_record_takes_more_than_one_place(open_store):
    store = open_store(queued_runs=10)
    refusal(store.create, run_of("ada", init=[[0.123456789] * 50_000]))
    created(store)


def test_an_owner_admits_runs_one_after_another(open_store):
    store = open_store()

    def only_the_first(runs):
        if runs:
            raise LimitReachedError("There is one already.")

    def press(_):
        with suppress(LimitReachedError):
            store.create(run_of("ada"), only_the_first)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(press, range(24)))
    assert len(store.runs_of("ada")) == 1


def test_the_next_run_is_of_the_address_with_the_fewest_at_work(open_store):
    store = open_store()
    for number in range(4):
        store.set_address(f"cookie {number}", "crowd")
        created(store, f"cookie {number}")
    store.claim()
    created(store, "newcomer")
    assert store.claim().owner == "newcomer"


def test_of_one_address_the_next_run_is_of_the_visitor_with_the_fewest_at_work(open_store):
    store = open_store()
    for owner in ("ada", "ada", "bob", "bob"):
        store.set_address(owner, "lab")
        created(store, owner)
    at_work = [store.claim() for _ in range(2)]
    assert [run.owner for run in at_work] == ["ada", "bob"]
    store.transition(at_work[1].run_id, {RunState.QUEUED}, state=RunState.DONE)
    assert store.claim().owner == "bob"  # though ada was served longer ago


# ------------------------------------------------------------------------------------- bytes


@pytest.mark.parametrize("kind", FileKind)
def test_one_address_leaves_bytes_to_others_however_many_cookies_it_has(
    open_store, kind, monkeypatch
):
    store = open_store(session_mb=4, total_mb=10)
    monkeypatch.setattr(store, "bytes_stored", lambda: 4 * len(MB))  # Redis knows the server's
    for owner in ("a cookie", "another"):
        store.set_address(owner, "crowd")
        store.put_file(owner, kind, "x", 2 * MB)
    store.set_address("one more", "crowd")
    said = refusal(store.put_file, "one more", kind, "x", 3 * MB)
    assert said.startswith("This needs 3.0 MB, but only 2.0 MB are left of your network address's")
    assert "MELM_MAX_TOTAL_MB" in said
    store.put_file("newcomer", kind, "x", 3 * MB)


def test_what_is_stored_is_known_in_bytes(open_store):
    store = open_store()
    before = store.bytes_stored()
    store.put_file("ada", FileKind.DATA, "d", np.random.default_rng(0).bytes(3 * len(MB)))
    assert store.bytes_stored() - before > 2.9 * len(MB)


def test_who_left_no_longer_counts_for_an_address(open_store):
    store = open_store()
    store.set_address("ada", "home")
    store.set_address("ada", "work")
    assert store.owners(address="work") == ["ada"]
    assert store.address_of("ada") == "work"
    assert store.owners(address="home") == []
    store.put_file("ada", FileKind.DATA, "d", b"data")
    (file,) = store.files_of("ada")
    store.delete_file(file)
    store.tidy(0.0)
    assert store.owners(address="work") == []


@pytest.mark.parametrize("kind", FileKind)
def test_what_does_not_fit_is_refused_with_the_limit_and_the_way_out(open_store, kind):
    store = open_store(session_mb=2)
    said = refusal(store.put_file, "ada", kind, "x", 3 * MB)
    assert said.startswith("This needs 3.0 MB, but only 2.0 MB are left of your 2 MB")
    assert "Remove some panels" in said
    assert "MELM_MAX_SESSION_MB" in said
    assert store.files_of("ada") == []


@pytest.mark.parametrize("kind", FileKind)
def test_what_fits_exactly_is_taken_and_putting_it_again_needs_no_more_room(open_store, kind):
    store = open_store(session_mb=2)
    used = created(store, data_id=UPLOADED.key, source=UPLOADED)
    for owner in ("ada", "ada", "bob"):
        store.put_file(owner, kind, UPLOADED.key, 2 * MB)
    assert store.get(used.run_id) is not None
    assert [held.n_bytes for held in store.files_of("ada")] == [2 * len(MB)]


def test_what_no_run_uses_makes_room_oldest_first(open_store):
    store = open_store(session_mb=3)
    created(store, data_id="used", source=UPLOADED)
    for kind, key in [
        (FileKind.DATA, "used"),
        (FileKind.DATA, "old"),
        (FileKind.UPLOAD, "newer"),
    ]:
        store.put_file("ada", kind, key, MB)
    store.put_file("ada", FileKind.UPLOAD, UPLOADED.key, b"small")
    assert store.get_file("ada", FileKind.DATA, "old") is None
    assert (
        store.get_file("ada", FileKind.UPLOAD, "newer")
        == store.get_file("ada", FileKind.DATA, "used")
        == MB
    )
    assert store.get_file("ada", FileKind.UPLOAD, UPLOADED.key) == b"small"


def test_what_a_run_uses_is_never_dropped_for_room(open_store):
    store = open_store(session_mb=2)
    created(store, data_id="d", source=UPLOADED)
    store.put_file("ada", FileKind.DATA, "d", MB)
    store.put_file("ada", FileKind.UPLOAD, UPLOADED.key, MB)
    refusal(store.put_file, "ada", FileKind.UPLOAD, "more", b"x")
    assert (
        store.get_file("ada", FileKind.DATA, "d")
        == store.get_file("ada", FileKind.UPLOAD, UPLOADED.key)
        == MB
    )


def test_the_planes_of_runs_count(open_store):
    store = open_store(session_mb=1)
    record = created(store)
    store.transition(record.run_id, {RunState.QUEUED}, state=RunState.RUNNING)
    wide = plane()
    wide = replace(wide, components=wide.components.repeat(10_000, axis=1))
    store.append(record.run_id, wide)
    left = len(MB) - store.history_size(record.run_id).n_bytes
    refusal(store.put_file, "ada", FileKind.DATA, "d", bytes(left + 1))
    store.put_file("ada", FileKind.DATA, "d", bytes(left))
    refusal(store.create, run_of("ada"))
    store.delete(record.run_id)
    created(store)
