"""Controls, tiny classes, repeated identifiers and subjects within names are asked about."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

from melm_studio.tables import NO_LABEL, Role, prepare, read_table

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def drawn_anew(monkeypatch):
    """Each test draws the same numbers, whichever ran before it."""
    monkeypatch.setattr(sys.modules[__name__], "RNG", np.random.default_rng(0))


def read(frame, name="t.csv"):
    return read_table(frame.to_csv(index=False).encode(), name)


def measured(n_rows):
    return pd.DataFrame(RNG.normal(size=(n_rows, 4)), columns=["ma", "nb", "oc", "pd"])


def question(data, name):
    found = [one for one in data.questions if one.id == name]
    return found[0] if found else None


def roles(data):
    return {one.name: one.role for one in data.columns}


@pytest.mark.parametrize(
    ("column", "word"),
    [
        ("SampleType", "QC"), ("SampleType", "pool"), ("sample_class", "Blank"),
        ("type", "reference"), ("remark", "QC3"), ("remark", "quality control"),
        ("remark", "procedural blank"), ("kind", "NIST SRM 1950"), ("Class", "QC"),
    ],
)  # fmt: skip
def test_controls_are_left_out_unless_an_answer_keeps_them(column, word):
    frame = measured(66)
    frame["Class"] = ["ill", "well"] * 33
    if column != "Class":
        frame[column] = "sample"
    frame.loc[60:, column] = word
    data = prepare(read(frame), "Class")
    assert question(data, "controls").default == "left-out"
    assert data.class_counts == {"ill": 30, "well": 30}
    assert any("6 rows of" in line and word in line for line in data.warnings)
    kept = prepare(read(frame), "Class", answers={"controls": "kept"})
    assert len(kept.y) == 66
    assert question(kept, "controls").answer == "kept"
    assert not any(column in name for name in kept.feature_names)


@pytest.mark.parametrize(
    ("column", "word"),
    [("Status", "Survey Test"), ("Status", "Survey Preview"), ("DistributionChannel", "preview")],
)
@pytest.mark.parametrize("label", ["group", "(no label)"])
def test_answers_that_nobody_gave_are_left_out_however_many_unless_an_answer_keeps_them(
    column, word, label
):
    frame = measured(66).assign(group=["ill", "well"] * 33, **{column: "anonymous"})
    frame.loc[20:, column] = word
    data = prepare(read(frame), label)
    asked = question(data, "controls")
    assert (len(data.y), asked.default) == (20, "left-out")
    assert asked.sentence == (
        f"Are tests of the survey left out? 46 rows of {column} ({word}) are such."
    )
    assert f"Left out: 46 rows of {column} ({word}), which are tests." in data.warnings
    assert len(prepare(read(frame), label, answers={"controls": "kept"}).y) == 66


@pytest.mark.parametrize(
    ("column", "word"),
    [
        ("amenity", "pool"), ("remark", "control"), ("drug", "standard"), ("Status", "test"),
        ("channel", "preview"), ("DistributionChannel", "social media"),
    ],
)  # fmt: skip
def test_words_that_are_classes_elsewhere_are_no_controls(column, word):
    frame = measured(66).assign(group=["ill", "well"] * 33, **{column: "sample"})
    frame.loc[60:, column] = word
    assert question(prepare(read(frame), "group"), "controls") is None


@pytest.mark.parametrize(("n_rows", "is_asked"), [(20, True), (30, False)])
def test_references_that_are_many_rows_are_a_class_of_their_own(n_rows, is_asked):
    frame = measured(100).assign(group=["ill", "well"] * 50, type="sample")
    frame.loc[: n_rows - 1, "type"] = "ref"
    assert (question(prepare(read(frame), "group"), "controls") is not None) == is_asked


def test_where_controls_are_what_is_told_apart_nothing_is_left_out():
    frame = measured(60).assign(SampleType=["QC", "sample"] * 30)
    assert question(prepare(read(frame)), "controls") is None


@pytest.mark.parametrize("n_rows", [2, 3, 4])
def test_classes_too_small_for_folds_are_left_out_unless_an_answer_keeps_them(n_rows):
    frame = measured(60 + n_rows).assign(kind=["p", "q"] * 30 + ["r"] * n_rows)
    data = prepare(read(frame))
    assert data.class_names == ("p", "q")
    assert any("(r), too few to be held out" in line for line in data.warnings)
    kept = prepare(read(frame), answers={"small": "kept"})
    assert kept.class_counts["r"] == n_rows


@pytest.mark.parametrize("name", ["Subject_ID", "mouse", "patient"])
def test_a_class_of_a_single_subject_is_left_out_so_that_those_of_others_stay_together(name):
    subjects = np.repeat(np.arange(9), 7)
    frame = measured(63).assign(**{name: [f"P{each}" for each in subjects]})
    frame["delivery"] = np.array(["C", "V"])[subjects % 2]
    frame.loc[subjects == 8, "delivery"] = "U"
    data = prepare(read(frame), "delivery")
    assert data.class_names == ("C", "V")
    assert question(data, "small").sentence.endswith(f"has 1 class of a single {name} (U).")
    assert question(data, f"subjects:{name}") or len({*data.groups}) == 8
    kept = prepare(read(frame), "delivery", answers={"small": "kept"})
    assert kept.class_counts["U"] == 7
    assert f"All rows of a class are of {name} P8: what tells" in " ".join(kept.warnings)


def test_one_subject_in_one_of_two_classes_is_said():
    subjects = np.repeat(np.arange(4), 8)
    for n_subjects in (1, 2):
        kinds = np.where(subjects < 4 - n_subjects, "C", "V")
        data = prepare(read(measured(32).assign(mouse=[f"M{at}" for at in subjects], kind=kinds)))
        is_said = any(warning.startswith("All rows of a class are of") for warning in data.warnings)
        assert (len(data.X), is_said) == (32, n_subjects == 1)


@pytest.mark.parametrize(
    ("kinds", "name"),
    [("ABCABCABCABC", "Subject_ID"), ("AABBBBBBBBBB", "Subject_ID"), ("AAAABBBBCDDD", "strain"),
     ("ABCDEFGHIJKL", "Subject_ID")],
    ids=["several of each", "two classes", "no subjects", "each a class of its own"],
)  # fmt: skip
def test_classes_of_several_subjects_stay(kinds, name):
    subjects = np.repeat(np.arange(12), 6)
    frame = measured(72).assign(**{name: [f"P{each}" for each in subjects]})
    frame["delivery"] = np.array([*kinds])[subjects]
    assert question(prepare(read(frame), "delivery"), "small") is None


def test_small_classes_of_a_small_study_stay():
    frame = measured(12).assign(kind=["p", "q", "r"] * 4)
    data = prepare(read(frame))
    assert data.class_names == ("p", "q", "r")
    assert question(data, "small") is None


@pytest.mark.parametrize(
    "name", ["sample code number", "Hospital No", "patient id", "case_id", "column 1"]
)
def test_numbers_that_nearly_number_rows_are_asked_about_and_no_feature(name):
    numbers = 60_000 + 37 * RNG.permutation(100)
    numbers[90:] = numbers[:10]
    frame = measured(100).assign(kind=["p"] * 50 + ["q"] * 50)
    frame.insert(0, name, numbers)
    frame["kind"] = np.where(pd.factorize(numbers)[0] % 2, "p", "q")
    is_headed = name != "column 1"
    table = read_table(frame.to_csv(index=False, header=is_headed).encode(), "t.csv")
    data = prepare(table)
    assert name not in data.feature_names
    assert question(data, f"subjects:{name}").default == "each-way"
    together = prepare(table, answers={f"subjects:{name}": "together"})
    assert roles(together)[name] is Role.GROUP
    assert len(set(together.groups.tolist())) == 90


@pytest.mark.parametrize("name", ["hospital_number", "specimen", "MRN", "Sample code"])
def test_numbers_that_three_rows_share_are_asked_about_and_no_feature(name):
    frame = measured(60).assign(kind=["pq"[at // 3 % 2] for at in range(60)])
    frame.insert(0, name, [20_000 + 17 * (at // 3) for at in range(60)])
    data = prepare(read(frame))
    assert name not in data.feature_names
    assert question(data, f"subjects:{name}").default == "each-way"


def test_a_number_of_things_is_no_identifier():
    frame = measured(100).assign(kind=["p", "q"] * 50)
    frame["number of cells"] = [*RNG.permutation(99), 5]
    frame["octane number"] = [87 + at // 5 for at in range(100)]
    assert {"number of cells", "octane number"} <= set(prepare(read(frame)).feature_names)


NAMES = {
    "visits": [f"P{at // 2 + 10}_V{at % 2 + 1}" for at in range(40)],
    "letters": [f"{'abcdefghijklmnopqrst'[at // 2]}oak_{'ab'[at % 2]}" for at in range(40)],
    "times": [f"S{at // 2:02d}-{('pre', 'post')[at % 2]}" for at in range(40)],
    "replicates": [f"leaf {at // 4}.{at % 4}" for at in range(40)],
    "between words": [f"{('mix', 'pure')[at % 2]} {at // 2} {'ab'[at % 2]}" for at in range(40)],
    "sides": [f"mouse {at // 2} {'LR'[at % 2]}" for at in range(40)],
    "many of each": [f"m{at // 12:02d}{'abcdefghijkl'[at % 12]}x" for at in range(240)],
    "with a dropout": [f"P{at // 2 + 10}_V{at % 2 + 1}" for at in range(41)],
}


def test_days_are_no_subjects():
    frame = measured(40)
    frame.insert(0, "tag", [f"{at % 20 + 1:02d}.{at // 20 + 1:02d}.2021" for at in range(40)])
    frame["kind"] = ["pq"[at // 2 % 2] for at in range(len(frame))]
    assert "subject in tag" not in read(frame).frame


@pytest.mark.parametrize(("column", "rows"), [("well", "BCDEFG"), ("spot", "ABCDEFGH")])
def test_wells_of_a_plate_are_no_subjects(column, rows):
    wells = [f"{row}{at}" for at in range(1, 9) for row in rows]
    frame = measured(len(wells)).assign(Class=["ill", "well"] * (len(wells) // 2))
    frame.insert(0, column, wells)
    assert f"subject in {column}" not in read(frame).frame


@pytest.mark.parametrize(
    ("name", "is_asked"), [("speaker", True), ("Embryo", True), ("hue", False)]
)
def test_who_or_what_was_measured_several_times_is_asked_about(name, is_asked):
    frame = measured(60).assign(
        **{name: [f"{'abcdefghijklmnopqrst'[at % 20]}x" for at in range(60)]}
    )
    data = prepare(read(frame.assign(kind=["pq"[at // 2 % 2] for at in range(60)])))
    assert (question(data, f"subjects:{name}") is not None) == is_asked


@pytest.mark.parametrize("names", NAMES)
def test_subjects_within_names_are_asked_about(names):
    found = NAMES[names]
    frame = measured(len(found))
    frame.insert(0, "sample", found)
    frame["kind"] = ["pq"[at // 2 % 2] for at in range(len(found))]
    frame = frame.rename(columns={"sample": "animal and eye"} if names == "sides" else {})
    data = prepare(read(frame))
    column = f"subject in {frame.columns[0]}"
    assert question(data, f"subjects:{column}").default == "each-way"
    assert not any(column in name for name in data.feature_names)
    together = prepare(read(frame), answers={f"subjects:{column}": "together"})
    assert roles(together)[column] is Role.GROUP
    n_subjects = {"replicates": 10, "many of each": 20}.get(names, (len(found) + 1) // 2)
    assert len(set(together.groups.tolist())) == n_subjects


@pytest.mark.parametrize(
    "names",
    [
        [f"s{at}" for at in range(40)],
        [f"{('ill', 'well')[at % 2]}_{at // 2}" for at in range(40)],
        [f"ward {'ABCDEF'[at % 6]} {at // 6}" for at in range(60)],
        [f"m{at // 12:02d}{'abcdefghijkl'[at % 12]}x" for at in range(240) if at % 7 < 5],
        [f"{at:04x}-{at * 7919 % 997}" for at in range(40)],
    ],
)
def test_names_that_number_the_rows_of_a_class_have_no_subjects(names):
    frame = measured(len(names))
    frame.insert(0, "sample", names)
    assert not [name for name in read(frame).frame if name.startswith("subject in")]


def test_a_first_column_without_a_name_names_the_rows():
    names = [f"12/01/2018.{at % 6}" for at in range(60)]
    frame = measured(60)
    frame.insert(0, "", names)
    frame.insert(1, "labels", [at % 3 + 1 for at in range(60)])
    data = prepare(read(frame))
    assert (data.label, roles(data)["column 1"]) == ("labels", Role.NAME)
    assert question(data, "subjects:column 1") is not None


def test_numbered_names_of_several_rows_each_are_no_controls():
    plants = [f"{stem}{number}" for stem in ("Qn", "Qc", "Mn", "Mc") for number in (1, 2, 3)]
    frame = pd.DataFrame(np.random.default_rng(4).normal(size=(72, 3)), columns=["a", "b", "c"])
    frame["plant"] = np.repeat(plants, 6)
    frame["kind"] = [plant[0] for plant in frame["plant"]]
    data = prepare(read(frame), "kind")
    assert question(data, "controls") is None
    assert len(data.y) == 72
    injections = frame.assign(plant=[f"QC{at}" if at % 6 == 0 else f"S{at}" for at in range(72)])
    assert question(prepare(read(injections), "kind"), "controls").default == "left-out"


@pytest.mark.parametrize("n_bare", [0, 1, 12])
@pytest.mark.parametrize("is_numbered", [False, True])
def test_rows_of_which_nothing_but_the_class_is_known_are_left_out_and_said(n_bare, is_numbered):
    """As where a program wrote a flag below the last record."""
    frame = measured(50).assign(kind=["a", "b"] * 25)
    bare = pd.DataFrame({"kind": ["a"] * n_bare})
    both = pd.concat([frame, bare], ignore_index=True).sort_values("kind", ignore_index=True)
    both = both.reset_index(names="id") if is_numbered else both
    data = prepare(read(both), "kind")
    assert len(data.y) == 50
    rows = "1 row" if n_bare == 1 else f"{n_bare} rows"
    assert (f"Left out: {rows} with nothing but kind." in data.warnings) is (n_bare > 0)


@pytest.mark.parametrize(
    ("name", "cell", "is_when"),
    [
        ("at", "2014-03-{:02} 10:30:00", True),
        ("seen", "{}.12.2021", True),
        ("clock", "{:02}:30:00", True),
        ("year", "20{:02}", True),
        ("length", "{}.5", False),
        ("color", "red{}", False),
    ],
)
def test_a_date_is_no_measurement_of_a_row_without_any(name, cell, is_when):
    frame = measured(50).assign(kind=["a", "b"] * 25)
    bare = pd.DataFrame({"kind": ["a", "b"] * 6})
    both = pd.concat([frame[:20], bare, frame[20:]], ignore_index=True)
    both[name] = [cell.format(at % 9 + 11) for at in range(62)]
    data = prepare(read(both), "kind")
    assert len(data.y) == (50 if is_when else 62)
    said = "Left out: 12 rows with nothing but kind and a date."
    assert (said in data.warnings) is is_when


def test_rows_with_a_few_gaps_and_a_class_that_has_nothing_else_are_kept():
    frame = measured(50).assign(kind=["a", "b"] * 25)
    frame.loc[:20, ["ma", "nb", "oc"]] = np.nan
    assert len(prepare(read(frame), "kind").y) == 50
    frame.loc[frame.kind == "b", ["ma", "nb", "oc", "pd"]] = np.nan
    data = prepare(read(frame), "kind")
    assert data.class_names == ("a", "b")
    assert len(prepare(read(frame), NO_LABEL).X) == 50
    alone = measured(50)[["ma"]].where(np.arange(50)[:, None] > 3).assign(kind=["a", "b"] * 25)
    assert len(prepare(read(alone), "kind").y) == 50
