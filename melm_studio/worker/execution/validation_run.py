"""Asking whether what a method found is real."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from melm_core.evaluation import (
    CrossValidatedSeparability,
    FoldResult,
    PermutedValue,
    Separability,
    cross_validated_separability,
    permutation_test,
    verdict,
)
from melm_studio.tables import LabelledData
from melm_studio.worker.records.clock import Clock
from melm_studio.worker.records.run import RunKind, RunRecord
from melm_studio.worker.store.protocol import RunStore

N_PERMUTATIONS = 199
MOST_CHECKED_ROWS = 600
N_FOLDS = 5

# A p-value that runs faster than this is not read.
_LEAST_WAIT_S = 0.2


@dataclass(frozen=True)
class CheckReport:
    """What a check knows by now.

    Attributes
    ----------
    words : str
        In one sentence, as far as it is known.
    stage : str
        What is being done.
    fraction : float
        Share of the work done.
    scores : mapping of str to (float, float, float)
        Of each classifier and of their mean: balanced accuracy of rows in-sample, of rows
        held out, and the standard error of the latter.
    overlap : tuple of tuple of float
        How much each pair of classes is confused, of the rows held out.
    p_value, lower, upper : float or None
        Of the permutation test, with the bounds between which it will end.
    n_permutations : int
        Shuffles so far.
    notes : tuple of str
    """

    words: str = ""
    stage: str = "starting"
    fraction: float = 0.0
    scores: Mapping[str, tuple[float, float, float]] | None = None
    overlap: tuple[tuple[float, ...], ...] = ()
    p_value: float | None = None
    lower: float | None = None
    upper: float | None = None
    n_permutations: int = 0
    notes: tuple[str, ...] = ()

    def to_bytes(self) -> bytes:
        """Return the report as JSON."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, raw: bytes) -> CheckReport:
        """Return the report that `to_bytes` wrote."""
        values = json.loads(raw)
        overlap = tuple(map(tuple, values.pop("overlap")))
        return cls(**values | {"overlap": overlap, "notes": tuple(values["notes"])})


def standing_checks(runs: Iterable[RunRecord]) -> dict[str, RunRecord]:
    """Return the newest check of every run that has one under way or done, by the run's id."""
    checks = (run for run in runs if run.kind is RunKind.CHECK)
    return {check.of_run: check for check in checks if not check.state.is_cut_short}


def report_of(store: RunStore, check_id: str) -> CheckReport:
    """Return what a check knows by now."""
    raw = store.report(check_id)
    return CheckReport() if raw is None else CheckReport.from_bytes(raw)


class _StoppedError(Exception):
    """Somebody asked the check to stop."""


class Checker:
    """Works one check, and keeps what it knows in the store as it comes to know it.

    Attributes
    ----------
    stopped : bool
        Whether it was told to stop.
    """

    def __init__(self, store: RunStore, record: RunRecord, clock: Clock) -> None:
        self.stopped = False
        self._store, self._record, self._clock = store, record, clock
        # A refined run began at a plane that had seen the labels: what is checked is the method.
        self._parameters = {k: v for k, v in record.parameters.items() if k != "init"}
        self._report = CheckReport()
        self._told_s = float("-inf")

    def work(self, data: LabelledData) -> None:
        """Score the method in-sample and held out, then test it against shuffled labels."""
        self._tell(stage=f"fitting the plane anew in each of {N_FOLDS} folds")
        try:
            scores = self._scored(data)
        except _StoppedError:
            return
        self._tell_scores(scores, data)
        p_value = None if self.stopped else self._tested(data)
        # Of a few shuffles a p-value says little: the last one told stands, with its bounds.
        if not self.stopped:
            words = _words(scores, data, p_value)
            self._tell(words=words, stage="done", fraction=1.0, p_value=p_value)

    def _scored(self, data: LabelledData) -> CrossValidatedSeparability:
        return cross_validated_separability(
            self._record.method,
            data.X,
            data.y,
            parameters=self._parameters,
            standardize=_is_standardised(data),
            n_folds=N_FOLDS,
            max_rows=MOST_CHECKED_ROWS,
            random_state=self._parameters["random_state"],
            callback=self._after_fold,
        )

    def _tested(self, data: LabelledData) -> float:
        test = permutation_test(
            self._record.method,
            data.X,
            data.y,
            statistic="in_sample",
            n_permutations=N_PERMUTATIONS,
            parameters=self._parameters,
            standardize=_is_standardised(data),
            max_rows=MOST_CHECKED_ROWS,
            random_state=self._parameters["random_state"],
            callback=self._after_shuffle,
        )
        return test.p_value

    def _after_fold(self, fold: FoldResult) -> None:
        self._tell(fraction=0.3 * fold.number / N_FOLDS)
        if self.stopped:
            raise _StoppedError

    def _tell_scores(self, scores: CrossValidatedSeparability, data: LabelledData) -> None:
        self._tell(
            words=_words(scores, data, None),
            stage="fitting to shuffled labels",
            scores=_scores(scores),
            overlap=tuple(map(tuple, scores.held_out.overlap.tolist())),
            notes=scores.held_out.notes,
        )

    def _after_shuffle(self, value: PermutedValue) -> bool:
        if self._clock.monotonic() - self._told_s >= _LEAST_WAIT_S:
            self._tell(
                fraction=0.3 + 0.7 * value.number / value.n_permutations,
                p_value=value.p_value,
                lower=value.lower,
                upper=value.upper,
                n_permutations=value.number,
            )
        return self.stopped

    def _tell(self, **changes: Any) -> None:
        self._report = replace(self._report, **changes)
        self._store.put_report(self._record.run_id, self._report.to_bytes())
        self._told_s = self._clock.monotonic()
        self.stopped = self._store.cancel_requested(self._record.run_id)


def _is_standardised(data: LabelledData) -> bool:
    """Whether the features were brought to one scale; then so they are within each fold."""
    return bool((data.scale != 1.0).any())


def _scores(scores: CrossValidatedSeparability) -> dict[str, tuple[float, float, float]]:
    return {
        name: (seen, *unseen)
        for (name, unseen), (seen, _) in zip(
            _accuracies(scores.held_out).items(),
            _accuracies(scores.in_sample).values(),
            strict=True,
        )
    }


def _accuracies(separability: Separability) -> dict[str, tuple[float, float]]:
    """Balanced accuracy and standard error, of the mean first and of each classifier."""
    named = {"mean": separability.mean, **separability.classifiers}
    return {name: (score.balanced_accuracy, score.standard_error) for name, score in named.items()}


def _words(scores: CrossValidatedSeparability, data: LabelledData, p_value: float | None) -> str:
    return verdict(scores.in_sample, scores.held_out, p_value, class_names=data.class_names)
