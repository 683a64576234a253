"""Any column as the label: many values, rare ones, numbers, and rows without one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from melm_studio.tables import ClassRules, LabeledData, TableError, is_measure, prepare
from melm_studio.tables.classes import MAX_CLASSES, find_classes
from tests.melm_studio.tables.table_examples import LABEL, N_ROWS, table

PRICE = np.random.default_rng(1).gamma(2.0, size=N_ROWS)


def classes(label, **rules):
    return find_classes(table(label=label).frame, "label", ClassRules(**rules))


def sizes(found) -> dict[str, int]:
    return dict(zip(found.names, np.bincount(found.y).tolist(), strict=True))


def test_values_are_renamed_merged_and_left_out():
    found = classes(LABEL, names={"x": "first", "y": "rest", "z": "rest"})
    assert sizes(found) == {"first": 20, "rest": 40}
    found = classes(LABEL, names={"x": ""})
    assert sizes(found) == {"y": 20, "z": 20}
    assert "Left out, as you chose: x (20 rows)." in found.steps


@pytest.mark.parametrize(("rare", "expected"), [("leave out", {"x": 40}), ("merge", {"x": 40})])
def test_rare_classes_are_left_out_or_merged(rare, expected):
    label = ["x"] * 40 + [f"r{i // 5}" for i in range(20)]
    kept = {"big": 0}
    if rare == "leave out":
        with pytest.raises(TableError, match="fewer than two classes"):
            classes(label, min_rows=6, rare=rare)
    else:
        found = classes(label, min_rows=6, rare=rare)
        assert sizes(found) == {**expected, "other": 20}
        assert any(
            step.startswith("Merged as other: 4 classes with fewer than 6") for step in found.steps
        )
    assert kept


def test_more_classes_than_can_be_shown_are_merged_and_said():
    rows = 2 * (MAX_CLASSES + 10)
    frame = table().frame.iloc[np.arange(rows) % N_ROWS].reset_index(drop=True)
    frame["label"] = [f"c{i // 2}" for i in range(rows - 40)] + ["c0"] * 40
    found = find_classes(frame.assign(label=[f"c{i // 2:03d}" for i in range(rows)]), "label")
    assert len(found.names) == MAX_CLASSES
    assert sizes(found)["other"] == 22
    assert any("the 11 smallest classes" in step for step in found.steps)


def test_a_number_is_cut_into_three_classes_of_equal_size():
    data = prepare(table(label=PRICE), "label")
    assert np.bincount(data.y).tolist() == [20, 20, 20]
    assert any(step.startswith("label is cut into 3 ranges") for step in data.steps)


def test_a_number_is_cut_where_the_user_says_and_a_cut_belongs_below():
    found = classes(np.arange(60.0), cuts=(9.0, 49.0))
    assert sizes(found) == {"up to 9": 10, "9 to 49": 40, "above 49": 10}


def test_ranges_are_renamed_and_empty_ones_vanish():
    found = classes(np.arange(60.0), cuts=(9.0, 100.0), names={"up to 9": "low"})
    assert sizes(found) == {"low": 10, "9 to 100": 50}


def test_text_cannot_be_cut():
    with pytest.raises(TableError, match="text, which cannot be cut"):
        classes(LABEL, quantiles=2)


def test_an_identifier_cannot_be_the_label():
    with pytest.raises(TableError, match="they identify rows"):
        classes([f"n{i}" for i in range(N_ROWS)])


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (PRICE, True),
        (np.arange(60.0) % 25, False),
        (PRICE.round() + 0.5, False),
        (LABEL, False),
        (np.full(60, 0.001), False),
        (0.1 + 1e-13 * np.arange(60), False),
        (np.tile([1e308, -1e308], 30), False),
    ],
)
def test_a_number_with_many_fractions_is_a_measure(label, expected):
    assert is_measure(table(label=label).frame["label"]) is expected


def test_a_number_of_which_most_rows_have_the_highest_is_cut_below_it():
    found = classes(np.where(np.arange(60) < 8, np.linspace(0.1, 1.4, 60), 1.5), quantiles=3)
    assert [*sizes(found).values()] == [8, 52]


def test_a_table_of_numbers_has_a_label_nevertheless():
    data = prepare(table(label=PRICE, c=PRICE[::-1]))
    assert data.columns[2].role == "label"


def test_unlabeled_rows_are_prepared_as_the_others():
    given_table = table(label=["x", None, *LABEL[2:]], name=[f"n{i}" for i in range(N_ROWS)])
    data = prepare(given_table)
    assert data.unlabeled.row_numbers.tolist() == [2]
    raw = given_table.frame[["a", "b"]].to_numpy()[1]
    np.testing.assert_allclose(data.unlabeled.X[0] * data.scale + data.center, raw)
    assert data.unlabeled.row_columns[0].texts == ["n1"]
    again = LabeledData.from_bytes(data.to_bytes())
    np.testing.assert_array_equal(again.unlabeled.X, data.unlabeled.X)
    assert again.content_hash == data.content_hash
    assert prepare(table()).unlabeled is None


def test_an_unlabeled_row_with_an_unknown_category_is_left_out_and_said():
    kind = ["new", "odd", *["p", "q"] * 29]
    data = prepare(table(kind=kind, label=[None, None, *LABEL[2:]]))
    assert data.unlabeled is None
    assert any(step.startswith("Left out: 2 rows without") for step in data.steps)


values = st.none() | st.sampled_from(["p", "q", "r", "other"])


@pytest.mark.slow
@given(
    st.lists(values, min_size=4, max_size=40),
    st.dictionaries(st.sampled_from(["p", "q", "r"]), st.sampled_from(["", "s", "q"])),
    st.integers(2, 5),
    st.sampled_from(["merge", "leave out"]),
)
def test_whatever_the_rules_every_class_has_its_name_and_two_rows(label, names, min_rows, rare):
    frame = table().frame.iloc[: len(label)].assign(label=np.array(label, dtype=object))
    frame["label"] = frame["label"].astype("str").where(np.array(label, dtype=object) != None)  # noqa: E711
    try:
        found = find_classes(frame, "label", ClassRules(names=names, min_rows=min_rows, rare=rare))
    except TableError:
        return
    counts = np.bincount(found.y, minlength=len(found.names))
    assert len(found.names) == len(set(found.names)) == len(counts)
    assert len(counts) >= (1 if frame["label"].nunique() == 1 else 2)
    assert counts.min() >= 2
    assert "" not in found.names
    assert len(found.rows) + len(found.unlabeled) <= len(label)
