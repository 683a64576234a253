"""A run of PLS-DA says what its components explain, and beside it what they predict."""

from __future__ import annotations

import re

import numpy as np
import pytest

from melm_studio.planes.theme import Scheme

SHARES = re.compile(r"R²X = (\d+) %.* R²Y = (\d+) %\. In cross-validation, Q² = (-?\d+) %")


def answer_of(visitor, run: str, **query):
    return visitor.http.get(f"/runs/{run}/latent-structure", query_string=query)


@pytest.mark.parametrize(("method", "title"), [("plsda", "VIP"), ("oplsda", "covariance")])
def test_the_shares_are_said_and_the_features_drawn(studio, visitor, method, title):
    visitor.choose_sample("wine")
    run = visitor.start(method=method)
    studio.work()
    found = answer_of(visitor, run, scheme=Scheme.DARK).json
    r2x, r2y, q2 = map(int, SHARES.search(found["words"]).groups())
    assert 0 < r2x < 100
    assert 0 < q2 < r2y < 100
    assert "0 % is guessing" in found["words"]
    assert found["line"] == f"R²Y {r2y} %, Q² {q2} %"
    assert title in found["figures"]["plot"]["layout"]["xaxis"]["title"]["text"]
    (trace,) = found["figures"]["plot"]["data"]
    assert "proline" in [*trace.get("customdata", []), *trace["text"]]


def test_noise_is_said_to_be_noise(studio, visitor):
    rng = np.random.default_rng(0)
    header = ",".join([*(f"x{i}" for i in range(40)), "label"])
    values = rng.normal(size=(30, 40)).astype(str)
    rows = [",".join([*row, "ab"[i % 2]]) for i, row in enumerate(values)]
    visitor.choose_file("\n".join([header, *rows]).encode())
    run = visitor.start(method="plsda")
    studio.work()
    words = answer_of(visitor, run).json["words"]
    assert int(SHARES.search(words)[3]) < 0
    assert "shows noise" in words


def test_other_methods_and_other_visitors_have_none(studio, visitor):
    visitor.choose_sample("wine")
    pca, pls = visitor.start(method="pca"), visitor.start(method="plsda")
    studio.work()
    assert answer_of(visitor, pca).status_code == 404
    assert answer_of(studio.visitor(), pls).status_code == 404
    assert answer_of(visitor, pls).status_code == 200
