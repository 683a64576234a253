"""The verdict of the rows that took no part in the fit of a plane."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import floor, log

import msgspec
import numpy as np

from melm_core.answers import TOLD_APART, Answer, answer_of
from melm_core.base import units_of_classes
from melm_core.diagnostics import held_out_p_value
from melm_studio.planes.types import Predictions, Scores
from melm_studio.runs.records.run import PlaneEvent
from melm_studio.scores import FEW_HELD_OUT, Rows, Verdict, answer_given, plane_verdict
from melm_studio.tables import Question

# From one measured plane to the next, the best divergence has at least about this ratio; below the
# least divergence, which is as good as none, no plane but the first is measured.
RISE = 1.025
LEAST = 0.02


def held_out_verdict(
    scores: Scores,
    predictions: Predictions | None,
    class_counts: Mapping[str, int],
    questions: Sequence[Question] = (),
    *,
    suspicions: Sequence[Question] = (),
    is_of_map: bool = False,
) -> Verdict:
    """The verdict of the held-out rows; of the training rows if a class has none held out.

    It is never a yes: that needs shuffles, of which only a check knows.

    Parameters
    ----------
    scores : Scores
        Of the plane.
    predictions : Predictions or None
        Of the held-out rows.
    class_counts : mapping of str to int
        All rows of each class, training and held-out.
    questions : sequence of Question
        Those of the table that nobody has answered; until then the answer is no plain yes.
    suspicions : sequence of Question
        About rows that may depend on each other, which a check tries each way before any yes.
    is_of_map : bool
        Whether the plane is a map that labels may have made, whose answer is never a yes.
    """
    accuracy, n_classes = scores.accuracy_held_out, len(class_counts)
    if accuracy is None or predictions is None:
        verdict = plane_verdict(scores.accuracy_train, None, n_classes)
        return msgspec.structs.replace(verdict, answer=Answer.UNKNOWN)
    y, predicted, groups = predictions.y, predictions.predicted, predictions.groups
    units = units_of_classes(y, groups, n_classes)
    recall = np.bincount(y[y == predicted], minlength=n_classes) / np.bincount(y)
    variances = recall * (1.0 - recall) / units
    standard_error = float(np.sqrt(variances.sum()) / n_classes)
    answer = answer_of(accuracy, n_classes, held_out_p_value(y, predicted, groups=groups))
    is_above = accuracy - 1.0 / n_classes > standard_error
    if answer is Answer.NO and is_above and units.min() < FEW_HELD_OUT:
        answer = Answer.UNKNOWN  # more rows could well show that the classes are told apart
    given: Answer | None = answer_given(answer, (*questions, *suspicions))
    if given in TOLD_APART:
        given = Answer.UNKNOWN if is_of_map else None
    return Verdict(
        answer=given,
        is_of_map=is_of_map,
        questions=tuple(questions) if given is not answer else (),
        suspicions=tuple(suspicions) if given is not answer else (),
        rows=Rows.HELD_OUT,
        share=accuracy,
        n_classes=n_classes,
        share_train=scores.accuracy_train,
        standard_error=standard_error,
        units=tuple(units.tolist()),
        has_groups=groups is not None and len(np.unique(groups)) < len(y),
        class_counts=class_counts,
    )


def measured_planes(events: Iterable[PlaneEvent], before: PlaneEvent | None) -> list[PlaneEvent]:
    """The planes of a run whose held-out divergence its curve shows, some dozens in all.

    Parameters
    ----------
    events : iterable of PlaneEvent
        Planes of one run, in their order.
    before : PlaneEvent or None
        The plane before them; None before the first plane of the run.

    Returns
    -------
    list of PlaneEvent
        The first plane over the same rows, those that raise the best one over the next step of a
        fixed scale, and the last of a run that has ended.
    """
    measured = []
    for event in events:
        is_best = event.objective >= event.best_objective
        is_comparable = before is not None and before.n_sampled == event.n_sampled
        level = _level(before) if before is not None and is_comparable else None
        if event.is_final or (is_best and (level is None or _level(event) > level)):
            measured.append(event)
        before = event
    return measured


def _level(event: PlaneEvent) -> int:
    """The step of the scale on which the best divergence so far is."""
    return floor(log(max(event.best_objective, LEAST) / LEAST) / log(RISE))
