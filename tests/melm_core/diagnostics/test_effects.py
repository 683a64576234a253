"""What factors change: shares of the variation, p-values, and designs that cannot say."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.diagnostics import FactorEffects


def crossed(seed=0, effect=0.0):
    """Twelve subjects under two treatments on two days, two rows each, with what visits share."""
    rng = np.random.default_rng(seed)
    subject = np.repeat(np.arange(12), 8)
    drug, day = np.tile(np.repeat([0, 1], 4), 12), np.tile(np.repeat([0, 1], 2), 24)
    visit = subject * 4 + 2 * drug + day
    X = 3.0 * rng.normal(size=(12, 4))[subject] + rng.normal(size=(48, 4))[visit]
    X += 0.2 * rng.normal(size=(96, 4))
    X[:, 0] += effect * drug
    return X, {"drug": drug, "day": day}, subject


def test_shares_of_a_balanced_design_are_those_of_its_means_and_add_up():
    X, factors, _ = crossed(effect=1.0)
    found = FactorEffects.of(X, factors, n_permutations=1)
    means = np.stack([X[factors["drug"] == level].mean(axis=0) for level in (0, 1)])
    spread = ((means - X.mean(axis=0)) ** 2).sum() * 48 / ((X - X.mean(axis=0)) ** 2).sum()
    assert found.effects[0].share == pytest.approx(spread)
    assert sum(one.share for one in found.effects) + found.residual == pytest.approx(1.0)
    assert [one.factors for one in found.effects] == [("drug",), ("day",), ("drug", "day")]


def test_an_unbalanced_design_has_the_sums_of_squares_of_type_three():
    rng = np.random.default_rng(0)
    a, b = np.array([0, 0, 0, 1, 1, 0, 1, 1]), np.array([0, 0, 1, 0, 1, 1, 1, 1])
    X = rng.normal(size=(8, 1)) + a[:, None]
    found = FactorEffects.of(X, {"a": a, "b": b}, n_permutations=1)
    signs = 1 - 2 * np.column_stack([a, b, 1 + (a != b)])  # deviations from unweighted means
    full = np.column_stack([np.ones(8), signs[:, 0], signs[:, 1], signs[:, 0] * signs[:, 1]])
    left = [np.linalg.lstsq(np.delete(full, at, axis=1), X, rcond=None)[1][0] for at in (1, 2, 3)]
    beta, rest, *_ = np.linalg.lstsq(full, X, rcond=None)
    total = ((X - beta[0]) ** 2).sum()
    np.testing.assert_allclose([one.share for one in found.effects], (left - rest) / total)


def test_what_subjects_differ_by_is_subtracted_and_a_change_within_them_is_found():
    X, factors, subject = crossed(effect=1.5)
    found = FactorEffects.of(X, factors, subjects=subject, n_permutations=99)
    assert [one.p_value <= 0.05 for one in found.effects] == [True, False, False]
    assert found.between > 0.5
    assert FactorEffects.of(X, factors, n_permutations=99).effects[0].p_value > 0.05


def test_what_visits_share_is_no_effect_of_a_treatment():
    p_values = [
        FactorEffects.of(X, {"drug": factors["drug"]}, subjects=subject, n_permutations=19)
        .effects[0]
        .p_value
        for X, factors, subject in map(crossed, range(40))
    ]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.125


def test_the_effect_of_too_few_subjects_has_no_p_value():
    X, factors, subject = crossed()
    few = subject < 1
    found = FactorEffects.of(X[few], {"drug": factors["drug"][few]}, subjects=subject[few])
    assert np.isnan(found.effects[0].p_value)


@pytest.mark.parametrize(
    ("name", "values", "subjects"),
    [("twin", lambda drug, _: 1 - drug, None), ("sex", lambda _, subject: subject % 2, "own")],
)
def test_a_factor_that_the_design_cannot_tell_is_named(name, values, subjects):
    X, factors, subject = crossed()
    drug = factors["drug"]
    given = {"drug": drug, name: values(drug, subject)}
    with pytest.raises(ValueError, match=f"Factor '{name}' cannot be told from the subjects or"):
        FactorEffects.of(X, given, subjects=None if subjects is None else subject)
