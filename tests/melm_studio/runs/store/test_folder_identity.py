"""A studio that has lost a part does not start as if it were new, and says what is lost."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from contextlib import closing

import pytest

from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store import folder_identity
from melm_studio.runs.store.disk import DiskRunStore
from melm_studio.runs.store.disk_cache import DiskCache, UnusableFolderError
from melm_studio.runs.store.folder_identity import LostDataError, WholeFolderError, identify
from melm_studio.runs.store.protocol import StoreDamagedError
from tests.melm_studio.runs.helpers import created

MANY = 90


@pytest.fixture
def folder(tmp_path):
    """The folder of a studio that was used."""
    used_studio(tmp_path / "data")
    return tmp_path / "data"


def used_studio(folder, n_runs=3):
    folder.mkdir()
    identify(folder)
    with closing(DiskRunStore(folder)) as store:
        for _ in range(n_runs):
            created(store)
    return folder


def database_of(folder):
    return folder / "store" / "cache.db"


def without_log(folder):
    """The database, with what stood in its log."""
    with closing(sqlite3.connect(database_of(folder))) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for log in folder.glob("store/cache.db-*"):
        log.unlink()
    return database_of(folder)


def overwrite(file, position, raw):
    with file.open("r+b") as opened:
        opened.seek(position)
        opened.write(raw)


def make_folder(path):
    path.unlink(missing_ok=True)
    path.mkdir()


# What is done to a folder, and what is said of it.
LOSSES = {
    "the database is gone": (
        lambda folder: database_of(folder).unlink(),
        "its database, .*cache.db, is missing",
    ),
    "the store is gone": (
        lambda folder: shutil.rmtree(folder / "store"),
        "its database, .*cache.db, is missing",
    ),
    "the database is empty": (
        lambda folder: without_log(folder).write_bytes(b""),
        "its database, .*cache.db, is missing or empty",
    ),
    "the database is cut off": (
        lambda folder: without_log(folder).write_bytes(database_of(folder).read_bytes()[:12_288]),
        "its database, .*cache.db, is damaged",
    ),
    "flipped in the header": (
        lambda folder: overwrite(without_log(folder), 0, b"\xff" * 16),
        "its database, .*cache.db, is damaged",
    ),
    "flipped in the middle": (
        lambda folder: overwrite(without_log(folder), 4_096, b"\xff" * 8_192),
        "its database, .*cache.db, is damaged",
    ),
    "the database is a folder": (
        lambda folder: make_folder(without_log(folder)),
        "its database, .*cache.db, is a folder",
    ),
    "the key is gone": (
        lambda folder: (folder / "secret").unlink(),
        "its key, .*secret, is missing",
    ),
    "the key is empty": (
        lambda folder: (folder / "secret").write_bytes(b""),
        "its key, .*secret, has 0 bytes instead of 32",
    ),
    "the key is cut off": (
        lambda folder: (folder / "secret").write_bytes(b"short"),
        "its key, .*secret, has 5 bytes instead of 32",
    ),
    "the key is flipped": (
        lambda folder: (folder / "secret").write_bytes(b"x" * 32),
        "its key, .*secret, is not the one that it was used with",
    ),
    "the key is a folder": (
        lambda folder: make_folder(folder / "secret"),
        "its key, .*secret, is a folder",
    ),
    "all but the mark is gone": (
        lambda folder: (shutil.rmtree(folder / "store"), (folder / "secret").unlink()),
        "its key, .*secret, is missing and its database, .*cache.db, is missing",
    ),
    "all but the database is gone": (
        lambda folder: ((folder / "studio").unlink(), (folder / "secret").unlink()),
        "its key, .*secret, is missing",
    ),
    "all but the key is gone": (
        lambda folder: ((folder / "studio").unlink(), shutil.rmtree(folder / "store")),
        "its database, .*cache.db, is missing",
    ),
}


@pytest.mark.fault
@pytest.mark.parametrize("loss", LOSSES)
def test_a_folder_that_has_lost_a_part_is_refused_in_a_sentence(folder, loss):
    change, words = LOSSES[loss]
    change(folder)
    with pytest.raises(LostDataError, match=rf"has been used, but {words}.*backup.*--new"):
        identify(folder)


@pytest.mark.fault
@pytest.mark.parametrize("loss", LOSSES)
def test_what_is_left_is_moved_aside_where_a_studio_begins_anew(folder, loss, caplog):
    change, _ = LOSSES[loss]
    change(folder)
    left = {
        file.relative_to(folder): file.read_bytes()
        for name in ("store", "secret", "studio")
        for file in [folder / name, *(folder / name).rglob("*")]
        if file.is_file() and not file.name.startswith("cache.db-")
    }
    identify(folder, begins_anew=True)
    (aside,) = folder.glob("before-*")
    assert str(aside) in caplog.text
    assert {file: (aside / file).read_bytes() for file in left} == left
    identify(folder)
    with closing(DiskRunStore(folder)) as store:
        assert store.owners() == []


@pytest.mark.fault
def test_a_whole_studio_opens_and_does_not_begin_anew(folder):
    with pytest.raises(WholeFolderError, match="Leave out --new"):
        identify(folder, begins_anew=True)
    identify(folder)
    with closing(DiskRunStore(folder)) as store:
        assert len(store.runs_of("ada")) == 3


def test_a_new_folder_opens_with_and_without_the_flag(tmp_path):
    identify(tmp_path, begins_anew=True)
    identify(tmp_path)
    assert not list(tmp_path.glob("before-*"))


def test_a_folder_of_an_earlier_version_gets_a_name(folder):
    (folder / "studio").unlink()
    key = (folder / "secret").read_bytes()
    with closing(DiskCache(folder / "store")) as cache:
        cache.delete("studio")
    identify(folder)
    assert (folder / "studio").is_file()
    with closing(DiskRunStore(folder)) as store:
        assert (len(store.runs_of("ada")), store.secret()) == (3, key)


@pytest.mark.fault
@pytest.mark.parametrize("left", ["folder", "empty database", "tables"])
def test_a_first_start_that_was_cut_short_is_no_loss(tmp_path, left):
    (tmp_path / "store").mkdir()
    if left == "empty database":
        database_of(tmp_path).touch()
    if left == "tables":
        DiskRunStore(tmp_path).close()
    identify(tmp_path)


@pytest.mark.fault
def test_the_database_or_the_key_of_another_studio_is_refused(folder, tmp_path):
    other = used_studio(tmp_path / "other")
    shutil.copy(without_log(other), without_log(folder))
    with pytest.raises(LostDataError, match="is that of another studio"):
        identify(folder)
    shutil.copy(other / "secret", folder / "secret")
    identify(folder)  # both of one studio


def test_a_folder_that_cannot_be_read_is_no_loss(folder, monkeypatch):
    def denied(file):
        raise PermissionError(13, "Permission denied", str(file))

    monkeypatch.setattr(folder_identity, "_read_key", denied)
    with pytest.raises(UnusableFolderError, match="secret: Permission denied"):
        identify(folder, begins_anew=True)
    assert not list(folder.glob("before-*"))


def test_a_start_looks_through_a_database_for_two_seconds_at_most(folder, monkeypatch):
    given = []

    class Recorded(threading.Timer):
        def __init__(self, interval, function):
            given.append(interval)
            super().__init__(interval, function)

    monkeypatch.setattr(threading, "Timer", Recorded)
    identify(folder)
    assert given == [2.0]


def test_a_large_database_is_looked_at_for_a_while_only(folder, monkeypatch):
    with closing(DiskRunStore(folder)) as store:
        store.put_file("ada", FileKind.DATA, "d", bytes(500_000))
    monkeypatch.setattr(folder_identity, "CHECK_S", 0.0)
    identify(folder)


@pytest.mark.slow
def test_damage_that_is_met_at_work_is_told_in_a_sentence(tmp_path):
    folder = used_studio(tmp_path / "data", MANY)
    with closing(DiskRunStore(folder)) as store:
        store.close()
        file = without_log(folder)
        overwrite(file, 12_288, b"\xff" * (file.stat().st_size - 12_288))
        with pytest.raises(StoreDamagedError, match="restore its folder from a backup"):
            store.runs_of("ada")
        with pytest.raises(StoreDamagedError):
            store.probe(0.0)


@pytest.mark.fault
def test_a_database_that_is_emptied_at_work_is_told_in_a_sentence(folder):
    with closing(DiskRunStore(folder)) as store:
        store.close()
        without_log(folder).write_bytes(b"")
        with pytest.raises(StoreDamagedError):
            store.runs_of("ada")


@pytest.mark.fault
def test_a_key_that_is_deleted_at_work_comes_back(folder):
    with closing(DiskRunStore(folder)) as store:
        key = store.secret()
        (folder / "secret").unlink()
        assert store.secret() == key
        assert DiskRunStore(folder).secret() == key
