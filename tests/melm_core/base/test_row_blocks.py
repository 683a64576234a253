from __future__ import annotations

import numpy as np
import pytest

from melm_core.base.block_sources import ArrayBlocks, merged
from melm_core.base.row_blocks import (
    ClassRows,
    RowView,
    added,
    bounds_of,
    class_rows,
    reduce_rows,
    take_rows,
)
from melm_core.density.covariances import regularized_covariances
from melm_core.linalg.class_moments import moments_of_classes, rows_by_class

STREAM = np.random.default_rng(0)
X = STREAM.standard_normal((97, 4)) * [1.0, 10.0, 0.1, 3.0] + 1e3
Y = STREAM.integers(0, 3, 97)
IN_MEMORY = rows_by_class(X, Y)
SIZES = pytest.mark.parametrize("size", [1, 7, 50, 200])


def blocks(size):
    return class_rows(ArrayBlocks(X, Y, size))


@SIZES
def test_a_reduction_does_not_depend_on_the_blocks(size):
    found = reduce_rows(lambda _, rows: rows.sum(axis=0), added, blocks(size))
    assert np.allclose(found, [rows.sum(axis=0) for rows in IN_MEMORY], rtol=1e-13)


@SIZES
def test_chosen_rows_come_back_in_order(size):
    chosen = [np.array([0, 3, len(rows) - 1]) for rows in IN_MEMORY]
    for taken, rows, kept in zip(take_rows(blocks(size), chosen), IN_MEMORY, chosen, strict=True):
        assert np.array_equal(taken, rows[kept])


@SIZES
def test_moments_and_kernels_are_those_in_memory(size):
    for found, exact in zip(
        moments_of_classes(blocks(size)), moments_of_classes(IN_MEMORY), strict=True
    ):
        assert np.allclose(found, exact, rtol=1e-12, atol=1e-12 * np.abs(exact).max())
    found = regularized_covariances(blocks(size), "ledoit-wolf")
    exact = regularized_covariances(IN_MEMORY, "ledoit-wolf")
    assert np.allclose(found, exact, rtol=1e-10, atol=1e-12 * np.abs(exact).max())


def test_a_constant_feature_has_no_variance_in_blocks():
    constant = np.column_stack([np.full(97, 0.1), X[:, 0]])
    _, covariances = moments_of_classes(class_rows(ArrayBlocks(constant, Y, 7)))
    assert np.all(covariances[:, 0, 0] == 0.0)


def test_a_view_is_linear_and_composes():
    matrix, further = STREAM.standard_normal((4, 3)), STREAM.standard_normal((3, 2))
    origin = X.mean(axis=0)
    rows = ClassRows(ArrayBlocks(X, Y, 10), RowView(1, origin, matrix)) @ further
    (found,) = take_rows([rows], [np.arange(len(rows))])
    assert rows.shape == found.shape
    assert np.allclose(found, (IN_MEMORY[1] - origin) @ matrix @ further)


def test_bounds_are_over_all_classes_and_blocks():
    lower, upper = bounds_of(blocks(10))
    assert np.array_equal(lower, X.min(axis=0))
    assert np.array_equal(upper, X.max(axis=0))


def test_neighbors_are_merged_in_order():
    assert merged(list("abcdefg"), lambda a, b: a + b) == "abcdefg"
    assert merged([[1], [2], [3]], lambda a, b: [a, b]) == [[[1], [2]], [3]]
