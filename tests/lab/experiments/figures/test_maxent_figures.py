"""The claims of Figures 1 to 3 of the maximum entropy approximation paper."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lab.experiments.figures.maxent_figures import APPROXIMATIONS, AXES, curve_cell, line_cell


@pytest.mark.parametrize("seed", range(3))
def test_the_modes_of_a_random_machine_are_bumps_of_both_signs(seed):
    values = line_cell(Path(), n_centers=30, bandwidth=0.25, seed=seed)
    bumps = np.array(values["bumps"])
    for place, _ in values["modes"]:
        assert np.abs(bumps - place).min() < 0.0025  # the grid is 0.002 wide
    assert {np.sign(height) for _, height in values["modes"]} == {-1.0, 1.0}
    # A bump that no center leads to is no mode of the iteration.
    assert len(bumps) - 3 <= len(values["modes"]) <= len(bumps)


@pytest.mark.slow
def test_the_approximation_of_the_crescents_loses_little_and_wins_somewhere():
    values = curve_cell(Path(), data_set="crescents", machine="kernel Fisher", quick=True, seed=0)
    areas = {name: np.mean(of) for name, of in values["areas"].items()}
    assert set(areas) == {"machine", *APPROXIMATIONS, *AXES}
    assert areas["machine"] - areas["paper, order 4"] < 0.02
    assert areas["machine"] - areas["exact moments, refitted"] < 0.002
    assert all(0.0 < share < 1.0 for share in values["above"])


def test_a_data_set_without_a_file_says_how_to_pass_it(tmp_path):
    with pytest.raises(FileNotFoundError, match="--data"):
        curve_cell(tmp_path, data_set="ionosphere", machine="kernel Fisher", quick=True, seed=0)
