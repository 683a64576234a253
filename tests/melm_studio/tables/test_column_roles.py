"""What a user makes of a column, and what a column keeps from them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from melm_studio.tables import column_roles as column_roles_module
from melm_studio.tables.column_roles import AS_FEATURES
from melm_studio.tables.preparation import column_roles, prepare
from melm_studio.tables.read import Table, TableError, read_table
from melm_studio.tables.roles import FEATURES, NO_LABEL, SINGLE_USES, Role, Use
from tests.melm_studio.tables.table_examples import LABEL, N_ROWS, table


def column(given: Table, name: str, **roles):
    return next(one for one in column_roles(given, "label", roles) if one.name == name)


NAMES = [f"n{i}" for i in range(N_ROWS)]


def texts(n_levels: int, n_rows: int = N_ROWS) -> list[str]:
    return [f"t{i % n_levels}" for i in range(n_rows)]


def test_a_column_that_is_chosen_away_is_left_out_and_said():
    data = prepare(table(c=LABEL[::-1], d=np.linspace(0, 1, N_ROWS)), roles={"b": "ignored"})
    assert "b" not in data.feature_names
    assert "b is left out: as you chose." in data.steps


@pytest.mark.parametrize(
    ("name", "values", "role", "reason"),
    [
        ("id", np.arange(60.0), Role.NUMERIC, "numeric, as you chose"),
        ("town", texts(30), Role.CATEGORICAL, "30 categories, one-hot encoded, as you chose"),
        ("plain", np.linspace(0, 1, 60), Role.NUMERIC, "numeric"),
    ],
)
def test_an_identifier_or_a_long_list_becomes_a_feature_where_it_is_chosen(
    name, values, role, reason
):
    given = table(**{name: values})
    found = column(given, name, **{name: Use.FEATURE})
    assert (found.role, found.reason, found.exclusion_reason) == (role, reason, "")
    data = prepare(given, roles={name: "feature"})
    assert any(feature.split(" = ")[0] == name for feature in data.feature_names)
    assert np.isfinite(data.X).all()


@pytest.mark.parametrize(
    ("levels", "role"),
    [
        ([f"P{n}" for n in range(1, 13)], Role.INFO),  # plots
        ([f"tank {n}" for n in range(3, 15)], Role.INFO),
        ([f"M{n}" for n in range(8)], Role.CATEGORICAL),  # kinds of leukemia
        ([f"{city} 1" for city in "abcdefghijkl"], Role.CATEGORICAL),
        ([f"E{n}" for n in range(100, 1_300, 100)], Role.CATEGORICAL),  # additives
    ],
)
def test_what_many_words_number_one_after_the_other_was_not_measured(levels, role):
    given = table(unit=[levels[row % len(levels)] for row in range(N_ROWS)])
    assert column(given, "unit").role is role


DAYS = np.array([20_171_230.0, 20_180_101, 20_210_204])[np.arange(60) % 3]


@pytest.mark.parametrize(
    ("values", "role"),
    [
        (DAYS + np.arange(60) / 64, Role.INFO),
        (DAYS + np.arange(60) // 2 / 64, Role.INFO),
        (DAYS + 99 + np.arange(60) / 64, Role.NUMERIC),
        (DAYS / 10 + np.arange(60) / 64, Role.NUMERIC),
    ],
    ids=["of each row", "of two rows", "no day", "too short"],
)
def test_a_day_with_a_number_behind_the_point_measures_nothing(values, role):
    assert column(table(key=np.random.default_rng(0).permutation(values)), "key").role is role


def sentences(n_kinds: int, n_rows: int, n_words: int = 15) -> list[str | None]:
    said = [f"{'for some work ' * (n_words // 3)}{'abcdefghijklm'[at]}" for at in range(n_kinds)]
    return [said[row % n_kinds] if row < n_rows else None for row in range(N_ROWS)]


@pytest.mark.parametrize(
    ("cells", "role"),
    [
        (sentences(12, 24), Role.INFO),
        (sentences(12, 36), Role.CATEGORICAL),
        (sentences(4, 24), Role.CATEGORICAL),
        (sentences(12, 24, n_words=3), Role.CATEGORICAL),
    ],
    ids=["rare", "in most rows", "few", "short"],
)
def test_many_sentences_of_few_rows_are_no_categories(cells, role):
    assert column(table(said=cells), "said").role is role
    assert column(table(said=cells), "said", said=Use.CATEGORY).role is Role.CATEGORICAL


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("fold", np.arange(60) % 5 + 1.0, "for training"),
        ("cv_fold", np.arange(60) % 10.0, "for training"),
        ("pweight", np.linspace(0.3, 4.0, 60), "survey"),
        ("pwt", np.linspace(0.3, 4.0, 60), "survey"),
        ("WTINT2YR", np.linspace(3e3, 4e5, 60), "survey"),
        ("_LLCPWT", np.linspace(3.5, 4e3, 60), "survey"),
        ("pspwght", np.linspace(0.3, 4.0, 60), "survey"),
        ("SDMVPSU", np.arange(60) % 2 + 1.0, "about the rows"),
        ("_STSTR", np.arange(60) % 9 + 11_011.0, "about the rows"),
        ("Unnamed: 0", np.arange(60) * 7.0 % 60, "differs"),
        ("unnamed_0", np.arange(60) * 7.0 % 61, "differs"),
        ("MRN", np.arange(60) * 7919.0 % 90001 + 100_000, "differs"),
        ("idcode", np.arange(60) * 31.0 % 997, "differs"),
        ("TOTWGTS", np.linspace(0.3, 4.0, 60), "survey"),
        ("y_pred", np.arange(60) % 2.0, "predicted"),
        ("Sampling Weight", np.linspace(0.3, 4.0, 60), "survey"),
        ("ADDRESS", texts(4), "about the rows"),
        ("Home_Street", texts(4), "about the rows"),
        ("field notes", texts(4), "about the rows"),
        ("Bytes", np.arange(60) * 7.5 + 1_000, "about the rows"),
        ("home city", texts(3), "about the rows"),
        ("COUNTY", texts(5), "about the rows"),
        ("GROWER", texts(3), "about the rows"),
        ("zip", np.arange(60) % 7 + 50_001.0, "about the rows"),
        ("Postal Code", np.arange(60) % 7 + 501.0, "about the rows"),
    ],
)
def test_what_is_said_about_rows_is_no_feature_unless_it_is_chosen(name, values, why):
    given = table(**{name: values})
    assert why in column(given, name).reason
    assert name not in prepare(given).feature_names
    chosen = prepare(given, roles={name: "feature"}).feature_names
    assert name in {feature.partition(" = ")[0] for feature in chosen}


@pytest.mark.parametrize("name", ["Assessor", "rater", "Panelist"])
def test_people_who_judge_several_rows_are_groups_of_them(name):
    assert column(table(**{name: np.arange(60) % 6 + 1.0}), name).role is Role.GROUP


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("fold change", np.arange(60) % 5 + 1.0),
        ("fold", np.linspace(0.1, 5, 60)),
        ("FEV1 predicted", np.linspace(1, 4, 60)),
        ("birth weight", np.linspace(1, 4, 60)),
        ("weight", np.linspace(40, 90, 60)),
        ("city", np.linspace(14, 33, 60)),  # miles per gallon
        ("zip count", np.arange(60) % 7 + 1.0),
    ],
)
def test_what_was_measured_of_rows_is_a_feature_by_whatever_name(name, values):
    assert column(table(**{name: values}), name).role is Role.NUMERIC


@pytest.mark.parametrize("name", ["address", "Street"])
@pytest.mark.parametrize("n_values", [2, 3])
def test_as_few_words_as_no_addresses_are_kinds_of_such(name, n_values):
    assert column(table(**{name: texts(n_values)}), name).role is Role.CATEGORICAL


@pytest.mark.parametrize(
    ("values", "why"),
    [
        (np.ones(60), "every value is the same"),
        (["same"] * 60, "every value is the same"),
        (np.full(60, np.nan), "every value is missing"),
        (pd.Series([None] * 60, dtype="str"), "every value is missing"),
        (1e307 * np.arange(60.0) ** 0.5, "its values are too large to compute with"),
        ([f"n{i}" for i in range(60)], "every value differs"),
        (["n1", "n1", *(f"n{i}" for i in range(58))], "nearly every value differs"),
        (["long" * 100, "short"] * 30, "it has values of more than 200 characters"),
    ],
)
def test_what_cannot_be_a_feature_says_why(values, why):
    given = table(c=values)
    assert column(given, "c").exclusion_reason.startswith(why)
    with pytest.raises(TableError, match=f'^"c" cannot be a feature: {why}. Leave it out.$'):
        prepare(given, roles={"c": "feature"})


@pytest.mark.parametrize("kind", [float, str])
@pytest.mark.parametrize("n_elsewhere", [0, 20])
def test_what_is_missing_in_the_rows_with_a_label_alone_says_so(kind, n_elsewhere):
    values = pd.Series(["7", "8"] * 30, dtype="str").astype(kind)
    is_elsewhere = np.arange(60) < n_elsewhere
    kinds = np.where(is_elsewhere, None, np.resize(["a", "b"], 60))
    given = table(c=values.where(is_elsewhere), label=kinds)
    where = " in the rows with a label" if n_elsewhere else ""
    said = column(given, "c").exclusion_reason
    assert said == f"every value is missing{where}"


def test_more_categories_than_can_be_shown_are_no_feature():
    rows = 2010
    frame = pd.DataFrame(
        {"a": np.random.default_rng(0).normal(size=rows), "c": texts(201, rows), "label": "x"}
    )
    frame.loc[::2, "label"] = "y"
    with pytest.raises(TableError, match='"c" cannot be a feature: 201 categories, more than 200'):
        prepare(Table("t", frame, ()), roles={"c": "feature"})


def test_a_feature_may_be_one_by_choice_as_by_guess():
    given = table()
    guessed, chosen = prepare(given), prepare(given, roles={"a": "feature"})
    assert chosen.to_bytes() == guessed.to_bytes()


def test_a_choice_of_nothing_is_the_guess():
    given = table(id=np.arange(60.0))
    assert column_roles(given, "label", {}) == column_roles(given, "label")


def test_the_guess_of_the_label_leaves_out_what_is_chosen_to_be_something_else():
    given = table(kind=["p", "q"] * 30)
    assert prepare(given).class_names == ("x", "y", "z")
    data = prepare(given, roles={"label": "feature"})
    assert data.class_names == ("p", "q")
    assert "label = z" in data.feature_names


def test_where_every_possible_label_is_something_else_there_is_none():
    names = pd.DataFrame({"a": NAMES, "c": np.arange(60.0) / 7, "label": table().frame["label"]})
    data = prepare(Table("t", names, ()), roles={"label": "ignored", "c": "feature"})
    assert (data.label, data.feature_names) == (NO_LABEL, ("c",))


@pytest.mark.parametrize(
    ("roles", "sentence"),
    [
        ({"colour": "feature"}, r'There is no column "colour"\. The columns are a, b, label\.'),
        ({"label": "ignored"}, r'"label" is the label\. Choose another label first\.'),
        (
            {"a": "target"},
            r'"a" cannot be "target"\. Choose one of feature, category, ordered, name,',
        ),
    ],
)
def test_a_choice_that_cannot_be_gets_a_sentence(roles, sentence):
    with pytest.raises(TableError, match=sentence):
        prepare(table(), "label", roles=roles)


def test_leaving_out_too_much_gets_a_sentence_that_says_who_chose_it():
    with pytest.raises(TableError, match=r"table has none\. Left out: a \(as you chose\);"):
        prepare(table(), roles={"a": "ignored", "b": "ignored"})


def test_different_and_missing_values_are_counted_in_the_rows_that_have_a_class():
    given = table(
        c=[7.0, np.nan, *[1.0, 2.0] * 29],
        d=["only here", None, *["p", "q"] * 29],
        label=[None, *LABEL[1:]],
    )
    found = {name: column(given, name) for name in ("a", "c", "d", "label")}
    assert (found["a"].n_values, found["a"].n_missing) == (59, 0)
    assert (found["c"].n_values, found["c"].n_missing) == (2, 1)
    assert (found["d"].n_values, found["d"].n_missing) == (2, 1)
    assert (found["label"].n_values, found["label"].n_missing) == (3, 1)


def test_the_prepared_data_carry_what_became_of_every_column():
    given = table(id=np.arange(60.0))
    data = prepare(given)
    assert data.columns == column_roles(given, "label")
    assert type(data).from_bytes(data.to_bytes()).columns == data.columns


@pytest.mark.parametrize(
    ("label", "sentence"),
    [
        (
            [f"c{i}" for i in range(60)],
            r"60 different values in 60 rows: they identify rows\. .*several rows of each\.$",
        ),
        (["x" * 1_000_000, "y"] * 30, "has a value of 1,000,000 characters, but at most 200 can"),
    ],
)
def test_a_label_that_is_none_gets_a_sentence_with_the_way_out(label, sentence):
    with pytest.raises(TableError, match=sentence):
        prepare(table(label=label), "label")


uses = st.dictionaries(
    st.sampled_from(["a", "b", "id", "town", "k", "label"]), st.sampled_from(Use)
)


@pytest.mark.slow
@settings(max_examples=50)
@given(uses)
def test_every_choice_is_followed_or_refused(roles):
    given_table = table(id=np.arange(60.0), town=texts(30), k=np.ones(60), kind=["p", "q"] * 30)
    try:
        data = prepare(given_table, roles=roles)
    except TableError as refusal:
        chosen = list(roles.values())
        is_several = any(chosen.count(use) > 1 for use in SINGLE_USES)
        expected = roles.get("k") in AS_FEATURES or is_several
        assert expected or "needs a feature" in str(refusal)  # noqa: PT017
        return
    found = {one.name: one.role for one in data.columns}
    for name, use in roles.items():
        assert (found[name] in FEATURES) is (use in AS_FEATURES)


def test_a_column_that_is_nearly_empty_is_left_out_and_one_click_brings_it_back():
    cells = np.r_[np.full(58, np.nan), 1.0, 2.0]
    rare = table(rare=cells)
    found = {column.name: column for column in column_roles(rare, "label")}["rare"]
    assert found.role is not Role.NUMERIC
    assert found.reason == "97 % of the cells are empty"
    chosen = column_roles(rare, "label", {"rare": Use.FEATURE})
    assert {column.name: column.role for column in chosen}["rare"] is Role.NUMERIC


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("sample", np.arange(60.0)[::-1] * 3 + 2_000_000),
        ("seqno", np.arange(60.0) * 2 + 5),
        ("patid", np.arange(60.0) // 2 * 7 + 11),
        ("subject", np.arange(60.0) // 4 * 7 + 11),
        ("id", np.arange(60.0) // 2 * 7 + 11),
        ("copairid", np.arange(60.0)[::-1] * 3 + 7),
        ("sku", np.arange(60.0)[::-1] * 3 + 1_113_121),
        ("CIK", np.r_[np.arange(59.0)[::-1] * 1307 + 1800, 1800.0]),
        ("cik_code", np.arange(60.0)[::-1] * 1307 + 1800),
        ("pitnumber", np.arange(60.0)[::-1] * 3 + 7),
        ("Metadata_Site", np.arange(60.0) % 9),
        ("Case", ["Train", "Test"] * 30),
        ("training", ["True", "False"] * 30),
        ("part/whole", ["training", "validating", "testing"] * 20),
    ],
)
def test_numbers_of_things_and_parts_for_tests_are_no_features(name, values):
    assert column(table(**{name: values}), name).role not in FEATURES


def test_a_first_column_without_a_name_numbers_the_rows_though_some_are_missing():
    rows = "".join(f"{at + at // 9},{at / 7},{at % 5 / 3},{'ab'[at % 2]}\n" for at in range(40))
    data = prepare(read_table(f",x,z,kind\n{rows}".encode(), "t.csv"))
    assert data.feature_names == ("x", "z")


def test_a_first_column_without_a_name_numbers_the_rows_of_tables_put_together():
    numbered = [*range(30), *range(50)]
    rows = "".join(f"{at},{at / 7},{at % 5 / 3},{'ab'[at % 2]}\n" for at in numbered)
    data = prepare(read_table(f",x,z,kind\n{rows}".encode(), "t.csv"))
    assert data.feature_names == ("x", "z")


@pytest.mark.parametrize(("n_gaps", "is_constant"), [(2, True), (12, False)])
def test_a_word_that_nearly_all_rows_have_is_no_feature_unless_chosen(n_gaps, is_constant):
    cells = ["" if at < n_gaps else "cod" for at in range(60)]
    frame = pd.DataFrame({"x": np.arange(60) / 7, "fish": cells, "label": [*"ab"] * 30})
    given = read_table(frame.to_csv(index=False).encode(), "t.csv")
    assert (column(given, "fish").role is Role.CONSTANT) == is_constant
    chosen = prepare(given, roles={"fish": "feature"}).feature_names
    assert any(feature.startswith("fish") for feature in chosen)


@pytest.mark.parametrize(("mark", "is_box"), [("1", True), ("7", False), ("Y", True)])
def test_of_a_box_an_empty_cell_says_that_it_was_not_ticked(mark, is_box):
    ticked = [at % 3 == 0 for at in range(60)]
    cells = [mark if each else None for each in ticked]
    frame = pd.DataFrame({"x": np.arange(60) / 7, "eats fish": cells, "label": [*"ab"] * 30})
    data = prepare(read_table(frame.to_csv(index=False).encode(), "t.csv"))
    assert data.feature_names == ("x", *["eats fish = missing"] * is_box)
    if is_box:
        np.testing.assert_array_equal(data.X[:, 1] < 0, ticked)


def test_words_that_hardly_two_rows_share_are_names_not_categories():
    rows = "".join(f"{at / 7},name {at * at % 13},{'ab'[at % 2]}\n" for at in range(12))
    data = prepare(read_table(f"x,candidate,kind\n{rows}".encode(), "t.csv"))
    assert data.feature_names == ("x",)


def test_a_question_about_subjects_names_no_group():
    asked = "Did subject meet all definitions?"
    cells = {asked: ["yes", "no"] * 8, "x": np.arange(16.0), "class": ["a", "a", "b", "b"] * 4}
    for name, is_group in ((asked, False), ("Subject", True)):
        columns = column_roles(
            Table("t", pd.DataFrame(cells).rename(columns={asked: name}), ()), "class"
        )
        assert any(one.role is Role.GROUP for one in columns) == is_group


@pytest.mark.parametrize(
    ("name", "is_batch"),
    [
        ("block", True),
        ("plate_id", True),
        ("assay plate", True),
        ("LotShape", False),
        ("A lot", False),
        ("lot", True),
        ("sqft_lot", False),
        ("parking lot", False),
        ("magma_block", False),
    ],
)
def test_a_batch_is_what_its_whole_name_says(name, is_batch):
    cells = {name: [1.0, 2.0] * 8, "x": np.arange(16.0), "class": ["a", "a", "b", "b"] * 4}
    columns = column_roles(Table("t", pd.DataFrame(cells), ()), "class")
    roles = {column.name: column.role for column in columns}
    assert (roles[name] is Role.BATCH) == is_batch


@pytest.mark.parametrize(
    ("name", "numbers", "is_id"),
    [
        ("user_id", [at // 3 for at in range(60)], True),
        ("user_id", [at % 4 for at in range(60)], False),
        ("SSN", [5000 + 2 * at for at in range(60)], True),
        ("register", [78_022_404_717 + 3 * at for at in range(60)], True),
        ("people", [10**at % 99_999_989 for at in range(60)], False),
        ("experience [y]", range(60), False),
        ("experience", range(60), True),
        ("Sample_Name_s", [3 + at * at for at in range(60)], True),
        ("run title", [3 + at * at for at in range(60)], True),
        ("W2_CASEID2", [3 + at * at for at in range(60)], True),
        ("NO2", [3 + at * at for at in range(60)], False),
        ("NO3 [mg]", [3 + at * at for at in range(60)], False),
        ("mass_s", [3 + at * at for at in range(60)], False),
        ("mass 2", [3 + at * at for at in range(60)], False),
    ],
)
def test_numbers_of_things_are_no_features_and_those_with_a_unit_are(name, numbers, is_id):
    cells = {name: np.array(numbers, dtype=float), "x": np.arange(60) % 7.0, "class": [*"ab"] * 30}
    columns = column_roles(Table("t", pd.DataFrame(cells), ()), "class")
    assert (columns[0].role in (Role.NAME, Role.ID, Role.INFO)) == is_id


@pytest.mark.parametrize(
    ("name", "keys", "is_key"),
    [
        ("album_id", ("6ofEQubaL2", "0tzfI6NFJq"), True),
        ("CowTagID", ("V1", "V12"), True),
        ("Well", ("A1", "H12"), True),
        ("well", ("Alpha", "Beta"), False),
        ("album_id", ("Zone A", "Zone B"), False),
        ("tag", ("V1", "V12"), False),
    ],
)
def test_keys_that_several_rows_share_are_no_categories(name, keys, is_key):
    cells = {name: [*keys] * 8, "x": np.arange(16) % 7.0, "class": ["a", "a", "b", "b"] * 4}
    columns = column_roles(Table("t", pd.DataFrame(cells), ()), "class")
    assert (columns[0].role is Role.INFO) == is_key


@pytest.mark.parametrize(
    ("days", "are_dates"),
    [
        (("2024-05-02", "2023-11-30", "2024-01-09"), True),
        (("24/07/2017", "01/05/2019", "02/05/2019"), True),
        (("3.5.2021 08:30", "1.5.2021 09:00", "7.5.2021 10:15"), True),
        (("2019-11", "2020-02", "2018-07"), True),
        (("8/10/15", "10/15/18", "10/4/15"), True),
        (("4-Jan-17", "5-mar-2017", "30-Dec-99"), True),
        (("12-24-2019", "01-02-2020", "3-4-2020"), True),
        (("-999", "01/05/2019", "02/05/2019"), True),
        (("14/04/2025", *(f"{day}/05/2025" for day in range(7, 12)), "26/06/025"), True),
        (("5.3.2019", "6.3.2019", "7.3.2019", "8.3.2019", "9.3.2019", "10.3.201"), True),
        (("14/04/2025", "7/05/2025", "26 of 025", "late"), False),
        (("-999", "-999", "-9"), False),
        (("17-Jan", "18-Mar", "9-Feb"), True),
        (("January 2017", "Mar 2018", "Sept. 2018"), True),
        (("2010-01", "1/10/10", "3/26/04"), True),
        (("2010-01", "1/10/10", "spring"), False),
        (("jan", "feb", "mar"), False),
        (("8/10/15", "10/45/18", "10/4/15"), False),
        (("10-15-18", "10-12-17", "11-10-15"), False),
        (("20-29", "30-39", "40-49"), False),
        (("1-2", "3-4", "5-6"), False),
        (("2024-05-02", "2023-11-30", "later"), False),
        (("type-A", "type-B", "type-C"), False),
    ],
)
def test_dates_that_rows_share_are_no_categories(days, are_dates):
    given = table(entered=[days[row * 7 % 60 % len(days)] for row in range(60)])
    features = prepare(given).feature_names
    assert any(feature.startswith("entered") for feature in features) == (not are_dates)
    assert (column(given, "entered").role is Role.INFO) == are_dates
    chosen = prepare(given, roles={"entered": "category"}).feature_names
    assert any(feature.startswith("entered") for feature in chosen)


@pytest.mark.parametrize(
    ("name", "is_feature"),
    [
        ("batch", False),
        ("Batch", False),
        ("Experimental_batch", False),
        ("batch size", True),
        ("Parallel", False),
        ("parallel walls", True),
        ("lot", True),
        ("replicate", False),
        ("BioRep", False),
        ("rep", False),
        ("Replicate rep", False),
        ("TubeNumber", False),
        ("trial", False),
        ("taxonomist", False),
        ("ecto_screener", False),
        ("screening", True),
        ("sorted by", False),
        ("pollinated by", True),
        ("trial time", True),
        ("tube length", True),
        ("operator age", True),
        ("reps", True),
        ("reputation", True),
    ],
)
def test_a_batch_that_tells_a_class_is_no_feature(name, is_feature):
    cells = {name: [1.0, 1.0, 2.0] * 6, "x": np.arange(18.0) ** 2, "class": ["a", "a", "b"] * 6}
    columns = column_roles(Table("t", pd.DataFrame(cells), ()), "class")
    roles = {column.name: column.role for column in columns}
    assert roles[name] is (Role.NUMERIC if is_feature else Role.INFO)


@pytest.mark.parametrize("name", ["plotcode", "zipcode", "sample"])
def test_whole_numbers_that_hardly_recur_under_such_a_name_are_no_feature(name):
    cells = {"x": np.arange(24.0) ** 2, name: np.arange(24.0)[::-1] * 7 + 50_000}
    frame = pd.DataFrame({**cells, "class": ["a", "a", "b"] * 8})
    shared = frame.assign(**{name: np.resize(np.arange(12.0), 24)})
    for rows in (frame, shared) if name == "sample" else (frame,):
        roles = {one.name: one.role for one in column_roles(Table("t", rows, ()), "class")}
        assert roles[name] in (Role.NAME, Role.INFO)
    measured = frame.rename(columns={name: "sample mass"})
    roles = {one.name: one.role for one in column_roles(Table("t", measured, ()), "class")}
    assert roles["sample mass"] is Role.NUMERIC


@pytest.mark.parametrize("name", ["id_plot", "plot id", "ID cell type", "bikeid"])
def test_numbers_that_rows_share_under_a_name_of_an_id_are_no_feature(name):
    frame = pd.DataFrame(
        {name: np.arange(60.0) % 25, "a": np.arange(60) / 7, "kind": ["x", "y"] * 30}
    )
    roles = {one.name: one.role for one in column_roles(Table("t", frame, ()), "kind")}
    assert roles[name] is Role.INFO  # a name of a row would be of that alone
    assert roles["a"] is Role.NUMERIC


def test_dates_that_ascend_along_the_file_are_its_order_whatever_their_name():
    days = pd.date_range("2024-01-01", periods=60).strftime("%Y-%m-%d").to_numpy(object)
    frame = pd.DataFrame({"dteday": days, "a": np.arange(60.0) % 7, "kind": ["x", "y"] * 30})
    roles = {one.name: one.role for one in column_roles(Table("t", frame, ()), "kind")}
    assert roles["dteday"] is Role.ORDER
    sent = [f"2011-01-01 10:{at // 2:02d}" for at in range(60)]  # each of two questions
    for others in (days[::-1], sent):
        columns = column_roles(Table("t", frame.assign(dteday=others), ()), "kind")
        assert Role.ORDER not in {column.role for column in columns}


@pytest.mark.parametrize(
    ("name", "time", "is_group"),
    [
        ("gvkey", "fyear", True),
        ("gvkey", "ff_year", True),
        ("firm", "year", True),
        ("country", "Year", True),
        ("student", "wave", True),
        ("tag_num", "year", True),
        ("n_num_of", "year", False),
        ("age", "year", False),
        ("rank", "week", False),
        ("price", "year", False),
        ("month", "year", False),
    ],
)
def test_what_each_time_has_once_is_a_group_where_it_is_a_thing(name, time, is_group):
    rows = 12 * 8
    things = np.repeat(np.arange(12), 8)
    kind = np.where(things % 2, "x", "y")
    named = [f"land {'abcdefghijkl'[at]}" for at in things] if name == "country" else things + 1.0
    frame = pd.DataFrame(
        {name: named, time: np.arange(rows) % 8 + 2000.0, "a": np.arange(rows) / 7, "class": kind}
    )
    roles = {one.name: one.role for one in column_roles(Table("t", frame, ()), "class")}
    assert (roles[name] is Role.GROUP) == is_group
    twice = pd.concat([frame, frame], ignore_index=True)  # no time has each once
    roles = {one.name: one.role for one in column_roles(Table("t", twice, ()), "class")}
    assert roles[name] is not Role.GROUP


@pytest.mark.parametrize(("n_alike", "is_group"), [(0, True), (2, True), (40, False)])
@pytest.mark.parametrize(("name", "time"), [("village", "season"), ("well", "Year")])
def test_what_nearly_each_time_has_once_is_a_group(name, time, n_alike, is_group):
    things, times = np.divmod(np.arange(240 * 3), 3)
    named = [f"Place{thing % (240 - n_alike)}" for thing in things]
    frame = pd.DataFrame(
        {name: named, time: [f"{2018 + at} dry" for at in times], "a": things % 7 / 3}
    )
    frame["class"] = np.where(things % 2, "x", "y")
    roles = {one.name: one.role for one in column_roles(Table("t", frame, ()), "class")}
    assert (roles[name] is Role.GROUP) == is_group


@pytest.mark.parametrize(
    ("code", "values", "is_code"),
    [
        ("cow", 5.0 * np.arange(12), False),  # of few, any measure differs
        ("iso no", 5.0 * np.arange(12), True),
        ("cow", np.floor(1.5 * np.arange(40)), True),
        ("cow", np.floor(1.5 * np.r_[0, np.arange(39)]), True),  # of one that was renamed
        ("cow", np.floor(1.5 * (np.arange(40) // 2)), False),
        ("cow", 0.5 + np.arange(40), False),
    ],
)
def test_whole_numbers_of_which_each_group_has_its_own_are_its_code(code, values, is_code):
    lands = np.repeat(np.arange(len(values)), 8)
    cells = {
        "country": [f"land {chr(97 + at % 20)}{chr(97 + at // 20)}" for at in lands],
        "year": np.arange(len(lands)) % 8 + 2000.0,
        code: values[lands], "a": np.arange(len(lands)) / 7,
        "class": np.where(lands % 2, "x", "y"),
    }  # fmt: skip
    columns = column_roles(Table("t", pd.DataFrame(cells), ()), "class")
    found = next(column for column in columns if column.name == code)
    assert (found.reason == "a code of country") == is_code


def test_several_who_recorded_rows_of_every_class_are_a_batch():
    given = table(operator=[*"abc"] * (N_ROWS // 3), label=np.resize([*"xxyy"], N_ROWS))
    assert column(given, "operator").role is Role.BATCH


def test_what_recurs_beside_times_that_never_do_is_no_group():
    days = pd.date_range("2024-01-01", periods=96).strftime("%Y-%m-%d").to_numpy(object)
    winds = np.array([*"NESWABCDFGHI"], dtype=object)[np.arange(96) * 5 % 12]
    frame = pd.DataFrame(
        {"Date": days, "wind": winds, "a": np.arange(96) / 7, "class": [*"xyyx"] * 24}
    )
    roles = {one.name: one.role for one in column_roles(Table("t", frame, ()), "class")}
    assert roles["wind"] is Role.CATEGORICAL


@pytest.mark.parametrize(("shift", "is_place"), [(450_000.0, True), (40.0, False)])
def test_x_and_y_of_a_map_in_meters_say_where(shift, is_place):
    places = {"X": shift + np.arange(60) ** 2 % 61, "y": shift + np.arange(60) ** 3 % 59}
    measures = {"width": np.arange(60) * 0.7 % 3, "depth": np.arange(60) * 0.3 % 5}
    frame = pd.DataFrame({**places, **measures, "class": [*"xyyx"] * 15})
    roles = {one.name: one.role for one in column_roles(Table("t", frame, ()), "class")}
    assert [roles[name] is Role.INFO for name in ("X", "y")] == [is_place] * 2


def test_the_time_to_what_has_a_date_is_measured():
    days = np.arange(60) ** 2 % 31
    dates = [f"2021-05-{1 + day:02d}" for day in days]
    columns = {"hatching": dates, "time_to_hatching": days * 1.5, "width": np.arange(60) * 0.7 % 3}
    frame = pd.DataFrame({**columns, "depth": np.arange(60) * 0.3 % 5, "class": [*"xyyx"] * 15})
    roles = {one.name: one.role for one in column_roles(Table("t", frame, ()), "class")}
    assert roles["time_to_hatching"] is Role.NUMERIC


def test_what_is_computed_of_the_month_alone_is_no_more_measured_than_the_month():
    month = 1.0 + np.arange(120) ** 2 % 11
    squares = {"month": month, "month2": month**2, "std_month": (month - 6) / 3}
    other = np.random.default_rng(0).permutation(12)[month.astype(int)] * 1.5
    measures = {"width": np.arange(120) * 0.7 % 3, "rain": other}
    dates = {"year": 2001.0 + np.arange(120) // 40}
    frame = pd.DataFrame({**dates, **squares, **measures, "class": [*"xyyx"] * 30})
    roles = {one.name: one.role for one in column_roles(Table("t", frame, ()), "class")}
    assert {name for name, role in roles.items() if role is Role.NUMERIC} == {"width", "rain"}


@pytest.mark.parametrize("name", ["X", "X.1", "V1", "...1"])
def test_whole_numbers_that_rise_in_a_column_without_a_name_of_its_own_number_rows(name):
    rising = np.cumsum(np.arange(60) % 4 + 1).astype(float)
    for numbers, is_id in ((rising, True), (rising[::-1], False), (rising + 0.5, False)):
        frame = pd.DataFrame({"a": np.arange(60) * 0.7 % 3, name: numbers, "class": [*"xyyx"] * 15})
        roles = {one.name: one.role for one in column_roles(Table("t", frame, ()), "class")}
        assert (roles[name] is not Role.NUMERIC) == is_id


@pytest.mark.parametrize(
    ("name", "numbers", "is_id"),
    [
        ("band", [*(100 + 37 * np.arange(58)), 100, 137], True),
        ("ward", np.arange(60) * 7 % 61, True),
        ("place in line", np.delete(np.arange(100), np.arange(0, 100, 5))[::-1], True),
        ("IDPROV", [101 + 37 * at for at in range(60)], True),
        ("rowlabel", [61_302_140 + 412_480 * at for at in range(60)], True),
        ("population", [1_000 + 911 * at * at % 49_999 for at in range(60)], False),
        ("price", [1_990 + 37 * at for at in range(60)], False),
        ("time", [1_700_000 + 90 * at * at for at in range(60)][::-1], False),
        ("ranking", np.arange(60) * 7 % 61, False),
        ("pixel_3", np.arange(60) * 7 % 61, False),
        ("IDEALS", [101 + 37 * at for at in range(60)], False),
    ],
)
def test_numbers_that_would_recur_if_they_were_measured_name_rows(name, numbers, is_id):
    n = len(numbers)
    frame = pd.DataFrame(
        {name: np.array(numbers, float), "a": np.arange(n) % 7.0, "class": [*"ab"] * (n // 2)}
    )
    roles = {one.name: one.role for one in column_roles(Table("t", frame, ()), "class")}
    assert (roles[name] not in FEATURES) == is_id


@pytest.mark.parametrize(
    ("levels", "order"),
    [
        (["5 - Very much", "1 - Not at all", "3", "2", "4"], "12345"),
        (["2", "1 = weak", "3"], "123"),
        (["0: none of it", "1", "2", "3 (mg)"], None),
        (["1. White", "2. Black", "3. Other"], None),
        (["1", "2", "98 = refused"], None),
        (["1", "2", "3"], None),
    ],
)
def test_a_scale_whose_ends_have_words_is_in_the_order_of_its_numbers(levels, order):
    found = column(table(answer=[levels[at % len(levels)] for at in range(60)]), "answer")
    assert (found.role is Role.ORDERED) == bool(order)
    if order:
        numbers = [
            level.split()[0] for level in found.reason.removeprefix("ordered: ").split(" < ")
        ]
        assert "".join(numbers) == order


@pytest.mark.parametrize(
    ("image", "cell"), [("ImageNumber", "ObjectNumber"), ("image_id", "Object Number")]
)
def test_cells_of_an_image_stay_together_and_their_numbers_are_no_features(image, cell):
    at = np.arange(240)
    cells = {image: at // 20 + 1.0, cell: at % 20 + 1.0, "Image_Mean": at * 7 % 11 / 3, "a": at / 7}
    frame = pd.DataFrame({**cells, "class": np.where(at // 20 % 2, "x", "y")})
    roles = {one.name: one.role for one in column_roles(Table("t", frame, ()), "class")}
    assert roles[image] is Role.GROUP
    assert roles[cell] not in FEATURES
    assert roles["Image_Mean"] is Role.NUMERIC


@pytest.mark.parametrize(
    ("name", "parts", "is_number"),
    [
        ("sno", (40, 38, 42), True),
        ("Description", (94, 7), True),
        ("fish", (12, 31, 9, 20, 33, 15), True),
        ("fish", (20,) * 6, False),  # equal ones, as of a design
        ("depth_cm", (40, 38, 42), False),
        ("month", (40, 38, 42), False),
        ("eggs", (3, 4, 5, 2) * 9, False),
    ],
)
def test_numbers_that_begin_again_are_of_the_rows_of_parts(name, parts, is_number):
    numbers = np.concatenate([np.arange(1.0, n + 1) for n in parts])
    numbers = np.delete(numbers, [4] * is_number)  # as of one that was lost
    noise = np.random.default_rng(0).normal(size=(2, len(numbers)))
    cells = {
        name: numbers,
        "a": noise[0],
        "b": noise[1],
        "kind": np.resize(["x", "y", "y"], len(numbers)),
    }
    data = prepare(Table("t", pd.DataFrame(cells), ()), "kind")
    assert (name in data.feature_names) == (not is_number)
    asked = {question.id: question.default for question in data.questions}
    assert not is_number or asked[f"use:{name}"] == "info"
    mixed = {**cells, name: np.random.default_rng(0).permutation(numbers)}
    assert name in prepare(Table("t", pd.DataFrame(mixed), ()), "kind").feature_names


@pytest.mark.parametrize(
    ("name", "scale", "is_time"),
    [
        ("review_time", 1, True),
        ("Timestamp", 1_000, True),
        ("date", 1, True),
        ("response time", 1 / 1_000_000, False),
        ("sequence", 1, False),
    ],
)
def test_seconds_since_1970_are_no_measure(name, scale, is_time):
    at = np.arange(120)
    seconds = (1_234_817_823 + at * 7_919 % 41 * 86_413) * scale
    cells = {name: seconds // 1.0, "a": at % 7 / 3, "b": at % 11 * 1.0}
    frame = pd.DataFrame({**cells, "kind": ["x", "y"] * 60})
    role = {one.name: one.role for one in column_roles(Table("t", frame, ()), "kind")}[name]
    assert role is (Role.INFO if is_time else Role.NUMERIC)


@pytest.mark.parametrize("written", ["%Y-%m-%d", "%m/%d/%y"])
def test_days_name_no_rows(written):
    days = pd.date_range("2024-01-01", periods=60).strftime(written).to_numpy(object)[::-1].copy()
    days[7] = days[9]
    frame = pd.DataFrame({"met": days, "a": np.arange(60.0) % 7 / 3, "kind": ["x", "y"] * 30})

    def role(cells):
        columns = column_roles(Table("t", frame.assign(met=cells), ()), "kind")
        return next(one.role for one in columns if one.name == "met")

    assert role(days) is Role.INFO
    days[3] = "summer 1949"
    assert role(days) is (Role.INFO if "/" in written else Role.NAME)
    assert role(np.char.add("sub-", days.astype(str)).astype(object)) is Role.NAME


@pytest.mark.parametrize(
    ("times", "role"),
    [
        (["8:20", "13:05", "8:40"], Role.INFO),
        (["8:20:10 AM", "1:05:00 pm", "11:00:59 AM"], Role.INFO),
        (["1:100", "1:10", "1:1000"], Role.CATEGORICAL),  # dilutions
        (["16:0", "18:1", "18:2"], Role.CATEGORICAL),  # fatty acids
        (["08:20", "noon", "13:05"], Role.CATEGORICAL),
    ],
)
def test_times_of_day_that_rows_share_are_no_categories(times, role):
    frame = pd.DataFrame({"start": np.resize(np.array(times, object), 60)})
    frame = frame.assign(a=np.arange(60.0) % 7 / 3, kind=["x", "y"] * 30)
    roles = {one.name: one.role for one in column_roles(Table("t", frame, ()), "kind")}
    assert roles["start"] is role


@pytest.mark.parametrize(
    ("name", "place", "role"),
    [
        ("ID", 0, Role.NAME),
        ("Sample No.", 0, Role.NAME),
        ("plot", 0, Role.NAME),
        ("rownames", 1, Role.NAME),
        ("ID", 1, Role.NUMERIC),  # the inner diameter
        ("NO", 0, Role.NUMERIC),  # nitric oxide
        ("refractive index", 0, Role.NUMERIC),
        ("number of leaves", 0, Role.NUMERIC),
    ],
)
def test_fractions_below_a_first_name_of_ids_name_the_rows(name, place, role):
    frame = pd.DataFrame({"a": np.arange(60.0) % 7 / 3, "kind": ["x", "y"] * 30})
    frame.insert(place, name, [100 + plot + tree / 100 for plot in range(12) for tree in range(5)])
    roles = {one.name: one.role for one in column_roles(Table("t", frame, ()), "kind")}
    assert roles[name] is role


@pytest.mark.parametrize(
    ("name", "cells", "names_rows"),
    [
        ("state", [f"state of {'abcdef'[at % 6]}{at}" for at in range(60)], "state"),
        ("patient_id", [900.0 + 7 * (at * 37 % 60) for at in range(60)], "patient_id"),
        ("said", [f"{at} times we went there and it was good" * 3 for at in range(60)], "column 1"),
        ("comment", [f"note {at}" for at in range(60)], "column 1"),
        ("age", [20.0 + at % 40 for at in range(60)], "column 1"),
    ],
)
def test_numbers_without_a_name_number_the_rows_where_another_column_names_them(
    name, cells, names_rows
):
    """As an index that pandas wrote before the names of states."""
    frame = pd.DataFrame({name: cells, "a": np.arange(60.0) % 7 / 3, "kind": ["x", "y"] * 30})
    columns = column_roles(read_table(frame.to_csv().encode(), "t.csv"), "kind")
    assert [one.name for one in columns if one.role is Role.NAME] == [names_rows]
    first = columns[0]
    assert first.role is (Role.NAME if names_rows == "column 1" else Role.INFO)
    assert first.reason.startswith("it has no name: it n")


@pytest.mark.parametrize("name", ["schoolid", "plotcode", "idnum", "school id"])
def test_ids_that_many_rows_share_are_no_numbers(name):
    ids = np.repeat(np.arange(12.0), 40) * 3 + 1_200
    frame = pd.DataFrame({name: ids, "a": np.arange(480.0) % 7 / 3, "kind": ["x", "y"] * 240})
    columns = column_roles(read_table(frame.to_csv(index=False).encode(), "t.csv"), "kind")
    assert columns[0].role not in (Role.NUMERIC, Role.CATEGORICAL)


@pytest.mark.parametrize(("step", "is_name"), [(3, True), (-3, False)])
def test_numbers_without_a_name_that_go_up_but_where_tables_were_put_together_name_rows(
    step, is_name
):
    """Though rows were taken out of each."""
    numbers = [*range(0, 20 * step, step)] * 3
    frame = pd.DataFrame({"": numbers, "a": np.arange(60.0) % 7 / 3, "kind": ["x", "y"] * 30})
    columns = column_roles(read_table(frame.to_csv(index=False).encode(), "t.csv"), "kind")
    assert (columns[0].role is Role.NAME) == is_name


@pytest.mark.parametrize("name", ["Chromosome", "chr", "length"])
@pytest.mark.parametrize("n_others", [0, 2, 30])
def test_letters_among_numbers_of_chromosomes_are_chromosomes(name, n_others):
    cells = ["X" if at < n_others else at % 9 + 1 for at in range(120)]
    frame = pd.DataFrame({name: cells, "a": np.arange(120) % 7 / 3, "kind": ["x", "y"] * 60})
    table = read_table(frame.to_csv(index=False).encode(), "t.csv")
    is_text = n_others == 30 or (n_others > 0 and name != "length")
    assert (table.frame[name].dtype.kind != "f") == is_text
    assert table.frame[name].isna().sum() == (0 if is_text else n_others)
    if name == "chr" and n_others == 0:
        assert "use:chr" in {question.id for question in prepare(table).questions}


WORDS = [f"{first}{last}{end}" for first in "bdfgk" for last in "aeiou" for end in "lmnrstvz"]


def of_text(n_words, names, generator):
    """Counts of words, and what the text is of."""
    words = [*WORDS[: n_words - len(names)], *names]
    counts = generator.poisson(0.1, (80, len(words))).astype(float)
    counts[:, -1] = generator.poisson(0.9, 80)  # a frequent one
    frame = pd.DataFrame(counts, columns=words).assign(age=generator.normal(50, 9, 80))
    return frame.assign(cause=np.resize(np.array(["fall", "fire", "flu"], dtype=object), 80))


@pytest.mark.parametrize(
    "names",
    [
        ("lot", "participant", "train", "tube", "technician", "diagnosis"),
        ("batch", "patient", "fold", "vial", "observer", "survived", "day"),
    ],
)
def test_counted_words_of_texts_are_features_whatever_they_name(names):
    frame = of_text(220, names, np.random.default_rng(0))
    data = prepare(Table("notes", frame, ()))
    assert data.label == "cause"
    assert {*names, "age"} <= {*data.feature_names}
    assert not [one.id for one in data.questions if one.id.startswith("use:")]
    chosen = prepare(Table("notes", frame, ()), roles={names[0]: "batch"})
    assert names[0] not in chosen.feature_names


@pytest.mark.parametrize("share", [0.1, 0.5])
@pytest.mark.parametrize(("name", "is_last"), [("spam", True), ("spam", False), ("class", None)])
def test_beside_counted_words_the_label_is_at_an_end_or_has_a_plain_name(name, is_last, share):
    frame = of_text(260, ("lot", "day"), np.random.default_rng(0)).drop(columns=["cause", "age"])
    at = 9 if is_last is None else is_last * frame.shape[1]
    frame.insert(at, name, (np.random.default_rng(1).random(80) < share).astype(float))
    assert prepare(Table("mails", frame, ())).label == name


@pytest.mark.parametrize("n_words", [30, 150])
def test_among_fewer_counts_names_say_what_columns_are(n_words):
    frame = of_text(n_words, ("technician", "diagnosis"), np.random.default_rng(0))
    data = prepare(Table("notes", frame, ()))
    assert data.label == "diagnosis"
    assert "technician" not in data.feature_names


GENES = ("ID1", "NID1", "EMID1", "SBP1_HUMAN", "CNTRL_MOUSE", "GLYOXYLATE", "lot", "day")


def of_genes(names=GENES) -> dict[str, list[int]]:
    """Whole numbers, some of which recur, of 24 samples."""
    random = np.random.default_rng(0)
    return {name: random.integers(13_000, 13_030, 24).tolist() for name in names}


def gct(genes: dict[str, list[int]], kinds: list[str], **marks: list[object]) -> bytes:
    samples = [f"s{at}" for at in range(24)]
    n_marks = 1 + len(marks)
    lines = [["#1.3"], [len(genes), 24, 1, n_marks], ["id", "about", *samples]]
    lines += [[name, "na", *mark] for name, mark in {"kind": kinds, **marks}.items()]
    lines += [[name, "a gene", *numbers] for name, numbers in genes.items()]
    return "".join("\t".join(map(str, line)) + "\n" for line in lines).encode()


@pytest.mark.parametrize("kinds", [["ALL", "AML"] * 12, ["ALL", "AML", "MLL"] * 8, ["-"] * 24])
def test_measured_rows_of_a_format_are_features_whatever_they_name(kinds):
    data = prepare(read_table(gct(of_genes(), kinds), "genes.gct"))
    assert data.feature_names == GENES
    assert data.label == ("kind" if len({*kinds}) > 1 else NO_LABEL)
    asked = {one.id.partition(":")[2] for one in data.questions}
    offered = {choice.value for one in data.questions for choice in one.choices}
    assert not (asked | offered) & {*GENES}


def test_a_measured_row_may_be_chosen_to_be_something_else():
    table = read_table(gct(of_genes(), ["ALL", "AML"] * 12), "genes.gct")
    data = prepare(table, roles={"NID1": "group"})
    assert "NID1" not in data.feature_names
    assert data.groups is not None
    assert prepare(table, label="lot").label == "lot"


def test_columns_of_a_plain_table_are_what_their_names_say():
    frame = pd.DataFrame(of_genes()).assign(kind=["ALL", "AML"] * 12)
    data = prepare(read_table(frame.to_csv(index=False).encode(), "genes.csv"))
    assert not {"ID1", "NID1", "EMID1"} & {*data.feature_names}


DOSES = ["0.04 um", "0.12 um", "-666", "1.11 um"] * 6


@pytest.mark.parametrize("name", ["dose", "dose [um]"])
def test_what_is_said_of_samples_is_no_feature_where_a_unit_is_read_from_it(name):
    raw = gct(of_genes(), ["ALL", "AML"] * 12, **{name: DOSES})
    table = read_table(raw, "genes.gct")
    assert table.frame["dose [um]"].isna().sum() == 6
    data = prepare(table)
    assert data.feature_names == GENES
    assert {one.name: one.role for one in data.columns}["dose [um]"] is Role.INFO


def test_a_number_with_a_unit_in_a_plain_table_is_a_feature():
    frame = pd.DataFrame(of_genes(["TP53"])).assign(dose=DOSES, kind=["ALL", "AML"] * 12)
    frame = frame.replace("-666", None)
    data = prepare(read_table(frame.to_csv(index=False).encode(), "genes.csv"))
    assert data.feature_names == ("TP53", "dose [um]")


@pytest.mark.parametrize(("name", "label"), [("batch_replicate", NO_LABEL), ("batch_kind", None)])
def test_the_number_of_a_replicate_is_no_class(name, label):
    raw = gct(of_genes(), ["-"] * 24, **{name: [1, 2, 3] * 8})
    assert prepare(read_table(raw, "genes.gct")).label == (label or name)


def test_what_is_said_of_each_of_several_ids_is_measured_and_their_numbers_name_things():
    rng = np.random.default_rng(0)
    scores = {f"id{at}_score": rng.integers(1, 14, 120) * 1.0 for at in range(1, 5)}
    frame = pd.DataFrame({**scores, "id_plot": rng.integers(1, 60, 120) * 1.0})
    frame["group"] = np.array(["a", "b"], dtype=object)[np.arange(120) % 2]
    data = prepare(Table("t", frame, ()), "group")
    assert data.feature_names == tuple(scores)


def numbered(stem: str, n_columns: int, **others) -> Table:
    """Whole numbers of 60 rows in columns that are named alike, and columns beside them."""
    rng = np.random.default_rng(0)
    alike = {f"{stem}{n}": rng.integers(0, 30, 60) * 1.0 for n in range(1, n_columns + 1)}
    kind = np.array(["a", "b"], dtype=object)[np.arange(60) % 2]
    return Table("t", pd.DataFrame({**alike, **others, "kind": kind}), ())


@pytest.mark.parametrize("stem", ["patient", "id", "sample ", "day_", "site", "year "])
def test_most_columns_of_a_table_are_measured_whatever_they_are_numbered_by(stem):
    data = prepare(numbered(stem, 40), "kind")
    assert len(data.feature_names) == 40
    assert data.questions == ()


def test_one_column_beside_many_that_are_numbered_still_names_things():
    found = numbered("day_", 40, patient=np.random.default_rng(1).permutation(60) // 2 * 1.0)
    roles = {one.name: one.role for one in prepare(found, "kind").columns}
    assert roles["patient"] not in FEATURES
    assert roles["day_1"] in FEATURES


def test_of_many_columns_of_things_and_of_times_few_are_compared(monkeypatch):
    looks, looked = [], column_roles_module.n_equal_pairs
    monkeypatch.setattr(
        column_roles_module,
        "n_equal_pairs",
        lambda cells: looks.append(cells.name) or looked(cells),
    )
    rng = np.random.default_rng(0)
    words = {
        f"{stem} {n}": [f"P{value}" for value in rng.integers(1, 13, 40)]
        for n in range(50)
        for stem in ("site", "time")
    }
    kind = np.array(["a", "b"], dtype=object)[np.arange(40) % 2]
    frame = pd.DataFrame({**words, "x": rng.normal(size=40), "kind": kind})
    prepare(Table("t", frame, ()), "kind")
    assert 0 < len(looks) <= 2 * column_roles_module.MOST_PAIRED
