"""The contract of a store of data and uploads, the same on every back end."""

from __future__ import annotations

import numpy as np
import pytest

from melm_studio.runs.records.stored_files import FileKind
from tests.melm_studio.runs.helpers import run_of

KINDS = [("put_data", "get_data"), ("put_upload", "get_upload")]


@pytest.mark.parametrize(("put", "get"), KINDS)
@pytest.mark.parametrize("size", [0, 10, 3_000_000])
def test_data_come_back_byte_for_byte(store, put, get, size):
    raw = np.random.default_rng(size).bytes(size)
    getattr(store, put)("ada", "iris", raw)
    assert getattr(store, get)("ada", "iris") == raw


@pytest.mark.parametrize(("put", "get"), KINDS)
def test_only_who_put_data_reads_them(store, put, get):
    getattr(store, put)("ada", "iris", b"secret")
    assert getattr(store, get)("bob", "iris") is None
    assert getattr(store, get)("ada/iris", "") is None


@pytest.mark.parametrize(("put", "get"), KINDS)
def test_putting_other_bytes_under_somebody_s_id_reads_and_changes_nothing_of_theirs(
    store, put, get
):
    getattr(store, put)("ada", "iris", b"secret")
    getattr(store, put)("bob", "iris", b"guess")
    assert getattr(store, get)("bob", "iris") == b"guess"
    assert getattr(store, get)("ada", "iris") == b"secret"


def test_data_and_uploads_do_not_mix(store):
    store.put_data("ada", "iris", b"table")
    assert store.get_upload("ada", "iris") is None


# ------------------------------------------------------------------------------------- holdings


def test_an_owner_s_holdings_say_what_they_are(store):
    store.put_upload("ada", "table.csv", b"x,y")
    store.put_data("ada", "iris", b"numbers")
    found = {(held.kind, held.key, held.n_bytes) for held in store.files_of("ada")}
    assert found == {(FileKind.UPLOAD, "table.csv", 3), (FileKind.DATA, "iris", 7)}
    assert store.files_of("bob") == []


def test_what_is_dropped_is_gone_and_equal_bytes_of_others_stay(store):
    for owner, key in [("ada", "a"), ("bob", "b"), ("ada", "c")]:
        store.put_upload(owner, key, b"same")
    first, second = store.files_of("ada")
    store.delete_file(first)
    store.delete_file(first)
    assert store.get_upload("ada", "a") is None
    assert store.get_upload("bob", "b") == store.get_upload("ada", "c") == b"same"
    store.delete_file(second)
    assert store.files_of("ada") == []
    assert store.get_upload("bob", "b") == b"same"


def test_bytes_that_were_replaced_are_dropped_for_this_owner_alone(store):
    store.put_upload("ada", "a", b"same")
    store.put_upload("bob", "b", b"same")
    store.put_upload("ada", "a", b"other")
    assert store.get_upload("ada", "a") == b"other"
    assert store.get_upload("bob", "b") == b"same"
    assert len(store.files_of("ada")) == 1


def test_owners_are_those_who_keep_something_once_the_store_is_tidy(store):
    store.put_data("ada", "iris", b"x")
    record = run_of("bob")
    store.create(record)
    assert sorted(store.owners()) == ["ada", "bob"]
    store.delete_file(store.files_of("ada")[0])
    store.tidy(0.0)
    assert store.owners() == ["bob"]
    store.delete(record.run_id)
    store.tidy(0.0)
    assert store.owners() == []
