from __future__ import annotations

import numpy as np
import pytest

from lab.experiments.gamma_rules import (
    RULES,
    best_of_inner_folds,
    cell,
    label_contrast,
    one_standard_error,
    report,
)
from lab.experiments.held_out import Fold
from lab.experiments.records import DEFAULT_DATA, Settings
from melm_core.melm import GAMMAS


def fold(best, contrast):
    """What the rules see if one width is best in all inner folds, and one differs from noise."""
    inner, divergences = np.full((5, len(GAMMAS)), 0.5), np.ones(len(GAMMAS))
    inner[:, best], divergences[contrast] = 0.9, 3.0
    accuracies = np.eye(len(GAMMAS))[:, :3].tolist()
    return {
        "accuracies": accuracies,
        "inner": inner.tolist(),
        "divergences": divergences.tolist(),
        "shuffled": np.ones((2, len(GAMMAS))).tolist(),
    }


def test_each_rule_goes_by_its_own_criterion():
    seen = fold(best=3, contrast=1)
    assert one_standard_error(seen) == best_of_inner_folds(seen) == 3
    assert label_contrast(seen) == 1


@pytest.mark.skipif(not DEFAULT_DATA.is_dir(), reason="The data are not in ../shared/data.")
@pytest.mark.slow
def test_a_cell_has_all_that_the_rules_need(tmp_path):
    made = report(Settings(results=tmp_path, quick=True))
    assert made.provenance.n_missing == 0
    columns = {entry.column for entry in made.sections[0].entries}
    assert columns >= {"γ 1", *RULES}


def test_the_cells_of_a_data_set_are_of_its_training_rows_alone(monkeypatch):
    monkeypatch.setattr("lab.experiments.gamma_rules.folds", lambda *_: iter([_small_fold()]))
    (values,) = cell(None, name="", repeat=0)["folds"]
    assert np.shape(values["accuracies"]) == (len(GAMMAS), 3)
    assert np.shape(values["shuffled"]) == (4, len(GAMMAS))
    assert np.all(np.array(values["divergences"])[:3] > np.mean(values["shuffled"], axis=0)[:3])


def _small_fold():
    stream = np.random.default_rng(0)
    y = np.tile([0, 1], 20)
    X = stream.standard_normal((40, 3)) + 2.0 * y[:, None]
    return Fold(X[:30], y[:30], X[30:], y[30:])
