"""The whole way past one machine: pages and workers in processes of their own, and one store."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from itertools import product
from pathlib import Path
from threading import Event

import psutil
import pytest
from requests import RequestException

from lab.driver.launcher import running_studio
from lab.driver.remote_client import RemoteClient
from lab.driver.visitor import Visitor
from melm_studio.configuration.settings import PREFIX
from melm_studio.layout import ids
from melm_studio.programs.local_studio import free_port
from melm_studio.runs.records.run import FIT, RunState
from melm_studio.workspace.workspace import MAX_PANELS
from tests.deployment import command_of
from tests.melm_studio.runs.helpers import wait_until
from tests.melm_studio.runs.redis_server import running_redis

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
# What systemd starts.
ADDRESS = "127.0.0.1:8050"
WEB, WORKER = command_of("melm-web.service"), command_of("melm-worker.service")
N_VISITORS, N_FAULTS_EACH = 3, 2
PATIENCE_S = 300.0


@pytest.fixture
def server(tmp_path):
    with running_redis(tmp_path) as server:
        yield server


@pytest.fixture
def visit():
    """A visitor of the studio at an address; may move to another one and take the cookie along."""
    with ExitStack() as opened:

        def arrive(url):
            client = RemoteClient(url)
            opened.callback(client.close)
            return Visitor(client)

        yield arrive


@contextmanager
def running(command, store, **environment) -> Iterator[psutil.Process]:
    """A program of the virtual environment and whatever it starts; killed in the end."""
    program = Path(sys.executable).with_name(command[0])
    process = subprocess.Popen(
        [program, *command[1:]],
        cwd=ROOT,
        env={**os.environ, "MELM_STORE": store, **environment},
        stdin=subprocess.DEVNULL,
    )
    watched = psutil.Process(process.pid)
    try:
        yield watched
    finally:
        kill_all(watched)
        process.wait()


def kill_all(process):
    if process.is_running():
        for member in [*process.children(recursive=True), process]:
            member.kill()


def answers(url):
    try:
        with urllib.request.urlopen(f"{url}/ready", timeout=5) as response:
            return response.status == 200
    except OSError:
        return False


def state_of(visitor, run):
    return visitor.news(run)["state"]


def newest(visitor, run):
    return max(visitor.news(run)["sequences"], default=-1)


def test_a_studio_on_a_shared_store_streams_a_run_and_finds_it_again_after_a_restart(
    server, visit, tmp_path
):
    with running_studio(tmp_path, store=server.text("lab")) as studio:
        visitor = visit(studio.url)
        visitor.choose_sample("iris")
        run = visitor.start(method="melm", n_init=4)
        seen = {wait_until(lambda: newest(visitor, run) >= 0 and newest(visitor, run))}
        while state_of(visitor, run) != "done":
            seen.add(newest(visitor, run))
        assert len(seen) > 1
        before = visitor.news(run)
    with running_studio(tmp_path, store=server.text("lab"), workers=0) as studio:
        visitor.http.url = studio.url
        assert visitor.news(run) == before
        assert visit(studio.url).frames(run)["runs"] == {}


@pytest.mark.fault
def test_pages_and_workers_come_and_go_and_the_run_goes_on(server, visit, tmp_path):
    store, page = server.text(), f"127.0.0.1:{free_port()}"
    with (
        running(WORKER, store, MELM_WORKERS="1") as worker,
        running([page if part == ADDRESS else part for part in WEB], store) as pages,
    ):
        wait_until(lambda: answers(f"http://{page}"))
        visitor = visit(f"http://{page}")
        visitor.choose_sample("digits")
        run = visitor.start(method="melm", n_init=500)
        wait_until(lambda: newest(visitor, run) > 3)
        pages.children()[0].kill()
        assert state_of(visitor, run) == "running"
        kill_all(pages)
        with running_studio(tmp_path, store=store, workers=0) as studio:
            visitor.http.url = studio.url
            so_far = newest(visitor, run)
            wait_until(lambda: newest(visitor, run) > so_far)
            kill_all(worker)
            wait_until(lambda: state_of(visitor, run) == "queued")
            before = newest(visitor, run)
            with running(WORKER, store, MELM_WORKERS="1"):
                wait_until(lambda: newest(visitor, run) > before)


def start_and_name(visitor, tables, said, stop):
    """Start and name runs, each again until an answer says that it happened; note their names."""
    # What was started without an answer has a panel, too.
    for table, seed in product(tables, range(MAX_PANELS // 2 + 1)):
        if stop.is_set():
            return
        visitor.values[f"{ids.DATA}.data"] = table
        visitor.set_controls(method="pca", random_state=seed, held_out=25)
        (run,) = answered(partial(visitor.post_run, again=True)).json["runs"]
        answered(partial(visitor.http.post, f"/runs/{run}/rename", seed))
        said[run] = str(seed)


def tables_of(visitor):
    """What the page knows of some tables, once it has shown each."""
    for sample in ("iris", "wine", "breast_cancer"):
        visitor.choose_sample(sample)
        yield visitor.values[f"{ids.DATA}.data"]


def answered(act):
    """The first answer that says that something happened."""

    def succeeded():
        with suppress(RequestException):
            answer = act()
            return answer if answer.status_code < 300 else None

    return wait_until(succeeded, deadline_s=PATIENCE_S)


@pytest.mark.fault
def test_no_run_that_was_acknowledged_is_lost_or_ends_twice_whatever_is_killed(server, visit):
    store, page = server.text(), f"127.0.0.1:{free_port()}"
    web = [page if part == ADDRESS else part for part in WEB]
    said, stop = {}, Event()
    with ExitStack() as opened:
        pages = opened.enter_context(running(web, store))
        workers = [opened.enter_context(running(WORKER, store, MELM_WORKERS="2"))]

        def kill_page():
            pages.children()[-1].kill()

        def replace_worker():
            kill_all(workers.pop())
            workers.append(opened.enter_context(running(WORKER, store, MELM_WORKERS="2")))

        def restart_server():
            server.kill()
            server.start()

        wait_until(lambda: answers(f"http://{page}"), deadline_s=PATIENCE_S)
        visitors = [visit(f"http://{page}") for _ in range(N_VISITORS)]
        tables = [list(tables_of(visitor)) for visitor in visitors]
        pool = opened.enter_context(ThreadPoolExecutor(N_VISITORS))
        opened.callback(stop.set)
        coming = [
            pool.submit(start_and_name, *visit, said, stop)
            for visit in zip(visitors, tables, strict=True)
        ]
        kept = opened.enter_context(closing(server.store(PREFIX)))
        for fault in (kill_page, replace_worker, restart_server) * N_FAULTS_EACH:
            n_then = n_ended(kept)
            wait_until(lambda: n_ended(kept) > n_then + N_VISITORS, deadline_s=PATIENCE_S)  # noqa: B023
            fault()
        stop.set()
        for one in coming:
            one.result()
        wait_until(lambda: not kept.unfinished(), deadline_s=PATIENCE_S)
        found = {run.run_id: run for owner in kept.owners() for run in kept.runs_of(owner)}
        assert {run: found[run].name for run in said} == said
        assert {run.state for run in found.values()} == {RunState.DONE}
        fits = [run_id for run_id, run in found.items() if run.kind == FIT]
        assert {sum(event.is_final for event in kept.events(run)) for run in fits} == {1}
        assert n_ended(kept) == len(found)


def n_ended(store):
    return sum(ended.n_runs for ended in store.ended().values())


def test_a_studio_whose_server_is_not_there_says_so_and_ends():
    command = [sys.executable, "app.py", "--store", "redis://:secret@127.0.0.1:1/0"]
    refused = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert refused.stderr.endswith(
        "No server answers at redis://127.0.0.1:1/0. "
        "Start the Redis server, or correct --store or MELM_STORE.\n"
    )
