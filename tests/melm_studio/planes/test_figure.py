"""The figure of a plane and its frames fit each other, and hold names as text."""

from __future__ import annotations

import html
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from lab.driver.traces import points
from melm_core.diagnostics import ConfidenceEllipses
from melm_studio.planes.figure import (
    PlaneTrace,
    arrow_handles,
    arrow_names,
    empty_figure,
    limits,
    plane_frame,
    row_numbers,
    shown,
    trace_meta,
)
from melm_studio.planes.theme import THEMES, Scheme
from melm_studio.planes.types import Arrows, PlaneView
from tests.melm_studio.planes.views import view_of

each_number_of_classes = pytest.mark.parametrize("n_classes", [2, 10, 20])


def figure_of(n_classes: int, n_points: int = 100, scheme: Scheme = Scheme.LIGHT) -> go.Figure:
    return empty_figure([f"class {code}" for code in range(n_classes)], n_points, scheme)


# ------------------------------------------------------------------------------------- frames


@each_number_of_classes
def test_every_trace_has_an_entry_of_the_frame_in_its_place(n_classes):
    view, traces = view_of(n_classes), figure_of(n_classes).data
    frame = plane_frame(view, np.asarray)
    assert len(traces) == len(frame) == 9 * n_classes + 6
    train, held_out = (slice(i * n_classes, (i + 1) * n_classes) for i in (3, 4))
    assert [trace.meta for trace in traces[: 3 * n_classes]] == [
        trace_meta(PlaneTrace.CONTOUR, code) for code in range(n_classes) for _ in range(3)
    ]
    assert [trace.meta for trace in traces[3 * n_classes : 5 * n_classes]] == [
        trace_meta(kind, code)
        for kind in (PlaneTrace.TRAIN, PlaneTrace.HELD_OUT)
        for code in range(n_classes)
    ]
    assert [trace.name for trace in traces[train]] == [f"class {c}" for c in range(n_classes)]
    assert all(trace.name.endswith(", held out") for trace in traces[held_out])
    for part, name in ((train, "train"), (held_out, "held_out")):
        for entry, of_class in zip(frame[part], view.classes, strict=True):
            np.testing.assert_allclose(points(entry), getattr(of_class, name), rtol=1e-6)


def test_ellipses_and_means_are_those_of_all_training_rows_and_off_until_asked_for():
    view, traces = view_of(3), figure_of(3).data
    frame, kinds = plane_frame(view, np.asarray), [trace.meta["kind"] for trace in traces]
    first = kinds.index(PlaneTrace.CLASS_ELLIPSE)
    more = {PlaneTrace.CLASS_ELLIPSE, PlaneTrace.MEAN_ELLIPSE, PlaneTrace.CENTROID}
    assert {trace.meta["kind"] for trace in traces if trace.visible is False} == more
    for code, part in enumerate(view.classes):
        drawn = [points(frame[first + at * 3 + code]) for at in range(3)]
        assert [traces[first + at * 3 + code].meta["class"] for at in range(3)] == [code] * 3
        middle = part.train.mean(axis=0)
        ellipses = ConfidenceEllipses.of(part.train)
        expected = ellipses.outline("rows"), ellipses.outline("mean")
        for found, ellipse in zip(drawn, (*expected, middle[None]), strict=True):
            np.testing.assert_allclose(found, ellipse, rtol=1e-4, atol=1e-5)


@each_number_of_classes
def test_contours_are_drawn_by_share_the_outermost_first(n_classes):
    view, frame = view_of(n_classes), plane_frame(view_of(n_classes), np.asarray)
    for code, part in enumerate(view.classes):
        drawn = [points(entry) for entry in frame[3 * code : 3 * code + 3]]
        for one, region in zip(drawn, part.regions[::-1], strict=True):
            np.testing.assert_allclose(one, region, rtol=1e-6)
        spans = [np.ptp(region[~np.isnan(region[:, 0])], axis=0).max() for region in drawn]
        assert spans == sorted(spans, reverse=True)


