"""Refits of a method that is to be blind to a nuisance are blind, too."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.datasets import batches
from melm_core.density import kernel_cells, nuisance_cells
from melm_core.diagnostics import out_of_fold_probabilities
from melm_core.evaluation import density_scores, permutation_test, stability
from melm_core.melm import nuisance_divergence

PARAMETERS = {"nuisance_weight": 8.0, "n_init": 1, "max_iter": 15}


@pytest.fixture(scope="module")
def rows():
    X, y, batch = batches(0, n_rows=120)
    return X[:, :4], y, batch


def test_resampled_planes_are_blind(rows):
    X, y, batch = rows
    kernels = kernel_cells(X, nuisance_cells(y, batch, n_components=2), n_components=2)
    options = {"parameters": PARAMETERS, "n_resamples": 2, "standardize": False}
    blind = stability("melm", X, y, nuisance=batch, **options)
    aware = stability("melm", X, y, **options)
    told = [
        np.mean(
            [nuisance_divergence(kernels, plane) for plane in (found.components, *found.planes)]
        )
        for found in (blind, aware)
    ]
    assert told[0] < 0.7 * told[1]


SCORES = {
    "scores": lambda *rows, **more: (
        density_scores("melm", *rows, n_folds=2, **more).held_out_confusions
    ),
    "probabilities": lambda *rows, **more: out_of_fold_probabilities(
        "melm", *rows, n_folds=2, **more
    ),
    "permutations": lambda *rows, **more: (
        permutation_test("melm", *rows, statistic="held_out", n_permutations=1, **more).observed
    ),
}


@pytest.mark.parametrize(
    "name", ["scores", "probabilities", pytest.param("permutations", marks=pytest.mark.slow)]
)
def test_folds_are_blind(rows, name):
    (X, y, batch), score = rows, SCORES[name]
    aware = score(X, y, parameters=PARAMETERS)
    assert not np.array_equal(score(X, y, parameters=PARAMETERS, nuisance=batch), aware)


@pytest.mark.parametrize("method", ["lda", "kpca"])
def test_every_method_says_how_well_the_nuisance_is_told(rows, method):
    X, y, batch = rows
    X = X + 5.0 * batch[:, None]
    told = density_scores(method, X, y, n_folds=2, nuisance=batch).nuisance
    assert len(told) == 2
    # In small folds, a class may have too few rows of one of the three.
    assert all(0.33 < own.chance <= 0.5 for own in told)
    plain = density_scores(method, X, y, n_folds=2)
    assert plain.nuisance == ()


def test_a_batch_that_is_plain_to_see_is_told(rows):
    X, y, batch = rows
    told = density_scores("pca", X + 9.0 * batch[:, None], y, n_folds=2, nuisance=batch).nuisance
    assert min(own.accuracy for own in told) > 0.9


def test_a_method_that_takes_no_nuisance_is_refitted_as_ever(rows):
    X, y, batch = rows
    plain = density_scores("lda", X, y, n_folds=2).held_out_confusions
    np.testing.assert_array_equal(
        density_scores("lda", X, y, n_folds=2, nuisance=batch).held_out_confusions, plain
    )


def test_folds_in_which_class_and_nuisance_coincide_are_fitted_without_it(rows):
    X, y, _ = rows
    rare = np.where(np.arange(len(y)) < 5, 1 - y, y)  # too few rows for a cell
    found = density_scores("melm", X, y, n_folds=2, parameters=PARAMETERS, nuisance=rare)
    plain = density_scores("melm", X, y, n_folds=2, parameters=PARAMETERS)
    np.testing.assert_array_equal(found.held_out_confusions, plain.held_out_confusions)
