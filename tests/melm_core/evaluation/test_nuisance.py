"""Refits of a method that is to be blind to a nuisance are blind, too."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.datasets import batches
from melm_core.density import kernel_cells, nuisance_cells
from melm_core.evaluation import Refits, Study, Unchanged, permutation_test, stability
from melm_core.melm import nuisance_divergence

PARAMETERS = {"nuisance_weight": 8.0, "n_init": 1, "max_iter": 15}


@pytest.fixture(scope="module")
def rows():
    X, y, batch = batches(0, n_rows=120)
    return X[:, :4], y, batch


def test_resampled_planes_are_blind(rows):
    X, y, batch = rows
    kernels = kernel_cells(X, nuisance_cells(y, batch, n_components=2), n_components=2)
    options = {"parameters": PARAMETERS, "preparation": Unchanged()}
    blind, aware = (
        stability(Study("melm", X, y, nuisance=own, **options), n_resamples=2)
        for own in (batch, None)
    )
    told = [
        np.mean(
            [nuisance_divergence(kernels, plane) for plane in (found.components, *found.planes)]
        )
        for found in (blind, aware)
    ]
    assert told[0] < 0.7 * told[1]


SCORES = {
    "densities": lambda study: Refits.of(study, 2).log_densities,
    "places": lambda study: Refits.of(study, 2).places,
    "permutations": lambda study: permutation_test(study, n_permutations=1).observed,
}


@pytest.mark.parametrize(
    "name", ["densities", "places", pytest.param("permutations", marks=pytest.mark.slow)]
)
def test_folds_are_blind(rows, name):
    X, y, batch = rows
    blind, aware = (
        SCORES[name](Study("melm", X, y, parameters=PARAMETERS, nuisance=own))
        for own in (batch, None)
    )
    assert not np.array_equal(blind, aware)


@pytest.mark.parametrize("method", ["lda", "kpca"])
def test_every_method_says_how_well_the_nuisance_is_told(rows, method):
    X, y, batch = rows
    X = X + 5.0 * batch[:, None]
    told = Refits.of(Study(method, X, y, nuisance=batch), 2).nuisance
    assert len(told) == 2
    # In small folds, a class may have too few rows of one of the three.
    assert all(0.33 < own.chance <= 0.5 for own in told)
    assert Refits.of(Study(method, X, y), 2).nuisance == ()


def test_a_batch_that_is_plain_to_see_is_told(rows):
    X, y, batch = rows
    told = Refits.of(Study("pca", X + 9.0 * batch[:, None], y, nuisance=batch), 2).nuisance
    assert min(own.accuracy for own in told) > 0.9


def test_a_method_that_takes_no_nuisance_is_refitted_as_ever(rows):
    X, y, batch = rows
    found, plain = (Refits.of(Study("lda", X, y, nuisance=own), 2) for own in (batch, None))
    np.testing.assert_array_equal(found.log_densities, plain.log_densities)


def test_folds_in_which_class_and_nuisance_coincide_are_fitted_without_it(rows):
    X, y, _ = rows
    rare = np.where(np.arange(len(y)) < 5, 1 - y, y)  # too few rows for a cell
    found, plain = (
        Refits.of(Study("melm", X, y, parameters=PARAMETERS, nuisance=own), 2)
        for own in (rare, None)
    )
    np.testing.assert_array_equal(found.log_densities, plain.log_densities)
