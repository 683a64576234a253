"""What is asked of a table about rows that may depend on each other, and what answers do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from melm_studio.tables import SAMPLES, LabeledData, Table, TableError, Use, load_sample, prepare
from melm_studio.tables.dependence import has_chosen_groups, neighbor_blocks
from melm_studio.tables.questions import answered_roles, checked_answers

RNG = np.random.default_rng(0)
SUBJECT = np.repeat(np.arange(20), 6)
SHUFFLED = RNG.permutation(120)
CODES = [f"S{one:02d}" for one in SUBJECT[SHUFFLED]]


def noise(n_rows, n_features=4, seed=1):
    return np.random.default_rng(seed).normal(size=(n_rows, n_features))


def table(**cells):
    return Table("test", pd.DataFrame(cells), ())


def columns(X):
    return {f"f{at}": column for at, column in enumerate(X.T)}


def of_subjects(**extra):
    """Rows of subjects in random order."""
    X = noise(20)[SUBJECT] + noise(120, seed=2)
    label = np.where(SUBJECT % 2, "a", "b")
    return table(**columns(X[SHUFFLED]), **extra, label=label[SHUFFLED])


def serial():
    """Rows that drift along the file, whose labels come in runs of 15."""
    X = noise(150)
    for row in range(1, 150):
        X[row] = 0.9 * X[row - 1] + 0.44 * X[row]
    return table(**columns(X), label=np.where(np.arange(150) // 15 % 2, "a", "b"))


def doubled():
    once = noise(30)
    label = np.where(np.arange(30) % 2, "a", "b")
    near = once + 0.001 * noise(30, seed=3)
    return table(**columns(np.vstack([once, near])), label=np.tile(label, 2))


TABLES = {"subjects:code": lambda: of_subjects(code=CODES), "neighbors": serial, "doubles": doubled}
KEEP = {"subjects:code": "together", "neighbors": "runs:15", "doubles": "together"}
N_GROUPS = {"subjects:code": 20, "neighbors": 10, "doubles": 30}


@pytest.mark.parametrize("question", TABLES)
def test_rows_that_may_belong_together_are_asked_about(question):
    data = prepare(TABLES[question](), "label")
    assert [one.id for one in data.suspicions] == [question]
    assert data.open_questions == ()  # the verdict is computed each way
    assert data.groups is None
    assert KEEP[question] in [choice.value for choice in data.questions[0].choices]


@pytest.mark.parametrize("question", TABLES)
def test_an_answer_keeps_rows_together_and_closes_the_question(question):
    data = prepare(TABLES[question](), "label", answers={question: KEEP[question]})
    assert len(np.unique(data.groups)) == N_GROUPS[question]
    assert has_chosen_groups(data.columns, data.questions)
    assert data.suspicions == ()
    assert [one.answer for one in data.questions] == [KEEP[question]]
    assert "You answered: Keep" in " ".join(data.steps)


@pytest.mark.parametrize("question", TABLES)
def test_rows_that_are_said_to_be_independent_stay_so(question):
    data = prepare(TABLES[question](), "label", answers={question: "independent"})
    assert data.groups is None
    assert data.suspicions == ()


def test_questions_and_answers_travel_with_the_data():
    data = prepare(serial(), "label")
    again = LabeledData.from_bytes(data.to_bytes())
    assert again.questions == data.questions
    assert again.content_hash == data.content_hash
    answered = prepare(serial(), "label", answers={"neighbors": "independent"})
    assert answered.content_hash != data.content_hash


@pytest.mark.parametrize(
    "name_and_cells",
    [
        ("sample_id", SUBJECT[SHUFFLED] + 1.0),
        ("who", [f"MX-{37 * one % 101}" for one in SUBJECT[SHUFFLED]]),
        ("field_7", SUBJECT[SHUFFLED] + 101.0),
    ],
    ids=lambda value: value[0],
)
def test_a_column_is_like_subjects_by_its_name_or_by_its_values(name_and_cells):
    name, cells = name_and_cells
    data = prepare(of_subjects(**{name: cells}), "label")
    assert [one.id for one in data.suspicions] == [f"subjects:{name}"]


@pytest.mark.parametrize(
    ("name", "is_asked"), [("Student", True), ("patient", True), ("colour", False)]
)
def test_a_few_people_of_many_rows_each_are_asked_about(name, is_asked):
    cells = [("Ann", "Bob", "Cleo", "Dan", "Eve")[row * 7 % 5] for row in range(120)]
    data = prepare(table(**columns(noise(120)), **{name: cells}, label=np.arange(120) // 3 % 2))
    assert (f"subjects:{name}" in [one.id for one in data.questions]) is is_asked


def test_categories_counts_and_ages_are_not_like_subjects():
    rng = np.random.default_rng(4)
    y = rng.permutation(150) % 2
    X = noise(150) + y[:, None]
    data = prepare(
        table(
            **columns(X),
            age=np.round(50 + 12 * X[:, 1]),
            visits=rng.poisson(4, 150).astype(float),
            town=[f"Town {'ABCDEFGHIJ'[at]}" for at in rng.integers(0, 10, 150)],
            grade=[f"G{at}" for at in rng.integers(1, 9, 150)],
            label=np.where(y, "a", "b"),
        ),
        "label",
    )
    assert data.suspicions == ()


def test_serial_rows_of_random_labels_need_no_question():
    frame = serial().frame
    labels = np.random.default_rng(0).permutation(frame["label"].to_numpy())
    data = prepare(table(**{**dict(frame), "label": labels}), "label")
    assert data.questions == ()


def test_a_column_that_follows_the_file_is_offered_for_neighbors():
    stretch = [f"part {at // 25}" for at in range(150)]
    data = prepare(table(**dict(serial().frame), stretch=stretch), "label")
    values = [choice.value for one in data.questions for choice in one.choices]
    assert "column:stretch" in values
    answered = prepare(
        table(**dict(serial().frame), stretch=stretch),
        "label",
        answers={"neighbors": "column:stretch"},
    )
    assert len(np.unique(answered.groups)) == 6


def test_a_chosen_group_leaves_nothing_to_ask():
    data = prepare(of_subjects(code=CODES), "label", roles={"code": Use.GROUP})
    assert data.questions == ()


def test_an_answer_about_a_column_holds_where_the_second_file_asks_nothing():
    rows = table(
        **columns(noise(60)),
        code=[f"{chr(97 + at // 3)}S" for at in range(60)],
        label=["a", "b"] * 30,
    )
    assert [one.id for one in prepare(rows, "label").questions] == ["categories"]
    data = prepare(rows, "label", answers={"subjects:code": "together"})
    assert len(np.unique(data.groups)) == 20


def test_a_chosen_group_wins_over_an_answer():
    answers = {"subjects:code": "together"}
    assert answered_roles(answers, {"day": Use.GROUP}) == {}
    assert answered_roles(answers, {"day": Use.BATCH}) == {"code": Use.GROUP}


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"weather": "fine"}, 'There is no question "weather"'),
        ({"neighbors": "together"}, '"together" is no answer to neighbors'),
        ({"neighbors": "runs:0"}, "runs:15"),
        ({"doubles": "runs:3"}, "Answer independent or together"),
    ],
)
def test_an_answer_that_there_is_not_names_those_that_there_are(answers, message):
    with pytest.raises(TableError, match=message):
        checked_answers(answers)


def test_blocks_of_neighbors_end_where_a_run_of_labels_does():
    y = np.repeat([0, 1, 0, 1], [10, 20, 10, 20])
    sizes = np.bincount(neighbor_blocks(y, 10))
    np.testing.assert_array_equal(sizes, [10] * 6)
    assert all(len(np.unique(y[neighbor_blocks(y, 15) == code])) == 1 for code in range(6))
    np.testing.assert_array_equal(
        np.bincount(neighbor_blocks(np.arange(50) % 2, 15)), [15, 15, 15, 5]
    )


@pytest.mark.parametrize("key", SAMPLES)
def test_the_rows_of_samples_are_known_to_be_independent(key):
    assert prepare(load_sample(key)).questions == ()


def test_empty_cells_of_a_column_of_subjects_are_subjects_of_their_own():
    codes = pd.Series(CODES).where(np.arange(120) > 1).tolist()
    data = prepare(of_subjects(code=codes), "label", answers={"subjects:code": "together"})
    assert len(np.unique(data.groups)) == 22
