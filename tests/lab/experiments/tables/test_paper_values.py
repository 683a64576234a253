"""The stored values of the tables beside those that the papers print, within tolerances."""

from __future__ import annotations

import numpy as np
import pytest

from lab.experiments.page import RESULTS
from lab.experiments.paper_numbers import FIGURE_4_SETS
from lab.experiments.report import Entry, read


def with_paper(name: str, section: int = 0) -> dict[tuple[str, str], Entry]:
    """The entries of a stored report that have a printed value."""
    entries = read(RESULTS / f"{name}.json").sections[section].entries
    return {(entry.row, entry.column): entry for entry in entries if entry.paper is not None}


def differences(entries, column: str) -> dict[str, float]:
    return {row: entry.difference for (row, of), entry in entries.items() if of == column}


def test_table_2_without_a_plane_is_that_of_the_paper():
    # The same rows and classifiers, in other folds: of these, the standard error is up to 0.03.
    found = differences(with_paper("table2"), "I")
    assert len(found) == 10
    assert max(map(abs, found.values())) <= 0.02


@pytest.mark.parametrize("method", ["PCA", "ICA", "FA", "NMF", "2ePCA", "cPCA", "pPCA"])
def test_table_2_in_planes_without_parameters_is_that_of_the_paper(method):
    # Two standard errors of five folds. The paper's FA fails on fourclass.
    found = differences(with_paper("table2"), method)
    assert len(found) == 10
    if method == "FA":
        assert found.pop("fourclass") > 0.2
    assert max(map(abs, found.values())) <= 0.065
    assert np.median(np.abs(list(found.values()))) <= 0.02


def test_table_2_of_melm_is_that_of_the_paper_but_on_three_sets():
    # 0.03 is the largest standard error; what was tried on the others is in table2-tried.
    found = differences(with_paper("table2"), "MELM")
    assert {row for row, by in found.items() if abs(by) > 0.03} == {
        "ionosphere",
        "liver-disorders",
        "sonar",
    }
    assert min(found.values()) > -0.08


def test_table_3_of_melm_is_near_that_of_the_paper():
    # The size of the paper's subsets is not printed, which moves all methods by as much.
    found = differences(with_paper("table3"), "MELM")
    assert len(found) == 10
    assert max(map(abs, found.values())) <= 0.07
    assert sum(abs(by) <= 0.04 for by in found.values()) >= 7


@pytest.mark.parametrize("name", ["table2", "table3"])
def test_of_the_planes_melm_is_best_on_eight_sets_or_more(name):
    entries = with_paper(name)
    methods = {column for _, column in entries} - {"I"}
    sets = sorted({row for row, _ in entries})
    ours = [max(methods, key=lambda m, row=row: entries[row, m].value) for row in sets]
    # Not on fourclass, where all planes are the same, nor on breast-cancer of Table 2.
    assert ours.count("MELM") >= 8


def test_figure_4_has_as_many_sets_near_their_best_after_16_starts():
    entries = read(RESULTS / "figure4.json").sections[1].entries
    ratios = [entry.value for entry in entries if entry.column == "s = 16"]
    assert len(ratios) == 10
    assert sum(ratio >= 0.95 for ratio in ratios) >= FIGURE_4_SETS


# Means over draws beside the paper's one draw, which differ by its standard deviation; on breast
# cancer, values held out beside the paper's, over rounds of other folds.
TOLERANCES = {"acc": 0.1, "M": 0.1, "MSE": 0.05, "CV acc": 0.1, "CV M": 0.15, "CV MSE": 0.05}


@pytest.mark.parametrize("section", [0, 1, 2])
def test_the_tables_of_rotations_are_near_those_of_the_paper(section):
    found = with_paper("rotations-tables", section)
    assert len(found) > 40
    far = {
        place: entry.difference
        for place, entry in found.items()
        if abs(entry.difference) > TOLERANCES[place[1]]
    }
    assert far == {}


def test_in_sample_the_benchmarks_on_breast_cancer_are_equal_to_three_digits():
    found = with_paper("rotations-tables", 2)
    rows = ("LDA, uniform priors", "QDA, uniform priors", "naive Bayes, empirical priors")
    for row in rows:
        for column in ("acc", "M", "MSE"):
            assert abs(found[row, column].difference) <= 6e-4
