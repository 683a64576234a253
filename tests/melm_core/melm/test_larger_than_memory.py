"""Fits to Dask collections are fits to the same rows in memory."""

from __future__ import annotations

import os
import pickle
import signal
from contextlib import contextmanager

import joblib
import numpy as np
import pandas as pd
import pytest

from melm_core import MELM, MELMCV, BaggedMELM
from melm_core.base import UserError
from melm_core.base.block_sources import DaskBlocks
from melm_core.melm import SearchOptions

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
import dask  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")

N_ROWS = 10_400  # more than are taken into memory
STREAM = np.random.default_rng(0)
LABELS = np.array(["oak", "pine"])
Y = STREAM.integers(0, 2, N_ROWS)
X = STREAM.standard_normal((N_ROWS, 3)) + 1.5 * Y[:, None] * [1.0, 0.0, 0.5]
SETTINGS = {"n_init": 1, "search": SearchOptions(max_iter=6), "random_state": 0}


@pytest.fixture(scope="module")
def in_memory():
    return MELM(**SETTINGS).fit(X, LABELS[Y])


def arrays(rows=N_ROWS, chunk=3_000):
    return (
        da.from_array(X[:rows], chunks=(chunk, 2)),
        da.from_array(LABELS[Y[:rows]], chunks=chunk),
    )


@pytest.fixture(scope="module")
def in_blocks():
    with dask.config.set(scheduler="synchronous"):
        return MELM(**SETTINGS).fit(*arrays())


@pytest.mark.slow
def test_a_dask_array_gives_the_plane_of_the_rows_in_memory(in_memory, in_blocks):
    fit, (table, _) = in_blocks, arrays()
    assert fit.divergence_ == pytest.approx(in_memory.divergence_, rel=1e-10)
    assert np.abs(fit.components_ - in_memory.components_).max() < 1e-6
    assert fit.n_evaluations_ == in_memory.n_evaluations_
    assert np.allclose(fit.transform(table).compute(), in_memory.transform(X), atol=1e-6)
    assert np.array_equal(fit.predict(X[:50]), in_memory.predict(X[:50]))


@pytest.mark.slow
def test_a_frame_keeps_the_names_of_its_columns(in_memory):
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(tree=LABELS[Y])
    table = dd.from_pandas(frame, npartitions=3)
    steps = []
    fit = MELM(**SETTINGS, callback=steps.append).fit(table[["a", "b", "c"]], table["tree"])
    assert list(fit.feature_names_in_) == ["a", "b", "c"]
    assert list(fit.classes_) == ["oak", "pine"]
    assert fit.divergence_ == pytest.approx(in_memory.divergence_, rel=1e-6)
    assert steps[-1].stage.endswith("all rows")


def test_a_small_collection_is_taken_into_memory():
    table, labels = arrays(rows=400, chunk=150)
    fit = MELM(**SETTINGS).fit(table, labels)
    exact = MELM(**SETTINGS).fit(X[:400], LABELS[Y[:400]])
    assert np.abs(fit.components_ - exact.components_).max() < 1e-6


@pytest.mark.slow
def test_a_fit_stops_when_its_callback_says_so():
    fit = MELM(**SETTINGS, callback=lambda step: step.stage.endswith("all rows")).fit(*arrays())
    assert fit.stopped_


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"search": SearchOptions(engine="direct")}, 'engine="direct" needs the rows in memory'),
        ({"n_components": 4}, "n_components"),
        ({"search": SearchOptions(solver="penalty")}, 'solver="penalty" needs the rows in memory'),
    ],
)
def test_what_needs_the_rows_in_memory_is_refused(changes, words):
    with pytest.raises(UserError, match=words):
        MELM(**SETTINGS | changes).fit(*arrays())


@pytest.mark.parametrize("kind", [MELMCV, BaggedMELM])
def test_fits_to_parts_of_the_rows_are_refused(kind):
    with pytest.raises(UserError, match=f"{kind.__name__} needs the rows in memory"):
        kind(**SETTINGS).fit(*arrays())


