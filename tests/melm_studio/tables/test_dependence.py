from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from melm_core.folds import serial_dependence
from melm_studio.tables import LabeledData, Table, TableError, prepare
from melm_studio.tables.dependence import runs_z
from tests.melm_studio.tables.table_examples import table

SUBJECT = np.repeat(np.arange(12), 5)
LABEL = np.where(SUBJECT % 2, "a", "b")
A, B = np.random.default_rng(0).normal(size=(2, 60))


def of_subjects(**changes):
    columns = {"subject": SUBJECT.astype(float), "a": A, "b": B, "label": LABEL}
    return table(**{**columns, **changes})


def test_rows_of_a_group_are_held_out_together():
    data = prepare(of_subjects(), "label", roles={"subject": "group"})
    assert data.feature_names == ("a", "b")
    train, held_out = data.split(0.3, random_state=0)
    assert not set(train.groups) & set(held_out.groups)
    np.testing.assert_array_equal(np.bincount(held_out.y), [10, 10])
    assert "Group: subject, 12 groups." in " ".join(data.steps)


def test_groups_are_stored_with_the_data():
    data = prepare(of_subjects(), "label", roles={"subject": "group"})
    again = LabeledData.from_bytes(data.to_bytes())
    np.testing.assert_array_equal(again.groups, data.groups)
    assert again.content_hash == data.content_hash


def test_data_without_groups_are_stored_without():
    data = prepare(of_subjects(), "label", roles={"subject": "ignored"})
    assert data.groups is None
    assert LabeledData.from_bytes(data.to_bytes()).groups is None


def test_a_row_without_a_group_is_a_group_of_its_own():
    gaps = np.where(np.arange(60) < 2, np.nan, SUBJECT)
    data = prepare(of_subjects(subject=gaps), "label", roles={"subject": "group"})
    np.testing.assert_array_equal(np.sort(np.bincount(data.groups)), [1, 1, 3, *[5] * 11])


def test_only_one_column_is_the_group():
    with pytest.raises(TableError, match="subject, a cannot all be the group"):
        prepare(of_subjects(), "label", roles={"subject": "group", "a": "group"})


@pytest.mark.parametrize(
    ("changes", "warning"),
    [
        ({"a": A % 1 > 0.5, "b": np.arange(60) % 3.0}, "rows repeat an earlier row"),
        ({}, "Labels come in 12 runs along the file"),
    ],
    ids=["duplicates", "runs"],
)
def test_rows_that_may_depend_on_each_other_are_noted(changes, warning):
    cells = {name: np.asarray(cell, dtype=float) for name, cell in changes.items()}
    cells["subject"] = np.ones(60)
    assert warning in " ".join(prepare(of_subjects(**cells), "label").steps)


def test_independent_rows_are_not_noted():
    rng = np.random.default_rng(1)
    data = prepare(table(a=A, b=B, label=rng.permutation(LABEL)), "label")
    assert not any(word in " ".join(data.steps) for word in ("repeat", "runs"))


def test_the_runs_of_random_labels_are_standardized():
    rng = np.random.default_rng(0)
    scores = [runs_z(rng.permutation(np.repeat([0, 1, 2], [20, 30, 50]))) for _ in range(400)]
    assert np.mean(scores) == pytest.approx(0.0, abs=0.15)
    assert np.std(scores) == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("gaps", [0, 3, 30])
@pytest.mark.parametrize(
    ("name", "is_asked"), [("SID", True), ("battery_id", True), ("battery level", False)]
)
def test_keys_of_several_rows_are_asked_about_whatever_their_labels(name, is_asked, gaps):
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(96)[: 96 - gaps])
    key = np.repeat(np.arange(1.0, 25), 4)[rows]
    a, b = rng.normal(size=(2, 24))[:, key.astype(int) - 1]
    columns = {name: key, "a": a, "b": b, "label": rng.permutation([*"xy"] * 48)[rows]}
    asked = {question.id for question in prepare(table(**columns), "label").questions}
    assert (f"subjects:{name}" in asked) == is_asked


def test_of_two_keys_that_put_nearly_the_same_rows_together_one_is_asked_about():
    ids = np.repeat(np.arange(101.0, 141.0), 3)
    names = [f"Brewery {min(number, 138.0):.0f}" for number in ids]  # two have one name
    label = np.random.default_rng(0).permutation([*"xy"] * 60)
    assert asked_of(brewery_id=ids, brewery_name=names, label=label) == {"brewery_id"}
    others = np.random.default_rng(1).permutation(ids)
    assert asked_of(brewery_id=ids, beer_id=others, label=label) == {"brewery_id", "beer_id"}


