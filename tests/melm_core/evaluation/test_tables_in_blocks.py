"""Scores of tables that are not in memory are those of the same rows in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from melm_core import METHODS
from melm_core.base import UserError
from melm_core.base.block_sources import ArrayBlocks
from melm_core.base.row_blocks import class_rows, reduce_rows
from melm_core.base.sampling import BlocksApplied, BlocksWithout, stratified_block_sample
from melm_core.evaluation import Refits, Separability, Study
from melm_core.folds import sampled_rows
from melm_core.linalg.planes import principal_angles

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

pytestmark = pytest.mark.usefixtures("one_thread")

STREAM = np.random.default_rng(0)
Y = STREAM.integers(0, 3, 700)
X = STREAM.standard_normal((700, 4)) * [1.0, 5.0, 0.1, 1.0] + 20.0
X[:, 0] += 1.5 * Y
LABELS = np.array(["ash", "elm", "oak"])
FRAME = pd.DataFrame(X, columns=list("abcd")).assign(tree=LABELS[Y])


def arrays(size):
    return da.from_array(X, chunks=(size, 2)), da.from_array(LABELS[Y], chunks=size)


@pytest.mark.parametrize("size", [1, 90, 700])
@pytest.mark.parametrize("share", [0.2, 1.0])
def test_a_sample_of_blocks_is_that_of_the_rows_in_memory(size, share):
    sample = stratified_block_sample(ArrayBlocks(X, Y, size), share)
    assert np.array_equal(sample.positions, sampled_rows(Y, round(share * 700)))
    assert np.array_equal(sample.X, X[sample.positions])
    assert np.array_equal(sample.y, Y[sample.positions])


@pytest.mark.parametrize("size", [1, 90, 700])
def test_a_table_without_some_rows_has_the_others_in_order(size):
    left_out = np.array([0, 89, 90, 91, 450, 699])
    table = BlocksWithout(ArrayBlocks(X, Y, size), left_out, Y[left_out])
    doubled = BlocksApplied(table, lambda rows: 2.0 * rows)
    kept = np.setdiff1d(np.arange(700), left_out)
    found = reduce_rows(lambda _, rows: [rows], lambda a, b: a + b, class_rows(doubled))
    for code, parts in enumerate(found):
        assert np.array_equal(np.concatenate(parts), 2.0 * X[kept][Y[kept] == code])
    assert np.array_equal(doubled.counts.sum(axis=0), np.bincount(Y[kept]))


@pytest.mark.parametrize(
    "key", ["lda", *(pytest.param(key, marks=pytest.mark.slow) for key in ("pca", "gem"))]
)
def test_refits_of_blocks_are_one_split_with_the_share_of_the_rows_in_memory(key):
    found = Refits.of(Study(key, *arrays(300)))
    (fold,) = found.folds
    held_out = np.sort(sampled_rows(Y, 175))
    np.testing.assert_array_equal(found.study.rows.X[fold.test], X[held_out])
    assert found.study.rows.classes.tolist() == LABELS.tolist()
    assert found.n_folds == 1
    assert found.notes == ()
    exact = Refits.of(Study(key, X, LABELS[Y]), 1)
    assert found.share.balanced_accuracy == pytest.approx(exact.share.balanced_accuracy, abs=0.1)
    assert found.probabilities.shape == (len(held_out), 3)


def test_the_plane_of_a_split_of_blocks_is_fitted_to_all_other_rows():
    found = Refits.of(Study("lda", *arrays(300)))
    kept = np.setdiff1d(np.arange(700), sampled_rows(Y, 175))
    alone = Study("lda", X[kept], LABELS[Y[kept]]).fitted()
    angles = principal_angles(found.fits[0].projection.components, alone.components)
    assert angles.max() < 1e-6


@pytest.mark.slow
def test_melm_is_refitted_without_the_held_out_rows():
    parameters = {"n_init": 1, "max_iter": 5}
    found = Refits.of(Study("melm", *arrays(300), parameters=parameters))
    exact = Refits.of(Study("melm", X, LABELS[Y], parameters=parameters), 1)
    assert found.share.balanced_accuracy == pytest.approx(exact.share.balanced_accuracy, abs=0.1)


def test_what_needs_the_rows_in_memory_is_refused():
    with pytest.raises(UserError, match="groups needs the rows in memory"):
        Study("lda", *arrays(300), groups=np.arange(700))
    with pytest.raises(UserError, match="needs the rows in memory"):
        Refits.of(Study("nca", *arrays(300)))
    single = da.from_array(np.append(LABELS[Y[:-1]], "yew"), chunks=300)
    with pytest.raises(UserError, match="class yew has one"):
        Study("lda", arrays(300)[0], single)


@pytest.mark.slow
def test_the_separability_of_a_plane_takes_a_sample_of_the_table():
    plane = METHODS["lda"].estimator({"n_components": 2}).fit(X, LABELS[Y])
    exact = Separability.of(plane.transform(X), LABELS[Y], max_rows=100, n_folds=2)
    table = dd.from_pandas(FRAME, npartitions=3)
    points = plane.transform(table[list("abcd")])
    found = Separability.of(points, table["tree"], max_rows=100, n_folds=2)
    assert np.array_equal(found.fold_confusions, exact.fold_confusions)
    assert (found.n_samples, found.n_scored) == (exact.n_samples, exact.n_scored) == (700, 100)
    assert found.notes == exact.notes
