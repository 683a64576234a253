"""The figures of T² and Q hold every row, its limits, and why one is far."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from melm_core.diagnostics import PlaneDistances
from tests.callbacks.tables import blobs, csv


def numbers(coded) -> np.ndarray:
    """An array as plotly writes it."""
    return np.frombuffer(base64.b64decode(coded["bdata"]), coded["dtype"])


FAR = 17  # a row that is put far away


@pytest.fixture(scope="module")
def run(studio):
    visitor = studio.visitor()
    rng = np.random.default_rng(0)
    table = blobs().assign(z=rng.normal(size=60), w=rng.normal(size=60))
    table.loc[FAR - 1, "w"] = 40.0
    visitor.choose_file(csv(table), "far.csv")
    return visitor, visitor.start(method="lda")


@pytest.fixture(scope="module")
def answer(studio, run):
    visitor, name = run
    studio.work()

    def ask(path: str):
        return visitor.http.get(f"/runs/{name}/planes/0/{path}")

    return ask


def test_every_row_is_drawn_at_its_distances_and_the_far_one_is_beyond(studio, run, answer):
    found = answer("distances").json
    traces = found["figure"]["data"]
    rows = [row for trace in traces for row in numbers(trace["customdata"])]
    assert sorted(rows) == list(range(1, 61))
    train, held_out = studio.parts_of(*run)
    plane = PlaneDistances.of(train.X, studio.store.last_event(run[1]).components)
    far = [part.X[part.row_numbers == FAR] for part in (train, held_out)]
    expected = plane.residual(np.concatenate(far))[0]
    drawn = {
        row: q
        for trace in traces
        for row, q in zip(numbers(trace["customdata"]), numbers(trace["y"]), strict=True)
    }
    assert drawn[FAR] == pytest.approx(expected)
    assert expected > plane.residual_limit()
    assert " of 60 beyond a 99 % limit" in found["words"]
    assert (
        len(found["figure"]["layout"]["shapes"]) == 4
    )  # of training and of held-out rows, T² and Q


def test_the_contributions_of_a_row_name_what_is_odd(answer):
    found = answer(f"distances/{FAR}").json
    assert "row 17" in found["words"]
    assert found["figure"]["layout"]["yaxis"]["ticktext"][-1] == "w"
    to_residual = numbers(found["figure"]["data"][1]["x"])
    assert to_residual[-1] == max(to_residual)
    assert to_residual.sum() == pytest.approx(1)


def test_a_row_that_is_not_there_is_not_found(answer):
    assert answer("distances/999").status_code == 404


def test_rows_are_listed_from_the_farthest_with_their_places_in_the_figure(answer):
    found = answer("distances").json
    rows, layout = found["rows"], found["figure"]["layout"]
    assert rows[0]["row"] == FAR
    assert rows[0]["label"] == f"row {FAR}"
    assert sorted(row["row"] for row in rows) == list(range(1, 61))
    drawn = {
        row: (x, y)
        for trace in found["figure"]["data"]
        for row, x, y in zip(
            *(numbers(trace[key]) for key in ("customdata", "x", "y")), strict=True
        )
    }
    assert all(drawn[row["row"]] == (row["x"], row["y"]) for row in rows)
    assert "annotations" not in layout  # a script names the row that is chosen
