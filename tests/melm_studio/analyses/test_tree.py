"""What the tree of planes says, from its planes and what shuffled labels reach."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from melm_studio.analyses.tree import (
    Height,
    contrast_sentence,
    named_branches,
    plane_sentence,
    tree_arrays,
    tree_notes,
    tree_sentence,
)
from melm_studio.runs.records.tree_report import TreePlane, TreeReport

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
        (REPORT, "One way to see these classes apart."),
        (replace(REPORT, standing_out=((0, 1), (2,), (2,))), "Three different ways to see"),
        (replace(REPORT, standing_out=((2,),) * 9), "9 different ways to see"),
        (replace(REPORT, standing_out=()), "No plane stands out: none exceeds shuffled labels"),
    ],
)
def test_the_sentence_counts_the_ways_to_see_the_classes_apart(report, sentence):
    assert tree_sentence(report, is_final=False).startswith(sentence)


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
    assert tree_notes(REPORT) == ()
    (note,) = tree_notes(replace(REPORT, n_rows=2000, n_train=60_000))
    assert "2,000 of 60,000 training rows" in note


def test_the_height_is_the_divergence_where_a_plane_has_no_held_out_accuracy():
    arrays, height = tree_arrays(REPORT, 2, Height.ACCURACY)
    assert (height, arrays.heights.tolist()) == (Height.ACCURACY, [0.9, 0.8, 0.6])
    assert arrays.noise.tolist() == [[0.5, 0.4], [0.45, 0.55]]
    unscored = replace(REPORT, planes=(replace(WIDE, accuracy=NAN), NARROW, OTHER))
    arrays, height = tree_arrays(unscored, 2, Height.ACCURACY)
    assert (height, arrays.heights.tolist()) == (Height.DIVERGENCE, [2.0, 6.0, 3.0])
