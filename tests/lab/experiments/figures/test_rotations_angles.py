"""The claims of Figures 1 to 3 of the rotations paper."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lab.experiments.figures.rotations_angles import FLAT_DIRECTIONS, PROBLEMS, cell, report
from lab.experiments.records import Settings

N_ANGLES = 360


def of(figure, n_rows=300, seed=0):
    return cell(Path(), figure=figure, n_rows=n_rows, n_angles=N_ANGLES, seed=seed)


@pytest.mark.parametrize("seed", range(3))
def test_figure_1_has_three_maxima_that_more_rows_make_equal(seed):
    few, many = (of("1", n_rows, seed) for n_rows in (30, 3000))
    # By symmetry the maxima are 60 degrees apart; 2 degrees are the noise of 3000 rows.
    np.testing.assert_allclose(np.diff(np.sort(many["maxima"])), 60.0, atol=2.0)
    assert len(many["maxima"]) == 3
    gaps = [values["objectives"][0] - values["objectives"][-1] for values in (few, many)]
    assert gaps[1] < gaps[0] / 3


@pytest.mark.parametrize("seed", range(3))
def test_figure_2_has_a_local_maximum_that_is_not_the_highest(seed):
    values = of("2", seed=seed)
    assert len(values["maxima"]) == 2
    assert values["objectives"][0] - values["objectives"][1] > 0.1


@pytest.mark.parametrize("seed", range(3))
def test_figure_3_has_pointed_maxima_where_a_class_hardly_varies(seed):
    values = of("3", seed=seed)
    assert len(values["maxima"]) == 2
    np.testing.assert_allclose(np.sort(values["maxima"]), FLAT_DIRECTIONS, atol=2.0)
    blunt = [*of("1", seed=seed)["losses"], *of("2", seed=seed)["losses"]]
    assert min(values["losses"]) > 3 * max(blunt)


@pytest.mark.slow
def test_every_figure_has_a_curve_and_a_plane_with_its_lines(tmp_path):
    made = report(Settings(data=tmp_path, results=tmp_path, quick=True, n_jobs=1))
    assert made.sections[0].picture.count("<rect x=") == 2 * len(PROBLEMS)
    assert len(made.sections[1].rows) == 3 + 2 + 2
    assert all(entry.value is not None for s in made.sections for entry in s.entries)
