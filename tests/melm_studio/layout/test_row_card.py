"""The card of a row says its prediction beside its class, and shows pictures."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from melm_studio.layout.elements import markup
from melm_studio.layout.lists import row_card
from melm_studio.rows.details import Contribution, RowDetails
from melm_studio.rows.row_summaries import RowSummary
from tests.melm_studio.layout.trees import parts, texts

SUMMARY = RowSummary(
    row=7, name="", label="a", predicted="a", probability="80 %", basis="held out", unlike=""
)


def card_of(summary: RowSummary = SUMMARY, **found) -> list:
    return row_card(RowDetails(summary=summary, **{"contributions": (), "info": ()} | found))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, ["row 7", "a", "its class: 80 % (held out)"]),
        ({"name": "x"}, ["x", "a, row 7", "its class: 80 % (held out)"]),
        ({"predicted": "b"}, ["row 7", "a", "taken for b: 80 % (held out)"]),
        ({"label": ""}, ["row 7", "no label", "predicted a: 80 % (held out)"]),
        ({"possible": "a or b"}, ["row 7", "a", "its class: 80 % (held out)", "at 90 %: a or b"]),
        ({"unlike": "off the plane"}, ["row 7", "a", "unlike the training rows, off the plane"]),
        (
            {"probability": "", "basis": "no probability"},
            ["row 7", "a", "its class (no probability)"],
        ),
    ],
)
def test_a_prediction_is_said_beside_the_class(changes, said):
    assert texts(*card_of(replace(SUMMARY, **changes))) == said


def test_only_another_class_and_a_stranger_stand_out():
    for changes, stands_out in [({}, False), ({"predicted": "b"}, True), ({"label": ""}, False)]:
        classes = [part.get("className") for part in parts(*card_of(replace(SUMMARY, **changes)))]
        assert ("is-other" in classes) is stands_out


def test_values_follow_and_a_picture_is_shown():
    picture = "data:image/png;base64,AA=="
    card = card_of(
        contributions=(Contribution("ash", "2.1", -1.26), Contribution("hue", "1", 0.5)),
        info=(("leaf", picture), ("site", "<b>")),
        nearest=("row 3 (a)", "row 9 (b)"),
    )
    said = texts(*card)[3:]
    of_features = ["ash", "2.1 (−1.3 SD)", "hue", "1 (+0.5 SD)"]
    nearest = ["nearest rows", "row 3 (a), row 9 (b)"]
    assert said == [*of_features, "leaf", "site", "<b>", *nearest]
    written = markup(card)
    assert f'<img alt="leaf" src="{picture}">' in written
    assert "&lt;b&gt;" in written
