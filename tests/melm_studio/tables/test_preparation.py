from __future__ import annotations

import io
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

from melm_studio.tables.labeled_data import LabeledData
from melm_studio.tables.preparation import (
    column_roles,
    guess_label,
    label_candidates,
    prepare,
)
from melm_studio.tables.read import Table, TableError, read_table
from melm_studio.tables.roles import NO_LABEL, Column, Role
from melm_studio.tables.samples import load_sample
from tests.melm_studio.tables.table_examples import LABEL, N_ROWS, table


def role(given: Table, name: str) -> Column:
    return next(column for column in column_roles(given, "label") if column.name == name)


def spread(*values, n=N_ROWS) -> list:
    """These values over and over, in a column."""
    return [values[i % len(values)] for i in range(n)]


def test_the_features_have_mean_zero_and_deviation_one():
    data = prepare(table())
    np.testing.assert_allclose(data.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(data.X.std(axis=0), 1)
    assert data.X.flags.c_contiguous
    assert data.steps == (
        "Label: label, 3 classes (x 20, y 20, z 20).",
        "2 numeric columns are features.",
        "Standardized: mean 0, standard deviation 1.",
    )


def test_rows_that_say_of_nothing_that_is_used_are_counted_and_empty_ones_are_not():
    given = table()
    others = pd.DataFrame({"place": ["north"] * 7 + [None] * 3})
    frame = pd.concat([given.frame.assign(place="south"), others], ignore_index=True)
    data = prepare(Table("t", frame, ()), "label", roles={"place": "info"})
    assert (len(data.X), data.unlabeled) == (len(given.frame), None)
    assert "Left out: 7 rows with neither a label nor a feature." in data.warnings


@pytest.mark.parametrize("standardize", [True, False])
def test_center_and_scale_lead_back_to_the_table(standardize):
    given = table()
    data = prepare(given, standardize=standardize)
    back = data.X * data.scale + data.center
    np.testing.assert_allclose(back, given.frame[["a", "b"]].to_numpy())


def test_unstandardized_features_are_those_of_the_table():
    given = table()
    data = prepare(given, standardize=False)
    np.testing.assert_array_equal(data.X, given.frame[["a", "b"]].to_numpy())
    assert not any("Standardized" in step for step in data.steps)


def test_encodings_of_a_table_give_its_features_before_scaling():
    given = table(kind=spread("red", "blue", None), side=spread("left", "right"))
    data = prepare(given, standardize=False)
    encoded = np.hstack([one.encode(given.frame[one.name]) for one in data.encodings])
    np.testing.assert_array_equal(encoded, data.X)
    names = [name for one in data.encodings for name in one.feature_names]
    assert tuple(names) == data.feature_names


def test_preparing_twice_gives_the_same_bytes():
    given = load_sample("wine")
    assert prepare(given).to_bytes() == prepare(given).to_bytes()


def test_the_steps_of_the_reading_come_first():
    raw = "a;b;label\n" + "".join(f"{i * i},5;{i % 7};{'xy'[i % 2]}\n" for i in range(20))
    data = prepare(read_table(raw.encode(), "semi.csv"))
    assert data.name == "semi"
    assert data.steps[0] == "Read as semicolon-separated with decimal comma."


# ------------------------------------------------------------------------------------- the label


@pytest.mark.parametrize(
    "name", ["Label", "CLASS", "target", "y", "Species", "class_label", "Type"]
)
def test_a_telling_name_makes_the_label(name):
    given = Table("t", table(label=spread(1.0, 2.0)).frame.rename(columns={"label": name}), ())
    given.frame["last"] = LABEL
    assert guess_label(given) == name


def test_without_a_telling_name_the_last_column_is_the_label():
    given = Table("t", pd.DataFrame({"p": LABEL, "q": LABEL, "r": spread(1.0, 2.0)}), ())
    assert guess_label(given) == "r"
    assert label_candidates(given) == ("r", "p", "q")


def test_where_the_last_column_is_no_label_the_first_is():
    given = Table("t", pd.DataFrame({"p": LABEL, "q": LABEL, "r": np.arange(60.0) / 7}), ())
    assert label_candidates(given) == ("p", "q")


def test_else_a_text_column_comes_before_a_number():
    numbers = np.linspace(0, 1, N_ROWS)
    columns = {"p": numbers, "q": spread(1.0, 2.0), "r": LABEL, "s": numbers}
    assert guess_label(Table("t", pd.DataFrame(columns), ())) == "r"


def test_without_a_possible_label_all_rows_are_one_class_and_the_way_to_more_is_said():
    given = Table("t", pd.DataFrame({"p": np.arange(60.0) / 7, "q": np.arange(60.0) / 9}), ())
    assert label_candidates(given) == ()
    data = prepare(given)
    assert (data.label, data.class_counts) == (NO_LABEL, {"all rows": 60})
    assert data.steps[0] == "No label: all 60 rows are one class, for methods that ignore labels."
    assert any("add a column with the class of every row" in step for step in data.warnings)
    assert data.feature_names == ("p", "q")


@pytest.mark.parametrize("chosen", [{"label": NO_LABEL}, {"answers": {"label": NO_LABEL}}])
def test_a_table_may_be_read_without_its_label(chosen):
    data = prepare(table(label=LABEL), **chosen)
    assert (data.label, data.class_names) == (NO_LABEL, ("all rows",))
    assert data.warnings == ()
    assert [column.name for column in data.columns if column.role is Role.LABEL] == []
    assert LabeledData.from_bytes(data.to_bytes()).label == NO_LABEL


def test_a_guess_among_numbers_asks_whether_there_is_no_label():
    numbers = np.random.default_rng(0).normal(size=(60, 4))
    data = prepare(Table("t", pd.DataFrame(numbers, columns=list("abcd")), ()))
    (asked,) = (question for question in data.questions if question.id == "label")
    assert [choice.label for choice in asked.choices][-1] == "None"
    assert [choice.value for choice in asked.choices][-1] == NO_LABEL


def test_one_row_without_a_label_is_refused():
    with pytest.raises(TableError, match="has 1 row and no column that could be the label"):
        prepare(Table("t", pd.DataFrame({"p": [1.0], "q": [2.0]}), ()))


def test_numeric_classes_are_shown_whole_and_sorted_as_numbers():
    data = prepare(table(label=spread(10.0, 2.0, -1.0, 0.5)))
    assert data.class_names == ("-1", "0.5", "2", "10")
    assert data.y[:4].tolist() == [3, 2, 0, 1]
    assert data.steps[0] == "Label: label, 4 classes (-1: 15, 0.5: 15, 2: 15, 10: 15)."


def test_text_classes_are_sorted_by_the_alphabet():
    assert prepare(table(label=spread("b", "C", "a"))).class_names == ("a", "b", "C")


def test_rows_without_a_label_are_left_out_and_counted():
    data = prepare(table(label=[None, *LABEL[1:]]))
    assert data.row_numbers.tolist() == list(range(2, 61))
    assert "1 row without a label: kept as unknown, not used by the fit." in data.steps


def test_a_class_of_one_row_is_left_out_and_named():
    data = prepare(table(label=["lone", *LABEL[1:]]))
    assert data.class_names == ("x", "y", "z")
    assert data.row_numbers[0] == 2
    assert "Left out: 1 class with a single row (lone)." in data.steps


@pytest.mark.parametrize(
    ("label", "sentence"),
    [
        ([None] * N_ROWS, '"label" has 0 different values.'),
        (["p", "q", *["x"] * 58], '"label" has 3 different values, but fewer than two classes'),
    ],
)
def test_an_unusable_label_gets_a_sentence(label, sentence):
    with pytest.raises(TableError, match=sentence):
        prepare(table(label=label), "label")


@pytest.mark.parametrize("n_classes", [2, 25])
def test_two_to_many_classes_are_welcome(n_classes):
    assert len(prepare(table(label=spread(*range(n_classes)))).class_names) == n_classes


def test_a_label_that_is_no_column_gets_a_sentence():
    with pytest.raises(TableError, match=r'no column "colour"\. The columns are a, b, label\.'):
        prepare(table(), "colour")


# ------------------------------------------------------------------------------------ the columns


def test_categories_become_indicators():
    data = prepare(table(colour=spread("red", "green", "blue")), standardize=False)
    names = ("colour = blue", "colour = green", "colour = red")
    assert data.feature_names[2:] == names
    assert data.X[:3, 2:].tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert "1 categorical column is one-hot encoded (colour)." in data.steps


def test_two_categories_become_one_indicator():
    data = prepare(table(sex=spread("m", "f")), standardize=False)
    assert data.feature_names[2:] == ("sex = m",)
    assert data.X[:2, 2].tolist() == [1, 0]


def test_indicators_of_one_column_are_a_group_and_other_features_are_alone():
    data = prepare(table(colour=spread("red", "green", "blue"), sex=spread("m", "f")))
    *others, sex = data.feature_groups.tolist()
    assert data.feature_names[-1] == "sex = m"
    assert len(set(others[-3:])) == 1
    assert len({*others, sex}) == len(data.feature_names) - 2


def test_missing_is_a_category_only_where_something_is_missing():
    data = prepare(table(colour=spread("red", "green", None)))
    assert data.feature_names[2:] == ("colour = green", "colour = red", "colour = missing")
    assert "20 missing values in 1 column (colour) were counted as a category." in data.steps


def test_one_category_with_gaps_becomes_one_indicator():
    assert prepare(table(mark=spread("yes", None))).feature_names[2:] == ("mark = missing",)


def test_feature_names_are_unique_even_where_categories_imitate_columns():
    data = prepare(table(**{"c = q": np.linspace(0, 1, N_ROWS), "c": spread("p", "q")}))
    assert data.feature_names[2:] == ("c = q", "c = q (2)")


def test_missing_numbers_are_filled_with_the_median_and_said():
    a = [np.nan, *range(1, 58, 2), *range(3, 63, 2)]
    data = prepare(table(a=a), standardize=False)
    assert data.X[0, 0] == np.median(a[1:])
    assert "1 missing value in 1 column (a) was filled with the median." in data.steps
    assert role(table(a=a), "a").reason == "numeric, 1 missing value filled with the median"


def test_many_filled_columns_are_named_up_to_five():
    columns = {f"c{j}": [np.nan, *np.random.default_rng(j).normal(size=59)] for j in range(8)}
    expected = "8 missing values in 8 columns (c0, c1, c2, c3, c4 and 3 more) were filled"
    assert any(step.startswith(expected) for step in prepare(table(**columns)).steps)


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("n", np.arange(7.0, 67.0), Role.NAME),
        ("sample_id", np.arange(60.0)[::-1] * 3, Role.NAME),
        ("PassengerId", np.arange(60.0)[::-1] * 3, Role.NAME),
        ("width", np.arange(60.0)[::-1] * 3, Role.NUMERIC),
        ("id", np.arange(60.0) + 0.5, Role.NUMERIC),
        ("id", spread(1.0, 2.0, 5.0), Role.NUMERIC),
        ("humidity", np.arange(60.0)[::-1] * 3, Role.NUMERIC),
        ("name", [f"n{i}" for i in range(60)], Role.NAME),
        ("name", ["n1", "n1", *(f"n{i}" for i in range(58))], Role.NAME),
        ("town", [f"{chr(97 + i % 30)}ton" for i in range(60)], Role.INFO),
        ("town", [f"{chr(97 + i % 20)}ton" for i in range(60)], Role.CATEGORICAL),
        ("k", np.full(60, 3.0), Role.CONSTANT),
        ("k", 0.1 + 1e-16 * np.arange(60.0), Role.CONSTANT),
        ("k", 1e-200 * np.arange(60.0) ** 2, Role.CONSTANT),
        ("k", ["same"] * 60, Role.CONSTANT),
        ("gone", np.full(60, np.nan), Role.IGNORED),
        ("gone", pd.Series([None] * 60, dtype="str"), Role.IGNORED),
        ("huge", 1e307 * np.arange(60.0) ** 0.5, Role.IGNORED),
        ("large", 1e100 * np.arange(60.0) ** 0.5, Role.NUMERIC),
    ],
)
def test_every_column_has_its_role(name, values, expected):
    assert role(table(**{name: values}), name).role is expected


