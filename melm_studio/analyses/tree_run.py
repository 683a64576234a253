"""Runs that grow the tree of planes of another run: every optimum at each kernel width."""

from __future__ import annotations

from typing import Any

import numpy as np

from melm_core.base import IntArray, stratified_sample
from melm_core.melm import TREE_GAMMAS, PlaneTree, TreeNode, plane_tree
from melm_core.methods import BATCH_WEIGHT, COMPONENTS, SEED
from melm_studio.configuration.clock import Clock
from melm_studio.runs.execution.derived_planes import keep_plane
from melm_studio.runs.execution.giving_way import is_stopped
from melm_studio.runs.execution.rows import nuisance_of, rows_of
from melm_studio.runs.execution.stored_report import stored_report
from melm_studio.runs.records.run import RunRecord
from melm_studio.runs.records.tree_report import TreeReport, report_of_tree
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables import LabeledData

# The method whose planes make a tree.
TREE_METHOD = "melm"

MOST_TREE_ROWS = 2_000
# As many as the scores of a panel use, so that they are the same.
MOST_SCORED_ROWS = 1_000
N_SHUFFLES = 4
MOST_SECONDS = 600.0

_N_WIDTHS = len(TREE_GAMMAS)
# Down, back, and down again; then every width of every shuffle.
_N_SEARCHES = 3 * _N_WIDTHS - 2
_N_STEPS = _N_SEARCHES + N_SHUFFLES * _N_WIDTHS


def tree_of(store: RunStore, run_id: str) -> TreeReport:
    """Return the tree so far."""
    return stored_report(store, run_id, TreeReport.from_bytes) or TreeReport()


def grow_tree(store: RunStore, record: RunRecord, data: LabeledData, clock: Clock) -> bool:
    """Grow the tree, keep its planes as the history of the run; return false if stopped."""
    growth = _Growth(store, record, clock)
    growth.run(data)
    return not growth.stopped


def _scored(data: LabeledData, rows: IntArray) -> tuple[Any, ...]:
    """Rows with their labels, and with their groups if there are any."""
    groups = () if data.groups is None else (data.groups[rows],)
    return (data.X[rows], data.y[rows], *groups)


class _Growth:
    """One tree at work."""

    def __init__(self, store: RunStore, record: RunRecord, clock: Clock) -> None:
        self.stopped = False
        self._store, self._record, self._clock = store, record, clock
        self._began_s = clock.monotonic()
        self._planes: dict[TreeNode, int] = {}
        self._n_steps = self._n_rows = self._n_train = 0

    def run(self, data: LabeledData) -> None:
        train, held_out = rows_of(data, self._record)
        self._n_train = len(train.y)
        rows, scored = (
            stratified_sample(part.y, min(1.0, most / max(1, len(part.y))), len(data.class_names))
            for part, most in ((train, MOST_TREE_ROWS), (held_out, MOST_SCORED_ROWS))
        )
        self._n_rows = len(rows)
        has_every_class = len(np.unique(held_out.y[scored])) == len(data.class_names)
        known = self._record.parameters.values
        names = (COMPONENTS.name, "multiclass", BATCH_WEIGHT.name)
        tree = plane_tree(
            train.X[rows],
            train.y[rows],
            **{name: values[rows] for name, values in nuisance_of(train, self._record).items()},
            groups=None if train.groups is None else train.groups[rows],
            held_out=_scored(held_out, scored) if has_every_class else None,
            n_shuffles=N_SHUFFLES,
            parameters={name: known[name] for name in names if name in known},
            random_state=known[SEED.name],
            callback=self._after_width,
        )
        self._report(tree, "done", 1.0 if not self.stopped else self._n_steps / _N_STEPS)

    def _after_width(self, tree: PlaneTree) -> bool:
        self._n_steps += 1
        is_searching = self._n_steps < _N_SEARCHES
        stage = "following the planes" if is_searching else "comparing with shuffled labels"
        self._report(tree, stage, self._n_steps / _N_STEPS)
        self.stopped = is_stopped(self._store, self._record, self._clock)
        return self.stopped or self._clock.monotonic() - self._began_s > MOST_SECONDS

    def _report(self, tree: PlaneTree, stage: str, fraction: float) -> None:
        for node in tree.nodes:
            if node not in self._planes:
                self._planes[node] = self._number(node, fraction)
        report = report_of_tree(
            tree,
            self._planes,
            stage=stage,
            fraction=fraction,
            n_rows=self._n_rows,
            n_train=self._n_train,
        )
        self._store.put_report(self._record.run_id, report.to_bytes())

    def _number(self, node: TreeNode, fraction: float) -> int:
        """The number of a plane in the history, to which it is added."""
        return keep_plane(
            self._store,
            self._record.run_id,
            len(self._planes),
            node.components,
            stage=f"γ {TREE_GAMMAS[node.width]:g}",
            fraction=fraction,
            elapsed_s=self._clock.monotonic() - self._began_s,
            objective=node.divergence,
        )
