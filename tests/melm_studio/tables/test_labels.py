"""The label is guessed by evidence, and no member of a family is ever it."""

from __future__ import annotations

import string
import sys
import uuid

import numpy as np
import pandas as pd
import pytest

from melm_studio.tables import NO_LABEL, Role, Table, prepare, read_table
from melm_studio.tables.above_rows import NO_GROUPS
from melm_studio.tables.distinct import Numbers
from melm_studio.tables.families import families
from melm_studio.tables.labels import guess_label, label_candidates
from melm_studio.tables.records import Form

N_ROWS = 60
RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def drawn_anew(monkeypatch):
    """Each test draws the same numbers, whichever ran before it."""
    monkeypatch.setattr(sys.modules[__name__], "RNG", np.random.default_rng(0))


def measured(*names):
    return pd.DataFrame(RNG.normal(size=(N_ROWS, len(names))), columns=names)


def words(*values):
    return np.resize(np.array(values, dtype=object), N_ROWS)


def numbers(*values):
    return np.resize(np.array(values, dtype=np.float64), N_ROWS)


def choices(table):
    asked = [one for one in prepare(table).questions if one.id == "label"]
    return [choice.value for one in asked for choice in one.choices]


def offered(table):
    return [name for name in choices(table) if name != NO_LABEL]


@pytest.mark.parametrize(
    "name",
    [
        "labels", "Classes", "targets", "outcomes", "Attrition", "Churned", "default", "exited",
        "Disease", "loan_status", "Diagnoses", "tumorGrade", "treatment arm", "genotypes",
        "Phenotype", "cultivars", "quality", "disease_state_at_visit",
    ],
)  # fmt: skip
def test_a_word_of_a_name_makes_the_label_wherever_it_stands(name):
    frame = measured("a", "b")
    frame.insert(1, name, words("no", "yes"))
    frame["job"] = words("x", "y", "z")
    frame["years_with_boss"] = numbers(*range(18))
    assert guess_label(Table("t", frame, ())) == name


@pytest.mark.parametrize(
    ("last", "asked"),
    [
        (words("yes", "yes", "no"), ["default", "deposit", "housing"]),
        (words("paid", "paid", "owed"), []),
        (words("no", "yes", "later"), []),
    ],
)
def test_a_default_may_be_an_input_of_a_last_column_of_the_same_words(last, asked):
    frame = measured("a", "b").assign(default=words("no", "yes"), housing=words("yes", "no", "no"))
    table = Table("t", frame.assign(deposit=last), ())
    assert (guess_label(table), offered(table)) == ("default", asked)
    first = Table("t", frame.assign(deposit=last)[["default", "a", "b", "housing", "deposit"]], ())
    assert choices(first) == []


@pytest.mark.parametrize(
    ("name", "is_label"), [("uuid", False), ("visitor", False), ("class", True)]
)
def test_uuids_that_recur_are_subjects_and_no_classes(name, is_label):
    keys = [str(uuid.uuid5(uuid.NAMESPACE_DNS, person)) for person in "abcde"]
    data = prepare(Table("t", measured("score").assign(**{name: words(*keys)}), ()))
    assert data.feature_names == ("score",)
    assert (data.label == name) == is_label
    assert (f"subjects:{name}" in [one.id for one in data.questions]) != is_label


def test_no_number_is_cut_that_no_feature_would_stand_beside():
    frame = measured("a").assign(remark=[f"page {at}" for at in range(N_ROWS)], version=1.0)
    frame["street"] = [f"street {at - at % 2 * (at < 20)}" for at in range(N_ROWS)]
    assert prepare(Table("t", frame, ())).label == NO_LABEL
    assert prepare(Table("t", frame.assign(b=measured("b")), ())).label == "b"


