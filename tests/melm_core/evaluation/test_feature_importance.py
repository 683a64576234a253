"""What a feature is worth is what is lost without it, not the length of its arrow."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.base import UserError
from melm_core.density import kernel_classes
from melm_core.diagnostics import importance
from melm_core.evaluation import feature_importance


def two_sensors(n_rows: int, n_noise: int, seed: int = 0):
    """Return rows of which two features differ between the classes, and a plane that has them."""
    stream = np.random.default_rng(seed)
    y = np.arange(n_rows) % 2
    X = stream.standard_normal((n_rows, 2 + n_noise))
    X[:, :2] += np.outer(y, [1.03, 0.66])
    components = np.zeros((2, 2 + n_noise))
    components[0, :2] = 0.84, 0.54
    components[0, 2:] = 0.01 * stream.standard_normal(n_noise)
    components[1] = stream.standard_normal(2 + n_noise)
    components[1] -= components[0] * (components[0] @ components[1])
    components[1] /= np.linalg.norm(components[1])
    return X, y, components


def found_in(X, y, components, **options):
    """Return the importance on the second half of the rows, of densities of the first."""
    half = len(y) // 2
    classes = kernel_classes(X[:half], y[:half], n_components=len(components)).project(components)
    return importance(classes, components, X[half:], y[half:], **options)


def test_of_400000_rows_two_sensors_that_differ_are_worth_more_than_ten_that_do_not():
    n_seen = 0
    for seed in range(3):
        X, y, components = two_sensors(400_000, 10, seed)
        found = found_in(X, y, components)
        assert np.abs(components[:, 2:]).max() > np.abs(components[:, :2]).min()  # long arrows
        assert found.is_seen[:2].all()
        assert found.loss[0] > found.loss[1] > 50 * np.abs(found.loss[2:]).max()
        assert found.share_loss[0] > found.share_loss[1] > 5 * np.abs(found.share_loss[2:]).max()
        n_seen += int(found.is_seen[2:].sum())
    assert n_seen <= 3  # of 30, where two errors let .023 pass


def test_features_without_effect_are_seen_as_seldom_as_two_errors_say():
    seen = [found_in(*two_sensors(400, 10, seed)).is_seen for seed in range(40)]
    assert np.mean(seen, axis=0)[:2].min() > 0.9
    assert np.mean(seen, axis=0)[2:].mean() < 0.05  # of normal errors .023


def test_the_loss_is_that_of_rows_whose_values_were_exchanged():
    X, y, components = two_sensors(300, 2)
    classes = kernel_classes(X[:150], y[:150], n_components=2).project(components)
    held_out, own = X[150:], y[150:]
    found = importance(classes, components, held_out, own)

    def loss(rows):
        logs = classes.log_densities(rows @ components.T)
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        shares = (75 * shares + 0.5) / 76
        losses = -np.log(shares[np.arange(len(own)), own])
        return np.mean([losses[own == code].mean() for code in (0, 1)])

    stream, expected = np.random.default_rng(1), []
    for _ in range(300):
        changed = held_out.copy()
        changed[:, 0] = stream.permutation(changed[:, 0])
        expected.append(loss(changed) - loss(held_out))
    assert found.loss[0] == pytest.approx(np.mean(expected), rel=0.1)


def test_features_of_one_column_are_exchanged_together():
    stream = np.random.default_rng(0)
    level = stream.integers(3, size=600)
    X = np.column_stack([stream.standard_normal(600), np.eye(3)[level]])
    y = (level == 2).astype(int)
    components = np.array([[1.0, 0.0, 0.0, 0.0], [0.1, -0.5, -0.5, 1.0]])
    apart = found_in(X, y, components)
    together = found_in(X, y, components, groups=np.array([7, 3, 3, 3]))
    assert len(set(together.loss[1:])) == 1
    assert together.loss[1] > apart.loss[1:].max()
    assert together.loss[0] == pytest.approx(apart.loss[0], abs=0.01)


def test_a_feature_without_a_loading_loses_nothing():
    X, y, components = two_sensors(200, 3)
    components[:, 4] = 0.0
    found = found_in(X, y, components)
    assert (found.loss[4], found.error[4], found.share_loss[4]) == (0.0, 0.0, 0.0)
    assert not found.is_seen[4]


def test_the_same_rows_have_the_same_importance():
    rows = two_sensors(200, 3)
    one, other = found_in(*rows), found_in(*rows)
    np.testing.assert_array_equal(one.loss, other.loss)
    assert (found_in(*rows, random_state=1).loss != one.loss).any()


@pytest.mark.parametrize("n_components", [1, 3])
def test_lines_and_spaces_have_importances(n_components):
    X, y, components = two_sensors(600, 3)
    components = np.vstack([components, np.eye(5)[4]])[:n_components]
    assert found_in(X, y, components).is_seen[0]


def test_work_is_bounded_for_many_rows_and_for_many_features(monkeypatch):
    points = []
    scores = feature_importance.row_scores
    monkeypatch.setattr(
        feature_importance,
        "row_scores",
        lambda classes, at, y: points.append(len(at)) or scores(classes, at, y),
    )
    for n_rows, n_noise in ((40_000, 10), (200, 4_998)):
        points.clear()
        found_in(*two_sensors(n_rows, n_noise))
        assert sum(points) <= feature_importance.MOST_POINTS + feature_importance.MOST_ROWS
        assert max(points) <= 2 * feature_importance.BATCH_POINTS


def test_batches_of_features_are_those_of_all_at_once(monkeypatch):
    rows = two_sensors(200, 9)
    whole = found_in(*rows, groups=np.array([0, 1, 1, 2, 3, 0, 4, 5, 5, 6, 7]))
    monkeypatch.setattr(feature_importance, "BATCH_POINTS", 1)
    split = found_in(*rows, groups=np.array([0, 1, 1, 2, 3, 0, 4, 5, 5, 6, 7]))
    np.testing.assert_allclose(split.loss, whole.loss, atol=1e-9)


def test_a_class_without_held_out_rows_is_refused_in_a_sentence():
    X, y, components = two_sensors(40, 1)
    classes = kernel_classes(X, y, n_components=2).project(components)
    with pytest.raises(UserError, match="at least 2 of every class"):
        importance(classes, components, X[:4:2], y[:4:2])
