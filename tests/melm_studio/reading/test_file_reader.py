"""A process for each file: whatever it does, the studio says a sentence and goes on."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from melm_studio.configuration.settings import Settings
from melm_studio.reading import ChannelError, FileReader, ReaderFailedError, ReadingLimits
from melm_studio.reading.channel import FAILED, TOO_LARGE, Channel, RefusedError
from melm_studio.reading.fork_server import NICENESS
from melm_studio.tables import TableError, read_apart, read_table, read_table_apart
from melm_studio.workspace.project.read_apart import own_file_reader

JOBS = "tests.melm_studio.reading.jobs"
NAMES = [
    "echo",
    "abort",
    "crash",
    "crash_midway",
    "raise_error",
    "spin",
    "spin_without_alarm",
    "wait",
    "take_memory",
    "say_too_much",
    "claim_too_much",
    "speak_nonsense",
    "look_around",
    "connect",
]
MOST = 10  # bytes of an answer
DEADLINE_S = 60.0


@pytest.fixture(scope="module")
def secret(tmp_path_factory):
    """A file that the studio has open."""
    with (tmp_path_factory.mktemp("studio") / "secret").open("w") as file:
        yield file.name


@pytest.fixture(scope="module")
def reader(secret):
    """Of a studio that has a variable and a file."""
    limits = ReadingLimits(memory_mb=256, seconds=60)
    jobs = {f"{JOBS}:{name}": 2 for name in NAMES}
    with pytest.MonkeyPatch.context() as patch, closing(FileReader(jobs, limits)) as reader:
        patch.setenv("MELM_STORE", "redis://:password@localhost")
        yield reader


def asked(reader: FileReader, job: str, content: bytes = b"hello", *, seconds=None, most=MOST):
    with reader.channel(f"{JOBS}:{job}", seconds) as channel:
        channel.send(content)
        return bytes(channel.receive(most))


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text()
    except (ProcessLookupError, FileNotFoundError):  # also between opening and reading
        return True
    return state.rpartition(")")[2].split()[0] == "Z"


def until(condition) -> None:
    ends_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < ends_s
        time.sleep(0.01)


@pytest.mark.fault
@pytest.mark.parametrize("job", ["crash", "crash_midway", "raise_error"])
def test_a_reader_that_crashes_gives_a_sentence_and_the_next_file_is_read(reader, job):
    with pytest.raises((ReaderFailedError, RefusedError)) as told:
        asked(reader, job)
    assert str(told.value) == FAILED
    assert asked(reader, "echo") == b"hello"


def test_a_reader_that_does_not_end_is_ended_and_says_so(reader):
    with ThreadPoolExecutor() as studio:
        jobs = ("spin", "spin_without_alarm", "wait")
        asking = [studio.submit(asked, reader, job, seconds=1) for job in jobs]
        for each in asking:
            with pytest.raises(RefusedError, match="longer than 1 s"):
                each.result()


@pytest.mark.fault
@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_a_reader_whose_answer_nobody_waits_for_is_killed(reader):
    assert asked(reader, "echo") == b"hello"
    server = reader.pid
    children = Path(f"/proc/{server}/task/{server}/children")
    until(lambda: not children.read_text())
    with reader.channel(f"{JOBS}:spin") as channel:
        (child,) = map(int, children.read_text().split())
        channel.end()
        with pytest.raises(ChannelError):
            channel.receive(MOST)
    until(lambda: is_gone(child))
    assert asked(reader, "echo") == b"hello"


@pytest.mark.parametrize("job", ["take_memory", "abort"])
def test_a_reader_takes_no_more_memory_than_it_may(reader, job):
    with pytest.raises(RefusedError, match="more than 256 MB of memory"):
        asked(reader, job)


@pytest.mark.parametrize("job", ["say_too_much", "claim_too_much", "speak_nonsense"])
def test_a_reader_that_sends_invalid_messages_fails(reader, job):
    with pytest.raises(ReaderFailedError):
        asked(reader, job)


def test_a_reader_has_neither_variables_nor_files_of_the_studio(reader, secret, tmp_path):
    raw = asked(reader, "look_around", str(tmp_path / "written").encode(), most=2**20)
    found = json.loads(raw)
    assert not [name for name in found["variables"] if "MELM" in name]
    assert secret not in found["open"]
    assert found["writing"] == "File too large"
    assert found["files"] == "Too many open files"


@pytest.mark.skipif(sys.platform != "linux", reason="lists its connections in /proc")
def test_a_reader_has_no_access_to_the_channels_of_others(reader):
    with reader.channel(f"{JOBS}:wait"):
        found = json.loads(asked(reader, "look_around", b"/none", most=2**20))
    assert sum(target.startswith("socket:") for target in found["open"]) == 1


def test_a_reader_leaves_the_processor_to_the_studio(reader):
    found = json.loads(asked(reader, "look_around", b"/none", most=2**20))
    assert found["niceness"] == min(os.nice(0) + NICENESS, 19)  # the most there is


def test_a_reader_reaches_no_server(reader):
    with socket.create_server(("127.0.0.1", 0)) as server:
        said = asked(reader, "connect", str(server.getsockname()[1]).encode(), most=100)
    if not said:
        pytest.skip("this system lets no process leave its network")
    assert said.decode() in ("Network is unreachable", "Connection refused")


@pytest.mark.fault
def test_a_fork_server_that_was_killed_is_started_again(reader):
    assert asked(reader, "echo") == b"hello"
    os.kill(reader.pid, signal.SIGKILL)
    assert asked(reader, "echo") == b"hello"


@pytest.mark.fault
@pytest.mark.slow
def test_a_fork_server_that_hangs_is_started_again(reader):
    assert asked(reader, "echo") == b"hello"
    os.kill(reader.pid, signal.SIGSTOP)
    assert asked(reader, "echo") == b"hello"


@pytest.mark.slow
def test_more_files_than_are_read_at_once_wait_and_then_are_told(reader):
    held = [reader.channel(f"{JOBS}:wait") for _ in range(2)]
    for one in held:
        one.__enter__()
    with pytest.raises(ReaderFailedError, match="Other files are being read"):
        asked(reader, "wait", seconds=1)
    for one in held:
        one.__exit__(None, None, None)
    assert asked(reader, "echo") == b"hello"


@pytest.mark.fault
@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_no_process_remains_of_a_studio_that_was_killed():
    program = (
        "import time\n"
        "from melm_studio.reading import FileReader, ReadingLimits\n"
        f"reader = FileReader({{'{JOBS}:wait': 2}}, ReadingLimits(256, 600))\n"
        f"with reader.channel('{JOBS}:wait'):\n"
        "    print(reader.pid, flush=True)\n"
        "    time.sleep(600)\n"
    )
    studio = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    with studio:
        server = int(studio.stdout.readline())
        children = Path(f"/proc/{server}/task/{server}/children")
        (child,) = map(int, children.read_text().split())
        studio.send_signal(signal.SIGKILL)
    until(lambda: is_gone(server) and is_gone(child))


def test_a_channel_times_out_where_the_peer_is_silent():
    here, there = socket.socketpair()
    with closing(Channel(here, seconds=0.01)) as channel, there, pytest.raises(ChannelError):
        channel.receive(MOST)


RAW = b"length,kind,note\n1.5,a,x\n,b,\n2.5,a,y\n"
LIMITS = {"max_rows": 1_000, "max_columns": 100}


@pytest.fixture
def own_reader(tmp_path):
    return own_file_reader(Settings(data_dir=tmp_path))


def test_a_table_is_the_one_that_is_read_directly(own_reader):
    found = read_table_apart(own_reader, RAW, "table.csv", **LIMITS)
    expected = read_table(RAW, "table.csv", **LIMITS)
    pd.testing.assert_frame_equal(found.frame, expected.frame)
    assert (found.steps, found.form) == (expected.steps, expected.form)


def test_what_is_no_table_is_refused_and_the_next_one_read(own_reader):
    with pytest.raises(TableError):
        read_table_apart(own_reader, b"\x00\x01", "table.csv", **LIMITS)
    with pytest.raises(TableError, match="columns"):
        read_table_apart(own_reader, RAW, "table.csv", max_rows=1_000, max_columns=2)
    assert len(read_table_apart(own_reader, RAW, "table.csv", **LIMITS).frame) == 3


@pytest.mark.parametrize(
    ("error", "raised", "words"),
    [
        (MemoryError(), TableError, TOO_LARGE.format(memory_mb="8,192")),
        (RuntimeError("a secret"), ReaderFailedError, "could not be read"),
    ],
)
def test_a_reader_that_fails_gives_a_sentence(own_reader, monkeypatch, error, raised, words):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(read_apart, "read_table", fail)
    with pytest.raises(raised, match=words[:40]) as caught:
        read_table_apart(own_reader, RAW, "table.csv", **LIMITS)
    assert "a secret" not in str(caught.value)


@pytest.mark.slow
def test_a_table_of_many_columns_does_not_wait_for_itself(own_reader):
    # Both ends of the channel are in this process: neither may fill it before the other reads.
    wide = pd.DataFrame(np.arange(400_000.0).reshape(400, 1_000)).assign(kind=["a", "b"] * 200)
    raw = wide.to_csv(index=False).encode()
    limits = {"max_rows": 1_000, "max_columns": 2_000}
    assert read_table_apart(own_reader, raw, "wide.csv", **limits).frame.shape == (400, 1_001)
