"""Thread pools of linear algebra, limited where several processes or starts share the cores."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from threadpoolctl import ThreadpoolController


def one_thread_each(pools: ThreadpoolController) -> AbstractContextManager[Any]:
    """Limit thread pools to one thread each for a while.

    Where they have no more, as in a worker, they are left alone: setting them and setting them back
    takes a good part of a small fit.

    Parameters
    ----------
    pools : ThreadpoolController

    Examples
    --------
    >>> from threadpoolctl import ThreadpoolController
    >>> pools = ThreadpoolController()
    >>> with one_thread_each(pools):
    ...     {pool.num_threads for pool in pools.lib_controllers} <= {1}
    True
    """
    if all(pool.num_threads == 1 for pool in pools.lib_controllers):
        return nullcontext()
    limited: AbstractContextManager[Any] = pools.limit(limits=1)
    return limited
