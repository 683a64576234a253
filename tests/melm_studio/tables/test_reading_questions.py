"""What could have been read otherwise is asked, with a default, and the answers are obeyed."""

from __future__ import annotations

import sys

import msgspec
import numpy as np
import pandas as pd
import pytest

from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import (
    NO_LABEL,
    LabeledData,
    ReadOptions,
    Role,
    TableError,
    answered_options,
    has_chosen_groups,
    prepare,
    read_table,
)
from melm_studio.tables.questions import READING
from melm_studio.tables.read import Table

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def drawn_anew(monkeypatch):
    """Each test draws the same numbers, whichever ran before it."""
    monkeypatch.setattr(sys.modules[__name__], "RNG", np.random.default_rng(0))


def measured(zinc="{:.2f}"):
    lines = ["zinc,lead,visit,rare,kind"]
    for at in range(60):
        cell = "<0.5" if at % 4 == 0 else zinc.format(RNG.normal(3))
        rare = at + 1 if at < 2 else ""
        lines.append(f"{cell},{RNG.normal():.3f},{at % 3 + 1},{rare},{'ab'[at % 2]}")
    return "\n".join(lines)


def genes():
    samples = ",".join(f"s{at}" for at in range(12))
    groups = ",".join(("ill", "well")[at % 2] for at in range(12))
    rows = [f"gene{at}," + ",".join(f"{x:.3f}" for x in RNG.normal(size=12)) for at in range(8)]
    return "\n".join([f"name,{samples}", f"group,{groups}", *rows])


def with_header():
    rows = [f"{a:.2f},{b:.2f},{'xy'[int(a > 0)]}" for a, b in RNG.normal(size=(40, 2))]
    return "\n".join(["mass,length,kind", "(kg),(mm),", *rows])


def with_totals():
    rows = [f"row {at},{a:.2f},{b:.2f},{'xy'[at % 2]}" for at, (a, b) in
            enumerate(RNG.normal(size=(40, 2)))]  # fmt: skip
    return "\n".join(["name,mass,length,kind", *rows, "Total,40,50,"])


def read_and_prepared(text, answers) -> LabeledData:
    source = DataSource(kind="upload", key="0" * 64, name="t.csv", answers=answers)
    return prepare(read_table(text.encode(), "t.csv", options=source.read_options), answers=answers)


@pytest.mark.parametrize(
    ("text", "question", "default"),
    [
        (measured(), "limits", "half"),
        (genes(), "samples", "columns"),
        (with_header(), "header", "joined"),
        (with_totals(), "totals", "left-out"),
        (measured(), "use:visit", "feature"),
    ],
)
def test_a_decision_of_reading_is_asked_with_its_default_and_no_yes_depends_on_it(
    text, question, default
):
    data = read_and_prepared(text, {})
    [found] = [one for one in data.questions if one.id == question]
    assert (found.default, found.answer) == (default, "")
    assert default in [choice.value for choice in found.choices]
    assert found not in data.open_questions


def test_cells_beyond_a_limit_are_read_as_answered():
    text = measured()
    half, limit, empty = (
        read_table(
            text.encode(),
            "t.csv",
            options=DataSource(kind="sample", key="iris", answers=answers).read_options,
        ).frame["zinc"][0]
        for answers in ({}, {"limits": "limit"}, {"limits": "empty"})
    )
    assert (half, limit) == (0.25, 0.5)
    assert np.isnan(empty)
    data = read_and_prepared(text, {"limits": "indicator"})
    assert "zinc beyond limit" in data.feature_names


def test_the_rows_of_totals_are_kept_as_answered():
    text = with_totals().encode()
    options = DataSource(kind="sample", key="iris", answers={"totals": "kept"}).read_options
    assert len(read_table(text, "t.csv").frame) == 40
    assert len(read_table(text, "t.csv", options=options).frame) == 41


def test_header_rows_are_rows_as_answered():
    text = with_header().encode()
    options = DataSource(kind="sample", key="iris", answers={"header": "first"}).read_options
    assert list(read_table(text, "t.csv").frame)[:2] == ["mass [kg]", "length [mm]"]
    assert list(read_table(text, "t.csv", options=options).frame)[:2] == ["mass", "length"]


def test_the_turn_of_a_table_is_undone_as_answered():
    text = genes().encode()
    options = DataSource(kind="sample", key="iris", answers={"samples": "rows"}).read_options
    turned, plain = read_table(text, "t.csv"), read_table(text, "t.csv", options=options)
    assert (len(turned.frame), len(plain.frame)) == (12, 8)  # groups head the samples
    assert "samples" in turned.asked
    assert "samples" in plain.asked  # so it can be answered anew


@pytest.mark.parametrize("use", ["group", "batch", "info"])
def test_whole_numbers_of_visits_are_used_as_answered(use):
    data = read_and_prepared(measured(), {"use:visit": use})
    roles = {column.name: column.role for column in data.columns}
    assert roles["visit"] is Role(use)
    [question] = [one for one in data.questions if one.id == "use:visit"]
    assert question.answer == use


@pytest.mark.parametrize("name", ["visit", "spot"])
@pytest.mark.parametrize("use", ["feature", "category", "group", "batch", "info"])
def test_what_whole_numbers_are_can_be_said_otherwise(name, use):
    data = with_numbers({f"use:{name}": use}, **{name: np.arange(90.0) % 10 + 1})
    [question] = [one for one in data.questions if one.id == f"use:{name}"]
    assert (question.answer, len(question.choices)) == (use, 5)
    assert "from 1 to 10" in question.sentence


def test_whole_numbers_are_categories_as_answered():
    text = of_sites(ward=[[9, 10, 11][at * at % 7 % 3] for at in range(60)])
    [question] = [one for one in read_and_prepared(text, {}).questions if one.id == "use:ward"]
    assert "category" in [choice.value for choice in question.choices]
    data = read_and_prepared(text, {"use:ward": "category"})
    features = [name for name in data.feature_names if name.startswith("ward")]
    assert features == ["ward = 9", "ward = 10", "ward = 11"]
    [encoding] = [one for one in data.encodings if one.name == "ward"]
    np.testing.assert_array_equal(encoding.encode([10.0, 9, "11"]), np.eye(3)[[1, 0, 2]])


@pytest.mark.parametrize(
    ("name", "is_asked"),
    [("sales_3_month", False), ("last 12 months", False), ("month_3", True), ("visit", True)],
)
def test_how_long_something_was_counted_is_no_occasion(name, is_asked):
    text = of_sites(**{name: [at % 7 for at in range(60)]})
    asked = {question.id for question in read_and_prepared(text, {}).questions}
    assert (f"use:{name}" in asked) == is_asked