@pytest.mark.parametrize(
    ("name", "times", "role"),
    [
        ("Time", np.arange(N_ROWS) * 9 // 10, Role.ORDER),
        ("TIME", np.arange(N_ROWS) / 7, Role.ORDER),
        ("Time", np.arange(N_ROWS) // 10 * 24, Role.NUMERIC),
        ("Time", np.arange(N_ROWS)[::-1] * 9 // 10, Role.NUMERIC),
        ("reaction time", np.arange(N_ROWS) * 9 // 10, Role.NUMERIC),
    ],
)
def test_a_clock_that_runs_along_events_is_their_order_and_never_cut(name, times, role):
    frame = measured("a", "b", "c").assign(**{name: times.astype(float)})
    assert (name in choices(Table("t", frame, ()))) == (role is not Role.ORDER)
    columns = prepare(Table("t", frame.assign(kind=words("p", "q", "q")), ()), "kind").columns
    assert {column.name: column.role for column in columns}[name] is role


SUGAR = 8 + np.round(RNG.permutation(np.arange(N_ROWS) // 2) / 7, 1)


@pytest.mark.parametrize(
    ("name", "cells", "asked"),
    [
        ("", SUGAR, ["column 1", NO_LABEL]),
        ("sugar", SUGAR, ["sugar", NO_LABEL]),
        ("", np.round(SUGAR), ["column 1", NO_LABEL]),
        ("", np.arange(N_ROWS), []),
        ("", np.arange(N_ROWS) / 4, []),
    ],
)
def test_a_nameless_first_number_beside_spectra_is_the_label_if_it_numbers_no_rows(
    name, cells, asked
):
    spectra = measured(*(f"{900 + 2.5 * at}" for at in range(40)))
    spectra.insert(0, name, cells)
    table = read_table(spectra.to_csv(index=False).encode(), "t.csv")
    assert choices(table) == asked
    assert guess_label(table) == [*asked, NO_LABEL][0]


def test_the_letter_y_within_a_name_is_no_hint():
    frame = measured("xbar", "x2bar").assign(y2bar=numbers(0, 1, 2, 3), letter=words(*"ABCDEF"))
    assert guess_label(Table("t", frame, ())) == "letter"


def test_a_number_beside_the_word_of_a_label_is_no_hint():
    frame = measured("a", "b").assign(class_size=numbers(1, 2, 3), response_time=numbers(4, 5))
    frame["kind"] = words("p", "q")
    assert guess_label(Table("t", frame, ())) == "kind"


def test_names_of_samples_that_recur_are_no_classes():
    frame = measured("a", "b").assign(Sample=words("AQ_1", "AQ_2", "HQ_1", "HQ_2"))
    frame["coffee"] = frame["Sample"].str[:2]
    assert guess_label(Table("t", frame, ())) == "coffee"


def test_what_something_was_done_by_is_a_label_where_it_was_no_clerk():
    frame = measured("a", "b").assign(killed_by=words("cat", "car"), flock=words("x", "y", "z"))
    assert {*label_candidates(Table("t", frame, ()))} == {"killed_by", "flock"}
    frame = frame.rename(columns={"killed_by": "entered_by"})
    assert label_candidates(Table("t", frame, ())) == ("flock",)


def test_where_runs_are_stored_and_who_sorted_them_is_no_label():
    frame = measured("a", "b").assign(ecotype=words("lean", "fat", "dwarf"))
    frame["DATASTORE filetype"] = words("fastq", "sra")
    frame["uploader"] = words("him", "her")
    assert label_candidates(Table("t", frame, ())) == ("ecotype",)
    without = frame.drop(columns="ecotype")  # then who did it may be what is asked
    assert {*label_candidates(Table("t", without, ()))} == {"DATASTORE filetype", "uploader"}


@pytest.mark.parametrize(
    ("first", "second", "label"),
    [
        (("SAMN0451", "SAMN0452", "SAMN0453"), ("lean", "fat", "dwarf"), "second"),
        (("90451", "x 90 452", "90453"), ("lean", "fat", "dwarf"), "first"),
        (("SAMN0451", "SAMN0452", "SAMN0453"), ("lean", "fat", "dwarf", "tiny"), "first"),
    ],
)
def test_numbers_of_an_archive_are_no_label_beside_words_that_say_the_same(first, second, label):
    frame = measured("a", "b").assign(first=words(*first), second=words(*second))
    frame["c"] = measured("c")
    assert guess_label(Table("t", frame, ())) == label


@pytest.mark.parametrize(("name", "is_asked"), [("specimen", True), ("class", False)])
def test_things_that_are_told_apart_may_be_no_classes(name, is_asked):
    frame = measured("a", "b").assign(**{name: words("p1", "p2", "p3")}, c=measured("c")["c"])
    assert (NO_LABEL in choices(Table("t", frame, ()))) == is_asked


@pytest.mark.parametrize(
    ("name", "may_be_none"), [("soil", True), ("disease state", True), ("label", False)]
)
def test_among_several_columns_of_which_no_name_says_so_none_may_be_the_label(name, may_be_none):
    frame = measured("a", "b").assign(organ=words("p", "q"), **{name: words("x", "y", "y")})
    asked = choices(Table("t", frame.join(measured("c")), ()))
    assert (asked[-1:] == [NO_LABEL]) == ("organ" in asked) == may_be_none


@pytest.mark.parametrize(("n_missing", "is_offered"), [(3, False), (30, True)])
def test_who_somebody_is_is_offered_before_what_many_rows_lack(n_missing, is_offered):
    names = [f"{letter}{letter}" for letter in "defghij"]
    columns = {name: words("no", "yes", *["yes"] * at) for at, name in enumerate(names)}
    frame = measured("a").assign(**columns, **{"BMI class": words("low", "mid", "high")})
    frame.loc[: n_missing - 1, names[:3]] = None
    frame["Ethnicity"] = words("p", "q", "r", "p", "q")
    asked = offered(Table("t", frame.join(measured("b")), ()))
    assert (asked[0], "Ethnicity" in asked) == ("BMI class", is_offered)


def test_what_is_true_is_the_label_beside_what_was_predicted():
    frame = measured("a", "b").assign(y_true=numbers(0, 1), y_pred=numbers(1, 0, 0))
    assert guess_label(Table("t", frame, ())) == "y_true"
    predicted = measured("a", "b").assign(kind=words("p", "q"), predicted=words("q", "p", "p"))
    assert guess_label(Table("t", predicted, ())) == "kind"


def test_the_name_of_the_file_is_evidence():
    frame = measured("a").assign(
        smoker=words("no", "yes"), stroke=numbers(0, 1), work=words("x", "y")
    )
    assert guess_label(Table("t", frame, ())) == "work"
    assert guess_label(Table("stroke-data-2", frame, ())) == "stroke"


def test_the_word_of_a_time_in_the_name_of_the_file_is_none():
    frame = measured("a").assign(land=words(*"pqr"), year=numbers(*range(1952, 1964)))
    assert guess_label(Table("five-year-data", frame, ())) == "land"


def test_of_many_rivals_those_that_say_who_somebody_is_are_offered():
    asked = {
        f"answer {letter}": words(*"pqr"[: 2 + at % 2], "s")
        for at, letter in enumerate("abcdefghi")
    }
    frame = measured("mass").assign(
        **asked, gender=words("f", "m", "m"), season=words("dry", "wet")
    )
    frame["house"] = words("flat", "bungalow")
    offered = choices(Table("t", frame, ()))
    assert "gender" in offered
    assert "season" not in offered


def test_what_a_program_has_selected_is_no_label():
    frame = measured("mass", "size").assign(**{"filter_$": numbers(0, 1, 1), "kind": words(*"pqr")})
    assert guess_label(Table("t", frame, ())) == "kind"
    assert "filter_$" not in choices(Table("t", frame, ()))


@pytest.mark.parametrize(("n_groups", "is_offered"), [(12, True), (8, False)])
def test_beside_ids_of_many_groups_a_sex_may_be_the_label(n_groups, is_offered):
    groups = [f"pack {'abcdefghijkl'[at]}" for at in range(n_groups)]
    frame = measured("mass").assign(sex=words("f", "m", "m"), GroupID=words(*groups))
    assert guess_label(Table("t", frame, ())) == "GroupID"
    assert ("sex" in choices(Table("t", frame, ()))) == is_offered


def test_part_of_a_name_that_says_no_more_than_the_guess_is_no_rival():
    frame = pd.DataFrame({"type": words("p", "q"), "soil_type": words("peat", "clay", "sand")})
    frame = frame.join(measured("mass"))
    assert choices(Table("t", frame, ())) == []
    assert choices(Table("t", frame.assign(ring_class=words("x", "y", "y")), ())) == [
        "type",
        "ring_class",
    ]


def test_a_word_for_kinds_in_the_first_column_is_told():
    soils = measured("a").assign(soil=words("peat", "clay", "sand"), **measured("b"))
    soils.insert(0, "type", words("p", "q"))
    assert choices(Table("t", soils, ())) == []
    assert offered(Table("t", soils[["a", "type", "soil", "b"]], ())) == ["type", "soil"]


@pytest.mark.parametrize("n_indicators", [3, 8])
def test_few_codes_in_the_last_column_are_told_beside_many_that_say_yes_or_no(n_indicators):
    has = {f"has {letter}": numbers(0, 1, *[1] * at) for at, letter in enumerate("abcdefgh")}
    frame = measured("mass").assign(
        **dict([*has.items()][:n_indicators]), n_cores=numbers(*range(1, 9))
    )
    frame["price_range"] = numbers(0, 1, 2, 3)
    assert ("n_cores" in choices(Table("t", frame, ()))) is False
    assert bool(choices(Table("t", frame, ()))) == (n_indicators == 3)


def test_one_of_many_columns_that_say_yes_or_no_is_asked_about():
    eaten = ("fruit", "meat", "eggs", "tea", "salt", "rice", "nuts", "greenery")
    frame = pd.DataFrame({name: numbers(0, 1, *[1] * at) for at, name in enumerate(eaten)})
    assert set(choices(Table("t", frame, ()))) >= {"greenery", "fruit", "nuts"}


def test_what_numbers_the_rows_without_a_name_is_no_rival():
    frame = pd.DataFrame(
        {"column 1": RNG.permutation(N_ROWS) * 1000.0 + 5, "a": RNG.normal(size=60)}
    )
    frame = frame.assign(zone=words("p", "q", "r"), wage=RNG.normal(size=60), soil=words("s", "t"))
    frame["end"] = measured("end")
    assert "column 1" not in choices(Table("t", frame, ()))
    assert "count" in choices(Table("t", frame.rename(columns={"column 1": "count"}), ()))


def test_the_last_measure_is_offered_beside_words_within_the_table():
    frame = measured("spend", "ads").assign(state=words("p", "q", "r"), **measured("profit"))
    assert offered(Table("t", frame, ())) == ["state", "profit"]
    first = frame[["state", "spend", "ads", "profit"]]
    assert choices(Table("t", first, ())) == []


@pytest.mark.parametrize(
    ("name", "n_rows", "are_apart", "guess"),
    [
        ("wilted", 15, True, NO_LABEL),
        ("wilted", 15, False, "wilted"),
        ("wilted", 40, True, "wilted"),
        ("diagnosis", 15, True, "diagnosis"),
    ],
)
def test_a_column_of_a_few_rows_that_empties_others_is_no_guess(name, n_rows, are_apart, guess):
    frame = measured("x1", "x2", "y1", "y2").assign(**{name: numbers(0, 1)})
    is_first = np.arange(N_ROWS) < n_rows
    frame[name] = frame[name].where(is_first)
    if are_apart:
        frame.loc[is_first, ["y1", "y2"]] = np.nan
    table = Table("t", frame, ())
    assert guess_label(table) == guess
    if n_rows < N_ROWS // 2 and name == "wilted":
        assert {*choices(table)} == {NO_LABEL, name}


def test_a_guess_of_which_most_cells_are_missing_may_be_no_label():
    info = words("a", "b")
    info[20:] = None
    assert choices(Table("t", measured("a", "b").assign(info=info), ())) == ["info", NO_LABEL]


def test_the_unit_of_what_was_given_to_some_names_no_measures():
    frame = measured("a", "b").assign(form=words("ctl", "drug"), dose=numbers(np.nan, 2, np.nan, 5))
    table = Table("t", frame.assign(dose_unit=words(None, "mg")), ())
    assert guess_label(table) == "form"
    of_measures = frame.assign(dose_unit=words("cm", "mg"))
    assert guess_label(Table("t", of_measures, ())) != "form"


def test_a_moment_is_no_likelier_label_than_who_was_there():
    frame = measured("a", "b").assign(
        id=words(*"pqrstuvwxy"), timestamp=numbers(*range(1, 12)) * 1e8
    )
    assert guess_label(Table("t", frame, ())) == "id"


def test_two_values_come_before_the_last_place_of_several():
    frame = pd.DataFrame({"id": np.arange(60.0), "capsule": numbers(0, 1)})
    frame["race"] = numbers(0, 1, 2)
    frame["gleason"] = numbers(*range(4, 10))
    table = Table("prostate", frame, ())
    assert guess_label(table) == "capsule"
    assert {"capsule", "gleason", "race"} <= {*choices(table)}


def test_thirty_classes_named_by_words_are_the_label():
    kinds = [f"{first}oak{last}" for first in string.ascii_lowercase[:10] for last in "xyz"]
    frame = measured("ash", "hue").assign(leaf=words(*kinds))
    assert guess_label(Table("t", frame, ())) == "leaf"


def test_a_choice_of_the_label_says_its_first_values():
    frame = measured("a").assign(p=words("no", "yes"), q=words("w", "x", "y", "z"))
    [asked] = [one for one in prepare(Table("t", frame, ())).questions if one.id == "label"]
    assert [one.label for one in asked.choices] == ["q: w, x, y, …", "p: no, yes", "None"]


WAVELENGTHS = [str(900 + 2 * at) for at in range(12)]
TAXA = [f"k__Bacteria;p__{name}" for name in ("Firm", "Prot", "Acti", "Bact", "Chlo", "Cyan")]


@pytest.mark.parametrize(
    "names",
    [
        WAVELENGTHS,
        [f"NIR.{nm}" for nm in WAVELENGTHS],
        [f"{nm} nm" for nm in WAVELENGTHS],
        TAXA,
        [f"ENSG0000012{at}" for at in range(345, 357)],
        [f"pixel_{at // 4}_{at % 4}" for at in range(16)],
        [f"otu{at}" for at in range(12)],
        [f"mz {at}.01" for at in range(200, 212)],
        [f"expr_{name}" for name in ("tp", "br", "my", "kr", "eg", "pt")],
        [f"{name} intensity" for name in ("tp", "br", "my", "kr", "eg", "pt")],
    ],
)
@pytest.mark.parametrize("kind", ["fractions", "counts"])
def test_no_member_of_a_family_is_the_label_or_a_rival(names, kind):
    found = RNG.normal(size=(N_ROWS, len(names)))
    cells = found if kind == "fractions" else np.abs(np.round(3 * found))
    frame = pd.DataFrame(cells, columns=names)
    assert [set(one.members) for one in families(frame, Numbers.of(frame))] == [set(names)]
    table = Table("t", frame, ())
    assert guess_label(table) == NO_LABEL
    assert choices(table) == []
    beside = Table("t", frame.assign(where=words("gut", "skin")), ())
    assert (guess_label(beside), choices(beside)) == ("where", [])


def test_fractions_of_one_scale_are_a_family_and_the_odd_number_beside_them_the_label():
    names = ["".join(RNG.choice([*string.ascii_uppercase], 4)) for _ in range(25)]
    frame = pd.DataFrame(RNG.normal(8, 2, (N_ROWS, 25)), columns=names)
    assert guess_label(Table("t", frame, ())) == NO_LABEL
    assert guess_label(Table("t", frame.assign(ill=numbers(0, 1)), ())) == "ill"
    scaled = frame * 10.0 ** np.arange(25)
    assert families(scaled, Numbers.of(scaled)) == ()


def test_a_measure_beside_a_family_is_asked_about_and_cut():
    frame = measured(*WAVELENGTHS).assign(octane=RNG.normal(80, 3, N_ROWS))
    table = Table("t", frame, ())
    assert guess_label(table) == "octane"
    assert choices(table) == ["octane", NO_LABEL]


@pytest.mark.parametrize(
    ("name", "n_together", "is_parted"),
    [("code type", 6, False), ("code type", 24, True), ("eaten", 6, True)],
)
def test_kinds_of_which_few_rows_have_two_are_classes_and_no_boxes(name, n_together, is_parted):
    kinds = [*words("value", "problem", "tactic")]
    for at in range(n_together):
        kinds[2 * at] = ("value, problem", "problem, tactic", "value, tactic")[at % 3]
    text = measured("a", "b").assign(**{name: kinds}, c=RNG.normal(size=N_ROWS)).to_csv(index=False)
    table = read_table(text.encode(), "t.csv")
    assert (name not in table.frame) == is_parted
    if not is_parted:
        assert guess_label(table) == name


@pytest.mark.parametrize(
    ("values", "is_key"), [(("126", "127N", "127C"), True), (("126", "128", "140"), False)]
)
def test_mass_tags_are_no_classes_though_they_are_called_labels(values, is_key):
    text = measured("a", "b").assign(label=words(*values), grade=words("low", "high"))
    data = prepare(read_table(text.to_csv(index=False).encode(), "t.csv"))
    assert data.label == ("grade" if is_key else "label")
    if is_key:
        assert {one.name for one in data.encodings} == {"a", "b"}


@pytest.mark.parametrize("n_results", [2, 6])
def test_of_many_numbers_that_end_in_a_word_of_labels_none_is_hinted(n_results):
    """As of results of a laboratory."""
    frame = measured(*(f"{name}_RESULT" for name in "ABCDEF"[: n_results - 1]), "g", "h", "i")
    frame = frame.assign(NA_RESULT=numbers(*range(126, 138)))
    assert (guess_label(Table("t", frame, ())) == "NA_RESULT") == (n_results == 2)


@pytest.mark.parametrize("scale", [4, 5])
def test_answers_of_a_survey_may_be_the_label_though_its_numbers_are_of_one_kind(scale):
    answers = pd.DataFrame(RNG.integers(1, scale + 1, (N_ROWS, 24)).astype(np.float64))
    answers.columns = [f"{about}{at}" for about in ("near", "born", "pride") for at in range(1, 9)]
    table = Table("t", answers, (), asked={"samples": NO_GROUPS})
    assert guess_label(table) == NO_LABEL
    assert choices(table)[:2] == [NO_LABEL, "pride8"]


@pytest.mark.parametrize("n_gaps", [0, 2])
def test_no_ids_are_cut_into_classes_though_few_recur_or_lack(n_gaps):
    ids = np.where(np.arange(N_ROWS) < n_gaps, np.nan, 534_000 + RNG.permutation(N_ROWS) // 2)
    frame = measured("x").assign(y=RNG.normal(size=N_ROWS), census_id=ids)
    assert "census_id" not in choices(Table("t", frame, ()))


@pytest.mark.parametrize("name", ["r{}", "item{}", "Q{}"])
def test_of_the_items_of_a_test_none_is_the_label_but_each_may_be(name):
    solved = RNG.integers(0, 2, (N_ROWS, 9)).astype(np.float64)
    frame = pd.DataFrame(solved, columns=[name.format(at) for at in range(1, 10)])
    table = Table("t", frame, ())
    assert guess_label(table) == NO_LABEL
    assert choices(table)[:2] == [NO_LABEL, name.format(9)]


@pytest.mark.parametrize("n_features", [4, 103])
@pytest.mark.parametrize(
    ("name", "is_label"), [("Class{}", True), ("label_{}", True), ("v{}", False)]
)
def test_of_numbered_classes_of_which_a_row_has_any_each_may_be_the_label(
    name, is_label, n_features
):
    frame = measured(*(f"Att{at}" for at in range(n_features)))
    frame[[name.format(at) for at in range(1, 15)]] = RNG.integers(0, 2, (N_ROWS, 14)).astype(float)
    table = Table("t", frame, ())
    assert (choices(table)[:2] == [name.format(14), name.format(13)]) is is_label


@pytest.mark.parametrize("unit", ["year olds", "years", "mm/year"])
def test_a_time_in_the_unit_of_a_column_does_not_hide_that_it_may_be_the_label(unit):
    frame = measured("x", "y", "z").assign(
        kind=words("u", "v"), **{f"cohort [{unit}]": numbers(6, 7, 8)}, t=RNG.normal(size=N_ROWS)
    )
    assert f"cohort [{unit}]" in choices(Table("t", frame, ()))


@pytest.mark.parametrize("names", ["V{}", "x{}", "column {}", "{}"])
def test_names_that_number_all_columns_make_no_family(names):
    frame = pd.DataFrame({names.format(at + 1): numbers(*RNG.permutation(10)) for at in range(9)})
    frame[names.format(10)] = numbers(2, 4)
    table = Table("t", frame, ())
    assert families(frame, Numbers.of(frame)) == ()
    assert guess_label(table) == names.format(10)


def test_without_the_label_the_likeliest_other_column_is_guessed():
    places = words(*(f"p{at}" for at in range(30)))
    frame = measured("a").assign(label=words("x", "y"), place=places, ware=words("r", "s", "t"))
    assert guess_label(Table("t", frame, ()), {"label"}) == "ware"


def test_what_says_that_cells_lie_beyond_a_limit_is_no_rival():
    beyond = {"zinc": numbers(*RNG.normal(size=60)), "zinc beyond limit": numbers(0, 0, 1)}
    frame = pd.DataFrame(beyond).assign(where=words("gut", "skin"))
    assert choices(Table("t", frame, ())) == []


def test_a_count_that_is_guessed_for_want_of_a_label_is_asked_about():
    frame = measured("mass", "width").assign(rings=numbers(*range(9)))
    assert choices(Table("t", frame, ())) == ["rings", NO_LABEL]


@pytest.mark.parametrize(
    ("frame", "offered"),
    [
        (measured("mass", "price").assign(color=words("red", "blue"), where=words("gut", "ear")),
         "price"),
        (measured("mass", "area").assign(doors=numbers(*range(9))).assign(**measured("log s")),
         "log s"),
        (measured("pull").assign(doors=numbers(*range(9))).assign(**measured("mass")), "pull"),
    ],
    ids=["by its name", "last", "first"],
)  # fmt: skip
def test_a_number_that_may_be_asked_for_is_offered_beside_a_guess(frame, offered):
    assert offered in choices(Table("t", frame, ()))[1:]


def test_no_number_is_offered_beside_what_its_name_says_is_the_label_or_that_counts_rows():
    hinted = measured("price").assign(species=words("cat", "dog"), mass=measured("mass"))
    assert choices(Table("t", hinted, ())) == []
    counted = measured("mass").assign(doors=numbers(*range(9)), last=np.arange(1.0, N_ROWS + 1))
    assert "last" not in choices(Table("t", counted, ()))
    spectra = measured("mass").assign(meat=words("ox", "hen", "pig"), where=words("gut", "ear"))
    spectra = spectra.join(measured(*(f"{wave}" for wave in range(900, 960, 2))))
    assert offered(Table("t", spectra, ())) == ["where", "meat", "mass"]


def test_a_price_is_offered_beside_a_type_of_something():
    frame = measured("price", "mass").assign(fuel_type=words("gas", "oil"))
    assert choices(Table("t", frame, ())) == ["fuel_type", "price"]
    assert choices(Table("t", frame.rename(columns={"fuel_type": "type"}), ())) == []


@pytest.mark.parametrize("name", ["Subject", "patient", "plate"])
def test_a_few_words_that_recur_are_kinds_of_subjects_not_subjects(name):
    kinds = measured("mass").assign(**{name: words("ill", "well"), "score": numbers(0, 100)})
    assert guess_label(Table("t", kinds, ())) == name
    for persons in (string.ascii_lowercase[:10], ("subject-1", "subject-2")):
        frame = kinds.assign(**{name: words(*persons)})
        assert guess_label(Table("t", frame, ())) == "score"


def test_dx_is_a_diagnosis():
    frame = measured("mass").assign(dx=words("a", "b", "c"), type=words("fit", "stool"))
    assert choices(Table("t", frame, ())) == ["dx", "type"]


def test_a_number_of_which_most_rows_would_be_left_out_is_no_label():
    growth = [0.5, 0.5, 1.5, 1.5, *range(2, 20)]
    frame = measured("mass", "width").iloc[:22].assign(growth=np.array(growth, dtype=np.float64))
    assert label_candidates(Table("t", frame, ())) == ()
    assert label_candidates(Table("t", frame.rename(columns={"growth": "quality"}), ()))


def test_a_season_need_not_be_asked():
    frame = measured("mass").assign(season=words("1970-71", "1971-72", "1972-73"))
    assert choices(Table("t", frame, ())) == ["season", NO_LABEL]
    named = frame.rename(columns={"season": "class of the season"})
    assert choices(Table("t", named, ())) == []


def test_without_a_header_the_ends_are_the_likeliest():
    frame = pd.DataFrame({f"column {at}": numbers(*RNG.permutation(9)) for at in range(1, 8)})
    frame["column 3"], frame["column 7"] = words("a", "b"), numbers(1, 2, 3)
    table = Table("t", frame, (), Form(",", ".", has_header=False))
    assert guess_label(table) == "column 7"
    table.frame["column 1"] = measured("a")
    assert {"column 7", "column 1", "column 3"} <= {*choices(table)}
    assert guess_label(Table("t", frame.rename(columns="{} of it".format), ())) == "column 3 of it"


def test_a_number_that_is_named_y_is_cut_before_texts_are_guessed():
    frame = measured("y", "a").assign(x0=words("p", "q"), x1=words("r", "s", "t"), **measured("b"))
    assert choices(Table("t", frame, ())) == ["y", "x0", "x1", NO_LABEL]
    assert guess_label(Table("t", frame.assign(x=frame["a"]), ())) == "x0"
    assert guess_label(Table("t", frame.drop(columns="b"), ())) == "x1"


@pytest.mark.parametrize(("name", "label"), [("treatment", "treatment"), ("place", "survival")])
def test_words_with_the_name_of_a_label_come_before_numbers_to_be_cut(name, label):
    kinds, percent = np.array(["hot", "cold", "both"]), np.arange(600) * 7.0 % 25 * 4.5
    cells = {name: kinds[np.arange(600) % 3], "survival": percent}
    frame = pd.DataFrame(cells).assign(a=np.random.default_rng(0).normal(size=600))
    assert guess_label(Table("t", frame, ())) == label


def test_a_number_with_too_few_rows_of_each_value_comes_behind_words():
    cells = {"pond": [1.0, 2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 7, 7, 8], "sex": [*"fm"] * 7}
    frame = pd.DataFrame(cells).assign(mass=np.arange(14.0) % 13)
    assert guess_label(Table("t", frame, ())) == "sex"
    frame["pond"] = [1.0, 2] * 7
    assert guess_label(Table("t", frame, ())) == "pond"


def test_what_became_of_something_is_the_label_beside_a_flag():
    frame = measured("a", "b").assign(default_flag=np.arange(N_ROWS) % 2.0)
    frame["koi_disposition"] = words("planet", "candidate", "neither")
    assert guess_label(Table("t", frame, ())) == "koi_disposition"


@pytest.mark.parametrize(("n_without", "is_asked"), [(0, False), (4, False), (24, True)])
def test_a_label_that_loses_rows_is_asked_about_whatever_its_name_says(n_without, is_asked):
    frame = measured("mass", "size").assign(kind=words("granite", "basalt", "gabbro"), label=0.0)
    frame["label"] = numbers(0, 1)
    frame.loc[: n_without - 1, "label"] = np.nan
    offered = choices(Table("t", frame, ()))
    assert ("kind" in offered) == is_asked


def test_a_label_of_one_or_two_rows_for_each_word_comes_behind_others():
    frame = measured("mass", "size").assign(
        species=[f"{'abcdefghij'[row // 6]}us {'klm'[row // 2 % 3]}a" for row in range(N_ROWS)],
        genus=[f"{'abcdefghij'[row // 6]}us" for row in range(N_ROWS)],
    )
    assert choices(Table("t", frame, ()))[:2] == ["genus", "species"]
    assert guess_label(Table("t", frame.drop(columns="genus"), ())) == "species"


@pytest.mark.parametrize(("n_yes", "guess"), [(3, "lifestyle"), (20, "inferred")])
def test_a_mark_that_hardly_any_row_has_comes_behind_words(n_yes, guess):
    lifestyle = words("aerial", "aquatic", "terrestrial")
    frame = measured("mass").assign(
        inferred=["YES"] * n_yes + ["NO"] * (N_ROWS - n_yes),
        lifestyle=lifestyle,
        wing=RNG.random(N_ROWS),
    )
    assert guess_label(Table("t", frame, ())) == guess


def test_the_second_axis_of_a_place_is_no_label():
    frame = measured("Ag", "As").assign(
        X=4e5 + numbers(*range(0, 9000, 1000)), type=numbers(0, 1, 2)
    )
    frame = frame.assign(Y=4e6 + numbers(*range(0, 8000, 1000)))
    assert guess_label(Table("t", frame, ())) == "type"
    assert guess_label(Table("t", frame.drop(columns="X"), ())) == "Y"


def test_the_work_that_rows_are_from_comes_behind_other_words():
    frame = measured("mass").assign(
        citations=words("[1]", "[2]"),
        rock=words("granite", "basalt", "gabbro"),
        age=RNG.random(N_ROWS),
    )
    assert guess_label(Table("t", frame, ())) == "rock"
    assert guess_label(Table("t", frame.drop(columns="rock"), ())) == "citations"


def test_two_values_of_the_last_column_are_offered_beside_what_a_name_says():
    frame = measured("mass").assign(dx=numbers(0, 1, 2, 3), well=numbers(0, 1))
    assert choices(Table("t", frame, ())) == ["dx", "well"]
    assert choices(Table("t", frame.rename(columns={"well": "sex"}), ())) == []


def test_numbers_of_things_are_not_offered_to_be_cut_and_the_ends_come_first():
    frame = measured("a", "b", "c").assign(copairid=RNG.permutation(N_ROWS) * 7.0)
    frame = pd.concat([frame, pd.DataFrame({"row": RNG.permutation(N_ROWS) + 1.0})], axis=1)
    assert choices(Table("t", frame[["row", "a", "b", "copairid", "c"]], ())) == [
        "c", "a", "b", NO_LABEL,
    ]  # fmt: skip


def test_fractions_of_few_rows_are_cut_since_no_two_are_equal():
    frame = measured("mass", "price", "depth").iloc[:9]
    assert guess_label(Table("t", frame, ())) == NO_LABEL
    assert len(prepare(Table("t", frame, ()), "price").class_names) == 3
    kinds = frame.assign(kind=words("p", "q")[:9], place=words("r", "s")[:9])
    assert "price" in choices(Table("t", kinds, ()))


def test_one_curve_says_that_its_points_are_no_samples():
    waves = np.linspace(400, 1800, N_ROWS)
    curve = pd.DataFrame({"shift": waves[::-1], "counts": RNG.normal(size=N_ROWS)})
    said = prepare(Table("t", curve, ())).warnings
    assert any("one curve along shift" in sentence for sentence in said)
    plain = prepare(Table("t", curve.sample(frac=1, random_state=0), ())).warnings
    assert not any("curve" in sentence for sentence in plain)


def test_a_part_of_a_name_that_says_label_is_asked_about_beside_other_text():
    frame = measured("a", "b").assign(SourceType=words("zip", "xls"), provider=words("p", "q", "r"))
    assert offered(Table("t", frame, ())) == ["SourceType", "provider"]
    codes = frame.assign(provider=frame["SourceType"].map({"zip": 1.0, "xls": 2.0}))
    assert choices(Table("t", codes, ())) == []


def test_a_class_is_asked_about_only_where_a_group_parts_it_further():
    frame = measured("a", "b").assign(**{"class": words("QC", "Subject", "Subject")})
    further = frame.assign(group=words("QC", "case", "control"))
    assert choices(Table("t", further, ())) == ["class", "group"]
    assert choices(Table("t", frame.assign(group=words("c", "d")), ())) == []


@pytest.mark.parametrize(
    ("label", "other", "are_asked"),
    [
        ("class", {"survived": numbers(0, 1)}, True),
        ("target", {"species": words("Ba", "Bg")}, True),
        ("label", {"survived": numbers(0, 1)}, False),  # says that it is
        ("class", {"sex": words("f", "m")}, False),
        ("class", {"survived": words(*"abcdefghijklm")}, False),  # too many
        ("class", {"type": words("u", "u", "v", "v", "w", "w")}, False),  # in classes of its kinds
    ],
)
def test_beside_class_or_target_another_with_the_name_of_a_label_is_asked_about(
    label, other, are_asked
):
    kinds = words("p", "q", "r") if "type" not in other else words(*"abcdef")
    frame = measured("a", "b").assign(**{label: kinds}, **other)
    (name,) = other
    asked = [label, name] if are_asked else []
    assert choices(Table("t", frame, ())) == asked


@pytest.mark.parametrize("corner", ["", "id", "row"])
@pytest.mark.parametrize("names", [range(1, 61), [f"r{at}" for at in range(60)]])
@pytest.mark.parametrize(
    "columns",
    [
        {"mass": RNG.normal(size=60), "size": RNG.normal(size=60)},  # of no classes
        {"time": np.arange(1990, 2005, 0.25), "gas": RNG.normal(size=60)},
        {"maker": ["a", "b", "c", "d"] * 15, "n": np.arange(60) % 30, "leg": ["l", "m", "r"] * 20},
        {
            "ID": [f"GA{at}" for at in range(60)],
            "kiln": ["a", "b", "c", "d"] * 15,
            "region": ["l", "m", "r"] * 20,
            "iron": RNG.normal(size=60),
        },
    ],
)
def test_names_or_numbers_of_rows_before_a_table_change_nothing_of_its_label(
    corner, names, columns
):
    frame = pd.DataFrame(columns)
    bare = prepare(read_table(frame.to_csv(index=False).encode(), "t.csv"))
    named = frame.to_csv(index=False).splitlines()
    lines = [f"{corner},{named[0]}", *map("{},{}".format, names, named[1:])]
    data = prepare(read_table("\n".join(lines).encode(), "t.csv"))
    assert (data.label, data.feature_names) == (bare.label, bare.feature_names)


def coded(first, n_questions=11, low=1):
    """A survey whose questions are numbered, as its answers are, below the numbers of its rows."""
    generator = np.random.default_rng(8)
    answers = generator.integers(low, low + 5, size=(200, n_questions)).astype(float)
    frame = pd.DataFrame(answers, columns=[f"{first}{at}" for at in range(1, n_questions + 1)])
    frame[f"{first}23"] = generator.integers(1, 3, 200) * 1.0
    frame.insert(0, "Nummer", np.arange(1.0, 201))
    return frame


@pytest.mark.parametrize("first", ["q", "", "Frage "])
def test_questions_that_are_numbered_are_offered_and_the_numbers_of_rows_are_not(first):
    asked = choices(Table("t", coded(first), ()))
    assert asked[:3] == [f"{first}23", f"{first}11", f"{first}10"]
    assert "Nummer" not in asked


def test_a_text_that_hardly_a_row_has_is_not_guessed_before_answers():
    said = np.where(np.arange(200) % 14 == 0, np.resize(["duck", "safari"], 200), None)
    assert guess_label(Table("t", coded("q").assign(said=said), ())) == "q23"


@pytest.mark.parametrize("changed", [{"n_questions": 90}, {"low": 0}])
def test_long_series_and_counts_from_0_on_are_no_questions(changed):
    frame = coded("q", **changed).drop(columns="q23")
    assert guess_label(Table("t", frame, ())) == NO_LABEL


def test_of_a_few_rows_no_numbered_question_is_the_label():
    assert prepare(Table("t", coded("q").head(4), ())).label == NO_LABEL


@pytest.mark.parametrize(("is_whole", "is_offered"), [(False, True), (True, False)])
def test_the_only_whole_numbers_beside_fractions_may_be_letters(is_whole, is_offered):
    frame = pd.DataFrame(np.random.default_rng(4).normal(size=(520, 5)), columns=[*"abcde"])
    frame.insert(0, "of", np.resize(np.arange(1.0, 27), 520))
    if is_whole:
        frame = frame.assign(c=np.round(40 * frame["c"]))
    assert ("of" in choices(Table("t", frame, ()))) is is_offered
    ages = frame.assign(of=frame["of"] + 40)  # count nothing from 1 on
    assert "of" not in choices(Table("t", ages, ()))


def test_numbers_that_count_no_classes_are_asked_about_beside_text():
    grades = measured("a", "b").assign(grade=numbers(7, 8), school=words("p", "q", "r"))
    assert offered(Table("t", grades, ())) == ["grade", "school"]
    codes = grades.rename(columns={"grade": "disease"}).assign(disease=numbers(0, 1))
    assert choices(Table("t", codes[["a", "school", "b", "disease"]], ())) == []


def test_neither_a_time_of_day_nor_a_day_is_the_label():
    frame = measured("a", "b").assign(
        hour=words("18.00.00", "19.00.00"),
        day=words("10/3/2004", "11/3/2004"),
        kind=words("p", "q"),
    )
    assert choices(Table("t", frame, ())) == []
    assert guess_label(Table("t", frame, ())) == "kind"


def test_neither_a_telephone_nor_a_mailbox_is_the_label():
    frame = measured("a", "b").assign(
        call=words("(415) 555-1212", "(242) 556-2396"),
        write=words("ann@uni.edu", "bo@lab.com"),
        years=words("2010-2014", "2015-2019"),
    )
    assert {*label_candidates(Table("t", frame, ()))} == {"years"}


def test_events_and_instruments_of_redcap_are_neither_the_label_nor_features():
    frame = measured("a", "b").assign(
        redcap_event_name=words("visit_1_arm_1", "visit_2_arm_1"),
        redcap_repeat_instance=numbers(1, 2, 3),
        recap=numbers(*range(9)),
        sex=words("f", "f", "m", "m"),
    )
    data = prepare(Table("t", frame, ()))
    assert (data.label, data.feature_names) == ("sex", ("a", "b", "recap"))
    assert "redcap_event_name" not in choices(Table("t", frame, ()))


@pytest.mark.parametrize(
    ("kind", "last", "guess"),
    [
        ("type_employer", ("low", "high"), "last"),
        ("status code", ("low", "high"), "last"),
        ("type_employer", ("low", "mid", "high"), "kind"),
        ("cell_type", ("low", "high"), "kind"),
        ("type of disease", ("low", "high"), "kind"),
        ("class of worker", ("low", "high"), "last"),
        ("class of worker", ("low", "mid", "high"), "kind"),
        ("class_name", ("low", "high"), "kind"),
    ],
)
def test_the_type_of_something_comes_behind_two_values_in_the_last_column(kind, last, guess):
    frame = measured("a", "b").assign(kind=words("x", "y", "z"), income=words(*last))
    frame = frame.rename(columns={"kind": kind})
    asked = choices(Table("t", frame, ()))
    expected = {"kind": kind, "last": "income"}[guess]
    assert guess_label(Table("t", frame, ())) == expected
    assert kind in {*asked, expected}


LENGTHS, WIDTHS = 17.4 + np.arange(12) % 9 / 4, 152.0 + np.arange(12)


@pytest.mark.parametrize(
    ("columns", "guess"),
    [
        ({"length": LENGTHS}, NO_LABEL),
        ({"width": WIDTHS}, NO_LABEL),
        ({"id": np.arange(1.0 * N_ROWS), "width": WIDTHS, "length": LENGTHS}, NO_LABEL),
        ({"bird": [f"B{row}" for row in range(N_ROWS)], "length": LENGTHS}, NO_LABEL),
        ({"width": WIDTHS, "kind": ("p", "q")}, "kind"),
        ({"length": LENGTHS, "kind": (1.0, 2.0, 3.0)}, "kind"),
        ({"length": (0.1, 0.5, 1.0, 2.5)}, "length"),
        ({"width": (20.0, 40.0, 60.0, 80.0, 100.0, 120.0)}, "width"),
        ({"grade": LENGTHS}, "grade"),
        ({"yield": LENGTHS}, "yield"),
        ({"sizes": LENGTHS}, "sizes"),
    ],
)
def test_lengths_of_some_values_each_are_no_label_in_a_table_of_such(columns, guess):
    others = {name: np.resize(np.array(cells), N_ROWS) for name, cells in columns.items()}
    table = Table("sizes", measured("a", "b").assign(**others), ())
    assert guess_label(table) == guess
    if guess == NO_LABEL:
        assert {NO_LABEL, [*columns][-1]} <= {*choices(table)}


@pytest.mark.parametrize(
    ("name", "rows", "guess"),
    [
        ("row", range(N_ROWS), "income"),
        ("size", np.random.default_rng(1).permutation(9 * N_ROWS)[:N_ROWS], "income"),
        ("size", np.random.default_rng(1).permutation(900 * N_ROWS)[:N_ROWS], "kind"),
        ("index 0", np.random.default_rng(1).permutation(900 * N_ROWS)[:N_ROWS], "income"),
        ("row", (0, 1, 2, 3), "kind"),
        ("row", np.linspace(0.5, 9.3, N_ROWS), "kind"),
    ],
)
def test_numbers_of_rows_behind_the_last_column_leave_it_the_last(name, rows, guess):
    frame = measured("a").assign(kind=words("x", "y"), b=numbers(1.5, 2.5, *range(3, 9)))
    frame = frame.assign(income=words("low", "high", "high"), **{name: numbers(*rows)})
    table = Table("t", frame, ())
    assert guess_label(table) == guess
    assert {guess, *offered(table)} >= {"kind", "income"}


@pytest.mark.parametrize("name", ["BPID", "device id", "device"])
def test_in_a_table_of_codes_no_id_is_guessed_and_a_sex_is_offered(name):
    habits = ("smokes", "snuff", "drinks", "walks", "salt", "fruit", "milk", "rice", "fish")
    codes = {habit: numbers(1, 2, *[1] * at) for at, habit in enumerate(habits)}
    frame = measured("a").assign(device=words("D1", "D2", "D3"), **codes, sex=numbers(1, 2, 2, 1))
    frame = frame.assign(b=frame["a"]).rename(columns={"device": name})
    table = Table("t", frame, ())
    asked = choices(table)
    assert (guess_label(table) == name) == (name == "device")
    assert ("sex" in asked) == (name != "device")
    if name != "device":
        columns = {column.name: column for column in prepare(table).columns}
        assert columns[name].reason == "keys of what several rows share"


@pytest.mark.parametrize(("scale", "is_label"), [(1.0, True), (0.1, True), (1 / 0.87, False)])
def test_numbers_that_were_standardized_are_no_classes(scale, is_label):
    counted = numbers(-3, -1, 1, 4)
    frame = measured("a", "b").assign(pregnancies=[scale * each for each in counted])
    assert (label_candidates(Table("t", frame, ())) == ("pregnancies",)) == is_label
    named = frame.rename(columns={"pregnancies": "class"})
    assert label_candidates(Table("t", named, ())) == ("class",)


def test_the_last_number_is_offered_beside_several_texts_of_which_the_first_is_guessed():
    frame = pd.DataFrame({"school": words("p", "q"), "famsize": words("few", "few", "many")})
    frame = frame.assign(age=numbers(15, 16, 17), G3=numbers(*range(18)))
    assert offered(Table("t", frame, ())) == ["school", "G3", "famsize", "age"]
    assert choices(Table("t", frame.drop(columns=["famsize", "age"]).join(measured("a")), ())) == []


def test_texts_of_many_words_are_offered_beside_a_number_that_is_guessed():
    frame = measured("a", "b").assign(ounces=numbers(12, 16, 24, 32, 8, 19), drink=words("x"))
    frame = pd.concat([frame] * 6, ignore_index=True)
    frame["style"] = np.resize([f"style {at}" for at in range(60)], len(frame))
    assert choices(Table("t", frame, ())) == ["ounces", "style", "a", NO_LABEL]


def test_of_a_code_and_what_it_stands_for_the_words_are_guessed():
    frame = measured("a", "b").assign(province=words("p", "q", "r"), region=numbers(1, 2, 3))
    assert guess_label(Table("t", frame, ())) == "province"


def test_a_day_and_its_time_is_no_rival():
    frame = measured("a").assign(at=words("2024-11-01 00:00", "2024-11-02 00:00"))
    frame = frame.assign(zone=words("p", "q", "q"), note=words("ok", "late", "late", "ok"))
    assert "at" not in choices(Table("t", frame, ()))


def test_many_words_may_be_no_classes():
    frame = pd.concat([measured("a", "b")] * 3, ignore_index=True)
    few, many = (np.resize([f"state {at}" for at in range(n)], len(frame)) for n in (45, 60))
    for name in ("style", "species", "class"):
        assert choices(Table("t", frame.assign(**{name: few}), ())) == []
    assert choices(Table("t", frame.assign(**{"class": many}), ())) == []
    for name in ("species", "Variety"):
        table = Table("t", frame.assign(**{name: many}), ())
        assert choices(table) == [name, NO_LABEL]
        within = table.frame.assign(place=np.resize(np.array(["p", "q"], dtype=object), len(frame)))
        assert {*offered(Table("t", within, ()))} == {"place", name}


def test_the_last_text_is_offered_however_many_words_it_has():
    careers = [f"career {at}" for at in range(60)] * 6
    frame = pd.DataFrame({"salary": ["high", "low"] * 180, "career": careers})
    frame = frame.assign(
        risk=np.resize(np.array(["p", "q", "r"], dtype=object), 360), x=np.arange(360) % 7.0
    )
    in_order = frame[["salary", "risk", "x", "career"]]
    assert offered(Table("t", in_order, ())) == ["salary", "risk", "career"]


def test_counts_that_all_differ_are_offered_but_not_what_they_number():
    frame = pd.DataFrame({"rate": RNG.normal(size=14), "x": np.arange(14) % 3.0 + 20})
    counts = [974.0, 1537, 1830, 1100, 1390, 1010, 1702, 1251, 1655, 988, 1477, 1123, 1301, 1799]
    assert choices(Table("t", frame.assign(deals=counts), ()))[1] == "deals"
    assert "deals" not in choices(Table("t", frame.assign(deals=np.arange(14.0)[::-1]), ()))


def test_a_column_of_hardly_any_cells_is_the_label_only_by_a_plain_name():
    status = np.full(N_ROWS, None, dtype=object)
    status[:4] = ["hurt", "hurt", "gone", "gone"]
    frame = measured("a").assign(status=status, team=words("p", "q", "r"))
    assert guess_label(Table("t", frame, ())) == "team"
    assert guess_label(Table("t", frame.rename(columns={"status": "class"}), ())) == "class"


def test_the_y_of_an_x_is_no_likelier_label_than_others():
    frame = measured("x", "y", "angle")
    assert guess_label(Table("t", frame, ())) == "angle"
    assert (
        guess_label(Table("t", frame.drop(columns="x").rename(columns={"angle": "b"}), ())) == "y"
    )


@pytest.mark.parametrize("kind", ["type", "Category", "group", "condition"])
@pytest.mark.parametrize(
    ("beside", "is_asked"),
    [(words("peat", "clay", "sand"), True), (words("yes", "no"), True), (numbers(3, 9), False)],
)
def test_a_plain_word_for_kinds_is_asked_about_beside_other_kinds(kind, beside, is_asked):
    frame = measured("a").assign(**{kind: words("p", "q", "q"), "soil": beside}, **measured("b"))
    assert offered(Table("t", frame, ())) == ([kind, "soil"] if is_asked else [])
    assert choices(Table("t", frame.rename(columns={kind: "species"}), ())) == []
    assert choices(Table("t", frame.rename(columns={"soil": "sex"}), ())) == []


@pytest.mark.parametrize("codes", [(7, 8), (2, 5, 9)])
def test_two_values_are_offered_beside_numbers_that_count_no_classes(codes):
    frame = pd.DataFrame({"school": numbers(0, 1, 1), "grade": numbers(*codes)})
    frame = frame.join(measured("a", "b"))
    assert offered(Table("t", frame, ())) == ["grade", "school"]
    counted = frame.assign(disease=numbers(*range(len(codes)))).drop(columns="grade")
    assert choices(Table("t", counted, ())) == []


def test_yttrium_is_no_label_beside_other_elements():
    elements = pd.DataFrame({"rock": words("p", "q", "r")})
    elements = elements.join(measured("Y", "Zr", "La", "Ba", "Sr"))
    assert guess_label(Table("t", elements, ())) == "rock"
    few = elements.drop(columns=["La", "Ba"])
    assert guess_label(Table("t", few, ())) == "Y"


def test_of_numbers_named_as_labels_the_likeliest_name_is_cut():
    assert guess_label(Table("t", measured("SPAM", "a", "b", "y", "c"), ())) == "y"


def test_a_guess_of_hardly_any_cells_may_be_no_label():
    note = np.full(N_ROWS, None, dtype=object)
    note[:4] = ["odd", "odd", "wet", "wet"]
    frame = measured("a", "b").assign(note=note)
    assert choices(Table("t", frame, ())) == ["note", NO_LABEL]
    assert choices(Table("t", frame.assign(note=words("odd", "wet")), ())) == []


@pytest.mark.parametrize(("n_shared", "is_cut"), [(1, True), (3, True), (8, False)])
def test_fractions_of_which_few_recur_are_measured(n_shared, is_cut):
    values = np.arange(20) / 8 + 0.1
    price = np.concatenate([values[:18], values[:n_shared]])
    frame = pd.DataFrame({"price": price, "kind": np.resize(["p", "q"], len(price))})
    frame = frame.assign(a=RNG.normal(size=len(price)), b=RNG.normal(size=len(price)))
    frame = frame[["a", "price", "b", "kind"]].astype({"kind": object})
    assert ("price" in choices(Table("t", frame, ()))) == is_cut


@pytest.mark.parametrize("name", ["Survived", "churn", "Attrition", "is_fraud", "spam"])
def test_beside_what_becomes_of_rows_no_kind_of_something_is_asked_about(name):
    frame = measured("a").assign(pclass=words("1st", "2nd"), contract_type=words("x", "y", "z"))
    frame[name] = numbers(0, 1)
    hinted = [] if len(name.split("_")) == 1 else ["is_fraud", "contract_type", "pclass"]
    assert guess_label(Table("t", frame, ())) in {name, "pclass", "contract_type"}
    if len(name.split("_")) == 1:
        assert choices(Table("t", frame, ())) == hinted
    assert set(choices(Table("t", frame.assign(outcome=words("p", "q")), ()))) >= {"outcome"}


@pytest.mark.parametrize("name", ["condition", "grade", "rating", "category"])
def test_a_price_is_offered_beside_a_mark_that_somebody_gave(name):
    frame = measured("mass").assign(price=RNG.uniform(1, 9, N_ROWS), **{name: numbers(1, 2, 3, 4)})
    assert "price" in choices(Table("t", frame, ()))
    assert choices(Table("t", frame.rename(columns={"price": "cut"}), ())) != ["price"]


def test_a_rating_is_asked_about_beside_a_type():
    frame = measured("size").assign(school_rating=numbers(*range(6)), school_type=words("p", "q"))
    assert offered(Table("t", frame, ())) == ["school_rating", "school_type"]


def test_names_of_few_things_that_many_rows_have_in_common_may_be_classes():
    frame = measured("rate").assign(deaths=numbers(*range(40)), cause=words("a", "b"))
    causes = frame.rename(columns={"cause": "Cause Name"})
    assert "Cause Name" in choices(Table("t", causes, ()))
    for name in ("Patient Name", "name"):
        frame = causes.rename(columns={"Cause Name": name})
        frame[name] = words(*string.ascii_lowercase[:20])
        assert name not in choices(Table("t", frame, ()))


@pytest.mark.parametrize("n_indicators", [3, 8])
def test_many_numbers_that_say_yes_or_no_are_features_of_the_words_behind_them(n_indicators):
    frame = measured("mass")
    for at in range(n_indicators):
        frame["abcdefgh"[at] + "ing"] = numbers(0, 1, *[1] * at)
    frame["found"] = words("x", "y", "z")
    assert bool(choices(Table("t", frame, ()))) == (n_indicators == 3)


def test_beside_a_last_column_of_two_values_no_number_of_many_is_asked_about():
    frame = measured("mass").assign(times=numbers(*range(12)), ill=numbers(0, 1))
    assert (guess_label(Table("t", frame, ())), choices(Table("t", frame, ()))) == ("ill", [])
    within = measured("mass").assign(
        ill=numbers(0, 1), times=numbers(*range(12)), age=numbers(*range(30))
    )
    assert choices(Table("t", within, ()))


def test_a_number_within_the_table_may_be_no_label_and_words_come_before_others_alike():
    counts = {name: RNG.integers(0, 5, 360).astype(np.float64) for name in "pqr"}
    country = np.resize(np.array([f"land {at}" for at in range(60)], dtype=object), 360)
    frame = pd.DataFrame({"country": country, **counts, "end": RNG.normal(size=360)})
    guess, *others = choices(Table("t", frame, ()))
    assert guess in counts
    assert others[-1] == NO_LABEL
    assert others.index("country") < min(others.index(name) for name in {*counts} - {guess})


def test_what_somebody_thinks_of_a_letter_is_no_label():
    frame = measured("a").assign(**{"Responding to a serious letter": numbers(1, 2, 3, 4, 5)})
    frame["house"] = words("p", "q")
    assert guess_label(Table("t", frame, ())) == "house"


def test_a_last_column_whose_last_word_is_that_of_a_label_is_told():
    frame = measured("a").assign(education=words("x", "y", "z"), loan_status=words("p", "q"))
    assert choices(Table("t", frame, ())) == []
    assert choices(Table("t", frame[["a", "loan_status", "education"]], ())) != []


@pytest.mark.parametrize("name", ["hr", "mnth", "wkday", "yr", "dow"])
def test_a_short_name_of_a_time_is_no_likelier_label_than_another(name):
    frame = measured("a", "b").assign(
        **{name: numbers(0, 1), "wet": numbers(0, 1)}, **measured("c")
    )
    assert guess_label(Table("t", frame, ())) == "wet"
    assert guess_label(Table("t", frame.drop(columns="wet"), ())) == name
    whole = frame.assign(**{name: numbers(*range(5))})
    assert f"use:{name}" in [asked.id for asked in prepare(Table("t", whole, ())).questions]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Category", "class", "Species"])
def test_a_plain_name_is_offered_however_many_words_it_has(name):
    frame = pd.DataFrame({"a": np.arange(900.0) % 7, "b": np.arange(900.0) ** 2 % 11})
    frame[name] = np.resize(np.array([f"site {at}" for at in range(230)], dtype=object), 900)
    frame["english"] = np.resize(np.array(["Yes", "No"], dtype=object), 900)
    assert name in choices(Table("t", frame, ()))
    ids = frame.assign(**{name: [f"site {at}" for at in range(900)]})
    assert name not in choices(Table("t", ids, ()))


@pytest.mark.parametrize("name", ["total_cup_points", "Final grade", "overall score"])
def test_a_sum_is_offered_beside_what_it_may_sum(name):
    frame = pd.DataFrame({name: RNG.normal(80, 3, N_ROWS)})
    frame = frame.assign(**measured("aroma"), body=numbers(7, 8, 9), **measured("flavor"))
    assert choices(Table("t", frame.assign(farm=words("p", "q", "r")), ()))[1] == name


@pytest.mark.parametrize("name", ["batter", "hero", "shop"])
def test_long_numbers_that_recur_are_no_label_and_are_asked_about(name):
    codes = 5.0 * RNG.integers(22_506, 133_980, 12) + 1.0  # none is round
    frame = measured("speed", "spin").assign(**{name: numbers(*codes)})
    frame = frame.assign(kind=words("p", "q", "q"), **measured("end"))
    assert guess_label(Table("t", frame.drop(columns="kind"), ())) != name
    asked = {one.id for one in prepare(Table("t", frame, ())).questions}
    assert not asked.isdisjoint({f"use:{name}", f"subjects:{name}"})  # by chance rows may be alike
    round_ones = frame.assign(**{name: numbers(*codes // 100 * 100)})
    assert name == "shop" or f"use:{name}" not in [
        one.id for one in prepare(Table("t", round_ones, ())).questions
    ]


def test_room_at_the_end_of_a_name_is_how_much_there_is():
    for name, is_asked in [("room", True), ("room_no", True), ("Luggage.room", False)]:
        frame = measured("a", "b").assign(
            **{name: numbers(6, 8, 11, 12)}, kind=words("p", "q", "q")
        )
        asked = [one.id for one in prepare(Table("t", frame, ())).questions]
        assert (f"use:{name}" in asked) == is_asked


@pytest.mark.parametrize("name", ["gender", "sex", "race"])
def test_codes_of_who_somebody_is_are_offered_beside_words(name):
    frame = measured("a").assign(usertype=words("p", "q"), **{name: numbers(0, 1, 2)})
    frame = frame.assign(**measured("b"))
    assert offered(Table("t", frame, ())) == ["usertype", name, "b", "a"]
    assert name not in choices(Table("t", frame.rename(columns={"usertype": "class"}), ()))


@pytest.mark.parametrize("name", ["id", "case_number", "patient code"])
def test_ids_that_are_far_apart_are_not_cut_into_classes(name):
    waves = measured(*WAVELENGTHS)
    ids = RNG.permutation(N_ROWS) * 7_919.0 + 8_670
    table = Table("t", pd.concat([pd.DataFrame({name: ids}), waves], axis=1), ())
    assert (guess_label(table), choices(table)) == (NO_LABEL, [])
    other = Table("t", table.frame.rename(columns={name: "mass"}), ())
    assert guess_label(other) == "mass"


@pytest.mark.parametrize("name", ["train", "is_train", "Training set"])
def test_numbers_that_part_training_from_test_are_neither_label_nor_feature(name):
    frame = measured("a", "b").assign(**{name: numbers(0, 1, 1)}, **measured("c"))
    assert guess_label(Table("t", frame, ())) != name
    assert name not in prepare(Table("t", frame, ())).feature_names
    hours = frame.rename(columns={name: "training_hours"})
    assert guess_label(Table("t", hours, ())) == "training_hours"


@pytest.mark.parametrize("numbering", [np.arange(1.0, N_ROWS + 1), words(*map(str, range(60)))])
def test_the_only_number_beside_names_of_rows_is_a_feature(numbering):
    frame = pd.DataFrame({"of": [f"place {at}" for at in range(N_ROWS)], "r": numbering})
    data = prepare(Table("t", frame.assign(**measured("size")), ()))
    assert data.feature_names == ("size",)
    assert data.class_names == ("all rows",)


@pytest.mark.parametrize("name", ["Account", "customer", "Hospital"])
def test_long_numbers_of_things_that_recur_number_these(name):
    frame = measured("price", "size").iloc[:17].assign(status=words("won", "lost", "lost")[:17])
    codes = np.resize(RNG.permutation(14) * 3_571.0 + 140_000, 17)
    assert name not in prepare(Table("t", frame.assign(**{name: codes}), ())).feature_names
    few = frame.assign(**{name: codes // 1e4})
    assert name in prepare(Table("t", few, ())).feature_names


@pytest.mark.parametrize("name", ["cnt", "total sales", "median_price"])
def test_what_is_asked_for_at_the_end_comes_before_a_number_that_says_yes_or_no(name):
    frame = measured("a").assign(holiday=numbers(0, 1, 0), **measured("b", name))
    assert guess_label(Table("t", frame, ())) == name
    assert choices(Table("t", frame, ()))[1] == "holiday"
    words_beside = frame.assign(kind=words("p", "q"), **measured("c"))[["a", "kind", "b", name]]
    assert guess_label(Table("t", words_beside, ())) == "kind"


@pytest.mark.parametrize("names", [("latitude", "longitude"), ("Lat", "Lng")])
def test_where_something_lies_is_not_cut_into_classes(names):
    places = Table("t", measured(*names), ())
    assert guess_label(places) == NO_LABEL
    assert guess_label(Table("t", measured(names[0], "depth", names[1]), ())) == "depth"


@pytest.mark.parametrize("n_values", [2, 6])
def test_numbers_of_one_kind_may_hold_no_label(n_values):
    counts = np.random.default_rng(n_values).integers(0, n_values, (40, 9)).astype(float)
    species = ["abe", "mer", "aly", "pan", "mel", "lud", "eup", "ech", "pas"]
    *_, last = choices(Table("plots", pd.DataFrame(counts, columns=species), ()))
    assert last == NO_LABEL
    told = pd.DataFrame(counts[:, :3], columns=["abe", "mer", "species"])
    assert NO_LABEL not in choices(Table("plots", told, ()))


def test_each_thing_said_of_the_samples_may_be_the_label():
    known = {"diet": ["fish", "sun", "oil", "lin"] * 8, "genotype": ["wt", "ko"] * 16}
    frame = pd.DataFrame(known)
    frame.insert(0, "a", np.random.default_rng(0).normal(size=32))
    assert choices(Table("mice", frame, (), beside=("diet", "genotype"))) == ["genotype", "diet"]


def test_grades_within_a_table_are_asked_about_beside_kinds_and_two_values():
    frame = measured("a").assign(status=numbers(0, 1), grade=numbers(1, 2, 3), eyes=numbers(1, 2))
    frame = frame.rename(columns={"status": "pgstat"}).join(measured("b"))
    assert offered(Table("t", frame, ())) == ["grade", "pgstat", "eyes"]
    kinds = frame.assign(ploidy=words("p", "q", "q", "r")).join(measured("c"))
    assert offered(Table("t", kinds, ())) == ["grade", "ploidy", "pgstat", "eyes"]


def test_beside_a_code_that_a_word_of_a_longer_name_says_few_others_are_offered():
    frame = measured("a").assign(**{"injury class": numbers(1, 2, 3)})
    frame = frame.assign(severity=numbers(1, 1, 2, 3), wheels=numbers(*range(1, 8)))
    assert offered(Table("t", frame.join(measured("b")), ())) == ["injury class", "severity"]


@pytest.mark.parametrize(("n_runs", "n_offered"), [(3, 3), (5, 1)])
def test_of_a_series_of_columns_one_is_offered_as_the_label(n_runs, n_offered):
    runs = {f"tech.run_{at:02d}_{at * 7}": words("no", "no", "yes") for at in range(n_runs)}
    frame = measured("a", "b").assign(site=words("p", "q", "q"), **runs, kind=words("x", "y"))
    offered = choices(Table("t", frame.rename(columns={"kind": "cst"}).join(measured("c")), ()))
    assert len([name for name in offered if name.startswith("tech")]) == n_offered
    assert {"cst", "site"} <= {*offered}


def test_names_of_which_no_word_is_known_are_no_series():
    kinds = {name: RNG.permutation(words("p", "q", "r")) for name in "春夏秋冬山川"}
    frame = measured("a", "b").assign(**kinds).rename(columns={"a": "甲", "b": "乙"})
    assert {*choices(Table("t", frame, ()))} >= {*kinds}


def test_a_sex_is_the_label_of_numbers_of_one_kind_that_have_no_other():
    frame = pd.DataFrame({f"item_{at}": RNG.integers(1, 6, N_ROWS) * 1.0 for at in range(9)})
    asked = {"samples": NO_GROUPS}
    table = Table("t", frame.assign(smoker=numbers(0, 1)), (), asked=asked)
    assert guess_label(table) == NO_LABEL
    table = Table("t", frame.assign(smoker=numbers(0, 1), female=numbers(0, 0, 1)), (), asked=asked)
    assert guess_label(table) == "female"


@pytest.mark.parametrize("name", ["treatment", "diet", "tissue"])
def test_what_samples_were_given_or_are_of_is_a_label_before_other_kinds(name):
    frame = measured("a").assign(line=words("p", "q"), **{name: words("x", "y", "z")})
    assert guess_label(Table("t", frame.join(measured("b")), ())) == name
    beside = frame.assign(genotype=words("p", "p", "q")).join(measured("b"))
    assert choices(Table("t", beside, ())) == ["genotype", name]


@pytest.mark.slow
def test_few_numbers_beside_spectra_are_none_of_their_features():
    spectra = pd.DataFrame(
        RNG.normal(size=(40, 60)), columns=[f"{400 + 2.5 * at}" for at in range(60)]
    )
    frame = pd.DataFrame({"quartz": RNG.normal(size=40), "albite": RNG.normal(size=40)})
    data = prepare(Table("t", frame.join(spectra), ()))
    assert data.feature_names == tuple(spectra)
    assert {"quartz", "albite"} <= {*choices(Table("t", frame.join(spectra), ()))}
    chosen = prepare(Table("t", frame.join(spectra), ()), "quartz", roles={"albite": "feature"})
    assert "albite" in chosen.feature_names
    pixels = spectra.set_axis(map(str, range(60)), axis=1)
    assert "albite" in prepare(Table("t", frame.join(pixels), ()), "quartz").feature_names


def _of_codes(codes, name="treatment", **others):
    rows = len(codes)
    numbers = np.random.default_rng(5).normal(size=(3, rows))
    cells = {name: codes, **others, **dict(zip("abc", numbers, strict=True))}
    return read_table(pd.DataFrame(cells).to_csv(index=False).encode(), "t.csv")


@pytest.mark.parametrize(
    ("code", "classes"),
    [
        (lambda at: f"{'MDP'[at % 3]}_{'YN'[at % 2]}_h{at % 7}", {"M", "D", "P"}),
        (lambda at: f"{'MDP'[at % 3]}-{at % 14}", {"M", "D", "P"}),
        (
            lambda at: f"stage:{'I' * (at % 3 + 1)}_age:{at % 14}",
            {"stage:I", "stage:II", "stage:III"},
        ),
        (lambda at: f"ward {'xyz'[at % 3]} {at % 10}", {"x", "y", "z"}),
    ],
    ids=["crossed", "numbered", "keys", "words"],
)
def test_parts_of_codes_that_are_too_many_for_classes_may_be_the_label(code, classes):
    table = _of_codes([code(at) for at in range(84)])
    first, *_ = table.beside
    assert {*table.frame[first]} == classes
    data = prepare(table)
    [question] = [one for one in data.questions if one.id == "label"]
    assert first in [choice.value for choice in question.choices]
    roles = {column.name: column.role for column in data.columns}
    assert roles[first] in (Role.LABEL, Role.INFO)


@pytest.mark.parametrize(
    ("codes", "others"),
    [
        ([f"{'MDP'[at % 3]}_{'YN'[at % 2]}" for at in range(84)], {}),
        ([f"{'MDP'[at % 3]}_{at}" for at in range(84)], {"kind": [*"xy"] * 42}),
        ([f"{'MDP'[at % 3]}_{at % 14}" for at in range(84)], {"kind": [*"xy"] * 42}),
        ([f"2021-{at % 3 + 1:02}-{at % 28 + 1:02}" for at in range(84)], {}),
        ([f"q{at % 28} v{at % 28}" for at in range(84)], {}),
    ],
    ids=["few", "names", "other classes", "days", "no group"],
)
def test_what_is_no_code_of_several_parts_is_left_whole(codes, others):
    assert _of_codes(codes, **others).beside == ()
    assert (
        _of_codes([f"{'MDP'[at % 3]}_{at % 14}" for at in range(84)], name="subject").beside == ()
    )


@pytest.mark.parametrize(
    ("name", "share", "guess"),
    [("color", 0.7, "bean"), ("color", 0.3, "color"), ("species", 0.7, "species")],
)
def test_of_words_those_that_most_rows_have_are_the_label(name, share, guess):
    is_empty = np.arange(N_ROWS) < share * N_ROWS
    cells = pd.Series(words("red", "green")).mask(is_empty)
    frame = pd.DataFrame({"bean": words("p", "q", "r")}).assign(**measured("a", "b"))
    table = Table("t", frame.assign(**{name: cells}), ())
    assert guess_label(table) == guess


@pytest.mark.parametrize(
    ("n_died", "guess"),
    [(2, "treatment"), (4, "treatment"), (20, "died")],
)
def test_classes_that_cannot_be_held_out_are_no_likely_label(n_died, guess):
    died = np.where(np.arange(N_ROWS) < n_died, "yes", "no").astype(object)
    frame = measured("a", "b").assign(died=died, treatment=words("drug", "none"))
    assert guess_label(Table("t", frame, ())) == guess


@pytest.mark.parametrize(
    ("ratings", "guess"),
    [((1, 2, 3, 4, 5), "rating"), ((*[1] * 30, *[2] * 24, 3, 4, 5, 6, 7, 9), "device")],
)
def test_a_number_few_of_whose_classes_can_be_held_out_is_no_likely_label(ratings, guess):
    frame = measured("a", "b").assign(device=words("x", "y"), rating=numbers(*ratings))
    assert guess_label(Table("t", frame, ())) == guess


@pytest.mark.parametrize("n_each", [2, 3])
def test_small_classes_of_a_small_table_are_its_label(n_each):
    frame = pd.DataFrame(RNG.normal(size=(4 * n_each, 2)), columns=["a", "b"])
    frame["treatment"] = list("abcd") * n_each
    frame["side"] = ["left", "right"] * (2 * n_each)
    assert guess_label(Table("t", frame, ())) == "treatment"


@pytest.mark.parametrize(
    ("name", "cells", "guess"),
    [
        ("blood_ulcers", {"blood": ("A", "O"), "ulcer": ("no", "no", "yes")}, "ulcer"),
        ("amylase", {"amylase": (0.0, 0.5, 1.0, 2.5), "beverage": ("tea", "beer")}, "beverage"),
        ("patients", {"patient": ("p", "q", "r", "s"), "side": ("left", "right")}, "side"),
    ],
)
def test_the_name_of_the_file_tells_kinds_and_no_amount(name, cells, guess):
    frame = measured("a").assign(**{one: words(*values) for one, values in cells.items()})
    frame = frame.assign(
        **{one: frame[one].astype(float) for one, values in cells.items() if values[0] == 0.0}
    )
    assert guess_label(Table(name, frame, ())) == guess


EVENTS = (*[0] * 30, *[1] * 16, *[2] * 8, *[3] * 4, *[4] * 2)


@pytest.mark.parametrize(
    ("last", "habitat", "guess"),
    [
        (EVENTS, ("wood", "field", "marsh"), "habitat"),
        ((0, 1, 2, 3, 4), ("wood", "field", "marsh"), "last"),
        (EVENTS, None, "last"),  # as a grade of disease
    ],
)
def test_a_count_in_the_last_column_comes_behind_words(last, habitat, guess):
    frame = measured("a", "b").assign(smokes=numbers(0, 1, 1), last=numbers(*last))
    if habitat:
        frame.insert(0, "habitat", words(*habitat))
    assert guess_label(Table("t", frame, ())) == guess


@pytest.mark.parametrize(("name", "n_values"), [("panic score", 10), ("dosage", 4)])
@pytest.mark.parametrize("guess", ["diet quality", "house"])
def test_few_numbers_in_the_last_column_are_always_offered(guess, name, n_values):
    """Also beside many that say yes or no, or words that say it in part."""
    has = {f"has {letter}": words("no", "yes") for letter in "abcdefgh"}
    kinds = words("p", "q", "r") if guess == "house" else numbers(*range(1, 11))
    frame = measured("mass").assign(**has, **{guess: kinds})
    frame = frame.assign(**{name: RNG.permutation(numbers(*range(1, n_values + 1)))})
    assert name in choices(Table("t", frame, ()))
    within = frame[[name, *frame.columns[:-1]]]
    assert name not in choices(Table("t", within, ())) or n_values == 4


@pytest.mark.parametrize("file", ["panic_dataset", "all-panics-2024"])
def test_a_column_with_a_word_of_the_file_is_offered_wherever_it_stands(file):
    has = {f"has {letter}": words("no", "yes") for letter in "abcdefgh"}
    frame = measured("mass").assign(panic=RNG.permutation(numbers(*range(1, 11))), **has)
    frame = frame.assign(**{"diet quality": numbers(*range(1, 11))}, **measured("end"))
    assert "panic" in choices(Table(file, frame, ()))
    assert "panic" not in choices(Table("answers", frame, ()))


@pytest.mark.parametrize(("rare", "common"), [("yes", "no"), ("reed", "none")])
def test_a_column_of_nearly_one_value_comes_last(rare, common):
    frame = pd.concat([measured("a", "b")] * 10, ignore_index=True)
    found = np.where(np.arange(len(frame)) < 5, rare, common).astype(object)
    kinds = np.resize(np.array(["x", "y", "z"], dtype=object), len(frame))
    table = Table("t", frame.assign(found=found, lake=kinds, c=frame["a"] ** 2), ())
    assert guess_label(table) == "lake"
    fraud = Table("t", table.frame.rename(columns={"found": "is_fraud"}), ())
    assert guess_label(fraud) == "is_fraud"  # as its name says


def test_what_is_cut_into_ranges_is_offered_behind_classes():
    frame = measured("mass", "price").assign(
        color=words("red", "blue"), where=words("gut", "ear", "eye")
    )
    asked = offered(Table("t", frame.join(measured("log s")), ()))
    assert {*asked[:2]} == {"color", "where"}
    assert {*asked[2:]} == {"price", "log s", "mass"}


@pytest.mark.parametrize(
    "values",
    [
        ("2023-09-11 00:00:00.000000Z", "2023-09-21 00:00:00.000000Z"),
        ("28.832985\N{DEGREE SIGN}", "-29.4\N{DEGREE SIGN} N"),
        ("the pump stood still at 11", "bottle was open, see the list of lab 2"),
    ],
)
def test_days_degrees_and_remarks_are_no_rivals(values):
    frame = (
        measured("a")
        .assign(place=words("p", "q"), seen=words(*values, values[0].replace("1", "2")))
        .join(measured("b"))
    )
    assert offered(Table("t", frame, ())) == ["place", "b"]
    named = frame.assign(seen=words("one of the two", "other", "none"))
    assert "seen" in choices(Table("t", named, ()))


@pytest.mark.parametrize(("n_genotypes", "is_asked"), [(3, True), (200, False)])
def test_of_many_numbers_of_few_values_none_could_as_well_be_the_label(n_genotypes, is_asked):
    rng = np.random.default_rng(0)
    names = ["".join(rng.choice([*string.ascii_uppercase], 7)) for _ in range(n_genotypes)]
    frame = pd.DataFrame(rng.integers(0, 3, (60, n_genotypes)), columns=names)
    frame.insert(0, "soil", ["clay", "sand"] * 30)
    table = read_table(frame.to_csv(index=False).encode(), "t.csv")
    assert bool(choices(table)) == is_asked


@pytest.mark.parametrize("name", ["Sex", "Time_Period"])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_words_that_say_who_or_when_are_sooner_the_label_than_measured_whole_numbers(
    name, n_classes
):
    frame = pd.DataFrame({"length": numbers(*range(20, 38)), "width": numbers(*range(10, 23))})
    frame[name] = words(*"ABCDE"[:n_classes])
    assert guess_label(Table("t", frame, ())) == name


@pytest.mark.parametrize(
    "names",
    [
        "Пол Рост Длина Возраст Флаг",
        "φύλο ύψος βάρος έτη φύση",
        "性别 身高 体重 年龄 结果",
        "# % ! ° _",
    ],
)
@pytest.mark.parametrize("last", ["01", "ny", "abc"])
def test_names_without_a_latin_letter_are_no_hint_and_no_error(names, last):
    stream = np.random.default_rng(5)
    columns = [
        stream.choice(["f", "m"], N_ROWS),
        stream.normal(170, 9, N_ROWS).round(1),
        stream.choice(["x", "y", "z"], N_ROWS),
        stream.integers(18, 90, N_ROWS),
        stream.choice([*last], N_ROWS),
    ]
    for shift in range(4):
        order = [*columns[shift:4], *columns[:shift], columns[4]]
        rows = [",".join(map(str, row)) for row in zip(*order, strict=True)]
        raw = "\n".join([",".join(names.split()), *rows]).encode()
        data = prepare(read_table(raw, "anketa.csv"))
        kinds = [
            name for name, cells in zip(names.split(), order, strict=True) if len({*cells}) < 4
        ]
        assert data.label in kinds
        assert {*data.class_names} <= {*map(str, order[names.split().index(data.label)])}
