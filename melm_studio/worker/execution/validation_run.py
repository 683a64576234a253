"""Checks: whether the structure that a method found is real."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from msgspec.structs import replace

from melm_core.base import IntArray
from melm_core.evaluation import (
    CrossValidatedSeparability,
    FoldResult,
    PermutationTest,
    PermutedValue,
    Separability,
    cross_validated_separability,
    duplicate_rows,
    permutation_test,
    verdict,
)
from melm_studio.tables import LabeledData
from melm_studio.worker.clock import Clock
from melm_studio.worker.records.check_report import CheckReport
from melm_studio.worker.records.run import RunKind, RunRecord
from melm_studio.worker.store.protocol import RunStore

N_PERMUTATIONS = 199
MOST_CHECKED_ROWS = 600
N_FOLDS = 5
LEVEL = 0.05

# Nobody can read a p-value that changes faster than this.
_LEAST_WAIT_S = 0.2


def standing_checks(runs: Iterable[RunRecord]) -> dict[str, RunRecord]:
    """Return the newest check of each run, of those not cut short, by the id of the run."""
    checks = (run for run in runs if run.kind is RunKind.CHECK)
    return {check.of_run: check for check in checks if not check.state.is_cut_short}


def report_of(store: RunStore, check_id: str) -> CheckReport:
    """Return the results of a check so far."""
    raw = store.report(check_id)
    return CheckReport() if raw is None else CheckReport.from_bytes(raw)


class _StoppedError(Exception):
    """The check was requested to stop."""


class Checker:
    """Computes one check, and updates its report in the store meanwhile.

    Attributes
    ----------
    stopped : bool
        Whether it was requested to stop.
    """

    def __init__(self, store: RunStore, record: RunRecord, clock: Clock) -> None:
        self.stopped = False
        self._store, self._record, self._clock = store, record, clock
        # A refined run started from a plane fitted to the labels; the check is of the method.
        self._parameters = {k: v for k, v in record.parameters.items() if k != "init"}
        self._report = CheckReport()
        self._updated_s = float("-inf")

    def run(self, data: LabeledData) -> None:
        """Score the method in-sample and held out, then test it against shuffled labels."""
        self._update(stage=f"refitting the plane in each of {N_FOLDS} folds")
        try:
            scores = self._scored(data)
        except _StoppedError:
            return
        self._update_scores(scores, data)
        test = None if self.stopped else self._tested(data)
        # A p-value of few permutations says little: the last reported one stays, with its bounds.
        if test is not None and not self.stopped:
            self._update(
                words=_words(scores, data, test.p_value),
                stage="done",
                fraction=1.0,
                p_value=test.p_value,
                notes=(*scores.held_out.notes, *_design_notes(test)),
            )

    def _scored(self, data: LabeledData) -> CrossValidatedSeparability:
        return cross_validated_separability(
            self._record.method,
            data.X,
            data.y,
            groups=_groups(data),
            parameters=self._parameters,
            standardize=_is_standardized(data),
            n_folds=N_FOLDS,
            max_rows=MOST_CHECKED_ROWS,
            random_state=self._parameters["random_state"],
            callback=self._after_fold,
        )

    def _tested(self, data: LabeledData) -> PermutationTest:
        return permutation_test(
            self._record.method,
            data.X,
            data.y,
            groups=_groups(data),
            statistic="in_sample",
            n_permutations=N_PERMUTATIONS,
            parameters=self._parameters,
            standardize=_is_standardized(data),
            max_rows=MOST_CHECKED_ROWS,
            random_state=self._parameters["random_state"],
            callback=self._after_permutation,
        )

    def _after_fold(self, fold: FoldResult) -> None:
        self._update(fraction=0.3 * fold.number / N_FOLDS)
        if self.stopped:
            raise _StoppedError

    def _update_scores(self, scores: CrossValidatedSeparability, data: LabeledData) -> None:
        self._update(
            words=_words(scores, data, None),
            stage="fitting to shuffled labels",
            scores=_scores(scores),
            overlap=tuple(map(tuple, scores.held_out.overlap.tolist())),
            notes=scores.held_out.notes,
        )

    def _after_permutation(self, value: PermutedValue) -> bool:
        if self._clock.monotonic() - self._updated_s >= _LEAST_WAIT_S:
            self._update(
                fraction=0.3 + 0.7 * value.number / value.n_permutations,
                p_value=value.p_value,
                lower=value.lower,
                upper=value.upper,
                n_permutations=value.number,
            )
        return self.stopped

    def _update(self, **changes: Any) -> None:
        self._report = replace(self._report, **changes)
        self._store.put_report(self._record.run_id, self._report.to_bytes())
        self._updated_s = self._clock.monotonic()
        self.stopped = self._store.cancel_requested(self._record.run_id)


def _groups(data: LabeledData) -> IntArray | None:
    """The chosen groups or else, if there are enough for all folds, duplicates as groups."""
    if data.groups is not None:
        return data.groups
    found = duplicate_rows(data.X, data.y)
    n_distinct = np.bincount(data.y[np.unique(found.groups, return_index=True)[1]])
    return found.groups if found.n_repeats and n_distinct.min() >= N_FOLDS else None


def _design_notes(test: PermutationTest) -> tuple[str, ...]:
    design = test.design
    if not design.n_groups_exchanged + design.n_groups_within:
        return ()
    return tuple(filter(None, (design.sentence, design.limit_sentence(LEVEL))))


def _is_standardized(data: LabeledData) -> bool:
    """Whether the features were standardized; if so, they are within each fold too."""
    return bool((data.scale != 1.0).any())


def _scores(scores: CrossValidatedSeparability) -> dict[str, tuple[float, float, float]]:
    return {
        name: (in_sample, *held_out)
        for (name, held_out), (in_sample, _) in zip(
            _accuracies(scores.held_out).items(),
            _accuracies(scores.in_sample).values(),
            strict=True,
        )
    }


def _accuracies(separability: Separability) -> dict[str, tuple[float, float]]:
    """Balanced accuracy and standard error of the mean and of each classifier."""
    named = {"mean": separability.mean, **separability.classifiers}
    return {name: (score.balanced_accuracy, score.standard_error) for name, score in named.items()}


def _words(scores: CrossValidatedSeparability, data: LabeledData, p_value: float | None) -> str:
    return verdict(scores.in_sample, scores.held_out, p_value, class_names=data.class_names)
