"""A run on a registered table ends with the plane of all rows but those held out."""

from __future__ import annotations

import os
import signal

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace

from melm_core.base.errors import UserError
from melm_core.density.covariances import DEFAULT_SHRINKAGE
from melm_core.linalg.planes import principal_angles
from melm_core.linalg.smaller_tables import MomentPlaneEstimator
from melm_core.melm.estimator import MELM
from melm_core.melm.objective import cauchy_schwarz_divergence
from melm_core.methods import METHODS
from melm_studio.operator_tables import published
from melm_studio.operator_tables.all_rows import (
    METHODS_OF_ALL_ROWS,
    NO_TABLES,
    RegisteredTables,
    is_fitted_to_all_rows,
)
from melm_studio.operator_tables.keeper import TableKeeper
from melm_studio.operator_tables.plane_densities import kept_densities
from melm_studio.operator_tables.published import published_tables, sampled_table
from melm_studio.runs.execution.rows import prepared_for, split_of
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.parameters import RunParameters
from melm_studio.runs.records.run import RunState, new_run
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.tables import ClassRules, RowFilter
from melm_studio.tables.preparation import prepare
from melm_studio.tables.roles import Use
from melm_studio.workers.execute import execute_run
from tests.melm_studio.operator_tables.tables import parquet_folder
from tests.melm_studio.runs.helpers import PARAMETERS, run_of

LINEAR = [method for method in METHODS.values() if method.is_linear]
DESCRIBED = '[trees]\npath = "trees"\nlabel = "tree"\n'


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "tables.toml").write_text(DESCRIBED)
    return folder


