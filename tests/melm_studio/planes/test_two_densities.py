"""A plane is judged by the densities of the classes in it, and its divergence by the search's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score

from melm_core import KernelDensityClassifier
from melm_core.density import DensityRule, kernel_classes
from melm_core.linalg import orthonormalize
from melm_core.melm import divergence_in_plane, held_out_divergence
from melm_core.methods import METHODS
from melm_studio.planes import projected_classes
from melm_studio.planes.plane_view import PlaneViewer
from melm_studio.tables import LabeledData
from tests.melm_core.helpers import classes, labeled_data, plane

N_CLASSES = 5


def spectra(seed: int) -> tuple[LabeledData, LabeledData]:
    """140 rows of 400 channels that are alike: sums of twelve smooth bases, and little noise."""
    stream = np.random.default_rng(seed)
    y, channels = np.arange(140) % N_CLASSES, np.linspace(0.0, 1.0, 400)
    bases = np.exp(-0.5 * ((channels - np.linspace(0.0, 1.0, 12)[:, None]) / 0.08) ** 2)
    parts = stream.standard_normal((140, 12))
    parts += stream.standard_normal((N_CLASSES, 12))[y]
    X = parts @ bases + 0.02 * stream.standard_normal((140, 400))
    is_held_out = np.arange(140) // N_CLASSES % 4 == 0
    X = (X - X[~is_held_out].mean(axis=0)) / X[~is_held_out].std(axis=0)
    return labeled_data(X[~is_held_out], y[~is_held_out]), labeled_data(
        X[is_held_out], y[is_held_out]
    )


@pytest.mark.slow
def test_the_plane_of_lda_in_alike_features_is_judged_as_its_own_coordinates_allow():
    shown, plain = [], []
    for seed in range(6):
        train, held_out = spectra(seed)
        lda = METHODS["lda"].estimator({"n_components": 2}).fit(train.X, train.y)
        scores = PlaneViewer(train, held_out, 1.0).scores(lda.components_)
        shown.append(scores.accuracy_held_out)
        classifier = KernelDensityClassifier().fit(lda.transform(train.X), train.y)
        predicted = classifier.predict(lda.transform(held_out.X))
        plain.append(balanced_accuracy_score(held_out.y, predicted))
    assert np.mean(shown) >= np.mean(plain) - 0.02
    assert np.mean(plain) > 0.6


@pytest.mark.parametrize("many_rows", [projected_classes.MANY_ROWS, 0])
@pytest.mark.parametrize("kind", ["alike", "few"])
def test_divergences_are_those_that_a_search_compares(kind, many_rows, monkeypatch):
    monkeypatch.setattr(projected_classes, "MANY_ROWS", many_rows)
    train, held_out = (
        spectra(0) if kind == "alike" else labeled_data(*classes(3, 5)).split(0.3, random_state=0)
    )
    components = plane(2, train.X.shape[1])
    for gamma in (0.7, 1.0):
        searched = kernel_classes(train.X, train.y, n_components=2, gamma=gamma)
        projected = searched.project(components)
        viewer = PlaneViewer(train, held_out, 1.0).at(gamma, 1.0)
        assert viewer.divergence(components) == pytest.approx(
            divergence_in_plane(projected), abs=1e-8
        )
        Z = held_out.X @ components.T
        further = [Z[held_out.y == code] for code in range(len(train.class_names))]
        assert viewer.scores(components).divergence_held_out == pytest.approx(
            held_out_divergence(projected, further), rel=1e-8
        )


def test_another_width_of_the_class_densities_changes_no_divergence_and_the_other_way_round():
    train, held_out = labeled_data(*classes(3, 5)).split(0.3, random_state=0)
    viewer, components = PlaneViewer(train, held_out, 1.0), plane(2, 5)
    wide, searched = viewer.at(1.0, 3.0), viewer.at(3.0, 1.0)
    assert wide.divergence(components) == viewer.divergence(components)
    assert searched.divergence(components) != viewer.divergence(components)
    views = [each.view(components) for each in (viewer, wide, searched)]
    lines = [view.classes[0].contours for view in views]
    np.testing.assert_array_equal(lines[2], lines[0])
    assert lines[1].shape != lines[0].shape or not np.allclose(lines[1], lines[0])


def test_a_table_as_wide_as_spectra_has_the_same_classes_in_any_coordinates_of_its_plane():
    train, held_out = (part.by_class() for part in spectra(1))
    components = plane(2, 400)
    viewer = PlaneViewer(train, held_out, 1.0)
    expected = DensityRule.of(train.X @ components.T, train.y).most_likely(
        held_out.X @ components.T
    )
    turned = np.array([[0.3, -1.1], [2.0, 0.4]]) @ components
    for drawn in (components, turned, orthonormalize(turned)):
        np.testing.assert_array_equal(viewer.held_out_predictions(drawn).predicted, expected)
