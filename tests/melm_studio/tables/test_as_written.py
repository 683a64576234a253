"""What is written in the first row of a block alone belongs to all of its rows."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from melm_studio.tables import ReadOptions, answered_options, prepare, read_table

VISITS = np.array([1, 3, 2, 4, 2, 3, 5, 1, 3, 2])  # of ten patients, in 26 rows
N_ROWS = VISITS.sum()


def visits() -> pd.DataFrame:
    stream = np.random.default_rng(0)
    frame = pd.DataFrame(stream.normal(size=(N_ROWS, 3)).round(2), columns=["u", "v", "w"])
    first = np.diff(np.repeat(np.arange(10), VISITS), prepend=-1) > 0
    frame.insert(0, "patient", np.where(first, np.cumsum(first).astype(str), ""))
    return frame.assign(state=np.repeat(["ill", "well"] * 5, VISITS))


def prepared(frame: pd.DataFrame, **answers: str):
    options = answered_options(answers, ReadOptions())
    return prepare(read_table(frame.to_csv(index=False).encode(), "t.csv", options=options))


def test_a_patient_named_in_the_first_row_of_each_block_keeps_its_rows_together():
    data = prepared(visits())
    np.testing.assert_array_equal(np.bincount(data.groups), VISITS)
    [asked] = data.questions
    assert (asked.id, asked.default) == ("blocks", "filled")
    left = prepared(visits(), blocks="empty")
    assert len(np.unique(left.groups)) == N_ROWS  # a row without a name is one of its own


def test_merged_cells_of_a_workbook_are_filled():
    pytest.importorskip("openpyxl")
    names = [["ctrl", "drug"], [f"m{at}" for at in range(5)], range(3)]
    index = pd.MultiIndex.from_product(names, names=["treatment", "mouse", "day"])
    stream = np.random.default_rng(0)
    file = io.BytesIO()
    pd.DataFrame(stream.normal(size=(30, 2)), index, ["u", "v"]).to_excel(file)
    data = prepare(read_table(file.getvalue(), "t.xlsx"))
    assert data.class_counts == {"ctrl": 15, "drug": 15}
    assert "subjects:mouse" in {one.id for one in data.questions}


@pytest.mark.parametrize("name", ["species", "comment", "ph", "sample_id"])
def test_labels_and_ids_of_some_rows_comments_and_measurements_stay_as_they_are(name):
    frame, at = visits().drop(columns="patient"), np.arange(N_ROWS)
    labels = np.where(at % 7 % 3 == 0, np.array(["a", "b", "c"])[at % 3], "")
    comments = np.where(np.isin(at, [0, 4, 19]), np.char.add("run ", at.astype(str)), "")
    measured = np.where(at % 2 == 0, (at / 7).round(2).astype(str), "")
    frame[name] = {
        "species": labels, "comment": comments, "ph": measured,
        "sample_id": np.where((at < 9) | (at > 20), np.char.add("s", at.astype(str)), ""),
    }[name]  # fmt: skip
    assert not [one for one in prepared(frame).questions if one.id == "blocks"]


def of_a_study(**others) -> pd.DataFrame:
    """Ten patients, each with a row of its own above those of its visits."""
    rows = np.repeat(np.arange(10), VISITS + 1)
    is_first = np.diff(rows, prepend=-1) > 0
    measured = np.where(is_first, np.nan, np.arange(len(rows)) * 7.0 % 11)
    arm, age = np.array(["drug", "placebo"])[rows % 2], (rows * 13 % 7).astype(str)
    said = {"arm": np.where(is_first, arm, ""), "age": np.where(is_first, age, "")}
    visit = np.where(is_first, "", "visit")
    frame = pd.DataFrame({"record_id": rows + 1, "event": visit, **said, "hb": measured})
    return frame.assign(**{name: make(is_first) for name, make in others.items()})


def test_rows_of_subjects_give_what_they_say_to_those_of_their_visits():
    data = prepared(of_a_study())
    assert len(data.X) == N_ROWS
    assert data.row_numbers[:3].tolist() == [2, 4, 5]  # of the first two patients
    assert data.class_counts == {"drug": VISITS[::2].sum(), "placebo": VISITS[1::2].sum()}
    assert "Left out: 10 rows of subjects, above the rows of their measurements." in data.steps
    assert [one.id for one in data.questions if one.id == "blocks"] == ["blocks"]
    assert len(prepared(of_a_study(), blocks="empty").unlabeled.X) == N_ROWS


def test_a_first_visit_at_which_something_was_measured_is_no_row_of_its_subject():
    frame = of_a_study(weight=lambda is_first: 60.0 + np.cumsum(is_first) / 3)
    data = prepared(frame, label="arm")
    assert not [step for step in data.steps if "of subjects" in step]
