"""Every process of a studio is killed, and stopped by a signal, in every state of its runs.

`pytest -m slow tests/chaos/test_every_process.py` prints after how long each was mended.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
import pytest
import requests

from melm_studio.configuration.limits import Limits
from melm_studio.configuration.settings import RedisAddress
from melm_studio.programs.local_studio import answers, free_port
from melm_studio.runs.records.run import AT_WORK, RunRecord, RunState, new_analysis
from melm_studio.runs.store.disk import DiskRunStore
from melm_studio.runs.store.open_store import PATIENCE_S
from melm_studio.runs.store.protocol import RunStore
from melm_studio.runs.store.shared_queue import NotifyingRunStore
from tests.chaos.service_manager import Service, serviced
from tests.melm_studio.runs.helpers import queue_run, wait_until
from tests.melm_studio.runs.processes import DATA, alive, ended, paused, working
from tests.melm_studio.runs.redis_server import running_redis

pytestmark = pytest.mark.slow

# On a machine at its limit a studio takes long to start; what is printed is what counts.
MENDED_WITHIN_S = 120.0
FAULTS = (signal.SIGKILL, signal.SIGSTOP)
MODES = ("folder", "Redis")
# By a part of its command line; the process of a run has that of the process that forked it.
NAMES = {
    "page": "app.py",
    "supervisor": "melm_studio.workers",
    "forking process": "multiprocessing.forkserver",
    "resource tracker": "multiprocessing.resource_tracker",
}
RUN = "run's process"


@dataclass(frozen=True)
class Studio:
    """A running studio, and its store opened beside it."""

    service: Service
    store: RunStore
    url: str

    def process_of(self, role: str) -> psutil.Process | None:
        """The living process of a role; of a run, the one at work."""
        page = psutil.Process(self.service.process.pid)
        if role == "page":
            return page
        if role == RUN:
            pids = [run.pid for run in self.store.unfinished() if run.state in AT_WORK]
            return psutil.Process(pids[0]) if pids and pids[0] else None
        for process in page.children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                is_fork = process.parent().cmdline() == process.cmdline()
                if NAMES[role] in " ".join(process.cmdline()) and not is_fork and alive(process):
                    return process
        return None

    def works(self) -> bool:
        """Whether all its processes are there, none of them stopped, and it says so."""
        try:
            family = [self.process_of("page"), self.process_of("supervisor")]
            family += family[0].children(recursive=True)
            if not all(each and each.status() != psutil.STATUS_STOPPED for each in family):
                return False
            return requests.get(f"{self.url}/ready", timeout=1.0).status_code == 200
        except (psutil.NoSuchProcess, requests.RequestException):
            return False

    def leave_idle(self) -> None:
        for record in self.store.unfinished():
            self.store.cancel(record.run_id)
        wait_until(lambda: not self.store.unfinished() and self.works())


@pytest.fixture(scope="module", params=MODES)
def lasting(request, tmp_path_factory) -> Iterator[Studio]:
    folder, port = tmp_path_factory.mktemp("studio"), free_port()
    flags = ["--data-dir", str(folder / "data"), "--workers", "1", "--port", str(port)]
    with ExitStack() as opened:
        url = ""
        if request.param == "Redis":
            url = opened.enter_context(running_redis(folder)).url
            flags += ["--store", url]
        service = opened.enter_context(serviced(folder, flags))
        wait_until(lambda: answers(f"http://127.0.0.1:{port}"))
        store = opened.enter_context(closing(_store_of(folder, url)))
        studio = Studio(service, store, f"http://127.0.0.1:{port}")
        wait_until(studio.works)
        yield studio


def _store_of(folder: Path, url: str) -> RunStore:
    if not url:
        return DiskRunStore(folder / "data")
    return NotifyingRunStore(RedisAddress(url), Limits(), PATIENCE_S)


@pytest.fixture
def measured(request, capsys) -> Callable[..., None]:
    """Print a row of the table, whatever else is captured."""

    def show(role: str, fault: str, state: str, mended_s: float) -> None:
        mode = "Redis" if "Redis" in request.node.name else "folder"
        with capsys.disabled():
            sys.stdout.write(f"\n{mode:7}{role:17}{fault:9}{state:15}{mended_s:5.1f} s")

    return show


@pytest.fixture
def studio(lasting) -> Iterator[Studio]:
    yield lasting
    lasting.leave_idle()


# ------------------------------------------------------------------------------------- states


def idle(studio: Studio) -> list[RunRecord]:
    return []


def busy(studio: Studio) -> list[RunRecord]:
    """A run at work, and one behind it in the queue."""
    return [working(studio.store), queue_run(studio.store, DATA, "pca")]


def held(studio: Studio) -> list[RunRecord]:
    return [paused(studio.store)]


def finishing(studio: Studio) -> list[RunRecord]:
    """A run in the last tenth of its work."""
    record = queue_run(studio.store, DATA, n_init=20)
    wait_until(lambda: (last := studio.store.last_event(record.run_id)) and last.fraction > 0.9)
    return [record]


def evaluating(studio: Studio) -> list[RunRecord]:
    """A check of a run, which has begun."""
    of = ended(studio.store, queue_run(studio.store, DATA, "lda").run_id)
    check = new_analysis(of, "check")
    studio.store.create(check)
    wait_until(lambda: studio.store.report(check.run_id))
    return [check]


def uploading(studio: Studio) -> list[RunRecord]:
    """A visitor has sent a part of a file."""
    with suppress(requests.RequestException):
        requests.post(f"{studio.url}/upload", data=_parts(), timeout=0.2)
    return []


def _parts() -> Iterator[bytes]:
    yield b"a,b\n" * 1_000
    time.sleep(0.5)  # longer than the visitor waits
    yield b"1,2\n"


STATES = {
    "idle": idle,
    "run and queue": busy,
    "paused": held,
    "finishing": finishing,
    "checking": evaluating,
    "uploading": uploading,
}
CASES = [
    *((role, state) for role in NAMES for state in STATES if state != "uploading"),
    *((RUN, state) for state in STATES if state not in ("idle", "uploading")),
    ("page", "uploading"),
]


# ------------------------------------------------------------------------------------- the claim


@pytest.mark.fault
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
@pytest.mark.parametrize(("role", "state"), CASES, ids=lambda value: value.replace(" ", "-"))
def test_whatever_dies_or_hangs_runs_go_on_and_new_ones_are_done(
    studio, measured, role, state, fault
):
    records = STATES[state](studio)
    victim = studio.process_of(role)
    if victim is None:  # the run was faster than the test
        assert state == "finishing"
        return
    # A tracker that was killed is started again when it is needed; runs need none.
    is_cut_short = (role, fault) != ("resource tracker", signal.SIGKILL)
    before = [studio.store.get(record.run_id) for record in records]
    with suppress(ProcessLookupError):
        os.kill(victim.pid, fault)
    began_s = time.monotonic()
    wait_until(lambda: not alive(victim) and studio.works(), deadline_s=MENDED_WITHIN_S)
    for record in before:
        again = partial(goes_on, studio.store, record, is_cut_short=is_cut_short)
        wait_until(again, deadline_s=MENDED_WITHIN_S)
    mended_s = time.monotonic() - began_s
    measured(role, fault.name, state, mended_s)
    for record in records:
        assert studio.store.get(record.run_id).state is not RunState.FAILED
    assert_new_runs_are_done(studio)


def is_stopped(process: psutil.Process) -> bool:
    return alive(process) and process.status() == psutil.STATUS_STOPPED


def goes_on(store: RunStore, before: RunRecord, *, is_cut_short: bool) -> bool:
    """Whether a run is executed by a living process again, is done, or waits behind another."""
    record = store.get(before.run_id)
    assert record.state not in (RunState.LOST, RunState.CANCELLED), record.message
    if record.state is RunState.QUEUED:
        return before.state is RunState.QUEUED
    if record.state in AT_WORK:
        return (record.attempt > before.attempt) == is_cut_short and is_at_work(record.pid)
    return record.state is RunState.DONE


def is_at_work(pid: int) -> bool:
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        return alive(process) and not is_stopped(process)
    return False


def assert_new_runs_are_done(studio: Studio) -> None:
    for record in studio.store.unfinished():
        studio.store.cancel(record.run_id)
    new = queue_run(studio.store, DATA, "pca", owner="eve")
    assert ended(studio.store, new.run_id).state is RunState.DONE
