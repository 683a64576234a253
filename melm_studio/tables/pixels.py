"""Features that are the pixels of an image: recognized, or said by the user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isqrt

import numpy as np
import numpy.typing as npt

from melm_core.base import FloatArray, IntArray, thinned
from melm_studio.tables.formatting import number, shortened
from melm_studio.tables.labeled_data import LabeledData
from melm_studio.tables.questions import GRID, GRID_SIZE, NO_GRID, Choice, Question
from melm_studio.tables.read import TableError
from melm_studio.tables.roles import Column, Role

# More pixels are neither told apart in a small image, nor quickly sent with every plane.
MAX_PIXELS = 4_096
MIN_PIXELS = 16
_MOST_OBLONG = 2  # sides of a rectangle that is guessed from a number of pixels

_PIXEL_WORDS = frozenset({"p", "px", "pix", "pixel", "pixels", "img", "image", "images"})
_TWO_NUMBERS = re.compile(r"(\D*)(\d{1,4})(\D+)(\d{1,4})(\D*)")
_ONE_NUMBER = re.compile(r"(\D*)(\d{1,5})(\D*)")

# Neighbors in an image are alike, and pixels half a row apart are less so than those above each
# other; along a spectrum they are more alike, among unordered features nothing is. Digits: .29
# beside, .48 above, .06 half a row apart.
_MAX_JUDGED_ROWS = 500
_LEAST_BESIDE, _LEAST_ABOVE, _LEAST_GAIN = 0.15, 0.2, 0.15

# Columns that may be pixels: those that are the same in all rows are pixels at the margin.
_OF_PIXELS = (Role.NUMERIC, Role.CONSTANT)


@dataclass(frozen=True, eq=False)
class PixelGrid:
    """An image whose pixels are features.

    Attributes
    ----------
    height, width : int
    cells : ndarray of int64, (n_features,)
        The pixel of each feature, counted row by row from 0.
    """

    height: int
    width: int
    cells: IntArray

    @property
    def size(self) -> str:
        """Height and width, as a person says them: "8 x 8"."""
        return f"{self.height} x {self.width}"

    def image(self, values: FloatArray) -> FloatArray:
        """Values of the features as an image; nan where a pixel is no feature.

        Parameters
        ----------
        values : ndarray of shape (n_features,)

        Returns
        -------
        ndarray of shape (height, width)

        Examples
        --------
        >>> PixelGrid(2, 2, np.array([0, 1, 3])).image(np.array([0.5, 1.0, 2.0])).tolist()
        [[0.5, 1.0], [nan, 2.0]]
        """
        image = np.full(self.height * self.width, np.nan)
        image[self.cells] = values
        return image.reshape(self.height, self.width)


def pixel_grid(data: LabeledData, said: str = "") -> PixelGrid | None:
    """Return the grid that the features are; None if they are none.

    Parameters
    ----------
    data : LabeledData
        Its features are a grid only if each is a pixel, whatever the recipe made of them.
    said : str, optional
        The user's answer, "8x8" or "none"; empty to recognize a grid by the names of the columns,
        or by a number of them whose values are alike as those of neighboring pixels are.

    Raises
    ------
    TableError
        If the user said a grid that the columns cannot be.
    """
    if said == NO_GRID:
        return None
    if said:
        return _said(data, said)
    if len(data.own_feature_names) > MAX_PIXELS:
        return None
    grid = _by_two_numbers(data) or _by_one_number(data)
    return grid if grid is None else _placed(data, *grid)


def fitting_grid(data: LabeledData, said: str) -> PixelGrid | None:
    """The grid that the user said, or the recognized one where the columns cannot be that."""
    try:
        return pixel_grid(data, said)
    except TableError:
        return pixel_grid(data)


def grid_question(data: LabeledData, said: str) -> Iterator[Question]:
    """Ask if features are the pixels of an image, where that was a guess or was answered.

    Parameters
    ----------
    data : LabeledData
    said : str
        The user's answer, which the columns can be; empty without one.
    """
    grid = pixel_grid(data)
    is_guess = grid is not None and not _is_pixel_word(_prefix(data.own_feature_names[0]))
    if not (said or is_guess):
        return
    default = NO_GRID if grid is None else f"{grid.height}x{grid.width}"
    sizes = dict.fromkeys(size for size in (default, said) if size not in ("", NO_GRID))
    choices = (*(Choice(size, size.replace("x", " x ")) for size in sizes), Choice(NO_GRID, "No"))
    reason = " Their values resemble each other as those of neighboring pixels do."
    sentence = f"Are the features the pixels of an image?{reason if is_guess else ''}"
    yield Question(GRID, sentence, choices, said, default)


def _prefix(name: str) -> str:
    return re.split(r"\d", name, maxsplit=1)[0] or "pixel"


def can_be_pixels(data: LabeledData) -> bool:
    """Return whether the table has features enough that a person may say a grid."""
    n_pixels = sum(column.role in _OF_PIXELS for column in data.columns)
    return MIN_PIXELS <= n_pixels <= MAX_PIXELS


def grid_size(said: str) -> tuple[int, int]:
    """Height and width of an answer such as "8x8"."""
    match = GRID_SIZE.fullmatch(said)
    if match is None:
        raise ValueError(f"Need a size such as 8x8. The value supplied was {said!r}.")
    return int(match[1]), int(match[2])


def _said(data: LabeledData, said: str) -> PixelGrid:
    height, width = grid_size(said)
    n_pixels = height * width
    if n_pixels > MAX_PIXELS:
        raise TableError(
            f"An image of {height} x {width} has {number(n_pixels)} pixels, and at most "
            f"{number(MAX_PIXELS)} are shown. Say a smaller grid or none."
        )
    columns = _pixel_columns(data, n_pixels)
    grid = None if columns is None else _placed(data, height, width, columns)
    if grid is None:
        n_columns = sum(column.role in _OF_PIXELS for column in data.columns)
        raise TableError(
            f"An image of {height} x {width} has {number(n_pixels)} pixels, but the table has "
            f"{number(n_columns)} numeric columns. Say another height and width, or leave out the "
            "columns that are no pixels."
        )
    return grid


def _pixel_columns(data: LabeledData, n_pixels: int) -> list[str] | None:
    """The names of so many columns in order: all numeric ones, or a numbered series."""
    numeric = [column.name for column in data.columns if column.role in _OF_PIXELS]
    if len(numeric) == n_pixels:
        return numeric
    series = _longest_series(data.columns)
    return list(series.names) if series and len(series.names) == n_pixels else None


def _by_two_numbers(data: LabeledData) -> tuple[int, int, list[str]] | None:
    """A full rectangle of names such as pixel_0_3, r0c3 and 1x1."""
    families: dict[tuple[str, ...], dict[tuple[int, int], str]] = {}
    for column in data.columns:
        if column.role is not Role.LABEL and (match := _TWO_NUMBERS.fullmatch(column.name)):
            family = tuple(match.group(1, 3, 5))
            families.setdefault(family, {})[int(match[2]), int(match[4])] = column.name
    if not families:
        return None
    family, places = max(families.items(), key=lambda family: len(family[1]))
    rows, columns = ({place[side] for place in places} for side in (0, 1))
    height, width = len(rows), len(columns)
    is_full = height * width == len(places) and _is_consecutive(rows) and _is_consecutive(columns)
    if not is_full or min(height, width) < 2 or not _is_shown(height, width):
        return None
    names = [places[place] for place in sorted(places)]
    is_named = _is_pixel_word(family[0]) or not any(map(_letters, (family[0], family[2])))
    return (height, width, names) if is_named or _is_alike(data, height, width, names) else None


def _by_one_number(data: LabeledData) -> tuple[int, int, list[str]] | None:
    """A series of names such as pixel12 and p0 to p63, or of any other whose values say so."""
    series = _longest_series(data.columns)
    if series is None:
        return None
    names, n_pixels = series.names, len(series.names)
    side = isqrt(n_pixels)
    if _is_pixel_word(series.prefix) and side * side == n_pixels and _is_shown(side, side):
        return side, side, names
    for height, width in _rectangles(n_pixels):
        if _is_alike(data, height, width, names):
            return height, width, names
    return None


@dataclass(frozen=True)
class _Series:
    prefix: str
    names: list[str]


def _longest_series(columns: Sequence[Column]) -> _Series | None:
    """The longest series of columns numbered from 0 or 1 without a gap, in that order."""
    families: dict[tuple[str, str], dict[int, str]] = {}
    for column in columns:
        if column.role is not Role.LABEL and (match := _ONE_NUMBER.fullmatch(column.name)):
            families.setdefault((match[1], match[3]), {})[int(match[2])] = column.name
    if not families:
        return None
    (prefix, _), members = max(families.items(), key=lambda family: len(family[1]))
    if not _is_consecutive(set(members)):
        return None
    return _Series(prefix, [members[index] for index in sorted(members)])


def _is_consecutive(numbers: set[int]) -> bool:
    return min(numbers) in (0, 1) and max(numbers) - min(numbers) == len(numbers) - 1


def _is_shown(height: int, width: int) -> bool:
    return MIN_PIXELS <= height * width <= MAX_PIXELS


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text)


def _is_pixel_word(prefix: str) -> bool:
    return _letters(prefix).casefold() in _PIXEL_WORDS


def _rectangles(n_pixels: int) -> Iterator[tuple[int, int]]:
    """Heights and widths of so many pixels, the squarest first."""
    if not MIN_PIXELS <= n_pixels <= MAX_PIXELS:
        return
    for side in range(isqrt(n_pixels), 1, -1):
        other = n_pixels // side
        if side * other != n_pixels or other > _MOST_OBLONG * side:
            continue
        yield side, other
        if other != side:
            yield other, side


def _placed(data: LabeledData, height: int, width: int, names: Sequence[str]) -> PixelGrid | None:
    """The grid of the features, if each is a pixel; of the others the image has none."""
    cells = {name: index for index, name in enumerate(names)}
    places = [cells.get(name, -1) for name in data.own_feature_names]
    if not places or -1 in places or len(set(places)) < len(places):
        return None
    return PixelGrid(height, width, np.array(places, np.int64))


def _is_alike(data: LabeledData, height: int, width: int, names: Sequence[str]) -> bool:
    """Return whether features correlate as the pixels of an image of this size do."""
    grid = _placed(data, height, width, names)
    if grid is None:
        return False
    X = thinned(data.X, _MAX_JUDGED_ROWS)[:, : len(grid.cells)]  # without the columns of curves
    deviations = X.std(axis=0)
    varying: npt.NDArray[np.bool_] = deviations > 0
    pixels = np.zeros((len(X), height * width))
    pixels[:, grid.cells[varying]] = (X - X.mean(axis=0))[:, varying] / deviations[varying]
    images = pixels.reshape(len(X), height, width)
    half = max(2, width // 2)
    above = _correlation(images[:, 1:], images[:, :-1])
    beside = _correlation(images[:, :, 1:], images[:, :, :-1])
    apart = _correlation(images[:, :, half:], images[:, :, :-half])
    is_close = above >= _LEAST_ABOVE and beside >= _LEAST_BESIDE
    return is_close and min(above, beside) - apart >= _LEAST_GAIN


def _correlation(first: FloatArray, second: FloatArray) -> float:
    """The mean correlation of pixels at the same place, without constant ones."""
    products = (first * second).mean(axis=0)
    present = first.any(axis=0) & second.any(axis=0)
    return float(products[present].mean()) if present.any() else 0.0


def grid_answer(text: str) -> str:
    """The answer that a person typed: "8 x 8" is "8x8", nothing is "none".

    Raises
    ------
    TableError
        If the text is no height and width.

    Examples
    --------
    >>> grid_answer("28 × 28"), grid_answer("  ")
    ('28x28', 'none')
    """
    compact = re.sub(r"\s+", "", text.casefold()).replace("×", "x").replace("*", "x")
    if compact in ("", NO_GRID):
        return NO_GRID
    if not GRID_SIZE.fullmatch(compact):
        raise TableError(
            f'"{shortened(text)}" is no size of an image. Type its height and width in pixels, '
            "such as 8 x 8, or nothing if the columns are no pixels."
        )
    return compact
