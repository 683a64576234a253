"""Where the panels and the legend of a figure lie."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from melm_core.base import FloatArray


@dataclass(frozen=True)
class Box:
    """A rectangle in points, from the lower left corner of the figure."""

    left: float
    bottom: float
    width: float
    height: float

    def inside(self, left: float, bottom: float, right: float, top: float) -> Box:
        """Return the rectangle without margins."""
        return Box(
            self.left + left,
            self.bottom + bottom,
            self.width - left - right,
            self.height - bottom - top,
        )


def grid(area: Box, n: int, gap: float) -> list[Box]:
    """Divide an area among panels, in as many columns as makes them largest.

    Parameters
    ----------
    area : Box
    n : int
        Number of panels.
    gap : float
        Points between them.

    Returns
    -------
    list of Box
        By row, the top row first.
    """
    n_columns = max(range(1, n + 1), key=lambda columns: min(_cell(area, n, columns, gap)))
    width, height = _cell(area, n, n_columns, gap)
    return [
        Box(
            area.left + (i % n_columns) * (width + gap),
            area.bottom + area.height - height - (i // n_columns) * (height + gap),
            width,
            height,
        )
        for i in range(n)
    ]


def _cell(area: Box, n: int, n_columns: int, gap: float) -> tuple[float, float]:
    """Width and height of a panel."""
    n_rows = -(-n // n_columns)
    return (
        (area.width - (n_columns - 1) * gap) / n_columns,
        (area.height - (n_rows - 1) * gap) / n_rows,
    )


def with_equal_units(box: FloatArray, width: float, height: float) -> FloatArray:
    """Widen ranges about their middles until a unit is as long on both axes, as the page does.

    Parameters
    ----------
    box : ndarray of shape (2, 2)
        [[x low, x high], [y low, y high]].
    width, height : float
        Lengths of the axes.
    """
    lengths = np.array([width, height])
    unit = float(np.max((box[:, 1] - box[:, 0]) / lengths))
    half, middle = unit * lengths / 2, box.mean(axis=1)
    return np.column_stack([middle - half, middle + half])
