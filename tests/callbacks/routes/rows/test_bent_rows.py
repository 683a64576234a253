"""Rows of runs whose features bend, beside rows of runs of the same table whose do not."""

from __future__ import annotations

from tests.callbacks.tables import blobs, csv


def test_new_rows_have_the_features_of_the_run_that_they_are_placed_in(studio):
    visitor = studio.visitor()
    visitor.choose_file(csv(blobs(90)), "first.csv")
    runs = [visitor.start(method="lda", curves=curves) for curves in ("straight", "curved")]
    studio.work()
    file = visitor.upload(csv(blobs(30)), "second.csv")
    query = {"file": file["key"], "name": file["name"]}
    for run in runs:
        last = visitor.news(run)["sequences"][-1]
        answer = visitor.http.get(f"/runs/{run}/planes/{last}/new-rows", query_string=query)
        assert answer.status_code == 200
        assert visitor.http.get(f"/runs/{run}/planes/{last}/rows/1").status_code == 200