@pytest.mark.parametrize(("n_single", "is_asked"), [(0, True), (6, True), (24, False)])
def test_pairs_of_which_some_lack_one_are_asked_about(n_single, is_asked):
    rows = np.arange(80 - n_single)
    names = [f"{'abcdefghij'[at % 10]}{'klmn'[at % 40 // 10]} genus" for at in rows]
    asked = asked_of(Binomial=names, label=np.where(rows < 40, "F", "M"))
    assert asked == ({"Binomial"} if is_asked else set())


@pytest.mark.parametrize(("n_places", "is_asked"), [(8, True), (2, False)])
def test_places_that_have_rows_of_one_class_each_are_asked_about(n_places, is_asked):
    place = np.repeat(np.arange(n_places), 240 // n_places)
    names = np.array([f"{'abcdefgh'[at]}-land" for at in place], dtype=object)
    shift = np.random.default_rng(1).normal(size=n_places)[place]
    a, b = np.random.default_rng(0).normal(size=(2, 240)) + 3 * shift
    columns = {"site": names, "a": a, "b": b, "label": np.where(place % 2, "x", "y")}
    asked = {question.id for question in prepare(table(**columns), "label").questions}
    assert ("subjects:site" in asked) == is_asked


@pytest.mark.parametrize("n_each", [5, 30])
def test_many_things_of_one_class_each_are_asked_about_whatever_their_name(n_each):
    thing = np.repeat(np.arange(40), n_each)
    names = np.array([f"{'abcdefgh'[at % 8]}{'klmno'[at // 8]}us" for at in thing], dtype=object)
    columns = {"taxon": names, "label": np.where(thing % 2, "x", "y")}
    shift = np.random.default_rng(1).normal(size=(2, 40))[:, thing]
    noise = np.random.default_rng(2).normal(size=(2, len(thing)))
    for of_things, is_asked in ((3 * shift, True), (0 * shift, False)):
        a, b = noise + of_things
        asked = {one.id for one in prepare(table(**columns, a=a, b=b), "label").questions}
        assert ("subjects:taxon" in asked) == is_asked


@pytest.mark.parametrize(
    ("name", "is_group"),
    [
        ("subject", True),
        ("subject no", True),
        ("Subject ID", True),
        ("tested animal", True),
        ("Subject's weight (kg)", False),
        ("patient age", False),
        ("participant_sharing", False),
    ],
)
def test_a_measure_of_subjects_is_no_group(name, is_group):
    data = prepare(of_subjects(**{"subject": B, name: SUBJECT + 61.0}))
    [column] = [column for column in data.columns if column.name == name]
    assert (column.role.value == "group") == is_group


def test_a_copy_of_where_rows_are_is_no_feature_either():
    site = np.random.default_rng(0).choice(np.array(["Belen", "Delicias", "Malpica"], object), 120)
    other = np.array([f"{name} (Spain)" for name in site], dtype=object)
    a, b = np.random.default_rng(1).normal(size=(2, 120))
    columns = {"excavation": other, "site": site, "a": a, "b": b, "label": ["x", "y"] * 60}
    assert set(prepare(table(**columns), "label").feature_names) == {"a", "b"}


def test_a_class_of_one_group_is_no_reason_to_refuse_a_table():
    columns = {"core": np.repeat(np.arange(20.0), 6), "label": np.repeat([*"xyz"], [60, 54, 6])}
    columns["a"], columns["b"] = np.random.default_rng(0).normal(size=(2, 120))
    assert len(prepare(table(**columns), "label", roles={"core": "group"}).class_names) == 3


def test_a_number_that_equals_a_key_in_each_row_is_no_feature_either():
    ids = np.repeat(np.arange(101.0, 141.0), 3)
    columns = {"brewery_id": ids, "id of the other table (brewery)": ids, "bitterness": ids + 0.5}
    columns["a"], columns["b"] = np.random.default_rng(0).normal(size=(2, 120))
    data = prepare(table(**columns, label=["x", "y"] * 60), "label")
    assert set(data.feature_names) == {"bitterness", "a", "b"}


def asked_of(**columns) -> set[str]:
    """The columns of which it is asked whether rows with the same value belong together."""
    n_rows = len(next(iter(columns.values())))
    noise = np.random.default_rng(3).normal(size=(2, n_rows))
    questions = prepare(table(**columns, a=noise[0], b=noise[1])).questions
    ids = (question.id.partition(":") for question in questions)
    return {name for kind, _, name in ids if kind == "subjects"}


@pytest.mark.parametrize("n_each", [3, 30])
def test_an_identifier_of_several_rows_each_is_asked_about_however_many_there_are(n_each):
    ids = np.repeat(np.arange(101.0, 141.0), n_each)
    assert asked_of(sub_id=ids, label=np.where(ids % 2, "x", "y")) == {"sub_id"}


@pytest.mark.parametrize(
    ("codes", "n_others", "is_asked"),
    [
        ("25{:02d}-{:05d}", 0, True),
        ("N{:02d}/{:03d}", 1, True),
        ("25{:02d}-{:05d}", 12, False),
        ("2017-01-{:02d} 00:{:02d}", 0, False),
    ],
)
def test_codes_that_some_rows_of_one_class_share_are_asked_about(codes, n_others, is_asked):
    things = np.r_[np.arange(100), np.arange(24)]
    labels = np.array(["x", "y"])[things % 2]
    labels[100 : 100 + n_others] = np.array(["y", "x"])[things[100 : 100 + n_others] % 2]
    band = [codes.format(1 + thing % 28, thing % 60) for thing in things]
    assert asked_of(band=band, label=labels) == ({"band"} if is_asked else set())


@pytest.mark.parametrize("is_text", [True, False])
@pytest.mark.parametrize(("n_again", "is_asked"), [(3, False), (5, False), (24, True)])
def test_few_identifiers_that_recur_are_not_worth_a_question(is_text, n_again, is_asked):
    things = np.r_[np.arange(100), np.arange(n_again)]
    ids = [f"U{thing:03d}" for thing in things] if is_text else things * 7.0 + 20_001
    asked = asked_of(UID=ids, label=np.where(things % 2, "x", "y"))
    assert asked == ({"UID"} if is_asked else set())


@pytest.mark.parametrize("is_text", [True, False])
def test_what_stands_for_no_identifier_is_no_thing_of_many_rows(is_text):
    ids = np.r_[np.arange(1001.0, 1061.0), np.zeros(50)]
    labels = np.where((ids % 2 == 0) | (ids == 1001), "x", "y")
    names = np.array([f"p{number:.0f}" for number in ids], dtype=object)
    assert asked_of(sample_id=names if is_text else ids, label=labels) == set()


def test_columns_that_put_the_same_rows_together_are_asked_about_once():
    ids = np.r_[np.arange(1001.0, 1061.0), np.arange(1001.0, 1021.0)]
    labels = np.where(ids % 2, "x", "y")
    columns = {"sample_id": ids, "run_sample": [f"S{7 * number:.0f}" for number in ids]}
    assert asked_of(**columns, label=labels) == {"sample_id"}
    answers = {"subjects:sample_id": "independent"}
    columns |= {"a": np.arange(80.0) % 7, "b": np.arange(80.0) % 11, "label": labels}
    questions = prepare(table(**columns), "label", answers=answers).questions
    assert "subjects:run_sample" not in {question.id for question in questions}
    others = {**columns, "run_sample": np.roll(np.array(columns["run_sample"], object), 30)}
    assert "subjects:run_sample" in {
        question.id for question in prepare(table(**others), "label", answers=answers).questions
    }


def test_free_answers_of_a_few_rows_are_no_subjects():
    answers = [f"we use {chr(97 + row // 26)}{chr(97 + row % 26)}" for row in range(60)]
    answers[40:] = answers[:20]
    a, b = np.random.default_rng(0).normal(size=(2, 150))
    labels = np.random.default_rng(0).permutation(["x", "y"] * 75)
    for cells in (a, b, labels):  # who answers alike is alike
        cells[40:60] = cells[:20]
    rows = table(other=[*answers, *[None] * 90], a=a, b=b, label=labels)
    assert not {"subjects:other"} & {one.id for one in prepare(rows, "label").questions}


def test_dates_of_visits_leave_open_who_came():
    ids = np.r_[np.arange(1001.0, 1061.0), np.arange(1001.0, 1021.0)]
    days = [str(day)[:10] for day in np.datetime64("2020-01-01") + 3 * np.arange(80)]
    labels = np.where(ids % 2, "x", "y")
    assert asked_of(patient_id=ids, VisitDate=days, label=labels) == {"patient_id"}
    assert asked_of(patient_id=np.arange(80.0), VisitDate=days, label=labels) == set()


@pytest.mark.parametrize(("name", "is_asked"), [("plot", True), ("soil", False)])
def test_dates_of_visits_leave_open_where_each_class_has_places_of_its_own(name, is_asked):
    farms, visits = np.array([f"{letter} farm" for letter in "abcdefghijkl"]), np.arange(60) % 4
    days = [str(day)[:10] for day in np.datetime64("2020-01-01") + 30 * visits]
    labels = np.where(np.repeat(np.arange(12), 5) % 2, "x", "y")
    asked = asked_of(**{name: np.repeat(farms, 5)}, SurveyDate=days, label=labels)
    assert asked == ({name} if is_asked else set())
    crossed = np.tile(farms, 5)
    assert asked_of(plot=crossed, SurveyDate=days, label=labels) == set()


def tanks(code: str, n_of_each: int, *, has_dates: bool) -> Table:
    """Twelve tanks of three treatments, of which the measurements tell nothing."""
    tank, visit = np.divmod(np.arange(12 * n_of_each), n_of_each)
    a, b = np.random.default_rng(5).normal(size=(2, len(tank)))
    names = [code.format("abc"[place % 3], "ijklmnopqrst"[place], place) for place in tank]
    dates = {"date": [f"2020-01-{1 + day // 2:02}" for day in visit]} if has_dates else {}
    label = np.array(["x", "y", "z"])[tank % 3]
    return table(vessel=names, a=a, b=b, **dates, label=label)


@pytest.mark.parametrize(
    ("code", "n_of_each", "has_dates", "is_asked"),
    [
        ("{0}-{2}", 6, False, True),
        ("{0}-{2}", 30, False, True),
        ("{0}-{2}", 6, True, True),
        ("{0}-{2}", 3, False, False),
        ("{1} soil", 6, False, False),
        ("{0}1", 6, False, False),
    ],
)
def test_codes_of_many_rows_within_a_class_may_keep_these_together(
    code, n_of_each, has_dates, is_asked
):
    given = tanks(code, n_of_each, has_dates=has_dates)
    data = prepare(given, "label")
    asked = {one.id: one for one in data.questions}
    assert "twin:vessel" in asked
    assert "vessel" not in " ".join(data.feature_names)
    assert ("subjects:vessel" in asked) == is_asked
    if is_asked:
        question = asked["subjects:vessel"]
        assert "has 12 values" in question.sentence
        assert "each of one class" in question.sentence
        assert question.default == "each-way"
        together = prepare(given, "label", answers={question.id: "together"})
        np.testing.assert_array_equal(np.bincount(together.groups), [n_of_each] * 12)


@pytest.mark.parametrize(
    ("name", "n_values", "is_asked"),
    [("Continent", 8, False), ("basin", 6, False), ("estate", 12, True), ("plot", 8, True)],
)
def test_few_names_of_no_things_are_a_property(name, n_values, is_asked):
    names = [f"{'ABCDEFGHIJKL'[at]}land" for at in np.repeat(np.arange(n_values), 6)]
    a, b = np.random.default_rng(0).normal(size=(2, n_values)).repeat(6, axis=1)
    label = np.where(np.repeat(np.arange(n_values), 6) % 2, "x", "y")
    columns = {name: names, "a": a + np.arange(len(a)) % 3 / 9, "b": b, "label": label}
    ids = {question.id for question in prepare(table(**columns), "label").questions}
    assert (f"subjects:{name}" in ids) == is_asked


NOISE = np.random.default_rng(4).normal(size=(2, 180))
STAND = np.random.default_rng(3).permutation(np.repeat(np.arange(30), 6))


def stands(rows=None, **changes):
    """Rows of thirty stands, which resemble each other there, under treatments that cross these."""
    rng = np.random.default_rng(2)
    columns = {
        "Stand": np.array([f"{'ABCDE'[at % 5]}-{'pqrstu'[at // 5]}" for at in STAND], dtype=object),
        "a": rng.normal(size=30)[STAND] + rng.normal(size=180) / 4,
        "b": rng.normal(size=30)[STAND] + rng.normal(size=180) / 4,
        "treatment": np.where(rng.random(180) < 0.5, "N", "P"),
    }
    frame = pd.DataFrame({**columns, **changes})
    return Table("stands", frame if rows is None else frame.iloc[rows].reset_index(drop=True), ())


def suspected(found, **answers):
    return {one.id for one in prepare(found, "treatment", answers=answers).suspicions}


@pytest.mark.parametrize(
    ("changes", "is_asked"),
    [
        ({}, True),
        (
            {name: np.random.default_rng(seed).normal(size=180) for seed, name in enumerate("ab")},
            False,
        ),
        ({"Stand": np.array([*"pqrst"], dtype=object)[STAND % 5]}, False),
    ],
    ids=["alike", "no more alike than others", "few"],
)
def test_places_that_treatments_cross_are_asked_about_where_their_rows_are_alike(changes, is_asked):
    assert suspected(stands(**changes)) == ({"subjects:Stand"} if is_asked else set())


def test_days_that_rows_share_are_no_things():
    days = (np.datetime64("2024-05-01") + STAND**2 // 40).astype(str).astype(object)
    assert suspected(stands(Stand=days)) == set()
    parts = {"FieldYear": 1980.0 + STAND**2 // 40, "FieldMonth": 1.0 + STAND % 5}
    assert suspected(stands(Stand=np.arange(180.0), **parts)) == set()


@pytest.mark.parametrize(
    ("name", "is_asked"), [("stand", True), ("Duration (in seconds)", False), ("total", False)]
)
def test_how_long_or_how_much_several_rows_share_is_no_thing(name, is_asked):
    columns = stands(**{name: 40.0 + STAND}).frame.drop(columns="Stand")
    data = prepare(Table("t", columns, ()), "treatment", roles={name: "info"})
    assert {one.id for one in data.suspicions} == ({f"subjects:{name}"} if is_asked else set())


def test_what_says_the_same_as_a_feature_is_no_thing():
    kinds = STAND % 15
    words = {
        name: np.array([f"{start}{'abcdefghijklmno'[kind]}" for kind in kinds], dtype=object)
        for name, start in (("param", "x"), ("name", "z"))
    }
    numbers = {name: NOISE[at, :15][kinds] for at, name in enumerate("ab")}
    data = prepare(stands(Stand=np.arange(180.0), **words, **numbers), "treatment")
    assert "it says the same as param" in {column.reason for column in data.columns}
    assert data.suspicions == ()


@pytest.mark.parametrize(("name", "is_asked"), [("animal tag", True), ("animal weight", False)])
def test_a_measure_of_animals_tells_none_apart(name, is_asked):
    columns = {name: STAND + 50.0, "Stand": np.arange(180.0)}
    nested = stands(**columns, treatment=np.where(STAND % 4 < 2, "N", "P"))
    assert suspected(nested) == ({f"subjects:{name}"} if is_asked else set())


@pytest.mark.parametrize(("shift", "asked"), [(0.0, {"neighbors"}), (6.0, set())])
def test_neighbors_are_asked_about_where_the_classes_cannot_be_told_without_them(shift, asked):
    y, X = np.repeat([0, 1], 100), np.random.default_rng(0).normal(size=(200, 3))
    for row in range(1, 200):
        X[row] = 0.7 * X[row - 1] + np.sqrt(0.51) * X[row]
    X += shift * y[:, np.newaxis]
    assert serial_dependence(X, y) <= 0.005
    frame = pd.DataFrame(X, columns=["p", "q", "r"]).assign(kind=np.array(["a", "b"])[y])
    assert {one.id for one in prepare(Table("t", frame, ()), "kind").suspicions} == asked


def test_neighbors_that_are_of_one_subject_are_asked_about_once():
    nested = stands(np.argsort(STAND), treatment=np.where(STAND % 4 < 2, "N", "P"))
    assert suspected(nested) == {"subjects:Stand"}
    assert suspected(nested, **{"subjects:Stand": "independent"}) == {"neighbors"}


@pytest.mark.parametrize("is_text", [True, False])
@pytest.mark.parametrize(("n_cut", "is_asked"), [(9, True), (8, False)])
def test_the_parts_in_which_rows_are_numbered_are_asked_about(is_text, n_cut, is_asked):
    lengths = (12, 31, 9, 20, 33, 15, 11, 18, 14)
    fish = np.concatenate([np.arange(1.0, n + 1) for n in lengths])
    lakes = np.repeat(np.arange(9) % n_cut, lengths)
    names = [f"lake {'abcdefghi'[lake]}" for lake in lakes] if is_text else lakes + 40.0
    sexes = np.random.default_rng(1).permutation(np.resize(["f", "m"], len(fish)))
    assert asked_of(reach=names, fish=fish, label=sexes) == ({"reach"} if is_asked else set())
