"""Which class, or none: sets of held-out rows at every coverage that a reader chooses."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from msgspec.structs import replace
from sklearn.datasets import load_wine

from melm_core.evaluation import Refits, Study
from melm_studio.analyses.analysis import DataShape
from melm_studio.analyses.sets import COVERAGES, SETS, SetsReport, class_rows, notes, sets_report

X, Y = load_wine(return_X_y=True)
NAMES = ("Barolo", "Grignolino", "Barbera")
SHAPE = DataShape(n_rows=len(Y), n_classes=3, n_features=13)


@pytest.fixture(scope="module")
def reports():
    found = []

    def after_fold(refits):
        if refits.n_folds > 1:
            found.append(sets_report(refits, refits.held_out + 1))

    Refits.of(Study("lda", X, Y), 5, callback=after_fold)
    return found


def test_the_first_words_come_after_two_folds_and_say_that_they_are_not_final(reports):
    assert SETS.sentence(SetsReport(), is_final=False).startswith("Refitting")
    assert SETS.sentence(reports[0], is_final=False).startswith("2 of 5 folds so far. The sets")
    assert SETS.sentence(reports[-1], is_final=True).startswith("The sets hold the class of 1")
    assert reports[0].after is None


def test_counts_of_the_classes_are_those_of_their_rows_at_every_coverage(reports):
    for coverage in COVERAGES:
        for row, n_rows in zip(class_rows(reports[-1], coverage, NAMES), (59, 71, 48), strict=True):
            held, alone, several, empty = row[1], *map(int, row[2:])
            assert held == f"{alone + several} of {n_rows}"
            assert alone + several + empty <= n_rows
            assert alone + several >= (coverage - 0.06) * n_rows


def test_a_larger_coverage_keeps_every_class_of_a_set(reports):
    smaller, larger = (reports[-1].at(coverage).sets for coverage in (0.8, 0.99))
    assert (larger >= smaller).all()


def test_a_coverage_that_the_rows_do_not_allow_is_said(reports):
    assert len(notes(reports[-1], 0.99, NAMES)) == 4
    assert "at least 48 of 49 can be promised" in " ".join(notes(reports[-1], 0.99, NAMES))
    assert len(notes(reports[-1], 0.9, NAMES)) == 1


def test_the_dialog_answers_at_the_coverage_that_is_chosen(reports):
    subject = cast(Any, SimpleNamespace(class_names=NAMES))

    def blocks(**query: str) -> dict[str, Any]:
        content = SETS.shown(reports[-1], subject, query)["content"]
        return {block["kind"]: block for block in content}

    assert SETS.shown(SetsReport(), subject, {}) == {"content": []}
    usual, wider = blocks(), blocks(coverage="0.99")
    assert (usual["choice"]["selected"], wider["choice"]["selected"]) == ("0.9", "0.99")
    assert "answer" not in usual  # it is the sentence above
    assert wider["answer"]["text"] == reports[-1].at(0.99).sentence
    assert wider["table"]["rows"] == class_rows(reports[-1], 0.99, NAMES)
    assert wider["plot"]["description"] == wider["words"]["text"]


@pytest.mark.parametrize(
    ("strangest", "offered"),
    [(0.004, (0.9,)), (0.03, (0.9, 0.99)), (0.07, (0.9, 0.95)), (0.15, (0.8, 0.9))],
)
def test_a_coverage_whose_sets_are_those_of_another_is_not_offered(strangest, offered):
    report = SetsReport(
        p_values=((1.0, 0.001), (0.001, 1.0), (strangest, 0.001)),
        y=(0, 1, 0),
        rows=(1, 2, 3),
        n_units=(2, 1),
    )
    assert report.coverages == offered
    subject = cast(Any, SimpleNamespace(class_names=("a", "b"), is_final=True))
    found = SETS.shown(report, subject, {"coverage": "0.99"})["content"]
    choices = [tuple(map(float, each["labels"])) for each in found if each["kind"] == "choice"]
    assert choices == ([offered] if len(offered) > 1 else [])
    section = SETS.section(report, subject)
    assert section is not None
    assert len(section.tables) == len({*offered} - {0.99})


def test_one_split_of_a_large_table_has_sets_too():
    refits = Refits.of(Study("lda", X, Y), 1)
    report = sets_report(refits, refits.held_out + 1)
    assert (report.n_done, report.n_folds, len(report.y)) == (1, 1, len(refits.y))
    assert 0.8 < report.at(0.9).share <= 1.0
    assert report.after is not None


def test_the_sets_are_those_of_the_refits(reports):
    refits = Refits.of(Study("lda", X, Y), 5)
    np.testing.assert_array_equal(reports[-1].at(0.9).sets, refits.sets(0.9))


def test_a_report_survives_a_project_and_one_of_other_data_does_not(reports):
    raw = reports[-1].to_bytes()
    assert SETS.read(SETS.checked(raw, SHAPE)) == reports[-1]
    with pytest.raises(ValueError, match="does not belong"):
        SETS.checked(raw, replace(SHAPE, n_classes=2))
    broken = replace(reports[-1], p_values=((2.0,) * 3,) * len(Y))
    with pytest.raises(ValueError, match="does not belong"):
        SETS.checked(broken.to_bytes(), SHAPE)
