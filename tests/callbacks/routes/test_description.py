"""The words beside a picture are of its plane, under its view options, for its owner."""

from __future__ import annotations

import pytest

from melm_core.base import percent
from melm_studio.runs.records.refits_report import RefitsReport, refits_id


@pytest.fixture(scope="module")
def wine(studio):
    visitor = studio.visitor()
    visitor.choose_sample("wine")
    runs = [
        visitor.start(method="lda"),
        visitor.start(method="lda", n_components=1),
        visitor.start(method="kpca"),
    ]
    studio.work()
    return visitor, runs


def words(visitor, run: str, **query) -> str:
    answer = visitor.http.get(f"/runs/{run}/description", query_string=query)
    assert answer.status_code == 200, answer.text
    return str(answer.json["words"])


def test_every_kind_of_picture_has_words(wine):
    visitor, (plane, line, curved) = wine
    assert "What moves rows most: " in words(visitor, plane)
    assert words(visitor, line).startswith("From left to right: ")
    assert "What moves rows most" not in words(visitor, curved)


def test_three_components_have_one_distance_whatever_their_view(wine, studio):
    visitor, _ = wine
    run = visitor.start(method="pca", n_components=3)
    studio.work()
    told = [words(visitor, run, **view) for view in ({}, {"view_angle": "1.2:0.4"})]
    apart = [text.partition("Nearest to")[2].partition("What moves")[0] for text in told]
    assert apart[0] == apart[1]
    assert all("third component" in text for text in told)
    assert told[0] != told[1]  # where the classes lie on the screen


def test_a_view_with_two_features_names_these_two(wine):
    visitor, (plane, *_) = wine
    told = words(visitor, plane, n_top_features=2).partition("What moves rows most: ")[2]
    assert told.count(",") == 1


def test_others_and_unknown_planes_are_not_found(wine, studio):
    visitor, (plane, *_) = wine
    assert studio.visitor().http.get(f"/runs/{plane}/description").status_code == 404
    missing = visitor.http.get(f"/runs/{plane}/description", query_string={"plane": 999_999})
    assert missing.status_code == 404


@pytest.mark.slow
def test_rows_that_are_taken_for_each_other_are_those_of_the_refits(studio):
    visitor = studio.visitor()
    visitor.choose_sample("wine")
    run = visitor.start(method="pca", held_out="")
    studio.work()
    assert "taken for" not in words(visitor, run)
    assert visitor.http.post(f"/runs/{run}/analyses/refits").status_code == 201
    studio.work()
    report = RefitsReport.from_bytes(studio.store.report(refits_id(run)))
    told = words(visitor, run)
    (one, two), share = max(
        (((i, j), share) for i, row in enumerate(report.overlap) for j, share in enumerate(row)),
        key=lambda pair: pair[1],
    )
    names = studio.data_of(visitor).class_names
    assert f"taken for each other: {names[one]} and {names[two]} ({percent(share)})" in told
