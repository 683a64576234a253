"""Features that are the pixels of an image: recognized by name or values, or said."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

from melm_core.recipe import MissingValues, Recipe
from melm_studio.tables import (
    MAX_PIXELS,
    Table,
    TableError,
    can_be_pixels,
    fitting_grid,
    grid_answer,
    load_sample,
    pixel_grid,
    prepare,
    read_table,
)

DIGITS, DIGIT = load_digits(return_X_y=True)


def drawings(names, X=DIGITS, **more):
    frame = pd.DataFrame(X, columns=names)
    return Table("test", frame.assign(**more, digit=[f"d{one}" for one in DIGIT[: len(X)]]), ())


def grid_of(table, said="", **options):
    return pixel_grid(prepare(table, "digit", **options), said)


@pytest.mark.parametrize(
    "names",
    [
        [f"pixel_{row}_{column}" for row, column in np.ndindex(8, 8)],
        [f"{row}x{column}" for row, column in np.ndindex(8, 8)],
        [f"pixel{at}" for at in range(1, 65)],
        [f"p{at}" for at in range(64)],
        [f"x{at}" for at in range(64)],  # known by the values
        [f"r{row}c{column}" for row, column in np.ndindex(8, 8)],
    ],
)
def test_drawings_are_recognized_whatever_pixels_are_called(names):
    grid = grid_of(drawings(names))
    assert (grid.height, grid.width) == (8, 8)
    # Those that are the same in all rows are no features, and keep their places.
    varying = np.flatnonzero(np.ptp(DIGITS, axis=0))
    assert grid.cells.tolist() == varying.tolist()
    assert len(varying) < 64


def test_a_rectangle_of_pixels_is_recognized_the_right_way_round():
    tall = DIGITS.reshape(-1, 8, 8)[:, :, 1:7].reshape(len(DIGITS), -1)
    grid = grid_of(drawings([f"x{at}" for at in range(48)], tall))
    assert grid.size == "8 x 6"


def test_the_columns_of_a_table_may_stand_in_any_order():
    names = [f"pixel_{row}_{column}" for row, column in np.ndindex(8, 8)]
    order = np.random.default_rng(0).permutation(64)
    table = drawings([names[at] for at in order], DIGITS[:, order])
    grid = grid_of(table)
    data = prepare(table, "digit")
    assert [names[cell] for cell in grid.cells] == list(data.feature_names)


def smooth(n_features, seed=0):
    """Spectra: neighbors are alike, and all the less the farther apart they are."""
    steps = np.random.default_rng(seed).normal(size=(len(DIGITS), n_features))
    return np.cumsum(steps, axis=1)


@pytest.mark.parametrize(
    "X",
    [
        np.random.default_rng(0).normal(size=(len(DIGITS), 64)),
        smooth(64),
        smooth(64) + 10 * np.random.default_rng(1).normal(size=(len(DIGITS), 1)),
        np.random.default_rng(2).normal(size=(len(DIGITS), 1)) + 0.5 * smooth(64) / 8,
    ],
)
def test_embeddings_and_spectra_of_a_square_number_of_features_are_no_images(X):
    assert grid_of(drawings([f"x{at}" for at in range(64)], X)) is None


@pytest.mark.parametrize(
    "sample", ["iris", "wine", "breast_cancer", "five_gaussians", "pure_noise"]
)
def test_no_other_sample_is_an_image(sample):
    assert pixel_grid(prepare(load_sample(sample))) is None


def test_the_digits_sample_is_one():
    assert pixel_grid(prepare(load_sample("digits"))).size == "8 x 8"


def test_a_feature_that_is_no_pixel_makes_a_table_none():
    names = [f"pixel_{row}_{column}" for row, column in np.ndindex(8, 8)]
    age = np.random.default_rng(0).normal(size=len(DIGITS))
    assert grid_of(drawings(names, age=age)) is None
    assert grid_of(drawings(names, age=age), roles={"age": "ignored"}).size == "8 x 8"


def test_features_that_mark_missing_numbers_are_no_pixels():
    names = [f"pixel_{row}_{column}" for row, column in np.ndindex(8, 8)]
    X = DIGITS.copy()
    X[::7, 20] = np.nan
    assert grid_of(drawings(names, X)).size == "8 x 8"
    assert grid_of(drawings(names, X), recipe=Recipe(missing=MissingValues(indicator=True))) is None


@pytest.mark.parametrize("form", ["square", "flat"])
def test_images_and_vectors_of_numpy_are_recognized(form):
    file = io.BytesIO()
    X = DIGITS.reshape(-1, 8, 8) if form == "square" else DIGITS
    np.savez(file, X=X, y=[f"d{one}" for one in DIGIT])
    table = read_table(file.getvalue(), "digits.npz")
    assert pixel_grid(prepare(table, "y")).size == "8 x 8"


@pytest.mark.slow
def test_what_a_person_says_goes_before_what_is_recognized():
    table = drawings([f"p{at}" for at in range(64)])
    assert grid_of(table, "none") is None
    assert grid_of(table, "4x16").size == "4 x 16"
    plain = drawings([f"measure {one}" for one in "abcdefghijklmnop"], DIGITS[:, 8:24])
    assert grid_of(plain) is None
    assert grid_of(plain, "4x4").size == "4 x 4"


@pytest.mark.slow
def test_a_grid_that_the_columns_cannot_be_is_refused_with_a_way_out():
    table = drawings([f"p{at}" for at in range(64)])
    with pytest.raises(TableError, match="9 x 9 has 81 pixels, but the table has 64 numeric"):
        grid_of(table, "9x9")
    with pytest.raises(TableError, match=f"at most {MAX_PIXELS:,} are shown"):
        grid_of(table, "100x100")
    with pytest.raises(TableError, match='"8 by 8" is no answer to grid'):
        prepare(table, "digit", answers={"grid": "8 by 8"})


@pytest.mark.parametrize("said", ["9x9", "100x100"])
def test_an_answer_about_another_table_is_said_and_the_recognized_grid_stays(said):
    data = prepare(drawings([f"x{at}" for at in range(64)]), "digit", answers={"grid": said})
    assert data.warnings[0].startswith(
        f"Not used, since this table does not fit: 1 answer (grid = {said})"
    )
    assert [(one.id, one.answer, one.default) for one in data.questions] == [("grid", "", "8x8")]
    assert fitting_grid(data, said).size == "8 x 8"


@pytest.mark.parametrize(
    ("prefix", "said", "asked"),
    [
        ("x", "", [("grid", "", "8x8", ["8x8", "none"])]),
        ("x", "none", [("grid", "none", "8x8", ["8x8", "none"])]),
        ("x", "4x16", [("grid", "4x16", "8x8", ["8x8", "4x16", "none"])]),
        ("pixel", "", []),
        ("pixel", "none", [("grid", "none", "8x8", ["8x8", "none"])]),
    ],
)
def test_whether_features_are_pixels_is_asked_where_it_was_guessed_or_answered(prefix, said, asked):
    table = drawings([f"{prefix}{at}" for at in range(64)])
    data = prepare(table, "digit", answers={"grid": said} if said else None)
    found = [
        (one.id, one.answer, one.default, [choice.value for choice in one.choices])
        for one in data.questions
    ]
    assert found == asked


def test_the_answer_changes_no_number():
    table = drawings([f"p{at}" for at in range(64)])
    plain = prepare(table, "digit")
    answered = prepare(table, "digit", answers={"grid": "8x8"})
    assert (answered.feature_names, answered.steps) == (plain.feature_names, plain.steps)
    np.testing.assert_array_equal(answered.X, plain.X)


@pytest.mark.parametrize("typed", ["8x8", " 8 X 8", "8×8", "8 * 8"])
def test_a_size_is_read_however_it_is_typed(typed):
    assert grid_answer(typed) == "8x8"


@pytest.mark.parametrize("typed", ["8", "0x8", "8x8x3", "eight"])
def test_what_is_no_size_is_refused(typed):
    with pytest.raises(TableError, match="is no size of an image"):
        grid_answer(typed)


def test_only_a_table_of_many_features_can_be_said_to_be_images():
    assert can_be_pixels(prepare(load_sample("digits")))
    assert not can_be_pixels(prepare(load_sample("iris")))
