"""The figure of how few features suffice."""

from __future__ import annotations

import plotly.graph_objects as go

from melm_studio.analyses.sparse import SparseReport, SparseSize, sparse_figure
from melm_studio.planes.theme import THEMES, Scheme

SIZES = tuple(SparseSize(n, 0.9, 0.8, 0.05, (0, 1), (1.0, 1.0)) for n in (4, 2))


def test_the_band_is_one_standard_error_around_the_held_out_line():
    band, training, held_out = sparse_figure(SparseReport(SIZES, n_classes=2))["data"]
    assert held_out["y"] == [0.8, 0.8]
    assert training["y"] == [0.9, 0.9]
    assert {round(y, 12) for y in band["y"]} == {0.75, 0.85}


def test_guessing_and_the_sufficient_number_are_marked_in_the_colors_of_the_page():
    for scheme in Scheme:
        layout = sparse_figure(SparseReport(SIZES, sufficient=2, n_classes=2), scheme)["layout"]
        across, down = layout["shapes"]
        assert (across["y0"], across["y1"], down["x0"], down["x1"]) == (0.5, 0.5, 2, 2)
        assert layout["annotations"][0]["text"] == "guessing"
        assert layout["font"]["color"] == THEMES[scheme].ink


def test_plotly_knows_every_property_of_the_figure():
    go.Figure(sparse_figure(SparseReport(SIZES, sufficient=2, n_classes=2)))
