"""Trees in print: equal trees are equal files, and every branch that stands out has its letter."""

from __future__ import annotations

import gc

import pytest
from matplotlib.backends.backend_agg import RendererAgg

from melm_studio.analyses.tree import Height
from melm_studio.publication.printing.trees import TreePanel, print_trees
from tests.melm_studio.analyses.test_tree import ARRAYS


def test_a_printed_tree_has_its_title_its_letters_and_its_widths():
    panel = TreePanel("wine", ARRAYS, Height.ACCURACY, guessing=0.5)
    svg = print_trees([panel, panel], (120.0, 60.0))
    assert svg == print_trees([panel, panel], (120.0, 60.0))
    text = svg.decode()
    for word in ("wine", ">A<", "held-out accuracy", "kernel width γ"):
        assert text.count(word) >= 2, word


@pytest.mark.fault
def test_a_printed_tree_leaves_no_pixels_in_memory():
    gc.collect()
    gc.disable()  # so that nothing else frees them
    try:
        print_trees([TreePanel("wine", ARRAYS, Height.ACCURACY, guessing=0.5)], (120.0, 60.0))
        assert [each for each in gc.get_objects() if isinstance(each, RendererAgg)] == []
    finally:
        gc.enable()