def test_the_roles_keep_the_order_of_the_table_and_give_reasons():
    given = table(
        colour=spread("red", "green", None), town=[f"{chr(97 + i % 30)}ton" for i in range(60)]
    )
    assert [(c.name, c.role, c.reason) for c in column_roles(given, "label")] == [
        ("a", Role.NUMERIC, "numeric"),
        ("b", Role.NUMERIC, "numeric"),
        ("label", Role.LABEL, "3 classes"),
        ("colour", Role.CATEGORICAL, "2 categories and missing, one-hot encoded"),
        ("town", Role.INFO, "30 categories, more than 20"),
    ]


def test_an_identifier_stays_one_where_rows_are_left_out():
    given = table(n=np.arange(1.0, 61.0), label=["x", None, *LABEL[2:]])
    assert role(given, "n").role is Role.NAME


def test_a_column_that_is_constant_in_the_rows_that_stay_is_left_out():
    given = table(k=[5.0, *[1.0] * 59], label=[None, *LABEL[1:]])
    assert role(given, "k").role is Role.CONSTANT


def test_what_is_left_out_is_said():
    given = table(
        id=np.arange(60.0),
        k=np.ones(60),
        gone=np.full(60, np.nan),
        huge=1e300 * np.arange(60.0) ** 2,
    )
    steps = prepare(given).steps
    assert "Name of the rows: id." in steps
    assert "Left out: k (always 1)." in steps
    assert "gone is left out: every value is missing." in steps
    assert "huge is left out: its values are too large to compute with." in steps


