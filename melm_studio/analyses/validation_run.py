"""Checks: whether the structure that a method found is real."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace
from sklearn.decomposition import PCA

from melm_core.evaluation import (
    LEVEL,
    Answer,
    DensityScores,
    PermutationTest,
    PermutedValue,
    answer_of,
    density_scores,
    is_settled_below,
    permutation_test,
    sampled_rows,
    stability,
)
from melm_core.methods import AUTO, GAMMA, METHODS, SEED, STARTS
from melm_studio.analyses.check_notes import design_notes, method_notes
from melm_studio.analyses.resamples import feature_stability
from melm_studio.configuration.clock import Clock
from melm_studio.runs.execution.giving_way import StoppedError, is_stopped
from melm_studio.runs.execution.rows import judged_rows, resampled_rows
from melm_studio.runs.execution.stored_report import ReportUnreadableError, stored_report
from melm_studio.runs.records.check_report import CheckReport, FeatureStability
from melm_studio.runs.records.run import RunRecord
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables import LabeledData

N_PERMUTATIONS = 199
MOST_CHECKED_ROWS = 600
N_FOLDS = 5
N_RESAMPLES = 20
MOST_RESAMPLED_ROWS = 20_000

# With fewer permutations no p-value is at or below the level.
FIRST_ANSWER = round(1 / LEVEL) - 1

# The classifier whose scores the panels show.
CLASSIFIER = "KDE"

# Nobody can read a p-value that changes faster than this.
_LEAST_WAIT_S = 0.2

# Shares of the work done after the folds and after the permutations.
_AFTER_FOLDS, _AFTER_PERMUTATIONS = 0.1, 0.9


def standing_checks(runs: Iterable[RunRecord]) -> dict[str, RunRecord]:
    """Return the newest check of each run, of those not cut short, by the id of the run."""
    checks = (run for run in runs if run.kind == "check")
    return {check.of_run: check for check in checks if not check.state.is_cut_short}


def report_of(store: RunStore, check_id: str) -> CheckReport:
    """Return the results of a check so far, or why they cannot be read."""
    try:
        return stored_report(store, check_id, CheckReport.from_bytes) or CheckReport()
    except ReportUnreadableError as error:
        return CheckReport(problem=str(error), fraction=1.0)


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
        self._parameters = record.parameters_without_start
        self._report = CheckReport()
        self._updated_s = float("-inf")

    def run(self, data: LabeledData) -> None:
        """Score the method on held-out rows, test it with permuted labels, and resample the rows.

        The report has an answer after `FIRST_ANSWER` permutations at the earliest, and a yes only
        once it stays.
        """
        self._update(stage=f"refitting the plane in each of {N_FOLDS} folds")
        try:
            scores = self._scored(data)
            self._update_scores(scores, data)
            test = self._tested(scores, data)
            if self.stopped:  # the last reported p-value stays, with its bounds
                return
            self._update_test(scores, test, data)
            self._update(stability=self._stability(data), stage="done", fraction=1.0)
        except StoppedError:
            return

    def _scored(self, data: LabeledData) -> DensityScores:
        return density_scores(
            self._record.method,
            **judged_rows(data, record=self._record),
            random_state=self._parameters[SEED.name],
            parameters=self._parameters,
            gamma=self._record.gamma,
            n_folds=N_FOLDS,
            max_rows=MOST_CHECKED_ROWS,
            callback=self._after_fold,
        )

    def _tested(self, scores: DensityScores, data: LabeledData) -> PermutationTest:
        method, rows = self._permuted(data)
        return permutation_test(
            method,
            **rows,
            random_state=self._parameters[SEED.name],
            statistic="held_out",
            n_permutations=N_PERMUTATIONS,
            parameters=self._with_one_start() if method == self._record.method else None,
            max_rows=MOST_CHECKED_ROWS,
            callback=lambda value: self._after_permutation(value, scores),
        )

    def _permuted(self, data: LabeledData) -> tuple[Any, dict[str, Any]]:
        """The method that is refitted to permuted labels, and its rows.

        One that takes long and ignores the labels is fitted once, to all rows that are tested:
        what it finds does not depend on the permutation.
        """
        method, rows = METHODS[self._record.method], judged_rows(data, record=self._record)
        if not method.keeps_embedding or method.uses_labels:
            return method.key, rows
        kept = sampled_rows(data.y, MOST_CHECKED_ROWS, rows["groups"])
        judged = judged_rows(data, kept)
        embedded = method.estimator(self._parameters).fit_transform(data.X[kept])
        names = ("y", "groups")
        fixed = {name: judged[name] for name in names} | {"X": embedded, "standardize": False}
        return PCA(embedded.shape[1], svd_solver="full"), fixed

    def _with_one_start(self) -> dict[str, Any]:
        """Parameters of the permutation test: one start, for true and permuted labels alike.

        Nor is gamma chosen by inner folds: the chosen one would favor the true labels.
        """
        is_search = METHODS[self._record.method].takes(STARTS.name)
        chooses_gamma = self._parameters[GAMMA.name] == AUTO
        return (
            self._parameters
            | ({STARTS.name: 1} if is_search else {})
            | ({GAMMA.name: GAMMA.default} if chooses_gamma else {})
        )

    def _stability(self, data: LabeledData) -> FeatureStability | None:
        is_linear = METHODS[self._record.method].is_linear
        if not is_linear or len(data.y) > MOST_RESAMPLED_ROWS:
            return None
        found = stability(
            self._record.method,
            **resampled_rows(data, self._record),
            random_state=self._parameters[SEED.name],
            parameters=self._parameters,
            n_resamples=N_RESAMPLES,
            callback=self._after_resample,
        )
        return feature_stability(found)

    def _after_fold(self, number: int, n_folds: int) -> None:
        self._update(fraction=_AFTER_FOLDS * number / n_folds)
        if self.stopped:
            raise StoppedError

    def _update_scores(self, scores: DensityScores, data: LabeledData) -> None:
        held_out = scores.held_out
        self._update(
            stage="comparing with shuffled labels",
            scores={
                CLASSIFIER: (
                    scores.train.balanced_accuracy,
                    held_out.balanced_accuracy,
                    held_out.standard_error,
                )
            },
            overlap=tuple(map(tuple, scores.overlap.tolist())),
            notes=(*scores.notes, *method_notes(self._record)),
        )
        if self.stopped:
            raise StoppedError

    def _after_permutation(self, value: PermutedValue, scores: DensityScores) -> bool:
        first_answer = min(FIRST_ANSWER, value.n_permutations)
        is_first_answer = value.number == first_answer
        if is_first_answer or self._clock.monotonic() - self._updated_s >= _LEAST_WAIT_S:
            share = value.number / value.n_permutations
            self._update(
                fraction=_AFTER_FOLDS + (_AFTER_PERMUTATIONS - _AFTER_FOLDS) * share,
                p_value=value.p_value,
                lower=value.lower,
                upper=value.upper,
                n_permutations=value.number,
                n_exceeding=value.n_exceeding,
            )
            if value.number >= first_answer:
                self._update(answer=_running_answer(scores, value))
        return self.stopped

    def _update_test(self, scores: DensityScores, test: PermutationTest, data: LabeledData) -> None:
        self._update(
            stage="refitting to resampled rows",
            fraction=_AFTER_PERMUTATIONS,
            p_value=test.p_value,
            lower=None,
            upper=None,
            n_permutations=len(test.values),
            n_exceeding=test.n_exceeding,
            notes=(*self._report.notes, *design_notes(test.design, data)),
            answer=_answer(scores, test.p_value, test.design.smallest_p_value),
        )
        if self.stopped:
            raise StoppedError

    def _after_resample(self, number: int, n_resamples: int) -> None:
        share = number / n_resamples
        self._update(fraction=_AFTER_PERMUTATIONS + (1.0 - _AFTER_PERMUTATIONS) * share)
        if self.stopped:
            raise StoppedError

    def _update(self, **changes: Any) -> None:
        self._report = replace(self._report, **changes)
        self._store.put_report(self._record.run_id, self._report.to_bytes())
        self._updated_s = self._clock.monotonic()
        self.stopped = is_stopped(self._store, self._record, self._clock)


def _running_answer(scores: DensityScores, value: PermutedValue) -> str:
    """The answer so far; empty while a p-value at or below the level may yet rise above it."""
    answer = _answer(scores, value.p_value)
    is_settled = answer == Answer.NO or is_settled_below(
        value.n_exceeding, value.number, value.n_permutations, level=LEVEL
    )
    return answer if is_settled else ""


def _answer(scores: DensityScores, p_value: float, smallest_p_value: float = 0.0) -> str:
    accuracy, n_classes = scores.held_out.balanced_accuracy, len(scores.classes)
    return answer_of(accuracy, n_classes, p_value, smallest_p_value=smallest_p_value)
