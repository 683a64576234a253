"""Keeps the process that reads the registered tables running beside a worker."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from melm_studio.application_folder import APPLICATION_FOLDER
from melm_studio.configuration.settings import Settings

RESTART_DELAY_S = 5.0

logger = logging.getLogger(__name__)


@contextmanager
def tables_kept(settings: Settings) -> Iterator[None]:
    """Read the tables of the settings in another process during the block, if there are any."""
    if not settings.tables:
        yield
        return
    stopping = threading.Event()
    thread = threading.Thread(
        target=_keep, args=(settings, stopping), name="registered tables", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


def _keep(settings: Settings, stopping: threading.Event) -> None:
    while not stopping.is_set():
        process = subprocess.Popen(
            [sys.executable, "-m", "melm_studio.operator_tables"],
            cwd=APPLICATION_FOLDER,
            env={**os.environ, **settings.as_environment()},
            stdin=subprocess.PIPE,  # it ends with this process
            stdout=subprocess.DEVNULL,  # which may be read as the heartbeats of this process
        )
        while process.poll() is None and not stopping.wait(0.2):
            pass
        process.kill()
        code = process.wait()
        if stopping.wait(RESTART_DELAY_S):
            return
        logger.warning("the reader of tables exited with %d, restarting it", code)
