"""The figure of the tree: a mark for every plane, lines for what continues, a band for noise."""

from __future__ import annotations

import numpy as np
import pytest

from melm_studio.analyses.tree import Height, TreeArrays
from melm_studio.analyses.tree_figure import tree_figure
from melm_studio.planes.theme import THEMES, Scheme

ARRAYS = TreeArrays(
    gammas=np.array([4.0, 2.0, 1.0]),
    widths=np.array([0, 1, 1, 2]),
    heights=np.array([0.7, 0.9, 0.6, 0.8]),
    narrowing=np.array([1, 3, 3, -1]),
    widening=np.array([-1, 0, 0, 1]),
    branches=((0, 1, 3), (2,)),
    named={"A": (0, 1)},
    noise=np.array([[0.4, 0.5, np.nan], [0.5, 0.45, np.nan]]),
    words=("first", "second", "third", "fourth"),
)


def marks(figure):
    return [trace for trace in figure.data if trace.customdata is not None]


def test_every_plane_is_marked_once_over_its_kernel_width():
    found = {
        plane: (x, y, words)
        for trace in marks(tree_figure(ARRAYS, Height.ACCURACY))
        for plane, x, y, words in zip(
            trace.customdata, trace.x, trace.y, trace.hovertext, strict=True
        )
    }
    assert found == {
        0: (4.0, 0.7, "first"),
        1: (2.0, 0.9, "second"),
        2: (2.0, 0.6, "third"),
        3: (1.0, 0.8, "fourth"),
    }


@pytest.mark.parametrize("scheme", Scheme)
def test_what_stands_out_is_dark_lettered_at_its_highest_plane_and_over_the_others(scheme):
    *others, named = marks(tree_figure(ARRAYS, Height.ACCURACY, scheme=scheme))
    assert list(named.customdata) == [0, 1, 3]
    assert list(named.text) == ["", "A", ""]
    assert named.line.color == THEMES[scheme].ink
    assert {trace.line.color for trace in others} == {THEMES[scheme].faint_ink}


def test_a_branch_that_merges_is_joined_to_the_plane_that_it_leads_to():
    (links,) = (
        trace for trace in tree_figure(ARRAYS, Height.ACCURACY).data if trace.name == "merges"
    )
    ends = np.column_stack([links.x, links.y]).reshape(-1, 3, 2)[:, :2]
    assert {(tuple(one), tuple(other)) for one, other in ends} == {
        ((2.0, 0.6), (1.0, 0.8)),
        ((4.0, 0.7), (2.0, 0.6)),
    }


def test_the_band_spans_what_shuffled_labels_reach_where_that_is_known():
    (band,) = (
        trace for trace in tree_figure(ARRAYS, Height.ACCURACY).data if trace.fill == "toself"
    )
    assert list(band.x) == [4.0, 2.0, 2.0, 4.0]
    assert list(band.y) == [0.5, 0.5, 0.45, 0.4]


def test_the_recommended_width_and_guessing_are_marked_where_they_apply():
    shapes = tree_figure(ARRAYS, Height.ACCURACY, guessing=0.5, recommended=2.0).layout.shapes
    assert [(shape.x0, shape.y0) for shape in shapes] == [(0, 0.5), (2.0, 0)]
    assert not tree_figure(ARRAYS, Height.DIVERGENCE, guessing=0.5).layout.shapes
