"""Screenshots as small files: one in few colours, or several as an animation."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from PIL import Image

Box: TypeAlias = tuple[float, float, float, float]

COLOURS = 256
COLOURS_IN_MOTION = 128
ROUNDS = 4
LAST_MS = 2500
SHORTEST_MS = 20  # browsers slow down what is faster


@dataclass(frozen=True)
class Shot:
    """A screenshot as PNG, and when it was taken, in milliseconds."""

    png: bytes
    at_ms: float


def still(png: bytes) -> bytes:
    """The picture as PNG in few colours."""
    return _written(_in_few_colours(_opened(png), COLOURS), "PNG", optimize=True)


def animation(shots: Sequence[Shot], box: Box, width: int) -> bytes:
    """What happened in a box, as GIF at the pace at which it did; the last picture stays a while.

    Parameters
    ----------
    shots : sequence of Shot
    box : tuple of float
        Left, top, right and bottom, in pixels of the screenshots.
    width : int
        Of the animation, in pixels.
    """
    frames = [_scaled(_opened(shot.png).crop(_whole(box)), width) for shot in shots]
    # One palette for all: a ground that changes its colour would flicker.
    palette = _in_few_colours(frames[len(frames) // 2], COLOURS_IN_MOTION)
    first, *others = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    durations = [max(SHORTEST_MS, round(b.at_ms - a.at_ms)) for a, b in pairwise(shots)]
    return _written(
        first,
        "GIF",
        save_all=True,
        append_images=others,
        duration=[*durations, LAST_MS],
        loop=0,
    )


def _opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def _in_few_colours(picture: Image.Image, n_colours: int) -> Image.Image:
    # Without rounds of k-means, classes that few pixels show would share a colour.
    return picture.quantize(n_colours, kmeans=ROUNDS, dither=Image.Dither.NONE)


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
