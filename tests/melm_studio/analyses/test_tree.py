"""What the tree of planes says, from its planes and what shuffled labels reach."""

from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec.structs import replace

from melm_studio.analyses.tree import (
    TREE,
    Height,
    TreeArrays,
    TreePlane,
    TreeReport,
    contrast_sentence,
    named_branches,
    plane_sentence,
    tree_arrays,
    tree_figure,
    tree_notes,
    tree_steps,
)
from melm_studio.planes.theme import THEMES, Scheme

WIDE = TreePlane(width=0, plane=0, divergence=2.0, accuracy=0.9, narrowing=1)
NARROW = TreePlane(width=1, plane=3, divergence=6.0, accuracy=0.8, widening=0)
OTHER = TreePlane(width=1, plane=4, divergence=3.0, accuracy=0.6)
NAN = math.nan
REPORT = TreeReport(
    gammas=(2.0, 1.0),
    planes=(WIDE, NARROW, OTHER),
    branches=((0, 1), (2,)),
    standing_out=((0, 1),),
    noise=((0.4, 2.0), (0.6, 2.0)),
    ceiling=(0.75, 3.0),
    noise_accuracy=((0.5, 0.4), (0.45, 0.55)),
    fraction=1.0,
    n_rows=100,
    n_train=100,
)
GROWING = replace(REPORT, noise=((0.4, NAN), (NAN, NAN)), ceiling=(), standing_out=())


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        (TreeReport(), "Looking for the first planes."),
        (GROWING, "3 optima at 2 of 2 kernel widths, not yet compared with shuffled labels."),
        (REPORT, "One way to tell these classes apart."),
        (replace(REPORT, standing_out=((0, 1), (2,), (2,))), "Three different ways to tell"),
        (replace(REPORT, standing_out=((2,),) * 9), "9 different ways to tell"),
        (replace(REPORT, standing_out=()), "No plane stands out: none exceeds shuffled labels"),
    ],
)
def test_the_sentence_counts_the_ways_to_tell_the_classes_apart(report, sentence):
    assert TREE.sentence(report, is_final=False).startswith(sentence)


def test_a_branch_has_the_range_of_its_held_out_accuracy_and_its_best_plane():
    (branch,) = named_branches(REPORT, n_classes=2)
    assert branch.words == "γ 2 to 1: 80 % to 90 % held out, guessing 50 %"
    assert (branch.letter, branch.best) == ("A", 0)


def test_without_held_out_rows_a_branch_has_its_widths_and_its_largest_divergence():
    planes = tuple(replace(plane, accuracy=NAN) for plane in REPORT.planes)
    (branch,) = named_branches(replace(REPORT, planes=planes), n_classes=2)
    assert (branch.words, branch.best) == ("γ 2 to 1", 1)
    assert plane_sentence(replace(REPORT, planes=planes), planes[1]) == "γ 1: divergence 6"


def test_the_contrast_is_the_largest_divergence_over_what_shuffled_labels_reach():
    assert "At γ 2 " in contrast_sentence(REPORT)  # 2.0 / 0.75, against 6.0 / 3.0
    assert "2.7 times" in contrast_sentence(REPORT)
    assert contrast_sentence(GROWING) == ""


def test_a_tree_of_a_sample_says_so():
    assert tree_notes(REPORT) == (contrast_sentence(REPORT),)
    _, note = tree_notes(replace(REPORT, n_rows=2000, n_train=60_000))
    assert "2,000 of 60,000 training rows" in note


def test_the_height_is_the_divergence_where_a_plane_has_no_held_out_accuracy():
    arrays, height = tree_arrays(REPORT, 2, Height.ACCURACY)
    assert (height, arrays.heights.tolist()) == (Height.ACCURACY, [0.9, 0.8, 0.6])
    assert arrays.noise.tolist() == [[0.5, 0.4], [0.45, 0.55]]
    unscored = replace(REPORT, planes=(replace(WIDE, accuracy=NAN), NARROW, OTHER))
    arrays, height = tree_arrays(unscored, 2, Height.ACCURACY)
    assert (height, arrays.heights.tolist()) == (Height.DIVERGENCE, [2.0, 6.0, 3.0])


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
    return [trace for trace in figure["data"] if "customdata" in trace]


def test_every_plane_is_marked_once_over_its_kernel_width():
    found = {
        plane: (x, y, words)
        for trace in marks(tree_figure(ARRAYS, Height.ACCURACY))
        for plane, x, y, words in zip(
            trace["customdata"], trace["x"], trace["y"], trace["hovertext"], strict=True
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
    assert list(named["customdata"]) == [0, 1, 3]
    assert list(named["text"]) == ["", "A", ""]
    assert named["line"]["color"] == THEMES[scheme].ink
    assert {trace["line"]["color"] for trace in others} == {THEMES[scheme].faint_ink}


def test_a_branch_that_merges_is_joined_to_the_plane_that_it_leads_to():
    (links,) = (
        trace for trace in tree_figure(ARRAYS, Height.ACCURACY)["data"] if trace["name"] == "merges"
    )
    ends = np.column_stack([links["x"], links["y"]]).reshape(-1, 3, 2)[:, :2]
    assert {(tuple(one), tuple(other)) for one, other in ends} == {
        ((2.0, 0.6), (1.0, 0.8)),
        ((4.0, 0.7), (2.0, 0.6)),
    }


def test_the_band_spans_what_shuffled_labels_reach_where_that_is_known():
    (band,) = (
        trace
        for trace in tree_figure(ARRAYS, Height.ACCURACY)["data"]
        if trace.get("fill") == "toself"
    )
    assert list(band["x"]) == [4.0, 2.0, 2.0, 4.0]
    assert list(band["y"]) == [0.5, 0.5, 0.45, 0.4]


def test_the_recommended_width_and_guessing_are_marked_where_they_apply():
    layout = tree_figure(ARRAYS, Height.ACCURACY, guessing=0.5, recommended=2.0)["layout"]
    assert [(shape["x0"], shape["y0"]) for shape in layout["shapes"]] == [(0, 0.5), (2.0, 0)]
    # Notes stand beside their lines: on a logarithmic axis they are placed by the logarithm.
    guessing, recommended = layout["annotations"]
    assert guessing["y"] == 0.5
    assert 10 ** recommended["x"] == pytest.approx(2.0)
    assert not tree_figure(ARRAYS, Height.DIVERGENCE, guessing=0.5)["layout"]["shapes"]


# Two planes at the wider kernels; the first continues at the narrower ones, where a third begins.
STEPPED = (
    replace(WIDE, narrowing=2),
    replace(OTHER, width=0),
    replace(NARROW, widening=0),
    OTHER,
)


LEADS = tree_steps(STEPPED, np.array([0.9, 0.5, 0.8, 0.55]))


def test_arrow_keys_follow_a_branch_or_go_to_the_nearest_height_where_it_ends():
    left, right = ([step[way] for step in LEADS] for way in ("left", "right"))
    assert left == [2, 3, 2, 3]  # no kernel is narrower than those of the last two
    assert right == [0, 1, 0, 1]


def test_arrow_keys_go_through_the_planes_of_one_width_and_stay_at_the_ends():
    assert [step["up"] for step in LEADS] == [0, 0, 2, 2]
    assert [step["down"] for step in LEADS] == [1, 1, 3, 3]
