"""What a check knows, beside each other: in-sample and held out."""

from __future__ import annotations

import msgspec

from melm_studio.analyses.analysis import Subject
from melm_studio.analyses.check import CHECK
from melm_studio.layout.found import found
from melm_studio.runs.records.check_report import CheckReport, FeatureStability
from melm_studio.runs.records.run import RunState, new_analysis
from tests.melm_studio.layout.trees import parts, texts
from tests.melm_studio.runs.helpers import run_of

KNOWN = CheckReport(
    stage="fitting to shuffled labels",
    fraction=0.6,
    scores={"KDE": (0.93, 0.86, 0.02), "linear": (0.95, 0.8, 0.03)},
    overlap=((0.0, 0.31, 0.1), (0.31, 0.0, 0.2), (0.1, 0.2, 0.0)),
    p_value=0.02,
    lower=0.005,
    upper=0.4,
    n_permutations=49,
    notes=("Scored on 600 of 900 rows.",),
)
NAMES = ("a", "b", "c")


def body(report=KNOWN, *, is_final=False):
    fit = run_of("ada", "data", "lda")
    run = msgspec.structs.replace(
        new_analysis(fit, "check"), state=RunState.DONE if is_final else RunState.RUNNING
    )
    subject = Subject(fit, run, feature_names=("x", "y", "z"), class_names=NAMES)
    return found(CHECK.shown(report, subject, {})["content"])


def test_every_in_sample_score_has_its_held_out_twin_and_their_gap_beside_it():
    shown = texts(body())
    for cells in (["0.93", "0.86 ± 0.02", "+0.07"], ["0.95", "0.80 ± 0.03", "+0.15"]):
        at = shown.index(cells[0])
        assert shown[at : at + 3] == cells


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
    words = "p = 0.020 after 49 shuffles; p will end between 0.005 and 0.400."
    assert any(text.endswith(words) for text in texts(body()))
    assert any(text.endswith("Permutation test: p = 0.020.") for text in texts(body(is_final=True)))


def test_what_is_not_known_yet_is_not_shown():
    (words,) = texts(body(CheckReport()))
    assert words.startswith("The method is refitted without each fold")


def test_the_angle_between_resamples_is_put_into_words():
    stability = FeatureStability(8.2, 20, 2, (1.0, 0.5, 0.5), (0.1,) * 3, (0.9,) * 3)
    assert "The plane turns by 8 degrees between resamples." in texts(
        body(msgspec.structs.replace(KNOWN, stability=stability))
    )


def test_the_notes_are_below():
    assert KNOWN.notes[0] in texts(body())
