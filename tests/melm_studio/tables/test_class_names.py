"""Names of classes: one name in one form, in natural order, under the label that they are of."""

from __future__ import annotations

import numpy as np
import pytest

from melm_studio.tables import (
    ClassRules,
    ReadOptions,
    Role,
    answered_options,
    prepare,
    read_table,
)
from melm_studio.tables.scales import ordered_levels

X = np.random.default_rng(2).normal(size=(60, 3)).round(3)


def classes_of(labels, header="kind", **options):
    rows = [",".join(map(str, [*x, label])) for x, label in zip(X, labels, strict=True)]
    raw = "\n".join([f"a,b,c,{header}", *rows]).encode()
    reading = answered_options(options.get("answers", {}), ReadOptions())
    return prepare(read_table(raw, "names.csv", options=reading), **options)


def question(data, name):
    found = [one for one in data.questions if one.id == name]
    return found[0] if found else None


@pytest.mark.parametrize(
    "forms",
    [
        ("caf\u00e9", "cafe\u0301"),
        ("red oak", "red\u00a0oak"),
        ("red oak", "red  oak"),
        ("oak", "oak\u200b"),
        ("oak", " oak"),
    ],
    ids=["accent", "no-break", "double", "zero-width", "leading"],
)
def test_a_name_that_looks_the_same_is_one_class(forms):
    data = classes_of([*forms] * 15 + ["tea"] * 30)
    assert data.class_counts == {forms[0]: 30, "tea": 30}


def test_leading_zeros_beside_words_and_case_tell_names_apart():
    assert set(classes_of(["Beech", "beech", "a01", "a1"] * 15).class_names) == {
        "Beech", "beech", "a01", "a1",
    }  # fmt: skip


def test_names_that_differ_in_capitals_are_asked_about_and_joined_by_an_answer():
    labels = ["Beech"] * 20 + ["beech"] * 10 + ["oak"] * 30
    data = classes_of(labels)
    assert (question(data, "case").default, len(data.class_names)) == ("apart", 3)
    joined = classes_of(labels, answers={"case": "one"})
    assert joined.class_counts == {"Beech": 30, "oak": 30}
    assert question(joined, "case").answer == "one"


def test_genotypes_in_two_letters_are_not_asked_about():
    assert question(classes_of(["AA", "Aa", "aa"] * 20), "case") is None


@pytest.mark.parametrize("word", ["NA", "null", "nan", "NULL", "N/A"])
@pytest.mark.parametrize("mark", ["{}", '"{}"'])
def test_a_word_for_what_is_missing_is_a_class_by_an_answer(word, mark):
    labels = [mark.format(one) for one in ["EU", "AS", word] * 20]
    data = classes_of(labels)
    assert question(data, "missing:kind").default == "missing"
    assert data.class_counts == {"AS": 20, "EU": 20}
    kept = classes_of(labels, answers={"missing:kind": "class"})
    assert kept.class_counts == {"AS": 20, "EU": 20, word: 20}
    assert question(kept, "missing:kind").answer == "class"


def test_a_word_for_what_is_missing_beside_a_single_other_one_is_asked_about():
    mutants = ["wt", "null"] * 30
    answered = classes_of(mutants, label="kind", answers={"missing:kind": "class"})
    assert answered.class_counts == {"null": 30, "wt": 30}
    assert question(classes_of(mutants, label="kind"), "missing:kind") is not None


@pytest.mark.parametrize("word", ["Unknown", "not reported", "N.A.", "unbekannt", "нет данных"])
def test_a_class_of_what_is_not_known_is_missing_until_somebody_says_otherwise(word):
    labels = ["EU", "AS", word] * 20
    data = classes_of(labels)
    assert question(data, "missing:kind").default == "missing"
    assert data.class_counts == {"AS": 20, "EU": 20}
    assert len(data.unlabeled.X) == 20
    kept = classes_of(labels, answers={"missing:kind": "class"})
    assert kept.class_counts == {"AS": 20, "EU": 20, word: 20}


@pytest.mark.parametrize(
    ("names", "code"), [(("1", "2"), "-9"), (("0", "1", "2"), "999"), (("1", "2", "3"), "-99")]
)
def test_a_code_far_from_the_numbers_of_other_classes_is_missing_until_somebody_says_so(
    names, code
):
    every = (*names, code)
    n_each = len(X) // len(every)
    data = classes_of(every * n_each)
    assert question(data, "missing:kind").default == "missing"
    assert data.class_counts == dict.fromkeys(names, n_each)
    kept = classes_of(every * n_each, answers={"missing:kind": "class"})
    assert kept.class_counts == dict.fromkeys(every, n_each)


