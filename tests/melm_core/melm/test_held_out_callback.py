"""Scores on held-out rows during a fit."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core import MELM
from melm_core.datasets import pure_noise
from melm_core.melm import HeldOutHistory
from tests.melm_core.helpers import classes, labeled_data

TRAIN, HELD_OUT = labeled_data(*classes(3, 5)).split(0.3, random_state=0)


def scored(train=TRAIN, held_out=HELD_OUT, **parameters):
    history = HeldOutHistory(train.X, train.y, held_out.X, held_out.y, **parameters)
    melm = MELM(n_init=2, random_state=0, callback=history).fit(train.X, train.y)
    return melm, history.scores


def test_every_plane_of_the_fit_is_scored():
    melm, scores = scored()
    assert [score.objective for score in scores][-len(melm.history_) :] == melm.history_.tolist()


def test_the_last_scores_are_those_of_the_fitted_densities():
    melm, scores = scored()
    best = max(scores, key=lambda score: score.objective)
    accuracies = [
        np.mean([np.mean(melm.predict(data.X)[data.y == c] == c) for c in range(3)])
        for data in (TRAIN, HELD_OUT)
    ]
    assert best.held_out_accuracy == pytest.approx(accuracies[1])
    assert best.train_accuracy < accuracies[0]  # each row is left out of its own density


def test_scoring_does_not_change_the_fit():
    alone = MELM(n_init=2, random_state=0).fit(TRAIN.X, TRAIN.y)
    np.testing.assert_array_equal(scored()[0].components_, alone.components_)


def test_on_noise_the_training_scores_rise_and_the_held_out_scores_do_not():
    noise, others = labeled_data(*pure_noise()).split(0.3, random_state=0)
    _, scores = scored(noise, others)
    best = max(scores, key=lambda score: score.objective)
    assert best.train_accuracy > 0.9
    assert best.held_out_accuracy < 0.7
    assert best.divergence < 0.5 * best.objective


def test_its_own_callback_can_stop_the_fit():
    reports = []

    def stop(progress):
        reports.append(progress)
        return progress.iteration == 3

    _, scores = scored(callback=stop)
    assert len(scores) == len(reports)
    assert [report.iteration == 3 for report in reports] == [False] * (len(reports) - 1) + [True]


def test_held_out_rows_without_a_class_are_rejected():
    with pytest.raises(ValueError, match="hold out at least one row of every class"):
        HeldOutHistory(TRAIN.X, TRAIN.y, HELD_OUT.X[HELD_OUT.y > 0], HELD_OUT.y[HELD_OUT.y > 0])
