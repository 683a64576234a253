"""The rows of a fit and of its refits name batches only for a run that is to be blind to them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from melm_core.base import UserError
from melm_core.recipe import MissingValues, Recipe, Step, StepKind
from melm_studio.runs.execution.refusals import applicable, check_data
from melm_studio.runs.execution.rows import (
    judged_rows,
    nuisance_of,
    prepared_for,
    resampled_rows,
    split_of,
)
from melm_studio.tables import LabeledData, Role, RowColumn, Table, prepare
from tests.melm_studio.runs.helpers import blobs, run_of

PLAIN = blobs(n_rows=60)
PLATES = np.arange(60.0) // 2 % 2
DATA = replace(PLAIN, row_columns=(RowColumn("plate", Role.BATCH, PLATES),))
BLIND = run_of(nuisance_weight=2.0)


@pytest.mark.parametrize("rows_of", [judged_rows, resampled_rows])
def test_refits_of_a_blind_run_are_blind(rows_of):
    np.testing.assert_array_equal(rows_of(DATA, record=BLIND)["nuisance"], DATA.batches)
    assert "nuisance" not in rows_of(DATA, record=run_of())
    assert "nuisance" not in rows_of(DATA)


def test_some_rows_have_their_own_batches():
    found = judged_rows(DATA, np.array([0, 2, 4]), BLIND)["nuisance"]
    np.testing.assert_array_equal(found, [0, 1, 0])


def test_without_batches_or_weight_there_is_no_nuisance():
    assert nuisance_of(PLAIN, BLIND) == {}
    assert nuisance_of(DATA, run_of(nuisance_weight=0.0)) == {}
    assert nuisance_of(DATA, run_of()) == {}


def test_rows_without_a_batch_are_one_more_batch():
    plates = np.where(np.arange(60) < 3, np.nan, PLATES)
    data = replace(PLAIN, row_columns=(RowColumn("plate", Role.BATCH, plates),))
    assert sorted(set(data.batches.tolist())) == [0, 1, 2]


def test_a_form_leaves_out_a_weight_that_it_hides():
    given = BLIND.parameters
    assert applicable(given, DATA) == given
    assert applicable(given, PLAIN) == run_of().parameters
    assert run_of(nuisance_weight=0).parameters == run_of().parameters


def test_a_weight_without_batches_is_refused_before_the_run():
    with pytest.raises(UserError, match="no column of the table has the role Batch"):
        check_data("melm", PLAIN, BLIND.parameters)


@pytest.mark.parametrize(
    ("plates", "words"),
    [
        (PLAIN.y.astype(float), "nothing can tell the classes from the batch"),
        (np.zeros(60), "All rows have the same batch"),
        (np.arange(60.0), "No class has 4 rows or more of one batch and as many of another"),
    ],
)
def test_batches_that_no_plane_can_be_blind_to_are_refused_with_the_reason(plates, words):
    data = replace(PLAIN, row_columns=(RowColumn("plate", Role.BATCH, plates),))
    with pytest.raises(UserError, match=words):
        check_data("melm", data, BLIND.parameters)


def gappy(**recipe) -> LabeledData:
    """Two classes of four rows; the number of the last row is missing in column a."""
    a = [1.0, 2.0, 3.0, 1.0, 3.0, 9.0, 9.0, np.nan]
    b = [3.0, 1.0, 2.0, 2.0, 1.0, 2.0, 1.5, np.nan]
    return prepared(pd.DataFrame({"a": a, "b": b}), **recipe)


def prepared(frame: pd.DataFrame, **recipe) -> LabeledData:
    table = Table("t", frame.assign(label=list("xyxyxyxy")), ())
    return prepare(table, "label", recipe=Recipe(**recipe))


FIRST_FIVE = np.arange(8) < 5


def test_a_run_that_holds_out_no_rows_has_the_data_as_they_are_stored():
    assert prepared_for(PLAIN, run_of(held_out=0.0)) is PLAIN


def test_the_rows_held_out_do_not_change_the_features_of_the_others():
    data, record = gappy(), run_of(held_out=0.25)
    _, held_out = split_of(prepared_for(data, record), record)
    others = data.unprepared.copy()
    others[np.isin(data.row_numbers, held_out.row_numbers)] *= 100.0
    changed = prepared(pd.DataFrame(others, columns=["a", "b"]))
    train, _ = split_of(prepared_for(data, record), record)
    again, _ = split_of(prepared_for(changed, record), record)
    np.testing.assert_allclose(train.X, again.X, atol=1e-12)


def test_new_rows_get_the_median_of_the_training_rows():
    found = gappy().prepared_by(FIRST_FIVE)
    assert [one.fill for one in found.encodings] == [2.0, 2.0]
    filled = found.X * found.scale + found.center
    np.testing.assert_allclose(filled[-1], [2.0, 2.0])
    np.testing.assert_allclose(found.fitted_preparation.apply(found.unprepared), found.X)


def test_a_feature_that_marks_missing_numbers_stays_where_training_rows_have_them_all():
    data = gappy(missing=MissingValues(indicator=True))
    found = data.prepared_by(FIRST_FIVE)
    assert found.feature_names == data.feature_names
    assert found.X.shape == data.X.shape
    assert np.isfinite(found.X).all()


def test_a_row_that_training_rows_cannot_prepare_is_named():
    data = gappy(steps=(Step(StepKind.SNV),))
    with pytest.raises(UserError, match="row 8, which is held out"):
        data.prepared_by(FIRST_FIVE)
