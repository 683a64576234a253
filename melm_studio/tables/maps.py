"""Columns that say where rows are: on a map somebody made, such as a UMAP, or on the earth."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from melm_studio.tables.formatting import words_of

_AXIS = re.compile(
    r"(?P<kind>(?:supervised)?(?:umap|tsne|pacmap|trimap|phate|isomap|mds))(?P<axis>[12xy])"
)
_TERM = re.compile(r"[(\[]\w+:\d+[)\]]$")  # of an ontology: latitude (VBcv:0000817)
_COORDINATES = re.compile("lat|lon|lng|utm|easting|northing", re.IGNORECASE)
MOST_COLUMNS = 1_000  # more have the words of a language for names, "bed" and "row" among them
# Of the middle of a thing, as programs that measure pictures write it, or of a field: centroid-0.
_CENTERS = {"center", "centre", "centroid", "coor", "coord", "coordinate", "coordinates", "coords"}
_AXES = {"x", "y", "z", "0", "1", "2"}
_AXIS_OF_CENTER = re.compile(r"([xyz])(coor|coord)s?")
MOST_CENTERS = 3  # more are landmarks, which are measured
# Of a field, a greenhouse or a plate: Row, plot_no, BLOCK_by_REP.
_LAYOUT = re.compile(
    r"(?:field|left|right|sub|i)?[ _.]?(?:block|blk|plot|row|column|col|bay|tray|bench|bed|pot)"
    r"(?:[ _.#-]|by|in|nos?|nr|num|number|rep|block)*",
    re.IGNORECASE,
)
_OF_EARTH = {
    "lat": "y", "latitude": "y", "northing": "y", "easting": "x", "lng": "x", "lon": "x",
    "long": "x", "longitude": "x",
}  # fmt: skip
_WHOLE_WORDS = {"latitude", "longitude"}
_ABOVE_SEA = {("alt",), ("altitude",), ("elev",), ("elevation",)}
_OF_UTM = _OF_EARTH | {"e": "x", "n": "y", "x": "x", "y": "y"}  # zones of Mercator projections
_PLACES = {
    "city", "country", "county", "district", "island", "lake", "locality", "location", "place",
    "province", "region", "river", "site", "state", "station", "village", "zone",
}  # fmt: skip

# Where a row was found, rather than of which kind a place is: no region of a brain, no state.
_SITES = {
    "island", "lake", "locality", "pond", "quadrat", "reef", "river", "station", "stream",
    "transect", "village", "watershed",
}  # fmt: skip
_PERHAPS_SITES = {"location", "site", "stand"}  # or of a body, but for such words before them:
_OF_FIELD_WORK = {
    "capture", "collection", "collecting", "company", "field", "geographic", "nest", "sample",
    "sampling", "study", "trapping",
}  # fmt: skip
_WORKS = {
    "author", "authors", "citation", "citations", "dataset", "doi", "journal", "pmid", "project",
    "publication", "ref", "reference", "references", "refs", "source", "study",
}  # fmt: skip
_SETTINGS = {"calibration", "dpi", "magnification", "pixelsize", "voxelsize"}
_SIZES = {("pixel", "size"), ("scale", "factor"), ("scaling", "factor"), ("voxel", "size")}
_OF_NAMES = {"code", "data", "id", "label", "name", "no", "nr", "number"}


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


def coordinates(names: Sequence[str]) -> list[str]:
    """Return those of the names that say where rows are, each beside another that does.

    Of the axes of the earth, each beside its other one, and other latitudes or altitudes beside
    such; of the center of what a row is, as of pictures.

    Examples
    --------
    >>> coordinates(["Lat", "mass", "Long", "fam_lat", "UTM_X", "UTM_Y"])
    ['Lat', 'Long', 'UTM_X', 'UTM_Y']
    >>> coordinates(["long", "wide", "row"]), coordinates(["plot", "Row", "row count"])
    ([], ['plot', 'Row'])
    >>> coordinates(["Center_x", "Center_y", "Mean_Normal_x", "Mean_Normal_y"])
    ['Center_x', 'Center_y']
    """
    pairs: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for name in filter(_COORDINATES.search, names):
        words = words_of(_TERM.sub("", name))
        axes = _OF_UTM if "utm" in words else _OF_EARTH
        others = tuple(word for word in words if word not in axes and len(word) > 1)  # Lat (N)
        for axis in [axes[word] for word in words if word in axes]:
            pairs.setdefault(others, {}).setdefault(axis, []).append(name)
    is_on_earth = any(len(pair) > 1 for pair in pairs.values())  # then latitudes alone are, too
    paired = {
        name
        for pair in pairs.values()
        for of_axis in pair.values()
        for name in of_axis
        if len(pair) > 1 or (is_on_earth and not _WHOLE_WORDS.isdisjoint(words_of(name)))
    }
    paired.update(name for name in names if is_on_earth and words_of(name) in _ABOVE_SEA)
    few = names if len(names) <= MOST_COLUMNS else ()
    centers: dict[tuple[str, ...], list[str]] = {}
    for name in few:
        words = words_of(_AXIS_OF_CENTER.sub(r"\2 \1", name.lower()))
        of = tuple(word for word in words if word not in _AXES)
        if len(of) + 1 == len(words) and not _CENTERS.isdisjoint(of):
            centers.setdefault(of, []).append(name)
    of_rows = centers.values() if len(centers) <= MOST_CENTERS else ()
    paired.update(name for axes in of_rows if len(axes) > 1 for name in axes)
    layout = [name for name in few if _LAYOUT.fullmatch(name)]
    paired.update(layout if len(layout) > 1 else ())
    return [name for name in names if name in paired]


def names_place(name: str) -> bool:
    """Return whether a name is that of places, such as "site" or "river"."""
    return not _PLACES.isdisjoint(words_of(name))


def says_work(name: str) -> bool:
    """Return whether a name is that of the work that a row was taken from.

    Examples
    --------
    >>> [says_work(name) for name in ("Study", "data source", "REF", "energy source", "studytime")]
    [True, True, True, False, False]
    """
    words = {*words_of(name)}
    return not words.isdisjoint(_WORKS) and words <= _WORKS | _OF_NAMES


def says_setting(name: str) -> bool:
    """Return whether a name is that of how an instrument was set, rather than of what it measured.

    Examples
    --------
    >>> [says_setting(name) for name in ("VoxelSizeX", "pixel size", "magnification", "gain")]
    [True, True, True, False]
    """
    words = words_of(name)
    is_size = any(pair in _SIZES for pair in pairwise(words))
    return is_size or not _SETTINGS.isdisjoint(words)


def says_size_of_sample(name: str) -> bool:
    """Return whether a name is that of how many things a number of the row is of.

    Examples
    --------
    >>> says_size_of_sample("sample_size_tibia"), says_size_of_sample("size of samples")
    (True, False)
    """
    words = words_of(name)
    return ("sample", "size") in pairwise(words) or "samplesize" in words


def says_site(name: str) -> bool:
    """Return whether a name is that of where a row was found, rather than of where in a body.

    Examples
    --------
    >>> [says_site(name) for name in ("Island", "site name", "sampling site", "tumor site")]
    [True, True, True, False]
    """
    words = [word for word in words_of(name) if word not in _OF_NAMES] or [""]
    return words[-1] in _SITES or (words[-1] in _PERHAPS_SITES and {*words[:-1]} <= _OF_FIELD_WORK)