def test_every_class_is_named_amid_its_training_rows():
    view = view_of(3)
    figure, frame = figure_of(3), plane_frame(view, np.asarray)
    at = [trace.meta["kind"] for trace in figure.data].index(PlaneTrace.CLASS_NAMES)
    assert list(figure.data[at].text) == ["class 0", "class 1", "class 2"]
    middles = [part.train.mean(axis=0) for part in view.classes]
    np.testing.assert_allclose(points(frame[at]), middles)


@each_number_of_classes
def test_arrows_come_last_lines_before_heads(n_classes):
    view, frame = view_of(n_classes), plane_frame(view_of(n_classes), np.asarray)
    lines, heads = figure_of(n_classes).data[-2:]
    assert (lines.meta, lines.mode) == (trace_meta(PlaneTrace.ARROW_LINES), "lines")
    assert (heads.meta, heads.mode) == (trace_meta(PlaneTrace.ARROW_HEADS), "markers+text")
    spokes = points(frame[-2]).reshape(-1, 3, 2)
    np.testing.assert_allclose(spokes[:, 0], view.arrows.origins, rtol=1e-6)
    np.testing.assert_allclose(spokes[:, 1], view.arrows.tips, rtol=1e-6)
    assert np.isnan(spokes[:, 2]).all()
    np.testing.assert_allclose(points(frame[-1]), view.arrows.tips, rtol=1e-6)


def test_thresholds_of_a_line_come_before_the_arrows():
    thresholds = np.array([[0.5, 0.0], [0.5, 1.0], [np.nan, np.nan]])
    frame = plane_frame(replace(view_of(2), thresholds=thresholds), np.asarray)
    np.testing.assert_array_equal(points(frame[-4]), thresholds)


def test_arrows_in_lanes_of_their_own_all_have_their_names():
    view = view_of(2)
    lanes = np.column_stack([np.zeros(5), -0.01 * np.arange(5)])
    arrows = replace(view.arrows, origins=lanes, tips=lanes + np.array([0.1, 0.0]))
    assert all(arrow_names(replace(view, arrows=arrows))["text"])


def test_the_rows_behind_the_points_are_named_in_the_order_of_the_traces():
    train, held_out = [np.array([3, 1]), np.array([2])], [np.array([], int), np.array([7])]
    assert row_numbers((train, held_out)) == [*[[]] * 6, [3, 1], [2], [], [7], *[[]] * 14]
    assert len(row_numbers((train, held_out))) == len(figure_of(2).data)


def test_a_hand_finds_the_feature_and_the_length_of_an_arrow():
    arrows = view_of(2).arrows
    handles = arrow_handles(view_of(2), 30)
    assert handles["features"] == arrows.features.tolist()
    assert (handles["scale"], handles["of"]) == (arrows.scale, 30)


def test_every_frame_has_arrays_that_plotly_takes():
    figure = figure_of(3)
    for trace, arrays in zip(figure.data, plane_frame(view_of(3), np.asarray), strict=True):
        trace.update(arrays)
    assert len(figure.data) == 33


def test_a_class_without_a_held_out_row_has_an_empty_trace():
    frame = plane_frame(view_of(3, held_out=0.0), np.asarray)
    assert [len(points(entry)) for entry in frame[12:15]] == [0, 0, 0]


# ------------------------------------------------------------------------------------- arrows


def turned(angles) -> PlaneView:
    """A view with arrows of features that point at these angles, in degrees from the right."""
    radians = np.radians(angles)
    tips = 2.0 * np.column_stack([np.cos(radians), np.sin(radians)])
    names = tuple(f"at {angle}" for angle in angles)
    return replace(
        view_of(2),
        arrows=Arrows(np.zeros_like(tips), tips, np.arange(len(tips)), names, 1.0),
        lower=np.full(2, -4.0),
        upper=np.full(2, 4.0),
    )


