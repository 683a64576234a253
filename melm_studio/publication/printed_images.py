"""The images of features that are pixels, as one picture of a report."""

from __future__ import annotations

from html import escape

from melm_studio.analyses.report_section import Picture
from melm_studio.planes.pixel_images import PixelImages
from melm_studio.tables import shortened

_SIDE, _GAP, _TITLE, _PER_LINE = 110, 14, 20, 6  # in CSS pixels, and images
_LONGEST_TITLE = 15


def printed_images(images: PixelImages) -> Picture:
    """Return the images as one picture for a report."""
    shown = (*images.directions, images.worth, *images.means)
    height = round(_SIDE * images.grid.height / images.grid.width)
    n_lines = -(-len(shown) // _PER_LINE)
    parts = []
    for number, image in enumerate(shown):
        line, place = divmod(number, _PER_LINE)
        x, y = place * (_SIDE + _GAP), line * (height + _TITLE + _GAP)
        title = shortened(image.title, _LONGEST_TITLE)
        parts.append(
            f'<text x="{x}" y="{y + 14}">{escape(title)}</text>'
            f'<rect x="{x}" y="{y + _TITLE}" width="{_SIDE}" height="{height}" '
            'fill="#fff" stroke="#ced4da"/>'
            f'<image x="{x}" y="{y + _TITLE}" width="{_SIDE}" height="{height}" '
            'preserveAspectRatio="none" style="image-rendering: pixelated" '
            f'href="{image.address}"/>'
        )
    box = (_PER_LINE * (_SIDE + _GAP), n_lines * (height + _TITLE + _GAP))
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 0 {box[0]} {box[1]}" '
        f'width="{box[0]}" height="{box[1]}" font-family="sans-serif" font-size="12">'
        f"{''.join(parts)}</svg>"
    )
    caption = (
        "Features as pixels. Components are the coordinates of the arrows: orange is positive, "
        "blue negative, blank zero. Class means are those of the training rows: the darker, the "
        f"larger. {images.note}"
    ).strip()
    return Picture(svg.encode(), " ".join(image.words for image in shown), caption)
