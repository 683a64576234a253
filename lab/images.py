"""Screenshots as small files: a still in few colors, or several as an animation."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, NamedTuple

from PIL import Image, ImageChops

COLORS = 256
COLORS_IN_MOTION = 128
ROUNDS = 4
WARM = 60  # by which red is above blue
LEAST_WARM = 20  # pixels


def still(png: bytes) -> bytes:
    """The picture as a PNG of few colors."""
    return _written(_in_few_colors(_opened(png), COLORS), "PNG", optimize=True)


class Frame(NamedTuple):
    """A screenshot of an animation, and for how many milliseconds it stays."""

    png: bytes
    milliseconds: int


def animation(frames: Sequence[Frame], width: int) -> bytes:
    """The frames as a GIF, so many pixels wide."""
    pictures = [_scaled(_opened(frame.png), width) for frame in frames]
    # One palette for all frames, or the background would flicker.
    palette = _in_few_colors(pictures[len(pictures) // 2], COLORS_IN_MOTION)
    first, *others = [one.quantize(palette=palette, dither=Image.Dither.NONE) for one in pictures]
    return _written(
        first,
        "GIF",
        save_all=True,
        append_images=others,
        duration=[frame.milliseconds for frame in frames],
        loop=0,
    )


def is_blank(png: bytes) -> bool:
    """Whether no class is drawn: the second is orange, and below the upper quarter nothing else is.

    Examples
    --------
    >>> def filled(color):
    ...     file = io.BytesIO()
    ...     Image.new("RGB", (20, 20), color).save(file, "PNG")
    ...     return file.getvalue()
    >>> is_blank(filled("white")), is_blank(filled("royalblue")), is_blank(filled("#d55e00"))
    (True, True, False)
    """
    picture = _opened(png)
    red, _, blue = picture.crop((0, picture.height // 4, *picture.size)).split()
    warm = ImageChops.subtract(red, blue).point(lambda difference: difference > WARM and 255)
    return warm.histogram()[255] < LEAST_WARM


def _opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def _in_few_colors(picture: Image.Image, n_colors: int) -> Image.Image:
    # Without k-means, classes of few pixels would share a color.
    return picture.quantize(n_colors, kmeans=ROUNDS, dither=Image.Dither.NONE)


def _scaled(picture: Image.Image, width: int) -> Image.Image:
    height = round(picture.height * width / picture.width)
    return picture.resize((width, height), Image.Resampling.LANCZOS)


def _written(picture: Image.Image, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()
