"""Subjects under several labels: what is asked, and what an answer makes of the table."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from melm_core.base import UserError
from melm_core.methods import SavedPlane
from melm_core.recipe import Fill, MissingValues, Recipe, Step, StepKind
from melm_studio.rows.new_rows import match_rows
from melm_studio.tables import LabeledData, Table, prepare
from tests.melm_studio.publication.test_program import components_for, computed, program, run

N = 12
SUBJECT = np.repeat(np.arange(N), 2)
PATIENT = np.array([f"P{one}" for one in SUBJECT], dtype=object)
WHEN = np.array(["before", "after"] * N, dtype=object)
WITHIN = {"subjects:patient": "within"}
LOG = Recipe(steps=(Step(StepKind.LOG),))


def pairs(**changes):
    rng = np.random.default_rng(0)
    X = np.exp(2.0 * rng.normal(size=(N, 3))[SUBJECT] + 0.2 * rng.normal(size=(2 * N, 3)))
    columns = {"patient": PATIENT, "a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "when": WHEN}
    frame = pd.DataFrame({**columns, "age": 30.0 + SUBJECT, **changes})
    return Table("pairs", frame, ())


def only(found: Table, rows) -> Table:
    return Table(found.name, found.frame.iloc[rows].reset_index(drop=True), ())


def within(found: Table, **options) -> LabeledData:
    return prepare(found, "when", answers=WITHIN, **options)


def test_patients_under_both_labels_are_asked_about_and_kept_together_meanwhile():
    data = prepare(pairs(), "when")
    question = data.questions[0]
    assert question.short == (
        "Each patient appears under both labels. Compare within each patient?"
    )
    assert [one.value for one in question.choices] == ["within", "together"]
    assert question.default == "together"
    assert data.within is None
    assert not data.open_questions
    assert len(set(data.groups)) == N
    assert "age" in data.feature_names


def test_a_balanced_code_that_nothing_is_said_of_may_be_a_design():
    data = prepare(pairs(patient=np.arange(2 * N, dtype=float), plot=PATIENT), "when")
    asked = next(one for one in data.questions if one.id == "subjects:plot")
    assert asked.default == "each-way"
    assert [one.value for one in asked.choices] == ["within", "together", "independent"]


@pytest.mark.parametrize(
    "changes",
    [
        {"when": np.where(SUBJECT % 2, "ill", "well").astype(object)},
        {"patient": np.array([f"P{one}" for one in range(2 * N)], dtype=object)},
    ],
    ids=["a label of patients", "each patient once"],
)
def test_nothing_is_asked_without_a_design(changes):
    assert not [one for one in prepare(pairs(**changes), "when").questions if "within" in one.short]


def test_within_patients_each_row_is_less_its_patients_mean():
    data = within(pairs())
    assert data.within.column == data.compared_within == "patient"
    assert data.feature_names == ("a", "b", "c")
    assert "Kept as information: age." in data.steps
    np.testing.assert_allclose(data.unprepared[::2], -data.unprepared[1::2], atol=1e-9)
    again = LabeledData.from_bytes(data.to_bytes())
    assert (again.within, again.content_hash) == (data.within, data.content_hash)


def shared(data: LabeledData):
    return next((one for one in data.questions if one.id.startswith("shared:")), None)


def visits(**changes):
    """Each patient thrice, whom an age, a dose of 0.1 to 1.2 and a site are of."""
    rng, who = np.random.default_rng(1), np.repeat(np.arange(N), 3)
    frame = pd.DataFrame(
        {
            "patient": np.array([f"P{one}" for one in who], dtype=object),
            "a": rng.normal(size=3 * N),
            "b": rng.normal(size=3 * N),
            "age": 30.0 + who,
            "dose": 0.1 + who**2 / 10,
            "ward": np.array(["east", "west"], dtype=object)[who % 2],
            "group": np.array(["ill", "well"], dtype=object)[who // 2 % 2],
            **changes,
        }
    )
    return Table("visits", frame, ())


def test_features_that_all_rows_of_a_patient_share_are_asked_about_and_left_out_together():
    data = prepare(visits(), "group")
    asked = shared(data)
    assert asked.id == "shared:patient"
    assert asked.short == "Are age and dose measured of each row?"
    assert asked.sentence.endswith("They are the same in all rows of each patient.")
    assert (asked.default, "age" in data.feature_names) == ("measurement", True)
    answers = {"shared:patient": "left-out"}
    left = prepare(visits(), "group", answers=answers)
    assert left.feature_names == ("a", "b", "ward = west")
    assert (shared(left).short, shared(left).answer) == (asked.short, "left-out")
    kept = prepare(visits(), "group", answers=answers, roles={"dose": "feature"})
    assert kept.feature_names == ("a", "b", "dose", "ward = west")
    alone = prepare(visits(), "group", answers=answers | {"categories": "left-out"})
    assert alone.feature_names == ("a", "b")
    assert [one.short for one in alone.questions if one.answer] == [
        "Is ward measured of each row?",
        asked.short,
    ]


def test_a_few_exceptions_are_nearly_shared_but_not_where_hardly_any_row_differs():
    who = np.repeat(np.arange(60), 6)
    rng = np.random.default_rng(2)
    patients = np.array([f"P{one}" for one in who], dtype=object)
    frame = pd.DataFrame({"patient": patients, "a": rng.normal(size=360), "age": 30.0 + who % 40})
    frame["group"] = np.array(["ill", "well"], dtype=object)[rng.permutation(60)[who] % 2]
    frame["rare"] = (np.arange(360) % 120 == 1).astype(float)
    frame.loc[[5, 50], "age"] = 99.0
    asked = shared(prepare(Table("t", frame, ()), "group"))
    assert asked.sentence == (
        "Is age measured of each row? It is the same in nearly all rows of each patient."
    )
    frame.loc[np.arange(0, 360, 6), "age"] += 1.0
    assert shared(prepare(Table("t", frame, ()), "group")) is None


def test_exceptions_are_counted_without_a_cell_for_each_thing_and_value():
    n = 6_000
    rng = np.random.default_rng(3)
    patients = np.array([f"P{one}" for one in np.repeat(np.arange(n), 2)], dtype=object)
    frame = pd.DataFrame({"patient": patients, "a": rng.normal(size=2 * n)})
    frame["score"] = np.repeat(rng.normal(size=n), 2)
    frame["group"] = np.array(["ill", "well"], dtype=object)[np.repeat(rng.permutation(n) % 2, 2)]
    frame.loc[5, "score"] = 99.0
    tracemalloc.start()
    try:
        asked = shared(prepare(Table("t", frame, ()), "group"))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert asked.short == "Is score measured of each row?"
    assert most < 8 * n**2 / 4


def test_what_follows_in_stretches_within_things_is_not_nearly_the_same_in_each():
    state, town = np.repeat(np.arange(6), 200), np.repeat(np.arange(24), 50)
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"state": [f"S{one}" for one in state], "town": town * 7.0})
    frame["a"], frame["b"] = rng.normal(size=(2, 1200))
    frame["group"] = np.array(["ill", "well"], dtype=object)[rng.integers(0, 2, 1200)]
    told = prepare(Table("t", frame, ()), "group", roles={"state": "group"})
    assert shared(told).sentence == (
        "Is town measured of each row? It is mostly the same in rows that follow each other in the "
        "file."
    )


def test_once_what_a_thing_has_in_common_is_left_out_the_thing_is_still_asked_about():
    rng, who = np.random.default_rng(0), np.repeat(np.arange(60), 4)
    frame = pd.DataFrame({"formula": [f"A{one}B" for one in who], "x": rng.normal(size=240)})
    for at in range(6):
        frame[f"radius {at}"] = rng.integers(1, 30, 60)[who].astype(float)
    frame["made"] = np.array(["wet", "dry"], dtype=object)[rng.integers(0, 2, 60)[who]]
    told = prepare(Table("t", frame, ()), "made", answers={"shared:formula": "left-out"})
    assert told.feature_names == ("x",)
    assert [one.id for one in told.suspicions] == ["subjects:formula"]


def test_an_answer_about_what_patients_share_leaves_other_tables_their_features():
    answers = {"shared:patient": "left-out"}
    alone = visits(patient=np.array([f"P{at}" for at in range(3 * N)], dtype=object))
    assert "age" in prepare(alone, "group", answers=answers).feature_names
    first = Table("first", visits().frame[["patient", "age", "dose", "group"]], ())
    assert prepare(first, "group", answers=answers).feature_names == ("age", "dose")


def test_within_patients_nothing_that_they_share_is_left_to_be_asked_about():
    crossed = np.array(["before", "during", "after"] * N, dtype=object)
    data = prepare(visits(group=crossed), "group", answers=WITHIN)
    assert (shared(data), data.feature_names) == (None, ("a", "b"))


@pytest.mark.parametrize(
    "changes",
    [
        {"age": np.where(np.arange(3 * N) % 3 == 1, np.nan, 40.0), "dose": 1.0, "ward": "east"},
        {"a": np.repeat(np.arange(N) % 7 + 0.5, 3), "b": np.repeat(np.arange(N) % 5 + 0.25, 3)},
    ],
    ids=["once for each patient, and missing else", "nothing is measured of each row"],
)
def test_what_is_not_shared_or_all_there_is_is_not_asked_about(changes):
    assert shared(prepare(visits(**changes), "group")) is None


def season_table(season, **columns):
    """A table of 120 rows in random order of their classes."""
    rng = np.random.default_rng(3)
    label = np.array(["x", "y"], dtype=object)[rng.permutation(120) % 2]
    frame = {"a": rng.normal(size=120), "b": rng.normal(size=120), "season": season}
    return Table("t", pd.DataFrame({**frame, **columns, "class": label}), ())


STRETCHES = np.repeat([2.0, 5.0, 1.0, 4.0], 30)


def test_what_changes_along_the_file_as_a_place_or_a_day_does_is_asked_about():
    found = season_table(STRETCHES)
    asked = shared(prepare(found, "class"))
    assert asked.sentence == (
        "Is season measured of each row? It is mostly the same in rows that follow each other in "
        "the file."
    )
    left = prepare(found, "class", answers={"shared:": "left-out"})
    assert left.feature_names == ("a", "b")
    assert (shared(left).sentence, shared(left).answer) == (asked.sentence, "left-out")
    kept = prepare(found, "class", answers={"shared:": "left-out"}, roles={"season": "feature"})
    assert (kept.feature_names, shared(kept)) == (("a", "b", "season"), None)


@pytest.mark.parametrize("seed", range(20))
def test_no_random_order_is_taken_for_stretches(seed):
    random = np.random.default_rng(seed).permutation(STRETCHES)
    assert shared(prepare(season_table(random), "class")) is None


def test_a_file_sorted_by_class_has_no_stretches_of_what_its_classes_share():
    found = season_table(STRETCHES).frame
    found["season"] = 10 * (found["class"] == "x") + np.random.default_rng(4).integers(0, 3, 120)
    in_order = Table(
        "t", found.sort_values("class", ignore_index=True).astype({"season": "f8"}), ()
    )
    assert shared(prepare(in_order, "class")) is None


def test_categories_beside_measured_numbers_are_asked_about_together_and_of_a_survey_none():
    words = np.random.default_rng(5).permutation(["east", "west"] * 60).astype(object)
    asked = {one.id: one for one in prepare(season_table(words), "class").questions}
    assert asked["categories"].sentence == (
        "Is season measured of each row? It is a category in a table of numbers."
    )
    left = prepare(season_table(words), "class", answers={"categories": "left-out"})
    assert left.feature_names == ("a", "b")
    assert next(one for one in left.questions if one.id == "categories").answer == "left-out"
    chosen = prepare(season_table(words), "class", roles={"season": "category"})
    whole = np.random.default_rng(6).integers(0, 9, (2, 120)).astype(float)
    survey = prepare(season_table(words, a=whole[0], b=whole[1]), "class")
    more = prepare(season_table(words, c=words[::-1], d=np.roll(words, 1)), "class")
    for data in (chosen, survey, more):
        assert "categories" not in [one.id for one in data.questions]


def moods(**changed):
    """Measured numbers, and behind these three that are yes or no."""
    generator = np.random.default_rng(7)
    columns = {name: generator.normal(size=80) for name in "abcdef"}
    columns |= {name: generator.integers(0, 2, 80) * 1.0 for name in ("calm", "happy", "sad")}
    return Table("t", pd.DataFrame(columns | changed), ())


@pytest.mark.parametrize(
    ("label", "others"), [("sad", ("calm", "happy")), ("calm", ("happy", "sad"))]
)
def test_flags_beside_such_a_label_are_asked_about_as_they_may_be_labels_too(label, others):
    (asked,) = [one for one in prepare(moods(), label).questions if one.id == "categories"]
    assert asked.sentence.startswith(f"Are {' and '.join(others)} measured of each row?")
    left = prepare(moods(), label, answers={"categories": "left-out"})
    assert left.feature_names == tuple("abcdef")
    assert next(one for one in left.questions if one.id == "categories").answer == "left-out"


@pytest.mark.parametrize(
    "changed",
    [
        {"c": np.arange(80) % 3 % 2 * 1.0},  # a flag within the numbers
        {"sad": np.resize(np.array(["no", "yes", "yes"], dtype=object), 80)},
        {name: np.arange(80) % (at + 4) * 1.0 for at, name in enumerate("abcdef")},  # a survey
    ],
)
def test_flags_elsewhere_or_beside_other_labels_are_measured(changed):
    data = prepare(moods(**changed), "sad")
    assert "categories" not in [one.id for one in data.questions]


def test_logarithms_are_taken_before_the_mean_is_subtracted():
    found, data = pairs(), within(pairs(), recipe=LOG)
    logs = np.log(found.frame[["a", "b", "c"]].to_numpy())
    differences = (logs[1::2] - logs[::2]) / 2
    np.testing.assert_allclose(data.unprepared[1::2], differences, atol=1e-9)
    with pytest.raises(UserError, match="The logarithm needs positive numbers"):
        within(pairs(a=-1.0 - np.arange(2.0 * N)), recipe=LOG)


@pytest.mark.slow
def test_a_missing_number_is_filled_among_differences_unless_a_constant_was_chosen():
    gaps = np.where(np.arange(2 * N) == 3, np.nan, 10.0 + np.arange(2 * N) ** 2)
    assert np.isnan(within(pairs(a=gaps)).unprepared[3, 0])
    constant = Recipe(missing=MissingValues(fill=Fill.CONSTANT, constant=4.0))
    filled = within(pairs(a=gaps), recipe=constant)
    assert filled.unprepared[3, 0] == pytest.approx((4.0 - 14.0) / 2)


def test_patients_without_a_partner_are_left_out_and_named():
    data = within(only(pairs(), np.delete(np.arange(2 * N), [0, 5])))
    assert len(data.y) == 2 * N - 4
    assert any(step.startswith("Left out: 2 rows of 2 values of patient") for step in data.warnings)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (
            {"patient": np.arange(2 * N) + 0.0},
            "each of its 24 values has one row, and 3 are needed",
        ),
        ({"when": np.where(SUBJECT % 2, "ill", "well").astype(object)}, "0 of its 12 values have"),
    ],
    ids=["each patient once", "a label of patients"],
)
def test_an_answer_that_a_table_cannot_follow_is_named_with_the_way_out(changes, why):
    data = within(pairs(**changes))
    assert data.within is None
    said = " ".join(data.warnings)
    assert "Not used, since this table does not fit: 1 answer" in said
    assert why in said
    assert "Choose a column whose values repeat under each label" in said


def test_three_occasions_of_two_labels_are_compared():
    rows = np.sort(np.append(np.arange(2 * N), np.arange(0, 2 * N, 2)))
    rng = np.random.default_rng(1)
    data = within(only(pairs(a=rng.normal(size=2 * N)), rows))
    assert data.class_counts == {"after": N, "before": 2 * N}
    assert len(set(data.groups)) == N


def test_rows_without_a_label_are_placed_beside_those_of_their_patient():
    labels = WHEN.copy()
    labels[1] = None
    rows = [0, 0, *range(1, 2 * N)]
    labels = np.append(["after"], labels).astype(object)
    found = only(pairs(), rows)
    data = within(Table("t", found.frame.assign(when=labels), ()))
    assert list(data.unlabeled.row_numbers) == [3]


@pytest.mark.parametrize("recipe", [None, LOG], ids=["plain", "logarithms"])
def test_new_patients_are_placed_alike_on_the_page_by_a_saved_plane_and_by_a_program(recipe):
    found = pairs()
    data, new = within(only(found, np.arange(16)), recipe=recipe), only(found, np.arange(16, 2 * N))
    components = components_for(data)
    page = match_rows(data, new).X @ components.T
    plane = SavedPlane(
        components,
        center=data.center,
        scale=data.scale,
        feature_names=data.feature_names,
        encodings=data.encodings,
        rules=data.fitted_preparation.rules,
        within=data.within,
    )
    again = SavedPlane.from_json(plane.to_json())
    np.testing.assert_allclose(again.transform(new.frame), page, atol=1e-9)
    file = new.frame.drop(columns="when").to_csv(index=False).encode()
    np.testing.assert_allclose(computed(program(data), file), page, atol=1e-9)


def test_a_new_row_alone_has_no_place_and_says_why():
    data, new = within(pairs()), pairs()
    notes = match_rows(data, only(new, [0, 1, 2])).notes
    assert any("1 row left out: no other row of the same patient" in note for note in notes)
    with pytest.raises(UserError, match="no value of it has two of these rows"):
        match_rows(data, only(new, [0, 2]))
    without = Table("new", new.frame.drop(columns="patient"), ())
    with pytest.raises(UserError, match="these rows have no such column"):
        match_rows(data, without)
    points, said = run(program(data), new.frame.iloc[[0, 1, 2]].to_csv(index=False).encode())
    assert points.iloc[2][["component_1", "component_2"]].isna().all()
    assert 'Without another row of the same "patient"' in said
