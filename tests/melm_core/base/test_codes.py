"""Codes of values, as pandas gives them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from melm_core.base.codes import codes_in_order, is_numeric, missing_values

COLUMNS = [
    np.array([3, 1, 3, 2]),
    np.array([np.nan, 2.0, 1.0, 2.0]),
    np.array(["b", "a", "b"]),
    np.array([True, False, True]),
    np.array(["2026-01-02", "NaT", "2026-01-01"], dtype="datetime64[D]"),
    np.array(["b", None, 1, float("nan"), pd.NA, pd.NaT, "b", 1], dtype=object),
    np.array([], dtype=object),
    np.array([]),
]


@pytest.mark.parametrize("values", COLUMNS)
def test_codes_and_missing_values_are_those_of_pandas(values):
    np.testing.assert_array_equal(codes_in_order(values), pd.factorize(values)[0])
    np.testing.assert_array_equal(missing_values(values), pd.isna(values))


@pytest.mark.parametrize("kind", ["int8", "Float64", "boolean", "category", "str", "M8[ns]"])
def test_a_type_is_one_of_numbers_where_pandas_says_so(kind):
    dtype = pd.Series([], dtype=kind).dtype
    assert is_numeric(dtype) == pd.api.types.is_numeric_dtype(dtype)


@pytest.mark.slow
def test_the_library_needs_no_pandas():
    program = "import sys; sys.modules['pandas'] = None; import melm_core, melm_core.evaluation"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=100)
