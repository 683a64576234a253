from __future__ import annotations

import numpy as np
import pytest

from melm_core import MELM
from melm_core.base import UserError
from melm_core.datasets import batches
from melm_core.melm import SearchOptions, TradeOff, trade_off

QUICK = {"n_folds": 2, "n_init": 2, "search": SearchOptions(max_iter=30)}


@pytest.fixture(scope="module")
def curve() -> TradeOff:
    return trade_off(*batches(0, n_rows=240), [4.0, 0.0], **QUICK)


def test_weights_are_ascending_and_every_value_has_one_for_each(curve):
    assert curve.weights.tolist() == [0.0, 4.0]
    for name, values in vars(curve).items():
        if name in ("n_groups", "caveat"):
            continue
        assert np.shape(values) == (() if "chance" in name else (2,))
        assert np.isfinite(values).all()


def test_blindness_costs_some_of_the_divergence_of_the_classes(curve):
    assert curve.nuisance_divergences[1] < 0.6 * curve.nuisance_divergences[0]
    assert curve.divergences[1] < curve.divergences[0]
    assert (curve.chance, curve.nuisance_chance) == pytest.approx((1 / 2, 1 / 3))


def test_training_rows_tell_more_than_held_out_rows(curve):
    assert (curve.accuracies > curve.held_out_accuracies).all()
    assert (curve.nuisance_divergences > curve.held_out_nuisance_divergences).all()


def test_a_curve_says_that_its_weight_is_chosen_by_eye(curve):
    assert "held out, but chosen by eye" in curve.caveat


def test_rows_that_are_repeated_in_groups_teach_nothing_about_each_other():
    _, y, batch = batches(0, n_rows=120)
    noise = np.random.default_rng(0).normal(size=(len(y), 12))
    rows = tuple(np.repeat(values, 4, axis=0) for values in (noise, y, batch))
    patients = np.repeat(np.arange(len(y)), 4)
    apart = trade_off(*rows, [0.0], groups=patients, gamma=0.3, **QUICK)
    mixed = trade_off(*rows, [0.0], gamma=0.3, **QUICK)
    assert apart.n_groups == len(y)
    assert apart.held_out_accuracies[0] < 0.6 < mixed.held_out_accuracies[0]


def test_a_batch_of_one_group_is_refused():
    X, y, batch = batches(0, n_rows=120)
    with pytest.raises(UserError, match="in one group"):
        trade_off(X, y, batch, [0.0], groups=batch, **QUICK)


@pytest.mark.parametrize(("weights", "words"), [([], "empty"), ([-1.0], "weights=-1.0")])
def test_weights_that_are_none_are_refused(weights, words):
    with pytest.raises(UserError, match=words):
        trade_off(*batches(0, n_rows=240), weights, **QUICK)


def test_a_confounded_design_is_refused():
    X, y, _ = batches(0, n_rows=60)
    with pytest.raises(UserError, match="nothing can tell the classes from the nuisance"):
        trade_off(X, y, y, [1.0], **QUICK)


@pytest.mark.slow
def test_the_batch_leaves_the_picture_at_a_small_cost():
    curve = trade_off(*batches(0), [0.0, 0.5, 1.0, 4.0])
    assert (np.diff(curve.held_out_nuisance_divergences) < 0).all()
    assert curve.held_out_nuisance_divergences[-1] < 0.15 * curve.held_out_nuisance_divergences[0]
    assert curve.held_out_nuisance_accuracies[0] > curve.nuisance_chance + 0.1
    assert curve.held_out_nuisance_accuracies[-1] < curve.nuisance_chance + 0.06
    # At weight 1, half of a point or so of the classes' accuracy.
    assert abs(curve.held_out_accuracies[2] - curve.held_out_accuracies[0]) < 0.03


@pytest.mark.slow
def test_beginning_at_the_weight_before_loses_nothing_to_a_search_anew():
    X, y, batch = batches(0)
    for weight in (0.5, 1.0, 4.0):
        anew = MELM(nuisance_weight=weight, random_state=0).fit(X, y, nuisance=batch)
        first = MELM(nuisance_weight=0.0, random_state=0).fit(X, y, nuisance=batch)
        warm = MELM(nuisance_weight=weight, random_state=0)
        warm.set_search(init=first.components_[None]).fit(X, y, nuisance=batch)
        objectives = [fit.divergence_ - weight * fit.nuisance_divergence_ for fit in (anew, warm)]
        assert objectives[1] == pytest.approx(objectives[0], rel=1e-4)
