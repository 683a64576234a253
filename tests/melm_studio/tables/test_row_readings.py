"""In which ways rows may belong together, where nobody says whether they do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from melm_studio.tables import LabeledData, Table, prepare, readings
from melm_studio.tables.row_readings import FEWEST_LENGTHS, FEWEST_RUNS, run_lengths


def walk(n_rows, correlation, seed=0, n_features=3):
    """Features that drift along the file."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    for row in range(1, n_rows):
        X[row] = correlation * X[row - 1] + np.sqrt(1 - correlation**2) * X[row]
    return X


def table(X, label, **columns) -> Table:
    frame = pd.DataFrame(X, columns=[f"f{at}" for at in range(X.shape[1])])
    return Table("test", frame.assign(**columns, label=label), ())


def sorted_by_class(n_rows=300, correlation=0.7):
    return table(walk(n_rows, correlation), np.repeat(["a", "b"], n_rows // 2))


def doubled():
    once = walk(40, 0.0)
    near = once + 0.001 * walk(40, 0.0, seed=1)
    return table(np.vstack([once, near]), np.tile(np.repeat(["a", "b"], 20), 2))


def of_subjects(**columns):
    subject = np.repeat(np.arange(20), 4)
    order = np.random.default_rng(2).permutation(80)
    X = walk(20, 0.0)[subject] + 0.3 * walk(80, 0.0, seed=3)
    codes = columns or {"code": subject + 1.0}
    shuffled = {name: np.asarray(cells)[order] for name, cells in codes.items()}
    return table(X[order], np.where(subject % 2, "a", "b")[order], **shuffled)


TABLES = {"neighbors": sorted_by_class, "doubles": doubled, "subjects:code": of_subjects}


def same_groups(first, second) -> bool:
    pairs = {*zip(first.tolist(), second.tolist(), strict=True)}
    return len(pairs) == len(set(first.tolist())) == len(set(second.tolist()))


@pytest.mark.parametrize("question", TABLES)
def test_a_reading_has_the_rows_as_its_answer_would_have_them(question):
    source = TABLES[question]()
    found = readings(prepare(source, "label"))
    assert {one.question.id for one in found} == {question}
    for one in found:
        answered = prepare(source, "label", answers={question: one.answer})
        assert same_groups(one.data.groups, answered.groups)
        assert one.data.feature_names == answered.feature_names
        np.testing.assert_allclose(one.data.X, answered.X)


@pytest.mark.parametrize("question", TABLES)
def test_an_answer_leaves_one_reading_which_is_its_own(question):
    for answer in ("independent", "runs:9" if question == "neighbors" else "together"):
        assert readings(prepare(TABLES[question](), "label", answers={question: answer})) == ()


def test_readings_are_those_of_the_data_wherever_they_are_stored():
    data = prepare(of_subjects(), "label")
    (one,) = readings(data)
    (again,) = readings(LabeledData.from_bytes(data.to_bytes()))
    assert one.question == again.question
    np.testing.assert_array_equal(one.data.groups, again.data.groups)


def test_runs_go_up_from_the_length_of_dependence_to_a_tenth_of_the_file():
    lengths = run_lengths(prepare(sorted_by_class(), "label"))
    assert lengths == tuple(sorted(lengths, reverse=True))
    assert lengths[0] == 300 // FEWEST_RUNS
    assert lengths[0] >= FEWEST_LENGTHS * lengths[-1]
    found = readings(prepare(sorted_by_class(), "label"))
    assert found[0].n_rows == lengths[0]
    assert found[0].together == "runs of 30 neighboring rows"


def test_every_class_is_divided_into_three_runs():
    X = walk(300, 0.5)
    data = prepare(table(X, np.repeat(["a", "b"], [260, 40])), "label")
    for one in readings(data):
        assert min(len(np.unique(one.data.groups[data.y == code])) for code in (0, 1)) >= 3


def test_rows_that_resemble_each_other_too_far_have_no_reading():
    data = prepare(sorted_by_class(correlation=0.97), "label")
    assert [one.id for one in data.suspicions] == ["neighbors"]
    assert run_lengths(data) == readings(data) == ()


def test_runs_that_end_with_those_of_the_labels_are_tried_once():
    labels = np.repeat(np.arange(60) % 2, 5)
    data = prepare(table(walk(300, 0.7), np.array(["a", "b"])[labels]), "label")
    sizes = [one.n_rows for one in readings(data)]
    assert sizes == sorted(set(sizes), reverse=True)
    assert max(sizes) == 5


@pytest.mark.parametrize("cells", ["text", "number"])
def test_subjects_of_any_column_are_found_again_with_gaps_as_their_own(cells):
    subject = np.repeat(np.arange(20), 4)
    names = [f"S{one}" for one in subject] if cells == "text" else (subject + 1.0).tolist()
    gappy = [None, *names[1:]] if cells == "text" else [np.nan, *names[1:]]
    (found,) = readings(prepare(of_subjects(code=gappy), "label"))
    assert found.question.id == "subjects:code"
    assert found.together == "rows of one code"
    assert int(found.data.groups.max()) + 1 == 21
