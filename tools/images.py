"""Screenshots as small files: each in few colours, or several as an animation."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from PIL import Image

COLOURS = 256
COLOURS_IN_MOTION = 64
LAST_MS = 2500
SHORTEST_MS = 20  # browsers slow down what is faster


@dataclass(frozen=True)
class Shot:
    """A screenshot as PNG, and when it was taken, in milliseconds."""

    png: bytes
    at_ms: float


def still(png: bytes) -> bytes:
    """The picture as PNG in few colours."""
    return _written(_in_colours(_opened(png), COLOURS), "PNG", optimize=True)


def animation(shots: Sequence[Shot], width: int) -> bytes:
    """The pictures as GIF at the pace at which they were taken; the last one stays a while."""
    changes = [shots[0], *(new for old, new in pairwise(shots) if new.png != old.png)]
    frames = [_scaled(_opened(shot.png), width) for shot in changes]
    # One palette for all, that of the last: a ground that changes its colour would flicker.
    palette = _in_colours(frames[-1], COLOURS_IN_MOTION)
    first, *others = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    durations = [max(SHORTEST_MS, round(b.at_ms - a.at_ms)) for a, b in pairwise(changes)]
    return _written(
        first,
        "GIF",
        save_all=True,
        append_images=others,
        duration=[*durations, LAST_MS],
        loop=0,
        optimize=True,
    )


def _opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def _in_colours(picture: Image.Image, n_colours: int) -> Image.Image:
    return picture.quantize(n_colours, dither=Image.Dither.NONE)


def _scaled(picture: Image.Image, width: int) -> Image.Image:
    height = round(picture.height * width / picture.width)
    return picture.resize((width, height), Image.Resampling.LANCZOS)


def _written(picture: Image.Image, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()
