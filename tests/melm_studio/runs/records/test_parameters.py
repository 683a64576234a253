"""What parameters of a run are where nobody says."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.evaluation import Study
from melm_studio.runs.records.parameters import MOST_ROWS_IN_FOLDS, usual_held_out


@pytest.mark.parametrize("n_rows", [MOST_ROWS_IN_FOLDS, MOST_ROWS_IN_FOLDS + 1])
def test_rows_are_held_out_where_a_study_has_a_split_in_the_place_of_folds(n_rows):
    rows = np.arange(n_rows)
    study = Study("pca", np.column_stack([rows, rows**2]), rows % 2, groups=rows)
    assert (usual_held_out(n_rows) > 0.0) == (study.n_wanted("auto") == 1)
