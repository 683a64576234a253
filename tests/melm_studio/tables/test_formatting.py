"""Names of any length fit on a line and stay different."""

from __future__ import annotations

import pytest

from melm_studio.tables.formatting import shortened


@pytest.mark.parametrize("width", [5, 22, 40])
@pytest.mark.parametrize("n", [1, 22, 23, 40, 41, 5_000])
def test_a_shortened_name_is_as_long_as_fits(n, width):
    found = shortened("x" * n, width)
    assert len(found) == min(n, width)
    assert ("…" in found) is (n > width)


def test_long_names_that_differ_at_either_end_stay_different():
    names = [
        f"{first}intensity of the peak at wavelength {last}" for first in "ab" for last in "12"
    ]
    assert len({shortened(name, 22) for name in names}) == 4


def test_white_space_becomes_single_spaces():
    assert shortened("a\n\n b\tc") == "a b c"
