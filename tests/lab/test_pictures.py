from __future__ import annotations

import io

import pytest
from PIL import Image, ImageDraw

from lab.images import Frame, animation, still
from lab.pictures import PICTURES, SCENES
from lab.recordings import RECORDINGS

BLUE, ORANGE, GREEN = (0, 114, 178), (213, 94, 0), (0, 158, 115)


def png(*, left: int = 10) -> bytes:
    """A grey ramp with a small mark in each of three colours, the first of which moves."""
    picture = Image.linear_gradient("L").resize((200, 100)).convert("RGB")
    draw = ImageDraw.Draw(picture)
    for colour, at in ((BLUE, left), (ORANGE, 80), (GREEN, 150)):
        draw.rectangle((at, 40, at + 9, 49), fill=colour)
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def opened(raw: bytes) -> Image.Image:
    return Image.open(io.BytesIO(raw))


def test_a_picture_keeps_its_size_and_the_colours_of_small_marks():
    picture = opened(still(png()))
    assert (picture.format, picture.mode, picture.size) == ("PNG", "P", (200, 100))
    for colour, at in ((BLUE, 15), (ORANGE, 85), (GREEN, 155)):
        assert picture.convert("RGB").getpixel((at, 45)) == pytest.approx(colour, abs=8)


def test_an_animation_shows_every_picture_for_as_long_as_it_is_to_stay():
    frames = [Frame(png(left=x), stays) for x, stays in ((0, 500), (20, 80), (40, 1500))]
    moving = opened(animation(frames, 100))
    assert (moving.format, moving.size, moving.n_frames) == ("GIF", (100, 50), 3)
    durations = []
    for frame in range(3):
        moving.seek(frame)
        durations.append(moving.info["duration"])
        blue = moving.convert("RGB").getpixel((2 + 10 * frame, 22))
        assert blue == pytest.approx(BLUE, abs=40)
    assert durations == [500, 80, 1500]


def test_the_script_names_every_picture_it_takes():
    assert set(PICTURES) == {*RECORDINGS, *SCENES}
    assert len(set(PICTURES.values())) == len(PICTURES)
