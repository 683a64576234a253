"""Every claim prints its figures, in a quick form and in full.

The fast tests measure the first figure of each, the slow ones all.
"""

from __future__ import annotations

import math

import pytest

from lab.experiments.honesty import CLAIMS, page
from lab.experiments.honesty.claim import Claim, Measured

# The quick forms are too short for judgments.
KNOWN_NOT_TO_HOLD = {
    case for claim in CLAIMS.values() if (found := page.kept(claim)) for case, _, _ in found.broken
}


# Of these the first figure already takes several seconds.
LONG = {"early-answers", "hidden-subjects", "winners"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in CLAIMS],
)
def test_the_first_figure_of_a_claim_is_measured(name):
    assert math.isfinite(next(iter(CLAIMS[name].simulate(True))).value)


@pytest.mark.slow
@pytest.mark.parametrize("name", CLAIMS)
def test_the_quick_form_of_a_claim_measures(name):
    figures = tuple(CLAIMS[name].simulate(True))
    assert figures
    assert all(math.isfinite(figure.value) for figure in figures)


@pytest.mark.slow
@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_holds(name):
    broken = [figure.case for figure in CLAIMS[name].simulate(False) if not figure.holds]
    assert set(broken) <= KNOWN_NOT_TO_HOLD


def test_the_pages_say_what_was_kept():
    found = {claim: page.kept(claim) for claim in CLAIMS.values()}
    for claim, kept in found.items():
        if kept:
            written = (page.RESULTS / f"honesty-{claim.name}.md").read_text()
            assert written == page.page_of(claim, kept)
            assert kept.tables.count("**") == 2 * len(kept.broken)
    assert page.PAGE.read_text() == page.text_of(CLAIMS)
    assert sum(kept is not None for kept in found.values()) > 15


def test_what_is_kept_is_what_was_measured(monkeypatch, tmp_path):
    monkeypatch.setattr(page, "RESULTS", tmp_path)
    claim = Claim("toy", "It holds.", lambda quick: ())
    figures = (
        Measured("60 x 5", "level", 0.05, (0.0, 0.1)),
        Measured("60 x 5", "power", 0.2, (0.8, 1.0), "of 40"),
    )
    page.keep(claim, figures)
    kept = page.kept(claim)
    assert kept.n_figures == 2
    assert kept.broken == (("60 x 5: power", "0.200 (of 40)", "0.8 to 1"),)
    assert "| 60 x 5 | 0.050 | **0.200** (of 40) |" in (tmp_path / "honesty-toy.md").read_text()
