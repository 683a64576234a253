"""Numbers as plotly.js reads them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from melm_studio.figures.encoding import compact, typed
from tests.melm_studio.figures.views import decoded

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


@given(st.lists(st.floats(-1e6, 1e6) | st.just(np.nan)))
def test_compact_numbers_come_back_to_half_a_step(values):
    encoded = compact(values)
    np.testing.assert_allclose(
        decoded(encoded), values, rtol=0, atol=0.501 * encoded["step"], equal_nan=True
    )


def test_a_step_of_the_compact_form_is_far_below_a_pixel():
    values = np.random.default_rng(0).normal(size=1_000)
    assert compact(values)["step"] < np.ptp(values) / 65_000
