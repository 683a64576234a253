"""Draws a panel on matplotlib's axes: contours, points, means, ellipses, and arrows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba_array
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from scipy import fft

from melm_core.base import FloatArray
from melm_studio.abandonment import go_on
from melm_studio.planes.types import ClassView
from melm_studio.publication.printing.panel import FAINT_INK, INK, MARKERS, ClassMark, FigurePanel
from melm_studio.publication.style import FigureStyle, Layer

# More points than this make a vector graphic slow to open; they become an image within it.
MOST_VECTOR_POINTS = 5_000
_FILL, _LINE, _PLAIN_LINE, _TRAIN, _HELD_OUT = 0.1, 0.75, 0.35, 0.8, 0.95
_ABOVE_CONTOURS, _ABOVE_POINTS = 2, 3
_INSET = 0.012  # of a side, so that a mark at the edge is not cut
# Type of this size goes with lines and points of these sizes.
_FONT_PT, _LINE_PT, _ARROW_PT, _FAINT_ARROW_PT, _HEAD_PT = 8.0, 0.7, 0.9, 0.6, 6.0
_POINT_PT = (
    (400, 3.2),
    (1_000, 2.6),
    (30_000, 2.0),
    (200_000, 1.4),
    (np.inf, 1.0),
)  # by the number of points
MOST_PIXELS = 5_000_000  # of a figure
_SUBPIXELS = 4
_RING = 0.45  # the inner diameter of an open marker, as a share of the outer
_LEAST_COVERAGE = 1e-3  # below, what is left of rounding
_POINTS_PER_INCH = 72.0
# Opacities of a row alone in its pixel and of the densest pixel; how much fainter a row alone is
# for every tenfold of the densest pixel, and its faintest; the count of a row that is not singled
# out.
CROWDING = {"alone": 0.85, "solid": 0.96, "fading": 0.45, "faintest": 0.3, "aside": 0.04}
DASHES = (0, (4, 2))
# In points of type, at the size of type that goes with them.
_OUTLINE_PT, _EDGE_PT, _MARK_PT = 0.9, 0.7, 6.0


def draw_layers(
    axes: Axes, panel: FigurePanel, marks: Sequence[ClassMark], style: FigureStyle
) -> None:
    """Draw the layers of a panel that hold no text."""
    unit = style.font / _FONT_PT
    size = unit * point_size(panel)
    is_crowd = sum(map(len, _all_points(panel))) > MOST_VECTOR_POINTS
    for code, (part, mark) in enumerate(zip(panel.view.classes, marks, strict=True)):
        if "contours" in style.layers and panel.is_shown(code):
            _draw_contours(axes, part, mark, unit, is_plain=panel.colors is not None)
        if "points" in style.layers and not is_crowd:
            _draw_class(axes, panel, code, mark, size)
    if "points" in style.layers and is_crowd:
        _draw_crowd(axes, panel, marks, size, style.dpi)
    if "points" in style.layers and panel.marks_outside:
        _mark_outside(axes, panel, marks, size)
    draw_moments(axes, panel, marks, style.layers, unit)
    if "contours" in style.layers:
        _draw_thresholds(axes, panel.view.thresholds, unit)
    if "arrows" in style.layers:
        _draw_arrows(axes, panel, unit)


def point_size(panel: FigurePanel) -> float:
    """Return the diameter of a point in points of type, smaller where there are many."""
    n_points = sum(map(len, _all_points(panel)))
    return next(size for most, size in _POINT_PT if n_points <= most)


def outside(panel: FigurePanel, ranges: FloatArray) -> list[FloatArray]:
    """Return the points of each class beyond the axes, training rows first, (n_points, 2) each."""
    points = [np.concatenate([part.train, part.held_out]) for part in panel.view.classes]
    return [rows[_is_beyond(rows, ranges)] for rows in points]


def drawn_arrows(panel: FigurePanel) -> slice:
    """Return which arrows are drawn, of those of the view."""
    return slice(panel.n_arrows)


def arrow_inks(panel: FigurePanel) -> list[str]:
    """Return the color of each arrow that is drawn, and of its name."""
    features = panel.view.arrows.features[drawn_arrows(panel)].tolist()
    return [FAINT_INK if feature in panel.unseen else INK for feature in features]


def _all_points(panel: FigurePanel) -> list[FloatArray]:
    return [rows for part in panel.view.classes for rows in (part.train, part.held_out)]


def _draw_contours(
    axes: Axes, part: ClassView, mark: ClassMark, unit: float, *, is_plain: bool
) -> None:
    """Regions of higher levels lie within those of lower ones: their fills add up.

    Around points that are colored by a column, the colors of classes would be read as values.
    """
    for lines in map(loops, part.regions):
        if lines and not is_plain:
            # As an artist: the limits of the axes are set, and a patch would be measured for them.
            axes.add_artist(
                PathPatch(region(lines), facecolor=mark.color, alpha=_FILL, linewidth=0)
            )
    for name, vertices, dashes in (
        ("contours", part.contours, "solid"),
        ("fitted_region", part.fitted_region, DASHES),
    ):
        if not len(vertices):
            continue
        outlines = LineCollection(
            loops(vertices),
            colors=INK if is_plain else mark.color,
            alpha=_PLAIN_LINE if is_plain else _LINE,
            linewidths=_LINE_PT * unit,
            linestyles=[dashes],
            gid=name,
        )
        axes.add_collection(outlines, autolim=False)


def _draw_crowd(
    axes: Axes, panel: FigurePanel, marks: Sequence[ClassMark], size: float, dpi: float
) -> None:
    """Draw the points of all classes as one image, in which those of two classes mix."""
    parts = [
        CrowdedPoints(
            points, rgba[:, :3], np.where(opacities < 1, CROWDING["aside"], 1.0), marker, is_open
        )
        for code, mark in enumerate(marks)
        for points, rgba, opacities, marker, is_open in _marked(panel, code, mark)
    ]
    draw_crowded(axes, parts, size, dpi, _ABOVE_CONTOURS)


def _draw_class(axes: Axes, panel: FigurePanel, code: int, mark: ClassMark, size: float) -> None:
    """Draw training rows of a class as filled markers, and held-out rows as open ones."""
    for points, rgba, opacities, marker, is_open in _marked(panel, code, mark):
        rgba[:, 3] = (_HELD_OUT if is_open else _TRAIN) * opacities
        _scatter(axes, points, rgba, marker, size, is_open=is_open)


def _marked(
    panel: FigurePanel, code: int, mark: ClassMark
) -> Iterator[tuple[FloatArray, FloatArray, FloatArray, str, bool]]:
    """Yield points of a class with colors, opacities, marker, and whether they are held out."""
    part = panel.view.classes[code]
    points, opacities = (part.train, part.held_out), panel.opacities(code)
    colors = (mark.color, mark.color) if panel.colors is None else map(list, panel.colors.of(code))
    shapes = (None, None) if panel.shapes is None else panel.shapes.of(code)
    for i, color in enumerate(colors):
        rgba = np.broadcast_to(to_rgba_array(color), (len(points[i]), 4)).copy()
        for marker, rows in _by_marker(shapes[i], mark.marker, len(points[i])):
            yield points[i][rows], rgba[rows], opacities[i][rows], marker, bool(i)


def _by_marker(
    shapes: Sequence[str] | None, marker: str, n_points: int
) -> list[tuple[str, npt.NDArray[np.bool_]]]:
    """Yield each marker and its points; all have one unless a column shapes them."""
    if shapes is None:
        return [(marker, np.ones(n_points, dtype=bool))]
    names = np.array(shapes, dtype=object)
    return [(MARKERS[name], names == name) for name in sorted(set(shapes))]


def _scatter(
    axes: Axes,
    points: FloatArray,
    colors: FloatArray,
    marker: str,
    size: float,
    *,
    is_open: bool,
) -> None:
    """Open markers are as large as filled ones with their outline."""
    axes.scatter(
        points[:, 0],
        points[:, 1],
        s=(0.85 * size if is_open else size) ** 2,
        marker=marker,
        facecolors="none" if is_open else list(map(tuple, colors)),
        edgecolors=list(map(tuple, colors)),
        linewidths=0.2 * size if is_open else 0,
        zorder=_ABOVE_CONTOURS,
        gid="held_out" if is_open else "train",
    )


def _is_beyond(points: FloatArray, ranges: FloatArray) -> npt.NDArray[np.bool_]:
    is_beyond: npt.NDArray[np.bool_] = (points < ranges[:, 0]) | (points > ranges[:, 1])
    return is_beyond[:, 0] | is_beyond[:, 1]


def _mark_outside(axes: Axes, panel: FigurePanel, marks: Sequence[ClassMark], size: float) -> None:
    """Triangles at the edge that point to rows beyond it, as on the page."""
    ranges = np.array([axes.get_xlim(), axes.get_ylim()])
    inset = _INSET * (ranges[:, 1] - ranges[:, 0])
    for mark, points in zip(marks, outside(panel, ranges), strict=True):
        places = np.clip(points, ranges[:, 0] + inset, ranges[:, 1] - inset)
        across, up = (points - places).T
        angles = np.degrees(np.arctan2(-across, up)).round(-1)  # a marker for each direction
        for angle in np.unique(angles):
            axes.scatter(
                places[angles == angle, 0],
                places[angles == angle, 1],
                s=(1.3 * size) ** 2,
                marker=(3, 0, int(angle)),
                facecolors=mark.color,
                linewidths=0,
                zorder=_ABOVE_POINTS,
                gid="outside",
            )


def _draw_thresholds(axes: Axes, thresholds: FloatArray, unit: float) -> None:
    if len(thresholds):
        axes.plot(*thresholds.T, color=INK, linewidth=_LINE_PT * unit, linestyle=(0, (4, 3)))


def _draw_arrows(axes: Axes, panel: FigurePanel, unit: float) -> None:
    arrows, drawn, inks = panel.view.arrows, drawn_arrows(panel), arrow_inks(panel)
    widths = [unit * (_FAINT_ARROW_PT if ink == FAINT_INK else _ARROW_PT) for ink in inks]
    paths = () if arrows.paths is None else arrows.paths[drawn]
    for path, ink, width in zip(paths, inks, widths, strict=False):
        axes.plot(*path.T, color=ink, linewidth=width, zorder=_ABOVE_POINTS)
    ends = zip(arrows.origins[drawn], arrows.tips[drawn], inks, widths, strict=True)
    for origin, tip, ink, width in ends:
        arrow = axes.annotate(
            "",
            xy=tip,
            xytext=origin,
            annotation_clip=False,
            zorder=_ABOVE_POINTS,
            arrowprops={
                "arrowstyle": "-|>,head_length=0.4,head_width=0.18",
                "mutation_scale": _HEAD_PT * unit,
                "linewidth": width,
                "color": ink,
                "shrinkA": 0,
                "shrinkB": 0,
            },
        )
        if arrow.arrow_patch is not None:  # ends at the edge of a picture that is zoomed in
            arrow.arrow_patch.set_clip_path(axes.patch)


def loops(contours: FloatArray) -> list[FloatArray]:
    """Split lines that are separated by rows of nan, (n_vertices, 2), into one array each."""
    is_gap = np.isnan(contours[:, 0])
    parts = np.split(contours, np.flatnonzero(is_gap))
    lines = [part[~np.isnan(part[:, 0])] for part in parts]
    return [line for line in lines if len(line) > 2]


def region(lines: list[FloatArray]) -> Path:
    """Return the region of one level as a path.

    Lines around a hole run the other way, as contourpy orients them, so a fill leaves holes out.
    """
    return Path.make_compound_path(*(Path(line, closed=True) for line in lines))


@dataclass(frozen=True, eq=False)
class CrowdedPoints:
    """Points of one marker.

    Attributes
    ----------
    points : ndarray of shape (n_points, 2)
    colors : ndarray of shape (n_points, 3)
    strengths : ndarray of shape (n_points,)
        One, or less for points that are faint.
    marker : str
        As matplotlib names it.
    is_open : bool
    """

    points: FloatArray
    colors: FloatArray
    strengths: FloatArray
    marker: str
    is_open: bool


def draw_crowded(
    axes: Axes, parts: Iterable[CrowdedPoints], size: float, dpi: float, zorder: float
) -> None:
    """Draw points as one image that fills the axes, whose limits are set.

    Parameters
    ----------
    axes : Axes
    parts : iterable of CrowdedPoints
    size : float
        Diameter of a marker in points of type.
    dpi : float
        Pixels per inch, fewer where the figure would have more than `MOST_PIXELS`.
    zorder : float
    """
    ranges = np.array([axes.get_xlim(), axes.get_ylim()])
    to_inches = axes.figure.dpi_scale_trans.inverted()
    boxes = axes.get_window_extent(), axes.figure.bbox
    inches, page = (np.array(box.transformed(to_inches).size) for box in boxes)
    dpi = min(dpi, float(np.sqrt(MOST_PIXELS / page.prod())))
    width, height = (max(1, round(side * dpi)) for side in inches)
    sums = _painted(parts, ranges, (height, width), size * dpi / _POINTS_PER_INCH)
    counts = np.where(sums[3] < _LEAST_COVERAGE, 0.0, sums[3])
    colors = np.clip(sums[:3] / np.maximum(sums[3], _LEAST_COVERAGE), 0, 1)
    image = np.dstack([*colors, opacities(counts)])
    axes.imshow(
        image,
        extent=(*ranges[0], *ranges[1]),
        origin="upper",
        aspect="auto",
        interpolation="none",
        zorder=zorder,
        gid="points",
    )
    axes.set(xlim=ranges[0], ylim=ranges[1])


def _painted(
    parts: Iterable[CrowdedPoints], ranges: FloatArray, shape: tuple[int, int], diameter: float
) -> FloatArray:
    """Sum red, green, blue and coverage of all points in each pixel, shape (4, *shape).

    There may be hundreds of classes: points of one marker share a Fourier transform, and all
    share the one back.
    """
    reach = int(np.ceil(diameter))
    padded = tuple(fft.next_fast_len(side + 2 * reach, real=True) for side in shape)
    spectra = np.zeros((4, padded[0], padded[1] // 2 + 1), dtype=np.complex128)
    for (marker, is_open), alike in groupby(sorted(parts, key=_look), key=_look):
        go_on()
        mark = fft.rfft2(_coverage(marker, diameter, reach, is_open=is_open), padded)
        for spectrum, pixels in zip(spectra, _binned(list(alike), ranges, shape), strict=True):
            spectrum += fft.rfft2(pixels, padded) * mark
    sums: FloatArray = fft.irfft2(spectra, padded)
    return sums[:, reach : reach + shape[0], reach : reach + shape[1]]


def _look(part: CrowdedPoints) -> tuple[str, bool]:
    return part.marker, part.is_open


def _binned(
    parts: Sequence[CrowdedPoints], ranges: FloatArray, shape: tuple[int, int]
) -> Iterator[FloatArray]:
    """Yield sums of red, green, blue and strength of the points in each pixel."""
    points = np.concatenate([part.points for part in parts])
    shares = (points - ranges[:, 0]) / (ranges[:, 1] - ranges[:, 0])
    is_in = ((shares >= 0) & (shares < 1)).all(axis=1)
    height, width = shape
    columns = (shares[is_in, 0] * width).astype(np.int64)
    lines = ((1 - shares[is_in, 1]) * height).astype(np.int64).clip(max=height - 1)
    pixels = lines * width + columns
    strengths = np.concatenate([part.strengths for part in parts])[is_in]
    colors = np.concatenate([part.colors for part in parts])[is_in]
    for weights in (*(strengths * colors.T), strengths):
        sums = np.bincount(pixels, weights=weights, minlength=height * width)
        yield sums.astype(float, copy=False).reshape(shape)


def _coverage(marker: str, diameter: float, reach: int, *, is_open: bool) -> FloatArray:
    """Compute the share of pixels that a marker covers, up to a distance from its middle."""
    steps = (np.arange((2 * reach + 1) * _SUBPIXELS) + 0.5) / _SUBPIXELS - reach - 0.5
    places = np.stack(np.meshgrid(steps, -steps), axis=-1).reshape(-1, 2)
    style = MarkerStyle(marker)
    outline = style.get_path().transformed(style.get_transform())
    is_covered = outline.contains_points(places / max(diameter, 1.0))
    if is_open:
        is_covered &= ~outline.contains_points(places / max(_RING * diameter, 1e-9))
    side = 2 * reach + 1
    fine = is_covered.reshape(side, _SUBPIXELS, side, _SUBPIXELS)
    shares: FloatArray = fine.mean(axis=(1, 3))
    return shares


def opacities(counts: FloatArray) -> FloatArray:
    """Return the opacity of pixels by how many rows cover them, which grows with the logarithm.

    Parameters
    ----------
    counts : ndarray of any shape
        A fraction where a mark covers part of a pixel, or is faint.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_studio.publication.printing.axes import opacities
    >>> opacities(np.array([0.0, 0.5, 1.0, 10.0, 100.0])).round(2)
    array([0.  , 0.22, 0.45, 0.7 , 0.96])
    """
    most = max(1.0, float(counts.max(initial=1.0)))
    faded = CROWDING["alone"] / (1 + CROWDING["fading"] * np.log10(most))
    alone = max(CROWDING["faintest"], faded)
    rise = (CROWDING["solid"] - alone) / np.log(most) if most > 1 else 0.0
    by_count: FloatArray = np.where(
        counts < 1, alone * counts, alone + rise * np.log(np.maximum(counts, 1))
    )
    return by_count


def draw_moments(
    axes: Axes,
    panel: FigurePanel,
    marks: Sequence[ClassMark],
    layers: Collection[Layer],
    unit: float,
) -> None:
    """Draw those of the layers that describe the classes by their means and covariances.

    Parameters
    ----------
    axes : Axes
    panel : FigurePanel
    marks : sequence of ClassMark
    layers : collection of str
        Of these, "class_ellipses", "mean_ellipses" and "centroids" are drawn.
    unit : float
        The size of lines and marks, relative to the default.
    """
    for code, (part, mark) in enumerate(zip(panel.view.classes, marks, strict=True)):
        if panel.is_shown(code):
            _draw_moments_of_class(axes, part, mark, layers, unit)


def _draw_moments_of_class(
    axes: Axes, part: ClassView, mark: ClassMark, layers: Collection[Layer], unit: float
) -> None:
    if "class_ellipses" in layers:
        _outline(axes, part.outline("rows"), mark, unit).set(linestyle=DASHES, gid="class_ellipses")
    if "mean_ellipses" in layers:
        _outline(axes, part.outline("mean"), mark, unit).set(gid="mean_ellipses")
    if "centroids" in layers and len(part.centroid):
        axes.scatter(
            part.centroid[:, 0],
            part.centroid[:, 1],
            s=(_MARK_PT * unit) ** 2,
            marker="P",
            facecolors=mark.color,
            edgecolors="white",
            linewidths=_EDGE_PT * unit,
            zorder=_ABOVE_POINTS,
            gid="centroids",
        )


def _outline(axes: Axes, outline: FloatArray, mark: ClassMark, unit: float) -> Line2D:
    (line,) = axes.plot(
        *outline.T, color=mark.color, linewidth=_OUTLINE_PT * unit, zorder=_ABOVE_POINTS
    )
    return line
