"""The list of features says what each is worth, and marks those of which it is not sure."""

from __future__ import annotations

import numpy as np
import pytest

from melm_studio.layout.feature_list import feature_list
from melm_studio.planes.features import feature_ranking
from tests.melm_studio.layout.trees import parts, texts

WORTH = {"share": 0.5, "is_seen": True, "words": "3 % lost"}


def ranked(*changes, **more):
    """A ranking of as many features as there are changes, whose arrows are 2, 1, … long."""
    loadings = np.array([[0.0, float(at)] for at in range(len(changes), 0, -1)])
    ranking = feature_ranking([f"f{at}" for at in range(len(changes))], loadings)
    features = [each | change for each, change in zip(ranking["features"], changes, strict=True)]
    return ranking | {"features": features} | more


def buttons(ranking):
    return [each for each in parts(feature_list(ranking)) if "data-feature" in each]


def test_until_losses_are_known_bars_are_as_long_as_arrows():
    bars = [
        each["style"]["--share"]
        for each in parts(feature_list(ranked({}, {})))
        if each.get("className") == "feature-bar"
    ]
    assert bars == ["1.0000", "0.5000"]


def test_what_a_feature_is_worth_is_said_and_where_that_is_not_sure():
    unseen = {**WORTH, "is_seen": False, "words": "none lost"}
    unstable = {"is_stable": False, "stability": "in 1 of 9"}
    ranking = ranked(WORTH, unseen, {**unseen, **unstable})
    first, second, third = buttons(ranking)
    assert (first["title"], first["className"]) == ("f0: 3 % lost", "feature")
    assert second["aria-label"] == "f1, loading 2.00, not sure: none lost"
    assert second["className"] == "feature is-unseen"
    assert third["title"] == "f2: not sure: none lost; in 1 of 9"
    assert third["className"] == "feature is-unseen is-unstable"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, [""]),
        ({"of": 1_204}, ["The strongest 1 of 1,204."]),
        ({"of": 9, "stability": "It turns."}, ["The strongest 1 of 9. It turns."]),
    ],
)
def test_features_beyond_the_list_are_counted(more, said):
    shown = feature_list(ranked({}, **more))
    assert texts(shown[-1]) == said


def line_of(ranking):
    shown = parts(feature_list(ranking))
    (line,) = (each for each in shown if each.get("className") == "features-line")
    return line


def test_a_line_is_shown_where_features_are_in_order_alone():
    assert line_of(ranked({}))["hidden"]
    line = line_of(ranked({}, line={"words": "Length", "points": "0,1 2,3"}))
    assert (line["hidden"], line["aria-label"]) == (False, "Length")
