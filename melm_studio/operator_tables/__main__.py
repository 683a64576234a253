"""The process that reads the registered tables; it ends when its standard input closes.

``python -m melm_studio.operator_tables``, with the settings in the environment.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from contextlib import closing

from melm_core.base import UserError
from melm_studio.configuration.limits import DiskFullError, LimitReachedError
from melm_studio.configuration.logs import configure_logging
from melm_studio.configuration.settings import Settings
from melm_studio.operator_tables.keeper import TableKeeper
from melm_studio.runs.store.open_store import open_store
from melm_studio.runs.store.protocol import StoreUnavailableError

LOOK_S = 15.0
NICENESS = 10

logger = logging.getLogger("melm_studio.operator_tables")


def main() -> None:
    """Look at the tables again and again."""
    # Ctrl-C reaches every process of a terminal; the parent process handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        os.nice(NICENESS)
    settings = Settings.from_environment_and_flags([], os.environ)
    configure_logging()
    threading.Thread(target=_exit_with_parent, name="parent watchdog", daemon=True).start()
    with closing(open_store(settings)) as store:
        keeper = TableKeeper(store, settings.tables, settings.dask, has_others=bool(settings.store))
        last_problem = ""
        while True:
            try:
                keeper.look()
                last_problem = ""
            except (UserError, DiskFullError, LimitReachedError, StoreUnavailableError) as error:
                if str(error) != last_problem:
                    logger.warning("the registered tables: %s", error)
                last_problem = str(error)
            time.sleep(LOOK_S)


def _exit_with_parent() -> None:
    while sys.stdin.buffer.read(1024):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