def test_weights_are_refused():
    with pytest.raises(UserError, match="sample_weight needs the rows in memory"):
        MELM().fit(*arrays(), sample_weight=np.ones(N_ROWS))


def test_values_that_are_missing_or_infinite_are_counted():
    broken = X.copy()
    broken[[1, 5_000], [0, 2]] = np.nan, np.inf
    with pytest.raises(UserError, match="2 rows have values or labels that are missing"):
        MELM().fit(da.from_array(broken, chunks=(3_000, 3)), arrays()[1])


def test_a_missing_whole_number_is_counted():
    frame = pd.DataFrame({"a": pd.array([1, 2, None, 4], dtype="Int64"), "tree": list("xyxy")})
    parts = dd.from_pandas(frame, npartitions=1)
    with pytest.raises(UserError, match="1 rows have values"):
        MELM().fit(parts[["a"]], parts["tree"])


def test_partitions_have_to_agree():
    table, labels = arrays()
    with pytest.raises(UserError, match="4 partitions and y has 6"):
        MELM().fit(table, labels.rechunk(2_000))
    with pytest.raises(UserError, match="Partition 0 of X has 500 rows fewer"):
        MELM().fit(table, labels.rechunk(((3_500, 3_000, 3_000, 900),)))


def test_more_components_than_the_transforms_have_are_refused_at_once():
    table = da.zeros((N_ROWS, 5), chunks=(N_ROWS, 5)) + np.eye(5)[np.arange(N_ROWS) % 5]
    with pytest.raises(UserError, match="at most 3 components"):
        MELM(4).fit(table, arrays(chunk=N_ROWS)[1])


def test_labels_in_memory_and_columns_of_text_are_named():
    table, labels = arrays()
    with pytest.raises(UserError, match="y is a ndarray"):
        MELM().fit(table, Y)
    frame = pd.DataFrame({"a": X[:, 0], "b": LABELS[Y], "tree": LABELS[Y]})
    parts = dd.from_pandas(frame, npartitions=2)
    with pytest.raises(UserError, match="b is not numeric"):
        MELM().fit(parts[["a", "b"]], parts["tree"])
    with pytest.raises(UserError, match="1 dimensions"):
        MELM().fit(labels, labels)


@pytest.mark.slow
def test_a_fit_can_be_pickled():
    fit = MELM(1, **SETTINGS).fit(*arrays(rows=N_ROWS))
    again = pickle.loads(pickle.dumps(fit))  # noqa: S301
    assert np.array_equal(again.predict(X[:20]), fit.predict(X[:20]))
    assert np.allclose(again.thresholds_, MELM(1, **SETTINGS).fit(X, Y).thresholds_, atol=1e-6)


def test_one_class_is_no_task():
    with pytest.raises(UserError, match="Two or more classes"):
        MELM().fit(arrays()[0], da.zeros(N_ROWS, chunks=3_000))


OUTLYING = np.concatenate([X, X.mean(axis=0) + 30.0 * STREAM.standard_normal((5, 3))])


@pytest.mark.slow
def test_predictions_of_a_collection_are_those_of_its_rows(in_blocks, in_memory):
    rows = da.from_array(OUTLYING, chunks=(4_000, 2))
    for method in ("predict_proba", "score_samples"):
        found = getattr(in_blocks, method)(rows)
        exact = getattr(in_memory, method)(OUTLYING)
        assert isinstance(found, da.Array)
        assert found.shape == exact.shape
        assert np.allclose(found.compute(), exact, rtol=0, atol=1e-5)
        assert np.allclose(found[-9:].compute(), getattr(in_blocks, method)(OUTLYING[-9:]))
    labels = in_memory.predict(OUTLYING)
    assert np.array_equal(in_blocks.predict(rows).compute(), labels)
    assert np.array_equal(in_memory.predict(rows).compute(), labels)


