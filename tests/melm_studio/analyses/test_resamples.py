"""What resamples say: wine stands, noise dances, and features have their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from melm_core.evaluation import Study, Unchanged, stability
from melm_studio.analyses.resamples import (
    RESAMPLES,
    ResamplesReport,
    feature_stability,
    resampled_features,
    resamples_note,
)

N_RESAMPLES = 12
X, Y = load_wine(return_X_y=True)
WINE = StandardScaler().fit_transform(X)


def report_of(X, y):
    study = Study("lda", X, y, preparation=Unchanged())
    found = stability(study, n_resamples=N_RESAMPLES)
    angles = tuple(np.degrees(found.angles[:, -1]).tolist())
    numbers = tuple(range(N_RESAMPLES))
    features = feature_stability(found)
    return found, ResamplesReport(numbers, angles, N_RESAMPLES, features, N_RESAMPLES)


@pytest.fixture(scope="module")
def wine():
    return report_of(WINE, Y)


def test_the_plane_of_wine_stands_and_that_of_noise_dances(wine):
    rng = np.random.default_rng(0)
    _, noise = report_of(rng.standard_normal(WINE.shape), rng.permutation(Y))
    assert RESAMPLES.sentence(wine[1], is_final=True).startswith("The plane stands: ")
    assert RESAMPLES.sentence(noise, is_final=True).startswith("The plane dances: ")


def test_the_sentence_says_how_far_the_resamples_are(wine):
    growing = replace(wine[1], planes=(0, 1), angles=(10.0, 20.0), features=None)
    expected = "2 of 12 resamples so far: it turns by 15° (median)."
    assert RESAMPLES.sentence(growing, is_final=False) == expected
    assert "first resample" in RESAMPLES.sentence(ResamplesReport(), is_final=False)
    assert "groups" in resamples_note(replace(growing, by_groups=True))


def test_the_strongest_features_come_first_with_the_interval_of_their_lengths(wine):
    found, report = wine
    names = [f"feature {i}" for i in range(WINE.shape[1])]
    first, *_ = resampled_features(report, names)
    strongest = int(np.argmax(np.linalg.norm(found.components, axis=0)))
    lower, upper = found.length_interval
    assert (first.name, first.low, first.high) == (
        f"feature {strongest}",
        lower[strongest],
        upper[strongest],
    )
    assert resampled_features(replace(report, features=None), names) == []