def test_numbers_with_too_many_values_are_no_categories():
    frame = pd.DataFrame({"x": RNG.normal(size=500), "site_no": np.arange(500) // 2})
    frame["kind"] = RNG.choice(np.array(["a", "b"], dtype=object), 500)
    table = read_table(frame.to_csv(index=False).encode(), "t.csv")
    [question] = [one for one in prepare(table).questions if one.id == "use:site_no"]
    assert "category" not in [choice.value for choice in question.choices]
    with pytest.raises(TableError, match=r"site_no.* cannot be a category: it has 250 categories"):
        prepare(table, roles={"site_no": "category"})


def test_a_nearly_empty_column_comes_back_by_an_answer():
    assert "rare" not in read_and_prepared(measured(), {}).feature_names
    assert "rare" in read_and_prepared(measured(), {"use:rare": "feature"}).feature_names


def test_a_use_that_the_user_chose_is_not_asked():
    data = prepare(read_table(measured().encode(), "t.csv"), roles={"visit": "batch"})
    assert "use:visit" not in [one.id for one in data.questions]


def test_an_answer_about_a_batch_does_not_say_which_rows_depend_on_each_other():
    data = read_and_prepared(measured(), {"use:visit": "batch", "limits": "limit"})
    assert data.groups is None
    assert not has_chosen_groups(data.columns, data.questions)


@pytest.mark.parametrize(
    "answers",
    [{"limits": "twice"}, {"samples": "auto"}, {"use:visit": "label"}],
)
def test_an_answer_that_does_not_exist_is_refused(answers):
    with pytest.raises(TableError, match=r"answer|column"):
        read_and_prepared(measured(), answers)


def of_sites(**extra):
    rows = {
        "x": RNG.normal(size=60),
        "site_no": np.arange(60) % 6 + 1,
        "week": np.arange(60) % 5 + 1,
    }
    kinds = {"town": ["Bonn", "Ulm", "Kiel"] * 20, "kind": ["a", "b"] * 30}
    return pd.DataFrame(rows | extra | kinds).to_csv(index=False)


@pytest.mark.parametrize(
    ("answer", "anew"),
    [
        ({"label": "cultivar"}, "label"),
        ({"label": "x_id"}, "label"),
        ({"use:plot": "batch"}, None),
        ({"use:void": "feature"}, None),
        ({"use:kind": "info", "label": "kind"}, None),
        ({"subjects:donor": "together"}, None),
        ({"neighbors": "column:bed"}, None),
    ],
    ids=str,
)
def test_an_answer_that_does_not_fit_a_second_file_is_asked_anew(answer, anew):
    text = of_sites(x_id=[f"n{at}" for at in range(60)], void=[""] * 60)
    data = read_and_prepared(text, answer | {"use:week": "batch"})
    (said,) = [one for one in data.warnings if one.startswith("Not used, since this table")]
    stale = [question for question in answer if question in said]
    assert stale
    assert "use:week" not in said
    assert {one.name: one.role for one in data.columns}["week"] is Role.BATCH
    if anew:
        [question] = [one for one in data.questions if one.id == anew]
        assert question.answer == ""
        assert len(question.choices) > 1


def test_where_one_column_is_the_group_no_other_is_offered_it():
    data = read_and_prepared(of_sites(), {"use:site_no": "group"})
    offered = {one.id: [choice.value for choice in one.choices] for one in data.questions}
    assert "group" in offered["use:site_no"]
    assert "group" not in offered["use:week"]
    assert "batch" in offered["use:week"]


def test_words_among_numbers_are_empty_as_answered():
    words = measured().replace("<0.5", "broken")
    for answer in ("", "empty"):
        data = read_and_prepared(words, {"words": answer} if answer else {})
        assert np.isnan(data.unprepared[:, data.feature_names.index("zinc")]).sum() == 15
        [question] = [one for one in data.questions if one.id == "words"]
        assert (question.answer, question.default) == (answer, "empty")  # can be answered anew
    assert "zinc" not in read_and_prepared(words, {"words": "text"}).feature_names


def test_the_label_that_is_answered_has_the_classes_and_the_guess_is_a_feature():
    rows = [f"{RNG.normal():.3f},{'fm'[at // 2 % 2]},{'ab'[at % 2]}" for at in range(40)]
    text = "\n".join(["x,sex,kind", *rows])
    guessed, answered = (read_and_prepared(text, answers) for answers in ({}, {"label": "sex"}))
    assert (guessed.label, answered.label) == ("kind", "sex")
    assert "kind = b" in answered.feature_names
    [question] = answered.questions
    assert [choice.value for choice in question.choices] == ["kind", "sex", "(no label)"]
    assert (question.default, question.answer) == ("kind", "sex")


@pytest.mark.parametrize("header", ["x,sex,species", "x,group,label"])
def test_a_label_that_its_name_says_or_that_is_chosen_is_not_asked_about(header):
    rows = [f"{RNG.normal():.3f},{'fm'[at // 2 % 2]},{'ab'[at % 2]}" for at in range(40)]
    table = read_table("\n".join([header, *rows]).encode(), "t.csv")
    assert prepare(table).label == header.rpartition(",")[2]
    assert prepare(table).questions == prepare(table, header.split(",")[1]).questions == ()


@pytest.mark.parametrize("question", READING)
def test_every_answer_about_reading_gets_to_the_process_that_reads(question):
    for answer in READING[question]:
        options = answered_options({question: answer}, ReadOptions())
        assert msgspec.convert(msgspec.to_builtins(options), ReadOptions) == options


@pytest.mark.parametrize(
    ("name", "is_asked"),
    [
        ("Transect", True), ("Position", True), ("tank volume", False),
        ("soil_type", True), ("Land category", True), ("landcode", True),
        ("class size", False), ("acid", False),
    ],
)  # fmt: skip
def test_numbers_of_places_or_kinds_may_be_no_quantity(name, is_asked):
    data = with_numbers(**{name: RNG.choice([5.0, 7.0, 20.0, 26.0], 90, p=[0.4, 0.3, 0.2, 0.1])})
    assert (f"use:{name}" in [question.id for question in data.questions]) == is_asked


def test_how_often_many_things_were_seen_is_no_number_of_one():
    seen = {f"{thing} nr": RNG.integers(0, 9, 90).astype(float) for thing in ("box", "den", "hut")}
    asked = [one.id for one in with_numbers(**seen).questions]
    assert {f"use:{name}" for name in seen} <= {*asked}
    seen["nest nr"] = seen["hut nr"][::-1]
    data = with_numbers(**seen)
    assert not [one.id for one in data.questions if one.id.startswith("use:")]
    told = with_numbers({"use:hut nr": "category"}, **seen)
    assert [one.id for one in told.questions if one.id.startswith("use:")] == ["use:hut nr"]


def test_codes_whose_names_have_no_word_that_is_known_are_no_series():
    codes = [10_231.0, 20_417.0, 31_555.0, 40_909.0]
    columns = {name: RNG.choice(codes, 90, p=[0.4, 0.3, 0.2, 0.1]) for name in "春夏秋冬"}
    asked = {one.id for one in with_numbers(**columns).questions}
    assert {f"use:{name}" for name in columns} <= asked


@pytest.mark.parametrize("name", ["NO2(GT)", "SessionsPerWeek", "Total Number of Nodules"])
def test_an_amount_or_an_oxide_of_nitrogen_is_no_number_of_something(name):
    frame = pd.DataFrame({name: [1.0, 2.0] * 8, "kind": ["a", "b", "b", "a"] * 4})
    asked = {
        one.id for one in prepare(read_table(frame.to_csv(index=False).encode(), "t.csv")).questions
    }
    assert f"use:{name}" not in asked


def test_yes_and_no_under_the_name_of_a_code_are_not_asked_about():
    frame = pd.DataFrame({"region_asia": [0.0, 1.0] * 8, "kind": ["a", "b", "b", "a"] * 4})
    table = read_table(frame.to_csv(index=False).encode(), "t.csv")
    assert "use:region_asia" not in {question.id for question in prepare(table).questions}


@pytest.mark.parametrize("n_rare", [1, 3, 25])
def test_columns_without_nearly_any_cells_are_left_out_unasked(n_rare):
    rare = {f"rare {at}": [at, at + 1.5] + [""] * 58 for at in range(1, n_rare + 1)}
    columns = {"a": [at / 7 for at in range(60)], **rare, "class": ["x", "y"] * 30}
    rows = [columns, *zip(*columns.values(), strict=True)]
    raw = "\n".join(",".join(map(str, row)) for row in rows).encode()
    data = prepare(read_table(raw, "t.csv"))
    assert not any(one.id.startswith("use:") for one in data.questions)
    assert data.feature_names == ("a",)
    assert any("rare 1" in step for step in data.steps)


@pytest.mark.parametrize(
    ("name", "is_asked"),
    [
        ("Caffeine (mg/day)", False),
        ("visits [per month]", False),
        ("level no (cm)", False),
        ("Site (no)", True),
        ("plot (id)", True),
        ("ward (3 north)", True),
    ],
)
def test_what_has_a_unit_is_a_quantity(name, is_asked):
    data = with_numbers(**{name: RNG.integers(0, 9, 90).astype(float)})
    assert (f"use:{name}" in [one.id for one in data.questions]) == is_asked


@pytest.mark.parametrize(("n_codes", "are_asked"), [(3, True), (4, False), (12, False)])
def test_columns_of_codes_are_asked_about_one_by_one_only_if_few(n_codes, are_asked):
    generator = np.random.default_rng(3)
    codes = {f"fielder_{at}": generator.choice([518692, 545361, 605141], 60)
             for at in range(n_codes)}  # fmt: skip
    speeds = {f"speed {at}": generator.normal(90, 4, 60) for at in range(12)}
    frame = pd.DataFrame({**codes, **speeds, "class": ["x", "y"] * 30})
    data = prepare(read_table(frame.to_csv(index=False).encode(), "t.csv"))
    assert any(one.id.startswith("use:fielder") for one in data.questions) == are_asked
    assert ("fielder_1" in data.feature_names) == are_asked
    if not are_asked:
        assert any("Kept as information: fielder_0" in step for step in data.steps)


def with_numbers(answers=None, /, **numbers):
    """Ninety rows of two classes, of which some columns have given numbers."""
    features = dict(zip(("zinc", "lead"), RNG.normal(size=(2, 90)), strict=True))
    kinds = [*map("ab".__getitem__, RNG.integers(0, 2, 90))]
    frame = pd.DataFrame(features).assign(**numbers, kind=kinds)
    return prepare(Table("t", frame, ()), "kind", answers=answers)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("n_values", [3, 5, 15, 45])
@pytest.mark.parametrize("is_in_order", [True, False])
def test_numbers_that_as_many_rows_have_each_number_a_design(first, n_values, is_in_order):
    spots = np.arange(90.0) % n_values + first
    data = with_numbers(spot=np.sort(spots) if is_in_order else RNG.permutation(spots))
    are_stretches = is_in_order and n_values <= 5  # asked about as such
    asked = "shared:" if are_stretches else "use:spot"
    assert asked in [question.id for question in data.questions]


# The same numbers in another order are counts, such as of flowers.
@pytest.mark.parametrize("is_in_order", [True, False])
def test_numbers_that_begin_again_number_what_is_in_each_place(is_in_order):
    fish = np.concatenate([np.arange(1.0, n + 1) for n in (20, 4, 11, 8, 22, 17, 3, 5)])
    data = with_numbers(fish=fish if is_in_order else RNG.permutation(fish))
    assert ("use:fish" in [question.id for question in data.questions]) == is_in_order


@pytest.mark.parametrize(("most", "is_asked"), [(11_000, True), (90_000, False)])
def test_long_numbers_of_which_chance_would_have_made_some_equal_are_asked_about(most, is_asked):
    codes = 10_001.0 + np.random.default_rng(0).choice(most - 10_001, 90, replace=False)
    asked = {question.id for question in with_numbers(distr=codes).questions}
    assert ("use:distr" in asked) == is_asked


@pytest.mark.parametrize(
    "numbers",
    [
        {"flowers": RNG.integers(0, 5, 90).astype(float)},  # as evenly as chance has it
        {"flowers": np.repeat([1.0, 2.0, 3.0], [20, 30, 40])},
        {"flowers": np.arange(90.0) % 6 * 2 + 1},  # with gaps, as of doses
        {"flowers": np.arange(90.0) % 6 + 11},
        {"flowers": np.arange(90.0) % 6 / 2},
        {"flowers": np.arange(90.0) % 2},  # yes and no
        {"flowers": np.resize([1e308, -1e308, 0.0], 90)},
        {f"weight{step}": np.arange(90.0) // step % 3 for step in (1, 3, 15)},  # a factorial design
        {f"taxon{at}": np.arange(90.0) % (at % 6 + 3) for at in range(40)},
    ],
)
def test_other_whole_numbers_are_not_asked_about(numbers):
    assert not any(question.id.startswith("use:") for question in with_numbers(**numbers).questions)


WEIGHTS = np.exp(RNG.normal(0, 0.5, 90))


@pytest.mark.parametrize("digits", [3, 9])
def test_fractions_whose_mean_is_1_may_weigh_the_rows(digits):
    data = with_numbers(pond=(WEIGHTS / WEIGHTS.mean()).round(digits))
    (question,) = [one for one in data.questions if one.id == "use:pond"]
    assert "weigh the rows" in question.sentence
    assert "pond" in data.feature_names
    left_out = with_numbers({"use:pond": "info"}, pond=(WEIGHTS / WEIGHTS.mean()).round(digits))
    assert "pond" not in left_out.feature_names
    assert [one.answer for one in left_out.questions if one.id == "use:pond"] == ["info"]


@pytest.mark.parametrize(("name", "is_asked"), [("Weight", True), ("ratio", False)])
def test_weights_that_are_named_so_lack_a_few_rows_of_theirs(name, is_asked):
    data = with_numbers(**{name: (WEIGHTS / WEIGHTS.mean() * 0.98).round(3)})
    assert any("weigh the rows" in one.sentence for one in data.questions) == is_asked


@pytest.mark.parametrize(
    "numbers",
    [
        {"ratio": WEIGHTS},
        {"ratio": 1 + RNG.normal(0, 0.3, 90) - 0.02},
        {f"gene{at}": np.roll(WEIGHTS, at) / WEIGHTS.mean() for at in range(3)},
        {"z": (WEIGHTS - WEIGHTS.mean()) / WEIGHTS.std() + 1 - 1e-9},
        {"count": np.resize([0.0, 1.0, 2.0], 90)},
    ],
)
def test_other_fractions_weigh_no_rows(numbers):
    asked = with_numbers(**numbers).questions
    assert not any("weigh the rows" in question.sentence for question in asked)


@pytest.mark.parametrize(
    ("name", "values", "says"),
    [
        ("Year", np.roll(1910 + np.arange(90) * 4.0 // 5, 9), "whole numbers from 1910 to 1981"),
        ("year", np.resize([2002.0, 2003.0], 90), "whole numbers from 2002 to 2003"),
        ("date", np.roll(60 + np.arange(90.0) / 8, 9), "numbers from 60 to 71.125"),
        ("sowing date", np.resize(np.arange(5.0), 90), "whole numbers from 0 to 4"),
        ("catalogue_nr", np.resize(np.arange(1.0, 66), 90)[::-1], "whole numbers from 1 to 65"),
        ("Page", np.resize(np.arange(1.0, 66), 90)[::-1], "whole numbers from 1 to 65"),
        ("bib_num", np.resize(np.arange(1.0, 66), 90)[::-1], "whole numbers from 1 to 65"),
        ("center", np.resize([174.0, 204.0, 222.0], 90), "whole numbers from 174 to 222"),
    ],
)
def test_dates_years_and_codes_are_asked_about_though_hardly_any_repeat(name, values, says):
    data = with_numbers(**{name: values})
    [asked] = [question for question in data.questions if question.id == f"use:{name}"]
    assert asked.sentence == f"What is {name}? It has {says}."
    are_repeated = len({*values}) <= 45
    assert ("A group" in [choice.label for choice in asked.choices]) is are_repeated
    assert name not in with_numbers({asked.id: "info"}, **{name: values}).feature_names


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("years", np.roll(1910 + np.arange(90) * 4.0 // 5, 9)),  # how many
        ("year", np.arange(90.0) % 60),  # of a study
        ("date", np.arange(90.0) / 30 - 1.5),
        ("code", np.resize([1.0, -1.0], 90)),
        ("update", np.arange(90.0) * 1.5),
        ("humid", np.resize(np.arange(1.0, 66), 90)[::-1]),
    ],
)
def test_other_numbers_of_which_hardly_any_repeat_are_not_asked_about(name, values):
    assert f"use:{name}" not in {one.id for one in with_numbers(**{name: values}).questions}


PAIRS = [
    ("Lat", "Long"), ("latitude_dd", "longitude_dd"), ("UTM_X", "UTM_Y"), ("easting", "northing"),
    ("decimalLatitude", "decimalLongitude"), ("fam_lat", "fam_long"), ("Lat (N)", "Lon (E)"),
    ("Row", "Col"), ("BLOCK _by_REP", "IBLK"), ("plot #", "tray_no"),
    ("Min.Latitude", "Centroid.Latitude", "Centroid.Longitude"), ("Year", "month"),
    ("Lat", "Long", "day", "month", "year"), ("Center_x", "Center_y", "Center_z"),
    ("centroid-0", "centroid-1"), ("Xcoor", "Ycoor"), ("coord x", "coord y"), ("Year", "Date"),
    ("lat", "long", "altitude"), ("VoxelSizeX", "pixel size"), ("mass(old)", "size.old"),
]  # fmt: skip


def with_places(names, label="kind", answers=None):
    X = RNG.normal(size=(60, len(names) + 2))
    frame = pd.DataFrame(X, columns=["mass", *names, "size"])
    frame[label] = np.resize(np.array(["p", "q"], dtype=object), 60)
    return prepare(Table("t", frame, ()), label, answers=answers or {})


@pytest.mark.parametrize("names", PAIRS)
def test_where_rows_are_is_no_feature_and_one_answer_makes_a_pair_one(names):
    data = with_places(names)
    assert set(data.feature_names) == {"mass", "size"}
    [asked] = [one for one in data.questions if one.id.startswith("use:")]
    assert (asked.id, asked.default) == (f"use:{names[0]}", "info")
    assert all(name in asked.sentence for name in names)
    for answer, n_features in (("feature", 2 + len(names)), ("info", 2)):
        data = with_places(names, answers={asked.id: answer})
        assert len(data.feature_names) == n_features
        [again] = [one for one in data.questions if one.id.startswith("use:")]
        assert (again.sentence, again.answer) == (asked.sentence, answer)


PLACES = np.random.default_rng(2).permutation(np.arange(120) % 30)


@pytest.mark.parametrize(
    ("kind", "cells", "is_of_place"),
    [
        ("of a grid", 100.0 + PLACES, True),
        ("of several places each", 100.0 + PLACES % 11, False),
        ("measured there", np.sqrt(1.0 + PLACES), False),
        ("of any place", np.random.default_rng(3).integers(0, 30, 120) * 1.0, False),
    ],
)
def test_whole_numbers_of_which_each_is_of_one_place_say_where_rows_are(kind, cells, is_of_place):
    frame = pd.DataFrame(RNG.normal(size=(120, 2)), columns=["mass", "size"])
    lat, long = RNG.normal(50, 1, 30)[PLACES], RNG.normal(8, 1, 30)[PLACES]
    kinds = np.resize(np.array(["p", "q"], dtype=object), 120)
    table = Table(kind, frame.assign(cell=cells, lat=lat, long=long, kind=kinds), ())
    data = prepare(table, "kind")
    (asked,) = [one for one in data.questions if " lat" in one.sentence and "use:" in one.id]
    assert ("cell" in asked.sentence) is is_of_place
    assert ("cell" not in data.feature_names) is is_of_place
    told = prepare(table, "kind", answers={asked.id: "feature"})
    assert {"lat", "long", "cell"} <= {*told.feature_names}


def test_several_pairs_of_coordinates_are_one_question():
    names = ["Lat", "Long", "UTM_X", "UTM_Y", "row", "column"]
    data = with_places(names)
    assert [one.id for one in data.questions if one.id.startswith("use:")] == ["use:Lat"]
    told = with_places(names, answers={"use:Lat": "feature"})
    assert set(told.feature_names) == {"mass", "size", *names}


@pytest.mark.parametrize(
    "names",
    [
        ("long", "wide"),
        ("lat", "weight"),
        ("utm zone", "depth"),
        ("flat", "along"),
        ("x", "y"),
        ("row", "depth"),
        ("row count", "column width"),
        ("potential", "colony"),
        ("bedrock", "rowing"),
        ("year of birth", "month"),
        ("sales_day", "sales_month"),
        ("weight gain", "old", "age_old"),
        ("altitude", "Date"),
        ("center x", "normal_x", "normal_y"),
        tuple(f"{of}_center_{axis}" for of in ("eye", "nose", "lip", "chin") for axis in "xy"),
    ],
)
def test_what_is_no_pair_of_coordinates_is_a_feature(names):
    data = with_places(names)
    assert set(data.feature_names) == {"mass", "size", *names}
    assert not [one for one in data.questions if one.id.startswith("use:")]


@pytest.mark.parametrize(("most", "are_parts"), [(12, True), (13, False)])
def test_years_and_months_of_one_thing_are_parts_of_a_date(most, are_parts):
    frame = pd.DataFrame(RNG.normal(size=(60, 2)), columns=["mass", "size"])
    frame["RecordingMonth"] = RNG.permutation(1.0 + np.arange(60) % most)
    frame["RecordingYear"] = RNG.integers(1950, 2018, 60).astype(float)
    frame["BirthYear"] = RNG.integers(1950, 2018, 60).astype(float)
    frame["kind"] = np.resize(np.array(["p", "q"], dtype=object), 60)
    data = prepare(Table("t", frame, ()), "kind")
    info = {column.name for column in data.columns if column.role is Role.INFO}
    assert info == ({"RecordingMonth", "RecordingYear"} if are_parts else set())


@pytest.mark.parametrize(
    ("time", "label", "ends", "is_asked"),
    [
        ("time", "cens", (0.0, 1.0), True),
        ("OS_MONTHS", "OS_STATUS", ("0:LIVING", "1:DECEASED"), True),
        ("follow-up days", "status", (1.0, 2.0), True),
        ("survival time", "died", ("no", "yes"), True),
        ("time", "status", ("single", "married"), False),
        ("time", "kind", (0.0, 1.0), False),
        ("reaction time", "event", (0.0, 1.0), False),
        ("age", "death", (0.0, 1.0), False),
    ],
)
def test_how_long_rows_were_followed_is_asked_beside_an_event(time, label, ends, is_asked):
    stream = np.random.default_rng(5)
    frame = pd.DataFrame(stream.normal(size=(60, 2)), columns=["mass", "size"])
    frame[time] = stream.exponential(900, 60).round(1)
    frame[label] = np.array(ends)[stream.integers(0, 2, 60)]
    table = Table("t", frame, ())
    data = prepare(table, label)
    assert (time in data.feature_names) != is_asked
    asked = [one for one in data.questions if one.id == f"use:{time}"]
    assert [(one.default, "followed" in one.sentence) for one in asked] == [
        ("info", True)
    ] * is_asked
    told = prepare(table, label, answers={f"use:{time}": "feature"})
    assert time in told.feature_names


def test_few_times_of_a_design_beside_an_event_are_measured():
    frame = pd.DataFrame(RNG.normal(size=(60, 2)), columns=["mass", "size"])
    frame["time"] = RNG.permutation(np.arange(60) % 4) * 1.0
    frame["event"] = RNG.integers(0, 2, 60) * 1.0
    assert "time" in prepare(Table("t", frame, ()), "event").feature_names


def test_names_without_letters_of_english_are_no_places_beside_coordinates():
    names = ("Lat", "Long", "ቁመት", "高さ", "%")
    assert set(with_places(names).feature_names) == {"mass", "size", *names[2:]}


@pytest.mark.parametrize(("first", "is_asked"), [(1981, True), (1881, False)])
def test_years_are_asked_about_whatever_their_name(first, is_asked):
    frame = pd.DataFrame(RNG.normal(size=(90, 2)), columns=["mass", "size"])
    frame["animal_yob"] = first + RNG.integers(0, 30, 90).astype(float)
    frame["kind"] = np.resize(np.array(["p", "q"], dtype=object), 90)
    asked = {one.id for one in prepare(Table("t", frame, ()), "kind").questions}
    assert ("use:animal_yob" in asked) == is_asked


@pytest.mark.parametrize("word", ["Asian", "Black or African American"])
@pytest.mark.parametrize("n_ticked", [2, 40])
@pytest.mark.parametrize("gap", [None, "-99"])
def test_a_box_with_words_where_it_was_ticked_is_a_category(word, n_ticked, gap):
    box = np.full(300, "0", dtype=object)
    box[7 : 7 + 3 * n_ticked : 3] = word
    box[200:210] = gap or "0"
    data = read_and_prepared(_beside_numbers(box), {})
    role = {column.name: column.role for column in data.columns}["box"]
    asked = ["codes"] if gap else []
    assert (role, [one.id for one in data.questions]) == (Role.CATEGORICAL, asked)


@pytest.mark.parametrize(
    ("cells", "words"),
    [(["0", "1", "2"], ["broken"] * 2), (["0"], ["unknown"] * 9), (["0"], ["broken"])],
)
def test_words_beside_other_numbers_or_that_say_why_there_is_none_are_missing(cells, words):
    box = np.array((cells * 300)[:300], dtype=object)
    box[10 : 10 + len(words)] = words
    data = read_and_prepared(_beside_numbers(box), {})
    names = [column.name for column in data.columns if column.role is Role.CATEGORICAL]
    assert names == []


def _beside_numbers(box):
    rows = zip(box, np.random.default_rng(0).normal(size=300).round(3), strict=True)
    lines = (f"{cell},{size},{'ab'[at % 2]}" for at, (cell, size) in enumerate(rows))
    return "\n".join(["box,size,group", *lines])


def test_words_of_a_language_are_no_layout():
    words = [f"word{'abcdefghijklmnopqrstuvwxyz'[at % 26]}{at}" for at in range(1_000)]
    assert "row" in with_places(("row", "bed", *words)).feature_names
    assert "row" not in with_places(("row", "bed", *words[:900])).feature_names


def with_words(names, numbers=(), answers=None):
    frame = pd.DataFrame(RNG.normal(size=(60, 2)), columns=["mass", "size"])
    for name in numbers:
        frame[name] = RNG.integers(1, 30, 60).astype(float)
    for name in names:
        frame[name] = RNG.choice(np.array(["one", "two", "three"], dtype=object), 60)
    frame["kind"] = np.resize(np.array(["p", "q"], dtype=object), 60)
    return prepare(Table("t", frame, ()), "kind", answers=answers or {})


ORIGINS = [
    "Island", "site_name", "sampling site", "Location", "Study", "data source", "citations",
    "sample_size_wing",
]  # fmt: skip


@pytest.mark.parametrize(
    ("names", "numbers"), [*(([name], []) for name in ORIGINS), (ORIGINS, ["REF", "study no"])]
)
def test_where_rows_come_from_is_no_feature_and_one_question(names, numbers):
    data = with_words(names, numbers)
    assert set(data.feature_names) == {"mass", "size"}
    [asked] = [one for one in data.questions if one.id.startswith("use:")]
    assert asked.default == "info"
    told = with_words(names, numbers, answers={asked.id: "feature"})
    assert {column.role for column in told.columns} <= {
        Role.NUMERIC, Role.CATEGORICAL, Role.LABEL
    }  # fmt: skip
    [again] = [one for one in told.questions if one.id == asked.id]
    assert (again.sentence, again.answer) == (asked.sentence, "feature")


def test_beside_a_label_of_places_the_other_origins_are_asked_about_alone():
    frame = pd.DataFrame(RNG.normal(size=(60, 4)), columns=["Lat", "Long", "m", "n"])
    frame["study"], frame["source"] = (
        RNG.choice(np.array([*"uvw"], dtype=object), 60),
        RNG.choice(np.array([*"uvw"], dtype=object), 60),
    )
    frame["site"] = RNG.choice(np.array([*"uvw"], dtype=object), 60)
    data = prepare(Table("t", frame, ()), "site")
    [asked] = [one for one in data.questions if one.id.startswith("use:")]
    assert asked.id == "use:study"
    told = prepare(Table("t", frame, ()), "site", answers={"use:study": "feature"})
    assert {one.name for one in told.columns if one.role is Role.CATEGORICAL} == {"study", "source"}


def of_design(n_each, noise=(), answers=None):
    """Treatments crossed with strains, of which each has a line and a temperature."""
    strain = np.tile(np.repeat(np.array(["s1", "s2", "s3"], dtype=object), n_each), 2)
    columns = {
        "treatment": np.repeat(np.array(["control", "dose"], dtype=object), 3 * n_each),
        "strain": strain,
        "line": np.where(strain == "s3", "wild", "lab").astype(object),
        "temperature": np.where(strain == "s1", 10.0, 20.0),
        "dose level": np.where(np.arange(6 * n_each) % 7 < 3, "low", "high").astype(object),
    }
    frame = pd.DataFrame(columns)
    for row in noise:
        frame.loc[row, "strain"] = "s1"
    frame[["mass", "size"]] = RNG.normal(size=(6 * n_each, 2))
    return prepare(Table("t", frame, ()), "treatment", answers=answers or {})


@pytest.mark.parametrize("n_each", [8, 40])
def test_factors_that_divide_each_class_evenly_are_no_features_and_one_question(n_each):
    data = of_design(n_each)
    assert {*data.feature_names} >= {"mass", "size"}
    info = {column.name for column in data.columns if column.role is Role.INFO}
    assert info == {"strain", "line", "temperature"}
    [asked] = [one for one in data.questions if one.id.startswith("use:")]
    assert (asked.id, asked.default) == ("use:strain", "info")
    told = of_design(n_each, answers={"use:strain": "feature"})
    assert len(told.feature_names) > len(data.feature_names) + 2


def test_no_factor_is_asked_about_where_hardly_any_measure_remains():
    """Nor said to be information beside coordinates, while it is a feature."""
    frame = pd.DataFrame({name: RNG.normal(size=60) for name in ("Lat", "Long", "mass")})
    frame["strain"] = np.tile(np.repeat(np.array(["s1", "s2", "s3"], dtype=object), 10), 2)
    frame["color"] = RNG.choice(np.array(["red", "blue"], dtype=object), 60)
    frame["kind"] = np.repeat(np.array(["p", "q"], dtype=object), 30)
    data = prepare(Table("t", frame, ()), "kind")
    [asked] = [one for one in data.questions if one.id.startswith("use:")]
    assert (asked.id, "strain" in asked.sentence) == ("use:Lat", False)
    assert any(name.startswith("strain") for name in data.feature_names)


def test_a_factor_of_which_a_class_has_too_few_rows_is_a_feature():
    assert "temperature" in of_design(8, noise=range(8, 14)).feature_names
    assert "temperature" in of_design(2).feature_names  # by chance as well


@pytest.mark.parametrize(
    "name",
    ["tumor site", "brain location", "energy source", "field of study", "Region", "allocation"],
)
def test_words_of_a_body_or_a_cause_are_features(name):
    data = with_words([name])
    assert len(data.feature_names) == 5
    assert not [one for one in data.questions if one.id.startswith("use:")]


@pytest.mark.parametrize("term", ["", " (VBcv:0000817)"])
def test_coordinates_are_asked_about_unless_the_label_is_a_place_or_they_are_all_there_is(term):
    data = with_places(("Lat", "Long"), label="site")
    assert set(data.feature_names) == {"mass", "size"}
    assert not [one for one in data.questions if one.id.startswith("use:")]
    names = [f"Lat{term}", f"Long{term}", "mass"]
    for n_names in (2, 3):
        frame = pd.DataFrame(RNG.normal(size=(60, n_names)), columns=names[:n_names])
        frame["kind"] = np.resize(np.array(["p", "q"], dtype=object), 60)
        alone = prepare(Table("t", frame, ()), "kind")
        assert set(alone.feature_names) == {*names[:n_names]}
        asked = {one.id: one.default for one in alone.questions if one.id.startswith("use:")}
        assert asked == ({f"use:{names[0]}": "feature"} if n_names > 2 else {})
    told = prepare(Table("t", frame, ()), "kind", answers={f"use:{names[0]}": "info"})
    assert told.feature_names == ("mass",)


def of_marks(words, n_columns=3, name="count {}"):
    lines = [",".join(["mass", *(name.format(at) for at in range(n_columns)), "kind"])]
    for row in range(60):
        cells = [words[row % len(words)] if (row + at) % 4 else f"{row * (7 + at) % 23}"
                 for at in range(n_columns)]  # fmt: skip
        lines.append(",".join([f"{RNG.normal():.3f}", *cells, "pq"[row % 2]]))
    return "\n".join(lines)


@pytest.mark.parametrize("words", [["not_analysed"], ["nd", "lost"]])
@pytest.mark.parametrize("n_columns", [1, 9])
def test_a_word_in_most_cells_beside_numbers_may_mean_that_they_are_missing(words, n_columns):
    text = of_marks(words, n_columns)
    data = read_and_prepared(text, {})
    [asked] = [one for one in data.questions if one.id == "words"]
    assert (asked.default, words[0] in asked.sentence or words[-1] in asked.sentence) == (
        "text",
        True,
    )
    told = read_and_prepared(text, {"words": "empty"})
    assert {"mass", *(f"count {at}" for at in range(n_columns))} == {*told.feature_names}


@pytest.mark.parametrize(
    "text",
    [
        of_marks(["nd", "lost", "broken"]),
        of_marks(["S-1", "S-2"], 1, "Subj_ID"),
        of_marks(["nd"]).replace(",1", ",x").replace(",2", ",x"),
    ],
    ids=["of many words", "of an id", "of few numbers"],
)
def test_other_texts_with_numbers_are_texts(text):
    assert "words" not in [one.id for one in read_and_prepared(text, {}).questions]


def with_copies(columns, answers=None, roles=None):
    n_rows = len(next(iter(columns.values())))
    frame = pd.DataFrame({"mass": RNG.normal(size=n_rows), **columns})
    frame["kind"] = np.resize(np.array(["p", "q"], dtype=object), n_rows)
    return prepare(Table("t", frame, ()), "kind", answers=answers or {}, roles=roles or {})


SEXES = RNG.permutation(np.repeat(np.array(["F", "M"], dtype=object), 20))
STEPS = RNG.integers(1, 5, 40)
ROUNDS = np.array([f"round {step}" for step in STEPS], dtype=object)
LENGTHS = RNG.normal(150, 9, 40).round(1)
ARMS = {
    "arm": np.where(STEPS > 1, SEXES, None),
    "code": np.where(STEPS > 1, 1 + (SEXES == "M"), np.nan),
}


@pytest.mark.parametrize(
    ("columns", "feature", "copy"),
    [
        ({"sex": SEXES, "gender": np.where(SEXES == "F", "woman", "man")}, "sex", "gender"),
        ({"sex": SEXES, "sex:ch1": SEXES.copy()}, "sex", "sex:ch1"),
        ({"STEPNUM": STEPS * 10.0, "STEP": ROUNDS}, "STEP", "STEPNUM"),
        (ARMS, "arm", "code"),
        ({"of part": ARMS["arm"], "code": 1 - 2.0 * (SEXES == "M")}, "code", "of part"),
        ({"sex": SEXES[:9], "sex code": (SEXES == "M")[:9] * 1.0}, "sex", "sex code"),
        ({"pulse": STEPS * 1.0, "beats": STEPS * 1.0}, "pulse", "beats"),
        ({"in cm": LENGTHS, "in m": LENGTHS / 100}, "in cm", "in m"),
        ({"below": 8.25 - LENGTHS, "above": LENGTHS}, "below", "above"),
        ({"gaps": np.where(STEPS > 1, LENGTHS, np.nan), "all": LENGTHS}, "all", "gaps"),
        ({"code": np.where(SEXES == "F", STEPS, np.nan), "step": ROUNDS}, "step", "code"),
        ({"arm": ARMS["arm"], "sex": np.where(SEXES == "F", "w", "m")}, "sex", "arm"),
    ],
)
def test_of_two_columns_that_say_the_same_one_is_a_feature_and_the_other_asked_about(
    columns, feature, copy
):
    data = with_copies(columns)
    assert {encoding.name for encoding in data.encodings} == {"mass", feature}
    [asked] = [one for one in data.questions if one.id.startswith("use:")]
    assert (asked.id, asked.default) == (f"use:{copy}", "info")
    says = f"Is {copy} measured, too? It says the same as {feature} in all rows"
    assert asked.sentence in (f"{says}.", f"{says} that have both.")
    gaps = [name for name, cells in columns.items() if pd.isna(cells).any()]
    assert asked.sentence.endswith("both.") == (gaps == [copy])
    for answer, n_columns in (("feature", 3), ("info", 2)):
        told = with_copies(columns, {asked.id: answer})
        assert len(told.encodings) == n_columns
        [again] = [one for one in told.questions if one.id.startswith("use:")]
        assert (again.sentence, again.answer) == (asked.sentence, answer)
    of_other = with_copies(columns, roles={feature: "info"})
    assert {encoding.name for encoding in of_other.encodings} == {"mass", copy}


def test_one_answer_says_of_all_columns_whether_they_are_features_though_others_say_the_same():
    columns = {"STEP NO": STEPS * 1.0, "sex": SEXES, "gender": SEXES.copy(), "STEP": ROUNDS}
    data = with_copies(columns)
    [asked] = [one for one in data.questions if one.id.startswith("use:")]
    assert asked.id == "use:STEP NO"
    assert asked.sentence.startswith("Are STEP NO and gender measured features, too? They say")
    told = with_copies(columns, {asked.id: "feature"})
    assert {encoding.name for encoding in told.encodings} == {"mass", *columns}


@pytest.mark.parametrize("codes", [["grade"], ["grade", "points"]])
def test_numbers_that_say_the_same_as_the_label_are_asked_about_once(codes):
    columns = {name: 1.0 + (np.arange(40) % 2) * (1 + at) for at, name in enumerate(codes)}
    data = with_copies(columns)
    assert {encoding.name for encoding in data.encodings} == {"mass"}
    assert {one.id for one in data.questions} >= {f"twin:{codes[0]}"}
    assert not any(one.id.startswith("use:") for one in data.questions)


def cut(*bounds, words=None):
    """Of each length, by which of these it lies; as a number, or one of these words."""
    codes = np.digitize(LENGTHS, bounds)
    return codes * 1.0 if words is None else np.array(words, dtype=object)[codes]


@pytest.mark.parametrize(
    "cells",
    [
        cut(150),
        cut(145, 155, words=["short", "usual", "tall"]),
        np.where(STEPS > 1, cut(145, 155, words=["-145", "145-155", "155-"]), None),
    ],
    ids=["a number", "words", "with gaps"],
)
def test_ranges_of_a_number_are_asked_about_beside_it(cells):
    columns = {"size": cells, "length": LENGTHS}
    data = with_copies(columns)
    assert {encoding.name for encoding in data.encodings} == {"mass", "length"}
    [asked] = [one for one in data.questions if one.id.startswith("use:")]
    assert (asked.id, asked.default) == ("use:size", "info")
    assert asked.sentence.startswith("Is size measured, too? It says the same as length in all")
    assert asked.sentence.endswith(", in ranges.")
    told = with_copies(columns, {asked.id: "feature"})
    assert {encoding.name for encoding in told.encodings} == {"mass", *columns}
    [again] = [one for one in told.questions if one.id.startswith("use:")]
    assert (again.sentence, again.answer) == (asked.sentence, "feature")


def test_ranges_and_copies_are_asked_about_at_once():
    data = with_copies({"size": cut(150), "length": LENGTHS, "in m": LENGTHS / 100})
    [asked] = [one for one in data.questions if one.id.startswith("use:")]
    assert asked.sentence == (
        "Are size and in m measured features, too? They say the same as length in all rows, some "
        "in ranges."
    )


def test_ranges_are_asked_about_without_a_label_too():
    frame = pd.DataFrame({"size": cut(150), "length": LENGTHS, "mass": STEPS / LENGTHS})
    data = prepare(Table("t", frame, ()), NO_LABEL)
    assert [one.id for one in data.questions if one.id.startswith("use:")] == ["use:size"]


def test_ranges_of_a_number_that_tells_the_label_are_its_twins():
    points = np.where(np.arange(40) % 2, 10.0, 20.0) + np.arange(40) / 10
    data = with_copies({"points": points, "grade": np.where(points > 15, "good", "bad")})
    assert {"twin:points", "twin:grade"} <= {one.id for one in data.questions}


@pytest.mark.parametrize(
    "columns",
    [
        {"size": np.r_[1 - cut(150)[:1], cut(150)[1:]], "length": LENGTHS},
        {"size": cut(LENGTHS.max()), "length": LENGTHS},
        {"usual": np.where(cut(145, 155) == 1, "yes", "no"), "length": LENGTHS},
        {"phase": np.repeat(np.array(["early", "late"], object), 20), "clock": np.arange(40) / 8},
        {"size": cut(150), "length": np.where(STEPS > 1, LENGTHS, np.nan)},
        {"first": (STEPS == 1) * 1.0, "arm": STEPS * 1.0},
    ],
    ids=["a row differs", "one row", "within", "along the file", "of gaps", "of codes"],
)
def test_what_is_no_range_of_a_number_or_by_chance_is_a_feature(columns):
    data = with_copies(columns)
    assert {encoding.name for encoding in data.encodings} == {"mass", *columns}
    assert not any("says the same" in one.sentence for one in data.questions)


@pytest.mark.parametrize(
    "columns",
    [
        {"sex": SEXES, "gender": np.r_[SEXES[1:], SEXES[:1]]},
        {"smokes": SEXES[:9], "drinks": np.where(SEXES == "F", "yes", "no")[:9]},
        {name: np.array(["no"] * 39 + ["yes"], dtype=object) for name in ("fever", "rash")},
        {"step": STEPS * 1.0, "speed": STEPS**2.0},
        {"mm": LENGTHS, "inches": (LENGTHS / 25.4).round(1)},
        {"first": LENGTHS, "next": np.r_[LENGTHS[:39], 120.0]},
        {"one": np.r_[[np.nan] * 9, LENGTHS[9:]], "two": np.r_[LENGTHS[:30], [np.nan] * 10]},
        {name: np.r_[3.0, np.zeros(39)] for name in ("seen", "heard")},
        {"old": np.where(STEPS > 1, SEXES, None), "new": np.where(STEPS < 3, SEXES, None)},
        {f"gene {at}": LENGTHS * (1 + at) for at in range(300)},
    ],
    ids=[
        "few rows differ", "few rows", "a word of one row", "on no line", "rounded",
        "a number differs", "both have gaps", "a number of one row", "words with gaps", "wide",
    ],
)  # fmt: skip
def test_what_is_alike_by_chance_or_nearly_says_two_things(columns):
    data = with_copies(columns)
    assert {encoding.name for encoding in data.encodings} == {"mass", *columns}
    assert not any("says the same" in one.sentence for one in data.questions)


def of_survey(sender, names=("QID1", "QID2", "QID3", "sender")):
    lines = ["Q1,Q2,Q3,sender", "How often?,How well?,Where?,sender"]
    lines.append(",".join(f'"{{""ImportId"":""{name}""}}"' for name in names))
    cells = zip(RNG.integers(1, 6, 60), RNG.integers(1, 6, 60), sender, strict=True)
    lines += [f"{a},{b},{at * at % 3},{text}" for at, (a, b, text) in enumerate(cells)]
    return "\n".join(lines)


def test_how_long_answers_took_is_not_asked_where_the_program_of_the_survey_says_it():
    text = of_survey(["AB"] * 60).replace("sender", "Duration (in seconds)")
    text = text.replace(",AB", ",70") + "\n1,2,1,90"
    data = read_and_prepared(text, {"label": "Q3"})
    assert set(data.feature_names) == {"Q1", "Q2"}
    assert not any(one.id.startswith("use:Duration") for one in data.questions)


@pytest.mark.parametrize("n_senders", [2, 8])
def test_what_a_survey_recorded_beside_its_answers_is_asked_about_and_no_feature(n_senders):
    text = of_survey([f"{'ABCDEFGH'[at % n_senders]}B" for at in RNG.permutation(60)])
    data = read_and_prepared(text, {"label": "Q3"})
    assert set(data.feature_names) == {"Q1", "Q2"}
    [asked] = [one for one in data.questions if one.id == "use:sender"]
    assert asked.default == "info"
    assert asked.sentence == (
        "Is sender measured, too? It says what was recorded beside answers or measurements."
    )
    told = read_and_prepared(text, {"label": "Q3", "use:sender": "feature"})
    assert {encoding.name for encoding in told.encodings} == {"Q1", "Q2", "sender"}
    guessed = read_and_prepared(text, {})
    [of_label] = [one for one in guessed.questions if one.id == "label"]
    assert "sender" in [choice.value for choice in of_label.choices]
    assert (guessed.label == "sender") == (n_senders == 2)  # a treatment, say
    assert read_and_prepared(text, {"label": "sender"}).label == "sender"


MODES = np.r_[np.resize(np.array(["bus", "car", "walk"], dtype=object), 75), np.arange(25)]
MODES[75:] = [f"by {word}" for word in MODES[75:]]


def test_one_choice_beside_which_some_wrote_words_of_their_own_is_asked_about():
    columns = {"mode": RNG.permutation(np.r_[MODES[:75], MODES]), "age": RNG.normal(size=175)}
    data = with_copies(columns)
    assert set(data.feature_names) == {"mass", "age"}
    [asked] = [one for one in data.questions if one.id.startswith("use:")]
    assert (asked.id, asked.default) == ("use:mode", "info")
    assert asked.sentence == (
        "Is mode measured, too? It has one of a few answers in most rows, words of their own in "
        "others."
    )
    assert with_copies({"mode": columns["mode"]}).feature_names == ("mass",)
    for answer, more in (("feature", {"mode"}), ("info", set())):
        told = with_copies(columns, {"use:mode": answer})
        assert {encoding.name for encoding in told.encodings} == {"mass", "age", *more}
        [again] = [one for one in told.questions if one.id.startswith("use:")]
        assert (again.sentence, again.answer) == (asked.sentence, answer)


def test_answers_that_some_wrote_themselves_are_no_subjects_whatever_rows_of_them_resemble():
    stream = np.random.default_rng(7)
    frame = pd.DataFrame({"age": stream.normal(size=690), "mode": stream.choice(MODES[:3], 690)})
    frame["mass"] = stream.normal(size=690) + (frame["mode"] == "bus")
    own = stream.choice(690, 40, replace=False)
    frame.loc[own, "mode"] = [f"by {at}" for at in own]
    frame["town"] = [f"town {'abcdefghijklmnopqrstuvwxyzäöüß'[at % 30]}" for at in range(690)]
    asked = {one.id for one in prepare(Table("t", frame, ()), "town").questions}
    assert "use:mode" in asked
    assert "subjects:mode" not in asked


@pytest.mark.parametrize(
    "cells",
    [MODES, np.repeat(MODES[-28:], 5), np.r_[MODES, MODES, MODES[:75], MODES[:75]]],
    ids=["many of their own", "common ones alone", "none of one row"],
)
def test_many_other_words_are_information_and_not_asked_about(cells):
    data = with_copies({"town": RNG.permutation(cells), "age": RNG.normal(size=len(cells))})
    assert set(data.feature_names) == {"mass", "age"}
    assert not any(one.id.startswith("use:") for one in data.questions)


FLAGS = np.array(["(0) Data Not Imputed", "(1) Data Imputed"], dtype=object)
BESIDE = [
    ("Durationinseconds", STEPS * 60.0, "what was recorded beside answers or measurements"),
    ("Duration (in seconds)", STEPS * 60.0, "what was recorded beside answers or measurements"),
    ("Duration..in.seconds.", STEPS * 60.0, "what was recorded beside answers or measurements"),
    ("T_BEDSF", FLAGS[STEPS % 2], "which cells of other columns were imputed"),
]


@pytest.mark.parametrize(("name", "cells", "what"), BESIDE)
def test_how_long_answers_took_and_what_was_imputed_is_asked_about_and_no_feature(
    name, cells, what
):
    columns = {"beds": LENGTHS, name: cells}
    data = with_copies(columns)
    assert set(data.feature_names) == {"mass", "beds"}
    [asked] = [one for one in data.questions if one.id.startswith("use:")]
    assert (asked.id, asked.default) == (f"use:{name}", "info")
    assert asked.sentence == f"Is {name} measured, too? It says {what}."
    told = with_copies(columns, {asked.id: "feature"})
    assert {encoding.name for encoding in told.encodings} == {"mass", "beds", name}


@pytest.mark.parametrize("answer", ["info", "feature"])
def test_the_question_how_long_answers_took_stays_once_it_is_answered(answer):
    name = "Duration (in seconds)"
    columns = {"beds": LENGTHS, name: STEPS * 60.0}
    [asked] = [one for one in with_copies(columns).questions if one.id == f"use:{name}"]
    told = with_copies(columns, {asked.id: answer})
    [still] = [one for one in told.questions if one.id == asked.id]
    assert (still.sentence, still.answer) == (asked.sentence, answer)


def test_what_was_imputed_is_no_label():
    columns = {"mass": LENGTHS, "ward": SEXES, "T_BEDSF": FLAGS[STEPS % 2]}
    assert prepare(Table("t", pd.DataFrame(columns), ())).label == "ward"


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("Duration", STEPS * 60.0),
        ("duration_in_seconds", STEPS * 60.0),
        ("value", np.array(["imputed", "measured"], dtype=object)[STEPS % 2]),
        ("beds", np.array(["not imputed", "imputed", "imputed twice"], dtype=object)[STEPS % 3]),
    ],
)
def test_other_durations_and_ways_to_measure_are_features(name, cells):
    assert name in {encoding.name for encoding in with_copies({name: cells}).encodings}


@pytest.mark.parametrize("names", [("QID1", "QID2", "QID3", "1_QID4_TEXT"), ("a", "b", "c", "d")])
def test_what_a_survey_asked_or_all_that_it_recorded_is_a_feature(names):
    text = of_survey([f"{'ABCDEFGH'[at % 8]}B" for at in RNG.permutation(60)], names)
    data = read_and_prepared(text, {"label": "Q3"})
    assert {encoding.name for encoding in data.encodings} == {"Q1", "Q2", "sender"}


def test_what_the_file_says_of_a_column_is_not_said_to_be_chosen():
    text = of_survey(["x"] * 60).replace("Q3", "Status").replace("QID3", "status")
    data = read_and_prepared(text, {"label": "Q1"})
    told = read_and_prepared(text, {"label": "Q1", "use:Status": "info"})
    reasons = [{one.name: one.reason for one in each.columns} for each in (data, told)]
    assert [each["Status"] for each in reasons] == ["as the file says", "as you chose"]


@pytest.mark.parametrize("answer", ["", "feature", "info"])
def test_boxes_that_were_ticked_or_not_are_features_unless_somebody_says_otherwise(answer):
    """Also what a survey showed to some is written so."""
    eaten = {"fish": np.where(RNG.random(90) < 0.5, 1, np.nan), "nuts": np.resize([1, np.nan], 90)}
    data = with_numbers({"use:fish": answer} if answer else {}, **eaten)
    (question,) = [one for one in data.questions if one.id == "use:fish"]
    assert "Are fish and nuts measured" in question.sentence
    assert question.answer == answer
    ticked = {"fish = missing", "nuts = missing"}
    assert ticked.isdisjoint(data.feature_names) == (answer == "info")


@pytest.mark.parametrize("answer", ["", "feature", "info"])
def test_numbers_that_most_rows_lack_are_features_unless_somebody_says_otherwise(answer):
    few = [np.where(RNG.random(90) < share, RNG.normal(size=90), np.nan) for share in (0.2, 0.4)]
    some = np.where(RNG.random(90) < 0.7, RNG.normal(size=90), np.nan)
    columns = {"elevation": few[0], "mass": some, "pond": few[1]}
    data = with_numbers({"use:elevation": answer} if answer else {}, **columns)
    (question,) = [one for one in data.questions if one.id.startswith("use:")]
    assert "Are elevation and pond measured features" in question.sentence
    assert (question.id, question.answer) == ("use:elevation", answer)
    assert {"elevation", "pond"}.isdisjoint(data.feature_names) == (answer == "info")
    assert "mass" in data.feature_names


@pytest.mark.parametrize("answer", ["", "feature", "info"])
@pytest.mark.parametrize("n_gaps", [0, 25])
def test_the_weights_of_the_waves_of_a_survey_are_asked_about_once(answer, n_gaps):
    drawn = np.exp(RNG.normal(0, 1, (4, 90)))
    weights = drawn / drawn.mean(axis=1, keepdims=True)
    weights[1, :n_gaps] = np.nan
    names = ("W1_WEIGHT1", "W2_WEIGHT1", "finalweight", "liver weight")
    columns = dict(zip(names, weights * [[1], [1], [1.2], [1.01]], strict=True))
    data = with_numbers({"use:W1_WEIGHT1": answer} if answer else {}, **columns)
    (question,) = [one for one in data.questions if one.id.startswith("use:")]
    assert "Do W1_WEIGHT1, W2_WEIGHT1, finalweight weigh the rows?" in question.sentence
    assert {*names[:3]}.isdisjoint(data.feature_names) == (answer == "info")
    assert "liver weight" in data.feature_names


@pytest.mark.parametrize("n_rows", [30, 150])
@pytest.mark.parametrize("n_equal", [0, 10])
def test_numbers_without_a_name_that_nearly_all_differ_are_asked_about(n_rows, n_equal):
    ids = 3 * RNG.permutation(n_rows) + 100
    ids[:n_equal] = ids[0]
    rows = [
        f"{x:.3f},{number},{at % 5},{y:.2f},{'ab'[at % 2]}"
        for at, ((x, y), number) in enumerate(zip(RNG.normal(size=(n_rows, 2)), ids, strict=True))
    ]
    data = prepare(read_table("\n".join(rows).encode(), "t.data"))
    asked = {one.id: one for one in data.questions}
    assert ("use:column 2" in asked) == (n_rows == 150)
    assert "use:column 1" not in asked


@pytest.mark.parametrize(("study", "is_trial"), [("STUDYID", True), ("BOOK", False)])
def test_sites_visits_and_running_numbers_of_trials_are_recorded_beside(study, is_trial):
    rng = np.random.default_rng(0)
    sites, numbers = rng.integers(701, 719, 90), rng.integers(1, 9, 90)
    rows = [
        f"P1,S{at // 3},{site},{number},{x:.3f},{y:.3f},{'ab'[at % 2]}"
        for at, (site, number, (x, y)) in enumerate(
            zip(sites, numbers, rng.normal(size=(90, 2)), strict=True)
        )
    ]
    header = f"{study},USUBJID,SITEID,LBSEQ,ALT,AST,ARM"
    data = prepare(read_table("\n".join([header, *rows]).encode(), "lb.csv"))
    asked = {question.id for question in data.questions}
    assert ("LBSEQ" not in data.feature_names) == is_trial
    assert ("use:LBSEQ" in asked) or not is_trial
    (label,) = [one for one in data.questions if one.id == "label"] or [None]
    assert not is_trial or label is None or "LBSEQ" not in {one.value for one in label.choices}