@pytest.fixture
def registered(disk_store, folder, monkeypatch):
    """Registers rows, a quarter of which are the sample, and returns a run on them."""

    def register(n_rows, method="melm", *, source=None, **parameters):
        monkeypatch.setattr(published.drawn_sample, "__kwdefaults__", {"n_rows": n_rows // 4})
        whole = parquet_folder(folder, n_rows, rare=0.1)
        TableKeeper(disk_store, str(folder)).look()
        (table,) = published_tables(disk_store).values()
        data = prepare(sampled_table(disk_store, table), "tree", roles=(source or {}).get("roles"))
        disk_store.put_file("ada", FileKind.DATA, data.content_hash, data.to_bytes())
        record = new_run(
            "ada",
            data.content_hash,
            "trees",
            method,
            RunParameters.of(PARAMETERS | {"held_out": 0.25} | parameters),
            source=DataSource(kind="table", key="trees", label="tree", **(source or {})),
            table_version=table.version,
        )
        disk_store.create(record)
        return whole, data, record

    return register


def executed(store, record, folder, dask=""):
    execute_run(store, record.run_id, tables=RegisteredTables(str(folder), dask))
    return store.get(record.run_id)


def training_rows(whole, data, record):
    """All rows but those held out, prepared as the training rows of the sample were."""
    data = prepared_for(data, record)
    _, held_out = split_of(data, record)
    numbers = np.setdiff1d(np.arange(len(whole)), held_out.row_numbers - 1)
    rows = whole.iloc[numbers]
    cells = [one.with_gaps.encode(rows[one.name]) for one in data.encodings]
    return data.fitted_preparation.apply(np.hstack(cells)), rows["tree"]


@pytest.mark.slow
def test_a_run_is_fitted_to_all_rows_but_those_held_out(disk_store, registered, folder):
    whole, data, record = registered(2_000)
    done = executed(disk_store, record, folder)
    X, y = training_rows(whole, data, record)
    assert (done.state, done.message) == (RunState.DONE, "")
    assert done.outcome.n_rows == len(X)
    expected = MELM(gamma=PARAMETERS["gamma"], n_init=2, random_state=0).fit(X, y)
    event = disk_store.last_event(record.run_id)
    assert event.objective == pytest.approx(expected.divergence_, rel=1e-6)
    assert principal_angles(event.components, expected.components_).max() < 1e-3
    assert disk_store.n_events(record.run_id) > 2


@pytest.mark.slow
def test_rows_equal_to_held_out_ones_are_held_out_too(disk_store, registered, folder, monkeypatch):
    discrete = pd.DataFrame.round
    monkeypatch.setattr(
        "tests.melm_studio.operator_tables.tables.rows",
        lambda n, **_: discrete(
            pd.DataFrame(np.random.default_rng(0).normal(size=(n, 2)), columns=["a", "b"]), 1
        ).assign(tree=np.where(np.arange(n) % 2, "ash", "birch")),
    )
    whole, data, record = registered(2_000)
    done = executed(disk_store, record, folder)
    _, held_out = data.split(0.25, 0)
    hidden = set(map(tuple, held_out.unprepared.round(1) + 0.0))
    n_hidden = sum(tuple(row) in hidden for row in whole[["a", "b"]].to_numpy() + 0.0)
    assert n_hidden > len(held_out.y)
    assert done.outcome.n_rows == len(whole) - n_hidden


@pytest.mark.slow
def test_a_cancelled_run_keeps_its_best_plane(disk_store, registered, folder, monkeypatch):
    _, _, record = registered(2_000)
    append = disk_store.append

    def append_and_cancel(run_id, event):
        disk_store.cancel(run_id)
        return append(run_id, event)

    monkeypatch.setattr(disk_store, "append", append_and_cancel)
    done = executed(disk_store, record, folder)
    assert done.state is RunState.CANCELLED
    assert disk_store.last_event(record.run_id).is_final


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the worker that is killed
def test_a_run_survives_the_death_of_a_dask_worker(disk_store, registered, folder, monkeypatch):
    distributed = pytest.importorskip("distributed")
    _, _, record = registered(20_000)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        pids = [worker.process.pid for worker in cluster.workers.values()]
        append = disk_store.append

        def append_and_kill(run_id, event):
            if pids:
                os.kill(pids.pop(), signal.SIGKILL)
                pids.clear()
            return append(run_id, event)

        monkeypatch.setattr(disk_store, "append", append_and_kill)
        done = executed(disk_store, record, folder, cluster.scheduler_address)
    assert not pids
    assert (done.state, done.message) == (RunState.DONE, "")
    assert done.outcome.n_rows > 10_000


@pytest.mark.parametrize(
    "method", ["lda", *(pytest.param(key, marks=pytest.mark.slow) for key in ("pca", "gem"))]
)
def test_methods_of_moments_are_fitted_to_all_rows(disk_store, registered, folder, method):
    whole, data, record = registered(400, method)
    done = executed(disk_store, record, folder)
    X, y = training_rows(whole, data, record)
    assert (done.state, done.message, done.outcome.n_rows) == (RunState.DONE, "", len(X))
    expected = METHODS[method].estimator(record.parameters.values).fit(X, y)
    event = disk_store.last_event(record.run_id)
    assert principal_angles(event.components, expected.components_).max() < 1e-6
    codes = np.unique(y, return_inverse=True)[1]
    divergence = cauchy_schwarz_divergence(
        X, codes, event.components, gamma=record.gamma, shrinkage=DEFAULT_SHRINKAGE
    )
    assert event.objective == pytest.approx(divergence, rel=1e-9)
    kept = kept_densities(disk_store, record.run_id)
    assert (kept.divergence, sum(kept.counts)) == (event.objective, len(X))


@pytest.mark.slow
def test_a_method_of_single_rows_keeps_the_densities_of_all_rows_too(
    disk_store, registered, folder
):
    whole, data, record = registered(400, "hlda")
    done = executed(disk_store, record, folder)
    assert (done.state, done.outcome.n_rows) == (RunState.DONE, None)
    X, _ = training_rows(whole, data, record)
    assert sum(kept_densities(disk_store, record.run_id).counts) == len(X)


def test_every_method_of_moments_is_one_of_all_rows():
    defaults = {method.key: {p.name: p.default for p in method.parameters} for method in LINEAR}
    of_moments = {
        method.key
        for method in LINEAR
        if isinstance(
            method.estimator({"n_components": 2} | defaults[method.key]), MomentPlaneEstimator
        )
    }
    assert of_moments | {"melm", "pca"} == METHODS_OF_ALL_ROWS


@pytest.mark.slow
def test_what_needs_the_rows_in_memory_is_fitted_to_the_sample(disk_store, registered, folder):
    _, data, record = registered(400)
    tables = RegisteredTables(str(folder))
    assert tables.has_all_rows(disk_store, record, data)
    assert is_fitted_to_all_rows(record)
    for changes in (
        {"method": "hlda"},
        {"parameters": replace(record.parameters, gamma="auto")},
        {"parameters": replace(record.parameters, own={"nuisance_weight": 1.0})},
    ):
        assert not is_fitted_to_all_rows(replace(record, **changes)), changes
    for changes in (
        {"method": "tsne"},
        {"source": replace(record.source, filters=(RowFilter("age", low=0.0),))},
        {"source": replace(record.source, left_out=(3,))},
        {"source": replace(record.source, classes=ClassRules(quantiles=3))},
        {"table_version": ""},
    ):
        assert not tables.has_all_rows(disk_store, replace(record, **changes), data), changes
    grouped = prepare(
        sampled_table(disk_store, published_tables(disk_store)["trees"]),
        "tree",
        roles={"color": Use.GROUP},
    )
    assert not tables.has_all_rows(disk_store, record, grouped)
    assert not NO_TABLES.has_all_rows(disk_store, replace(record, method="hlda"), data)


def test_a_run_whose_files_changed_since_says_so(disk_store, registered, folder):
    _, _, record = registered(400)
    os.utime(folder / "trees/part-0.parquet", ns=(1, 1))
    done = executed(disk_store, record, folder)
    assert done.state is RunState.FAILED
    assert "The files of trees have changed" in done.message


def test_a_run_of_a_visitor_who_may_no_longer_see_the_table_fails(disk_store, registered, folder):
    _, _, record = registered(400)
    (folder / "tables.toml").write_text(DESCRIBED + 'visitors = ["bob"]')
    TableKeeper(disk_store, str(folder)).look()
    done = executed(disk_store, record, folder)
    assert done.state is RunState.FAILED
    assert "that you may see" in done.message


@pytest.mark.slow
def test_a_cluster_that_does_not_answer_is_named(disk_store, registered, folder, monkeypatch):
    monkeypatch.setattr("melm_studio.operator_tables.parts.CONNECT_S", 0.2)
    _, _, record = registered(400)
    done = executed(disk_store, record, folder, "tcp://127.0.0.1:9")
    assert done.state is RunState.FAILED
    assert "The Dask cluster at tcp://127.0.0.1:9 does not answer" in done.message


def test_a_sample_of_all_rows_is_no_sample(disk_store, folder):
    parquet_folder(folder, 300)
    TableKeeper(disk_store, str(folder)).look()
    table = published_tables(disk_store)["trees"]
    assert (table.sampled_version, table.note) == ("", "")
    record = replace(run_of(), source=DataSource(kind="table", key="trees"))
    with (
        pytest.raises(UserError, match="no table"),
        NO_TABLES.rows(disk_store, record, None, None),
    ):
        pass
