"""A Redis server of the tests' own, on a free port of this machine."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from lab.setup.find_redis import REMEDY, find_redis
from melm_studio.configuration.limits import Limits
from melm_studio.configuration.settings import RedisAddress
from melm_studio.programs.local_studio import free_port
from melm_studio.runs.store.open_store import PATIENCE_S
from melm_studio.runs.store.redis import RedisRunStore
from tests.melm_studio.runs.helpers import wait_until

OPTIONS = ("--save", "", "--appendonly", "yes", "--appendfsync", "always")


class RedisServer:
    """A server that keeps every write in a folder, and may be stopped and started again."""

    def __init__(self, program: Path, folder: Path, options: Sequence[str] = OPTIONS) -> None:
        port = free_port()
        self.url = f"redis://127.0.0.1:{port}/0"
        self._command = [
            *(program, "--bind", "127.0.0.1", "--port", str(port)),
            *("--dir", folder, "--logfile", folder / "redis.log"),
            *options,
        ]
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self._command)
        with redis.Redis.from_url(self.url) as client:
            wait_until(lambda: _answers(client))

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def text(self, prefix: str = "") -> str:
        """The value of `MELM_STORE` for this server."""
        return f"{self.url}?prefix={prefix}" if prefix else self.url

    def store(self, prefix: str, limits: Limits | None = None) -> RedisRunStore:
        return RedisRunStore(RedisAddress(self.url, prefix), limits or Limits(), PATIENCE_S)

    def client(self) -> redis.Redis:
        return redis.Redis.from_url(self.url)


@contextmanager
def running_redis(folder: Path) -> Iterator[RedisServer]:
    """A server for the block; the test is skipped where there is none to start."""
    program = find_redis()
    if program is None:
        pytest.skip(REMEDY)
    server = RedisServer(program, folder)
    yield server
    server.kill()


def _answers(client: redis.Redis) -> bool:
    try:
        return client.ping()
    except redis.ConnectionError:
        return False
