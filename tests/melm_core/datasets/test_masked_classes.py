"""Classes that the largest variance hides."""

from __future__ import annotations

import pytest

from melm_core.datasets import masked_gaussians
from melm_core.evaluation import Refits, Study, Unchanged


@pytest.mark.parametrize("preparation", [Unchanged(), None])
def test_the_largest_variance_guesses_and_the_largest_difference_does_not(preparation):
    X, y = masked_gaussians(0)
    reached = {
        method: Refits.of(Study(method, X, y, preparation=preparation)).share.balanced_accuracy
        for method in ("pca", "lda")
    }
    assert reached["pca"] < 0.25 + 2 * (0.25 * 0.75 / len(y)) ** 0.5
    assert reached["lda"] > 0.85


@pytest.mark.parametrize(
    "wrong",
    [{"n_rows": 3}, {"n_features": 4}, {"spread": 0.0}],
    ids=lambda wrong: next(iter(wrong)),
)
def test_what_cannot_be_drawn_is_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        masked_gaussians(0, **wrong)
