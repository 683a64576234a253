"""The divergence of rows in blocks is that of the same rows in memory."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.base.block_sources import ArrayBlocks
from melm_core.base.row_blocks import ClassRows, RowView
from melm_core.density import class_rules
from melm_core.density.class_densities import ClassDensities
from melm_core.density.class_rules import DensityRule
from melm_core.density.engines import fourier_series
from melm_core.density.kernel_density import kernel_classes
from melm_core.melm.objective import divergence_and_gradient

STREAM = np.random.default_rng(0)
Y = np.repeat([0, 1, 2], [200, 150, 250])
NEAR = STREAM.standard_normal((600, 4))
NEAR[:, 0] += 1.5 * (Y == 1)
FAR = NEAR + 40.0 * (Y == 2)[:, None]
ORDER = STREAM.permutation(600)
PLANE = STREAM.standard_normal((2, 4))


def in_blocks(X, y, size):
    classes = kernel_classes(X, y, n_components=2)
    source = ArrayBlocks(X, y, size)
    rows = tuple(ClassRows(source, RowView(code, np.zeros(4), np.eye(4))) for code in range(3))
    return classes, ClassDensities(rows, classes.covariances)


@pytest.fixture(autouse=True)
def tilted_in_memory(monkeypatch):
    """So that far pairs are summed in the same way in both."""
    monkeypatch.setattr(fourier_series, "FAR_DIRECT_PAIRS", 0)


@pytest.mark.parametrize("rows", [NEAR, FAR], ids=["near", "far"])
@pytest.mark.parametrize("size", [64, 217, 600])
def test_value_and_gradient_are_those_in_memory(rows, size):
    classes, blocks = in_blocks(rows[ORDER], Y[ORDER], size)
    # The mean, because the soft minimum gives pairs that are far apart no weight.
    options = {"engine": "nufft", "multiclass": "mean"}
    value, gradient = divergence_and_gradient(classes, PLANE, **options)
    of_blocks, by_blocks = divergence_and_gradient(blocks, PLANE, **options)
    assert of_blocks == pytest.approx(value, rel=1e-12)
    assert np.abs(by_blocks - gradient).max() <= 1e-12 * np.abs(gradient).max()


def test_the_order_of_the_rows_does_not_matter():
    results = []
    for order in (np.arange(600), ORDER):
        _, blocks = in_blocks(FAR[order], Y[order], 100)
        results.append(divergence_and_gradient(blocks, PLANE, multiclass="mean"))
    (value, gradient), (other, by_other) = results
    assert other == pytest.approx(value, rel=1e-12)
    assert np.abs(by_other - gradient).max() <= 1e-11 * np.abs(gradient).max()


def test_equal_calls_give_equal_bits():
    _, blocks = in_blocks(FAR, Y, 100)
    value, gradient = divergence_and_gradient(blocks, PLANE, multiclass="mean")
    again, by_again = divergence_and_gradient(blocks, PLANE, multiclass="mean")
    assert value == again
    assert np.array_equal(gradient, by_again)


@pytest.mark.parametrize("most_sampled", [10, 1_000])
def test_a_rule_of_blocks_is_that_of_the_rows_in_memory(most_sampled, monkeypatch):
    monkeypatch.setattr(class_rules, "_MOST_SAMPLED", most_sampled)
    _, blocks = in_blocks(FAR, Y, 100)
    rule = DensityRule.of_blocks(blocks.project(PLANE).rows)
    points = np.concatenate([FAR @ PLANE.T, STREAM.standard_normal((20, 2)) * 60.0])
    expected = DensityRule.of(FAR @ PLANE.T, Y)
    np.testing.assert_allclose(
        rule.log_densities(points), expected.log_densities(points), atol=1e-4
    )
    np.testing.assert_array_equal(rule.most_likely(points), expected.most_likely(points))


def test_densities_of_blocks_are_refused_before_they_are_summed():
    with pytest.raises(ValueError, match="of_blocks"):
        in_blocks(NEAR, Y, 100)[1].log_densities(NEAR)
