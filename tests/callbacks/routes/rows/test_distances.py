"""The figures of T² and Q hold every row, its limits, and why one is far."""

from __future__ import annotations

import base64
import re

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
    traces = found["figures"]["plot"]["data"]
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
    assert " of 60 beyond a 99 % limit" in found["markup"]
    assert (
        len(found["figures"]["plot"]["layout"]["shapes"]) == 4
    )  # of training and of held-out rows, T² and Q


def test_the_contributions_of_a_row_name_what_is_odd(answer):
    found = answer(f"distances?row={FAR}").json
    figure = found["figures"]["contributions"]
    assert "What moves row 17 from" in found["markup"]
    assert figure["layout"]["yaxis"]["ticktext"][-1] == "w"
    to_residual = numbers(figure["data"][1]["x"])
    assert to_residual[-1] == max(to_residual)
    assert to_residual.sum() == pytest.approx(1)


def chosen_in(found):
    return re.findall("<option [^>]*selected[^>]*>(.*?)</option>", found["markup"])


def test_rows_are_listed_from_the_farthest_and_the_chosen_one_is_named_at_its_place(answer):
    found = answer(f"distances?row={FAR}").json
    options = re.findall("<option [^>]*>(.*?)</option>", found["markup"])
    assert options[:2] == ["Choose a row", f"row {FAR}"]
    assert sorted(options[1:]) == sorted(f"row {number}" for number in range(1, 61))
    assert chosen_in(found) == [f"row {FAR}"]
    places = [
        (x, y)
        for trace in found["figures"]["plot"]["data"]
        for row, x, y in zip(
            *(numbers(trace[key]) for key in ("customdata", "x", "y")), strict=True
        )
        if row == FAR
    ]
    (name,) = found["figures"]["plot"]["layout"]["annotations"]
    assert [(name["x"], name["y"])] == places
    assert name["text"] == f"row {FAR}"


@pytest.mark.parametrize("row", ["", "999", "none"])
def test_of_a_row_that_is_not_there_nothing_is_explained(answer, row):
    found = answer(f"distances?row={row}").json
    assert [*found["figures"]] == ["plot"]
    assert "annotations" not in found["figures"]["plot"]["layout"]
    assert chosen_in(found) in (["Choose a row"], [])
