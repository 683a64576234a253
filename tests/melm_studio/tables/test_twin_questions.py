"""Columns that say the same as the label are asked about before any verdict."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.mixture import GaussianMixture

from lab.experiments.honesty.dependent_tables import is_significant, says_plain_yes
from melm_core.base import UserError
from melm_core.labels import are_quantized, quantized_labels
from melm_studio.tables import (
    Role,
    Table,
    TableError,
    prepare,
    without_columns,
)

WORDS = np.array(["healthy", "mild", "severe"])


def table(**columns) -> Table:
    """Six columns of noise of 90 rows, and others that are made from the class codes."""
    stream = np.random.default_rng(11)
    y = stream.permutation(np.arange(90) % 3)
    noise = {f"m{at}": stream.normal(size=90) for at in range(6)}
    made = {name: make(y, stream) for name, make in columns.items()}
    return Table("grades", pd.DataFrame(noise | made), ())


def words(y, _):
    return WORDS[y]


def code(y, _):
    return y.astype(float)


def later(y, stream):
    return 3.0 * y + 0.4 * stream.normal(size=len(y))


def twins(data):
    return {one.id: one for one in data.questions if one.id.startswith("twin:")}


def names_of(data) -> set[str]:
    return set(data.feature_names)


NOISE = {f"m{at}" for at in range(6)}


@pytest.mark.parametrize(("label", "twin"), [("grade", "grade_code"), ("grade_code", "grade")])
def test_words_and_codes_of_the_label_are_left_out_until_somebody_says_otherwise(label, twin):
    both = table(grade=words, grade_code=code)
    data = prepare(both, label)
    assert names_of(data) == NOISE
    (question,) = twins(data).values()
    assert question.sentence.startswith(f"Is {twin} the label once more? It says the same as")
    assert "90 of 90 rows" in question.sentence
    left_out = next(column for column in data.columns if column.name == twin)
    assert (left_out.role, left_out.reason) == (Role.IGNORED, "it says the same as the label")
    assert not says_plain_yes(Table("grades", both.frame.rename(columns={label: "label"}), ()))


def few_rows(n_rows: int, n_binary: int, name: str) -> Table:
    """A label, its copy of this name, another number that parts the classes, and 0 or 1."""
    stream = np.random.default_rng(3)
    y = np.arange(n_rows) % 2
    binary = {f"b{at}": stream.integers(0, 2, n_rows).astype(float) for at in range(n_binary)}
    sizes = {"size": y + stream.uniform(0.2, 0.4, n_rows), "age": stream.normal(size=n_rows)}
    kinds = np.array(["no", "yes"])[y]
    columns = {**sizes, **binary, name: y.astype(float), "reading": kinds}
    return Table("eyes", pd.DataFrame(columns), ())


@pytest.mark.parametrize(
    ("n_rows", "n_binary", "name", "is_asked"),
    [
        (12, 0, "seen", True),
        (6, 0, "seen", True),
        (10, 5, "seen", True),
        (8, 60, "reading.factor", True),
        (8, 60, "seen", False),
        (8, 60, "readings", False),
    ],
)
def test_a_copy_of_the_label_in_few_rows_is_left_out_unless_it_may_be_chance(
    n_rows, n_binary, name, is_asked
):
    data = prepare(few_rows(n_rows, n_binary, name), "reading")
    assert (f"twin:{name}" in twins(data)) == is_asked == (name not in data.feature_names)
    assert "size" in data.feature_names


def test_strains_of_which_each_is_of_one_class_are_left_out_until_somebody_says_otherwise():
    strains = table(
        grade=words, strain=lambda y, _: ["abc"[c] + "ijklm"[at % 5] for at, c in enumerate(y)]
    )
    assert names_of(prepare(strains, "grade")) == NOISE
    kept = prepare(strains, "grade", answers={"twin:strain": "measurement"})
    assert names_of(kept) > NOISE


def test_an_answer_or_a_role_that_was_chosen_holds():
    both = table(grade=words, grade_code=code)
    kept = prepare(both, "grade", answers={"twin:grade_code": "measurement"})
    assert names_of(kept) == NOISE | {"grade_code"}
    chosen = prepare(both, "grade", roles={"grade_code": "feature"})
    assert names_of(chosen) == NOISE | {"grade_code"}
    assert twins(chosen) == {}


def test_what_an_answer_left_out_stays_out_whatever_else_is_answered():
    """As where rows are of so few sites that none of their altitudes could be suspected."""
    site = np.random.default_rng(2).permutation(np.repeat(np.arange(6), 16))
    noise = np.random.default_rng(3).normal(size=(96, 3))
    frame = pd.DataFrame(noise, columns=[*"abc"])
    frame["site"] = [f"S{'pqrstu'[at]}{at}" for at in site]
    frame["height"] = 100.0 * site
    frame["coast"] = np.where(site < 3, "near", "far")
    answers = {"twin:height": "left-out"}
    data = prepare(Table("t", frame, ()), "coast", answers=answers)
    both = prepare(Table("t", frame, ()), "coast", answers={**answers, "subjects:site": "together"})
    assert "height" not in {*data.feature_names, *both.feature_names}
    assert twins(data)["twin:height"].answer == twins(both)["twin:height"].answer == "left-out"


@pytest.mark.slow
def test_a_number_that_may_be_a_measurement_is_used_and_no_plain_yes_is_said():
    measured = table(label=words, score=later)
    data = prepare(measured, "label")
    assert names_of(data) == NOISE | {"score"}
    assert [one.id for one in data.open_questions] == ["twin:score"]
    answered = prepare(measured, "label", answers={"twin:score": "measurement"})
    assert answered.open_questions == ()
    assert is_significant(answered)


@pytest.mark.slow
def test_of_several_numbers_that_part_the_classes_the_first_is_asked_about():
    parting = table(grade=words, **{f"t{at}": later for at in range(4)})
    (first,) = twins(prepare(parting))
    assert [*twins(prepare(parting, answers={first: "measurement"}))] == [first]
    assert [*twins(prepare(parting, answers={first: "left-out"}))] == [first, "twin:t1"]


@pytest.mark.parametrize("values", [[0.21, 7.5, 3.3], [18_114.016, 64_605.3, 11_778.8]])
def test_a_number_of_which_each_class_has_one_is_a_code_however_it_looks(values):
    both = table(land=words, gdp=lambda y, _: np.array(values)[y])
    data = prepare(both, "land")
    assert names_of(data) == NOISE
    rounded = table(land=words, gdp=lambda y, s: np.array(values)[y] + s.integers(0, 2, 90) / 9)
    assert "gdp" in names_of(prepare(rounded, "land"))  # it varies within classes


def marks(low, high, n_wrong=0):
    """Two values that say which rows are severe, but for some."""

    def made(y, _):
        values = np.where(y == 2, high, low)
        return np.where(np.arange(90) < n_wrong, high + low - values, values)

    return made


@pytest.mark.parametrize(
    ("low", "high", "n_wrong", "is_asked"),
    [(0.0, 1.0, 0, True), (0.0, 0.02, 0, True), (0.0, 1.0, 1, False), (1.0, 1.0, 0, False)],
)
def test_a_number_of_two_values_that_marks_a_class_is_asked_about(low, high, n_wrong, is_asked):
    marked = table(grade=words, eval=marks(low, high, n_wrong))
    data = prepare(marked, "grade")
    assert ("twin:eval" in twins(data)) == is_asked
    assert ("eval" in names_of(data)) == (high > low)  # it may be a measurement
    several = table(grade=words, **{f"is_{at}": marks(at, 9.0) for at in range(3)})
    assert [*twins(prepare(several, "grade"))] == ["twin:is_0"]


def gaps(of, share=1.0, *, is_text=False):
    """Values that some rows of some classes lack."""

    def made(y, stream):
        is_empty = np.isin(y, of) & (stream.random(len(y)) < share)
        if is_text:
            return np.where(is_empty, None, np.array(["Mon", "Tue"])[stream.integers(0, 2, len(y))])
        return np.where(is_empty, np.nan, stream.normal(size=len(y)))

    return made


@pytest.mark.parametrize(
    ("of", "share", "is_text", "is_asked"),
    [
        ([0], 1.0, False, True),
        ([0], 0.7, True, True),
        ([2], 0.7, False, True),
        ([0, 1], 0.7, False, False),
        ([0, 1, 2], 0.5, True, False),
        ([1], 0.06, False, False),  # as happens by chance
    ],
)
def test_cells_that_are_empty_in_one_class_alone_tell_it(of, share, is_text, is_asked):
    made = gaps(of, share, is_text=is_text)
    asked = twins(prepare(table(label=words, day=made), "label"))
    assert ("twin:day" in asked) == is_asked
    if is_asked:
        assert "and in no other" in asked["twin:day"].sentence
        left = prepare(table(label=words, day=made), "label", answers={"twin:day": "left-out"})
        assert names_of(left) == NOISE


@pytest.mark.parametrize(
    ("of", "share", "is_asked"),
    [
        ([0], 0.6, True),
        ([0, 1], 0.6, True),
        ([0, 1, 2], 0.6, False),
        ([0], 0.06, False),  # as happens by chance
    ],
)
def test_cells_that_are_filled_in_some_classes_alone_tell_these(of, share, is_asked):
    def dose(y, stream):
        return np.where(
            np.isin(y, of) & (stream.random(len(y)) < share), stream.random(len(y)), np.nan
        )

    asked = twins(prepare(table(label=words, dose=dose), "label"))
    assert [*asked] == ["twin:dose"] * is_asked
    if is_asked:
        names = ", ".join(WORDS[code] for code in of)
        assert f"rows of {names} and in no other." in asked["twin:dose"].sentence


def test_of_several_columns_that_are_empty_in_one_class_the_first_is_asked_about():
    absent = table(label=words, **{f"p{at}": gaps([0]) for at in range(4)})
    (first,) = twins(prepare(absent, "label"))
    given = {first: "measurement"}
    assert [*twins(prepare(absent, "label", answers=given))] == [first]
    given = {first: "left-out"}
    assert [*twins(prepare(absent, "label", answers=given))] == [first, "twin:p1"]


def test_columns_of_the_classes_are_asked_about_once_however_few_of_them_tell_the_label():
    y = np.repeat(np.arange(5), [43, 37, 29, 13, 6])
    names = [f"level_{word}" for word in ("mild", "minimal", "moderate", "more severe", "severe")]
    frame = pd.DataFrame(np.eye(5)[np.where(np.arange(128) < 6, 1, y)], columns=names)
    frame = frame.assign(x=np.random.default_rng(0).normal(size=128), level=y + 1.0)
    frame = frame.sample(frac=1.0, random_state=0, ignore_index=True)
    questions = prepare(Table("t", frame, ()), "level").questions
    asked = [one.id for one in questions if one.id.startswith("twin:")]
    assert sorted(asked) == sorted(f"twin:{name}" for name in names)


@pytest.mark.slow
def test_without_the_twin_nothing_is_left_of_noise():
    data = prepare(table(label=words, score=later), "label", answers={"twin:score": "left-out"})
    assert names_of(data) == NOISE
    assert not is_significant(data)


@pytest.mark.slow
def test_a_table_of_nothing_else_keeps_its_columns_and_asks():
    alone = table(label=words, grade=code)
    only = Table("grades", alone.frame[["label", "grade"]], ())
    data = prepare(only, "label")
    assert names_of(data) == {"grade"}
    assert [one.id for one in data.open_questions] == ["twin:grade"]


def test_another_answer_is_refused_and_those_that_there_are_named():
    with pytest.raises(TableError, match="left-out or measurement"):
        prepare(table(label=words, score=later), "label", answers={"twin:score": "perhaps"})


def test_columns_named_like_subjects_are_asked_about_as_such():
    y = np.arange(90) % 3
    subjects = table(label=words, patient_code=lambda y, _: 3.0 * (np.arange(90) % 10) + y)
    subjects.frame["patient_code"] = 3.0 * (np.arange(90) // 3 % 10) + y
    subjects.frame["label"] = WORDS[y]
    asked = {one.id for one in prepare(subjects, "label").questions}
    assert "twin:patient_code" not in asked


def test_the_same_rows_without_a_column_are_those_prepared_without_it():
    given = table(label=words, score=later, kind=lambda y, s: WORDS[s.integers(0, 3, 90)])
    data = prepare(given, "label")
    alone = prepare(Table("grades", given.frame.drop(columns=["score", "kind"]), ()), "label")
    left = without_columns(data, ["score", "kind"])
    np.testing.assert_allclose(left.X, alone.X)
    assert left.feature_names == alone.feature_names
    with pytest.raises(UserError, match="No feature is left"):
        without_columns(left, left.feature_names)


@pytest.mark.parametrize(
    ("seed", "clustering"),
    [
        (0, KMeans(3, n_init=3, random_state=0)),
        (1, GaussianMixture(3, random_state=0)),
        (2, AgglomerativeClustering(3)),
    ],
)
def test_clusters_of_one_gaussian_are_asked_about(seed, clustering):
    X = np.random.default_rng(seed).normal(size=(150, 3)) @ [[1, 0.8, 0], [0, 0.6, 0], [0, 0, 3]]
    y = clustering.fit_predict(X)
    frame = pd.DataFrame(X, columns=list("abc")).assign(kind=WORDS[y])
    asked = prepare(Table("gaussian", frame, ()), "kind").open_questions
    assert [one.id for one in asked if one.id == "made"] == ["made"]


@pytest.mark.parametrize(
    ("n_rows", "n_features", "clustering"),
    [
        (40, 5, KMeans(3, n_init=3, random_state=0)),
        (60, 100, KMeans(2, n_init=3, random_state=0)),
        (60, 100, AgglomerativeClustering(3)),
    ],
)
def test_clusters_of_few_rows_are_recognized_of_few_and_many_features(
    n_rows, n_features, clustering
):
    tables = [np.random.default_rng(at).normal(size=(n_rows, n_features)) for at in range(3)]
    assert sum(are_quantized(X, clustering.fit_predict(X)) for X in tables) >= 2


@pytest.mark.parametrize(("n_features", "are_recognized"), [(3, True), (20, False)])
def test_clusters_of_hardly_any_rows_are_recognized_unless_features_are_more(
    n_features, are_recognized
):
    tables = [np.random.default_rng(at).normal(size=(18, n_features)) for at in range(6)]
    clustering = KMeans(2, n_init=3, random_state=0)
    said = [are_quantized(X, clustering.fit_predict(X)) for X in tables]
    assert any(said) is are_recognized


@pytest.mark.parametrize("n_axes", [1, 2])
def test_features_that_follow_from_few_others_are_looked_at_as_well(n_axes):
    stream = np.random.default_rng(0)
    y = np.arange(60) % 2
    few = 6.0 * y[:, None] + stream.normal(size=(60, n_axes))
    assert not are_quantized(few @ stream.normal(size=(n_axes, 200)), y)


@pytest.mark.parametrize(("n_rows", "n_features"), [(60, 100), (100, 20)])
def test_classes_among_many_features_are_not_taken_for_clusters(n_rows, n_features):
    stream = np.random.default_rng(0)
    y = stream.permutation(np.arange(n_rows) % 2)
    for distance in (2, 4, 6):
        X = stream.normal(size=(n_rows, n_features))
        X[:, 0] += distance * y
        assert not are_quantized(X, y)


@pytest.mark.parametrize("seed", [8, 12, 17, 19])
def test_classes_with_fewer_rows_than_a_shape_needs_are_not_taken_for_clusters(seed):
    y = np.arange(100) % 3
    X = np.random.default_rng(seed).normal(size=(100, 50)) + np.sqrt(8.0) * np.eye(50)[y]
    assert not are_quantized(X, y)


@pytest.mark.parametrize("n_rows", [8, 12, 20])
def test_groups_of_few_rows_of_noise_are_not_taken_for_clusters(n_rows):
    stream = np.random.default_rng(3)
    y = stream.permutation(np.arange(n_rows) % 2)
    for counts in (stream.normal, lambda size: stream.negative_binomial(0.3, 0.08, size)):
        said = sum(are_quantized(counts(size=(n_rows, 3_000)) * 1.0, y) for _ in range(4))
        assert said <= 1


@pytest.mark.slow
def test_classes_with_a_gap_are_nobodys_clusters():
    """A clustering finds them as well, and a rule tells them all: what counts is the gap."""
    stream = np.random.default_rng(0)
    y = np.arange(300) % 2
    for X in (stream.normal(size=(300, 3)), stream.uniform(-1.6, 1.6, size=(300, 3))):
        X[:, 0] += 4 * y
        assert not are_quantized(X, y)


@pytest.mark.slow
def test_classes_of_few_rows_are_not_taken_for_clusters():
    """Of 40 rows, those near the border lie in their own cell by chance alone."""
    said = 0
    for seed in range(5):
        stream = np.random.default_rng(seed)
        y = np.arange(40) % 2
        X = stream.normal(size=(40, 3)) + np.outer(y, [3.8, 0, 0])
        said += are_quantized(X, y)
    assert said <= 1


def test_a_class_of_few_rows_that_is_no_branch_is_compared_with_no_trees(monkeypatch):
    """A branch of one odd row leaves 95 % of the rows where they are, and none of such a class."""
    grown = []
    linkage = quantized_labels.linkage
    monkeypatch.setattr(
        quantized_labels, "linkage", lambda *given: grown.append(given[1]) or linkage(*given)
    )
    stream = np.random.default_rng(0)
    y = (np.arange(400) % 25 == 0).astype(int)
    assert not are_quantized(stream.lognormal(size=(400, 4)), y)
    assert len(grown) <= 2 * 3  # each kind once, of features as they are, and standardized


@pytest.mark.parametrize("n_rows", [6, 8])
def test_too_few_rows_say_nothing_of_clusters(n_rows):
    """Along a few directions of many features, two classes of few rows look like clusters."""
    y = np.arange(n_rows) % 2
    for seed in range(8):
        stream = np.random.default_rng(seed)
        along = stream.normal(size=(n_rows, 5))
        along[:, :2] += 1.5 * stream.normal(size=(2, 2))[y]
        X = along @ stream.normal(size=(5, 60)) + 0.5 * stream.normal(size=(n_rows, 60))
        assert not are_quantized(X, y)


@pytest.mark.parametrize(
    "name", ["leiden_0.5", "k-means", "Segment", "PhenoGraph", "RNA_snn_res.0.8"]
)
def test_labels_named_like_clusters_are_asked_about(name):
    given = table(**{name: words})
    assert "made" in [one.id for one in prepare(given, name).open_questions]
    answered = prepare(given, name, answers={"made": "known"})
    assert answered.open_questions == ()


@pytest.mark.parametrize(
    ("value", "others", "is_asked"),
    [
        (0.0, [5.0, 10.0, 20.0], True),
        (99.0, [2.5, 5.0, 20.0], True),
        (10.0, [2.5, 5.0, 20.0], False),  # as a family among others
        (0.0, [0.0, 5.0, 10.0, 20.0], False),  # of another class, too
    ],
)
def test_a_number_that_one_class_alone_has_in_every_row_tells_it(value, others, is_asked):
    def dose(y, stream):
        return np.where(y == 0, value, stream.choice(others, len(y)))

    found = twins(prepare(table(grade=words, dose=dose), "grade"))
    assert [*found] == ["twin:dose"] * is_asked
    if is_asked:
        says = f"It is {value:g} in all 30 rows of healthy and in no other."
        assert found["twin:dose"].sentence.endswith(says)


def test_a_class_of_few_rows_has_one_value_by_chance():
    few = np.r_[np.zeros(4), np.ones(43), np.full(43, 2)].astype(int)
    frame = table(grade=words).frame.assign(grade=WORDS[few], dose=np.where(few == 0, 0.0, 5 + few))
    frame["dose"] += np.where(few == 0, 0.0, np.random.default_rng(0).integers(0, 3, 90))
    assert twins(prepare(Table("grades", frame, ()), "grade")) == {}


@pytest.mark.parametrize("n_copies", [2, 9])
def test_of_words_that_say_the_same_as_the_label_one_is_asked_about_and_all_are_left_out(n_copies):
    def copies(y, stream):
        return np.array([f"code {code}" for code in y], dtype=object)

    names = [f"site {at}" for at in range(n_copies)]
    every = table(label=words, **dict.fromkeys(names, copies))
    data = prepare(every, "label")
    assert [*twins(data)] == ["twin:site 0"]
    assert names_of(data) == NOISE
    told = prepare(every, "label", answers={"twin:site 0": "measurement"})
    assert [*twins(told)] == ["twin:site 0"]  # the others say the same as this
    assert [one.id for one in told.questions if one.id.startswith("use:")] == ["use:site 1"]


@pytest.mark.parametrize(("rarest", "is_asked"), [(0.02, False), (0.5, True)])
def test_a_column_that_is_as_rarely_filled_in_one_class_as_in_none_tells_no_class(rarest, is_asked):
    """As a measurement of bones is, of which some kinds have hardly any, and another none."""

    def jaw(y, stream):
        shares = np.array([0.9, rarest, 0.0])[y]
        cells = np.where(stream.random(len(y)) < shares, stream.random(len(y)), np.nan)
        cells[np.flatnonzero(y == 1)[0]] = 0.3
        return cells

    asked = twins(prepare(table(label=words, jaw=jaw), "label"))
    assert ("twin:jaw" in asked) == is_asked


def test_a_large_class_about_the_mean_of_a_small_one_is_no_cluster():
    half = np.random.default_rng(0).normal(size=(40, 2))
    X = np.stack([half, -half], axis=1).reshape(-1, 2)  # whose means are exactly 0, in pairs
    assert not are_quantized(X, (np.arange(80) < 4).astype(np.int64))
