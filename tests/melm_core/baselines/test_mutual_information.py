from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from melm_core.baselines.kernel_fisher import gaussian_kernel
from melm_core.baselines.mutual_information import MutualInformationProjection
from melm_core.datasets import crescents
from melm_core.kernel_machines import KernelMachine
from tests.melm_core.helpers import classes, plane


def fitted(n_classes=2, **parameters):
    X, y = classes(n_classes, 3)
    model = MutualInformationProjection(**({"bandwidth": 1.5} | parameters)).fit(X, y)
    return X, y, model


def features(X, bandwidth):
    """The rows in an orthonormal basis of their feature space."""
    values, axes = np.linalg.eigh(gaussian_kernel(X, X, bandwidth))
    return axes[:, values > 0] * np.sqrt(values[values > 0])


def information(rows, y, projection):
    """The estimate of the mutual information after a map of feature space."""
    own = np.stack([rows[y == code].mean(axis=0) for code in y])
    mapped = rows @ projection
    return np.mean(np.log(np.einsum("ij,ij->i", own, mapped) / (mapped @ rows.mean(axis=0))))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_leaving_out_a_direction_loses_its_gain_to_first_order(n_classes):
    X, y, model = fitted(n_classes, n_components=3)
    rows = features(X, model.bandwidth_)
    whole = np.eye(rows.shape[1])
    assert model.information_ == pytest.approx(information(rows, y, whole))
    for weights, gain in zip(model.dual_coef_, model.gains_, strict=True):
        direction = weights @ rows
        assert direction @ direction == pytest.approx(1)
        share = 1e-5
        lost, won = (
            information(rows, y, whole + sign * share * np.outer(direction, direction))
            for sign in (-1.0, 1.0)
        )
        assert (won - lost) / (2 * share) == pytest.approx(gain, rel=1e-5, abs=1e-9)


def test_no_direction_of_feature_space_loses_more():
    X, y, model = fitted()
    rows = features(X, model.bandwidth_)
    whole, stream = np.eye(rows.shape[1]), np.random.default_rng(0)
    for _ in range(50):
        direction = stream.normal(size=len(whole))
        direction /= np.linalg.norm(direction)
        share = 1e-5
        other = information(rows, y, whole - share * np.outer(direction, direction))
        assert (model.information_ - other) / share <= model.gains_[0] * (1 + 1e-3)


def test_the_gains_of_all_directions_cancel():
    _, _, model = fitted(n_components=5)
    assert model.gains_[0] > 0
    assert model.gains_.sum() == pytest.approx(0, abs=1e-9)
    assert (np.diff(model.gains_) <= 1e-12).all()


def test_classes_of_the_same_rows_inform_of_nothing():
    X, _ = classes(2, 3)
    model = MutualInformationProjection().fit(np.vstack([X, X]), np.repeat([0, 1], len(X)))
    assert model.information_ == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(model.gains_, 0, atol=1e-9)


def test_the_first_direction_tells_held_out_crescents_apart():
    model = MutualInformationProjection(1, bandwidth=0.35).fit(*crescents(0))
    X, y = crescents(1)
    assert roc_auc_score(y, model.transform(X)[:, 0]) > 0.95


@pytest.mark.parametrize("component", [0, 1])
def test_each_direction_is_a_kernel_machine(component):
    X, _, model = fitted()
    machine = KernelMachine.from_estimator(model, component=component)
    np.testing.assert_allclose(machine.decision_function(X), model.transform(X)[:, component])


def test_turning_moving_and_scaling_the_data_changes_nothing():
    X, y, model = fitted()
    moved = 5.0 * X @ plane(3, 3) + 40.0
    other = MutualInformationProjection(bandwidth=7.5).fit(moved, y)
    np.testing.assert_allclose(other.gains_, model.gains_, atol=1e-9)
    np.testing.assert_allclose(other.transform(moved), model.transform(X), atol=1e-6)


def test_the_last_class_is_on_the_positive_side():
    X, y, model = fitted()
    values = model.transform(X)[:, 0]
    assert values[y == 1].mean() == pytest.approx(-values[y == 0].mean())
    assert values[y == 1].mean() > 0


def test_more_coordinates_than_directions_are_zero():
    X, _, model = fitted(n_components=12)
    assert model.transform(X).shape == (len(X), 12)
    np.testing.assert_array_equal(model.transform(X)[:, 5:], 0)


def test_many_rows_are_represented_by_a_stratified_sample():
    X, y = crescents(0)
    model = MutualInformationProjection(max_rows=60).fit(X, y)
    assert len(model.X_fit_) == 60
    assert np.bincount(y[model.sample_indices_]).tolist() == [30, 30]
