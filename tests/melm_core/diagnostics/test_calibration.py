"""Calibration: unsure of noise, as sure as it may be of what is right, never of another class."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core.density import tempered_shares
from melm_core.diagnostics import Reliability
from melm_core.diagnostics.calibration import cross_calibrated, fitted_temperature

RNG = np.random.default_rng(0)
Y = np.arange(400) % 2


def test_densities_that_say_nothing_become_equal_probabilities():
    logs = 5.0 * RNG.standard_normal((400, 2))
    found = Reliability.of(cross_calibrated(logs, Y, np.arange(400) % 5), Y)
    assert found.confidence == pytest.approx(found.accuracy, abs=0.06)
    assert found.n_sure == 0


def test_a_temperature_that_was_taken_away_is_found():
    truth = RNG.random(5000) < 0.5
    logit = RNG.normal(np.where(truth, 1.0, -1.0), np.sqrt(2.0))  # the true log ratio, 1 of 2
    logs = 4.0 * np.stack([np.zeros(5000), logit], axis=1)
    assert fitted_temperature(logs, truth.astype(np.int64)) == pytest.approx(4, rel=0.1)


def test_rare_classes_count_as_others_do():
    y = np.repeat([0, 1], [950, 50])
    logs = 3.0 * RNG.standard_normal((1_000, 2)) + 3.0 * (np.arange(2) == y[:, None])
    kept = np.r_[:950, np.repeat(np.arange(950, 1_000), 19)]
    assert fitted_temperature(logs, y) == pytest.approx(fitted_temperature(logs[kept], y[kept]))


def test_the_most_probable_class_stays():
    logs = 3.0 * RNG.standard_normal((100, 4))
    found = tempered_shares(logs, 7.0)
    np.testing.assert_array_equal(found.argmax(axis=1), logs.argmax(axis=1))
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_rows_that_are_all_told_rightly_do_not_make_densities_sharper_without_end():
    logs = np.where(np.arange(2) == Y[:, None], 0.0, -2.0)
    assert fitted_temperature(logs, Y) > 0.3


def test_rows_of_a_single_fold_calibrate_each_other():
    logs = RNG.standard_normal((400, 2)) + 2.0 * (np.arange(2) == Y[:, None])
    first = np.arange(400) // 2 % 2 == 0  # every other row of each class
    found = cross_calibrated(logs, Y, np.zeros(400, dtype=np.int64))
    expected = tempered_shares(logs[first], fitted_temperature(logs[~first], Y[~first]))
    np.testing.assert_array_equal(found[first], expected)


def test_a_row_is_not_calibrated_by_its_own_fold():
    fold = np.arange(400) // 2 % 5
    logs = RNG.standard_normal((400, 2)) + 2.0 * (np.arange(2) == Y[:, None])
    changed = np.where(fold == 0, 1 - Y, Y)
    own, other = (cross_calibrated(logs, y, fold)[fold == 0] for y in (Y, changed))
    np.testing.assert_array_equal(own, other)


@pytest.mark.slow
def test_the_standard_error_of_the_calibration_error_is_its_spread_over_tables():
    sure = np.tile([0.9, 0.1], (400, 1))
    tables = [
        Reliability.of(sure, (np.random.default_rng(seed).random(400) > 0.7).astype(np.int64))
        for seed in range(60)
    ]
    spread = np.std([each.calibration_error for each in tables], ddof=1)
    said = np.mean([each.calibration_standard_error for each in tables])
    assert said == pytest.approx(spread, rel=0.3)
