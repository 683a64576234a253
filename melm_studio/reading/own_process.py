"""Reads files in this process, where there is nobody to isolate them from or no way to do so."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from threading import Thread

from melm_studio.reading.channel import Channel
from melm_studio.reading.file_reader import FileReader, ReadingLimits, failing_in_words
from melm_studio.reading.jobs import answered, job_of
from melm_studio.reading.readings import ReadingsHere


class OwnProcessReader(FileReader):
    """Runs the jobs of a file reader in threads of this process.

    For a command that reads the file of whoever called it, and for systems that cannot fork. What a
    reader refuses is refused as well; the limits of time and memory are those of this process.

    Parameters
    ----------
    jobs : mapping of str to int
    limits : ReadingLimits
        Said of a file that takes more memory than this process may have.
    """

    def __init__(self, jobs: Mapping[str, int], limits: ReadingLimits) -> None:
        super().__init__(jobs, limits)
        self.readings = self.preparations = ReadingsHere()
        self._memory_mb = limits.memory_mb
        self._job = cache(job_of)

    def start(self) -> None:
        """Nothing needs a start."""

    @contextmanager
    def channel(self, job: str, seconds: int | None = None) -> Iterator[Channel]:
        """Run a job in a thread for the block, and return the channel to it."""
        here, there = socket.socketpair()
        Thread(target=self._answer, args=(job, there), name="reader", daemon=True).start()
        channel = Channel(here)
        with failing_in_words(channel, job):
            yield channel

    def _answer(self, job: str, connection: socket.socket) -> None:
        with connection:
            answered(self._job(job), Channel(connection), self._memory_mb)
