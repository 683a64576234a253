"""Runs that score every method on held-out rows of the same folds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from msgspec.structs import replace

from melm_core.base import UserError
from melm_core.evaluation import DensityScores, density_scores, sampled_rows
from melm_core.methods import AUTO, BATCH_WEIGHT, COMPONENTS, GAMMA, METHODS, SEED
from melm_studio.configuration.clock import Clock
from melm_studio.runs.execution.giving_way import StoppedError, stop_if_requested
from melm_studio.runs.execution.rows import judged_rows
from melm_studio.runs.execution.stored_report import ReportUnreadableError, stored_report
from melm_studio.runs.records.ranking_report import RankedMethod, RankingReport
from melm_studio.runs.records.run import RunRecord
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables import LabeledData

MOST_RANKED_ROWS = 1_000
N_FOLDS = 5
MOST_SECONDS = 120.0  # for one method

_TOO_SLOW = f"Took longer than {MOST_SECONDS:.0f} s."
_FAILED = "Could not be fitted in every fold."


def rankings_of(runs: Iterable[RunRecord], data_id: str) -> list[RunRecord]:
    """Return the comparisons of all methods on some data, oldest first."""
    return [run for run in runs if run.kind == "ranking" and run.data_id == data_id]


def ranking_of(store: RunStore, run_id: str) -> RankingReport:
    """Return the methods scored so far."""
    return stored_report(store, run_id, RankingReport.from_bytes) or RankingReport()


def _readable(store: RunStore, run_id: str) -> RankingReport:
    """What an earlier comparison has scored; nothing where that cannot be read."""
    try:
        return ranking_of(store, run_id)
    except ReportUnreadableError:
        return RankingReport()


class _TooSlowError(Exception):
    """A method exceeded its time."""


def rank_methods(store: RunStore, record: RunRecord, data: LabeledData, clock: Clock) -> bool:
    """Score every method that fits the data; return false if stopped.

    Methods that an earlier, interrupted comparison of the data has scored are not scored again.
    """
    ranking = _Ranking(store, record, data, clock)
    try:
        ranking.run()
    except StoppedError:
        return False
    return True


class _Ranking:
    """One comparison at work."""

    def __init__(self, store: RunStore, record: RunRecord, data: LabeledData, clock: Clock) -> None:
        self._store, self._record, self._clock = store, record, clock
        kept = sampled_rows(data.y, MOST_RANKED_ROWS, data.groups)
        self._rows = judged_rows(data, kept)
        if data.batches is not None:  # of which every method says how well they are told apart
            self._rows |= {"nuisance": data.batches[kept]}
        self._n_features = data.X.shape[1]
        self._class_counts = data.class_counts
        n_classes = len(data.class_names)
        self._report = RankingReport(
            n_methods=len(_installed()), n_classes=n_classes, n_rows=len(kept)
        )

    def run(self) -> None:
        known = self._known()
        # Searches take longest, and the first results are wanted soon.
        for key in sorted(_installed(), key=lambda key: METHODS[key].streams):
            self._update(current=key)
            scored = known.get(key) or self._scored(key)
            self._update(methods=(*self._report.methods, scored))
        self._update(current="")

    def _known(self) -> dict[str, RankedMethod]:
        """What earlier comparisons of the same data have found."""
        earlier = rankings_of(self._store.runs_of(self._record.owner), self._record.data_id)
        return {
            scored.method: scored
            for run in earlier
            if run.run_id != self._record.run_id and run.parameters == self._record.parameters
            for scored in _readable(self._store, run.run_id).methods
        }

    def _scored(self, key: str) -> RankedMethod:
        n_components = self._record.parameters.n_components
        n_features = self._n_features
        if refusal := METHODS[key].refusal(n_features, self._class_counts, n_components):
            return RankedMethod(key, refusal=refusal)
        began = self._clock.monotonic()
        try:
            scores = self._scores(key, began)
        except (UserError, np.linalg.LinAlgError) as error:
            return RankedMethod(key, refusal=str(error) or _FAILED)
        except _TooSlowError:
            return RankedMethod(key, refusal=_TOO_SLOW)
        diagonals = np.diagonal(scores.held_out_confusions, axis1=1, axis2=2)
        told = scores.nuisance
        if told:
            self._update(batch_chance=float(np.mean([own.chance for own in told])))
        return RankedMethod(
            key,
            batch=float(np.mean([own.accuracy for own in told])) if told else None,
            held_out=tuple(diagonals.mean(axis=1).tolist()),
            train=scores.train.balanced_accuracy,
            seconds=self._clock.monotonic() - began,
        )

    def _scores(self, key: str, began: float) -> DensityScores:
        def after_fold(number: int, n_folds: int) -> None:
            stop_if_requested(self._store, self._record, self._clock)
            if number < n_folds and self._clock.monotonic() - began > MOST_SECONDS:
                raise _TooSlowError

        shared = self._record.parameters.values
        parameters = {name: shared[name] for name in (COMPONENTS.name, SEED.name)}
        if METHODS[key].takes(GAMMA.name):  # chosen by inner folds of the training rows
            parameters[GAMMA.name] = AUTO
        if METHODS[key].takes(BATCH_WEIGHT.name):
            parameters[BATCH_WEIGHT.name] = BATCH_WEIGHT.default  # as on the page
        return density_scores(
            key,
            **self._rows,
            parameters=parameters,
            n_folds=N_FOLDS,
            random_state=shared[SEED.name],
            callback=after_fold,
        )

    def _update(self, **changes: Any) -> None:
        self._report = replace(self._report, **changes)
        self._store.put_report(self._record.run_id, self._report.to_bytes())
        stop_if_requested(self._store, self._record, self._clock)


def _installed() -> list[str]:
    return [key for key, method in METHODS.items() if method.is_installed]
