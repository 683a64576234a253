"""A drawing becomes a table like any other."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from melm_studio.layout import ids

A, B = [[0.1 * i, 0.0, 0] for i in range(20)], [[0.1 * i, 1.0, 1] for i in range(20)]


def drawn(visitor, points, **options):
    return visitor.http.post("/drawing", json={"points": points, "n_rows": 40, **options})


def test_a_drawing_is_a_table_that_is_prepared_without_a_question(visitor):
    table = drawn(visitor, A + B, n_rows=200)
    assert table.status_code == 200, table.text
    changes = visitor.choose_file(table.data, "Drawing of 200 rows.csv")
    assert changes[f"{ids.DATA}.data"]["label"] == "class"
    assert changes[f"{ids.DATA_NOTES}.children"] in (None, [], "")
    data = pd.read_csv(io.BytesIO(table.data))
    assert [*data] == [*(f"x{i}" for i in range(1, 23)), "class"]
    assert data["class"].value_counts().to_dict() == {"A": 100, "B": 100}


def test_the_seed_is_an_argument_and_decides_the_table(visitor):
    tables = [drawn(visitor, A + B, random_state=seed).data for seed in (0, 0, 1)]
    assert tables[0] == tables[1] != tables[2]


@pytest.mark.parametrize(
    ("points", "options", "words"),
    [
        ([], {}, "needs two classes"),
        (A, {}, "Choose another class and paint that, too."),
        (A + B[:4], {}, "Class B has 4 dots, and 5 are needed. Paint more of it, or undo it."),
        (A * 31, {}, "at most 600 points"),
        ([*A, *B, [0, 0, 3]], {}, "The drawing"),
        (A + B, {"n_rows": 5_001}, "The number of rows must be a whole number from 1 to 5,000"),
    ],
)
def test_what_is_no_drawing_is_refused_in_a_sentence(visitor, points, options, words):
    answer = drawn(visitor, points, **options)
    assert answer.status_code == 400
    assert words in answer.json["words"]
