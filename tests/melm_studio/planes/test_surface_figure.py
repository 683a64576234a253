"""A kernel machine beside its approximation."""

from __future__ import annotations

import numpy as np
import pytest

from melm_studio.planes.decision_surface import decision_surface, surface_figure
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.planes.theme import THEMES, Scheme, class_color
from tests.melm_studio.runs.helpers import blobs

CODE = 1


@pytest.fixture(scope="module")
def drawn():
    """Rows of a plane and a machine that tells one of their classes from the rest."""
    data = blobs(n_rows=90, n_classes=3)
    components = np.eye(2, data.X.shape[1])
    rows = PlaneViewer(*data.split(0.25, random_state=0), gamma=1.0).rows(components, 1_000)
    surface = decision_surface(
        rows.train, rows.train_y == CODE, rows.held_out, rows.held_out_y == CODE, kind="densities"
    )
    return surface, rows


def traces(figure, kind):
    return [trace for trace in figure.data if trace.type == kind]


def test_the_values_drawn_are_those_of_the_machine_and_of_its_approximation(drawn):
    surface, rows = drawn
    machine, approximation = traces(surface_figure(surface, rows, CODE), "heatmap")
    np.testing.assert_array_equal(machine.z, surface.machine_values)
    np.testing.assert_array_equal(approximation.z, surface.approximation_values)
    assert (machine.zmin, machine.zmax) == (approximation.zmin, approximation.zmax)
    assert machine.zmin == -machine.zmax < 0


def test_the_line_between_the_sides_is_where_the_values_are_zero(drawn):
    surface, rows = drawn
    for line in traces(surface_figure(surface, rows, CODE), "contour"):
        assert (line.contours.start, line.contours.end) == (0, 0)


def test_every_mode_is_marked_with_its_sign_on_the_side_of_the_approximation(drawn):
    surface, rows = drawn
    figure = surface_figure(surface, rows, CODE)
    (marks,) = [trace for trace in figure.data if trace.text is not None]
    modes = surface.approximation.modes
    np.testing.assert_allclose(np.column_stack([marks.x, marks.y]), [m.location for m in modes])
    assert list(marks.text) == ["+" if mode.sign > 0 else "−" for mode in modes]
    assert marks.xaxis == traces(figure, "heatmap")[1].xaxis


def test_the_axes_of_a_part_reach_one_standard_deviation_to_both_sides(drawn):
    surface, rows = drawn
    figure = surface_figure(surface, rows, CODE)
    parts = [part for mode in surface.approximation.modes for part in mode.components]
    (lines,) = [t for t in traces(figure, "scatter") if t.x is not None and np.isnan(t.x).any()]
    ends = np.column_stack([lines.x, lines.y]).reshape(-1, 3, 2)[:, :2]
    assert len(ends) == 2 * len(parts)
    np.testing.assert_allclose(ends.mean(axis=1)[::2], [part.mean for part in parts])


def test_both_roc_curves_are_named_with_their_areas(drawn):
    surface, rows = drawn
    named = [t.name for t in surface_figure(surface, rows, CODE).data if t.name]
    assert named == [
        f"machine, AUC {surface.machine_roc.auc:.3f}",
        f"modes, AUC {surface.approximation_roc.auc:.3f}",
    ]


def test_without_held_out_rows_there_is_no_roc_curve(drawn):
    _, rows = drawn
    nothing = np.empty((0, 2))
    surface = decision_surface(
        rows.train, rows.train_y == CODE, nothing, np.empty(0, dtype=bool), kind="densities"
    )
    figure = surface_figure(surface, rows, CODE).to_dict()
    assert not any(trace.get("name") for trace in figure["data"])
    assert "xaxis3" not in figure["layout"]


@pytest.mark.parametrize("scheme", Scheme)
def test_the_class_has_its_own_color_in_either_scheme(drawn, scheme):
    figure = surface_figure(*drawn, CODE, scheme)
    red, green, blue = (int(class_color(CODE, THEMES[scheme])[i : i + 2], 16) for i in (1, 3, 5))
    top = traces(figure, "heatmap")[0].colorscale[-1][1]
    assert top.startswith(f"rgba({red}, {green}, {blue}")
