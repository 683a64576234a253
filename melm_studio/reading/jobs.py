"""Jobs of a reader within its limits, and the sentences of one that fails."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import import_module
from typing import TypeAlias

import msgspec

from melm_core.base import UserError
from melm_studio.reading.channel import Channel, ChannelError, RefusedError

Job: TypeAlias = Callable[[Channel], None]
STARTED = b"+"
TOO_SLOW = (
    "Reading this file takes longer than {seconds} s, the most that is allowed here. Remove rows "
    "or columns, save it as CSV, and drop it again."
)
TOO_LARGE = (
    "Reading this file takes more than {memory_mb} MB of memory, the most that is allowed here. "
    "Remove rows or columns, save it as CSV, and drop it again."
)
FAILED = (
    "This file could not be read: its reader failed. It may be damaged; save the table again, or "
    "as CSV, and drop that."
)

logger = logging.getLogger(__name__)


class Task(msgspec.Struct, frozen=True):
    """The job of a reader process and its limits."""

    job: str
    memory_mb: int
    seconds: int


def job_of(name: str, *, is_warm: bool = False) -> Job:
    """Import a job, ``module:function``.

    Parameters
    ----------
    name : str
    is_warm : bool
        Whether to call `warm_up` of its module, which loads what the job imports lazily.
    """
    place, _, function = name.partition(":")
    module = import_module(place)
    if is_warm:
        module.warm_up()
    job: Job = getattr(module, function)
    return job


def answered(job: Job, channel: Channel, memory_mb: int) -> int:
    """Run a job, which answers on a channel; return the exit code of its process."""
    try:
        try:
            job(channel)
        except UserError as error:
            channel.refuse(str(error))
        except MemoryError:
            channel.refuse(TOO_LARGE.format(memory_mb=f"{memory_mb:,}"))
    except (ChannelError, RefusedError):  # the studio has stopped waiting
        return 0
    except BaseException:
        logger.exception("a reader failed")
        return 1
    return 0
