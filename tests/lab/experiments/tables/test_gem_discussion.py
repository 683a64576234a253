"""What the stored results say of section 5 of the GEM paper, and of its bound of errors."""

from __future__ import annotations

import pytest

from lab.experiments.page import RESULTS
from lab.experiments.report import read
from lab.experiments.tables.gem_discussion import many_classes


def values(name, section=0):
    entries = read(RESULTS / f"{name}.json").sections[section].entries
    return {(entry.row, entry.column): entry.value for entry in entries}


@pytest.mark.parametrize("target", ["sizes of projections", "two sizes, a vector"])
def test_the_size_of_a_projection_is_found_by_gem_alone(target):
    r2 = values("gem-discussion")
    others = [r2[target, method] for method in ("ridge", "random directions", "gradient boosting")]
    assert r2[target, "GEM"] > 0.9
    assert max(others) < 0.7


def test_a_thousand_classes_are_contracted_to_few_problems_at_little_loss():
    found = values("gem-discussion", 1)
    solved, error = "eigenvalue problems", "error (%)"
    assert 40 * found["contraction", solved] < found["hypercube, largest", solved] < 10_000
    assert found["contraction", error] < found["hypercube, largest", error] + 1.0
    assert found["contraction", error] < found["random directions", error] - 5.0


def test_the_randomized_solver_has_the_eigenvalues_of_the_moments():
    found = values("gem-discussion", 2)
    for row in ("1,000 features", "4,000 features"):
        assert found[row, "log10 of the difference"] < -5
    assert found["20,000 features", "CPU seconds, randomized"] > 0


def test_blocks_change_nothing():
    found = values("gem-discussion", 3)
    row = "digits in 7 blocks"
    assert found[row, "log10 of the difference, eigenvalues"] < -9
    assert found[row, "log10 of the difference, projections"] < -9


def test_the_error_bars_hold_at_their_level_in_all_simulations():
    found = values("gem-errors")
    for (row, column), value in found.items():
        if column.endswith(("bounds, least", "bound, least")):
            # 200 tables: a share of 0.95 has a standard error of 0.015.
            assert value >= 0.95 - 0.03, (row, column)


def test_the_classes_of_the_simulation_differ_by_means_and_spreads():
    X, y = many_classes(5, seed=0)
    assert X.shape == (100, 30)
    assert sorted(set(y)) == [0, 1, 2, 3, 4]
    spreads = [X[y == code].std() for code in range(5)]
    assert max(spreads) > 1.1 * min(spreads)
