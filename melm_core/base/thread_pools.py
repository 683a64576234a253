"""Thread pools of linear algebra, limited where several processes or starts share the cores."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_thread_each(user_api: str | None = None) -> AbstractContextManager[Any]:
    """Limit the thread pools of this process to one thread each for a while.

    Where they have no more, as in a worker, they are left alone: setting them and setting them back
    takes a good part of a small fit.

    Parameters
    ----------
    user_api : str or None
        "blas" for those of linear algebra only.

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> with one_thread_each():
    ...     {pool["num_threads"] for pool in threadpool_info()} <= {1}
    True
    """
    pools = _pools(len(sys.modules), user_api)
    if all(pool.num_threads == 1 for pool in pools.lib_controllers):
        return nullcontext()
    limited: AbstractContextManager[Any] = pools.limit(limits=1)
    return limited


@lru_cache(maxsize=4)  # looking for them takes as long as a small fit
def _pools(_n_modules: int, user_api: str | None) -> ThreadpoolController:
    """Find the pools of all libraries, which come with modules."""
    pools = ThreadpoolController()
    return pools if user_api is None else pools.select(user_api=user_api)
