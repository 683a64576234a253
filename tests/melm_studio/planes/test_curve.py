"""The curve of the objective."""

from __future__ import annotations

import pytest

from melm_studio.planes.figure import CurveTrace, curve_figure
from melm_studio.planes.theme import THEMES, Scheme, translucent

each_scheme = pytest.mark.parametrize("scheme", Scheme)


def traces_of(figure):
    """The traces of a figure by their kind."""
    return {trace.meta["kind"]: trace for trace in figure.data}


@each_scheme
def test_the_curve_has_its_steps_the_best_so_far_and_the_held_out_rows(scheme):
    traces = traces_of(curve_figure(scheme))
    assert set(traces) == set(CurveTrace)
    assert traces[CurveTrace.HELD_OUT].name == "held-out rows"
    assert traces[CurveTrace.STEPS].name == "this step"
    assert traces[CurveTrace.BEST].name == "best so far"


@each_scheme
def test_the_best_so_far_stands_out_from_the_steps(scheme):
    traces, theme = traces_of(curve_figure(scheme)), THEMES[scheme]
    best, steps = traces[CurveTrace.BEST].line, traces[CurveTrace.STEPS].line
    assert best.color == theme.ink
    assert steps.color == translucent(theme.faint_ink, 0.18)
    assert best.width > steps.width


@each_scheme
def test_held_out_rows_have_a_dash_and_a_color_that_no_class_has(scheme):
    line = traces_of(curve_figure(scheme))[CurveTrace.HELD_OUT].line
    assert line.dash == "dash"
    assert line.shape == "hv"
    assert line.color not in THEMES[scheme].class_colors


def test_the_best_so_far_holds_until_it_is_beaten():
    assert traces_of(curve_figure())[CurveTrace.BEST].line.shape == "hv"


@each_scheme
def test_starts_and_records_are_marks_and_no_lines(scheme):
    traces = traces_of(curve_figure(scheme))
    marks = [traces[kind] for kind in (CurveTrace.STARTS, CurveTrace.RECORDS)]
    assert [mark.mode for mark in marks] == ["markers", "markers"]
    assert marks[0].marker.symbol != marks[1].marker.symbol


@each_scheme
def test_the_curve_comes_without_data(scheme):
    assert [(trace.x, trace.y) for trace in curve_figure(scheme).data] == [(None, None)] * 6


def test_what_is_drawn_is_named_above_the_curve():
    assert [
        note.text for note in curve_figure(objective="mean log posterior").layout.annotations
    ] == ["mean log posterior"]
    assert not curve_figure().layout.annotations
