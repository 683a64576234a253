"""Files that take long, sent to a running studio: others do not notice."""

from __future__ import annotations

import gzip
import threading
from contextlib import suppress
from pathlib import Path

import pytest
import requests

from lab.driver.launcher import running_studio
from lab.driver.remote_client import RemoteClient
from lab.driver.visitor import Visitor

AT_ONCE = 8
HEALTH_S = 10  # a bound that only silence exceeds


def long_file(number: int) -> bytes:
    """A file of 200 kB that takes a reader many seconds."""
    return gzip.compress(b"a,b,label\n" + b"%d.5,2,x\n7,8,y\n" % number * 4_000_000, 1)


@pytest.mark.attack
@pytest.mark.slow
def test_eight_files_that_take_long_leave_health_and_a_small_file_to_others(tmp_path: Path):
    with running_studio(tmp_path) as studio:
        hostile = RemoteClient(studio.url)
        hostile.get("/")

        def choose(number: int) -> None:
            client = RemoteClient(studio.url)
            client.take_cookies(hostile)
            with suppress(requests.RequestException, AssertionError):
                Visitor(client).choose({"kind": "upload", **client.upload(long_file(number))})

        threads = [
            threading.Thread(target=choose, args=(number,), daemon=True)
            for number in range(AT_ONCE)
        ]
        for thread in threads:
            thread.start()
        other = RemoteClient(studio.url)
        visitor = Visitor(other)
        for number in range(3):
            small = other.upload(b"x,y,class\n%d,2,a\n4,5,b\n7,8,a\n5,5,b\n" % number)
            assert visitor.choose({"kind": "upload", **small})
            assert requests.get(f"{studio.url}/health", timeout=HEALTH_S).ok
        assert any(thread.is_alive() for thread in threads)