@pytest.mark.parametrize("names", [("-1", "1"), ("-1", "0", "1"), ("7", "8", "9"), ("1", "-9")])
def test_numbers_of_classes_near_each_other_are_no_codes(names):
    n_each = len(X) // len(names)
    data = classes_of(names * n_each)
    assert data.class_counts == dict.fromkeys(names, n_each)
    assert question(data, "missing:kind") is None


@pytest.mark.parametrize("word", ["None", "none", "NONE", "nil"])
def test_none_beside_other_classes_is_one_that_needs_an_answer(word):
    """As a treatment it is a class, as Python's value it is none: only the owner knows."""
    labels = ["EU", "AS", word] * 20
    data = classes_of(labels)
    assert data.class_counts[word] == 20
    assert [one.id for one in data.open_questions] == ["missing:kind"]
    left_out = classes_of(labels, answers={"missing:kind": "missing"})
    assert left_out.class_counts == {"AS": 20, "EU": 20}
    assert left_out.open_questions == ()


@pytest.mark.parametrize(
    "names", [("none", "mild", "severe"), ("unknown", "known"), ("Na", "K", "Ca"), ("none", "some")]
)
def test_a_word_that_can_only_be_a_class_is_not_asked_about(names):
    data = classes_of((sorted(names) * 60)[:60])
    assert {*data.class_names} == {*names}
    assert question(data, "missing:kind") is None


def test_a_word_that_the_user_names_is_not_asked_about():
    chosen = ClassRules(names={"none": "control"})
    data = classes_of(["a", "b", "none"] * 20, class_rules=chosen)
    assert question(data, "missing:kind") is None


def test_what_is_missing_elsewhere_or_once_is_not_asked_about():
    assert question(classes_of(["EU", "AS"] * 29 + ["NA", "EU"]), "missing:kind") is None
    assert question(classes_of([""] * 20 + ["EU", "AS"] * 20), "missing:kind") is None


@pytest.mark.parametrize(
    "codes",
    [["01067", "1067", "10115"], ["001", "002", "120"], ["00501", "10115", "20095"]],
)
def test_codes_keep_their_leading_zeros(codes):
    assert set(classes_of(codes * 20, header="zip").class_names) == set(codes)


def test_zeros_before_numbers_of_two_digits_are_those_of_months():
    months = [f"{at % 12 + 1:02d}" for at in range(60)]
    raw = "\n".join(["a,month,kind", *(f"{at % 7}.5,{month},{'xy'[at % 2]}"
                                        for at, month in enumerate(months))])  # fmt: skip
    assert "month" in prepare(read_table(raw.encode(), "t.csv")).feature_names


@pytest.mark.parametrize(
    "names",
    [
        ("low", "medium", "high"),
        ("mild", "moderate", "severe"),
        ("low", "high"),
        ("never", "sometimes", "often"),
        ("stage I", "stage II", "stage III", "stage IV"),
        ("1 = poor", "2 = fair", "3 = good"),
    ],
)
def test_ordinal_words_are_in_their_order(names):
    assert classes_of([names[at % len(names)] for at in range(60)]).class_names == names


@pytest.mark.parametrize(
    ("levels", "are_ordered"),
    [
        (("1. White", "2. Black", "3. Asian", "4. Other"), False),
        (("1 = married", "2 = single", "3 = divorced"), False),
        (("1. never", "2. now and then", "3. often"), True),
        (("1. < High school", "2. High school", "3. College"), True),
        (("0-1 times", "2-3 times", "4-6 times"), True),
    ],
)
def test_numbers_before_words_are_an_order_only_of_ranges_and_scales(levels, are_ordered):
    rows = [f"{at % 7},{levels[at % len(levels)]},{'xy'[at // 5 % 2]}" for at in range(60)]
    columns = prepare(read_table("\n".join(["a,b,kind", *rows]).encode(), "t.csv")).columns
    assert (columns[1].role is Role.ORDERED) == are_ordered


@pytest.mark.slow
def test_classes_stand_in_the_order_that_is_given():
    labels = ["x", "y", "z"] * 20
    plain = classes_of(labels)
    given = classes_of(labels, answers={"order": "z < x < y"})
    assert given.class_names == ("z", "x", "y")
    assert given.class_counts == plain.class_counts
    np.testing.assert_array_equal(np.array(given.class_names)[given.y], labels)
    by_field = classes_of(labels, orders={"kind": ("z", "x", "y")})
    assert by_field.class_names == ("z", "x", "y")
    # Filters leave some of those that were dragged, and rules make others, which stand last.
    some = classes_of(labels, orders={"kind": ("w", "z", "y")})
    assert some.class_names == ("z", "y", "x")
    stale = classes_of(labels, answers={"order": "z < x"})
    assert stale.class_names == ("x", "y", "z")
    assert any("Not used" in line for line in stale.warnings)