@pytest.mark.slow
def test_only_the_first_prediction_reads_the_rows_of_the_fit(monkeypatch):
    passes, fit = [], MELM(**SETTINGS | {"search": SearchOptions(max_iter=2)}).fit(*arrays())
    through = DaskBlocks.map_reduce

    def counted(self, task, merge):
        passes.append(task)
        return through(self, task, merge)

    monkeypatch.setattr(DaskBlocks, "map_reduce", counted)
    table, _ = arrays()
    predicted = fit.predict(table)
    assert len(passes) == 4
    predicted.compute()
    fit.predict_proba(X[:20])
    assert len(passes) == 4


@pytest.mark.slow
def test_the_score_of_a_collection_is_that_of_its_rows(in_blocks, in_memory):
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(tree=LABELS[Y])
    table = dd.from_pandas(frame, npartitions=3)
    assert in_blocks.score(*arrays()) == in_memory.score(X, LABELS[Y])
    assert in_blocks.score(table[["a", "b", "c"]], table["tree"]) == in_memory.score(X, LABELS[Y])
    with pytest.raises(UserError, match="4 partitions and y has 6"):
        in_blocks.score(arrays()[0], arrays(chunk=2_000)[1])
    with pytest.raises(UserError, match="y is a ndarray"):
        in_blocks.score(arrays()[0], LABELS[Y])


@pytest.mark.slow
def test_class_densities_that_are_too_narrow_for_a_series_are_refused():
    fit = MELM(1, **SETTINGS | {"search": SearchOptions(max_iter=2)}, density_gamma=1e-5)
    with pytest.raises(UserError, match="of width 1e-05, are too narrow"):
        fit.fit(*arrays())


def test_another_number_of_columns_is_refused(in_memory):
    with pytest.raises(UserError, match="fitted to 3 features"):
        in_memory.transform(arrays()[0][:, :2])


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_classes_far_apart_give_the_plane_of_the_rows_in_memory():
    far, labels = np.concatenate([X, X + 15.0]), np.concatenate([Y, Y + 2])
    # The mean, because the soft minimum gives pairs that are far apart no weight.
    settings = SETTINGS | {"search": SearchOptions(max_iter=60), "multiclass": "mean"}
    exact = MELM(**settings).fit(far, labels)
    table = da.from_array(far, chunks=(6_000, 3))
    found = MELM(**settings).fit(table, da.from_array(labels, chunks=6_000))
    assert found.divergence_ == pytest.approx(exact.divergence_, rel=1e-9)
    assert np.abs(found.components_ - exact.components_).max() < 1e-5
    rows = np.concatenate([far[:200], far[-200:]])
    assert np.array_equal(found.predict(da.from_array(rows)).compute(), exact.predict(rows))


@contextmanager
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as own,
        distributed.Client(own) as client,
        dask.config.set(scheduler=client),
    ):
        yield client


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_starts_go_to_the_cluster_that_holds_the_rows():
    settings = SETTINGS | {"n_init": 4, "search": SearchOptions(max_iter=60)}  # they converge
    exact = MELM(**settings).fit(X, LABELS[Y])
    with cluster(), joblib.parallel_config("dask"):
        fit = MELM(**settings).fit(*arrays())
        labels = fit.predict(arrays()[0]).compute()
    assert fit.divergence_ == pytest.approx(exact.divergence_, rel=1e-10)
    assert np.array_equal(labels, exact.predict(X))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_worker_that_dies_in_the_middle_of_a_fit_is_survived(in_memory):
    killed = []

    def kill_one(step):
        if step.stage.endswith("all rows") and not killed:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)
        return False

    with cluster() as client:
        fit = MELM(**SETTINGS, callback=kill_one).fit(*arrays())
    assert killed
    assert fit.divergence_ == pytest.approx(in_memory.divergence_, rel=1e-10)
