"""Rows that a fit never sees, watched while it runs."""

from __future__ import annotations

import numpy as np
import pytest

from melm_core import MELM
from melm_core.evaluation import HeldOutHistory, pure_noise
from tests.melm_core.helpers import classes, labelled_data

SEEN, UNSEEN = labelled_data(*classes(3, 5)).split(0.3, random_state=0)


def watched(seen=SEEN, unseen=UNSEEN, **parameters):
    history = HeldOutHistory(seen.X, seen.y, unseen.X, unseen.y, **parameters)
    melm = MELM(n_init=2, random_state=0, callback=history).fit(seen.X, seen.y)
    return melm, history.scores


def test_every_plane_of_the_way_is_scored():
    melm, scores = watched()
    assert [score.objective for score in scores][-len(melm.history_) :] == melm.history_.tolist()


def test_the_last_scores_are_those_of_the_fitted_densities():
    melm, scores = watched()
    best = max(scores, key=lambda score: score.objective)
    accuracies = [
        np.mean([np.mean(melm.predict(data.X)[data.y == c] == c) for c in range(3)])
        for data in (SEEN, UNSEEN)
    ]
    assert [best.accuracy_seen, best.accuracy] == pytest.approx(accuracies)


def test_watching_changes_no_fit():
    alone = MELM(n_init=2, random_state=0).fit(SEEN.X, SEEN.y)
    np.testing.assert_array_equal(watched()[0].components_, alone.components_)


def test_on_noise_what_is_seen_rises_and_what_is_not_stays():
    noise, others = labelled_data(*pure_noise()).split(0.3, random_state=0)
    _, scores = watched(noise, others)
    best = max(scores, key=lambda score: score.objective)
    assert best.accuracy_seen == 1.0
    assert best.accuracy < 0.7
    assert best.divergence < 0.5 * best.objective


def test_its_own_callback_can_stop_the_fit():
    reports = []

    def stop(progress):
        reports.append(progress)
        return progress.iteration == 3

    _, scores = watched(callback=stop)
    assert len(scores) == len(reports)
    assert [report.iteration == 3 for report in reports] == [False] * (len(reports) - 1) + [True]


def test_unseen_rows_without_a_class_are_refused():
    with pytest.raises(ValueError, match="hold out at least one row of every class"):
        HeldOutHistory(SEEN.X, SEEN.y, UNSEEN.X[UNSEEN.y > 0], UNSEEN.y[UNSEEN.y > 0])