def test_numbers_in_names_are_in_their_order():
    names = [f"week {number}" for number in (1, 2, 9, 10, 11, 100)]
    assert classes_of(sorted(names) * 10).class_names == tuple(names)


@pytest.mark.parametrize("name", ["Attrition", "churned", "exited", "default", "labels", "classes"])
def test_what_is_named_like_a_label_is_the_label_wherever_it_stands(name):
    """Beside a word and a count that stand last."""
    stream = np.random.default_rng(3)
    names, sites = stream.choice(["yes", "no"], 60), stream.choice(["s", "t", "u"], 60)
    rows = [
        f"{a},{one},{site},{at % 7}"
        for (a, *_), one, site, at in zip(X, names, sites, range(60), strict=True)
    ]
    raw = "\n".join([f"size,{name},site,years", *rows]).encode()
    assert prepare(read_table(raw, "t.csv")).label == name


@pytest.mark.parametrize(
    "names",
    [
        ("низкий", "средний", "высокий"),
        ("Низкая", "Умеренная", "Высокая"),
        ("niedrig", "mittel", "hoch"),
        ("faible", "moyenne", "élevée"),
        ("bajo", "medio", "alto"),
        ("leve", "moderado", "grave"),
        ("лёгкая", "средняя", "тяжёлая"),
        ("klein", "mittel", "gross"),
        ("nie", "selten", "manchmal", "häufig", "immer"),
        ("低", "中", "高"),
    ],
)
def test_words_of_an_order_stand_in_it_in_other_languages(names):
    data = classes_of([*reversed(names)] * (60 // len(names)))
    assert data.class_names == names


@pytest.mark.parametrize(
    "names",
    [
        ("Never", "Less than once a month", "1-3 times per month", "Once a week", "Daily"),
        ("Nunca", "Algunas veces al año", "Una vez por mes", "Algunas veces al mes",
         "Una vez por semana", "Algunas veces a la semana", "Diariamente"),
        ("nie", "einmal pro Woche", "mehr als einmal pro Woche", "täglich"),
        ("once daily", "twice daily", "3 times daily"),
        ("monthly or less", "2 times a month", "weekly", "weekly or more", "5 times a week"),
    ],
)  # fmt: skip
def test_how_often_is_an_order(names):
    assert ordered_levels(sorted(names)) == names


@pytest.mark.parametrize(
    "names",
    [
        ("1 day", "2 weeks", "3 months"),
        ("last week", "last month", "last year"),
        ("3 days per week", "1 day per week", "never"),
        ("weekly", "once a week", "daily"),
        ("weekly", "daily", "seldom"),
    ],
)
def test_how_long_and_when_is_no_order_of_how_often(names):
    assert ordered_levels(names) is None


@pytest.mark.parametrize(
    "words",
    [
        "Jan, Feb, Mar, Apr, May, Jun, Jul, Aug, Sep, Oct, Nov, Dec",
        "January, April, August",
        "Januar, März, Mai, Dezember",
        "janv., févr., août, déc.",
        "enero, abril, agosto",
        "март, апрель, июнь, июль",
        "leden, červen, červenec",
        "styczeń, luty, listopad",
        "一月, 二月, 十月, 十一月",
        "Mon, Tue, Wed, Thu, Fri, Sat, Sun",
        "Mo, Di, Mi, Do, Fr, Sa, So",
        "lun, mar, mer, jeu, ven",
        "lunes, martes, miércoles, domingo",
        "понедельник, четверг, воскресенье",
        "月, 火, 水, 木, 金, 土, 日",
        "spring, summer, fall, winter",
        "Frühling, Sommer, Herbst, Winter",
        "morning, noon, evening, night",
        "Dec 2019, Jan 2020, Apr 2020",
        "Nov-19, Feb-20, Jul-20",
        "low, high, other",
    ],
)
def test_months_and_days_stand_as_in_the_calendar(words):
    names = words.split(", ")
    assert classes_of((sorted(names) * 60)[:60]).class_names == tuple(names)


def test_names_of_which_one_has_no_place_stand_in_natural_order():
    assert classes_of(["May", "June", "Zoe"] * 20).class_names == ("June", "May", "Zoe")
    mixed = ["Jan 2020", "Feb", "Mar"] * 20
    assert classes_of(mixed).class_names == ("Feb", "Jan 2020", "Mar")
