"""What a feature is worth is what is lost without it, not the length of its arrow."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.base import UserError
from melm_core.density import DensityRule
from melm_core.diagnostics import Importance, feature_importance


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
    rule = DensityRule.of(X[:half] @ components.T, y[:half])
    return Importance.of(rule, components, X[half:], y[half:], **options)


@pytest.mark.slow
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


@pytest.mark.slow
def test_of_the_features_that_are_seen_few_have_no_effect():
    """A false discovery rate of 10 %: ten features without effect beside two that have one."""
    false = []
    for seed in range(40):
        seen = found_in(*two_sensors(400, 10, seed)).is_seen
        assert seen[:2].any()
        false.append(seen[2:].sum() / max(seen.sum(), 1))
    assert np.mean(false) < 0.12


@pytest.mark.slow
def test_a_table_without_an_effect_has_none_that_is_seen_in_nine_of_ten_cases():
    stream, seen = np.random.default_rng(0), []
    for _ in range(60):
        X, y = stream.standard_normal((120, 20)), np.arange(120) % 2
        components = np.linalg.qr(stream.standard_normal((20, 2)))[0].T
        seen.append(found_in(X, y, components).is_seen.any())
    assert np.mean(seen) < 0.2


def test_features_of_one_column_count_once_among_those_that_may_be_seen():
    loss, error = np.array([0.2, 0.1, 0.1, 0.1]), np.full(4, 0.05)
    apart = Importance(loss, error, loss, 99)
    together = Importance(loss, error, loss, 99, np.array([0, 1, 1, 1]))
    assert apart.is_seen.tolist() == together.is_seen.tolist() == [True] * 4
    weak = np.where(np.arange(4) > 0, 0.05, loss)
    assert Importance(weak, error, loss, 99).is_seen.tolist() == [True, False, False, False]


@pytest.mark.slow
def test_the_loss_is_that_of_rows_whose_values_were_exchanged():
    X, y, components = two_sensors(300, 2)
    rule = DensityRule.of(X[:150] @ components.T, y[:150]).calibrated(1.5)
    held_out, own = X[150:], y[150:]
    found = Importance.of(rule, components, held_out, own)

    def loss(rows):
        shares = rule.probabilities(rows @ components.T)
        losses = -np.log(shares[np.arange(len(own)), own])
        return np.mean([losses[own == code].mean() for code in (0, 1)])

    stream, expected = np.random.default_rng(1), []
    for _ in range(300):
        changed = held_out.copy()
        changed[:, 0] = stream.permutation(changed[:, 0])
        expected.append(loss(changed) - loss(held_out))
    assert found.loss[0] == pytest.approx(np.mean(expected), rel=0.1)


@pytest.mark.slow
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


@pytest.mark.slow
def test_work_is_bounded_for_many_rows_and_for_many_features(monkeypatch):
    points = []
    scores = feature_importance.row_scores
    monkeypatch.setattr(
        feature_importance,
        "row_scores",
        lambda rule, at, y: points.append(len(at)) or scores(rule, at, y),
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
    rule = DensityRule.of(X @ components.T, y)
    with pytest.raises(UserError, match="at least 2 of every class"):
        Importance.of(rule, components, X[:4:2], y[:4:2])
