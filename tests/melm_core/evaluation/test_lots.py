"""Lots are compared within classes: what has changed, and when nothing can be said."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.base import UserError
from melm_core.evaluation import lot_change
from melm_core.evaluation.lots import standardized_draws


def two_lots(shift: float, seed: int = 0, n_rows: int = 120):
    """Three quarters of class 0 are in the first lot, and a quarter of class 1."""
    stream = np.random.default_rng(seed)
    y = np.arange(n_rows) % 2
    X = stream.standard_normal((n_rows, 6))
    X[:, 0] += 3.0 * y
    is_new = stream.random(n_rows) < np.where(y == 1, 0.75, 0.25)
    X[is_new, 4] += shift
    return X[~is_new], X[is_new], y[~is_new], y[is_new]


def compared(*lots, **options):
    return lot_change(*lots, method="lda", n_permutations=199, **options)


def test_another_mixture_of_classes_is_no_change():
    assert compared(*two_lots(0.0)).p_value > 0.05


def test_a_planted_shift_is_found_named_and_drawn():
    found = compared(*two_lots(1.5))
    assert found.p_value <= 0.01
    assert found.features[0] == 4
    assert found.shifts[4] > 1.0
    assert found.n_changed == 1
    assert np.abs(found.plane.components[0]).argmax() == 4
    assert found.plane.held_out.balanced_accuracy > 0.6
    assert "1 feature of 6 differs" in found.sentence


@pytest.mark.parametrize("planted", [1.0, 5.0, 100.0])
def test_a_shift_is_in_deviations_of_the_first_lot_within_classes(planted):
    first, new, y, y_new = (np.concatenate(each) for each in zip(*map(own, range(5)), strict=True))
    new[:, 4] += planted
    unit = 10.0  # of the feature, which the shift does not depend on
    found = compared(unit * first, unit * new, y, y_new, with_plane=False)
    assert found.shifts[4] == pytest.approx(planted, abs=0.2 + 0.1 * planted)
    assert found.shifts[0] == pytest.approx(0.0, abs=0.3)  # although classes differ by 3


def own(seed):
    return two_lots(0.0, seed)


def test_a_feature_that_was_constant_has_shifted_infinitely_and_an_equal_one_not_at_all():
    first, new, y, y_new = two_lots(0.0)
    first[:, 1] = first[:, 2] = new[:, 2] = 0.1
    new[:, 1] -= 5.0
    found = compared(first, new, y, y_new, with_plane=False)
    assert (found.shifts[1], found.spreads[1]) == (-np.inf, np.inf)
    assert (found.shifts[2], found.spreads[2]) == (0.0, 1.0)


def test_the_observed_statistic_is_scaled_as_the_permuted_ones():
    drawn = np.array([[3.0], [1.0], [-1.0]])
    scaled = [standardized_draws(np.roll(drawn, shift, axis=0)) for shift in range(3)]
    np.testing.assert_allclose(np.roll(scaled[0], 1, axis=0), scaled[1])
    np.testing.assert_allclose(np.roll(scaled[0], 2, axis=0), scaled[2])


@pytest.mark.slow
def test_another_mixture_of_overlapping_predicted_classes_is_seldom_a_change():
    p_values = []
    for seed in range(6):
        stream = np.random.default_rng(seed)
        y = np.arange(200) % 2
        X = stream.standard_normal((200, 4)) + np.outer(y, [3.0, 0.0, 0.0, 0.0])
        is_new = stream.random(200) < np.where(y == 1, 0.75, 0.25)
        found = compared(X[~is_new], X[is_new], y[~is_new], with_plane=False)
        p_values.append(found.p_value)
    assert np.mean(np.array(p_values) <= 0.05) < 0.5


def test_a_change_of_the_spread_is_a_change():
    first, new, y, y_new = two_lots(0.0)
    new[:, 2] *= 3.0
    found = compared(first, new, y, y_new)
    assert found.p_value <= 0.05
    assert found.features[0] == 2
    assert found.spreads[2] > 2.0


@pytest.mark.slow
def test_the_verdict_on_the_first_lot_is_tried_on_the_new_one():
    first, new, y, y_new = two_lots(0.0)
    assert "still holds for the new one" in compared(first, new, y, y_new).verdict.sentence
    y_new = np.random.default_rng(0).permutation(y_new)
    assert compared(first, new, y, y_new).verdict.share < 0.7


def test_classes_of_unlabeled_rows_are_predicted_and_said_to_be():
    stream = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = stream.standard_normal((120, 6)) + 8.0 * y[:, None]
    is_new = stream.random(120) < np.where(y == 1, 0.75, 0.25)
    found = compared(X[~is_new], X[is_new], y[~is_new])
    assert found.p_value > 0.05  # although the mixture of classes differs
    assert compared(X[~is_new], X[is_new]).p_value <= 0.01
    assert "predicted" in found.notes[0]


def test_a_lot_that_coincides_with_a_class_is_said_to_be_inseparable_before_anything_is_drawn():
    X = np.random.default_rng(0).standard_normal((40, 3))
    drawn = []
    with pytest.raises(UserError, match=r"coincides with the class.*Add rows"):
        compared(X[:20], X[20:], [0] * 20, [1] * 20, callback=drawn.append)
    assert drawn == []


def test_patients_move_between_the_lots_as_a_whole():
    stream = np.random.default_rng(0)
    patients = np.arange(120) // 6
    X = stream.standard_normal((20, 4))[patients] + 0.2 * stream.standard_normal((120, 4))
    is_new = patients < 10
    by_rows = compared(X[~is_new], X[is_new])
    by_patients = compared(
        X[~is_new], X[is_new], groups=patients[~is_new], groups_new=patients[is_new]
    )
    assert by_rows.p_value < 0.05  # a false alarm
    assert by_patients.p_value > 0.05


def test_few_patients_are_refused_with_the_smallest_possible_p():
    X = np.random.default_rng(0).standard_normal((40, 3))
    patients = np.arange(40) // 10
    with pytest.raises(UserError, match=r"Only 6 exchanges.*p is at least 0.17.*Add"):
        compared(X[:20], X[20:], groups=patients[:20], groups_new=patients[20:])


def test_groups_of_both_lots_may_come_as_one():
    first, new, y, y_new = two_lots(1.0)
    groups = np.arange(120) // 3
    split = {"groups": groups[: len(y)], "groups_new": groups[len(y) :], "with_plane": False}
    whole = {"groups": groups, "with_plane": False}
    p_values = [compared(first, new, y, y_new, **each).p_value for each in (split, whole)]
    assert p_values[0] == p_values[1]
    with pytest.raises(UserError, match="of one lot only"):
        compared(first, new, y, y_new, groups=groups[: len(y)])


def test_lots_of_more_rows_than_their_exchanges_can_be_counted_by_floats():
    lots = two_lots(0.5, n_rows=2_400)  # more than 1e308 exchanges
    assert compared(*lots, with_plane=False).p_value == 0.005


def test_other_columns_are_refused():
    with pytest.raises(UserError, match="3 features and the new one 2"):
        compared(np.eye(3), np.ones((3, 2)))
