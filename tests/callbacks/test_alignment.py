"""Planes turned to lie like that of another run."""

from __future__ import annotations

import numpy as np
import pytest

from lab.driver.traces import points
from melm_core.linalg import orthogonal_procrustes

N_CLASSES = 3


@pytest.fixture(scope="module")
def pair(studio):
    """A visitor with finished LDA and NCA runs on wine."""
    visitor = studio.visitor()
    visitor.choose_sample("wine")
    runs = [visitor.start(method=method, max_iter=3) for method in ("lda", "nca")]
    studio.work()
    return visitor, *runs


def seen_rows(plane):
    """The seen rows of every class of a plane on the wire, one below the other."""
    return np.concatenate(
        [points(trace) for trace in plane["traces"][3 * N_CLASSES : 4 * N_CLASSES]]
    )


def newest(visitor, run, **query):
    sequence = visitor.news(run)["sequences"][-1]
    answer = visitor.http.get(f"/runs/{run}/planes/{sequence}", query_string=query)
    assert answer.status_code == 200
    return answer.json


def distance(one, other):
    return np.linalg.norm(one - one.mean(axis=0) - (other - other.mean(axis=0)))


@pytest.mark.slow
def test_a_turned_plane_lies_closer_to_the_one_it_is_turned_towards(pair):
    visitor, reference, run = pair
    whole = seen_rows(newest(visitor, reference))
    alone, turned = (seen_rows(newest(visitor, run, **q)) for q in ({}, {"toward": reference}))
    assert distance(turned, whole) < distance(alone, whole) - 1e-3
    for matrix in (alone, turned):
        np.testing.assert_allclose(
            np.linalg.svd(matrix - matrix.mean(axis=0))[1],
            np.linalg.svd(alone - alone.mean(axis=0))[1],
            rtol=1e-5,
        )


def test_the_news_are_turned_and_the_reference_itself_is_not(pair):
    visitor, reference, run = pair
    asked = {"run": [f"{reference}:-1", f"{run}:-1"], "toward": reference}
    news = visitor.http.get("/frames", query_string=asked).json["runs"]
    expected = seen_rows(newest(visitor, run, toward=reference))
    np.testing.assert_array_equal(seen_rows(news[run]["plane"]), expected)
    own = seen_rows(newest(visitor, reference))
    np.testing.assert_array_equal(seen_rows(news[reference]["plane"]), own)


def test_at_another_gamma_a_plane_is_turned_the_same_way(pair):
    visitor, reference, run = pair
    turned = seen_rows(newest(visitor, run, toward=reference))
    elsewhere = seen_rows(newest(visitor, run, toward=reference, gamma=0.3))
    np.testing.assert_allclose(elsewhere, turned, atol=1e-5)


def test_nothing_is_turned_towards_a_foreign_run(studio, pair):
    _, reference, _ = pair
    stranger = studio.visitor()
    stranger.choose_sample("wine")
    run = stranger.start(method="pca")
    studio.work()
    query = {"toward": reference}
    assert stranger.http.get(f"/runs/{run}/planes/0", query_string=query).status_code == 404
    asked = {"run": f"{run}:-1", "toward": reference}
    news = stranger.http.get("/frames", query_string=asked).json["runs"][run]
    np.testing.assert_array_equal(
        seen_rows(news["plane"]), seen_rows(stranger.http.get(f"/runs/{run}/planes/0").json)
    )


def is_mirrored(one, other):
    """Whether one picture of some rows is closest to another when it is turned over."""
    turn = orthogonal_procrustes(one, other)
    return np.linalg.det(turn) < 0


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_plane_of_few_features_lies_like_the_one_with_all(pair, is_turned):
    visitor, reference, run = pair
    query = {"toward": run} if is_turned else {}
    whole = seen_rows(newest(visitor, reference, **query))
    for n_kept in (8, 5, 3, 2):
        kept = seen_rows(newest(visitor, reference, n_top_features=n_kept, **query))
        assert not is_mirrored(kept, whole)
