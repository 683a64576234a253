"""Runs that refit the method of another run to fewer and fewer features, in every fold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from melm_core.evaluation import SparsePath, sampled_rows, sparse_path
from melm_core.methods import GAMMA, SEED
from melm_studio.configuration.clock import Clock
from melm_studio.runs.execution.giving_way import StoppedError, stop_if_requested
from melm_studio.runs.execution.rows import resampled_rows, split_of
from melm_studio.runs.execution.stored_report import stored_report
from melm_studio.runs.records.run import RunRecord
from melm_studio.runs.records.sparse_report import SparseReport, SparseSize
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables import LabeledData

N_REPEATS = 3
MOST_ROWS = 2_000  # of larger tables, a sample


def sparse_of(store: RunStore, run_id: str) -> SparseReport:
    """Return the path so far."""
    return stored_report(store, run_id, SparseReport.from_bytes) or SparseReport()


def leave_out_features(store: RunStore, record: RunRecord, data: LabeledData, clock: Clock) -> bool:
    """Cross-validate planes of fewer and fewer features; return false if stopped."""
    # Without those that the run holds out, which so can judge a run on the features that are kept.
    train, _ = split_of(data, record)
    kept = sampled_rows(train.y, MOST_ROWS, train.groups)

    def after_fold(path: SparsePath, n_all: int) -> None:
        report = replace(_report(path, n_all), n_rows=len(kept), n_training=len(train.y))
        store.put_report(record.run_id, report.to_bytes())
        stop_if_requested(store, record, clock)

    try:
        sparse_path(
            record.method,
            **_chosen(resampled_rows(train), kept),
            parameters=record.parameters_without_start | {GAMMA.name: record.gamma},
            gamma=record.gamma,
            n_repeats=N_REPEATS,
            random_state=record.parameters[SEED.name],
            callback=after_fold,
        )
    except StoppedError:
        return False
    return True


def _chosen(rows: dict[str, Any], kept: Any) -> dict[str, Any]:
    of_rows = {name: rows[name][kept] for name in ("X", "y", "groups") if rows[name] is not None}
    return rows | of_rows


def _report(path: SparsePath, n_all: int) -> SparseReport:
    n_refits = len(path.held_out_accuracies)
    return SparseReport(
        sizes=tuple(_sizes(path)),
        sufficient=path.smallest_sufficient if n_refits == n_all else 0,
        n_classes=len(path.classes),
        n_refits=n_refits,
        n_all=n_all,
    )


def _sizes(path: SparsePath) -> Iterator[SparseSize]:
    several = len(path.held_out_accuracies) > 1
    for at, n_features in enumerate(path.sizes.tolist()):
        selected = path.selected(n_features)
        yield SparseSize(
            n_features=n_features,
            train=float(path.train_accuracies[:, at].mean()),
            held_out=float(path.held_out_accuracies[:, at].mean()),
            standard_error=path.held_out[at].standard_error if several else 0.0,
            selected=tuple(selected.tolist()),
            frequencies=tuple(path.frequencies[at, selected].tolist()),
        )
