"""Isolated processes that read the files of visitors.

A crafted file may crash its reader, or make it return other contents of its memory. Each file is
therefore read by a new process without access to the store, the key or the network, within limits
that the operating system enforces, and its results are validated. This package starts and limits
these processes and exchanges messages with them; what they read is defined by the jobs that other
packages register.
"""

from __future__ import annotations

from melm_studio.reading.channel import Channel, ChannelError, RefusedError
from melm_studio.reading.file_reader import (
    FileReader,
    OwnProcessReader,
    ReaderFailedError,
    ReadingLimits,
)
from melm_studio.reading.readings import Asker, Readings, StillReadingError

__all__ = [
    "Asker",
    "Channel",
    "ChannelError",
    "FileReader",
    "OwnProcessReader",
    "ReaderFailedError",
    "ReadingLimits",
    "Readings",
    "RefusedError",
    "StillReadingError",
]
