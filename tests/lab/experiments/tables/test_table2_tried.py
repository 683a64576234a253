"""What explains the differences of Table 2, in the stored results, and GEM about the origin."""

from __future__ import annotations

import numpy as np
import pytest

from lab.experiments.page import RESULTS
from lab.experiments.report import read
from lab.experiments.tables.table2_tried import OriginGEM


def best(section, row=""):
    """Return the highest value of the rows whose name contains a word, less the paper's."""
    entries = read(RESULTS / "table2-tried.json").sections[section].entries
    held_out = [entry for entry in entries if "all rows" not in entry.row]
    return max(entry.difference for entry in held_out if row in entry.row)


@pytest.mark.parametrize("name", ["ionosphere", "sonar"])
def test_kernel_width_and_shrinkage_explain_two_differences_of_melm(name):
    # The tolerance of Table 2: two seeds of the folds differ by as much.
    assert best(0, name) > -0.03


def test_nothing_that_was_tried_explains_liver_disorders():
    assert -0.1 < best(0, "liver-disorders") < -0.03


def test_a_plane_of_the_test_rows_too_is_near_the_paper_on_one_set_and_far_above_on_two():
    entries = read(RESULTS / "table2-tried.json").sections[0].entries
    at_two = {
        entry.row.partition(":")[0]: entry.difference
        for entry in entries
        if "all rows" in entry.row and entry.column == "width 2"
    }
    assert abs(at_two["liver-disorders"]) < 0.03
    assert at_two["sonar"] > 0.1
    assert at_two["ionosphere"] > 0.03


def test_only_more_than_two_directions_come_near_the_papers_gem():
    assert best(1, " 20 directions") > -0.06 > best(1, " 2 directions")


def test_the_directions_about_the_origin_depend_on_where_it_is():
    stream = np.random.default_rng(0)
    X = stream.normal(size=(60, 3)) * (1.0, 2.0, 3.0)
    y = np.repeat([0, 1], 30)
    here, there = (OriginGEM(2).fit(rows, y).directions_ for rows in (X, X + 5.0))
    assert here.shape == (3, 2)
    assert not np.allclose(here, there)
