"""Writes the names of arrows and classes on a panel, in fonts that may lack their characters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.ft2font import FT2Font
from matplotlib.patheffects import Stroke
from matplotlib.text import Text

from melm_core.base import FloatArray
from melm_studio.planes.figure import class_name_places
from melm_studio.publication.printing.axes import arrow_inks, drawn_arrows
from melm_studio.publication.printing.panel import FAINT_INK, ClassMark, FigurePanel
from melm_studio.publication.style import FigureStyle

LONGEST_NAME = 40

# What journals ask for, if it is installed; the last ships with matplotlib. A character is taken
# from the first font that has it.
_PREFERRED = ("Arial", "Helvetica", "Liberation Sans", "DejaVu Sans")
_FALLBACKS = ("Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans Arabic", "Noto Sans Devanagari")
_UNKNOWN = "\u25a1"
# The halo hides points and contours, but no arrow.
_BELOW_ARROWS, _ABOVE_ALL = 2.5, 5.0
_HALO = 0.32  # of the size of the type
_LONGEST = 24
_LEADER_PT = 8.0
_ALONG = np.linspace(0.1, 1.0, 10)
_GAP = 2.0  # points between an anchor and its name
_TURNS = np.radians([0, 20, -20, 45, -45, 75, -75, 110, -110, 150, -150, 180])
_DISTANCES = (0.0, 8.0, 18.0, 30.0)
_EDGE = 2.0  # points between a name and the edge of the axes
_BETWEEN = np.array([4.0, 0.0])  # points between two names on a line
# In square points that two names share: a name over a point to be kept free, one that lies nearer
# to the anchor of another name, and each point of distance from its own.
_COVERED, _MISTAKEN, _AWAY = 4.0, 12.0, 1.0


@lru_cache(maxsize=1)
def font_families() -> list[str]:
    """Return the fonts to use, of those that are installed."""
    installed = set(font_manager.get_font_names())
    return [name for name in (*_PREFERRED, *_FALLBACKS) if name in installed]


def one_line(text: str, longest: int = LONGEST_NAME) -> str:
    """Return text without control characters, its middle cut out if it is long.

    Examples
    --------
    >>> one_line("a\\nb")
    'a b'
    >>> one_line("intensity at 1200 nm", 11)
    'inten…00 nm'
    """
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if len(plain) <= longest:
        return plain
    half = (longest - 1) // 2
    return f"{plain[:half]}…{plain[-half:]}"


def without_glyphs(texts: Iterable[str]) -> str:
    """Return the characters that no font here has, each once."""
    glyphs = _glyphs()
    return "".join(sorted({c for text in texts for c in text if ord(c) not in glyphs}))


def drawable(text: str) -> str:
    """Return text with a box in place of every character that no font here has."""
    glyphs = _glyphs()
    return "".join(c if ord(c) in glyphs else _UNKNOWN for c in text)


@lru_cache(maxsize=1)
def _glyphs() -> frozenset[int]:
    files = (font_manager.findfont(name) for name in font_families())
    return frozenset(code for file in files for code in FT2Font(file).get_charmap())


def write_names(
    axes: Axes,
    panel: FigurePanel,
    marks: Sequence[ClassMark],
    style: FigureStyle,
    drawable: Callable[[str], str],
) -> None:
    """Write the name of every arrow that is drawn, and those of the classes if they are a layer."""
    named = [
        name
        for name in (*_arrow_names(panel, style), *_class_names(panel, marks, style))
        if _is_within(axes, name[2])
    ]
    texts = [(drawable(one_line(name, _LONGEST)), color) for name, color, _, _ in named]
    labels = [
        Label(text, _in_points(axes, anchor), _size(axes, text), heading)
        for (text, _), (_, _, anchor, heading) in zip(texts, named, strict=True)
    ]
    box = axes.get_window_extent()
    area = np.array([box.width, box.height]) * _points_per_pixel(axes)
    kept_free = _along_arrows(axes, panel) if "arrows" in style.layers else []
    centers = place_labels(labels, area, kept_free)
    for (text, color), label, center in zip(texts, labels, centers, strict=True):
        _write(axes, text, color, center / area, style)
        if label.direction.any() and distance(center, label.size, label.anchor) > _LEADER_PT:
            _draw_leader(axes, label, center, area)


def _along_arrows(axes: Axes, panel: FigurePanel) -> list[FloatArray]:
    """Return points on the arrows, which names should not cover."""
    arrows, drawn = panel.view.arrows, drawn_arrows(panel)
    origins, tips = arrows.origins[drawn], arrows.tips[drawn]
    return [
        _in_points(axes, origin + share * (tip - origin))
        for origin, tip in zip(origins, tips, strict=True)
        for share in _ALONG
    ]


_Named = tuple[str, str, FloatArray, FloatArray]  # text, color, anchor in data, direction


def _draw_leader(axes: Axes, label: Label, center: FloatArray, area: FloatArray) -> None:
    """Draw a thin line from the tip of an arrow to a name that has no room beside it."""
    nearest = center + np.clip(label.anchor - center, -label.size / 2, label.size / 2)
    x, y = np.transpose([label.anchor / area, nearest / area])
    axes.plot(x, y, color=FAINT_INK, linewidth=0.5, transform=axes.transAxes, gid="leader")


def _arrow_names(panel: FigurePanel, style: FigureStyle) -> list[_Named]:
    if "arrows" not in style.layers:
        return []
    arrows, drawn = panel.view.arrows, drawn_arrows(panel)
    return [
        (name, ink, tip, tip - origin)
        for name, ink, origin, tip in zip(
            arrows.labels[drawn],
            arrow_inks(panel),
            arrows.origins[drawn],
            arrows.tips[drawn],
            strict=True,
        )
    ]


def _class_names(
    panel: FigurePanel, marks: Sequence[ClassMark], style: FigureStyle
) -> list[_Named]:
    """Place names as on the page; of one component, above its density."""
    if "names" not in style.layers:
        return []
    heading = np.zeros(2) if panel.has_equal_units else np.array([0.0, 1.0])
    parts = zip(panel.class_names, marks, class_name_places(panel.view), strict=True)
    return [
        (name, mark.name_color, place, heading)
        for code, (name, mark, place) in enumerate(parts)
        if panel.is_shown(code) and np.isfinite(place).all()
    ]


def _is_within(axes: Axes, place: FloatArray) -> bool:
    """Return whether a place is on the axes, not beyond them where the picture is zoomed in."""
    ranges = np.array([axes.get_xlim(), axes.get_ylim()])
    return bool(np.all((place >= ranges[:, 0]) & (place <= ranges[:, 1])))


def _points_per_pixel(axes: Axes) -> float:
    return 72.0 / float(axes.figure.dpi)


def _in_points(axes: Axes, position: FloatArray) -> FloatArray:
    """From data to points from the lower left corner of the axes."""
    corner = axes.get_window_extent().min
    pixels: FloatArray = np.asarray(axes.transData.transform(position)) - corner
    return pixels * _points_per_pixel(axes)


def _size(axes: Axes, text: str) -> FloatArray:
    probe = axes.text(0, 0, text, parse_math=False)
    box = probe.get_window_extent()
    probe.remove()
    return np.array([box.width, box.height]) * _points_per_pixel(axes)


def _write(axes: Axes, text: str, color: str, place: FloatArray, style: FigureStyle) -> None:
    """Write text that stays text in the file; its halo is a separate outline below it."""
    if style.background == "white":
        halo = _add(axes, text, "white", place)
        halo.set(path_effects=[Stroke(linewidth=_HALO * style.font, foreground="white")])
        halo.set_zorder(_BELOW_ARROWS)
    _add(axes, text, color, place)


def _add(axes: Axes, text: str, color: str, place: FloatArray) -> Text:
    x, y = place
    return axes.text(
        float(x),
        float(y),
        text,
        color=color,
        transform=axes.transAxes,
        ha="center",
        va="center",
        zorder=_ABOVE_ALL,
        parse_math=False,
        clip_on=False,
    )


@dataclass(frozen=True, eq=False)
class Label:
    """A name to be placed.

    Attributes
    ----------
    text : str
    anchor : ndarray of shape (2,)
        In points from the lower left corner of the axes.
    size : ndarray of shape (2,)
        Width and height of the text in points.
    direction : ndarray of shape (2,)
        Where the name lies, seen from its anchor; zero to center it there.
    """

    text: str
    anchor: FloatArray
    size: FloatArray
    direction: FloatArray


def place_labels(
    labels: Sequence[Label], area: FloatArray, kept_free: Sequence[FloatArray] = ()
) -> list[FloatArray]:
    """Return the center of every name, the first ones nearest to where they belong.

    Parameters
    ----------
    labels : sequence of Label
    area : ndarray of shape (2,)
        Width and height of the axes in points.
    kept_free : sequence of ndarray of shape (2,)
        Points, such as tips of arrows, that names should not cover.

    Returns
    -------
    list of ndarray of shape (2,)
    """
    anchors = np.array([label.anchor for label in labels]).reshape(-1, 2)
    free = np.array(kept_free).reshape(-1, 2)
    centers, sizes = np.empty((0, 2)), np.empty((0, 2))
    for number, label in enumerate(labels):
        candidates = np.array([_inside(each, label.size, area) for each in _candidates(label)])
        costs = (
            _overlaps(candidates, label.size, centers, sizes)
            + _COVERED * _n_covered(candidates, label.size, free)
            + _MISTAKEN * _are_nearer(candidates, label, np.delete(anchors, number, axis=0))
            + _AWAY * distance(candidates, label.size, label.anchor)
        )
        # The first of the best, which is nearest to where the name belongs.
        centers = np.vstack([centers, candidates[np.argmin(costs)]])
        sizes = np.vstack([sizes, label.size])
    return list(centers)


def _candidates(label: Label) -> list[FloatArray]:
    """Centers beside the anchor, those in the direction of the name first."""
    length = float(np.linalg.norm(label.direction))
    heading = label.direction / length if length else np.array([0.0, 1.0])
    beside = [
        label.anchor + _reach(turned, label.size, further) * turned
        for further in _DISTANCES
        for turned in (_turned(heading, angle) for angle in _TURNS)
    ]
    return beside if length else [label.anchor, *beside]


def _reach(direction: FloatArray, size: FloatArray, further: float) -> float:
    """Compute how far the center is from the anchor for the box to end beside it."""
    with np.errstate(divide="ignore"):
        half = np.min(size / 2 / np.abs(direction))
    return float(half) + _GAP + further


def _turned(direction: FloatArray, angle: float) -> FloatArray:
    cos, sin = np.cos(angle), np.sin(angle)
    turned: FloatArray = np.array([[cos, -sin], [sin, cos]]) @ direction
    return turned


def _inside(center: FloatArray, size: FloatArray, area: FloatArray) -> FloatArray:
    half = np.minimum(size / 2 + _EDGE, area / 2)
    return np.clip(center, half, area - half)


def _overlaps(
    centers: FloatArray, size: FloatArray, others: FloatArray, other_sizes: FloatArray
) -> FloatArray:
    """Compute the area that each box shares with others, with spacing, in square points."""
    sides = (size + other_sizes) / 2 + _BETWEEN - np.abs(centers[:, None] - others)
    areas: FloatArray = np.maximum(sides, 0.0).prod(axis=2).sum(axis=1)
    return areas


def _are_nearer(centers: FloatArray, label: Label, others: FloatArray) -> npt.NDArray[np.bool_]:
    """Return whether the box of a name would be nearer to another anchor, for each center."""
    to_own = distance(centers, label.size, label.anchor)[:, None]
    nearer: npt.NDArray[np.bool_] = distance(centers[:, None], label.size, others) < to_own
    return np.asarray(nearer.any(axis=1))


def distance(center: FloatArray, size: FloatArray, point: FloatArray) -> FloatArray:
    """Return how far points are from boxes, given by their centers and sizes."""
    beyond = np.maximum(np.abs(point - center) - size / 2, 0.0)
    return np.asarray(np.linalg.norm(beyond, axis=-1))


def _n_covered(centers: FloatArray, size: FloatArray, points: FloatArray) -> npt.NDArray[np.int_]:
    within = np.all(np.abs(points - centers[:, None]) < size / 2, axis=2)
    return np.asarray(within.sum(axis=1))