def test_constant_pixels_are_left_out_in_one_sentence():
    steps = prepare(load_sample("digits")).steps
    assert "Left out: 3 columns of one value each (pixel_0_0, pixel_4_0, pixel_4_7)." in steps


def test_a_label_of_one_class_is_one_before_numbers_are_taken_for_classes():
    columns = {"a": np.arange(60.0) % 7, "b": np.arange(60) % 11 / 3, "label": ["good"] * 60}
    data = prepare(Table("t", pd.DataFrame(columns), ()))
    assert (data.label, data.class_counts) == ("label", {"good": 60})
    assert data.steps[0] == "Label: label, 1 class (good 60)."
    [question] = [one for one in data.questions if one.id == "label"]
    assert [choice.value for choice in question.choices] == ["label", "a", "b"]
    named = pd.DataFrame({**columns, "grade": LABEL})
    assert prepare(Table("t", named, ())).label == "grade"


def test_a_table_without_features_gets_a_sentence_with_what_was_left_out():
    columns = {"id": np.arange(60.0), "a": np.ones(N_ROWS), "label": LABEL}
    expected = r"needs a feature, and the table has none. Left out: id \(every value differs"
    with pytest.raises(TableError, match=expected):
        prepare(Table("t", pd.DataFrame(columns), ()))


