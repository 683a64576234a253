"""One formatter of shares; `tests/page/drawing.test.mjs` has the same examples for the page."""

from __future__ import annotations

import pytest

from melm_core.base import percent


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (1 / 3, "33 %"), (0.125, "13 %"), (0.285, "29 %"), (0.994, "99 %"), (1, "100 %")],
)
def test_a_percentage_has_no_decimals_and_halves_are_rounded_up(share, text):
    assert percent(share) == text


@pytest.mark.parametrize("share", [0.995, 0.999, 1 - 1e-12])
def test_only_all_rows_are_all(share):
    assert percent(share) == "over 99 %"


@pytest.mark.parametrize("share", [0.995, 0.9996, 1 - 1e-12])
def test_an_error_of_nearly_all_rows_has_a_decimal_as_they_have(share):
    text = percent(share, 0.008)
    assert text.endswith(" ± 0.8 %")
    assert 99.5 <= float(text.partition(" ")[0]) <= 99.9
