"""Points too many for a vector graphic, as an image: where they crowd, it is darker."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.markers import MarkerStyle
from scipy.signal import fftconvolve

from melm_core.base import FloatArray
from melm_studio.publication.printing.crowding import opacities

MOST_PIXELS = 2_500_000
_SUBPIXELS = 4
_RING = 0.45  # the inner diameter of an open marker, as a share of the outer
_LEAST_COVERAGE = 1e-3  # below, what is left of rounding
_POINTS_PER_INCH = 72.0


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
        Pixels per inch, fewer where the image would have more than `MOST_PIXELS`.
    zorder : float
    """
    ranges = np.array([axes.get_xlim(), axes.get_ylim()])
    inches = np.array(
        axes.get_window_extent().transformed(axes.figure.dpi_scale_trans.inverted()).size
    )
    dpi = min(dpi, float(np.sqrt(MOST_PIXELS / inches.prod())))
    width, height = (max(1, round(side * dpi)) for side in inches)
    sums = np.zeros((4, height, width))
    for part in parts:
        mark = _coverage(part.marker, size * dpi / _POINTS_PER_INCH, is_open=part.is_open)
        for channel, pixels in zip(sums, _binned(part, ranges, (height, width)), strict=True):
            channel += fftconvolve(pixels, mark, mode="same")
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


def _binned(part: CrowdedPoints, ranges: FloatArray, shape: tuple[int, int]) -> list[FloatArray]:
    """Sums of red, green, blue and strength of the points in each pixel."""
    shares = (part.points - ranges[:, 0]) / (ranges[:, 1] - ranges[:, 0])
    is_in = ((shares >= 0) & (shares < 1)).all(axis=1)
    height, width = shape
    columns = (shares[is_in, 0] * width).astype(np.int64)
    lines = ((1 - shares[is_in, 1]) * height).astype(np.int64).clip(max=height - 1)
    strengths = part.strengths[is_in]
    weights = [*(strengths * part.colors[is_in].T), strengths]
    at = lines * width + columns
    return [
        np.bincount(at, weights=weight, minlength=height * width).astype(float).reshape(shape)
        for weight in weights
    ]


def _coverage(marker: str, diameter: float, *, is_open: bool) -> FloatArray:
    """The share of each pixel that a marker covers, (side, side) of an odd side."""
    reach = int(np.ceil(diameter))
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
