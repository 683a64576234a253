"""Scores of a plane: the share of rows that it tells apart, and of their batches within classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor, log

import msgspec
import numpy as np

from melm_core.answers import TOLD_APART, Answer, answer_of
from melm_core.base import FloatArray, IntArray, stratified_sample, units_of_classes
from melm_core.density import (
    ClassDensities,
    NuisanceAccuracy,
    NuisanceCells,
    kernel_cells,
    nuisance_accuracy,
    nuisance_cells,
)
from melm_core.diagnostics import confusion_shares, held_out_p_value, mutual_confusion
from melm_studio.runs.records.refits_report import RefitsReport
from melm_studio.runs.records.run import PlaneEvent
from melm_studio.scores import (
    FEW_HELD_OUT,
    Rows,
    Verdict,
    answer_given,
    batch_caution,
    batch_sentence,
    batch_shares,
    plane_verdict,
)
from melm_studio.tables import LabeledData, Question, Role

# Rows that are classified; the densities are of all training rows.
MAX_SCORED_ROWS = 5_000
# From one measured plane to the next, the best divergence has at least about this ratio; below the
# least divergence, which is as good as none, no plane but the first is measured.
RISE = 1.025
LEAST = 0.02


@dataclass(frozen=True)
class BatchScores:
    """Scores of telling the batch of training and of held-out rows from their place in the plane.

    Within each class. None of held-out rows if none of them has a batch of the training rows.
    """

    train: NuisanceAccuracy
    held_out: NuisanceAccuracy | None

    @property
    def sentence(self) -> str:
        """The separation of batches within the classes, as a sentence."""
        told, rows = self._shown
        return batch_sentence(told.accuracy, told.chance, told.standard_error, rows)

    @property
    def caution(self) -> str:
        """That what separates may be the batches; empty where none can be told apart."""
        told, rows = self._shown
        return batch_caution(told.accuracy, told.chance, told.standard_error, rows)

    @property
    def shares(self) -> str:
        """The share of rows whose batch is told from their place, and that of guessing."""
        told, rows = self._shown
        return batch_shares(told.accuracy, told.chance, rows)

    @property
    def _shown(self) -> tuple[NuisanceAccuracy, Rows]:
        if self.held_out is None:
            return self.train, Rows.TRAINING
        return self.held_out, Rows.HELD_OUT


@dataclass(frozen=True)
class Scores:
    """Scores of a plane on training and held-out rows.

    Attributes
    ----------
    accuracy_train, accuracy_held_out : float or None
        Balanced accuracy of the class densities; None if a class has no held-out row.
    divergence_held_out : float or None
        Divergence between training and held-out rows in nats, see `held_out_divergence`.
    batches : BatchScores or None
        None without a Batch column, or if every class has one batch only.
    """

    accuracy_train: float
    accuracy_held_out: float | None
    divergence_held_out: float | None
    batches: BatchScores | None = None

    def of_folds(self, refits: RefitsReport) -> Scores:
        """The same of a run whose refits are done: by planes that never saw a row."""
        return replace(
            self,
            accuracy_train=self.accuracy_train
            if refits.train_share is None
            else refits.train_share,
            accuracy_held_out=refits.share,
            divergence_held_out=refits.divergence,
        )

    def verdict(self, n_classes: int) -> Verdict:
        """Verdict by the shares, of any plane, also one that no run has found."""
        return plane_verdict(self.accuracy_train, self.accuracy_held_out, n_classes)


@dataclass(frozen=True, eq=False)
class Predictions:
    """Classes of held-out rows, and those that the class densities predict.

    Attributes
    ----------
    y, predicted : ndarray of shape (n_held_out,)
    groups : ndarray of shape (n_held_out,) or None
        Rows with the same number depend on each other.
    """

    y: IntArray
    predicted: IntArray
    groups: IntArray | None

    def overlap(self, n_classes: int) -> FloatArray | None:
        """Shares of the rows of each pair of classes that are taken for each other.

        None where a class has no row. See `melm_core.evaluation.Refits.overlap`.
        """
        if len(np.unique(self.y)) < n_classes:
            return None
        return mutual_confusion(confusion_shares(self.y, self.predicted, n_classes))


@dataclass(frozen=True, eq=False)
class BatchCells:
    """The densities of the training rows of each batch within each class.

    Attributes
    ----------
    cells : NuisanceCells
    kernels : tuple of ClassDensities
        In all features.
    parts : tuple of (rows, class codes, batch codes)
        The training and the held-out rows that are scored.
    """

    cells: NuisanceCells
    kernels: tuple[ClassDensities, ...]
    parts: tuple[tuple[FloatArray, IntArray, IntArray], ...]

    @classmethod
    def of(
        cls, train: LabeledData, held_out: LabeledData, *, gamma: float, n_components: int
    ) -> BatchCells | None:
        """The cells of some data; None without batches, or if classes and batches coincide."""
        columns = [data.row_column(Role.BATCH) for data in (train, held_out)]
        values = [column.values for column in columns if column is not None]
        if len(values) < len(columns):
            return None
        # Of both parts together, so that a batch has one code.
        codes = np.unique(np.concatenate(values), return_inverse=True)[1].astype(np.int64)
        batches = np.split(codes, [len(train.y)])
        cells = nuisance_cells(train.y, batches[0], n_components=n_components)
        if cells.is_confounded:
            return None
        kernels = kernel_cells(train.X, cells, n_components=n_components, gamma=gamma)
        parts = tuple(
            _sampled(data, codes_of_part)
            for data, codes_of_part in zip((train, held_out), batches, strict=True)
        )
        return cls(cells, kernels, parts)

    def scores(self, components: FloatArray, factor: float = 1.0) -> BatchScores | None:
        """The accuracies in a plane, with kernels `factor` times as wide."""
        projected = tuple(kernel.project(components).widened(factor) for kernel in self.kernels)
        of_train, of_held_out = self.parts
        train = self._accuracy(of_train, components, projected, leave_out=True)
        held_out = self._accuracy(of_held_out, components, projected, leave_out=False)
        return None if train is None else BatchScores(train, held_out)

    def _accuracy(
        self,
        part: tuple[FloatArray, IntArray, IntArray],
        components: FloatArray,
        projected: tuple[ClassDensities, ...],
        *,
        leave_out: bool,
    ) -> NuisanceAccuracy | None:
        X, y, batches = part
        points = X @ components.T
        return nuisance_accuracy(points, y, batches, self.cells, projected, leave_out=leave_out)


def _sampled(data: LabeledData, batches: IntArray) -> tuple[FloatArray, IntArray, IntArray]:
    share = min(1.0, MAX_SCORED_ROWS / max(1, len(data.y)))
    rows = stratified_sample(data.y, share, len(data.class_names))
    return data.X[rows], data.y[rows], batches[rows]


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