def test_heads_turn_along_their_arrows():
    # plotly turns markers clockwise from upwards
    heads = plane_frame(turned([90, 0, -90, 180]), np.asarray)[-1]
    assert heads["marker"]["angle"] == [0.0, 90.0, 180.0, -90.0]


def test_names_stand_beyond_the_tips():
    positions = arrow_names(turned([0, 180, 80, -80, 100]))["textposition"]
    assert positions == [
        "middle right",
        "middle left",
        "top right",
        "bottom right",
        "top left",
    ]


def test_markup_in_the_name_of_a_feature_is_text():
    view = turned([0])
    arrows = replace(view.arrows, names=("<i>y</i>",))
    assert arrow_names(replace(view, arrows=arrows))["text"] == ["&lt;i&gt;y&lt;/i&gt;"]


def test_a_name_that_would_run_into_a_stronger_one_is_left_out():
    assert arrow_names(turned([0, 2, 180]))["text"] == ["at 0", "", "at 180"]


# ------------------------------------------------------------------------------------- limits


@each_number_of_classes
def test_the_limits_hold_the_central_rows_and_every_arrow(n_classes):
    view = view_of(n_classes, skewed=True)
    lower, upper = np.transpose(limits(view))
    rows = np.concatenate([rows for part in view.classes for rows in (part.train, part.held_out)])
    inside = np.all((rows > lower) & (rows < upper), axis=1)
    assert inside.mean() > 0.96
    assert np.all((view.arrows.tips > lower) & (view.arrows.tips < upper))


def test_the_limits_are_hardly_wider_than_the_picture():
    view = view_of(3)
    low, high = np.transpose(limits(view))
    assert np.all(high - low < 1.1 * (view.upper - view.lower))


# ------------------------------------------------------------------------------------- styles


@pytest.mark.parametrize("n_points", [1, 2_000, 1_000_000])
def test_no_trace_needs_webgl_which_the_content_policy_forbids(n_points):
    assert {type(trace) for trace in figure_of(2, n_points).data} == {go.Scatter}


def test_more_points_are_drawn_smaller():
    sizes = [figure_of(1, n_points).data[3].marker.size for n_points in (100, 1_000, 2_000)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


@pytest.mark.parametrize("scheme", Scheme)
def test_no_two_classes_up_to_20_look_alike(scheme):
    markers = [trace.marker for trace in figure_of(20, scheme=scheme).data[60:100]]
    assert len({(marker.color, marker.symbol) for marker in markers}) == 40


@pytest.mark.parametrize("scheme", Scheme)
def test_the_ink_is_that_of_the_scheme(scheme):
    figure = figure_of(2, scheme=scheme)
    assert figure.layout.font.color == THEMES[scheme].ink
    assert figure.data[-1].textfont.color == THEMES[scheme].ink


@pytest.mark.parametrize("n_components", [2, 3])
def test_both_axes_have_one_scale(n_components):
    axis = empty_figure(["a", "b"], 10, n_components=n_components).layout.yaxis
    assert (axis.scaleanchor, axis.scaleratio) == ("x", 1)


def test_the_height_of_a_density_has_a_scale_of_its_own():
    assert empty_figure(["a", "b"], 10, n_components=1).layout.yaxis.scaleanchor is None


# ------------------------------------------------------------------------------------- names


@pytest.mark.parametrize("name", ["<b>bold</b>", "a & b", "a &lt; b", "<script>", "plain"])
def test_a_short_name_is_shown_as_the_text_it_is(name):
    assert "<" not in shown(name)
    assert html.unescape(shown(name)) == name


def test_a_long_name_is_cut_before_it_is_escaped():
    assert shown("&" * 50) == "&amp;" * 11 + "…" + "&amp;" * 10
    assert shown("x" * 22) == "x" * 22
