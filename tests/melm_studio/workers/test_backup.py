"""A studio is copied while it works, and the copy is a studio."""

from __future__ import annotations

import threading
from contextlib import closing

import numpy as np
import pytest

from melm_studio.runs.records.grant import Grant, GrantKind
from melm_studio.runs.records.run import RunState
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.disk import DiskRunStore
from melm_studio.workers.backup import main
from tests.melm_studio.runs.helpers import plane, started, wait_until
from tests.melm_studio.runs.store.full_disk import no_file_larger_than

LARGE = np.random.default_rng(0).bytes(3 * 2**20)
TOKEN = Grant(
    grant_id="t",
    owner="ada",
    address="",
    kind=GrantKind.TOKEN,
    created_s=0.0,
    expires_s=9.0,
)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "studio"


@pytest.fixture
def back_up(folder, tmp_path):
    """Make a copy, and return its folder."""

    def back_up_to(name="copy"):
        target = tmp_path / name
        main([str(target)], {"MELM_DATA_DIR": str(folder)})
        return target

    return back_up_to


@pytest.mark.fault
def test_a_copy_made_during_a_run_has_it_with_its_planes_data_and_key(folder, back_up):
    with closing(DiskRunStore(folder)) as store:
        store.put_file("ada", FileKind.DATA, "d", LARGE)
        secret, record = store.secret(), started(store)
        store.grants.put(TOKEN)
        stop = threading.Event()

        def work():
            while not stop.is_set():
                store.append(record.run_id, plane())
            store.close()

        worker = threading.Thread(target=work)
        worker.start()
        wait_until(lambda: store.n_events(record.run_id) > 20)
        target = back_up()
        stop.set()
        worker.join()
    with closing(DiskRunStore(target)) as copy:
        assert copy.secret() == secret
        assert copy.get_file("ada", FileKind.DATA, "d") == LARGE
        assert copy.grants.of_owner("ada") == [TOKEN]
        assert copy.get(record.run_id).state is RunState.RUNNING
        events = copy.events(record.run_id)
        assert len(events) == copy.n_events(record.run_id) > 20
    assert target.stat().st_mode & 0o077 == 0


def test_a_copy_never_replaces_another_and_says_so(folder, back_up):
    with closing(DiskRunStore(folder)) as store:
        store.secret()
    back_up()
    with pytest.raises(SystemExit, match="exists already"):
        back_up()


def test_a_folder_without_a_studio_is_refused_in_a_sentence(back_up):
    with pytest.raises(SystemExit, match="holds no studio"):
        back_up()


@pytest.mark.fault
def test_a_copy_that_does_not_fit_leaves_nothing_and_says_so(folder, back_up, tmp_path):
    with closing(DiskRunStore(folder)) as store:
        store.secret()
        store.put_file("ada", FileKind.DATA, "d", LARGE[:900_000])
    with no_file_larger_than(2**15), pytest.raises(SystemExit, match=r"could not be copied .*Free"):
        back_up()
    assert not (tmp_path / "copy").exists()
    back_up()


@pytest.mark.fault
def test_a_damaged_database_is_not_copied_and_told_in_a_sentence(folder, back_up, tmp_path):
    with closing(DiskRunStore(folder)) as store:
        store.secret()
    for file in (folder / "store").glob("cache.db*"):
        file.write_bytes(b"damaged" * 1_000)
    with pytest.raises(SystemExit, match="use an earlier copy"):
        back_up()
    assert not (tmp_path / "copy").exists()
