"""Columns that are the axes of a map somebody made of the rows, such as a UMAP."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from melm_studio.tables.formatting import words_of

_AXIS = re.compile(
    r"(?P<kind>(?:supervised)?(?:umap|tsne|pacmap|trimap|phate|isomap|mds))(?P<axis>[12xy])"
)


class MapColumns(NamedTuple):
    """The axes of a map among some columns.

    Attributes
    ----------
    method : str
        The method that the columns are named by, in small letters: "umap", "tsne".
    columns : list of int
        The positions of the horizontal and of the vertical axis.
    """

    method: str
    columns: list[int]


def map_columns(names: Sequence[str]) -> MapColumns | None:
    """Return two columns that look like the axes of a map, or None.

    Their names are those of a method with its axes; x and y alone may be features as any others.

    Examples
    --------
    >>> map_columns(["alcohol", "UMAP_1", "UMAP 2", "ash"])
    MapColumns(method='umap', columns=[1, 2])
    >>> map_columns(["x", "y"]) is None
    True
    """
    axes: dict[str, dict[str, int]] = {}
    for position, name in enumerate(names):
        match = _AXIS.fullmatch("".join(words_of(name)))
        if match:
            axes.setdefault(match["kind"], {})[match["axis"]] = position
    for kind, named in axes.items():
        for pair in ("12", "xy"):
            if named.keys() >= set(pair):
                return MapColumns(kind, [named[axis] for axis in pair])
    return None


def is_map(names: Sequence[str]) -> bool:
    """Return whether all columns are the axes of one map.

    Examples
    --------
    >>> is_map(["tSNE-1", "tSNE-2"]), is_map(["tSNE-1", "tSNE-2", "ash"])
    (True, False)
    """
    return len(names) == len("xy") and map_columns(names) is not None
