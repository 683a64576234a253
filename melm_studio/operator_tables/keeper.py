"""Reads the registered tables, and reads them again when their files change.

``python -m melm_studio.operator_tables.keeper`` is the process that does so, with the settings in
the environment; it ends when its standard input closes.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing

from msgspec.structs import replace

from melm_core.base import UserError
from melm_studio.configuration.clock import Clock
from melm_studio.configuration.logs import configure_logging
from melm_studio.configuration.settings import Settings
from melm_studio.operator_tables.descriptions import FoundTable, TableDescription, TableFolder
from melm_studio.operator_tables.parts import dask_scheduler, opened_table
from melm_studio.operator_tables.published import (
    PublishedTable,
    drawn_sample,
    publish,
    published_tables,
    put_sample,
    sample_of,
)
from melm_studio.runs.store.open_store import open_store
from melm_studio.runs.store.protocol import RunStore, StoreUnavailableError

# A sample that nobody uses is deleted after days; storing it again keeps it.
REFRESH_S = 3_600.0
# For how long a table is left to another worker that reads it.
TURN_S = 600.0
LOOK_S = 15.0
NICENESS = 10

_UNEXPECTED = "The table {name} cannot be read ({kind}). The log of the worker says why."

logger = logging.getLogger("melm_studio.operator_tables")


class TableKeeper:
    """Publishes the tables of a folder in a store, with their sizes and samples.

    Parameters
    ----------
    store : RunStore
    location : str
        The folder of the tables.
    dask : str
        The address of the scheduler; empty for threads.
    has_others : bool
        Whether other workers may read the same tables.
    clock : Clock
    """

    def __init__(
        self,
        store: RunStore,
        location: str,
        dask: str = "",
        *,
        has_others: bool = False,
        clock: Clock = time,
    ) -> None:
        self._store, self._location, self._dask = store, location, dask
        self._has_others, self._clock = has_others, clock

    def look(self) -> None:
        """Publish the current content of the folder; read the tables that are new or have changed.

        Raises
        ------
        UserError
            If the folder or `tables.toml` cannot be read; what was published stays.
        """
        folder = TableFolder(self._location)
        before = published_tables(self._store)
        tables = list(self._tables(folder, folder.descriptions()))
        publish(self._store, [_known(table, before.get(table.key)) for _, table in tables])
        for in_folder, table in tables:
            if in_folder is not None and self._is_due(table, before.get(table.key)):
                self._read(folder, in_folder, table)

    def _tables(
        self, folder: TableFolder, descriptions: dict[str, TableDescription]
    ) -> Iterator[tuple[FoundTable | None, PublishedTable]]:
        for key, description in descriptions.items():
            name, visitors = description.name or key, description.visitors
            try:
                table = folder.table(key, description)
                yield table, PublishedTable(key, name, table.version, visitors)
            except UserError as error:
                yield None, PublishedTable(key, name, "", visitors, problem=str(error))

    def _is_due(self, table: PublishedTable, previous: PublishedTable | None) -> bool:
        if previous is None or previous.version != table.version:
            return True
        age_s = self._clock.time() - previous.read_s
        if previous.is_ready:
            sample = sample_of(self._store, previous) if age_s > REFRESH_S else None
            if sample is not None:
                put_sample(self._store, previous, sample)
                self._update(replace(previous, read_s=self._clock.time()))
            return age_s > REFRESH_S and sample is None
        # A damaged file that changes has another version.
        return not previous.problem and (not self._has_others or age_s > TURN_S)

    def _read(self, folder: TableFolder, in_folder: FoundTable, table: PublishedTable) -> None:
        self._update(replace(table, read_s=self._clock.time()))
        began_s = self._clock.monotonic()
        try:
            with dask_scheduler(self._dask):
                opened = opened_table(folder.files, in_folder)
                sample = drawn_sample(opened)
            put_sample(self._store, table, sample)
            sizes = {"n_rows": sample.n_rows, "n_sampled": len(sample.positions)}
            read = replace(table, **sizes, n_columns=len(opened.reader.columns))
        except UserError as error:
            read = replace(table, problem=str(error))
            logger.warning("table %s: %s", table.key, error)
        except Exception as error:
            kind = type(error).__name__
            read = replace(table, problem=_UNEXPECTED.format(name=table.name, kind=kind))
            logger.exception("table %s", table.key)
        else:
            seconds = self._clock.monotonic() - began_s
            logger.info("table %s: %d rows, read in %.1f s", table.key, read.n_rows, seconds)
        self._update(replace(read, read_s=self._clock.time()))

    def _update(self, table: PublishedTable) -> None:
        tables = published_tables(self._store) | {table.key: table}
        publish(self._store, tables.values())


def _known(table: PublishedTable, before: PublishedTable | None) -> PublishedTable:
    """Return a table as it was read before, if its files have not changed since."""
    if before is None or before.version != table.version or table.problem:
        return table
    return replace(before, name=table.name, visitors=table.visitors)


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
            except (UserError, StoreUnavailableError) as error:
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
