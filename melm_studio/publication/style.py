"""Style of a figure for print: its size, type, colors, and layers."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from melm_studio.validation import InputError

FigureFormat = Literal["pdf", "svg", "png"]
Layer = Literal[
    "contours", "points", "arrows", "names", "class_ellipses", "mean_ellipses", "centroids"
]
Legend = Literal["below", "right", "none"]
Palette = Literal["color", "gray"]
Background = Literal["white", "transparent"]
FORMATS: tuple[FigureFormat, ...] = get_args(FigureFormat)
LAYERS: tuple[Layer, ...] = get_args(Layer)

# Widths of one and of two columns in most journals.
COLUMN_MM, TWO_COLUMNS_MM = 85.0, 170.0

# 170 x 170 mm at 600 dpi has 16 million pixels; an image of this many takes 100 MB to draw.
MAX_PIXELS = 25_000_000
MM_PER_INCH = 25.4

_TOO_MANY_PIXELS = (
    "A figure of {width:g} x {height:g} mm at {dpi} dpi has {found:,.0f} million pixels; it can "
    "have {most:.0f} million. Choose fewer dpi or a smaller size."
)


class FigureStyle(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Style of a figure for print.

    Attributes
    ----------
    width, height : float
        Size of the figure in millimeters.
    font : float
        Size of all text in points.
    dpi : int
        Pixels per inch of a PNG, and of points that are too many for a vector graphic.
    background : str
        "white" or "transparent".
    palette : str
        "color" for the colors of the page, which color-blind readers can distinguish; "gray" for
        shades of gray with a shape for each class.
    legend : str
        "below", "right" or "none".
    axis_titles : bool
        Titles of the axes, and their numbers where a panel has room for them.
    panel_titles : bool
    layers : tuple of str
        Of "contours", "points", "arrows", "names" (of the classes on their clouds),
        "class_ellipses", "mean_ellipses" and "centroids".

    Raises
    ------
    InputError
        If the image would have more than `MAX_PIXELS`.

    Examples
    --------
    >>> style = FigureStyle(width=170, height=85, legend="right")
    >>> style.font
    8.0
    """

    width: Annotated[float, Meta(title="The width in mm", ge=20, le=400)] = COLUMN_MM
    height: Annotated[float, Meta(title="The height in mm", ge=20, le=400)] = COLUMN_MM
    font: Annotated[float, Meta(title="The font size in pt", ge=4, le=36)] = 8.0
    dpi: Annotated[int, Meta(title="The resolution in dpi", ge=72, le=1200)] = 300
    background: Annotated[Background, Meta(title="The background")] = "white"
    palette: Annotated[Palette, Meta(title="The palette")] = "color"
    legend: Annotated[Legend, Meta(title="The legend")] = "below"
    axis_titles: Annotated[bool, Meta(title="The axis titles option")] = True
    panel_titles: Annotated[bool, Meta(title="The panel titles option")] = True
    layers: Annotated[tuple[Layer, ...], Meta(title="A layer")] = ("contours", "points", "arrows")

    def __post_init__(self) -> None:
        n_pixels = self.width * self.height * (self.dpi / MM_PER_INCH) ** 2
        if n_pixels > MAX_PIXELS:
            raise InputError(
                _TOO_MANY_PIXELS.format(
                    width=self.width,
                    height=self.height,
                    dpi=self.dpi,
                    found=n_pixels / 1e6,
                    most=MAX_PIXELS / 1e6,
                )
            )
