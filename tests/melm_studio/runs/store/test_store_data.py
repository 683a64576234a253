"""The contract of a store of data and uploads, the same on every back end."""

from __future__ import annotations

import numpy as np
import pytest

from melm_studio.runs.records.stored_files import FileKind
from tests.melm_studio.runs.helpers import run_of


@pytest.mark.parametrize("kind", FileKind)
@pytest.mark.parametrize("size", [0, 10, 3_000_000])
def test_data_come_back_byte_for_byte(store, kind, size):
    raw = np.random.default_rng(size).bytes(size)
    store.put_file("ada", kind, "iris", raw)
    assert store.get_file("ada", kind, "iris") == raw


@pytest.mark.parametrize("kind", FileKind)
def test_only_who_put_data_reads_them(store, kind):
    store.put_file("ada", kind, "iris", b"secret")
    assert store.get_file("bob", kind, "iris") is None
    assert store.get_file("ada/iris", kind, "") is None


@pytest.mark.parametrize("kind", FileKind)
def test_putting_other_bytes_under_somebody_s_id_reads_and_changes_nothing_of_theirs(store, kind):
    store.put_file("ada", kind, "iris", b"secret")
    store.put_file("bob", kind, "iris", b"guess")
    assert store.get_file("bob", kind, "iris") == b"guess"
    assert store.get_file("ada", kind, "iris") == b"secret"


def test_data_and_uploads_do_not_mix(store):
    store.put_file("ada", FileKind.DATA, "iris", b"table")
    assert store.get_file("ada", FileKind.UPLOAD, "iris") is None


# ------------------------------------------------------------------------------------- holdings


def test_an_owner_s_holdings_say_what_they_are(store):
    store.put_file("ada", FileKind.UPLOAD, "table.csv", b"x,y")
    store.put_file("ada", FileKind.DATA, "iris", b"numbers")
    found = {(held.kind, held.key, held.n_bytes) for held in store.files_of("ada")}
    assert found == {(FileKind.UPLOAD, "table.csv", 3), (FileKind.DATA, "iris", 7)}
    assert store.files_of("bob") == []


@pytest.mark.fault
def test_what_is_dropped_is_gone_and_equal_bytes_of_others_stay(store):
    for owner, key in [("ada", "a"), ("bob", "b"), ("ada", "c")]:
        store.put_file(owner, FileKind.UPLOAD, key, b"same")
    first, second = store.files_of("ada")
    store.delete_file(first)
    store.delete_file(first)
    assert store.get_file("ada", FileKind.UPLOAD, "a") is None
    assert (
        store.get_file("bob", FileKind.UPLOAD, "b")
        == store.get_file("ada", FileKind.UPLOAD, "c")
        == b"same"
    )
    store.delete_file(second)
    assert store.files_of("ada") == []
    assert store.get_file("bob", FileKind.UPLOAD, "b") == b"same"


def test_bytes_that_were_replaced_are_dropped_for_this_owner_alone(store):
    store.put_file("ada", FileKind.UPLOAD, "a", b"same")
    store.put_file("bob", FileKind.UPLOAD, "b", b"same")
    store.put_file("ada", FileKind.UPLOAD, "a", b"other")
    assert store.get_file("ada", FileKind.UPLOAD, "a") == b"other"
    assert store.get_file("bob", FileKind.UPLOAD, "b") == b"same"
    assert len(store.files_of("ada")) == 1


def test_owners_are_those_who_keep_something_once_the_store_is_tidy(store):
    store.put_file("ada", FileKind.DATA, "iris", b"x")
    record = run_of("bob")
    store.create(record)
    assert sorted(store.owners()) == ["ada", "bob"]
    store.delete_file(store.files_of("ada")[0])
    store.tidy(0.0)
    assert store.owners() == ["bob"]
    store.delete(record.run_id)
    store.tidy(0.0)
    assert store.owners() == []
