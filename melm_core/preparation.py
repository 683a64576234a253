"""The former place of `melm_studio.tables.prepare`, for downloaded programs that import it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any


def prepare(
    table: Any,
    label: str | None = None,
    *,
    standardise: bool = True,
    roles: Mapping[str, str] | None = None,
) -> Any:
    r"""Prepare a table as labeled data; see `melm_studio.tables.prepare`.

    Parameters
    ----------
    table : melm_studio.tables.Table
    label : str, optional
        The column that contains the classes.
    standardise : bool, default=True
        The former name of `standardize`.
    roles : mapping of str to str, optional
        Columns to use as features or to leave out.

    Returns
    -------
    melm_studio.tables.LabeledData

    Raises
    ------
    melm_studio.tables.TableError
        If the table cannot be prepared in this way.

    Examples
    --------
    >>> from melm_core.tables import read_table
    >>> table = read_table(b"x,y,c\n1,2,a\n1,3,a\n3,5,b\n4,4,b\n", "points.csv")
    >>> prepare(table, "c", standardise=False).X.shape
    (4, 2)
    """
    # By name, since melm_core must not depend on the application otherwise.
    return import_module("melm_studio.tables").prepare(
        table, label, standardize=standardise, roles=roles
    )
