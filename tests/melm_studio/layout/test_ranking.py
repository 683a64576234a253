"""All methods by their shares, as a person reads them."""

from __future__ import annotations

import json

from plotly.utils import PlotlyJSONEncoder

from melm_studio.analyses.ranking import RankedRow
from melm_studio.layout.ranking import ranking_body
from tools.driver.visitor import components


def ranked(label: str, share: float, *, is_tied: bool = False) -> RankedRow:
    return RankedRow(label, share, 0.02, share, is_tied, seconds=1.0)


def test_methods_of_the_papers_alone_are_folded_unless_they_are_level_with_the_first():
    level, behind = ranked("Class PCA", 0.89, is_tied=True), ranked("Two-ellipsoid PCA", 0.5)
    rows = [ranked("LDA", 0.9), level, behind]
    drawn = json.loads(json.dumps(ranking_body("", "", rows, ()), cls=PlotlyJSONEncoder))
    (folded,) = (str(part) for part in components(drawn) if part["type"] == "Details")
    assert "1 method from the papers" in folded
    assert "Two-ellipsoid PCA" in folded
    assert "Class PCA" not in folded
