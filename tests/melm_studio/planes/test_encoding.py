"""Numbers as plotly.js reads them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from melm_core.diagnostics import class_ellipses
from melm_studio.planes.encoding import (
    EllipseCoordinate,
    compact,
    packed_points,
    packed_rows,
    typed,
)
from tests.melm_studio.planes.views import decoded, unpacked_points, unpacked_rows

single = st.floats(width=32)


@given(st.lists(single))
def test_single_precision_numbers_come_back_bit_for_bit(values):
    back = decoded(typed(values)).astype("<f4")
    assert back.tobytes() == np.array(values, dtype="<f4").tobytes()


def test_double_precision_numbers_come_back_to_single_precision():
    values = np.random.default_rng(0).normal(size=1_000)
    np.testing.assert_allclose(decoded(typed(values)), values, rtol=2**-23)


@pytest.mark.parametrize(
    "values",
    [np.arange(12.0).reshape(6, 2)[:, 1], np.arange(6, dtype=">f8"), np.arange(6)],
    ids=["strided", "big-endian", "whole"],
)
def test_memory_layout_and_type_make_no_difference(values):
    np.testing.assert_array_equal(decoded(typed(values)), values)


@given(st.lists(st.floats(-1e6, 1e6) | st.just(np.nan), min_size=1))
def test_compact_numbers_come_back_to_half_a_step(values):
    encoded = compact(values)
    np.testing.assert_allclose(
        decoded(encoded), values, rtol=0, atol=0.501 * encoded["step"], equal_nan=True
    )


def test_of_no_numbers_an_empty_list_is_sent():
    assert compact([]) == []


def test_an_ellipse_is_sent_as_three_numbers_and_read_as_its_outline():
    ellipses = class_ellipses(np.random.default_rng(0).normal(size=(20, 2)))
    assert ellipses is not None
    for axis in (0, 1):
        coordinate, outline = EllipseCoordinate(ellipses, "rows", axis), ellipses.outline("rows")
        np.testing.assert_array_equal(np.asarray(coordinate), outline[:, axis])
        sent = compact(coordinate)
        assert len(sent) == 4
        np.testing.assert_allclose(decoded(sent), outline[:, axis], atol=2e-5)


def test_a_step_of_the_compact_form_is_far_below_a_pixel():
    values = np.random.default_rng(0).normal(size=1_000)
    assert compact(values)["step"] < np.ptp(values) / 65_000


@pytest.mark.parametrize("spread", [1e-300, 1e-3, 1.0, 1e12])
def test_packed_points_come_back_to_half_a_step(spread):
    points = spread * np.random.default_rng(0).normal(size=(500, 2)) + [3.0, -5.0]
    step = np.ptp(points, axis=0) / (2**24 - 1)
    error = np.abs(unpacked_points(packed_points(points)) - points)
    assert (error <= 0.501 * step + 1e-15).all()


def test_packed_points_that_are_all_alike_come_back():
    points = np.full((3, 2), [0.5, -2.0])
    np.testing.assert_array_equal(unpacked_points(packed_points(points)), points)


def test_packed_rows_come_back():
    numbers = np.array([2, 3, 70_000, 70_001])
    codes, is_held_out = np.array([0, 300, 1, 0]), np.array([True, False, False, True])
    back = unpacked_rows(packed_rows(numbers, codes, is_held_out))
    for found, expected in zip(back, (numbers, codes, is_held_out), strict=True):
        np.testing.assert_array_equal(found, expected)