def test_what_the_file_says_of_a_column_is_not_said_to_be_chosen():
    frame = pd.DataFrame({"row": [f"r{at}" for at in range(60)], "a": np.ones(N_ROWS)})
    with pytest.raises(TableError, match=r"Left out: row \(as the file says\)"):
        prepare(Table("t", frame, (), answers={"use:row": "name"}))
    with pytest.raises(TableError, match=r"Left out: row \(as you chose\)"):
        prepare(Table("t", frame, ()), roles={"row": "name"})


@pytest.mark.parametrize(
    ("n_words", "what", "way_out"),
    [
        (3, "it names the rows", "If the table only says what samples are, "),
        (20, "long text", "categories, such as how often it has each word, and drop"),
    ],
)
def test_text_without_numbers_beside_it_says_how_it_gets_features(n_words, what, way_out):
    columns = {"text": [" ".join(["word"] * n_words + [str(at)]) for at in range(60)]}
    with pytest.raises(TableError) as refusal:
        prepare(Table("t", pd.DataFrame({**columns, "label": LABEL}), ()))
    assert f"text (every value differs: {what}" in str(refusal.value)
    assert way_out in str(refusal.value)
    assert ("samples" in str(refusal.value)) == (n_words == 3)


@pytest.mark.parametrize(
    ("columns", "is_sheet"),
    [
        ({"organ": spread("liver", "lung"), "diet": spread("high", "plain", "low")}, True),
        ({"resource": spread("glucose", "citrate", "serine"), "replicate.id": spread(1, 2)}, True),
        ({"organ": spread("liver", "lung"), "mass": [at / 7 for at in range(60)]}, False),
        ({"organ": spread("liver", "lung"), "score": spread(1.0, 2.0, 3.0)}, False),
        (
            {
                name: [f"{at * at % p}" for at in range(60)]
                for name, p in zip("abc", (5, 7, 11), strict=True)
            },
            False,
        ),
        ({name: spread(*"x" * at, "y") for at, name in enumerate("abcde", 1)}, False),
        (
            {
                name: [f"{name}{at % n}" if at % n else "donor" for at in range(60)]
                for n, name in enumerate("abcdefg", 3)
            },
            True,
        ),
        ({c: spread(*["yes"] * n, "no", c) for n, c in enumerate("abcdefg", 1)}, False),
    ],
)
def test_a_sheet_that_says_what_samples_are_says_what_it_lacks(columns, is_sheet):
    frame = pd.DataFrame({"Sample Name": [f"S{at}-x" for at in range(60)], **columns})
    frame = frame.astype({"replicate.id": float}) if "replicate.id" in columns else frame
    genotype = np.random.default_rng(0).permutation([*"ab" * 30])
    data = prepare(Table("sheet", frame.assign(genotype=genotype), ()), "genotype")
    said = [one for one in data.warnings if one.startswith("No feature is a measurement")]
    assert len(said) == is_sheet
    assert [one for one in data.steps if one.startswith("No feature")] == said
    unnamed = frame.drop(columns="Sample Name").assign(genotype=genotype)
    assert not any("a .zip" in one for one in prepare(Table("s", unnamed, ()), "genotype").warnings)


