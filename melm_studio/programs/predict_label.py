"""The label of a table predicted by GEM's features: its classes, however many, or its numbers."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from melm_core.answers import TOLD_APART, Answer
from melm_core.base import UserError, known_type
from melm_core.evaluation import LabelPredictions, Study
from melm_core.gem import GEM_PREDICTORS
from melm_studio.runs.execution.rows import judged_rows
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import (
    LabeledData,
    Question,
    is_made_of_features,
    is_measure,
    read_table,
    twin_notes,
    value_name,
)

FILE = "predictions.csv"
N_PERMUTATIONS = 199
_NO_LABEL = "There is nothing to predict, as all rows are one class. Name a column by --label."


class LabelResult(Struct, frozen=True):
    """The accuracy of the predictions of a label, or why there are none.

    Attributes
    ----------
    predictor : str
        A key of `GEM_PREDICTORS`.
    measure : str
        Balanced accuracy of classes, Q2 of numbers.
    held_out, standard_error, train, chance : float or None
        See `LabelPredictions`.
    n_folds : int
    answer, p_value : str and float, or None
        Of the check, where it was asked for.
    words : str
        A sentence, with the answer.
    notes : tuple of str
    questions : tuple of Question
        On which a yes depends.
    refusal : str
        Why nothing was predicted.
    """

    predictor: str
    measure: str = ""
    held_out: float | None = None
    standard_error: float | None = None
    train: float | None = None
    chance: float | None = None
    n_folds: int = 0
    answer: Answer | None = None
    p_value: float | None = None
    words: str = ""
    notes: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    refusal: str = ""

    @property
    def is_done(self) -> bool:
        """True if rows were predicted."""
        return not self.refusal

    @property
    def sentence(self) -> str:
        """The words, or why there are none."""
        return self.refusal or self.words

    def row(self) -> dict[str, Any]:
        """Return its row in the table of scores."""
        names = ("held_out", "standard_error", "train", "chance", "answer", "p_value", "refusal")
        values = {name: getattr(self, name) for name in (*names, "measure")}
        return {"method": f"predict_{self.predictor}", **values}


def label_values(raw: bytes, source: Mapping[str, Any], data: LabeledData) -> npt.NDArray[Any]:
    """Return the label of each row as the file has it: numbers that are measured, or names.

    Parameters
    ----------
    raw : bytes
        The file.
    source : mapping
        How it is read.
    data : LabeledData
        What was prepared from it, of which classes may be ranges of a number, or merged.

    Raises
    ------
    UserError
        If there is no label.
    """
    if len(data.class_names) < 2:
        raise UserError(_NO_LABEL)
    data_source = msgspec.convert(source, known_type(DataSource))
    table = read_table(raw, data_source.name, options=data_source.read_options)
    cells = table.frame[data.label]
    of_rows = cells.loc[(data.row_numbers - 1).tolist()]
    if is_measure(cells):
        numbers: npt.NDArray[Any] = of_rows.to_numpy(np.float64)
        return numbers
    return np.array([value_name(value) for value in of_rows])


def predicted_label(
    predictor: str,
    data: LabeledData,
    labels: npt.NDArray[Any],
    folder: Path,
    *,
    n_folds: int | Literal["auto"],
    is_checked: bool,
    seed: int,
) -> LabelResult:
    """Predict every row without it, write the predictions, and say how near they are.

    Raises
    ------
    UserError
        If the predictor is not one of such labels, or folds are impossible.
    """
    estimator = GEM_PREDICTORS[predictor].estimator(labels, seed)
    study = Study(estimator, **judged_rows(data), random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of single fits, to folds or shuffled labels
        predictions = LabelPredictions.of(study, labels, n_folds=n_folds)
        write_predictions(data, labels, predictions, folder)
        test = predictions.permutation_test(N_PERMUTATIONS) if is_checked else None
    answer = None if test is None else predictions.answer(test)
    questions = (*data.open_questions, *data.suspicions) if answer in TOLD_APART else ()
    if questions or (answer in TOLD_APART and is_made_of_features(data.questions)):
        answer = Answer.UNKNOWN
    return LabelResult(
        predictor,
        measure="Q2" if predictions.are_numbers else "balanced accuracy",
        held_out=predictions.held_out,
        standard_error=predictions.standard_error,
        train=predictions.train,
        chance=predictions.chance,
        n_folds=int(predictions.fold_of_rows.max()) + 1,
        answer=answer,
        p_value=None if test is None else test.p_value,
        words=predictions.sentence(answer, test),
        notes=() if test is None else (*twin_notes(data.questions), test.design.sentence),
        questions=questions,
    )


def write_predictions(
    data: LabeledData, labels: npt.NDArray[Any], predictions: LabelPredictions, folder: Path
) -> None:
    """Write the label of each row, and what was predicted without it."""
    folder.mkdir()
    with (folder / FILE).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("row", "label", "predicted", "fold"))
        folds = predictions.fold_of_rows + 1
        columns = [
            each.tolist() for each in (data.row_numbers, labels, predictions.predicted, folds)
        ]
        writer.writerows(zip(*columns, strict=True))
