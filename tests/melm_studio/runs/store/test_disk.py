"""What only the store on disk promises."""

from __future__ import annotations

import errno
import stat
import time
from contextlib import suppress
from pathlib import Path

import diskcache
import pytest

from melm_studio.runs.records.run import RunState
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.disk import DiskRunStore
from melm_studio.runs.store.disk_cache import (
    ORPHANED_AFTER_S,
    SMALLEST_FILE_BYTES,
    BytesDisk,
    UnsafeValueError,
)
from melm_studio.runs.store.protocol import StoreUnavailableError
from tests.melm_studio.runs.helpers import run_of
from tests.melm_studio.runs.processes import raced

LARGE = bytes(SMALLEST_FILE_BYTES + 1)  # in a file of its own
IMPORTS = """
import os, sys
from melm_studio.runs.records.run import RunState
from melm_studio.runs.store.disk import DiskRunStore
"""
RACE = """
answer = store.transition(
    sys.argv[2], {RunState.QUEUED}, state=RunState.RUNNING, pid=os.getpid()
)
store.close()
"""


class Trap:
    """Touches a file when unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.fixture
def store(disk_store):
    return disk_store


@pytest.fixture
def plain_cache(store, tmp_path):
    """The folder of the store as diskcache opens it by itself, pickles and all."""
    with diskcache.Cache(str(tmp_path / "store")) as cache:
        yield cache


@pytest.mark.fault
def test_of_several_processes_one_wins_the_transition(store, tmp_path):
    record = run_of()
    store.create(record)
    opened = "store = DiskRunStore(sys.argv[1])"
    won = raced(IMPORTS, opened, RACE, str(tmp_path), record.run_id, n_rivals=3)
    assert sorted(won.values()) == ["False", "False", "True"]
    assert store.get(record.run_id).state is RunState.RUNNING
    assert won[store.get(record.run_id).pid] == "True"


def test_the_folder_is_closed_to_other_users(tmp_path):
    tmp_path.chmod(0o755)
    DiskRunStore(tmp_path).close()
    assert stat.S_IMODE((tmp_path / "store").stat().st_mode) == 0o700
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_equal_data_of_two_owners_are_kept_once(store, tmp_path):
    raw = bytes(range(256)) * 10_000
    store.put_file("ada", FileKind.DATA, "x", raw)
    store.put_file("bob", FileKind.DATA, "y", raw)
    store.put_file("bob", FileKind.UPLOAD, "y.csv", raw)
    assert len(list((tmp_path / "store").rglob("*.val"))) == 1
    assert (
        store.get_file("bob", FileKind.DATA, "y")
        == store.get_file("bob", FileKind.UPLOAD, "y.csv")
        == raw
    )


def test_bytes_that_nobody_holds_any_more_leave_the_disk(store, tmp_path):
    store.put_file("ada", FileKind.DATA, "x", bytes(2_000_000))
    store.put_file("bob", FileKind.DATA, "x", bytes(2_000_000))
    for owner, n_files in [("ada", 1), ("bob", 0)]:
        store.delete_file(store.files_of(owner)[0])
        assert len(list((tmp_path / "store").rglob("*.val"))) == n_files


@pytest.mark.fault
def test_a_file_of_no_run_stays_for_a_day(store, tmp_path):
    orphan = tmp_path / "store" / "orphan.val"
    orphan.write_bytes(b"of a process that is about to enter it")
    store.tidy(time.time() + 23.9 * 3_600.0)
    assert orphan.exists()
    store.tidy(time.time() + 24.1 * 3_600.0)
    assert not orphan.exists()


@pytest.mark.fault
def test_a_file_that_a_dying_process_left_is_removed_once_it_is_old(store, tmp_path):
    store.put_file("ada", FileKind.DATA, "x", bytes(2_000_000))
    (kept,) = (tmp_path / "store").rglob("*.val")
    orphan = kept.with_name("orphan.val")
    orphan.write_bytes(b"half")
    store.tidy(time.time())
    assert orphan.exists()
    store.tidy(time.time() + ORPHANED_AFTER_S + 60)
    assert not orphan.exists()
    assert store.get_file("ada", FileKind.DATA, "x") == bytes(2_000_000)


@pytest.mark.fault
@pytest.mark.parametrize("padding", [0, 2_000_000], ids=["in the database", "in a file"])
def test_a_pickle_in_the_folder_is_refused_and_never_run(store, plain_cache, tmp_path, padding):
    sprung = tmp_path / "sprung"
    plain_cache.set("run/evil", (Trap(sprung), bytes(padding)))
    with pytest.raises(UnsafeValueError, match="not bytes"):
        store.get("evil")
    assert not sprung.exists()


@pytest.mark.fault
def test_a_file_is_kept_where_what_replaces_it_fails(store):
    """Its row is there again, so it must be."""
    store.put_file("ada", FileKind.DATA, "d", LARGE)
    with suppress(LookupError), store._cache.transaction():  # noqa: SLF001
        store.put_file("ada", FileKind.DATA, "d", LARGE + b"another")
        raise LookupError
    assert store.get_file("ada", FileKind.DATA, "d") == LARGE


@pytest.mark.fault
def test_a_disk_that_fails_is_told(store, monkeypatch):
    def fail(*_):
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as failing:
        failing.setattr(Path, "write_bytes", fail)
        with pytest.raises(StoreUnavailableError):
            store.put_file("ada", FileKind.DATA, "d", LARGE)
    store.put_file("ada", FileKind.DATA, "d", LARGE)
    assert store.get_file("ada", FileKind.DATA, "d") == LARGE


def test_a_number_in_the_folder_is_refused(store, plain_cache):
    plain_cache.set("size/evil", 5)
    with pytest.raises(UnsafeValueError, match="not bytes"):
        store.n_events("evil")


@pytest.mark.parametrize("value", ["text", 1, 1.5, None, ("a", "tuple"), bytearray(b"b")])
def test_the_disk_writes_nothing_but_bytes(tmp_path, value):
    with diskcache.Cache(str(tmp_path), disk=BytesDisk) as cache:
        with pytest.raises(UnsafeValueError, match="not bytes"):
            cache.set("key", value)
        assert "key" not in cache


@pytest.mark.parametrize("key", [1, b"key", ("a", 1), None])
def test_the_disk_takes_no_key_but_text(tmp_path, key):
    with diskcache.Cache(str(tmp_path), disk=BytesDisk) as cache:
        with pytest.raises(UnsafeValueError, match="not text"):
            cache.set(key, b"value")
        with pytest.raises(UnsafeValueError, match="not text"):
            cache.get(key)


def test_a_pickled_key_in_the_folder_is_refused(store, plain_cache, tmp_path):
    plain_cache.set(("a", "tuple"), b"value")
    with (
        diskcache.Cache(str(tmp_path / "store"), disk=BytesDisk) as cache,
        pytest.raises(UnsafeValueError, match="not text"),
    ):
        list(cache)
