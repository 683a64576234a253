"""Labels that are predicted for rows which the fit did not see: classes, however many, or numbers.

A study names few classes, by which its folds are stratified. What is predicted may be finer: a
number that they are ranges of, or a thousand classes of which they merge some.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from melm_core.answers import FIRST_WORDS, Answer, answer_of, folds_lead, shuffles_sentence
from melm_core.base.array_types import IntArray
from melm_core.base.errors import UserError
from melm_core.base.sample_weights import balanced_share
from melm_core.base.share_text import percent
from melm_core.evaluation.permutations import PermutationTest, n_test_folds, permutation_test
from melm_core.evaluation.plane_separability import Score
from melm_core.evaluation.refits import score_of
from melm_core.evaluation.refitting import FittedProjection, fit_projection
from melm_core.evaluation.study import FoldCount, Study
from melm_core.folds.folds import Fold, sampled_rows

Labels = npt.NDArray[Any]

_MOST_SHUFFLED_ROWS = 600  # as in the check of the page


@dataclass(frozen=True, eq=False)
class LabelPredictions:
    """Labels of rows, predicted without them, and how near they are.

    Attributes
    ----------
    study : Study
    labels : ndarray of shape (n_samples,)
    predicted : ndarray of shape (n_samples,)
        Labels, each by the fit without the fold of its row.
    fold_of_rows : ndarray of int of shape (n_samples,)
    held_out : float
        Of classes the balanced accuracy. Of numbers Q2: one less the mean square of the errors
        over the variance, negative where the mean would be nearer.
    standard_error : float
        Of it, over the folds.
    train : float
        The same of the rows of each fit.
    chance : float
        What guessing gives: one over the number of classes, or 0.

    Notes
    -----
    A rare class may be missing among the training rows of a fold: its rows are then told wrongly.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import RidgeCV
    >>> from melm_core.evaluation import LabelPredictions, Study
    >>> X, y = load_diabetes(return_X_y=True)
    >>> found = LabelPredictions.of(Study(RidgeCV(), X, y > np.median(y)), y)
    >>> found.sentence()
    'Predictions explain 49 ± 4 % of the variance of held-out rows; guessing gives 0 %.'
    >>> found.permutation_test(n_permutations=19).p_value
    0.05
    """

    study: Study
    labels: Labels
    predicted: Labels
    fold_of_rows: IntArray
    held_out: float
    standard_error: float
    train: float
    chance: float

    @classmethod
    def of(cls, study: Study, labels: Any, *, n_folds: FoldCount = "auto") -> Self:
        """Predict the label of every row by fits that did not see it, nor its group.

        Parameters
        ----------
        study : Study
            Of a classifier or a regressor, with rows in memory. Its classes stratify the folds, and
            its preparation is learned in each.
        labels : array-like of shape (n_samples,)
            Classes or, if they are floats, numbers; rows with the same label have one class of the
            study.
        n_folds : int or "auto", default="auto"
            See `Study.folds`.

        Raises
        ------
        ValueError
            If there is not a label for each row, a number is not finite, or folds are impossible.
        """
        coded = _coded(study, labels)
        values, codes = coded.rows.classes, coded.rows.y
        folds = study.folds(study.folds_of_all_rows if n_folds == "auto" else n_folds)
        given, fold_of_rows = values[codes], np.full(len(codes), -1)
        predicted, of_training_rows = np.empty_like(given), []
        for number, (fold, refit) in enumerate(_refits(study, given, folds)):
            fold_of_rows[fold.test] = number
            predicted[fold.test] = refit.predict(study.rows.X[fold.test])
            train, fitted = given[fold.train], refit.predict(study.rows.X[fold.train])
            of_training_rows.append(
                _nearness(train, fitted, np.unique(train, return_inverse=True)[1])
            )
        held_out = np.flatnonzero(fold_of_rows >= 0)
        score = _score(coded.take(held_out), predicted[held_out], fold_of_rows[held_out])
        return cls(
            study,
            given,
            predicted,
            fold_of_rows,
            held_out=score.balanced_accuracy,
            standard_error=score.standard_error,
            train=float(np.mean(of_training_rows)),
            chance=0.0 if _are_numbers(values) else 1.0 / len(values),
        )

    def permutation_test(self, n_permutations: int = 199) -> PermutationTest:
        """Test whether labels are predicted better than shuffled ones, with full refits.

        Whole groups exchange their label where all their rows share one. Of more than 600 rows a
        stratified sample is shuffled.

        Parameters
        ----------
        n_permutations : int, default=199
            See `permutation_test`.
        """
        rows = self.study.rows
        sample = sampled_rows(rows.y, _MOST_SHUFFLED_ROWS, rows.groups)
        used = self.study.take(sample)
        coded = _coded(used, self.labels[sample])
        class_of_value = np.zeros(len(coded.rows.classes), dtype=np.int64)
        class_of_value[coded.rows.y] = used.rows.y
        return permutation_test(
            coded,
            statistic=partial(_of_shuffled, class_of_value=class_of_value),
            n_permutations=n_permutations,
            max_rows=_MOST_SHUFFLED_ROWS,
        )

    @property
    def are_numbers(self) -> bool:
        """True if numbers are predicted, not classes."""
        return _are_numbers(self.labels)

    def answer(self, test: PermutationTest) -> Answer:
        """Return whether labels are predicted, given the test of their shuffles; see `answer_of`.

        Of numbers it is yes from a Q2 of one half on, halfway from guessing to perfect.
        """
        smallest = max(test.design.smallest_p_value, 1.0 / (test.n_permutations + 1))
        accuracy = (1.0 + self.held_out) / 2.0 if self.are_numbers else self.held_out
        n_classes = 2 if self.are_numbers else round(1.0 / self.chance)
        return answer_of(accuracy, n_classes, test.p_value, smallest_p_value=smallest)

    def sentence(self, answer: Answer | None = None, test: PermutationTest | None = None) -> str:
        """Return what is predicted beside guessing, with the answer and shuffles where known."""
        first = FIRST_WORDS[answer]
        if self.are_numbers:
            share = percent(self.held_out, self.standard_error)
            lead = f"{first}Predictions explain {share} of the variance of held-out rows"
            lead = f"{lead}; guessing gives 0 %"
        else:
            lead = folds_lead(self.held_out, round(1.0 / self.chance), first, self.standard_error)
        if test is None:
            return f"{lead}."
        shuffles = shuffles_sentence(test.n_exceeding, len(test.values), test.p_value)
        return f"{lead}. {shuffles}"


def _of_shuffled(coded: Study, *, class_of_value: IntArray) -> float:
    codes = coded.rows.y
    study = coded.with_labels(class_of_value[codes])
    folds = study.parts(n_test_folds(*study.rows.X.shape), 0)
    labels = coded.rows.classes[codes]
    predicted = np.empty_like(labels)
    for fold, refit in _refits(study, labels, folds):
        predicted[fold.test] = refit.predict(study.rows.X[fold.test])
    return _nearness(labels, predicted, codes)


def _coded(study: Study, labels: Any) -> Study:
    """The study with a code for each distinct label, which is the name of its class."""
    given = np.asarray(labels)
    if given.shape != study.rows_in_memory.y.shape:
        raise UserError(
            f"{len(given):,} labels are given for {len(study.rows.y):,} rows. Give one for each."
        )
    if _are_numbers(given) and not np.isfinite(given).all():
        raise UserError("A label is nan or infinite. Leave its row out.")
    values, codes = np.unique(given, return_inverse=True)
    return study.with_labels(codes).named(values)


def _refits(
    study: Study, labels: Labels, folds: tuple[Fold, ...]
) -> Iterator[tuple[Fold, FittedProjection]]:
    """The study fitted to labels without each fold, prepared as for the classes."""
    for fold in folds:
        train = study.rows.take(fold.train)
        preparation = study.preparation_for(train)
        labeled = replace(train, y=labels[fold.train])
        yield fold, fit_projection(study.estimator, labeled, preparation)


def _are_numbers(labels: Labels) -> bool:
    return labels.dtype.kind == "f"


def _nearness(labels: Labels, predicted: Labels, codes: IntArray) -> float:
    if not _are_numbers(labels):
        return balanced_share(predicted == labels, codes)
    return 1.0 - float(np.mean(np.square(predicted - labels)) / labels.var())


def _score(coded: Study, predicted: Labels, fold: IntArray) -> Score:
    codes = coded.rows.y
    labels = coded.rows.classes[codes]
    if not _are_numbers(labels):
        return score_of(predicted == labels, codes, fold, coded)
    errors, numbers = np.square(predicted - labels) / labels.var(), np.unique(fold)
    of_folds = np.array([errors[fold == number].mean() for number in numbers])
    error = Score.over_refits(of_folds).standard_error if len(numbers) > 1 else np.nan
    return Score(1.0 - float(errors.mean()), error)
