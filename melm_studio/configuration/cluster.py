"""Scheduler of the blocks of registered tables: a Dask cluster, or threads here."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec

from melm_core.base import UserError
from melm_studio.extras import install_command

LOCAL_THREADS = 2
CONNECT_S = 10

_NO_CLUSTER = (
    "The Dask cluster at {address} does not answer. Ask the operator of this studio to start it, "
    "then run again."
)
_CLUSTER_LOST = (
    "The Dask cluster at {address} was lost, or its workers had too little memory. Run again; if "
    "that fails too, ask the operator of this studio."
)


def missing_dask() -> str | None:
    """Return how to install Dask if it is not installed; a phrase for the end of a sentence."""
    is_there = find_spec("dask") is not None and find_spec("distributed") is not None
    return None if is_there else install_command("dask")


@contextmanager
def dask_scheduler(address: str) -> Iterator[None]:
    """Compute what Dask is to compute within the block on a cluster, or in two threads here.

    Parameters
    ----------
    address : str
        Of the scheduler, as ``tcp://host:8786``; empty for threads.

    Raises
    ------
    UserError
        If no scheduler answers there.
    """
    if not address:
        with import_module("dask.config").set(scheduler="threads", num_workers=LOCAL_THREADS):
            yield
        return
    distributed = import_module("distributed")  # an extra
    lost = (distributed.KilledWorker, distributed.comm.core.CommClosedError, CancelledError)
    try:
        client = distributed.Client(address, timeout=CONNECT_S)
    except (OSError, ValueError):
        raise UserError(_NO_CLUSTER.format(address=address)) from None
    with client:
        try:
            yield
        except lost as error:
            raise UserError(_CLUSTER_LOST.format(address=address)) from error
