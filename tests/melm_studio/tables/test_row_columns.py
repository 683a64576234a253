"""Columns that are kept beside the features, and the guesses of their roles."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from melm_studio.tables import LabeledData, Role, prepare, read_table
from melm_studio.tables.column_roles import column_roles
from melm_studio.tables.dependence import N_BLOCKS
from melm_studio.tables.row_columns import times_of
from tests.melm_studio.tables.table_examples import LABEL, N_ROWS, table

ROW = np.arange(N_ROWS)
NAMES = [f"s{i}" for i in ROW]
CODES = [float("xyz".index(one)) for one in LABEL]
TOWNS = [f"t{i % 30}" for i in ROW]
DAYS = [str(day) for day in pd.date_range("2024-01-01", periods=N_ROWS).date][::-1]


def role(name: str, values, **columns) -> Role:
    given = table(**{name: values}, **columns)
    return next(c.role for c in column_roles(given, "label") if c.name == name)


def test_names_and_information_are_kept_for_every_row():
    data = prepare(table(sample=NAMES, town=TOWNS, label=[None, *LABEL[1:]]))
    assert data.row_names == NAMES[1:]
    (town,) = data.info
    assert (town.name, town.role, town.texts) == ("town", Role.INFO, TOWNS[1:])
    assert data.feature_names == ("a", "b")


def test_without_a_name_column_rows_have_no_names():
    assert prepare(table()).row_names is None
    assert prepare(table()).row_columns == ()


def test_kept_columns_are_stored_with_the_data_and_split_with_the_rows():
    numbers = [np.nan, *(ROW[1:] % 7 + 0.5)]
    given = table(sample=NAMES, town=[None, *TOWNS[1:]], when=DAYS, dose=numbers)
    data = prepare(given, roles={"when": "order", "dose": "info"})
    again = LabeledData.from_bytes(data.to_bytes())
    assert again.content_hash == data.content_hash
    assert [column.texts for column in again.row_columns] == [
        column.texts for column in data.row_columns
    ]
    assert again.info[0].texts[0] == again.info[2].texts[0] == ""
    assert again.info[2].texts[3] == "3.5"
    _, held_out = again.split(0.3, random_state=0)
    assert held_out.row_names == [f"s{number - 1}" for number in held_out.row_numbers]


def test_data_without_kept_columns_have_the_bytes_that_they_had_before():
    with np.load(io.BytesIO(prepare(table()).to_bytes())) as file:
        assert not [key for key in file.files if key.startswith("row_columns")]


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("patient", np.repeat(np.arange(15.0), 4), Role.GROUP),
        ("patient", [f"p{i % 30}" for i in ROW], Role.GROUP),
        (
            "patient",
            [float("xyz".index(label)) for label in LABEL],
            Role.NUMERIC,
        ),  # every class is one patient
        ("patient", ROW % 15 + 0.5, Role.NUMERIC),
        ("plate", [f"p{i % 4}" for i in ROW], Role.BATCH),
        ("plate_weight", ROW**1.5, Role.NUMERIC),
        ("run_order", ROW * 2.0, Role.ORDER),
        ("order", ROW[::-1] ** 1.5, Role.NUMERIC),
        ("date", DAYS, Role.ORDER),
        ("date accessed", DAYS, Role.INFO),
        ("Datum", [f"{i % 28 + 1:02d}.{i // 28 + 1:02d}.2024" for i in ROW], Role.ORDER),
        ("when", [f"{i // 28 + 1}/{i % 28 + 1}/2024 {i % 24}:05" for i in ROW], Role.ORDER),
        ("date", NAMES, Role.NAME),
        ("run_id", np.repeat([204_100_023.0, 204_100_077.0, 204_100_301.0], 20), Role.INFO),
        ("severity", ["mild", "severe", "moderate", "none"] * 15, Role.ORDERED),
        ("answer", ["2 - no", "10 - yes", "1 - never"] * 20, Role.ORDERED),
        ("color", ["red", "green", "blue"] * 20, Role.CATEGORICAL),
    ],
)
def test_roles_are_guessed_by_name_and_content(name, values, expected):
    assert role(name, values) is expected


@pytest.mark.parametrize(("n_rows", "role"), [(400, Role.BATCH), (402, Role.INFO)])
def test_more_blocks_than_anybody_plants_are_no_batches(n_rows, role):
    rows = "".join(f"{at // 2},{at / 7},{at % 5 / 3},{'ab'[at % 2]}\n" for at in range(n_rows))
    data = prepare(read_table(f"block,x,z,kind\n{rows}".encode(), "t.csv"))
    assert data.columns[0].role is role


def test_a_text_that_names_rows_comes_before_a_number():
    assert role("sample", NAMES, number=ROW + 0.0) is Role.NAME
    assert role("number", ROW + 0.0, sample=NAMES) is Role.INFO


def test_a_chosen_name_leaves_no_other_name():
    found = {c.name: c.role for c in column_roles(table(s=NAMES, t=TOWNS), "label", {"t": "name"})}
    assert (found["s"], found["t"]) == (Role.INFO, Role.NAME)


def test_ordered_categories_are_one_feature_with_gaps_at_the_median():
    doses = [None, *["high", "low", "medium"] * 20][:N_ROWS]
    data = prepare(table(dose=doses), standardize=False)
    assert data.feature_names == ("a", "b", "dose")
    assert data.X[:4, 2].tolist() == [1, 2, 0, 1]
    assert any(
        step.startswith("dose is an ordered category (low < medium < high)") for step in data.steps
    )


def test_dates_in_any_order_sort_the_rows_by_time():
    data = prepare(table(date=DAYS))
    assert np.argsort(data.row_column(Role.ORDER).values).tolist() == ROW[::-1].tolist()


@pytest.mark.parametrize(
    "texts",
    [
        ["31.1.2024", "1.2.2024 00:10", "1.2.2024 13:05:09"],
        ["31/1/2024", "1/2/2024", "02/02/2024"],
        ["1/31/2024", "2/1/2024 12:10:00 AM", "2/1/2024 1:05 pm"],
    ],
)
def test_days_as_people_write_them_are_in_order(texts):
    times = times_of(texts)
    assert not times.isna().any()
    assert times.is_monotonic_increasing
    assert times.iloc[0] == pd.Timestamp("2024-01-31", tz="UTC")


def test_rows_that_follow_each_other_are_held_out_in_blocks():
    data = prepare(table(date=DAYS))
    np.testing.assert_array_equal(np.bincount(data.groups), [N_ROWS // N_BLOCKS] * N_BLOCKS)
    assert (np.diff(data.groups) <= 0).all()
    assert any("stay together in blocks" in step for step in data.steps)


def test_labels_in_runs_make_the_runs_blocks():
    label = np.repeat(["x", "y"] * 3, 10)
    data = prepare(table(date=DAYS, label=label))
    assert len(set(data.groups)) == 6
    assert all(len(set(data.y[data.groups == code])) == 1 for code in range(6))


def test_batches_of_one_class_each_are_pointed_out():
    plates = [f"p{LABEL[i]}{i % 2}" for i in ROW]
    steps = " ".join(prepare(table(plate=plates), roles={"plate": "batch"}).steps)
    assert "Every batch holds one class only" in steps
    mixed = [f"p{i % 4}" for i in ROW]
    assert "Batch: plate, 4 batches." in prepare(table(plate=mixed)).steps


def test_batches_that_are_too_small_to_be_compared_are_named():
    plates = ["odd" if i in {0, 1} else f"p{i % 2}" for i in ROW]
    steps = " ".join(prepare(table(plate=plates), roles={"plate": "batch"}).steps)
    assert "as 1 row of odd, too few to compare batches there" in steps
