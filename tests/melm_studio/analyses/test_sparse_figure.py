"""The figure of a path of features."""

from __future__ import annotations

from melm_studio.analyses.sparse_figure import sparse_figure
from melm_studio.planes.theme import THEMES, Scheme
from melm_studio.runs.records.sparse_report import SparseSize

SIZES = [SparseSize(n, 0.9, 0.8, 0.05, (0, 1), (1.0, 1.0)) for n in (4, 2)]


def test_the_band_is_one_standard_error_around_the_held_out_line():
    band, training, held_out = sparse_figure(SIZES, 0.5).data
    assert list(held_out.y) == [0.8, 0.8]
    assert list(training.y) == [0.9, 0.9]
    assert {round(y, 12) for y in band.y} == {0.75, 0.85}


def test_guessing_and_the_sufficient_number_are_marked_in_the_colors_of_the_page():
    for scheme in Scheme:
        layout = sparse_figure(SIZES, 0.5, 2, scheme).layout
        assert [(line.x0, line.y0) for line in layout.shapes] == [(0, 0.5), (2, 0)]
        assert layout.annotations[0].text == "guessing"
        assert layout.font.color == THEMES[scheme].ink
        assert layout.yaxis.title.font.size == layout.xaxis.title.font.size == 13
