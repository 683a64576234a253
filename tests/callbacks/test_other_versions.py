"""A run of another version stands beside those of this one, says what it is, and can be removed."""

from __future__ import annotations

import json

import pytest

from melm_studio.configuration.messages import OTHER_VERSION
from melm_studio.runs.records.run import RunRecord


@pytest.fixture
def visitor(studio):
    visitor = studio.visitor()
    visitor.choose_sample("iris")
    return visitor


@pytest.fixture
def runs(studio, visitor, monkeypatch):
    """A run of this version and one of another, of which this one does not know the method."""
    known, other = visitor.start(method="pca"), visitor.start(method="lda")
    studio.work()
    as_now = RunRecord.to_bytes

    def later(record):
        return json.dumps(json.loads(as_now(record)) | {"method": "quantum"}).encode()

    with monkeypatch.context() as patched:
        patched.setattr(RunRecord, "to_bytes", later)
        studio.store.annotate(other)
    return known, other


@pytest.mark.fault
def test_the_page_shows_it_with_a_sentence_beside_those_of_this_version(visitor, runs):
    known, other = runs
    assert visitor.panels() == [known, other]
    news = visitor.frames(known, other)["runs"]
    assert news[known]["state"] == "done"
    assert news[known]["plane"] is not None
    assert (news[other]["words"], news[other]["plane"]) == (OTHER_VERSION, None)
    assert visitor.http.get(f"/runs/{other}/figure").status_code == 200


@pytest.mark.parametrize("path", ["planes/0", "planes/0/features", "points.csv"])
def test_what_is_asked_of_it_is_refused_in_that_sentence(visitor, runs, path):
    answer = visitor.http.get(f"/runs/{runs[1]}/{path}")
    assert answer.status_code == 400
    assert answer.json["words"] == OTHER_VERSION


def test_it_is_not_continued_and_takes_no_part_in_comparisons(visitor, runs):
    assert visitor.http.post(f"/runs/{runs[1]}/continue", json={}).status_code == 400
    token = visitor.http.post("/api/v1/tokens", json={}).json["token"]
    listed = visitor.http.get("/api/v1/runs", headers={"Authorization": f"Bearer {token}"})
    assert [run["id"] for run in listed.json["runs"]] == [runs[0]]


@pytest.mark.fault
def test_it_can_be_removed_and_put_back(visitor, runs):
    known, other = runs
    visitor.command(other, "remove")
    assert visitor.panels() == [known]
    visitor.command(other, "undo-removal")
    assert visitor.panels() == [known, other]
