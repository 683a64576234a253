"""Opening the store that the settings name."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from importlib import import_module
from types import ModuleType

from melm_studio.configuration.limits import DiskFullError
from melm_studio.configuration.settings import RedisAddress, Settings
from melm_studio.installation import install_command
from melm_studio.runs.store.disk_cache import UnusableFolderError
from melm_studio.runs.store.protocol import RunStore

# Longer than a server takes to restart, shorter than a visitor waits.
PATIENCE_S = 5.0
# Of a web process, in which a request that waits takes a thread from all others.
LOCKED_S = 2.0
_NOT_INSTALLED = "A shared store needs additional packages. Type: {install}"


def open_store(settings: Settings, *, patience_s: float = PATIENCE_S) -> RunStore:
    """Open the store.

    Parameters
    ----------
    settings : Settings
    patience_s : float
        For how long to keep trying if a shared store does not answer.

    Raises
    ------
    UnusableFolderError
        If the folder cannot be written, or its database is damaged.
    """
    module = _installed(store_module(settings))
    store: RunStore
    if settings.store:
        address = RedisAddress.from_text(settings.store)
        store = module.RedisRunStore(address, settings.limits, patience_s)
    else:
        store = _opened(module.DiskRunStore, settings)
    return store


def _opened(kind: Callable[..., RunStore], settings: Settings, **patience: float) -> RunStore:
    try:
        store = kind(settings.data_dir, settings.limits, **patience)
        store.unfinished()  # which reads the database
        return store
    except DiskFullError:
        raise
    except (sqlite3.Error, OSError) as error:
        raise UnusableFolderError(settings.data_dir, error) from error


def open_store_of_page(settings: Settings) -> RunStore:
    """Open the store for a web process, which notifies workers of new runs in a shared queue."""
    if not settings.store:
        kind = _installed(store_module(settings)).DiskRunStore
        return _opened(kind, settings, patience_s=LOCKED_S)
    store: RunStore = _installed("melm_studio.runs.store.shared_queue").open_shared_store(
        settings, PATIENCE_S
    )
    return store


def store_module(settings: Settings) -> str:
    """Return the name of the module that implements the store."""
    return "melm_studio.runs.store.redis" if settings.store else "melm_studio.runs.store.disk"


def _installed(module: str) -> ModuleType:
    """Import a module; a shared store needs packages that may not be installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        raise SystemExit(_NOT_INSTALLED.format(install=install_command("redis"))) from missing
