"""The former place of `melm_studio.tables.read_table`, for downloaded programs that import it."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def read_table(raw: bytes, name: str) -> Any:
    r"""Read delimited text; see `melm_studio.tables.read_table`.

    Parameters
    ----------
    raw : bytes
        The file's content.
    name : str
        The file's name.

    Returns
    -------
    melm_studio.tables.Table

    Raises
    ------
    melm_studio.tables.TableError
        If the content is not a table of at least one row and two columns.

    Examples
    --------
    >>> read_table(b"x,y\n1,2\n", "points.csv").name
    'points'
    """
    # By name, since melm_core must not depend on the application otherwise.
    return import_module("melm_studio.tables").read_table(raw, name)
