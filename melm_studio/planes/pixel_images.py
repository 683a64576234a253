"""Features that are pixels, as small images of a plane: directions, means, importance.

The images are PNGs with one pixel for each feature, enlarged where they are shown. What is zero is
transparent, so that they stand on any surface.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from melm_core.base import FloatArray
from melm_core.diagnostics import Importance
from melm_core.methods import METHODS
from melm_studio.planes.captions import axis_titles
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.view_options import Shown
from melm_studio.tables import GRID, LabeledData, PixelGrid, count

# More classes than this are too many to be compared.
MOST_MEANS = 20

# Blue and orange are told apart with every kind of color blindness, and contrast by 3 to 1 or more
# with the surfaces of both themes.
POSITIVE, NEGATIVE = (0xD9, 0x62, 0x0B), (0x2B, 0x7C, 0xD6)
INK = (0, 0, 0)  # inverted on dark surfaces

_SIDES = ("Across", "Up")  # of the picture beside which the images stand


class Scale(StrEnum):
    """Mapping of numbers to colors."""

    SIGNED = "signed"
    INK = "ink"
    WORTH = "worth"


@dataclass(frozen=True, eq=False)
class PixelImage:
    """One image.

    Attributes
    ----------
    title, words : str
        Above it, and for those who do not see it.
    scale : Scale
    values : ndarray of shape (height, width)
        From -1 to 1 where signed, else from 0 to 1; nan where the pixel is no feature.
    """

    title: str
    words: str
    scale: Scale
    values: FloatArray

    @property
    def png(self) -> bytes:
        """The image as a file, one pixel for each feature."""
        return _png(self.values, self.scale)

    @property
    def address(self) -> str:
        """The same as a data URI."""
        return f"data:image/png;base64,{base64.b64encode(self.png).decode()}"


@dataclass(frozen=True, eq=False)
class PixelImages:
    """The images of one plane.

    Attributes
    ----------
    grid : PixelGrid
    directions : tuple of PixelImage
        One for each axis: the coordinates of the arrows of the features.
    worth : PixelImage
        What each feature is worth on held-out rows, or the lengths of the arrows.
    means : tuple of PixelImage
        Of the training rows of each class.
    note : str
        What is not shown; empty if all is.
    """

    grid: PixelGrid
    directions: tuple[PixelImage, ...]
    worth: PixelImage
    means: tuple[PixelImage, ...]
    note: str


def pixel_images(renderer: PlaneRenderer, shown: Shown) -> PixelImages | None:
    """Return the images of a plane of a run; None if its features are no pixels.

    Parameters
    ----------
    renderer : PlaneRenderer
    shown : Shown
        Of a run with the user's answer about the grid, if there is one.
    """
    viewer = renderer.planes.viewer(shown.record)
    if not METHODS[shown.record.method].is_linear:
        return None
    grid = viewer.pixel_grid(shown.record.source.answers.get(GRID, ""))
    if grid is None:
        return None
    view = renderer.view(shown)
    titles = axis_titles(renderer.planes, shown, view)
    importance = renderer.planes.importance(shown)
    return images_of_plane(grid, viewer, view.loadings, importance, titles)


def images_of_plane(
    grid: PixelGrid,
    viewer: PlaneViewer,
    loadings: FloatArray,
    importance: Importance | None,
    titles: Sequence[str] = ("Component 1", "Component 2"),
) -> PixelImages:
    """Return the images of a plane.

    Parameters
    ----------
    grid : PixelGrid
        Of the features of the viewer.
    viewer : PlaneViewer
    loadings : ndarray of shape (n_features, 2)
        In the coordinates in which the plane is drawn; an axis without any has no image.
    importance : Importance or None
        What each feature is worth on held-out rows, where that is known.
    titles : sequence of str, (2,)
        Of the axes.
    """
    names = viewer.feature_names
    directions = tuple(
        _direction(grid, names, side, title.partition(",")[0], axis)
        for side, title, axis in zip(_SIDES, titles, loadings.T, strict=True)
        if axis.any()
    )
    train = viewer.parts[0]
    n_classes = len(viewer.class_names)
    note = "" if n_classes <= MOST_MEANS else f"Means of the first {MOST_MEANS} classes."
    worth = _worth(grid, names, loadings, importance)
    return PixelImages(grid, directions, worth, _means(grid, train), note)


def pixel_news(images: PixelImages, names: Sequence[str], loadings: FloatArray) -> dict[str, Any]:
    """Describe each pixel for the page, which names the one that is pointed at.

    Returns
    -------
    dict
        ``height`` and ``width``; ``cells``, for each feature its pixel, ``name`` and the ``x`` and
        ``y`` of its arrow.
    """
    grid = images.grid
    return {
        "height": grid.height,
        "width": grid.width,
        "cells": {
            "at": grid.cells.tolist(),
            "name": list(names),
            "x": np.round(loadings[:, 0], 4).tolist(),
            "y": np.round(loadings[:, 1], 4).tolist(),
        },
    }


def _direction(
    grid: PixelGrid, names: Sequence[str], side: str, title: str, axis: FloatArray
) -> PixelImage:
    most, least = int(np.argmax(axis)), int(np.argmin(axis))
    ends = [
        f"{words} at {names[pixel]} ({_place(grid, pixel)})"
        for words, pixel, is_there in (
            ("most positive", most, axis[most] > 0),
            ("most negative", least, axis[least] < 0),
        )
        if is_there
    ]
    scaled = axis / np.abs(axis).max()
    return PixelImage(
        side,
        f"{side}: {title} as an image of {grid.size} pixels: {', '.join(ends)}.",
        Scale.SIGNED,
        grid.image(scaled),
    )


def _worth(
    grid: PixelGrid, names: Sequence[str], loadings: FloatArray, importance: Importance | None
) -> PixelImage:
    if importance is None:
        title, words = "Length", "Length of the arrow of each pixel"
        values: FloatArray = np.linalg.norm(loadings, axis=1)
    else:
        title, words = "Importance", "What each pixel is worth on held-out rows"
        values = np.where(importance.is_seen, importance.loss, 0.0)
    best = int(np.argmax(values))
    top = values[best]
    said = f"most at {names[best]} ({_place(grid, best)})" if top > 0 else "not sure of any"
    if importance is not None:
        n_seen = int(np.count_nonzero(values))
        said += f"; an effect of {count(n_seen, 'pixel')} of {len(values)} is seen"
    shares = values / top if top > 0 else np.zeros_like(values)
    return PixelImage(title, f"{words}: {said}.", Scale.WORTH, grid.image(shares))


def _means(grid: PixelGrid, train: LabeledData) -> tuple[PixelImage, ...]:
    """The mean of each class before scaling; the ink goes from the least to the largest of all."""
    names = train.class_names[:MOST_MEANS]
    means = np.array([train.X[train.y == code].mean(axis=0) for code in range(len(names))])
    pixels = slice(len(grid.cells))  # without the columns of curves
    means = (means * train.scale + train.center)[:, pixels]
    low, high = min(0.0, round(float(means.min()), 9)), float(means.max())
    span = high - low if high > low else 1.0
    words = f"from {low:.3g}, blank, to {high:.3g}"
    return tuple(
        PixelImage(
            name,
            f"Mean of the training rows of {name}, {words}.",
            Scale.INK,
            grid.image((mean - low) / span),
        )
        for name, mean in zip(names, means, strict=True)
    )


def _place(grid: PixelGrid, feature: int) -> str:
    row, column = divmod(int(grid.cells[feature]), grid.width)
    return f"row {row + 1}, column {column + 1}"


def _png(values: FloatArray, scale: Scale) -> bytes:
    strength = np.nan_to_num(values)
    colors: npt.NDArray[np.uint8] = np.empty((*values.shape, 4), np.uint8)
    if scale is Scale.INK:
        colors[..., :3] = INK
    else:
        colors[..., :3] = np.where((strength < 0)[..., None], NEGATIVE, POSITIVE)
    colors[..., 3] = np.round(255 * np.clip(np.abs(strength), 0.0, 1.0))
    file = io.BytesIO()
    Image.fromarray(colors).save(file, "PNG")
    return file.getvalue()
