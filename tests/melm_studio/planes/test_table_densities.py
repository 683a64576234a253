"""A view of a sample has the densities, means and numbers of all rows of its table."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from melm_core.base.block_sources import ArrayBlocks
from melm_core.density import DensityRule
from melm_studio.analyses.analysis import DataShape
from melm_studio.operator_tables.plane_densities import PlaneDensities
from melm_studio.planes.class_outlines import plane_contours
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.planes.projected_classes import TableDensities, ellipses_of_rows
from melm_studio.runs.records.run import FIT
from melm_studio.validation import InputError
from melm_studio.workspace.project.manifest import checked_report
from tests.melm_core.helpers import classes, labeled_data, plane

STREAM = np.random.default_rng(0)
X, Y = (np.repeat(part, 8, axis=0) for part in classes(3, 5))
X = X + 0.3 * STREAM.standard_normal(X.shape)
ORIGIN = X.mean(axis=0) + 0.5
PLANE = plane(2, 5)


@pytest.fixture
def viewers():
    """The viewer of a third of the rows, by itself and with the densities of all."""
    drawn = labeled_data(X[::3] - ORIGIN, Y[::3])
    sample = PlaneViewer(*drawn.split(0.0, random_state=0), 1.0)
    found = PlaneDensities.of(ArrayBlocks(X, Y, 200), PLANE, 1.0, X[::3])
    return sample, sample.of_table(TableDensities(found, ORIGIN))


def test_the_numbers_are_those_of_all_rows(viewers):
    sample, table = viewers
    everything = PlaneViewer(*labeled_data(X, Y).split(0.0, random_state=0), 1.0)
    for gamma in (1.0, 1.7):
        expected = everything.at(gamma).divergence(PLANE)
        assert table.at(gamma).divergence(PLANE) == pytest.approx(expected, abs=1e-9)
        assert sample.at(gamma).divergence(PLANE) != pytest.approx(expected, abs=1e-3)
    assert table.class_counts == everything.class_counts
    assert (table.n_rows_of_table(PLANE), sample.n_rows_of_table(PLANE)) == (len(X), 0)


@pytest.mark.slow
def test_contours_and_means_are_those_of_all_rows_where_the_sample_is_drawn(viewers):
    sample, table = viewers
    view, components = table.view(PLANE), table.standardized(PLANE)
    rows = X - ORIGIN
    expected = plane_contours(DensityRule.of(rows @ components.T, Y).classes)
    for code, (of_class, (lines, _)) in enumerate(zip(view.classes, expected, strict=True)):
        for end in (np.nanmin, np.nanmax):
            # The levels are quantiles at the rows of the sample, a third of all.
            np.testing.assert_allclose(end(of_class.contours, 0), end(lines, 0), atol=0.1)
        ellipses, center = ellipses_of_rows(rows[code == Y] @ components.T)
        np.testing.assert_allclose(of_class.centroid, center, atol=1e-9)
        np.testing.assert_allclose(of_class.ellipses.root, ellipses.root, atol=1e-9)
        assert of_class.ellipses.radii == pytest.approx(ellipses.radii)
        np.testing.assert_array_equal(of_class.train, sample.view(PLANE).classes[code].train)


@pytest.mark.slow
def test_a_project_takes_those_of_its_data_alone():
    found = PlaneDensities.of(ArrayBlocks(X, Y, 200), PLANE, 1.0, X[::3])
    raw = found.to_bytes()
    own = DataShape(n_rows=len(X[::3]), n_classes=len(np.unique(Y)), n_features=X.shape[1])
    assert checked_report(raw, FIT, own) == raw
    with pytest.raises(InputError):
        checked_report(raw, FIT, replace(own, n_features=4))


def test_another_plane_has_the_densities_of_the_sample(viewers):
    sample, table = viewers
    other = plane(2, 5, seed=3)
    assert table.n_rows_of_table(other) == 0
    assert table.divergence(other) == sample.divergence(other)
    assert table.of_table(None).divergence(PLANE) == sample.divergence(PLANE)
