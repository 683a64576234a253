"""The whole way past one machine: pages and workers in processes of their own, and one store."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest

from melm_studio.programs.local_studio import free_port
from tests.deployment import command_of
from tests.melm_studio.runs.helpers import wait_until
from tests.melm_studio.runs.redis_server import running_redis
from tools.driver.launcher import running_studio
from tools.driver.remote_client import RemoteClient
from tools.driver.visitor import Visitor

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
# What systemd starts.
ADDRESS = "127.0.0.1:8050"
WEB, WORKER = command_of("melm-web.service"), command_of("melm-worker.service")


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


def test_a_studio_whose_server_is_not_there_says_so_and_ends():
    command = [sys.executable, "app.py", "--store", "redis://:secret@127.0.0.1:1/0"]
    refused = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert refused.stderr.endswith(
        "No server answers at redis://127.0.0.1:1/0. "
        "Start the Redis server, or correct --store or MELM_STORE.\n"
    )
