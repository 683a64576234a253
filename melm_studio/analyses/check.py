"""Is it real? The check of a run: computed, in words, as the verdict above its picture, printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from melm_core.answers import LEVEL, TOLD_APART, Answer, answer_of, is_settled_below
from melm_core.base import FloatArray, PermutationDesign, p_value_text, percent
from melm_core.evaluation import PermutationTest, Stability, audit_coordinates, stability
from melm_core.methods import METHODS, SEED, STARTS
from melm_studio.analyses.analysis import Analysis, DataShape, Section, Subject, Table, Work, demand
from melm_studio.analyses.content import confusion, notes, table
from melm_studio.analyses.refits import REFITS_OF_RUN, keep_refits, refitted
from melm_studio.analyses.resamples import feature_stability
from melm_studio.analyses.shuffles import (
    FIRST_ANSWER,
    agreed,
    is_embedded_once,
    shuffled,
    shuffles_of_each,
    tried_reading,
)
from melm_studio.configuration.messages import CHECK_STOPPED, WAITS
from melm_studio.planes.captions import title
from melm_studio.planes.renderer import QUICK_METHOD, PlaneRenderer
from melm_studio.planes.run_planes import RunPlanes
from melm_studio.planes.view_options import Shown
from melm_studio.runs.execution.rows import rows_of_one_basis, study_of
from melm_studio.runs.records.check_report import CheckReport, FeatureStability, TriedReading
from melm_studio.runs.records.refits_report import (
    CLASSIFIER,
    LINEAR_RULE,
    RefitsReport,
    refits_id,
)
from melm_studio.runs.records.run import PlaneEvent, RunRecord, RunState
from melm_studio.runs.store.protocol import ReportUnreadableError, RunStore
from melm_studio.scores import (
    UNKNOWN,
    CheckProgress,
    Verdict,
    accuracy_text,
    angle_sentence,
    answer_given,
    better_note,
    check_sentence,
    check_verdict,
    of_made_labels,
    permutation_p,
    refits_verdict,
)
from melm_studio.tables import (
    LabeledData,
    Reading,
    Use,
    has_chosen_groups,
    is_made_of_features,
    is_map,
    map_columns,
    readings,
    twin_notes,
)

N_PERMUTATIONS = 199
N_RESAMPLES = 20
MOST_RESAMPLED_ROWS = 20_000

_CLASSIFIERS = {CLASSIFIER: "Class densities", LINEAR_RULE: "Linear rule"}

# Nobody can read a p-value that changes faster than this.
_LEAST_WAIT_S = 0.2

# Shares of the work done after the folds and after the permutations.
_AFTER_FOLDS, _AFTER_PERMUTATIONS = 0.1, 0.9

# In how many resamples a feature is selected that counts as stable.
STABLE_SHARE = 0.5

_REFINED = (
    "The check judges the method from fresh starts, not this plane, which was refined from one "
    "that you chose."
)
_LEFT_OUT = (
    "Columns were left out by hand. If you chose them after looking at a plane, the answer is too "
    "favorable: the choice is not repeated in the folds."
)
_ONE_START = (
    "For the permutation test, the search has one start, for true and shuffled labels alike."
)
_ONE_EMBEDDING = (
    "The permutation test embeds the rows once, without labels; each shuffle refits the "
    "densities that classify them."
)
_EQUAL_ROWS = "Rows with equal values and label stayed together, as one."
_KEEPING = "comparing with shuffles that keep {together} together"
_MAP = "{names} look like a map that came with the table: {sentence}"
_FITTED_TO_MAP = (
    "This run was fitted to them, as to all features: if the labels were used to make them, its "
    "own answer is too favorable. Leave them out in Columns and run again."
)
_JUDGED = (
    "The method is refitted without each fold and scored on it. For p, it is refitted in other "
    "folds, with true and with shuffled labels. This judges the method with these settings, not "
    "the plane on screen."
)
_UNFINISHED = "The check had not ended when this report was made; its numbers are those so far."


class Check(Analysis[CheckReport]):
    """Analysis whether the structure that the method of a run finds is real."""

    report = CheckReport
    name = "check"
    title = "Folds and shuffles"
    stopped = CHECK_STOPPED

    def compute(self, work: Work) -> None:
        """Score the method on held-out rows, test it with permuted labels, and resample the rows.

        The report has an answer after `FIRST_ANSWER` permutations at the earliest, and a yes only
        once it stays.
        """
        _Checking(work).run(work.data)

    def progress(self, report: CheckReport) -> tuple[float, str]:
        return report.fraction, report.stage

    def sentence(self, report: CheckReport, *, is_final: bool) -> str:
        return check_sentence(report) or "No results yet."

    def shown(
        self, report: CheckReport, subject: Subject, query: Mapping[str, str]
    ) -> dict[str, Any]:
        names, file = subject.class_names, f"runs/{subject.run.run_id}/overlap.csv"
        tables = check_tables(report, names, is_final=subject.is_final)[:1]
        content = [
            table(each.head, each.rows, caption=each.caption, note=each.note) for each in tables
        ]
        if report.overlap:
            content.append(confusion(names, report.overlap, file))
        angle = [angle_sentence(report.stability)] if report.stability else []
        return {"content": [*content, notes([*angle, *report.notes, _JUDGED])]}

    def section(self, report: CheckReport, subject: Subject) -> Section | None:
        is_final = subject.is_final
        sentences = check_sentences(report, is_final=is_final)
        tables = check_tables(report, subject.class_names, is_final=is_final)
        return Section("Is it real?", sentences, tables) if sentences else None

    def validate(self, report: CheckReport, shape: DataShape) -> None:
        features = report.stability
        lists = () if features is None else (features.frequencies, features.lower, features.upper)
        demand(report.answer in ("", *Answer))
        demand(all(reading.answer in [*Answer] for reading in report.readings))
        demand(len(report.overlap) in (0, shape.n_classes))
        demand(all(len(row) == shape.n_classes for row in report.overlap))
        demand(all(len(values) == shape.n_features for values in lists))

    def stored(self, store: RunStore, run_id: str) -> CheckReport:
        """Return the results so far, or why they cannot be read."""
        try:
            return super().stored(store, run_id)
        except ReportUnreadableError as error:
            return CheckReport(problem=str(error), fraction=1.0)


CHECK = Check()


def standing_checks(runs: Iterable[RunRecord]) -> dict[str, RunRecord]:
    """Return the newest check of each run, of those not cut short, by the id of the run."""
    checks = (run for run in runs if run.kind == CHECK.name)
    return {check.of_run: check for check in checks if not check.state.is_cut_short}


class _Checking:
    """A check at work, which keeps its report in the store meanwhile."""

    def __init__(self, work: Work) -> None:
        self._work, self._record = work, work.record
        self._report = CheckReport()
        self._updated_s = float("-inf")
        self._n_tests = 1  # that share the shuffles
        self._of_independent: Answer | None = None  # what waits for the other readings of the rows

    def run(self, data: LabeledData) -> None:
        """Find everything, or as much as there is time for: what is reported stays."""
        ways = readings(data)
        self._n_tests = 1 + len(ways)
        refits = self._refits()
        self._update_scores(refits, data)
        self._update_test(refits, self._tested(data, refits), data)
        self._try_each_way(ways, data)
        resampled = self._resampled(data)
        unfitted = () if resampled is None else resampled.notes
        notes = (*self._report.notes, *unfitted, *self._map_notes(data))
        stability = resampled and feature_stability(resampled)
        self._update(stability=stability, notes=notes, stage="done", fraction=1.0)

    def _refits(self) -> RefitsReport:
        """Return the refits of the run, or refit its method."""
        stored = REFITS_OF_RUN.stored(self._work.store, refits_id(self._record.of_run))
        if stored.is_complete and stored.share is not None:
            return stored
        self._update(stage="refitting the plane without each fold")
        report = refitted(self._work, self._after_fold)
        keep_refits(self._work.store, self._record, report)
        return report

    def _map_notes(self, data: LabeledData) -> Iterator[str]:
        """Yield notes on a map that came with the table."""
        axes = map_columns(data.feature_names)
        if axes is None or is_map(data.feature_names):  # which the verdict itself judges
            return
        self._update(stage="judging the map that came with the table")
        audit = audit_coordinates(
            data.X[:, axes.columns],
            data.y,
            data.groups,
            random_state=self._record.parameters_without_start[SEED.name],
            callback=lambda _: self._work.give_way(),
        )
        names = " and ".join(data.feature_names[i] for i in axes.columns)
        yield _MAP.format(names=names, sentence=audit.sentence)
        yield _FITTED_TO_MAP

    def _tested(self, data: LabeledData, refits: RefitsReport) -> PermutationTest:
        return shuffled(
            data,
            self._record,
            shuffles_of_each(N_PERMUTATIONS, self._n_tests),
            lambda test: self._after_permutation(test, refits),
        )

    def _resampled(self, data: LabeledData) -> Stability | None:
        is_linear = METHODS[self._record.method].is_linear
        if not is_linear or len(data.y) > MOST_RESAMPLED_ROWS:
            return None
        return stability(
            study_of(data, self._record, rows=rows_of_one_basis),
            column_groups=data.curve_groups,
            n_resamples=N_RESAMPLES,
            callback=self._after_resample,
        )

    def _after_fold(self, refits: RefitsReport) -> None:
        n_done, n_folds = refits.n_done, refits.n_folds
        stage = f"refitting the plane without each fold: {n_done} of {n_folds}"
        if refits.share is not None:
            stage = f"{stage}, {percent(refits.share)} of held-out rows told apart so far"
        self._update(stage=stage, fraction=_AFTER_FOLDS * n_done / n_folds)

    def _update_scores(self, refits: RefitsReport, data: LabeledData) -> None:
        bound = refits.bound
        self._update(
            stage="shuffling labels",
            scores=refits.scores,
            overlap=refits.overlap,
            notes=(
                *refits.notes,
                *method_notes(self._record, is_of_map=is_map(data.feature_names)),
            ),
            within=data.compared_within,
            is_of_map=is_map(data.feature_names),
            is_made=is_made_of_features(data.questions),
            without=refits.without,
            bound=bound,
            answer="" if bound is None else Answer.NO,
        )

    def _after_permutation(self, test: PermutationTest, refits: RefitsReport) -> None:
        n_done, first_answer = len(test.values), min(FIRST_ANSWER, test.n_permutations)
        is_first_answer = n_done == first_answer
        if is_first_answer or self._work.clock.monotonic() - self._updated_s >= _LEAST_WAIT_S:
            lower, upper = test.bounds
            has_answer = n_done >= first_answer
            self._update(
                stage=f"shuffling labels, {n_done} of {test.n_permutations}",
                fraction=self._tested_fraction(n_done / test.n_permutations),
                p_value=test.p_value,
                lower=lower,
                upper=upper,
                n_permutations=n_done,
                n_exceeding=test.n_exceeding,
                **(self._answered(_running_answer(refits, test)) if has_answer else {}),
            )

    def _update_test(self, refits: RefitsReport, test: PermutationTest, data: LabeledData) -> None:
        self._update(
            fraction=self._tested_fraction(1),
            p_value=test.p_value,
            lower=None,
            upper=None,
            n_permutations=len(test.values),
            n_exceeding=test.n_exceeding,
            notes=(*self._report.notes, *design_notes(test.design, data)),
            **self._answered(_answer(refits, test.p_value, test.design.smallest_p_value)),
        )

    def _answered(self, answer: Answer | None) -> dict[str, Any]:
        """An answer of the permutation test; until there is one, that of the folds stays."""
        if answer is None:
            return {} if self._report.bound is not None else {"answer": "", "questions": ()}
        given = answer_given(answer, self._work.data.open_questions)
        asked = self._work.data.open_questions if given is not answer else ()
        may_be_made = self._report.is_made or map_columns(self._work.data.feature_names)
        if given in TOLD_APART and may_be_made:
            given = Answer.UNKNOWN  # labels, or features, may be made of the other
        if given in TOLD_APART and self._work.data.suspicions:
            self._of_independent = given
            return self._answered(None)
        return {"answer": given, "questions": asked, "bound": None}

    def _try_each_way(self, ways: Sequence[Reading], data: LabeledData) -> None:
        """Test the readings of the rows, which share the shuffles, until one differs."""
        answer = self._of_independent
        shares: dict[str, float | None] = {}
        tried: list[TriedReading] = []
        for number, reading in enumerate(ways if answer else (), 1):
            self._update(stage=_KEEPING.format(together=reading.together))
            result = tried_reading(
                reading,
                self._record,
                shuffles_of_each(N_PERMUTATIONS, self._n_tests),
                share=shares.get(reading.question.id),
                callback=lambda _: self._work.give_way(),
            )
            shares.setdefault(reading.question.id, result.share)
            tried.append(result)
            self._update(readings=tuple(tried), fraction=self._tested_fraction(1 + number))
            if result.answer not in TOLD_APART:
                break
        self._update(
            stage="refitting to resampled rows",
            fraction=_AFTER_PERMUTATIONS,
            **({} if answer is None else self._of_each_way(answer, tried, data)),
        )

    def _of_each_way(
        self, answer: Answer, tried: Sequence[TriedReading], data: LabeledData
    ) -> dict[str, Any]:
        """Return the answer of all readings, with the largest p of those that agree."""
        answer, asked = agreed(answer, tried, data.suspicions)
        changes: dict[str, Any] = {"answer": answer, "questions": asked, "bound": None}
        if asked:
            return changes
        of_all: list[CheckReport | TriedReading] = [self._report, *tried]
        strictest = max(of_all, key=lambda each: each.p_value or 0.0)
        names = ("p_value", "n_permutations", "n_exceeding")
        return changes | {name: getattr(strictest, name) for name in names}

    def _tested_fraction(self, n_done: float) -> float:
        """Return the share of the work that is done after so many tests."""
        return _AFTER_FOLDS + (_AFTER_PERMUTATIONS - _AFTER_FOLDS) * n_done / self._n_tests

    def _after_resample(self, _plane: FloatArray, number: int, n_resamples: int) -> None:
        share = number / n_resamples
        self._update(fraction=_AFTER_PERMUTATIONS + (1.0 - _AFTER_PERMUTATIONS) * share)

    def _update(self, **changes: Any) -> None:
        self._report = replace(self._report, **changes)
        self._updated_s = self._work.clock.monotonic()
        self._work.put(self._report.to_bytes())


def _running_answer(refits: RefitsReport, test: PermutationTest) -> Answer | None:
    """Return the answer so far; None while its p-value may yet rise above the level."""
    answer = _answer(refits, test.p_value)
    is_settled = answer == Answer.NO or is_settled_below(
        test.n_exceeding, len(test.values), test.n_permutations, level=LEVEL
    )
    return answer if is_settled else None


def _answer(refits: RefitsReport, p_value: float, smallest_p_value: float = 0.0) -> Answer:
    accuracy, n_classes = refits.share or 0.0, len(refits.overlap)
    return answer_of(accuracy, n_classes, p_value, smallest_p_value=smallest_p_value)


def method_notes(record: RunRecord, *, is_of_map: bool = False) -> Iterator[str]:
    """Yield what cannot be repeated in the folds, so that the answer does not judge it.

    Parameters
    ----------
    record : RunRecord
        Of the check.
    is_of_map : bool
        Whether its features are the axes of a map, beside which all others were left out.
    """
    if record.parameters.init is not None:
        yield _REFINED
    if not is_of_map and Use.IGNORED in record.source.roles.values():
        yield _LEFT_OUT
    if METHODS[record.method].takes(STARTS.name):
        yield _ONE_START
    if is_embedded_once(METHODS[record.method]):
        yield _ONE_EMBEDDING


def design_notes(design: PermutationDesign, data: LabeledData) -> Iterator[str]:
    """Say which rows stayed together, and the smallest p-value if that is too large."""
    if design.n_groups_exchanged + design.n_groups_within:
        has_chosen = has_chosen_groups(data.columns, data.questions)
        yield design.sentence if has_chosen else _EQUAL_ROWS
    if limit := design.limit_sentence(LEVEL):
        yield limit


def run_verdict(
    renderer: PlaneRenderer,
    store: RunStore,
    record: RunRecord,
    event: PlaneEvent,
    *,
    fits: Iterable[RunRecord],
    check: RunRecord | None,
) -> Verdict:
    """Return the answer of the check of a run or, without one, of its held-out rows.

    Parameters
    ----------
    renderer : PlaneRenderer
    store : RunStore
    record : RunRecord
        Of a run that has ended.
    event : PlaneEvent
        Its newest plane.
    fits : iterable of RunRecord
        The runs of the visitor.
    check : RunRecord or None
        Of the run.
    """
    report = CheckReport() if check is None else CHECK.stored(store, check.run_id)
    progress = None if check is None else _progress(check, report)
    batches = renderer.scores(Shown.of(record, event)).batches
    of_batch = "" if batches is None else batches.caution
    first = ("" if batches is None or of_batch else batches.sentence, report.problem)
    so_far = {"check": progress, "of_batch": of_batch, "can_bend": record.can_bend}
    verdict = check_verdict(report)
    if verdict is not None:  # the other remarks are in the details
        return replace(verdict, remarks=first, **so_far)
    refits = refits_so_far(renderer.planes, store, record)
    verdict = refits_verdict(refits) or renderer.held_out(Shown.of(record, event))
    questions = renderer.planes.questions(record)
    verdict = of_made_labels(verdict) if is_made_of_features(questions) else verdict
    better = _better_note(verdict, renderer, record, fits)
    remarks = (*twin_notes(questions), *first, better)
    return replace(verdict, remarks=remarks, **so_far)


def refits_so_far(planes: RunPlanes, store: RunStore, record: RunRecord) -> RefitsReport:
    """Return what the refits of a run have found, also of the folds that are done before others."""
    if record.parameters.held_out > 0.0:
        return RefitsReport()
    return planes.refits(record) or REFITS_OF_RUN.stored(store, refits_id(record.run_id))


def _progress(check: RunRecord, report: CheckReport) -> CheckProgress:
    stage = WAITS if check.state is RunState.QUEUED else check.message or report.stage
    return CheckProgress(stage, report.fraction, check.state.is_final)


def _better_note(
    verdict: Verdict, renderer: PlaneRenderer, record: RunRecord, fits: Iterable[RunRecord]
) -> str:
    if verdict.standard_error is None:  # no row is held out
        return ""
    others = {
        title(other): score
        for other in fits
        if _has_same_rows(other, record)
        if (score := renderer.final_accuracy(other)) is not None
    }
    if not others and record.method != QUICK_METHOD:
        quick = renderer.quick_accuracy(record)
        others = {} if quick is None else {f"A quick {METHODS[QUICK_METHOD].label}": quick}
    return better_note(verdict.share, verdict.standard_error, others)


def _has_same_rows(other: RunRecord, record: RunRecord) -> bool:
    """Return whether another finished run was fitted to the same rows, for comparable shares."""
    return (
        other.run_id != record.run_id
        and other.state is RunState.DONE
        and other.data_id == record.data_id
        and other.parameters.held_out == record.parameters.held_out
        and other.parameters.random_state == record.parameters.random_state
    )


def with_stability(
    ranking: Mapping[str, Any], resampled: FeatureStability | None
) -> dict[str, Any]:
    """Add to a ranking of features how often resamples select each of them.

    Parameters
    ----------
    ranking : mapping
        With ``features``, each with its number as ``feature``.
    resampled : FeatureStability or None
        Of the check of the run; without it, nothing is added.

    Examples
    --------
    >>> resampled = FeatureStability(8.0, 20, 1, (0.9, 0.1), (0.4, 0.0), (0.6, 0.2))
    >>> ranking = with_stability({"features": [{"feature": 1}]}, resampled)
    >>> ranking["features"][0]["is_stable"]
    False
    """
    if resampled is None:
        return dict(ranking)
    features = [
        {**feature, **_of_feature(resampled, feature["feature"])} for feature in ranking["features"]
    ]
    return {**ranking, "features": features, "stability": angle_sentence(resampled)}


def _of_feature(resampled: FeatureStability, code: int) -> dict[str, Any]:
    frequency = resampled.frequencies[code]
    selected = f"Among the {resampled.n_top} strongest" if resampled.n_top > 1 else "The strongest"
    interval = f"length of its loadings {resampled.lower[code]:.2f} to {resampled.upper[code]:.2f}"
    words = f"{selected} in {percent(frequency)} of {resampled.n_resamples} resamples; {interval}"
    return {"is_stable": frequency >= STABLE_SHARE, "stability": words}


def check_sentences(report: CheckReport, *, is_final: bool) -> tuple[str, ...]:
    """Return sentences on the check of a run, the answer first; empty before there is one."""
    if not (answer := check_sentence(report)):
        return ()
    return (
        answer,
        *([] if is_final else [_UNFINISHED]),
        *([angle_sentence(report.stability)] if report.stability else []),
        *report.notes,
    )


def check_tables(
    report: CheckReport, class_names: Sequence[str], *, is_final: bool
) -> tuple[Table, ...]:
    """Tabulate the scores of a check and its confusion of the classes, as far as known."""
    if not report.scores:
        return ()
    rows = tuple(
        (
            _CLASSIFIERS.get(name, name),
            accuracy_text(train),
            f"{accuracy_text(held_out)} ± {error:.2f}",
            f"{train - held_out:+z.2f}",
        )
        for name, (train, held_out, error) in report.scores.items()
    )
    scores = Table(
        "Balanced accuracy in cross-validation",
        ("Classifier", "Training", "Held out", "Gap"),
        rows,
        note=f"± is the standard error. Guessing gives "
        f"{percent(1 / len(class_names))}. Permutation test: "
        f"{p_value_caption(report, is_final=is_final)}.",
    )
    tables = (scores, *_readings_table(report))
    if not report.overlap:
        return tables
    confusion = Table(
        "Held-out confusion between each pair of classes",
        ("Class", *class_names),
        tuple(
            (name, *("" if i == j else f"{share:.2f}" for j, share in enumerate(shares)))
            for i, (name, shares) in enumerate(zip(class_names, report.overlap, strict=True))
        ),
        note="Chance confuses two classes half of the time.",
    )
    return (*tables, confusion)


def _readings_table(report: CheckReport) -> Iterator[Table]:
    if report.readings:
        rows = tuple(
            (
                reading.together,
                reading.answer,
                accuracy_text(reading.share),
                UNKNOWN if reading.p_value is None else p_value_text(reading.p_value),
            )
            for reading in report.readings
        )
        columns = ("Kept together", "Answer", "Held out", "Permutation test")
        yield Table(
            "Rows that may belong together",
            columns,
            rows,
            note="Until the first answer that is not yes.",
        )


def p_value_caption(report: CheckReport, *, is_final: bool) -> str:
    """Say the p-value in words; a dash while it is unknown."""
    p = permutation_p(report, is_final=is_final)
    return UNKNOWN if p is None else p.caption
