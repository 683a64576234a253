"""Screenshots as small files: a still in few colors, or several as an animation."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, TypeAlias

from PIL import Image

Box: TypeAlias = tuple[float, float, float, float]

COLORS = 256
COLORS_IN_MOTION = 128
ROUNDS = 4
MOVING_MS = 5500
LAST_MS = 2500


def still(png: bytes) -> bytes:
    """The picture as a PNG of few colors."""
    return _written(_in_few_colors(_opened(png), COLORS), "PNG", optimize=True)


def animation(pngs: Sequence[bytes], box: Box, width: int) -> bytes:
    """The contents of a box as a GIF of constant frame rate; the last frame stays longer.

    Parameters
    ----------
    pngs : sequence of bytes
        Screenshots, in order.
    box : tuple of float
        Left, top, right and bottom, in pixels of the screenshots.
    width : int
        Width of the animation, in pixels.
    """
    frames = [_scaled(_opened(png).crop(_whole(box)), width) for png in pngs]
    # One palette for all frames, or the background would flicker.
    palette = _in_few_colors(frames[len(frames) // 2], COLORS_IN_MOTION)
    first, *others = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    durations = [*(MOVING_MS // len(frames) for _ in others), LAST_MS]
    return _written(
        first,
        "GIF",
        save_all=True,
        append_images=others,
        duration=durations,
        loop=0,
    )


def _opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def _in_few_colors(picture: Image.Image, n_colors: int) -> Image.Image:
    # Without k-means, classes of few pixels would share a color.
    return picture.quantize(n_colors, kmeans=ROUNDS, dither=Image.Dither.NONE)


def _whole(box: Box) -> tuple[int, int, int, int]:
    left, top, right, bottom = map(round, box)
    return left, top, right, bottom


def _scaled(picture: Image.Image, width: int) -> Image.Image:
    height = round(picture.height * width / picture.width)
    return picture.resize((width, height), Image.Resampling.LANCZOS)


def _written(picture: Image.Image, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()
