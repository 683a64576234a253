"""Figures for print: planes as PDF, SVG and PNG, at sizes in millimeters and points.

Matplotlib draws them. The studio imports this room when a figure is requested, since loading
matplotlib would delay its start.
"""

from __future__ import annotations

from melm_studio.publication.printing.draw import (
    PrintedFigure,
    draw_figure,
    print_figure,
    save_figure,
)
from melm_studio.publication.printing.panel import ColumnMarks, FigurePanel, panel_of_rows
from melm_studio.publication.style import FigureStyle

__all__ = [
    "ColumnMarks",
    "FigurePanel",
    "FigureStyle",
    "PrintedFigure",
    "draw_figure",
    "panel_of_rows",
    "print_figure",
    "save_figure",
]
