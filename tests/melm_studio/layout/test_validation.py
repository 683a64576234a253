"""What a check knows, beside each other: in-sample and held out."""

from __future__ import annotations

import msgspec

from melm_studio.layout.validation import check_body
from melm_studio.runs.records.check_report import CheckReport, FeatureStability
from melm_studio.scores import check_sentence
from tests.melm_studio.layout.trees import parts, texts

KNOWN = CheckReport(
    stage="fitting to shuffled labels",
    fraction=0.6,
    scores={"mean": (0.93, 0.86, 0.02), "KNN": (0.95, 0.8, 0.03)},
    overlap=((0.0, 0.31, 0.1), (0.31, 0.0, 0.2), (0.1, 0.2, 0.0)),
    p_value=0.02,
    lower=0.005,
    upper=0.4,
    n_permutations=49,
    notes=("Scored on 600 of 900 rows.",),
)
NAMES = ("a", "b", "c")


def body(report=KNOWN, *, is_final=False):
    return check_body(report, report.stage, NAMES, is_final=is_final)


def test_every_in_sample_score_has_its_held_out_twin_and_their_gap_beside_it():
    shown = texts(body())
    for cells in (["0.93", "0.86", " ± 0.02", "+0.07"], ["0.95", "0.80", " ± 0.03", "+0.15"]):
        at = shown.index(cells[0])
        assert sorted(shown[at : at + 4]) == sorted(cells)


def test_the_overlap_of_every_pair_of_classes_is_shown_and_none_of_a_class_with_itself():
    cells = [props for props in parts(body()) if "--share" in props.get("style", {})]
    buttons = [cell["children"]["props"] for cell in cells]
    shares = [button["children"] for button in buttons]
    assert shares == ["0.31", "0.10", "0.31", "0.20", "0.10", "0.20"]


def test_a_pair_of_classes_can_be_shown_alone_from_its_overlap():
    buttons = {props["data-isolate"]: props for props in parts(body()) if "data-isolate" in props}
    assert set(buttons) == {"0,1", "0,2", "1,0", "1,2", "2,0", "2,1"}
    assert buttons["0,2"]["aria-label"] == "0.10: show only a and c"


def test_a_p_value_on_its_way_says_where_it_may_end():
    words = "p = 0.020 after 49 shuffles; p will end between 0.005 and 0.400"
    assert words in texts(body())
    assert "p = 0.020" in texts(body(is_final=True))


def test_what_is_not_known_yet_is_not_shown():
    shown = texts(body(CheckReport()))
    assert list(filter(None, shown)) == ["No results yet.", "Starting"]


def test_the_angle_between_resamples_is_put_into_words():
    stability = FeatureStability(8.2, 20, 2, (1.0, 0.5, 0.5), (0.1,) * 3, (0.9,) * 3)
    assert "The plane turns by 8 degrees between resamples of the rows." in texts(
        body(msgspec.structs.replace(KNOWN, stability=stability))
    )


def test_the_answer_can_be_styled():
    answers = [props["data-answer"] for props in parts(body()) if "data-answer" in props]
    assert answers == [""]


def test_the_sentence_and_the_notes_are_read_out():
    assert check_sentence(KNOWN) in texts(body())
    assert KNOWN.notes[0] in texts(body())
