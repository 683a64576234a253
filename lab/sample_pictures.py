"""Draw the pictures of the samples: the first look at each, small, side by side in one file.

`python -m lab.sample_pictures` writes assets/icons/samples.svg; see `.menu-picture`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from melm_core.base import IntArray
from melm_studio.planes.theme import THEMES, Scheme, class_color
from melm_studio.tables import SAMPLES, load_sample, prepare

PICTURES = Path(__file__).parents[1] / "assets" / "icons" / "samples.svg"
WIDTH, HEIGHT, MARGIN = 120, 84, 8
MOST_POINTS = 150


def sample_pictures() -> str:
    """One SVG with the picture of every sample, in their order."""
    pictures = "\n".join(_picture(key, at * WIDTH) for at, key in enumerate(SAMPLES))
    size = f'width="{len(SAMPLES) * WIDTH}" height="{HEIGHT}"'
    style = 'fill="none" stroke-width="4" stroke-linecap="round"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>\n{pictures}\n</svg>\n'


def _picture(key: str, left: int) -> str:
    """The plane of largest variance of some of the rows, as on the page before a run."""
    data = prepare(load_sample(key))
    points = PCA(2, svd_solver="full").fit_transform(StandardScaler().fit_transform(data.X))
    chosen = np.random.default_rng(0).permutation(len(points))[:MOST_POINTS]
    points, y = points[chosen], data.y[chosen]
    points -= (points.min(axis=0) + points.max(axis=0)) / 2.0
    room = np.array([WIDTH, HEIGHT]) - 2 * MARGIN
    points *= (room / np.ptp(points, axis=0)).min()  # the same scale along both axes
    x, up = points.T
    places = np.column_stack([left + WIDTH / 2 + x, HEIGHT / 2 - up]).round().astype(int)
    return "\n".join(
        f'<path stroke="{class_color(code, THEMES[Scheme.LIGHT])}" d="{_dots(places[y == code])}"/>'
        for code in np.unique(y)
    )


def _dots(places: IntArray) -> str:
    return "".join(f"M{x} {y}h0" for x, y in places.tolist())


if __name__ == "__main__":
    PICTURES.write_text(sample_pictures())
