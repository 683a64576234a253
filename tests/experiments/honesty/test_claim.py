"""Tables of claims say what holds and what does not."""

from __future__ import annotations

from experiments.honesty import CLAIMS
from experiments.honesty.claim import Claim, Measured, as_table

HOLDS = Measured("coverage", 0.95, (0.92, 0.98), before="0 %")
FAILS = Measured("level", 0.72, (0.0, 0.05))
CLAIM = Claim("intervals", "They cover.", lambda _: (HOLDS, FAILS))


def test_a_table_has_a_line_a_figure_and_says_which_holds():
    lines = as_table(CLAIM, CLAIM.simulate(True)).splitlines()
    assert "| coverage | 0 % | 0.950 | 0.92 to 0.98 | holds |" in lines
    assert "| level |  | 0.720 | 0 to 0.05 | **does not hold** |" in lines


def test_claims_are_found_by_their_names():
    assert all(CLAIMS[name].name == name for name in CLAIMS)
