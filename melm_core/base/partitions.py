"""Partitions of Dask collections, which stay those that the collection was made of."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from melm_core.base.errors import UserError


def partitions_of(collection: Any) -> npt.NDArray[Any]:
    """Return the delayed partitions of a Dask collection, one for each that it was made of.

    Dask joins the partitions of files of which few columns are read, so that those of the
    features and those of the labels no longer match. These are not joined; only the columns of
    the collection are read.

    Parameters
    ----------
    collection : dask.array.Array, dask.dataframe.DataFrame or dask.dataframe.Series

    Returns
    -------
    ndarray of dask.delayed.Delayed of shape (n_partitions,)

    Examples
    --------
    >>> import dask.array as array
    >>> [part.compute() for part in partitions_of(array.arange(4, chunks=2))]
    [array([0, 1]), array([2, 3])]
    """
    if hasattr(collection, "to_frame") or hasattr(collection, "columns"):
        return np.array(collection.simplify().to_delayed(optimize_graph=False), dtype=object)
    return np.ravel(np.asarray(collection.to_delayed(), dtype=object))


def lazy_array(X: Any, n_features: int) -> Any:
    """Convert a Dask collection to an array with so many columns and the same partitions.

    Raises
    ------
    ValueError
        If it has more or fewer columns.
    """
    if X.ndim != 2 or X.shape[1] != n_features:
        columns = f"{X.shape[1]} columns" if X.ndim == 2 else f"{X.ndim} dimensions"
        raise UserError(f"X has {columns}; the plane was fitted to {n_features} features.")
    if not hasattr(X, "columns"):
        return X
    arrays, delayed = import_module("dask.array"), import_module("dask").delayed
    parts = [
        arrays.from_delayed(delayed(_values)(part), (np.nan, n_features), dtype=np.float64)
        for part in partitions_of(X)
    ]
    return arrays.concatenate(parts, allow_unknown_chunksizes=True)


def _values(frame: Any) -> npt.NDArray[np.float64]:
    # Missing values of nullable columns are no NaN.
    values: npt.NDArray[np.float64] = frame.to_numpy(dtype=np.float64, na_value=np.nan)
    return values