def test_too_many_indicators_get_a_sentence():
    assert prepare(table(c=spread(*"pqrs")), max_cells=6 * N_ROWS).X.shape == (60, 6)
    with pytest.raises(TableError, match=r"60 rows and so many features.* 360 cells"):
        prepare(table(c=spread(*"pqrst")), max_cells=6 * N_ROWS)


numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-3, 3)
words = st.none() | st.sampled_from(["p", "q", "missing", "c = q"])
samples = st.tuples(numbers, numbers, numbers, words, words)


@settings(max_examples=20)
@given(st.lists(samples, min_size=4, max_size=30), st.booleans())
@example(
    [(None, n % 2, None, None, "ppqq"[n]) for n in range(4)] + [(None, 1.7e308, None, None, None)],
    True,
)
def test_whatever_the_table_the_features_are_finite(rows, standardize):
    frame = pd.DataFrame(rows, columns=["n1", "n2", "n3", "c", "label"])
    frame = frame.astype({"n1": float, "n2": float, "n3": float, "c": "str", "label": "str"})
    try:
        data = prepare(Table("t", frame, ()), standardize=standardize)
    except TableError:
        reject()
    assert np.isfinite(data.X).all()
    assert len(set(data.feature_names)) == data.X.shape[1] >= 1
    assert np.bincount(data.y).min() >= 2
    if standardize:
        np.testing.assert_allclose(data.X.std(axis=0), 1)


def test_the_same_data_are_the_same_bytes_on_every_version_of_python():
    """Headers of 64 bits, which versions write otherwise, are for arrays beyond 2 GB."""
    raw = prepare(load_sample("wine")).to_bytes()
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        entries = archive.infolist()
    assert entries
    assert {(entry.extract_version, entry.extra) for entry in entries} == {(20, b"")}
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
