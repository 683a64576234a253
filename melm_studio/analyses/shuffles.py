"""Refits to shuffled labels, under each way in which rows may belong together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sklearn.decomposition import PCA

from melm_core.answers import LEVEL, TOLD_APART, Answer, answer_of
from melm_core.base import UserError
from melm_core.evaluation import (
    PermutationTest,
    Refits,
    Score,
    Study,
    Unchanged,
    permutation_test,
)
from melm_core.folds import sampled_rows
from melm_core.methods import AUTO, GAMMA, METHODS, STARTS, Method
from melm_studio.runs.execution.rows import study_of
from melm_studio.runs.records.check_report import TriedReading
from melm_studio.runs.records.run import RunRecord
from melm_studio.scores import PermutationP
from melm_studio.tables import LabeledData, Question, Reading

MOST_PERMUTED_ROWS = 600

# With fewer permutations no p-value is at or below the level.
FIRST_ANSWER = round(1 / LEVEL) - 1


def shuffles_of_each(n_shuffles: int, n_tests: int) -> int:
    """Shuffles of each of several tests that share a number of them; so many that p can be .05.

    Examples
    --------
    >>> [shuffles_of_each(199, n_tests) for n_tests in (1, 2, 4, 5, 9)]
    [199, 99, 39, 39, 19]
    """
    if n_tests == 1:
        return n_shuffles
    least = FIRST_ANSWER + 1
    return max(1, (n_shuffles + 1) // n_tests // least) * least - 1


def shuffled(
    data: LabeledData,
    record: RunRecord,
    n_permutations: int,
    callback: Callable[[PermutationTest], bool | None] | None = None,
) -> PermutationTest:
    """Compare the method of a run with refits to shuffled labels, which stop once that is clear.

    Parameters
    ----------
    data : LabeledData
    record : RunRecord
    n_permutations : int
        At most.
    callback : callable, optional
        See `permutation_test`.
    """
    study = _shuffled_study(data, record)
    return permutation_test(
        study if data.within is None else study.with_occasions(),
        statistic="held_out",
        n_permutations=n_permutations,
        max_rows=MOST_PERMUTED_ROWS,
        callback=callback,
    )


def is_embedded_once(method: Method) -> bool:
    """Return whether a method takes long and ignores the labels.

    It is fitted once, to all rows that are tested: what it finds does not depend on a shuffle.
    """
    return method.keeps_embedding and not method.uses_labels


def _shuffled_study(data: LabeledData, record: RunRecord) -> Study:
    method = METHODS[record.method]
    if not is_embedded_once(method):
        return study_of(data, record, fixed=_of_shuffles(record))
    study = study_of(data, record)
    rows = study.rows
    sample = sampled_rows(rows.y, MOST_PERMUTED_ROWS, rows.groups)
    embedded = method.estimator(record.parameters_without_start).fit_transform(data.X[sample])
    return Study(
        PCA(embedded.shape[1], svd_solver="full"),
        embedded,
        rows.y[sample],
        groups=sample if rows.groups is None else rows.groups[sample],
        preparation=Unchanged(),
        random_state=study.random_state,
    )


def _of_shuffles(record: RunRecord) -> dict[str, Any]:
    """Parameters of the permutation test: one start, for true and permuted labels alike.

    Nor is gamma chosen by inner folds: the chosen one would favor the true labels.
    """
    is_search = METHODS[record.method].takes(STARTS.name)
    chooses_gamma = record.parameters_without_start[GAMMA.name] == AUTO
    one_start = {STARTS.name: 1} if is_search else {}
    return one_start | ({GAMMA.name: GAMMA.default} if chooses_gamma else {})


def tried_reading(
    reading: Reading,
    record: RunRecord,
    n_permutations: int,
    *,
    share: float | None,
    callback: Callable[[Any], None],
) -> TriedReading:
    """Return the answer for a run's method if rows belong together as a reading says.

    Parameters
    ----------
    reading : Reading
    record : RunRecord
    n_permutations : int
        At most.
    share : float or None
        Of the held-out rows; by default that of folds that keep these rows together.
    callback : callable
        Called after every fold and every permutation; what it raises passes.
    """
    try:
        test = shuffled(reading.data, record, n_permutations, callback)
        folded = None if share is not None else _share(reading.data, record, callback)
    except UserError:  # too few groups for folds that have every class
        return record_of(reading, Answer.UNKNOWN)
    answer = answer_of(
        folded.balanced_accuracy if folded else share or 0.0,
        len(reading.data.class_names),
        test.p_value,
        smallest_p_value=test.design.smallest_p_value,
    )
    p = PermutationP(test.p_value, len(test.values), test.n_exceeding)
    return record_of(reading, answer, p, folded)


def record_of(
    reading: Reading,
    answer: Answer,
    p: PermutationP | None = None,
    score: Score | None = None,
) -> TriedReading:
    """Record the answer for rows that belong together as a reading says."""
    return TriedReading(
        question=reading.question.id,
        choice=reading.answer,
        together=reading.together,
        n_rows=reading.n_rows,
        answer=answer,
        p_value=p.value if p else None,
        n_permutations=p.n_permutations if p else 0,
        n_exceeding=p.n_exceeding if p else 0,
        share=score.balanced_accuracy if score else None,
        standard_error=score.standard_error if score else None,
    )


def _share(data: LabeledData, record: RunRecord, callback: Callable[[Any], None]) -> Score:
    study = study_of(data, record)
    return Refits.of(study, gamma=record.density_gamma, callback=callback).share


def agreed(
    answer: Answer, tried: Sequence[TriedReading], suspicions: Sequence[Question]
) -> tuple[Answer, tuple[Question, ...]]:
    """Return the answer of all readings, or unknown and the questions on which it depends.

    Parameters
    ----------
    answer : Answer
        A yes, if rows are independent.
    tried : sequence of TriedReading
        Up to the first that is no yes.
    suspicions : sequence of Question
        What was not tried of them allows no test.

    Examples
    --------
    >>> one = TriedReading("doubles", "together", "nearly equal rows", 2, "partly")
    >>> answer, asked = agreed(Answer.YES, [one], ())
    >>> str(answer), asked
    ('partly', ())
    """
    answers = {answer, *(Answer(each.answer) for each in tried)}
    differing = {each.question for each in tried if each.answer not in TOLD_APART}
    untried = {each.id for each in suspicions} - {each.question for each in tried}
    if asked := differing or untried:
        return Answer.UNKNOWN, tuple(each for each in suspicions if each.id in asked)
    return (Answer.PARTLY if Answer.PARTLY in answers else Answer.YES), ()
