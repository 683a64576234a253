"""Rows and labels of a folder of Parquet files, which need not fit in memory."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from os import PathLike
from typing import Any

from melm_core.base.codes import is_numeric
from melm_core.base.errors import UserError
from melm_core.base.written_cells import listed


def read_rows(
    path: str | PathLike[str], label: str, features: Sequence[str] | None = None
) -> tuple[Any, Any]:
    """Open features and labels of a table in Parquet files, for `fit`; nothing is read yet.

    Parameters
    ----------
    path : str or path
        A Parquet file, a folder of them, or an address that Dask reads, such as
        "s3://bucket/measurements/".
    label : str
        The column of the class labels.
    features : sequence of str or None, default=None
        The columns of the features; None for all but the labels.

    Returns
    -------
    X : dask.dataframe.DataFrame of shape (n_samples, n_features)
    y : dask.dataframe.Series of shape (n_samples,)

    Raises
    ------
    ValueError
        If there are no such files or columns, or a feature is not numeric.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from melm_core import DiscriminantPlane, read_rows
    >>> iris = load_iris(as_frame=True).frame
    >>> with TemporaryDirectory() as folder:
    ...     for number in range(3):
    ...         iris[number::3].to_parquet(Path(folder) / f"part-{number}.parquet")
    ...     X, y = read_rows(folder, label="target")
    ...     plane = DiscriminantPlane().fit(X, y)
    >>> plane.components_.shape
    (2, 4)
    """
    table = _table(path)
    columns = [str(name) for name in table.columns]
    names = [name for name in columns if name != label] if features is None else list(features)
    for name in (label, *names):
        if name not in columns:
            raise UserError(f"There is no column {name!r} in {path}; it has {listed(columns)}.")
    if not names:
        raise UserError(f"{path} has no column besides the labels, {label!r}; name another label.")
    texts = [name for name in names if not is_numeric(table.dtypes[name])]
    if texts:
        raise UserError(
            f"Not numeric in {path}: {listed(texts)}. Name the features, for example "
            f"features={[name for name in names if name not in texts][:2]}."
        )
    return table[names], table[label]


def _table(path: str | PathLike[str]) -> Any:
    try:
        frames = import_module("dask.dataframe")
    except ImportError as error:
        raise UserError(
            'Reading a folder of files needs Dask: pip install "melm-core[dask]".'
        ) from error
    try:
        return frames.read_parquet(str(path))
    except (OSError, ValueError, IndexError) as error:
        raise UserError(
            f"{path} is no Parquet file and no folder of Parquet files that can be read ({error})."
        ) from error
