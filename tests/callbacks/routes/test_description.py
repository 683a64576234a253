"""The words beside a picture are of its plane, under its view options, for its owner."""

from __future__ import annotations

import pytest


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


def test_a_view_with_two_features_names_these_two(wine):
    visitor, (plane, *_) = wine
    told = words(visitor, plane, n_top_features=2).partition("What moves rows most: ")[2]
    assert told.count(",") == 1


def test_others_and_unknown_planes_are_not_found(wine, studio):
    visitor, (plane, *_) = wine
    assert studio.visitor().http.get(f"/runs/{plane}/description").status_code == 404
    missing = visitor.http.get(f"/runs/{plane}/description", query_string={"plane": 999_999})
    assert missing.status_code == 404
