"""The listed features, and how often resamples of the rows select them."""

from __future__ import annotations

from melm_studio.analyses.feature_stability import with_stability
from melm_studio.runs.records.check_report import FeatureStability

RANKING = {"features": [{"feature": 2, "name": "c"}, {"feature": 0, "name": "a"}], "of": 3}
FOUND = FeatureStability(8.2, 20, 2, (0.4, 0.65, 0.95), (0.1, 0.2, 0.3), (0.5, 0.6, 0.44))


def test_each_listed_feature_has_its_own_share_and_interval():
    c, a = with_stability(RANKING, FOUND)["features"]
    assert (c["is_stable"], a["is_stable"]) == (True, False)
    assert c["stability"] == (
        "Among the 2 strongest in 95 % of 20 resamples; length of its loadings 0.30 to 0.44"
    )
    assert a["stability"].endswith("0.10 to 0.50")


def test_the_turn_of_the_plane_is_said_beside_the_list():
    said = with_stability(RANKING, FOUND)["stability"]
    assert said == "The plane turns by 8 degrees between resamples of the rows."


def test_before_a_check_the_list_is_as_it_was():
    assert with_stability(RANKING, None) == RANKING
