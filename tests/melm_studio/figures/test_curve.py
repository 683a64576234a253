"""The curve of the objective."""

from __future__ import annotations

import pytest

from melm_studio.figures.curve import BEST, RECORDS, STARTS, STEPS, UNSEEN, curve_figure
from melm_studio.figures.theme import THEMES, Scheme

each_scheme = pytest.mark.parametrize("scheme", Scheme)


@each_scheme
def test_the_curve_has_its_steps_the_best_so_far_and_the_unseen_rows(scheme):
    figure = curve_figure(scheme)
    assert len(figure.data) == 5
    assert figure.data[UNSEEN].name == "held-out rows"
    assert figure.data[STEPS].name == "this step"
    assert figure.data[BEST].name == "best so far"


@each_scheme
def test_the_best_so_far_stands_out_from_the_steps(scheme):
    figure, theme = curve_figure(scheme), THEMES[scheme]
    assert figure.data[BEST].line.color == theme.ink
    assert figure.data[STEPS].line.color == theme.faint_ink
    assert figure.data[BEST].line.width > figure.data[STEPS].line.width


def test_the_best_so_far_holds_until_it_is_beaten():
    assert curve_figure().data[BEST].line.shape == "hv"


@each_scheme
def test_starts_and_records_are_marks_and_no_lines(scheme):
    marks = [curve_figure(scheme).data[position] for position in (STARTS, RECORDS)]
    assert [mark.mode for mark in marks] == ["markers", "markers"]
    assert marks[0].marker.symbol != marks[1].marker.symbol


@each_scheme
def test_the_curve_comes_without_data(scheme):
    assert [(trace.x, trace.y) for trace in curve_figure(scheme).data] == [(None, None)] * 5


def test_what_is_drawn_is_named_above_the_curve():
    assert [
        note.text for note in curve_figure(objective="mean log posterior").layout.annotations
    ] == ["mean log posterior"]
    assert not curve_figure().layout.annotations
